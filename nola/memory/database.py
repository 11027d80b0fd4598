"""The one way into the SQLite file: a single writer that commits for everybody at once, and readers beside it."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from nola.errors import UsageError
from nola.memory import schema
from nola.memory.connections import Connections
from nola.memory.ids import IdMaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor
    from datetime import datetime

    from nola.clock import Clock

__all__ = ["Database", "file_at"]

_T = TypeVar("_T")

_MOST_JOBS = 256
_GATHER_S = 0.0005


def file_at(given: object) -> Path:
    """Return where a file lies that was named by anybody, also when the process later works in another folder.

    Raises:
        UsageError: It is no path of a file.
    """
    if not isinstance(given, (str, os.PathLike)) or not isinstance(os.fspath(given), str):
        raise UsageError(f"path is a text or a Path, not {type(given).__name__}")
    text = os.fspath(given)
    if text == ":memory:":
        raise UsageError("a memory is kept in a file", fix="give the path of one; in a temporary folder if it may go")
    try:
        place = Path(text).expanduser().absolute()
        os.fsencode(place)
        if text.strip() and "\0" not in text and not place.is_dir():
            return place
    except (OSError, RuntimeError, ValueError):  # no such user, no such name
        pass
    raise UsageError(f"{text!r:.200} is no path of a file")


class Database:
    """One database file, from any thread.

    Whatever writes does so on one thread, over one connection: the jobs that wait are carried out in one transaction
    and acknowledged together after its one flush (group commit). Readers have connections of their own, which can't
    write, and see the file as it stood when they began. All connections are closed around a fork and opened again by
    whoever needs them, since SQLite's locks do not survive in a forked child; and when another file was put in the
    place of this one, or its tables were changed by another Nola.

    Args:
        path: The SQLite file; it is made by the first writing, never by reading.
        clock: Tells the time to those who share the database.

    Attributes:
        path: The SQLite file.
        clock: Tells the time.
    """

    def __init__(self, path: Path, *, clock: Clock) -> None:
        self.path = path
        self.clock = clock
        self._connections = Connections(path)
        self._queue = threading.Condition(threading.RLock())  # guards everything below
        self._jobs: deque[_Job] = deque()
        self._ids = IdMaker()
        self._at_work = False
        self._worker = 0
        self._thread: ThreadPoolExecutor | None = None
        _close_around_forks(self)

    def write(self, job: Callable[[apsw.Connection], _T]) -> _T:
        """Carry out a job in a transaction and return what it returned; then it survives a power cut.

        Args:
            job: Gets the writer's connection, inside a transaction, and changes nothing but the database, for it may
                be carried out again. When it raises, nothing of it is kept, and the jobs beside it are not harmed.

        Raises:
            StorageError: The disk refused; nothing was stored.
            ConflictError: Another process held the file for too long.
            NolaError: The file is damaged or of a newer Nola; it was left as it is.
        """
        if threading.get_ident() == self._worker:
            raise RuntimeError("a job can't wait for another job: it has the connection already")
        return self.submit(job).result()

    def submit(self, job: Callable[[apsw.Connection], _T]) -> Future[_T]:
        """Hand in a job as `write` does, and return at once what will hold its outcome."""
        from concurrent.futures import Future  # noqa: PLC0415 -- keeps start-up fast

        outcome: Future[_T] = Future()
        with self._queue:
            self._jobs.append(_Job(job, outcome))
            begin, self._at_work = not self._at_work, True
            self._queue.notify_all()
        if begin:
            try:
                self._pool().submit(self._work)
            except RuntimeError:  # the process is ending and starts no thread any more
                self._work()
        return outcome

    @contextlib.contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Lend a connection that can't write and sees the file as it stands now; an empty one when there is no file.

        Raises:
            StorageError: The file can't be opened.
            ConflictError: Another process held the file for too long.
            NolaError: The file is damaged or of a newer Nola.
        """
        with schema.explained(self.path), self._connections.reader() as connection:
            yield connection

    def new_id(self, at: datetime | None = None) -> str:
        """Make an id that is greater than every earlier one made here.

        Args:
            at: The instant that it tells; None for now.
        """
        with self._queue:
            return self._ids.make(at or self.clock.now())

    def check(self) -> list[str]:
        """Look the whole file over and change nothing; return what is wrong, nothing for a file that is not there.

        Raises:
            NolaError: It can't be opened.
        """
        with schema.explained(self.path), self._connections.writing:
            self._connections.notice_replacement()
            if not schema.exists(self.path):
                return []
            with contextlib.closing(schema.connect(self.path)) as connection:
                answers = [str(message) for (message,) in connection.execute("PRAGMA quick_check")]
        return [] if answers == ["ok"] else answers

    def close(self) -> None:
        """Finish what was handed in and close the file; the next use opens it again."""
        with self._queue:
            thread, self._thread = self._thread, None
        if thread:
            thread.shutdown()
        self._connections.close()

    def _pool(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 -- keeps start-up fast

        with self._queue:
            if not self._thread:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="nola-memory-writer")
            return self._thread

    def _work(self) -> None:
        self._worker = threading.get_ident()
        before = 0
        while jobs := self._next_jobs(before):
            before = len(jobs)
            with self._connections.writing:
                outcomes = self._carried_out(jobs)
            for job, outcome in zip(jobs, outcomes, strict=True):
                job.tell(outcome)

    def _next_jobs(self, before: int) -> list[_Job]:
        """Take what waits; those who were acknowledged together a moment ago get a moment to come back."""
        with self._queue:
            if before > 1:
                self._queue.wait_for(lambda: len(self._jobs) >= before, _GATHER_S)
            jobs: list[_Job] = []
            while self._jobs and len(jobs) < _MOST_JOBS:
                job = self._jobs.popleft()
                if job.outcome.set_running_or_notify_cancel():
                    jobs.append(job)
            if not jobs:
                self._at_work, self._worker = False, 0
            return jobs

    def _carried_out(self, jobs: Sequence[_Job]) -> list[_Outcome]:
        """Carry jobs out in one transaction; when one of them fails, each in one of its own."""
        try:
            with schema.explained(self.path):
                try:
                    return [_Outcome(value) for value in self._together(jobs)]
                except _FailedError as failed:
                    if len(jobs) == 1:
                        raise failed.why from None
                except apsw.FullError:  # one of them may be what the disk has no room for
                    if len(jobs) == 1:
                        raise
        except BaseException as error:  # noqa: BLE001 -- those who wait are told, whatever it is
            return [_Outcome(error=error) for _ in jobs]
        return [outcome for job in jobs for outcome in self._carried_out([job])]

    def _together(self, jobs: Sequence[_Job]) -> list[Any]:
        while True:
            connection = self._connections.writer()
            with schema.transaction(connection):
                if schema.is_current(connection):
                    return [job.done(connection) for job in jobs]
            self._connections.close()  # opening again brings the tables to our version, or refuses a newer one

    def _hold_for_fork(self) -> None:
        self._connections.hold()
        self._queue.acquire()

    def _go_on(self, *, forked: bool) -> None:
        if forked:  # the writer's thread and those who wait for it are the parent's
            self._thread, self._at_work, self._worker = None, False, 0
            self._jobs.clear()
        with contextlib.suppress(RuntimeError):  # this was made while another thread forked
            self._queue.release()
        self._connections.go_on(forked=forked)


@dataclass(frozen=True, slots=True)
class _Outcome:
    value: Any = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[apsw.Connection], Any]
    outcome: Future[Any]

    def done(self, connection: apsw.Connection) -> Any:
        """Do the work.

        Raises:
            _FailedError: It raised something.
        """
        try:
            return self.work(connection)
        except BaseException as error:  # raised again for its caller alone
            raise _FailedError(error) from error

    def tell(self, outcome: _Outcome) -> None:
        """Acknowledge the job to whoever waits for it."""
        if outcome.error:
            self.outcome.set_exception(outcome.error)
        else:
            self.outcome.set_result(outcome.value)


class _FailedError(Exception):
    """A job raised something."""

    def __init__(self, why: BaseException) -> None:
        super().__init__(str(why))
        self.why = why


def _close_around_forks(database: Database) -> None:
    weak = weakref.ref(database)

    def before() -> None:
        if held := weak():
            held._hold_for_fork()  # noqa: SLF001 -- part of the class

    def after(*, forked: bool) -> None:
        if held := weak():
            held._go_on(forked=forked)  # noqa: SLF001

    os.register_at_fork(
        before=before, after_in_parent=partial(after, forked=False), after_in_child=partial(after, forked=True)
    )
