"""The only open-for-write: how bytes reach the disk so that an acknowledgement is true (decision D1)."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from nola.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = [
    "TEMP_PREFIX",
    "append_bytes",
    "append_chunks",
    "is_orphan",
    "locked",
    "make_private_dir",
    "remove",
    "replace_from_chunks",
    "sync_dir",
    "write_atomic",
]

TEMP_PREFIX = ".nola-"
_PRIVATE_FILE = 0o600
_PRIVATE_DIR = 0o700


def is_orphan(temp: Path) -> bool:
    """Tell whether a temporary file's writer is gone: its name holds the number of that process."""
    number = temp.name.removeprefix(TEMP_PREFIX).partition("-")[0]
    if not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return int(number) == os.getpid()


def make_private_dir(path: Path) -> Path:
    """Make a folder and its missing parents, mode 0700 whatever the umask; return it.

    Raises:
        StorageError: The folder could not be made.
    """
    try:
        missing = [p for p in (path, *path.parents) if not p.exists()]
        path.mkdir(parents=True, exist_ok=True)
        for made in missing:
            made.chmod(_PRIVATE_DIR)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error
    return path


def write_atomic(path: Path, data: bytes, *, keep_previous: bool = False) -> None:
    """Replace a file's content; when this returns, the new content survives a power cut.

    Temporary file in the same folder (exclusive, 0600), full write with its size checked, fsync, rename, fsync of
    the folder. A symbolic link is followed once and the real file replaced.

    Args:
        path: The file to replace or create.
        data: Its whole new content.
        keep_previous: Keep what stood there as `NAME.bak`, by hard link.

    Raises:
        StorageError: The disk refused; the old file stands and the temporary file is gone.
    """
    target = path.resolve() if path.is_symlink() else path
    temp = target.with_name(f"{TEMP_PREFIX}{os.getpid()}-{secrets.token_hex(6)}.tmp")
    try:
        _write_new(temp, (data,))
        if keep_previous and target.exists():
            _keep_previous(target)
        temp.replace(target)
        sync_dir(target.parent)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error
    finally:
        with contextlib.suppress(OSError):
            temp.unlink()


def replace_from_chunks(path: Path, chunks: Iterable[bytes]) -> int:
    """Replace a large file by the protocol of `write_atomic`, without holding it in memory; return its size in bytes.

    Whatever `chunks` raises passes through, and the old file stands: raise there when the content is not what it
    should be.

    Raises:
        StorageError: The disk refused; the old file stands and the temporary file is gone.
    """
    temp = path.with_name(f"{TEMP_PREFIX}{os.getpid()}-{secrets.token_hex(6)}.tmp")
    try:
        written = _write_new(temp, chunks)
        temp.replace(path)
        sync_dir(path.parent)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error
    finally:
        with contextlib.suppress(OSError):
            temp.unlink()
    return written


def append_chunks(path: Path, chunks: Iterable[bytes]) -> int:
    """Add a stream to the end of a file and wait until it is on disk; return the file's new size in bytes.

    What was written stays when `chunks` raises, so that a broken-off download can go on from there.

    Raises:
        StorageError: The disk refused.
    """
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE_FILE)
        try:
            os.fchmod(fd, _PRIVATE_FILE)
            for chunk in chunks:
                _write_all(fd, chunk)
            os.fsync(fd)
            return os.fstat(fd).st_size
        finally:
            os.close(fd)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def append_bytes(path: Path, data: bytes) -> None:
    """Add bytes to the end of a file and wait until they are on disk.

    Raises:
        StorageError: The disk refused; a part that was written is cut off again.
    """
    try:
        existed = path.exists()
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE_FILE)
        try:
            before = os.fstat(fd).st_size
            try:
                _write_all(fd, data)
                os.fsync(fd)
            except OSError:
                os.ftruncate(fd, before)
                raise
        finally:
            os.close(fd)
        if not existed:
            path.chmod(_PRIVATE_FILE)
            sync_dir(path.parent)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def remove(path: Path) -> None:
    """Delete a file and wait until that is on disk; a file that is not there is fine."""
    try:
        path.unlink(missing_ok=True)
        sync_dir(path.parent)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def sync_dir(folder: Path) -> None:
    """Flush a folder's entries, which makes a rename in it durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def locked(path: Path, *, timeout_s: float = 5.0) -> Iterator[None]:
    """Hold the lock file `path` (0600, never deleted) against other processes and threads.

    Raises:
        ConflictError: Somebody else held it for longer than `timeout_s` seconds.
    """
    lock = FileLock(path, mode=_PRIVATE_FILE, is_singleton=True)
    try:
        lock.acquire(timeout=timeout_s)
    except Timeout:
        raise ConflictError(
            f"another process has held {path.name} for {timeout_s:g} s", fix="try again, or stop that process"
        ) from None
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error
    try:
        yield
    finally:
        lock.release()


def _write_new(temp: Path, chunks: Iterable[bytes]) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(temp, flags, _PRIVATE_FILE)
    try:
        written = 0
        for chunk in chunks:
            _write_all(fd, chunk)
            written += len(chunk)
        if os.fstat(fd).st_size != written:
            raise OSError(0, "the disk took only a part of the file")
        os.fchmod(fd, stat.S_IRUSR | stat.S_IWUSR)
        os.fsync(fd)
        return written
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _keep_previous(target: Path) -> None:
    backup = target.with_name(target.name + ".bak")
    fresh = target.with_name(f"{TEMP_PREFIX}{os.getpid()}-{secrets.token_hex(6)}.tmp")
    os.link(target, fresh)
    try:
        fresh.replace(backup)
    finally:  # renaming one name of a file to another name of the same file does nothing
        fresh.unlink(missing_ok=True)
