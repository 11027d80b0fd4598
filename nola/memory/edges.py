"""Edges between memories: one table for the ten kinds, symmetric ones stored once, weights that fade by themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from nola.errors import ProtectedError, UsageError
from nola.memory.axes import EdgeKind, Kind
from nola.memory.instants import from_micros, micros
from nola.memory.memory_rows import dumped, sound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from nola.types import Json

__all__ = ["SYMMETRIC", "Edge", "Near", "edges_of", "near", "put", "remove"]

SYMMETRIC = frozenset({EdgeKind.SIMILAR_TO, EdgeKind.ASSOCIATED, EdgeKind.CONTRADICTS})
"""The kinds that mean the same from either end (E-19)."""

_ENDS: Mapping[EdgeKind, tuple[Kind, Kind]] = {
    EdgeKind.SIMILAR_TO: (Kind.SEMANTIC, Kind.SEMANTIC),
    EdgeKind.DERIVES_FROM: (Kind.SEMANTIC, Kind.EPISODIC),
    EdgeKind.PROCEDURE_DERIVES_FROM: (Kind.PROCEDURAL, Kind.EPISODIC),
    EdgeKind.CONSOLIDATES: (Kind.SUMMARY, Kind.EPISODIC),
    EdgeKind.ATTENDED_TO: (Kind.SENSORY, Kind.EPISODIC),
}
_PROPERTIES: Mapping[EdgeKind, frozenset[str]] = {
    EdgeKind.SIMILAR_TO: frozenset({"similarity_score", "method", "metadata"}),
    EdgeKind.DERIVES_FROM: frozenset({"extraction_method", "confidence"}),
    EdgeKind.PROCEDURE_DERIVES_FROM: frozenset({"extraction_method"}),
    EdgeKind.CONSOLIDATES: frozenset({"consolidation_method"}),
    EdgeKind.ATTENDED_TO: frozenset({"attention_reason"}),
}
_PUT = """
INSERT INTO edge (source, kind, target, weight, count, created, last, properties)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
ON CONFLICT (source, kind, target) DO UPDATE
SET weight = excluded.weight, count = excluded.count, last = excluded.last, properties = excluded.properties"""
_COLUMNS = "e.source, s.id, e.target, t.id, e.kind, e.weight, e.count, e.created, e.last, e.properties"
_JOINED = f"{_COLUMNS} FROM edge AS e JOIN memory AS s ON s.seq = e.source JOIN memory AS t ON t.seq = e.target"
_FROM = f"SELECT {_JOINED} WHERE e.source = ?1"
_TO = f"SELECT {_JOINED} WHERE e.target = ?1"
_NEAR = """
SELECT e.source, e.target, e.kind, e.weight, e.last FROM edge AS e
WHERE e.source IN (SELECT value FROM json_each(?1)) AND e.kind IN (SELECT value FROM json_each(?2))
UNION ALL
SELECT e.target, e.source, e.kind, e.weight, e.last FROM edge AS e
WHERE e.target IN (SELECT value FROM json_each(?1)) AND e.kind IN (SELECT value FROM json_each(?2))"""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge as it is stored.

    Attributes:
        source: The id of the memory it leads from; of a symmetric kind, the one that was stored first.
        target: The id of the memory it leads to.
        kind: What it says.
        weight: How strong it was at `last`, 0 to 1 (D19).
        count: How often it was made or strengthened.
        created: When it was made.
        last: When it was made or strengthened last; an associative weight fades from there on.
        properties: What its kind tells (B54).
    """

    source: str
    target: str
    kind: EdgeKind
    weight: float
    count: int
    created: datetime
    last: datetime
    properties: Mapping[str, Json]

    def other(self, id_: str) -> str:
        """Return the id of the end that is not this one (B25)."""
        return self.target if id_ == self.source else self.source


@dataclass(frozen=True, slots=True)
class Near:
    """One end of an edge as it is seen from the other, by number."""

    seq: int
    other: int
    kind: EdgeKind
    weight: float
    last_s: float


