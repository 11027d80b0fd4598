"""The system calls of the write protocol: private files, renames that nobody can slip between, flushes side by side."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import os
import stat
from typing import TYPE_CHECKING, Any, TypeAlias

from nola.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor
    from pathlib import Path
    from typing import Self

__all__ = [
    "CHUNK",
    "DIR",
    "FILE",
    "FOLDER",
    "FOREIGN",
    "LOOK",
    "NEW",
    "OTHERS",
    "TEMP_PREFIX",
    "Stamp",
    "Tail",
    "checked",
    "chunks_of",
    "content",
    "copy_aside",
    "defect",
    "exchange",
    "fill",
    "flush_all",
    "holds",
    "inode",
    "part",
    "place",
    "place_by_link",
    "rename",
    "stamp",
    "temp_name",
    "told",
    "write_all",
]

Stamp: TypeAlias = tuple[int, int, int]

TEMP_PREFIX = ".nola-"
FOREIGN = "it belongs to another user"
FILE, DIR, OTHERS = 0o600, 0o700, 0o077
LOOK = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC  # writes: temporary files, for files.py
_ADD = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # writes: logs, for files.py
_MAKE = os.O_CREAT  # writes: logs, for files.py
_NOREPLACE, _EXCHANGE = 1, 2
_LONGEST_NAME = 200
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_NO_LINKS = {*_UNSUPPORTED, errno.EPERM, errno.EMLINK}
CHUNK = 65536
_FLUSHERS = 4


# --- looking ----------------------------------------------------------------------------------------------------------
def stamp(info: os.stat_result) -> Stamp:
    """Return a file's time of change in nanoseconds, size and inode."""
    return info.st_mtime_ns, info.st_size, info.st_ino


def defect(info: os.stat_result, owners: Iterable[int]) -> str:
    """Say why this is no regular file of one of these users; nothing when it is."""
    if stat.S_ISREG(info.st_mode):
        return "" if info.st_uid in owners else FOREIGN
    if stat.S_ISDIR(info.st_mode):
        return os.strerror(errno.EISDIR)
    return "it is a link" if stat.S_ISLNK(info.st_mode) else "it is no regular file"


def checked(info: os.stat_result) -> os.stat_result:
    """Return what is a regular file of one's own.

    Raises:
        OSError: It is something else, or somebody else's.
    """
    why = defect(info, (os.geteuid(),))
    if why:
        raise OSError(errno.EPERM, why)
    return info


def inode(folder: int, name: str) -> int | None:
    """Return the number of the file that a name in an open folder leads to; None for nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return None


def chunks_of(fd: int) -> Iterator[bytes]:
    """Read a descriptor to its end."""
    while chunk := os.read(fd, CHUNK):
        yield chunk


def holds(folder: int, name: str, expect: bytes) -> bool:
    """Say whether a regular file in an open folder has exactly this content."""
    try:
        fd = os.open(name, LOOK | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        return False
    try:
        info, size, at = os.fstat(fd), len(expect), 0
        if info.st_size != size or not stat.S_ISREG(info.st_mode):
            return False
        while chunk := os.read(fd, min(CHUNK, size - at + 1)):  # one byte more: it may have grown
            if not expect.startswith(chunk, at):
                return False
            at += len(chunk)
        return at == size
    finally:
        os.close(fd)


def content(folder: int, name: str) -> bytes | None:
    """Return what stands in an open folder under a name; None for nothing, and for what can't be read."""
    try:
        fd = os.open(name, LOOK | os.O_NOFOLLOW, dir_fd=folder)
    except OSError:
        return None
    try:
        return b"".join(chunks_of(fd))
    except OSError:
        return None
    finally:
        os.close(fd)


# --- writing ----------------------------------------------------------------------------------------------------------
def temp_name(target: str = "") -> str:
    """Make the name of a temporary file; it tells who writes it, and where that fits what it is to become."""
    start = f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    named = f"{start}-{target}.tmp"
    return named if target and len(os.fsencode(named)) <= _LONGEST_NAME else f"{start}.tmp"


def write_all(fd: int, data: bytes) -> int:
    """Write until everything is written: a full disk takes a part without saying so. Return how much that was."""
    written = os.write(fd, data)
    if written < len(data):
        view = memoryview(data)[written:]
        while view:
            view = view[os.write(fd, view) :]
    return len(data)


def fill(fd: int, chunks: Iterable[bytes]) -> os.stat_result:
    """Write a new file, 0600 whatever the umask, and return what the file system says of it.

    Raises:
        OSError: The disk refused, or took only a part.
    """
    size = 0
    for chunk in chunks:
        size += write_all(fd, chunk)
    info = os.fstat(fd)
    if info.st_size != size:
        raise OSError(errno.EIO, "the disk took only a part of the file")
    if stat.S_IMODE(info.st_mode) != FILE:
        os.fchmod(fd, FILE)
    return info


