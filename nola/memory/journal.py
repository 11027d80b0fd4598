"""The memory as readable lines of JSON, and back: what is exported, imported and exported again is the same (E59)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from nola.errors import ConflictError, DocumentError, UsageError
from nola.memory.axes import EdgeKind, Status
from nola.memory.checks import checked_choice, checked_share, checked_text, checked_time, checked_whole
from nola.memory.edges import SYMMETRIC
from nola.memory.instants import from_micros, micros, written
from nola.memory.memory_rows import SELECT, dumped, row_of_record, sound, stored_row
from nola.memory.record import Record
from nola.memory.storing import next_revision, put_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from nola.types import Json

__all__ = ["FORMAT", "VERSION", "Taken", "lines", "take_in"]

FORMAT = "nola-memory"
VERSION = 1

_WHERE = "the export of the memory"
_EVENTS = "SELECT at, what, detail FROM event WHERE memory = ? ORDER BY number"
_USES = "SELECT request, at FROM access WHERE memory = ? ORDER BY at, request"
_EDGES = """
SELECT s.id, t.id, e.kind, e.weight, e.count, e.created, e.last, e.properties
FROM edge AS e JOIN memory AS s ON s.seq = e.source JOIN memory AS t ON t.seq = e.target"""
_PAIRS = """
SELECT l.id, h.id, p.count, p.last
FROM pair AS p JOIN memory AS l ON l.seq = p.low JOIN memory AS h ON h.seq = p.high"""
_TOMBS = "SELECT id, namespace, at, lower(hex(digest)) FROM tombstone WHERE digest IS NOT NULL ORDER BY id"
_COUNTERS = "SELECT name, value FROM counter WHERE name <> 'revision' ORDER BY name"
_PUT_EVENT = "INSERT INTO event (memory, number, at, what, detail) VALUES (?, ?, ?, ?, ?)"
_PUT_EDGE = """
INSERT INTO edge (source, target, kind, weight, count, created, last, properties)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source, kind, target) DO NOTHING"""
_PUT_PAIR = "INSERT INTO pair (low, high, count, last) VALUES (?, ?, ?, ?) ON CONFLICT (low, high) DO NOTHING"
_PUT_TOMB = """
INSERT INTO tombstone (seq, id, revision, namespace, at, digest)
VALUES ((SELECT min(0, coalesce(min(seq), 0)) - 1 FROM tombstone), ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET at = excluded.at, digest = excluded.digest WHERE digest IS NULL"""
_PUT_COUNTER = """
INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)"""
_COUNT = 2**53
# What it comes to when a line that was altered by hand is taken for what `lines` writes.
_WRONG = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, UsageError, apsw.ConstraintError)
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


class Taken(NamedTuple):
    """What an import brought.

    Attributes:
        memories: How many memories were stored.
        edges: How many edges were stored.
        known: How many memories were there already, and were passed over.
        gone: The ids of the memories that were deleted here, and were passed over, with what names them.
    """

    memories: int
    edges: int
    known: int
    gone: tuple[str, ...] = ()


def lines(connection: apsw.Connection) -> Iterator[str]:
    """Yield the whole memory as lines of JSON, sorted by id: memories with their history, edges, pairs, tombstones.

    What can be made again, vectors and the lexical index, is left out.
    """
    with sound():
        yield from _lines(connection)


def _lines(connection: apsw.Connection) -> Iterator[str]:
    yield _encode({"format": FORMAT, "version": VERSION})
    for row in connection.execute(f"{SELECT} ORDER BY m.id"):
        found = stored_row(row)
        line: dict[str, Json] = {"memory": found.record.to_json()}
        line["events"] = [
            [written(from_micros(at)), what, json.loads(detail)]
            for at, what, detail in connection.execute(_EVENTS, (found.seq,))
        ]
        line["uses"] = [[request, _written(at)] for request, at in connection.execute(_USES, (found.seq,))]
        yield _encode(line)
    yield from _sorted(_edge(*row) for row in connection.execute(_EDGES))
    yield from _sorted(
        {"pair": [*sorted((one, other)), count, _written(last)]}
        for one, other, count, last in connection.execute(_PAIRS)
    )
    for id_, namespace, at, digest in connection.execute(_TOMBS):
        yield _encode({"tombstone": {"id": id_, "namespace": namespace, "at": _written(at), "digest": digest}})
    yield _encode({"counters": dict(connection.execute(_COUNTERS))})


def take_in(connection: apsw.Connection, text: Iterable[str], *, skip_known: bool = False) -> Taken:
    """Store what `lines` wrote, all or nothing.

    What was deleted here does not come back, and what lives here is not deleted for having been purged elsewhere.

    Args:
        connection: The writer's, inside a transaction.
        text: The lines.
        skip_known: Leave a memory alone that is there already, instead of refusing it.

    Raises:
        DocumentError: A line is no JSON, or not what `lines` writes; or the last one is missing.
        ConflictError: A memory is there already.
    """
    reader, number = _Import(connection, skip_known=skip_known), 0
    for number, line in enumerate(text, 1):
        if not line.strip():
            continue
        try:
            reader.take(json.loads(line), first=number == 1)
        except RecursionError as error:
            raise DocumentError(_WHERE, number, 1, "it is nested too deep") from error
        except _WRONG as error:
            said = isinstance(error, UsageError | json.JSONDecodeError)
            raise DocumentError(_WHERE, number, 1, f"{error}" if said else f"it can't be used: {error}") from error
    if not reader.is_whole:
        raise DocumentError(
            _WHERE, number, 1, "its last line, that with the counters, is missing: it was cut, or is empty"
        )
    return Taken(reader.memories, reader.edges, reader.known, tuple(reader.gone))


class _Import:
    def __init__(self, connection: apsw.Connection, *, skip_known: bool) -> None:
        self._connection = connection
        self._skip_known = skip_known
        self._revision = next_revision(connection)
        self._ends: dict[str, tuple[int, str]] = {}
        self.gone: dict[str, None] = {}
        self.is_whole = False
        self.memories = 0
        self.edges = 0
        self.known = 0

    def take(self, line: Any, *, first: bool) -> None:
        """Store one line."""
        if first:
            if line["format"] != FORMAT:
                raise UsageError("this is no export of Nola's memory")
            if line["version"] > VERSION:
                raise UsageError(f"it was written by a newer Nola (version {line['version']}); update Nola")
            return
        for name, store in _LINES.items():
            if name in line:
                store(self, line)
                return
        raise UsageError(f"a line of this sort is not known: {min(line, default='')!r}")

    def memory(self, line: Mapping[str, Any]) -> None:
        """Store a memory with its history."""
        record = Record.from_json(dict(line["memory"]))
        known = self._connection.execute("SELECT seq FROM memory WHERE id = ?", (record.id,)).get
        if known is not None:
            if not self._skip_known:
                raise ConflictError(f"the memory {record.id} is there already; nothing was stored")
            self.known += 1
            return
        if self._connection.execute("SELECT count(*) FROM tombstone WHERE id = ?", (record.id,)).get:
            self.gone[record.id] = None
            return
        seq = self._connection.execute(
            "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'memory'"
        ).get
        put_rows(self._connection, [row_of_record(record, seq=seq, revision=self._revision)])
        self._ends[record.id] = seq, record.namespace
        self.memories += 1
        events = [
            (seq, number, _micros(at), checked_text("what an event is", what, blank=False), dumped(_detail(detail)))
            for number, (at, what, detail) in enumerate(line["events"])
        ]
        _check_history(record, line["events"])
        self._connection.executemany(_PUT_EVENT, events)
        uses = [(seq, checked_text("request", request), _micros(at)) for request, at in line["uses"]]
        self._connection.executemany("INSERT INTO access (memory, request, at) VALUES (?, ?, ?)", uses)

    def edge(self, line: Mapping[str, Any]) -> None:
        """Store an edge."""
        given = line["edge"]
        kind = EdgeKind(given["kind"])
        if self._is_gone(given["source"], given["target"]):
            return
        source, target = self._seqs(given["source"], given["target"])
        if kind in SYMMETRIC:
            source, target = sorted((source, target))
        times = (_micros(given["created"]), _micros(given["last"]))
        numbers = checked_share("weight", given["weight"]), checked_whole("count", given["count"], 0, _COUNT)
        values = (kind.value, *numbers, *times, dumped(_detail(given["properties"])))
        self._connection.execute(_PUT_EDGE, (source, target, *values))
        self.edges += self._connection.changes()

    def pair(self, line: Mapping[str, Any]) -> None:
        """Store how often two memories were used together."""
        one, other, count, last = line["pair"]
        if self._is_gone(one, other):
            return
        low, high = sorted(self._seqs(one, other))
        self._connection.execute(_PUT_PAIR, (low, high, checked_whole("count", count, 0, _COUNT), _micros(last)))

    def tombstone(self, line: Mapping[str, Any]) -> None:
        """Note what was purged, unless it lives here."""
        given = line["tombstone"]
        digest = bytes.fromhex(given["digest"])
        names = [checked_text(name, given[name], blank=False) for name in ("id", "namespace")]
        if not self._connection.execute("SELECT count(*) FROM memory WHERE id = ?", names[:1]).get:
            values = (names[0], self._revision, names[1], _micros(given["at"]), digest)
            self._connection.execute(_PUT_TOMB, values)

    def counters(self, line: Mapping[str, Any]) -> None:
        """Go on counting where the exported memory stood."""
        rows = [
            (checked_text("counter", name), checked_whole("a counter", value, -_COUNT, _COUNT))
            for name, value in line["counters"].items()
        ]
        self._connection.executemany(_PUT_COUNTER, [row for row in rows if row[0] != "revision"])
        self.is_whole = True

    def _is_gone(self, *ids: str) -> bool:
        return any(id_ in self.gone for id_ in ids)

    def _seqs(self, one: str, other: str) -> tuple[int, int]:
        """Return the numbers of two memories that something joins."""
        (low, space), (high, other_space) = self._end(one), self._end(other)
        if space != other_space:
            raise UsageError(f"it joins memories of two namespaces: {space!r} and {other_space!r}")
        return low, high

    def _end(self, id_: str) -> tuple[int, str]:
        if id_ not in self._ends:
            row = self._connection.execute("SELECT seq, namespace FROM memory WHERE id = ?", (id_,)).fetchone()
            if row is None:
                raise UsageError(f"it names a memory that is not there: {id_!r}")
            self._ends[id_] = row[0], row[1]
        return self._ends[id_]


_LINES = {
    "memory": _Import.memory,
    "edge": _Import.edge,
    "pair": _Import.pair,
    "tombstone": _Import.tombstone,
    "counters": _Import.counters,
}


def _edge(
    source: str, target: str, kind: str, weight: float, count: int, created: int, last: int, properties: str
) -> dict[str, Json]:
    ends = sorted((source, target)) if EdgeKind(kind) in SYMMETRIC else [source, target]
    return {
        "edge": {
            "source": ends[0],
            "target": ends[1],
            "kind": kind,
            "weight": weight,
            "count": count,
            "created": _written(created),
            "last": _written(last),
            "properties": json.loads(properties),
        }
    }


def _check_history(record: Record, events: Iterable[tuple[Json, str, dict[str, Json]]]) -> None:
    """Refuse events that can't be undone to see the memory as it was."""
    for _, what, detail in reversed(list(events)):
        if what == "status":
            checked_choice("the old status", detail.get("old"), Status)
        elif what == "changed":
            old = detail.get("old")
            record = Record.from_json({**record.to_json(), **_detail(old)})


def _detail(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise UsageError("what an event or an edge tells is no object")
    return value


def _sorted(found: Iterable[Mapping[str, Any]]) -> list[str]:
    return sorted(map(_encode, found))


def _written(number: int) -> str:
    return written(from_micros(number))


def _micros(value: Json) -> int:
    at = checked_time("time", value)
    if at is None:
        raise UsageError("a time is missing")
    return micros(at)
