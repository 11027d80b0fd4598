"""The connections to the SQLite file: one that writes, a few that read; closed when the file or the process changes."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from nola.memory import schema

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Connections"]

_IDLE_READERS = 4
_PATIENCE_S = 5.0


class Connections:
    """The connections of one process to one file, from any thread.

    The file is opened on first use and never made by reading.

    Args:
        path: The SQLite file.

    Attributes:
        writing: Held by whoever uses the writer's connection.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.writing = threading.RLock()  # always taken before the gate
        self._gate = threading.Condition(threading.RLock())  # guards everything below
        self._writer: apsw.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self._generation = 0
        self._idle: list[_Reader] = []
        self._lent: Counter[int] = Counter()
        self._shut = False

    def writer(self) -> apsw.Connection:
        """Return the writer's connection to the file that stands there now; whoever asks holds `writing`."""
        with self._gate:
            self.notice_replacement()
            if not self._writer:
                self._writer = schema.open_ready(self._path)
                self._opened = schema.identity(self._path)
            return self._writer

    @contextlib.contextmanager
    def reader(self) -> Iterator[apsw.Connection]:
        """Lend a connection that can't write and sees the file as it stands now; an empty one when there is no file."""
        lent = self._lend()
        if not lent:
            with contextlib.closing(_empty()) as connection:
                yield connection
            return
        try:
            yield lent.connection
        finally:
            self._take_back(lent)

    def notice_replacement(self) -> None:
        """Empty the log of a file that the owner deleted or replaced, lest SQLite apply it to the new one.

        Raises:
            apsw.BusyError: Somebody still reads the old file; nothing was closed.
        """
        with self._gate:
            if self._writer and self._opened != schema.identity(self._path):
                with self._closed_to_others():
                    try:
                        self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                    except apsw.BusyError:
                        raise
                    except apsw.Error:  # the old file's disk failed, and nothing of it is wanted any more
                        pass
                    self._disconnect()

    def close(self) -> None:
        """Close all connections, once nobody writes or reads; the next use opens the file again."""
        with self.writing, self._closed_to_others():
            self._disconnect()

    def hold(self) -> None:
        """Close everything and let nobody open anything until `go_on`: the process is about to fork."""
        self.writing.acquire()
        self._gate.acquire()
        with self._closed_to_others():
            self._disconnect()

    def go_on(self, *, forked: bool) -> None:
        """Let connections be opened again.

        Args:
            forked: This is the child, in which nobody reads yet.
        """
        if forked:
            self._lent.clear()
        with contextlib.suppress(RuntimeError):  # this was made while another thread forked
            self._gate.release()
            self.writing.release()

    def _lend(self) -> _Reader | None:
        """Return a connection inside a fresh snapshot, or nothing when there is no file."""
        while reader := self._free_reader():
            try:
                reader.connection.execute("BEGIN")
                if schema.is_current(reader.connection) or reader.connection.readonly("main"):
                    return reader
            except BaseException:  # whatever it is, Ctrl-C too, the connection goes back
                self._take_back(reader)
                raise
            self._take_back(reader)
            self.close()  # opening again brings the tables to our version, or refuses a newer one
        return None

    def _free_reader(self) -> _Reader | None:
        me = threading.get_ident()
        while self._is_open() or self._open_if_there():
            with self._gate:
                self._gate.wait_for(lambda: not self._shut or me in self._lent)
                if self._writer:
                    reader = self._idle.pop() if self._idle else _Reader(_connected(self._path), self._generation)
                    self._lent[me] += 1
                    return reader
        return None

    def _is_open(self) -> bool:
        return self._writer is not None and self._opened == schema.identity(self._path)

    def _open_if_there(self) -> bool:
        with self.writing:
            self.notice_replacement()
            if self._writer is None and not schema.exists(self._path):
                return False
            self.writer()
            return True

    def _take_back(self, reader: _Reader) -> None:
        if reader.connection.in_transaction:
            with contextlib.suppress(apsw.Error):
                reader.connection.execute("ROLLBACK")
        me = threading.get_ident()
        with self._gate:
            self._lent[me] -= 1
            if not self._lent[me]:
                del self._lent[me]
            if reader.generation == self._generation and not self._shut and len(self._idle) < _IDLE_READERS:
                self._idle.append(reader)
            else:
                reader.connection.close()
            self._gate.notify_all()

    def _disconnect(self) -> None:
        self._generation += 1
        idle, self._idle = self._idle, []
        writer, self._writer = self._writer, None
        for connection in (*(reader.connection for reader in idle), *([writer] if writer else [])):
            with contextlib.suppress(apsw.Error):  # every commit is on disk already
                connection.close()

    @contextlib.contextmanager
    def _closed_to_others(self) -> Iterator[None]:
        """Let nobody else begin to read, and wait a while for those who do."""
        me = threading.get_ident()
        with self._gate:
            before, self._shut = self._shut, True
            self._gate.wait_for(lambda: set(self._lent) <= {me}, _PATIENCE_S)
            try:
                yield
            finally:
                self._shut = before
                self._gate.notify_all()


@dataclass(frozen=True, slots=True)
class _Reader:
    connection: apsw.Connection
    generation: int


def _connected(path: Path) -> apsw.Connection:
    connection = schema.connect(path)
    connection.pragma("query_only", 1)
    return connection


def _empty() -> apsw.Connection:
    """Make what stands in for a file that is not there: the tables, with nothing in them."""
    connection = apsw.Connection(":memory:")
    schema.make_tables(connection)
    connection.pragma("query_only", 1)
    return connection
