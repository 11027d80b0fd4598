"""Reads memories: by id, by what they are, as of an earlier time, by what changed, and how many there are."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from posixpath import commonprefix
from typing import TYPE_CHECKING, NamedTuple

from nola.errors import UsageError
from nola.memory.axes import Kind, MemoryClass, Status
from nola.memory.dynamics.base import KEPT
from nola.memory.filters import where
from nola.memory.instants import from_micros, micros, seconds
from nola.memory.memory_rows import SELECT, StoredRow, sound, stored_row
from nola.memory.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    import apsw

    from nola.memory.filters import Filter
    from nola.types import Json

__all__ = [
    "Change",
    "Event",
    "as_it_was",
    "beginnings",
    "by_seq",
    "by_seqs",
    "changes",
    "count",
    "events_of",
    "find",
    "get",
    "gone",
    "highest",
    "resolve",
    "traits",
]

_SHOWN = 40
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a memory.

    Attributes:
        at: When.
        what: `stored`, `status`, `changed`, `tier`, `heat`, `state` ...
        detail: Old and new values, and why.
    """

    at: datetime
    what: str
    detail: Mapping[str, Json]


class Change(NamedTuple):
    """A row as the columns in memory need it; times are microseconds since 1970 UTC, `recent` as it is stored."""

    seq: int
    id: str
    revision: int
    kind: str
    memory_class: str
    level: int
    status: str
    trust: str
    namespace: str
    agent: str
    user: str
    conversation: str
    author: str
    at: int
    valid_from: int | None
    valid_until: int | None
    expires_at: int | None
    importance: float
    confidence: float
    pinned: int
    concept: str
    created: int
    content: str
    began: int
    last_access: int
    access_count: int
    recent: bytes
    heat_bias: float
    stability_days: float
    stability: float
    r1: float
    r2: float
    chain_at: int
    usage: int
    updated: int = 0


_NAMED = {"memory_class": "class"}
_CHANGED = ", ".join(_NAMED.get(name, name) for name in Change._fields)
_ALL = f"SELECT {_CHANGED} FROM memory ORDER BY seq"  # noqa: S608 -- constants only
_CHANGES = f"SELECT {_CHANGED} FROM memory INDEXED BY memory_revision WHERE revision > ? ORDER BY +seq"  # noqa: S608
_GONE = "SELECT seq FROM tombstone WHERE revision > ? AND seq > 0 ORDER BY seq"
_HIGHEST = "SELECT coalesce(max(seq), 0) FROM memory"
_OF_SEQS = f"{SELECT} WHERE m.seq IN (SELECT value FROM json_each(?))"  # noqa: S608 -- constants only
_COUNTED = "SELECT m.kind, m.class, m.status, m.namespace, count(*) FROM memory AS m"
_SEEN = "(?2 IS NULL OR user = ?2 OR (user = '' AND class = 'innate'))"
_PREFIX = f"SELECT id FROM memory WHERE id >= ?1 AND id < ?1 || '~' AND {_SEEN} ORDER BY id LIMIT 2"  # noqa: S608
_BESIDE = "SELECT max(id) FROM memory WHERE id < ?1 UNION ALL SELECT min(id) FROM memory WHERE id > ?1"
_TRAITS = f"""
SELECT id, kind, class, level, confidence FROM memory WHERE id IN (SELECT value FROM json_each(?1))
    AND {_SEEN}"""  # noqa: S608 -- constants only
_EVENTS = "SELECT at, what, detail FROM event WHERE memory = (SELECT seq FROM memory WHERE id = ?) ORDER BY number"
_LATER = (
    "SELECT what, detail FROM event WHERE memory = ? AND at > ? AND what IN ('status', 'changed') ORDER BY number DESC"
)
_EARLIER_USES = "SELECT at FROM access WHERE memory = ? AND at <= ? ORDER BY at DESC LIMIT ?"
_LATER_USES = "SELECT count(*) FROM access WHERE memory = ? AND at > ?"