class Tail:
    """A file that is added to, never through a link, and that can be cut back to its old length.

    A second name of the file, as programs that make backups give it, keeps the old content: what is added to is a copy.
    """

    def __init__(self, path: Path) -> None:
        try:
            self.fd, self.is_new = os.open(path, _ADD), False
        except FileNotFoundError:
            self.fd, self.is_new = os.open(path, _ADD | _MAKE, FILE), True
        self.path = path
        try:
            info = checked(os.fstat(self.fd))
            if info.st_nlink > 1:
                info = self._part()
            if self.is_new or info.st_mode & OTHERS:
                os.fchmod(self.fd, FILE)
        except OSError:
            os.close(self.fd)
            raise
        self.size = info.st_size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def is_torn(self) -> bool:
        """Say whether the last line was broken off."""
        return self.size > 0 and os.pread(self.fd, 1, self.size - 1) != b"\n"

    def add_line(self, line: bytes) -> None:
        """Add a line; one before it that was broken off is ended first."""
        write_all(self.fd, b"\n" + line if self.is_torn() else line)

    def cut(self) -> None:
        """Take back what was added."""
        os.ftruncate(self.fd, self.size)
        if self.is_new:
            self.path.unlink()

    def _part(self) -> os.stat_result:
        temp = self.path.with_name(temp_name())
        try:
            fd = os.open(temp, NEW, FILE)
            try:
                fill(fd, chunks_of(self.fd))
                os.fsync(fd)
            finally:
                os.close(fd)
            temp.replace(self.path)  # writes: for files.py
        finally:
            temp.unlink(missing_ok=True)
        fd = os.open(self.path, _ADD)
        os.close(self.fd)
        self.fd = fd
        return checked(os.fstat(fd))


def part(lock: Path) -> None:
    """Take a free lock file's name away from a file that has other names too: locking would empty it and sign in it.

    Raises:
        FileNotFoundError: Nothing has this name.
        OSError: It is a link, or can't be looked at.
    """
    if lock.lstat().st_nlink == 1:
        return
    fd = os.open(lock, LOOK | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_nlink > 1:
            lock.unlink()
    except BlockingIOError:
        return  # it is held, so it holds what a lock file holds
    finally:
        os.close(fd)


# --- renaming ---------------------------------------------------------------------------------------------------------
def rename(folder: int, source: str, target: str) -> None:
    """Rename within an open folder; what stood at the target is gone."""
    os.rename(source, target, src_dir_fd=folder, dst_dir_fd=folder)  # writes: for files.py


def exchange(folder: int, one: str, other: str) -> bool:
    """Let two files in an open folder swap names in one moment; return False where that can't be done."""
    return _renameat2(folder, one, other, _EXCHANGE)


def place(folder: int, source: str, target: str) -> None:
    """Rename within an open folder to a name that is free.

    Raises:
        FileExistsError: It is not free.
    """
    if not _renameat2(folder, source, target, _NOREPLACE):
        place_by_link(folder, source, target)


def place_by_link(folder: int, source: str, target: str) -> None:
    """Do what `place` does where a rename replaces whatever stands there; without hard links, look first."""
    try:
        os.link(source, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)  # writes: for files.py
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if inode(folder, target) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        rename(folder, source, target)
    else:
        os.unlink(source, dir_fd=folder)


def copy_aside(folder: int, name: str, aside: str) -> None:
    """Give a file a second name; where there are no hard links, copy it."""
    try:
        os.link(name, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)  # writes: for files.py
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        fd = os.open(aside, NEW, FILE, dir_fd=folder)
        try:
            fill(fd, (content(folder, name) or b"",))
            os.fsync(fd)
        finally:
            os.close(fd)


@functools.cache
def _libc() -> Any:
    import ctypes  # noqa: PLC0415 -- keeps start-up fast

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.renameat2.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    except (OSError, AttributeError):
        return None
    return libc.renameat2, ctypes.get_errno


def _renameat2(folder: int, source: str, target: str, flag: int) -> bool:
    libc = _libc()
    if libc is None:
        return False
    call, get_errno = libc
    if call(folder, os.fsencode(source), folder, os.fsencode(target), flag) == 0:
        return True
    number = get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number))


# --- flushing ---------------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Tell of a disk that refuses by a StorageError that names a path."""
    try:
        yield
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def flush_all(flush: Callable[[int], object], opened: Sequence[tuple[int, Path]]) -> None:
    """Flush open files side by side and wait for all of them.

    Raises:
        StorageError: One could not be flushed; none is tried again, because the next try would claim to have worked.
    """
    others = [_start(flush, fd, path) for fd, path in opened[1:]]
    try:
        if opened:
            _flush(flush, *opened[0])
    finally:  # a descriptor may not be closed while it is flushed
        failures = [other.exception() for other in others]
    for failure in failures:
        if failure:
            raise failure


def _flush(flush: Callable[[int], object], fd: int, path: Path) -> None:
    try:
        flush(fd)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def _start(flush: Callable[[int], object], fd: int, path: Path) -> Future[None]:
    try:
        return _threads(os.getpid()).submit(_flush, flush, fd, path)
    except RuntimeError:  # the process is ending, or may have no more threads
        from concurrent.futures import Future  # noqa: PLC0415 -- keeps start-up fast

        done: Future[None] = Future()
        try:
            _flush(flush, fd, path)
            done.set_result(None)
        except StorageError as error:
            done.set_exception(error)
        return done


@functools.cache
def _threads(process: int) -> ThreadPoolExecutor:
    """Return the threads that wait for the disk; a forked process has none of its parent's, so it gets its own."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 -- keeps start-up fast

    del process
    return ThreadPoolExecutor(_FLUSHERS, thread_name_prefix="nola-flush")