def put(
    connection: apsw.Connection,
    source: int,
    kind: EdgeKind,
    target: int,
    *,
    now: datetime,
    weight: float = 1.0,
    count: int = 1,
    properties: Mapping[str, Json] | None = None,
) -> None:
    """Make an edge, or give the one that is there a new weight, count, time and properties.

    Args:
        connection: The writer's, inside a transaction.
        source: The number of the memory it leads from.
        kind: What it says.
        target: The number of the memory it leads to.
        now: The present.
        weight: How strong it is, 0 to 1.
        count: How often it was made or strengthened.
        properties: What its kind tells.

    Raises:
        UsageError: Memories of these kinds can't be joined so, are one memory, or are of different namespaces or users;
            or the kind has no such property.
        ProtectedError: An innate memory would be superseded or consolidated.
    """
    said = dict(properties or {})
    _check_ends(connection, source, kind, target)
    unknown = sorted(said.keys() - _PROPERTIES.get(kind, said.keys()))
    if unknown:
        raise UsageError(f"an edge {kind.value} has no property {unknown[0]!r}")
    if not 0 <= weight <= 1:
        raise UsageError(f"weight takes a number from 0 to 1, not {weight}")
    low, high = sorted((source, target)) if kind in SYMMETRIC else (source, target)
    try:
        connection.execute(_PUT, (low, kind.value, high, weight, count, micros(now), dumped(said)))
    except apsw.ConstraintError as error:
        if "protected" in str(error):
            raise ProtectedError(_id(connection, target)) from error
        raise


def remove(connection: apsw.Connection, source: int, kind: EdgeKind, target: int) -> bool:
    """Take an edge away, a symmetric one from either end; return whether it was there."""
    low, high = sorted((source, target)) if kind in SYMMETRIC else (source, target)
    connection.execute("DELETE FROM edge WHERE source = ? AND kind = ? AND target = ?", (low, kind.value, high))
    return connection.changes() > 0


def edges_of(connection: apsw.Connection, seq: int, kind: EdgeKind | None = None) -> list[Edge]:
    """Return the edges at either end of which a memory is, the oldest first."""
    rows = [*connection.execute(_FROM, (seq,)), *connection.execute(_TO, (seq,))]
    with sound():
        found = _read(rows, kind)
    return sorted(found, key=lambda edge: (edge.created, edge.kind.value, edge.source, edge.target))


def _read(rows: Iterable[tuple[Any, ...]], kind: EdgeKind | None) -> list[Edge]:
    return [
        Edge(source, target, EdgeKind(name), weight, count, from_micros(created), from_micros(last), json.loads(said))
        for _, source, _, target, name, weight, count, created, last, said in rows
        if kind is None or name == kind.value
    ]


def near(connection: apsw.Connection, seqs: Iterable[int], kinds: Iterable[EdgeKind]) -> list[Near]:
    """Return all edges of some kinds at some memories, each once for every one of its ends that is among them."""
    wanted, named = json.dumps(list(seqs)), json.dumps([kind.value for kind in kinds])
    with sound():
        return [
            Near(seq, other, EdgeKind(kind), weight, last / _MILLION)
            for seq, other, kind, weight, last in connection.execute(_NEAR, (wanted, named))
        ]


def _check_ends(connection: apsw.Connection, source: int, kind: EdgeKind, target: int) -> None:
    if source == target:
        raise UsageError(f"a memory can't be {kind.value} itself")
    ends: Sequence[tuple[str, str, str]] = [
        connection.execute("SELECT kind, namespace, user FROM memory WHERE seq = ?", (seq,)).fetchone() or ("", "", "")
        for seq in (source, target)
    ]
    if not all(end[0] for end in ends):
        raise UsageError("an edge needs two memories that are there")
    if ends[0][1] != ends[1][1]:
        raise UsageError("an edge can't lead into another namespace")
    if ends[0][2] != ends[1][2]:
        raise UsageError("an edge can't lead to another user's memory")
    wanted = _ENDS.get(kind)
    if wanted and tuple(end[0] for end in ends) != tuple(end.value for end in wanted):
        raise UsageError(
            f"an edge {kind.value} leads from a {wanted[0].value} to a {wanted[1].value} memory, "
            f"not from a {ends[0][0]} to a {ends[1][0]} one"
        )


def _id(connection: apsw.Connection, seq: int) -> str:
    return str(connection.execute("SELECT id FROM memory WHERE seq = ?", (seq,)).get)