def get(connection: apsw.Connection, id_: str, *, seen_by: str | None = None) -> StoredRow:
    """Return one memory, whatever its status; nothing is counted (A18).

    Args:
        connection: A reader's.
        id_: Its id, or the beginning of it when no other begins so.
        seen_by: As this user sees them (see `Filter`); None for all.

    Raises:
        UsageError: No memory's id begins so, or several do.
    """
    (row,) = connection.execute(f"{SELECT} WHERE m.id = ?", (resolve(connection, id_, seen_by=seen_by),))
    return stored_row(row)


def by_seq(connection: apsw.Connection, seq: int) -> StoredRow:
    """Return the memory of a number that is there."""
    (row,) = connection.execute(f"{SELECT} WHERE m.seq = ?", (seq,))
    return stored_row(row)


def resolve(connection: apsw.Connection, prefix: str, *, seen_by: str | None = None) -> str:
    """Return the one memory's id that begins so, in either case; with `seen_by`, of those that this user sees.

    Raises:
        UsageError: No memory's id begins so, or several do.
    """
    start = prefix.strip().lower()
    plain = start.isascii() and start.isalnum()
    rows = [str(id_) for (id_,) in connection.execute(_PREFIX, (start, seen_by))] if plain else []
    if not rows:
        shown = prefix.encode("utf-8", "replace").decode()[:_SHOWN]
        raise UsageError(f"no memory's id begins with {shown!r}", fix="list them with: nola memory list")
    if len(rows) > 1 and rows[0] != start:
        raise UsageError(f"several memories' ids begin with {start[:_SHOWN]!r}", fix="give more of the id")
    return rows[0]


def find(
    connection: apsw.Connection, wanted: Filter, *, now: datetime, limit: int | None = None, offset: int = 0,
    oldest_first: bool = False,
) -> list[StoredRow]:  # fmt: skip
    """Return the memories that a filter lets through, the last stored first.

    Args:
        connection: A reader's.
        wanted: Which memories.
        now: The present, for what has expired.
        limit: The most rows; None for all.
        offset: How many rows to pass over.
        oldest_first: The first stored first.
    """
    condition, values = where(wanted, now)
    order = f"ORDER BY m.seq {'ASC' if oldest_first else 'DESC'}"
    if limit is not None or offset > 0:  # numbers are put in order, and whole rows are read of the page alone
        page = f"SELECT m.seq FROM memory AS m WHERE {condition} {order} LIMIT ? OFFSET ?"  # noqa: S608 -- built of constants
        condition, values = f"m.seq IN ({page})", [*values, -1 if limit is None else max(0, limit), max(0, offset)]
    rows = [stored_row(row) for row in connection.execute(f"{SELECT} WHERE {condition} {order}", values)]
    return rows if wanted.as_of is None else [as_it_was(connection, row, wanted.as_of) for row in rows]


def by_seqs(connection: apsw.Connection, seqs: Iterable[int]) -> list[StoredRow]:
    """Return the memories of some numbers, in their order, as far as they are there."""
    wanted = list(seqs)
    there = {row.seq: row for row in map(stored_row, connection.execute(_OF_SEQS, (json.dumps(wanted),)))}
    return [there[seq] for seq in wanted if seq in there]


def beginnings(connection: apsw.Connection, ids: Iterable[str], *, least: int = 10) -> dict[str, str]:
    """Return the shortest beginning of each id that is no other's.

    Args:
        connection: A reader's.
        ids: Whole ids.
        least: The fewest characters.
    """
    found = {}
    for id_ in ids:
        beside = [other for (other,) in connection.execute(_BESIDE, (id_,)) if other]
        alike = max((len(commonprefix([id_, other])) for other in beside), default=0)
        found[id_] = id_[: max(least, alike + 1)]
    return found


