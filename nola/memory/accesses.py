"""What using memories writes, once for a request: accesses, statistics, pairs and the links that grow of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nola.memory import edges
from nola.memory.axes import EdgeKind, MemoryClass
from nola.memory.edges import Edge, Near
from nola.memory.instants import from_micros, micros
from nola.memory.links import Link, retrieved
from nola.memory.memory_rows import STATISTICS, statistics_of, statistics_values
from nola.memory.storing import mutable, next_revision, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    import apsw

    from nola.memory.dynamics.base import Statistics
    from nola.settings_memory import LinkSettings

__all__ = ["adjust_heat", "counted", "joint", "pair", "record"]

_BIAS_MOST = 1.0
_MILLION = 1_000_000
_ROW = "SELECT seq, class, namespace, user FROM memory WHERE id = ?"
_COUNTED = "INSERT OR IGNORE INTO access (memory, request, at) VALUES (?, ?, ?)"
_KEEP = f"UPDATE memory SET {', '.join(f'{name} = ?' for name in STATISTICS)}, revision = ? WHERE seq = ?"  # noqa: S608 -- constants only
_READ = f"SELECT importance, {', '.join(STATISTICS)} FROM memory WHERE id = ?"  # noqa: S608 -- constants only
_PAIR = """
SELECT p.count, p.last, coalesce(e.weight, 0.0) FROM pair AS p
LEFT JOIN edge AS e ON e.source = p.low AND e.target = p.high AND e.kind = 'associated'
WHERE p.low = ? AND p.high = ?"""
_JOINT = """
SELECT low, high, count, last FROM pair WHERE low IN (SELECT value FROM json_each(?1))
UNION ALL
SELECT high, low, count, last FROM pair WHERE high IN (SELECT value FROM json_each(?1))"""
_PAIRS_OF = """
SELECT l.id, h.id, p.count, p.last FROM pair AS p JOIN memory AS l ON l.seq = p.low JOIN memory AS h ON h.seq = p.high
WHERE p.low = (SELECT seq FROM memory WHERE id = ?1) OR p.high = (SELECT seq FROM memory WHERE id = ?1)
ORDER BY p.low, p.high"""
_PUT_PAIR = """
INSERT INTO pair (low, high, count, last) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (low, high) DO UPDATE SET count = excluded.count, last = excluded.last"""


def record(
    connection: apsw.Connection,
    request: str,
    used: Mapping[str, Callable[[Statistics], Statistics]],
    *,
    now: datetime,
    pairs: Iterable[tuple[str, str]] = (),
    grow: Callable[[str, str, Link], Link] | None = None,
) -> list[str]:
    """Count the memories that a request used, each once, however often this is called for it (A18, X10).

    The change is a function of the statistics as they stand in the file, so that nobody's access is lost. Innate
    memories are counted and never change.

    Args:
        connection: The writer's, inside a transaction.
        request: The id of the request.
        used: For each id, what one access makes of its statistics.
        now: The present.
        pairs: Ids of memories that were used together (C11); those of two namespaces or users are none.
        grow: What one joint use makes of a pair; None counts it only.

    Returns:
        The ids that this request had not counted yet.
    """
    at = micros(now)
    fresh: dict[str, tuple[int, tuple[str, str]]] = {}
    revision = 0
    for id_, change in used.items():
        row = connection.execute(_ROW, (id_,)).fetchone()
        if row is None:  # it was forgotten meanwhile
            continue
        seq, class_, *place = row
        connection.execute(_COUNTED, (seq, request, at))
        if not connection.changes():
            continue
        fresh[id_] = seq, (place[0], place[1])
        if class_ != MemoryClass.INNATE.value:
            revision = revision or next_revision(connection)
            values = statistics_values(change(_statistics(connection, id_)))
            connection.execute(_KEEP, (*values, revision, seq))
    for one, other in pairs:
        if one in fresh and other in fresh and fresh[one][1] == fresh[other][1]:
            _join(connection, (one, fresh[one][0]), (other, fresh[other][0]), grow, now)
    return list(fresh)


def pair(connection: apsw.Connection, one: int, other: int) -> Link:
    """Return what is known of two memories that were used together."""
    low, high = sorted((one, other))
    row = connection.execute(_PAIR, (low, high)).fetchone()
    return Link() if row is None else Link(row[0], row[2], row[1] / _MILLION)


def joint(connection: apsw.Connection, seqs: Iterable[int], settings: LinkSettings) -> list[Near]:
    """Return pairs at some memories as `edges.near` returns links, as strong as they were often used (D20)."""
    return [
        Near(seq, other, EdgeKind.ASSOCIATED, retrieved(count, settings), last / _MILLION)
        for seq, other, count, last in connection.execute(_JOINT, (json.dumps(list(seqs)),))
    ]


def counted(connection: apsw.Connection, id_: str, found: Iterable[Edge], settings: LinkSettings) -> list[Edge]:
    """Return the edges of a memory with its pairs in the place of the links that grew by activity (D20)."""
    others = [edge for edge in found if edge.kind is not EdgeKind.ASSOCIATED]
    for low, high, count, last in connection.execute(_PAIRS_OF, (id_,)):
        at = from_micros(last)
        others.append(Edge(low, high, EdgeKind.ASSOCIATED, retrieved(count, settings), count, at, at, {}))
    return others


def adjust_heat(connection: apsw.Connection, id_: str, amount: float, *, now: datetime) -> float:
    """Add to a memory's heat by hand, which stays (A40, E-06); return its whole bias.

    Raises:
        UsageError: There is none of this id.
        ProtectedError: It is innate.
    """
    seq = mutable(connection, id_)
    old = _statistics(connection, id_).heat_bias
    bias = round(min(_BIAS_MOST, max(-_BIAS_MOST, old + amount)), 9)
    connection.execute(
        "UPDATE memory SET heat_bias = ?, revision = ? WHERE seq = ?", (bias, next_revision(connection), seq)
    )
    note(connection, seq, "heat", {"old": old, "new": bias}, now=now)
    return bias


def _statistics(connection: apsw.Connection, id_: str) -> Statistics:
    (row,) = connection.execute(_READ, (id_,))
    return statistics_of(row[0], row[1:])


def _join(
    connection: apsw.Connection,
    one: tuple[str, int],
    other: tuple[str, int],
    grow: Callable[[str, str, Link], Link] | None,
    now: datetime,
) -> None:
    known = pair(connection, one[1], other[1])
    at = micros(now)
    after = grow(one[0], other[0], known) if grow else Link(known.count + 1, known.weight, at / _MILLION)
    low, high = sorted((one[1], other[1]))
    connection.execute(_PUT_PAIR, (low, high, after.count, at))
    if grow and after.weight > 0:
        edges.put(connection, low, EdgeKind.ASSOCIATED, high, weight=after.weight, count=after.count, now=now)
