"""The service: everything that runs while Nola's daemon does, started in order and stopped in reverse."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from nola.daemon.bugs import describe_bug
from nola.daemon.lock import InstanceLock
from nola.daemon.log import Log
from nola.daemon.schedule import Job, Scheduler
from nola.daemon.status import run_dir, unwritable, write_status
from nola.daemon.supervise import Mode, Supervisor
from nola.daemon.watch import Watcher
from nola.errors import ConflictError, NolaError, StorageError
from nola.files import make_private_dir
from nola.keeping import problem_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from types import TracebackType

    from nola.clock import Clock
    from nola.config import Config
    from nola.flow import Seen
    from nola.port import Finding

__all__ = ["Backed", "Backups", "Noticing", "Ready", "Retrying", "Served", "Service"]

_CHECK_S = 1.0
_BACKUP_EVERY_S = 600.0
_BACKUP_FIRST_S = 30.0
_RETRY_EVERY_S = 2.0
_RETRY_SLOWEST_S = 8.0
_WAITS_FOR_OTHER = 60
_WAIT_S = 0.1


class Served(Protocol):
    """What the service keeps alive: an agent."""

    @property
    def config(self) -> Config:
        """Where everything lies, and every setting."""

    def look(self) -> Seen:
        """Look at the state's files and take the owner's edits in; the first look recovers what a crash has left."""


@runtime_checkable
class Retrying(Protocol):
    """An agent that keeps changes which the disk has not taken yet."""

    def retry_pending(self) -> object:
        """Try to write them again."""


class Backups(Protocol):
    """The backups, as far as the service needs them."""

    def run_due(self) -> object:
        """Make the backup of today, unless there is one."""


@runtime_checkable
class Backed(Protocol):
    """An agent that has backups."""

    @property
    def backups(self) -> Backups:
        """Its backups."""


@runtime_checkable
class Noticing(Protocol):
    """An agent that may have something to tell of its start."""

    @property
    def notices(self) -> Iterable[Finding]:
        """What its owner should be told."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A service that is ready.

    Attributes:
        pid: Its process.
        watching: The state folder.
        mode: How much it does.
        read_only: Why nothing can be written; empty when it can.
    """

    pid: int
    watching: Path
    mode: Mode
    read_only: str


class Service:
    """Keeps one agent's state watched, backed up and written; as a context manager it is stopped at the end.

    Order: instance lock, recovery, watcher, scheduler. In safe mode nothing is scheduled but the writing of changes
    that the disk did not take.

    Args:
        agent: What is kept alive.
        clock: Tells the time.
        normal: Forget earlier crashes.
        check: Says why a folder takes no writes, or an empty string.
    """

    def __init__(
        self, agent: Served, *, clock: Clock, normal: bool = False, check: Callable[[Path], str] = unwritable
    ) -> None:
        self._agent = agent
        self._config = config = agent.config
        self._clock = clock
        self._normal = normal
        self._unwritable = check
        self._log = Log(config.home / "logs", config.settings.daemon, clock=clock)
        self._lock = InstanceLock(config.state_dir, clock=clock)
        self._supervisor = Supervisor(run_dir(config), config.settings.daemon)
        self._mode = Mode.NORMAL
        self._problems: tuple[str, ...] = ()
        self._read_only = ""
        self._watcher: Watcher | None = None
        self._shared: tuple[str, tuple[str, ...]] | None = None
        self._sharing = threading.Lock()
        self._reasons: queue.SimpleQueue[str] = queue.SimpleQueue()  # its put is safe in a signal handler
        self._started = ExitStack()

    def start(self) -> Ready:
        """Start everything, in order; what did start is stopped again when something does not.

        Raises:
            ConflictError: Another daemon runs here.
            NolaError: This folder can't be served at all.
        """
        with ExitStack() as started:
            started.callback(self._log.close)
            self._hold(started)
            self._mode = self._supervisor.enter(self._clock, normal=self._normal)
            started.push(self._leave)
            self._log.info("daemon.starting", pid=os.getpid(), mode=self._mode)
            self._recover()
            self._watch(started)
            self._schedule(started)
            self.check()
            self._log.info("daemon.ready", pid=os.getpid(), mode=self._mode, watching=str(self._config.state_dir))
            self._started = started.pop_all()
        return Ready(os.getpid(), self._config.state_dir, self._mode, self._read_only)

    def wait(self) -> str:
        """Serve until told to stop; return why it is to stop.

        Raises:
            ConflictError: Another daemon took this one's place, because the lock file was removed.
        """
        while True:
            try:
                reason = self._reasons.get(timeout=_CHECK_S)
            except queue.Empty:
                self.check()
            else:
                self._log.info("daemon.stopping", why=reason)
                return reason

    def ask_to_stop(self, reason: str) -> None:
        """End `wait`; may be called from a signal handler."""
        self._reasons.put(reason)

    def check(self) -> None:
        """See that the lock is still ours and the disk takes writes; `wait` does so every second.

        Raises:
            ConflictError: Another daemon took this one's place.
        """
        why = self._unwritable(self._config.state_dir)
        if not self._lock.still_ours():
            why = self._retake() or why
        if why != self._read_only:
            self._read_only = why
            if why:
                self._log.warning("disk.read_only", why=why)
            else:
                self._log.info("disk.writable")
        self._share()

    def stop(self) -> None:
        """Stop everything, the last started first."""
        self._started.close()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop; what ended it with an error that nobody foresaw stays noted as a crash."""
        self._started.__exit__(kind, error, trace)

    def _hold(self, started: ExitStack) -> None:
        try:
            make_private_dir(self._config.state_dir)
            self._lock.acquire()
        except StorageError as error:  # a folder that takes no writes takes no lock file either
            self._log.warning("lock.not_taken", why=str(error))
        started.callback(self._lock.release)
        # Whoever lost the lock because its file was removed notices within a second, and leaves.
        other = self._supervisor.predecessor()
        if other is not None:
            self._log.info("daemon.waiting", other=other)
        for _ in range(_WAITS_FOR_OTHER):
            if self._supervisor.predecessor() is None:
                break
            threading.Event().wait(_WAIT_S)

    def _retake(self) -> str:
        """Take the lock where it stands now; return why that can't be: then nobody else can take it there either."""
        try:
            self._lock.acquire()
        except StorageError as error:
            return str(error)
        except ConflictError as error:
            raise ConflictError(
                "this daemon stops: its lock file was removed, and another daemon has taken its place",
                fix="see it with: nola daemon status",
            ) from error
        self._log.warning("lock.taken", why="the lock file or its folder was not there, or another one")
        return ""

    def _leave(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        if error is None or isinstance(error, NolaError | KeyboardInterrupt | SystemExit):
            self._supervisor.leave_clean()
            self._log.info("daemon.stopped", why="" if error is None else str(error))
        else:
            self._log.error("daemon.crashed", error=describe_bug(error))

    def _recover(self) -> None:
        for notice in self._agent.notices if isinstance(self._agent, Noticing) else ():
            self._log.warning(notice.id, why=notice.message, fix=notice.fix)
        try:
            changed = self._agent.look().changed
        except StorageError as error:
            self._log.warning("state.not_recovered", why=str(error))
        else:
            self._note_changes(changed)

    def _watch(self, started: ExitStack) -> None:
        self._watcher = Watcher(
            self._config.state_dir,
            self._agent.look,
            settings=self._config.settings.state,
            clock=self._clock,
            told=self._saw,
            degraded=self._degraded,
        )
        started.callback(self._watcher.stop)
        self._watcher.start()

    def _schedule(self, started: ExitStack) -> None:
        jobs = []
        if isinstance(self._agent, Retrying):
            jobs.append(Job("pending writes", _RETRY_EVERY_S, self._agent.retry_pending, slowest_s=_RETRY_SLOWEST_S))
        wanted = self._mode is Mode.NORMAL and self._config.settings.backup.scheduled
        if wanted and isinstance(self._agent, Backed):
            backup = self._agent.backups.run_due
            jobs.append(Job("backup", _BACKUP_EVERY_S, backup, first_s=_BACKUP_FIRST_S))
        scheduler = Scheduler(jobs, clock=self._clock, failed=self._job_failed)
        started.callback(scheduler.stop)
        scheduler.start()

    def _saw(self, seen: Seen) -> None:
        self._note_changes(seen.changed)
        problems = tuple(problem_sentence(problem) for problem in seen.problems)
        if problems != self._problems:
            if problems:
                self._log.warning("state.problems", problems=list(problems))
            else:
                self._log.info("state.mended")
            self._problems = problems
            self._share()

    def _note_changes(self, modules: tuple[str, ...]) -> None:
        if modules:
            self._log.info("state.changed", modules=list(modules))

    def _degraded(self, why: str) -> None:
        self._log.warning("watch.degraded", why=why)
        self._share()

    def _job_failed(self, name: str, why: str) -> None:
        self._log.warning("job.failed", job=name, why=why)

    def _share(self) -> None:
        """Keep the status for other processes, when it is another than before."""
        with self._sharing:
            trouble = self._watcher.trouble if self._watcher else ""
            problems = (*self._problems, trouble) if trouble else self._problems
            if self._shared != (self._read_only, problems):
                self._shared = (self._read_only, problems)
                write_status(run_dir(self._config), mode=self._mode, read_only=self._read_only, problems=problems)
