"""Writes memories into the tables, inside a transaction of the writer's; every change is an event and a revision."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import apsw

from nola.errors import ConflictError, ProtectedError, UsageError
from nola.memory import edges
from nola.memory.axes import EdgeKind, Kind, MemoryClass, Status, Trust
from nola.memory.dynamics.base import Statistics
from nola.memory.finding import resolve
from nola.memory.instants import micros, seconds
from nola.memory.kinds import COUNTED, next_index
from nola.memory.memory_rows import INSERT, dumped, row_of_new

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from nola.memory.record import NewMemory
    from nola.types import Json

__all__ = [
    "begun",
    "counter",
    "insert",
    "mutable",
    "next_revision",
    "note",
    "put_rows",
    "remove",
    "seq_of",
    "set_status",
    "written_in",
]

_DERIVED = frozenset({EdgeKind.DERIVES_FROM, EdgeKind.PROCEDURE_DERIVES_FROM, EdgeKind.CONSOLIDATES})
_COUNT = """
INSERT INTO counter (name, value) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
_NEXT_REVISION = "UPDATE counter SET value = value + 1 WHERE name = 'revision' RETURNING value"
_INDEX = """
INSERT INTO memory_text (rowid, content, concept, author)
SELECT seq, content, concept, author FROM memory WHERE seq BETWEEN ? AND ?"""
_STORED = "INSERT INTO event (memory, number, at, what, detail) VALUES (?, 0, ?, 'stored', ?)"
_EVENT = """
INSERT INTO event (memory, number, at, what, detail)
SELECT ?1, coalesce(max(number) + 1, 0), ?2, ?3, ?4 FROM event WHERE memory = ?1"""
_FIND = "SELECT seq, class, status, kind FROM memory WHERE id = ?"


def begun(new: NewMemory, now: datetime) -> Statistics:
    """Return the statistics with which a memory begins, where its kind has no say (A32)."""
    if new.stability is None and new.stability_days is None:
        return Statistics.fresh(seconds(now), importance=new.importance)
    given = {name: getattr(new, name) for name in ("stability", "stability_days") if getattr(new, name) is not None}
    return Statistics.fresh(seconds(now), importance=new.importance, **given)


def insert(
    connection: apsw.Connection,
    memories: Sequence[NewMemory],
    ids: Sequence[str],
    *,
    now: datetime,
    begin: Callable[[NewMemory, datetime], Statistics] = begun,
) -> list[int]:
    """Store memories with the edges that they name; return their numbers.

    A memory is trusted no further than what it derives from, and one that is named as superseded is.

    Args:
        connection: The writer's, inside a transaction.
        memories: What to store.
        ids: Their ids.
        now: The time of storing.
        begin: Gives the statistics with which a memory begins.

    Raises:
        ConflictError: One of the ids is there already.
        ProtectedError: An innate memory would be superseded.
        UsageError: An edge leads nowhere, or can't lead from such a memory to such another; or an observation comes
            before the last one.
    """
    memories = [_linked(connection, new, ids) if new.links else new for new in memories]
    revision = next_revision(connection)
    first = connection.execute("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'memory'").get
    trusts = _trusts(connection, memories)
    counters = _Counters(connection)
    stored = micros(now)
    rows = [
        row_of_new(
            new,
            seq=seq,
            id_=id_,
            revision=revision,
            now=now,
            trust=_least(new, trusts) if new.links else new.trust,
            details=counters.counted(new),
            statistics=begin(new, now),
        )
        for seq, (new, id_) in enumerate(zip(memories, ids, strict=True), first)
    ]
    try:
        put_rows(connection, rows)
    except apsw.ConstraintError as error:
        raise ConflictError(f"a memory can't be stored: {error}") from error
    counters.save()
    connection.executemany(_STORED, [(seq, stored, _own_start(new)) for seq, new in enumerate(memories, first)])
    for seq, new in enumerate(memories, first):
        for link in new.links:
            _link(connection, seq, link, now)
    return list(range(first, first + len(rows)))


