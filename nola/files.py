"""The only open-for-write: how bytes reach the disk so that an acknowledgement is true (decision D1)."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from nola import disk
from nola.disk import TEMP_PREFIX, Stamp, part
from nola.errors import ConflictError, StorageError
from nola.saves import Group, Save, SlippedError, commit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

__all__ = [
    "TEMP_PREFIX",
    "Save",
    "SlippedError",
    "Stamp",
    "append_bytes",
    "append_chunks",
    "append_line",
    "copy_aside",
    "is_folder",
    "is_link",
    "is_orphan",
    "locked",
    "make_missing_dirs",
    "make_private_dir",
    "move",
    "open_log",
    "part",
    "read_or_none",
    "read_stable",
    "remove",
    "replace_from_chunks",
    "save_all",
    "stamp_of",
    "sync_dir",
    "write_atomic",
    "write_loosely",
]

_TRIES = 3


# --- reading ----------------------------------------------------------------------------------------------------------
def stamp_of(path: Path) -> Stamp | None:
    """Return a file's time of change in nanoseconds, size and inode; None when nothing stands there to be looked at."""
    try:
        return disk.stamp(path.stat())
    except OSError:
        return None


def is_link(path: Path) -> bool:
    """Say whether a path is a symbolic link; what can't be looked at is none."""
    try:
        return stat.S_ISLNK(path.lstat().st_mode)
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Say whether a path is a folder, and no link to one; what can't be looked at is none."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def read_or_none(path: Path) -> bytes | None:
    """Return a regular file's bytes; None when none stands there. A pipe or a device is not waited for.

    Raises:
        OSError: It can't be read.
    """
    try:
        fd = os.open(path, disk.LOOK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        kind = os.fstat(fd).st_mode
        return b"".join(disk.chunks_of(fd)) if stat.S_ISREG(kind) or stat.S_ISDIR(kind) else None
    finally:
        os.close(fd)


def read_stable(path: Path, *, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """Read a file as it stands while nobody writes to it, and what the file system says of it; never wait for a pipe.

    Raises:
        ValueError: It is larger than `max_bytes`.
        OSError: It is not there, can't be read, is no regular file, belongs to another user, or kept changing.
    """
    for _ in range(_TRIES):
        fd = os.open(path, disk.LOOK)
        try:
            before = os.fstat(fd)
            why = disk.defect(before, (os.geteuid(), 0))
            if why:
                raise OSError(errno.EPERM, why)
            if before.st_size > max_bytes:
                raise ValueError(f"{before.st_size:,} bytes are too many")
            data = b"".join(disk.chunks_of(fd))
            after = os.fstat(fd)
        finally:
            os.close(fd)
        same = (*disk.stamp(before), before.st_ctime_ns) == (*disk.stamp(after), after.st_ctime_ns)
        if same and len(data) == after.st_size:
            return data, after
    raise OSError(errno.EAGAIN, "it kept changing while it was read")


# --- replacing --------------------------------------------------------------------------------------------------------
def save_all(
    saves: Sequence[Save], *, log: Path | None = None, line: bytes = b"", flush: Callable[[int], object] = os.fsync
) -> list[Stamp | None]:
    """Replace, make and delete different files and add a line to a log: all of it, durably, or nothing.

    Every file is compared with what was expected before anything is flushed, and once more in the moment in which it
    is replaced.

    Args:
        saves: The files.
        log: The file that the line is added to.
        line: What is added, on a line of its own.
        flush: Waits until what was written to a descriptor is on disk.

    Returns:
        The new stamp of every file in order, None for a deleted one.

    Raises:
        SlippedError: A file holds something else than was expected; everything stands as it did.
        StorageError: The disk refused; everything stands as it did.
    """
    return commit(Group(flush), saves, log, line)


def write_atomic(path: Path, data: bytes, *, keep_previous: bool = False, follow: bool = False) -> None:
    """Replace a file's content, whatever it is; when this returns, the new content survives a power cut.

    The protocol is that of `save_all`: temporary file in the same folder (exclusive, 0600), full write with its size
    checked, fsync, rename, fsync of the folder.

    Args:
        path: The file to replace or create.
        data: Its whole new content.
        keep_previous: Keep what stood there as `NAME.bak`.
        follow: Replace the file that a symbolic link leads to, for files that their owner may have put elsewhere; else
            the link itself.

    Raises:
        StorageError: The disk refused; the old file stands and the temporary file is gone.
    """
    commit(Group(os.fsync, compare=False), [Save(path, data, None, keep_previous, follow)])


def write_loosely(path: Path, data: bytes, *, modified_ns: int | None = None) -> None:
    """Replace a copy of something: whole or not at all, but without waiting for the disk.

    Args:
        path: The file to replace or create, never through a link.
        data: Its whole new content.
        modified_ns: The time of change that it gets.

    Raises:
        StorageError: The disk refused; the old file stands and the temporary file is gone.
    """
    with disk.told(path):
        _replace(path, (data,), modified_ns=modified_ns, durable=False)


def replace_from_chunks(path: Path, chunks: Iterable[bytes]) -> int:
    """Replace a large file by the protocol of `write_atomic`, without holding it in memory; return its size in bytes.

    Whatever `chunks` raises passes through, and the old file stands: raise there when the content is not what it
    should be.

    Raises:
        StorageError: The disk refused; the old file stands and the temporary file is gone.
    """
    with disk.told(path):
        return _replace(path, chunks)


def copy_aside(path: Path, target: Path) -> None:
    """Copy a file, in place of what has the other name; the copy is there after a power cut.

    Raises:
        StorageError: The disk refused.
    """
    with disk.told(target):
        _replace(target, (path.read_bytes(),))


def move(path: Path, target: Path) -> None:
    """Give a file another name in its folder and wait until that is on disk; what has that name is replaced.

    Raises:
        StorageError: The disk refused.
    """
    with disk.told(target):
        path.replace(target)
        sync_dir(target.parent)


def remove(path: Path) -> None:
    """Delete a file and wait until that is on disk; a file that is not there is fine."""
    with disk.told(path):
        path.unlink(missing_ok=True)
        sync_dir(path.parent)


def is_orphan(temp: Path) -> bool:
    """Tell whether a temporary file's writer is gone: its name holds the number of that process."""
    number = temp.name.removeprefix(TEMP_PREFIX).partition("-")[0]
    if not number.isdigit():
        return False  # not one of Nola's names
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return int(number) == os.getpid()


# --- adding -----------------------------------------------------------------------------------------------------------
def append_bytes(path: Path, data: bytes) -> None:
    """Add bytes to the end of a file and wait until they are on disk.

    Raises:
        StorageError: The disk refused; a part that was written is cut off again.
    """
    _append(path, lambda tail: disk.write_all(tail.fd, data))


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file and wait until it is on disk; a line before it that was broken off is ended first.

    Raises:
        StorageError: The disk refused; a part that was written is cut off again.
    """
    _append(path, lambda tail: tail.add_line(line))


def append_chunks(path: Path, chunks: Iterable[bytes]) -> int:
    """Add a stream to the end of a file and wait until it is on disk; return the file's new size in bytes.

    What was written stays when `chunks` raises, so that a broken-off download can go on from there.

    Raises:
        StorageError: The disk refused.
    """
    with disk.told(path), disk.Tail(path) as tail:
        for chunk in chunks:
            disk.write_all(tail.fd, chunk)
        os.fsync(tail.fd)
        return os.fstat(tail.fd).st_size


def open_log(path: Path) -> int:
    """Open a file that lines are added to, never through a link, and end a line that was broken off; return it open.

    Raises:
        OSError: The disk refused.
    """
    tail = disk.Tail(path)
    if tail.is_torn():
        disk.write_all(tail.fd, b"\n")
    return tail.fd


# --- folders and locks ------------------------------------------------------------------------------------------------
def sync_dir(folder: Path) -> None:
    """Flush a folder's entries, which makes a rename in it durable."""
    fd = os.open(folder, disk.FOLDER)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_missing_dirs(path: Path) -> None:
    """Make a folder and its parents as far as they are missing, mode 0700; what is there stays as it is.

    Raises:
        StorageError: One could not be made.
    """
    with disk.told(path):
        for missing in reversed([p for p in (path, *path.parents) if not p.exists()]):
            missing.mkdir(disk.DIR, exist_ok=True)
            missing.chmod(disk.DIR)
            with contextlib.suppress(PermissionError):  # a folder above that may not be read
                sync_dir(missing.parent)


def make_private_dir(path: Path) -> Path:
    """Make a folder and its missing parents, mode 0700 whatever the umask, and close it to others; return it.

    Raises:
        StorageError: The folder could not be made, is a link, or belongs to another user.
    """
    with disk.told(path):
        if path.is_symlink():
            raise StorageError(str(path), "it is a link", fix="put the folder that it leads to in its place")
        make_missing_dirs(path)
        path.mkdir(exist_ok=True)
        info = path.stat()
        if info.st_uid != os.geteuid():
            raise OSError(errno.EPERM, disk.FOREIGN)
        if info.st_mode & disk.OTHERS:
            path.chmod(stat.S_IMODE(info.st_mode) & ~disk.OTHERS)
    return path


@contextlib.contextmanager
def locked(path: Path, *, timeout_s: float = 5.0) -> Iterator[None]:
    """Hold the lock file `path` (0600, never deleted, never a link) against other processes and threads.

    Raises:
        ConflictError: Somebody else held it for longer than `timeout_s` seconds.
        StorageError: It can't be made, or is no regular file of one's own.
    """
    lock = FileLock(path, mode=disk.FILE, is_singleton=True)
    with disk.told(path):
        with contextlib.suppress(FileNotFoundError):
            disk.part(path)
            if disk.checked(path.lstat()).st_mode & disk.OTHERS:
                path.chmod(disk.FILE)
        try:
            lock.acquire(timeout=timeout_s)
        except Timeout:
            why = f"another process has held {path.name} for {timeout_s:g} s"
            raise ConflictError(why, fix="try again, or stop that process") from None
    try:
        yield
    finally:
        # What was done under the lock is done; a lock that can't be given back ends with the process.
        with contextlib.suppress(OSError):
            lock.release()


def _append(path: Path, add: Callable[[disk.Tail], object]) -> None:
    with disk.told(path), disk.Tail(path) as tail:
        try:
            add(tail)
            os.fsync(tail.fd)
            if tail.is_new:
                sync_dir(path.parent)
        except OSError:
            tail.cut()
            raise


def _replace(path: Path, chunks: Iterable[bytes], *, modified_ns: int | None = None, durable: bool = True) -> int:
    temp = path.with_name(disk.temp_name())
    try:
        fd = os.open(temp, disk.NEW, disk.FILE)
        try:
            size = disk.fill(fd, chunks).st_size
            if modified_ns is not None:
                os.utime(fd, ns=(modified_ns, modified_ns))
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        temp.replace(path)
        if durable:
            sync_dir(path.parent)
    finally:
        with contextlib.suppress(OSError):
            temp.unlink()
    return size
