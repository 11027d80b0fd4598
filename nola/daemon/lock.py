"""The instance lock: at most one daemon serves a state folder, and everybody can see which process that is."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson
from filelock import FileLock, Timeout

from nola.daemon.processes import lives
from nola.errors import ConflictError, NolaError, StorageError
from nola.files import part

if TYPE_CHECKING:
    from pathlib import Path

    from nola.clock import Clock

__all__ = ["LOCK_NAME", "Holder", "InstanceLock", "holder"]

LOCK_NAME = ".instance"
"""The lock's file in the state folder; it stays when the lock is free."""

_PRIVATE_FILE = 0o600
_MOST_TEXT = 4096
_GRACE_S = 0.3
_ASKS = 10
_PAUSE_S = 0.02
_LOCKLESS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock, as its file says.

    Attributes:
        pid: The process; 0 when the file does not tell.
        command: What it was started as.
        since: When it took the lock, or None when the file does not tell.
    """

    pid: int
    command: str
    since: datetime | None


class InstanceLock:
    """The right to be the one daemon of a state folder; the kernel takes it back however the process ends.

    Args:
        state_dir: The state folder.
        clock: Dates the lock.
        command: What the holder is called to others.
    """

    def __init__(self, state_dir: Path, *, clock: Clock, command: str = "nola daemon run") -> None:
        self._folder = state_dir
        self._path = state_dir / LOCK_NAME
        self._clock = clock
        self._command = command
        self._lock: FileLock | None = None
        self._identity: tuple[int, int] | None = None
        self._pid = 0

    def acquire(self) -> None:
        """Take the lock, or what became of it when its file was replaced.

        Raises:
            ConflictError: Another process holds it.
            StorageError: The folder takes no lock file now: it is gone, full, or can only be read.
            NolaError: The lock file is not ours to use, or the file system has no locks.
        """
        self.release()
        if not self._folder.is_dir():  # filelock would make it
            raise StorageError(str(self._path), "the folder is not there")
        lock = FileLock(
            self._path,
            mode=_PRIVATE_FILE,
            thread_local=False,
            preserve_lock_file=True,
            fallback_to_soft=False,
            poll_interval=_PAUSE_S,
            on_acquired=self._sign,
        )
        try:
            with contextlib.suppress(FileNotFoundError):
                part(self._path)
            lock.acquire(timeout=_GRACE_S)  # whoever asks who holds it holds it for a moment
        except Timeout:
            raise _taken(holder(self._folder)) from None
        except OSError as error:
            if by := holder(self._folder):  # where nothing can be written any more
                raise _taken(by) from error
            raise _refused(self._path, error) from error
        self._lock = lock
        self._pid = os.getpid()

    def still_ours(self) -> bool:
        """Tell whether this process holds the lock of the file that stands there now."""
        if self._identity is None or self._pid != os.getpid():
            return False
        try:
            found = self._path.lstat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._identity

    def release(self) -> None:
        """Free the lock; a forked child, whose lock it is not, frees nothing."""
        lock, self._lock, self._identity = self._lock, None, None
        if lock is not None and self._pid == os.getpid():
            lock.release()

    def _sign(self, fd: int) -> None:
        """Write into the locked file who holds it; that it can't be told is no reason not to hold it."""
        info = os.fstat(fd)
        if info.st_uid != os.geteuid():
            raise NolaError(f"{self._path} belongs to somebody else", fix=f"look at who made it: ls -l {self._path}")
        self._identity = (info.st_dev, info.st_ino)
        since = self._clock.now().isoformat(timespec="seconds")
        text = orjson.dumps({"pid": os.getpid(), "command": self._command, "since": since}) + b"\n"
        with contextlib.suppress(OSError):
            os.fchmod(fd, _PRIVATE_FILE)
            os.pwrite(fd, text, 0)
            os.ftruncate(fd, len(text))


def holder(state_dir: Path) -> Holder | None:
    """Return who holds a folder's instance lock; None when it is free, whatever its file still says."""
    told: Holder | None = None
    for _ in range(_ASKS):
        text = _held_text(state_dir / LOCK_NAME)
        if text is None:
            return None
        told = _parsed(text)
        if told is not None and lives(told.pid):
            return told
        threading.Event().wait(_PAUSE_S)  # the new holder has yet to write itself in
    return told if told is not None and lives(told.pid) else Holder(0, "", None)


def _held_text(path: Path) -> bytes | None:
    """Return what a locked file says, or None when nobody holds it."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(fd, _MOST_TEXT, 0)
    except OSError:
        return None
    else:
        return None
    finally:
        os.close(fd)


def _parsed(text: bytes) -> Holder | None:
    try:
        told = orjson.loads(text.partition(b"\n")[0])
        return Holder(int(told["pid"]), str(told["command"]), datetime.fromisoformat(told["since"]).astimezone(UTC))
    except (ValueError, TypeError, KeyError, OverflowError):
        return None


def _taken(by: Holder | None) -> ConflictError:
    if by is None or by.since is None:
        who = f"another process holds {LOCK_NAME} in the state folder"
    else:
        who = f"process {by.pid}, `{by.command}`, since {by.since.astimezone():%Y-%m-%d %H:%M:%S}"
    return ConflictError(f"Nola's daemon already runs here: {who}", fix="see it with: nola daemon status")


def _refused(path: Path, error: OSError) -> NolaError:
    if error.errno == errno.ELOOP:
        return NolaError(f"{path} is a symbolic link, which a lock never follows", fix=f"remove it: rm {path}")
    if error.errno in _LOCKLESS:
        return NolaError(
            f"the file system of {path.parent} has no locks", fix="move NOLA_HOME to a disk of this machine"
        )
    return StorageError(str(path), error.strerror or str(error))