def count(connection: apsw.Connection, wanted: Filter, *, now: datetime) -> dict[str, dict[str, int]]:
    """Count what a filter lets through by kind, class, status and namespace; every kind is named (B01)."""
    condition, values = where(wanted, now)
    sql = f"{_COUNTED} WHERE {condition} GROUP BY 1, 2, 3, 4"
    counted: dict[str, dict[str, int]] = {
        "kind": dict.fromkeys(map(str, Kind), 0),
        "class": dict.fromkeys(map(str, MemoryClass), 0),
        "status": dict.fromkeys(map(str, Status), 0),
        "namespace": {},
    }
    for *names, number in connection.execute(sql, values):
        for axis, name in zip(counted.values(), names, strict=True):
            axis[name] = axis.get(name, 0) + number
    return counted


def traits(
    connection: apsw.Connection, ids: Iterable[str], *, seen_by: str | None = None
) -> dict[str, tuple[Kind, bool, int, float]]:
    """Return kind, whether it is innate, level and confidence of the memories that are there, by id.

    Args:
        connection: A reader's.
        ids: Whole ids.
        seen_by: As this user sees them (see `Filter`); None for all.
    """
    rows = connection.execute(_TRAITS, (json.dumps(list(ids)), seen_by))
    with sound():
        return {
            id_: (Kind(kind), class_ == MemoryClass.INNATE, level, confidence)
            for id_, kind, class_, level, confidence in rows
        }


def events_of(connection: apsw.Connection, id_: str) -> list[Event]:
    """Return what happened to a memory, the oldest first (A22)."""
    rows = connection.execute(_EVENTS, (id_,))
    with sound():
        return [Event(from_micros(at), what, json.loads(detail)) for at, what, detail in rows]


def changes(connection: apsw.Connection, since: int) -> Iterator[Change]:
    """Yield the rows that were made or changed after a revision, in the order in which they were first stored."""
    rows = connection.execute(_CHANGES, (since,)) if since else connection.execute(_ALL)
    return map(Change._make, rows)


def gone(connection: apsw.Connection, since: int) -> list[int]:
    """Return the numbers of the rows that were deleted after a revision."""
    return [seq for (seq,) in connection.execute(_GONE, (since,))]


def highest(connection: apsw.Connection) -> int:
    """Return the highest number of a row, 0 when there is none."""
    return int(connection.execute(_HIGHEST).get)


def as_it_was(connection: apsw.Connection, row: StoredRow, at: datetime) -> StoredRow:
    """Undo in a record what happened to it after a time: changes, its status, and what it was used for (P15)."""
    with sound():
        return _as_it_was(connection, row, at)


def _as_it_was(connection: apsw.Connection, row: StoredRow, at: datetime) -> StoredRow:
    record, then, then_s = row.record, micros(at), seconds(at)
    for what, detail in connection.execute(_LATER, (row.seq, then)):
        old = json.loads(detail).get("old")
        record = replace(record, status=Status(old)) if what == "status" else _with(record, old)
    stat = record.statistics
    earlier = [at_ / _MILLION for (at_,) in connection.execute(_EARLIER_USES, (row.seq, then, KEPT))]
    known = {*earlier, *(one for one in stat.recent_s if one <= then_s), min(stat.created_s, then_s)}
    recent = tuple(sorted(known, reverse=True)[:KEPT])
    uses = connection.execute(_LATER_USES, (row.seq, then)).get
    stat = replace(
        stat,
        importance=record.importance,
        recent_s=recent,
        last_access_s=recent[0],
        access_count=max(0, stat.access_count - uses),
        usage=max(0, stat.usage - uses) if record.kind is Kind.PROCEDURAL else stat.usage,
    )
    return replace(row, record=replace(record, statistics=stat))


def _with(record: Record, old: Mapping[str, Json]) -> Record:
    """Return a record with the values that an event says were there before."""
    return Record.from_json({**record.to_json(), **old})