def put_rows(connection: apsw.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows whose numbers follow one another, and index their words."""
    connection.executemany(INSERT, rows)
    if rows:
        connection.execute(_INDEX, (rows[0][0], rows[-1][0]))


def mutable(connection: apsw.Connection, id_: str) -> int:
    """Return the number of a memory that may be changed.

    Raises:
        UsageError: There is none of this id.
        ProtectedError: It is innate.
    """
    seq, class_, *_ = _found(connection, id_)
    if class_ == MemoryClass.INNATE.value:
        raise ProtectedError(id_)
    return seq


def seq_of(connection: apsw.Connection, id_: str) -> int:
    """Return the number of a memory.

    Raises:
        UsageError: There is none of this id.
    """
    return _found(connection, id_)[0]


def written_in(connection: apsw.Connection, seq: int, columns: Mapping[str, Any]) -> None:
    """Set columns of a memory and raise its revision; their names are ours, never a caller's."""
    sets = ", ".join(f"{name} = ?" for name in columns)
    values = (*columns.values(), next_revision(connection), seq)
    connection.execute(f"UPDATE memory SET {sets}, revision = ? WHERE seq = ?", values)  # noqa: S608 -- constants only


def set_status(connection: apsw.Connection, id_: str, status: Status, *, now: datetime, why: str = "") -> Status:
    """Change the status of a memory, as an event with the old and the new one; return the old one.

    Raises:
        UsageError: There is none of this id; or it is a slot that was put away, whose place in its task is taken.
        ProtectedError: It is innate.
    """
    seq, (_, _, was, kind) = mutable(connection, id_), _found(connection, id_)
    old = Status(was)
    if old is not status:
        if status is Status.ACTIVE and kind == Kind.WORKING.value:
            raise UsageError(f"{id_} is a slot that is {was}, and slots don't come back: store it again")
        written_in(connection, seq, {"status": status.value, "updated": micros(now)})
        detail: dict[str, Json] = {"old": old.value, "new": status.value}
        note(connection, seq, "status", detail | ({"why": why} if why else {}), now=now)
    return old


def note(connection: apsw.Connection, seq: int, what: str, detail: Mapping[str, Json], *, now: datetime) -> None:
    """Add an event to the log."""
    connection.execute(_EVENT, (seq, micros(now), what, dumped(detail)))


def remove(connection: apsw.Connection, seqs: Iterable[int]) -> int:
    """Delete rows with all that refers to them; return how many there were."""
    gone = 0
    for seq in seqs:
        connection.execute("DELETE FROM memory WHERE seq = ?", (seq,))
        gone += connection.changes()
    return gone


def next_revision(connection: apsw.Connection) -> int:
    """Raise the file's revision and return it."""
    return int(connection.execute(_NEXT_REVISION).get)


def counter(connection: apsw.Connection, name: str) -> int | None:
    """Return where a counter stands; None when nothing was counted yet."""
    found = connection.execute("SELECT value FROM counter WHERE name = ?", (name,)).get
    return None if found is None else int(found)


class _Counters:
    """Numbers observations and episodes upwards, for each agent of each namespace (B03, B17)."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._last: dict[str, int | None] = {}

    def counted(self, new: NewMemory) -> Mapping[str, Json]:
        """Return the details of a memory with its number."""
        field = COUNTED.get(new.kind)
        if field is None:
            return new.details
        name = f"{field}/{new.namespace}/{new.agent}"
        last = self._last[name] if name in self._last else counter(self._connection, name)
        given = new.details.get(field)
        rising = new.kind is Kind.SENSORY
        index = next_index(last, given if isinstance(given, int) else None, rising=rising)
        self._last[name] = index if last is None else max(last, index)
        return {**new.details, field: index}

    def save(self) -> None:
        """Write where the counters stand."""
        self._connection.executemany(_COUNT, list(self._last.items()))


def _own_start(new: NewMemory) -> str:
    """Return what a caller gave of the stabilities, which use changes, for the event of the storing."""
    if new.stability is None and new.stability_days is None:
        return "{}"
    return dumped({name: getattr(new, name) for name in ("stability", "stability_days")})


def _found(connection: apsw.Connection, id_: str) -> tuple[int, str, str, str]:
    row = connection.execute(_FIND, (id_,)).fetchone()
    if row is None:
        raise UsageError(f"no memory has the id {id_[:40]!r}", fix="list them with: nola memory list")
    return row[0], row[1], row[2], row[3]


def _linked(connection: apsw.Connection, new: NewMemory, ids: Collection[str]) -> NewMemory:
    """Return a memory whose links name whole ids, of which the beginning is enough."""

    def whole(target: str) -> str:
        if target in ids or connection.execute("SELECT count(*) FROM memory WHERE id = ?", (target,)).get:
            return target
        return resolve(connection, target, seen_by=new.user or None)

    return replace(new, links=tuple(replace(link, target=whole(link.target)) for link in new.links))


def _trusts(connection: apsw.Connection, memories: Iterable[NewMemory]) -> dict[str, Trust]:
    targets = {link.target for new in memories for link in new.links if link.kind in _DERIVED}
    found = ((id_, connection.execute("SELECT trust FROM memory WHERE id = ?", (id_,)).get) for id_ in targets)
    return {id_: Trust(trust) for id_, trust in found if trust is not None}


def _least(new: NewMemory, trusts: Mapping[str, Trust]) -> Trust:
    sources = [trusts[link.target] for link in new.links if link.kind in _DERIVED and link.target in trusts]
    return min([new.trust, *sources], key=lambda trust: trust.rank)


def _link(connection: apsw.Connection, seq: int, link: Any, now: datetime) -> None:
    target = seq_of(connection, link.target)
    if link.kind is EdgeKind.SUPERSEDES:
        set_status(connection, link.target, Status.SUPERSEDED, now=now)
    edges.put(connection, seq, link.kind, target, properties=link.properties, now=now)
