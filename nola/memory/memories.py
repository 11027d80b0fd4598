"""The memories of one database: everything that is stored, read and changed of them, from any thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from nola.memory import accesses, buffers, changing, derived, edges, finding, journal, storing
from nola.memory.memory_rows import sound
from nola.memory.storing import begun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    import apsw

    from nola.memory.axes import EdgeKind, State, Status
    from nola.memory.buffers import Pushed
    from nola.memory.database import Database
    from nola.memory.dynamics.base import Statistics
    from nola.memory.edges import Edge
    from nola.memory.filters import Filter
    from nola.memory.finding import Change, Event
    from nola.memory.journal import Taken
    from nola.memory.links import Link
    from nola.memory.memory_rows import StoredRow
    from nola.memory.record import NewMemory, Record
    from nola.types import Json

__all__ = ["Memories"]

_T = TypeVar("_T")


class Memories:
    """What is remembered in one database.

    Each method that changes something is one transaction, durable when it returns. To do several in one, hand
    `Database.write` a job that calls the functions of `storing`, `edges`, `accesses`, `changing` and `buffers`, which
    all take the writer's connection.

    Args:
        database: The file.
        begin: Gives the statistics with which a memory begins.
    """

    def __init__(self, database: Database, *, begin: Callable[[NewMemory, datetime], Statistics] = begun) -> None:
        self.database = database
        self._begin = begin

    # --- storing and changing -----------------------------------------------------------------------------------------
    def new_ids(self, count: int, now: datetime | None = None) -> list[str]:
        """Make ids, each greater than the one before."""
        at = now or self.database.clock.now()
        return [self.database.new_id(at) for _ in range(count)]

    def insert_many(
        self, memories: Sequence[NewMemory], ids: Sequence[str] | None = None, now: datetime | None = None
    ) -> list[str]:
        """Store memories, all or none, and return their ids (see `storing.insert`)."""
        at = self._at(now)
        made = self.new_ids(len(memories), at) if ids is None else list(ids)
        self.database.write(lambda c: storing.insert(c, memories, made, now=at, begin=self._begin))
        return made

    def update(self, id_: str, given: Mapping[str, object], now: datetime | None = None) -> Record:
        """Give fields of a memory other values (see `changing.change`)."""
        return self.database.write(lambda c: changing.change(c, finding.resolve(c, id_), given, now=self._at(now)))

    def set_status(self, id_: str, status: Status, now: datetime | None = None, why: str = "") -> Status:
        """Change the status of a memory; return the old one."""
        return self.database.write(
            lambda c: storing.set_status(c, finding.resolve(c, id_), status, now=self._at(now), why=why)
        )

    def promote(self, id_: str, now: datetime | None = None) -> None:
        """Make a memory innate, for good."""
        self.database.write(lambda c: changing.promote(c, finding.resolve(c, id_), now=self._at(now)))

    def purge(self, ids: Iterable[str], now: datetime | None = None) -> int:
        """Delete memories for good, so that they are not learned again; return how many."""
        named = list(ids)
        return self.database.write(
            lambda c: changing.purge(c, [finding.resolve(c, id_) for id_ in named], now=self._at(now))
        )

    def is_purged(self, namespace: str, content: str) -> bool:
        """Tell whether a memory with this content was purged."""
        return self._read(lambda c: changing.is_purged(c, namespace, content))

    def note(self, id_: str, what: str, detail: Mapping[str, Json], now: datetime | None = None) -> None:
        """Add an event to a memory's log, such as a change of tier (A22)."""
        self.database.write(lambda c: storing.note(c, storing.seq_of(c, id_), what, detail, now=self._at(now)))

    # --- use ----------------------------------------------------------------------------------------------------------
    def record_access(
        self,
        request: str,
        used: Mapping[str, Callable[[Statistics], Statistics]],
        *,
        pairs: Iterable[tuple[str, str]] = (),
        grow: Callable[[str, str, Link], Link] | None = None,
        now: datetime | None = None,
    ) -> list[str]:
        """Count what a request used, once, in one transaction (see `accesses.record`)."""
        together = list(pairs)

        def job(connection: apsw.Connection) -> list[str]:
            with sound():
                return accesses.record(connection, request, used, now=self._at(now), pairs=together, grow=grow)

        return self.database.write(job)

    def adjust_heat(self, id_: str, amount: float, now: datetime | None = None) -> float:
        """Add to a memory's heat by hand; return its whole bias."""
        return self.database.write(
            lambda c: accesses.adjust_heat(c, finding.resolve(c, id_), amount, now=self._at(now))
        )

    # --- edges --------------------------------------------------------------------------------------------------------
    def link(
        self,
        source: str,
        kind: EdgeKind,
        target: str,
        *,
        weight: float = 1.0,
        properties: Mapping[str, Json] | None = None,
        now: datetime | None = None,
    ) -> None:
        """Join two memories (see `edges.put`)."""

        def job(connection: apsw.Connection) -> None:
            ends = storing.seq_of(connection, source), storing.seq_of(connection, target)
            edges.put(connection, ends[0], kind, ends[1], weight=weight, properties=properties, now=self._at(now))

        self.database.write(job)

    def edges(self, id_: str, kind: EdgeKind | None = None) -> list[Edge]:
        """Return the edges at either end of which a memory is."""
        return self._read(lambda c: edges.edges_of(c, storing.seq_of(c, finding.resolve(c, id_)), kind))

    # --- the kinds that come and go -----------------------------------------------------------------------------------
    def push(self, new: NewMemory, *, most: int = 20, now: datetime | None = None) -> Pushed:
        """Put a slot into the working memory of its task."""
        at = self._at(now)
        id_ = self.database.new_id(at)
        return self.database.write(lambda c: buffers.push(c, new, id_, most=most, now=at, begin=self._begin))

    def slots(
        self, task: str, *, namespace: str = "default", agent: str = "", seen_by: str | None = None
    ) -> list[StoredRow]:
        """Return the slots of a task, the oldest first."""
        return self._read(lambda c: buffers.slots(c, task, namespace=namespace, agent=agent, seen_by=seen_by))

    def complete(
        self,
        task: str,
        *,
        namespace: str = "default",
        agent: str = "",
        seen_by: str | None = None,
        now: datetime | None = None,
    ) -> str:
        """Write the episode of a task and clear it; return the episode's id (see `buffers.complete`)."""
        at = self._at(now)
        id_ = self.database.new_id(at)
        self.database.write(
            lambda c: buffers.complete(
                c, task, id_, now=at, namespace=namespace, agent=agent, seen_by=seen_by, begin=self._begin
            )
        )
        return id_

    def observations(
        self,
        *,
        modality: str | None = None,
        namespace: str = "default",
        agent: str = "",
        seen_by: str | None = None,
        newest: bool = False,
        limit: int = -1,
        now: datetime | None = None,
    ) -> list[StoredRow]:
        """Return what is observed and has not expired, in the order of observation (see `buffers.observations`)."""
        at = self._at(now)
        return self._read(
            lambda c: buffers.observations(
                c,
                now=at,
                modality=modality,
                namespace=namespace,
                agent=agent,
                seen_by=seen_by,
                newest=newest,
                limit=limit,
            )
        )

    def prune(self, now: datetime | None = None, *, seen_by: str | None = None) -> int:
        """Delete the observations that have expired, of one user or of all; return how many there were."""
        return self.database.write(lambda c: buffers.prune(c, now=self._at(now), seen_by=seen_by))

    def attend(self, id_: str, reason: str, now: datetime | None = None) -> str | None:
        """Make an episode of an observation; return its id, or None when it has expired."""
        at = self._at(now)
        episode = self.database.new_id(at)
        return self.database.write(
            lambda c: buffers.attend(c, finding.resolve(c, id_), reason, episode, now=at, begin=self._begin)
        )

    def move(self, id_: str, to: State, now: datetime | None = None) -> State:
        """Move an intention on; return its state before."""
        return self.database.write(lambda c: buffers.move(c, finding.resolve(c, id_), to, now=self._at(now)))

    # --- reading ------------------------------------------------------------------------------------------------------
    def get(self, id_: str, *, seen_by: str | None = None) -> StoredRow:
        """Return one memory by its id or the beginning of it; nothing is counted (see `finding.get`)."""
        return self._read(lambda c: finding.get(c, id_, seen_by=seen_by))

    def beginnings(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the shortest beginning of each id that is no other's."""
        return self._read(lambda c: finding.beginnings(c, ids))

    def find(
        self,
        wanted: Filter,
        *,
        limit: int | None = None,
        offset: int = 0,
        oldest_first: bool = False,
        now: datetime | None = None,
    ) -> list[StoredRow]:
        """Return the memories that a filter lets through (see `finding.find`)."""
        at = self._at(now)
        return self._read(
            lambda c: finding.find(c, wanted, now=at, limit=limit, offset=offset, oldest_first=oldest_first)
        )

    def count(self, wanted: Filter, now: datetime | None = None) -> dict[str, dict[str, int]]:
        """Count what a filter lets through by kind, class, status and namespace."""
        return self._read(lambda c: finding.count(c, wanted, now=self._at(now)))

    def events(self, id_: str) -> list[Event]:
        """Return what happened to a memory, the oldest first."""
        return self._read(lambda c: finding.events_of(c, finding.resolve(c, id_)))

    def models(self, id_: str) -> dict[str, int]:
        """Return which models a memory has a vector of, and how long each is."""
        return self._read(lambda c: derived.models_of(c, storing.seq_of(c, finding.resolve(c, id_))))

    def missing(self, model: str) -> int:
        """Return how many memories a model has no vector for."""
        return self._read(lambda c: derived.missing(c, model))

    def changes(self, since: int) -> tuple[list[Change], list[int]]:
        """Return the rows made or changed after a revision, and the numbers of those deleted, of one moment."""
        return self._read(lambda c: (list(finding.changes(c, since)), finding.gone(c, since)))

    def revision(self) -> int:
        """Return the revision of the last change; 0 before the first."""
        return self._read(lambda c: storing.counter(c, "revision") or 0)

    def epoch(self) -> str:
        """Return what tells this content from that of a backup put in its place: then all that is held is stale."""
        return self._read(lambda c: str(c.execute("SELECT value FROM meta WHERE key = 'epoch'").get))

    # --- export -------------------------------------------------------------------------------------------------------
    def export_lines(self) -> list[str]:
        """Return the whole memory as readable lines, of one moment (see `journal.lines`)."""
        return self._read(lambda c: list(journal.lines(c)))

    def import_lines(self, text: Iterable[str], *, skip_known: bool = False, dry_run: bool = False) -> Taken:
        """Store what `export_lines` returned, all or nothing (see `journal.take_in`); a dry run takes it all back."""
        given = list(text)

        def job(connection: apsw.Connection) -> Taken:
            taken = journal.take_in(connection, given, skip_known=skip_known)
            if dry_run:
                raise _TakenBackError(taken)
            return taken

        try:
            return self.database.write(job)
        except _TakenBackError as back:
            return back.taken

    def _at(self, now: datetime | None) -> datetime:
        return now or self.database.clock.now()

    def _read(self, work: Callable[[apsw.Connection], _T]) -> _T:
        with self.database.reading() as connection:
            return work(connection)


class _TakenBackError(Exception):
    """A dry run is over; what it stored is taken back with the transaction."""

    def __init__(self, taken: Taken) -> None:
        super().__init__("a dry run")
        self.taken = taken
