"""What use makes of memories by a document's own rules: replayed from the log of accesses when it is read (X02).

What is written grows by Nola's rules under every profile, so that the same use leaves the same file. A profile whose
document has other rules applies them to the log.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from nola.memory.axes import Kind, MemoryClass
from nola.memory.dynamics.base import Row
from nola.memory.instants import micros, seconds
from nola.memory.memory_rows import STATISTICS, statistics_of, statistics_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    import apsw

    from nola.memory.dynamics.model import Dynamics
    from nola.memory.finding import Change
    from nola.memory.record import Record

__all__ = ["practised", "row_of", "seen_under"]

_MILLION = 1_000_000
_EVER = 2**63 - 1
_USES = """
SELECT memory, at FROM access WHERE memory IN (SELECT value FROM json_each(?)) AND at <= ? ORDER BY memory, at"""
_STARTS = """
SELECT memory, detail FROM event
WHERE memory IN (SELECT value FROM json_each(?)) AND number = 0 AND what = 'stored' AND detail <> '{}'"""
_GROWN = ("stability_days", "stability", "r1", "r2", "chain_at")


def practised(
    connection: apsw.Connection, dynamics: Dynamics, rows: Mapping[int, Row], as_of: datetime | None = None
) -> dict[int, Row]:
    """Return memories with the stabilities and traces that the profile's own rules make of their uses.

    One whose log does not hold all of its uses stays as it is written, as does one that is innate.

    Args:
        connection: A reader's.
        dynamics: The rules.
        rows: Memories by their number.
        as_of: Uses until then alone; None for all.
    """
    if not dynamics.profile.is_literal:
        return dict(rows)
    wanted = json.dumps(list(rows))
    until = _EVER if as_of is None else micros(as_of)
    logged = groupby(connection.execute(_USES, (wanted, until)), itemgetter(0))
    used = {seq: [at / _MILLION for _, at in uses] for seq, uses in logged}
    starts = {seq: _start(json.loads(said)) for seq, said in connection.execute(_STARTS, (wanted,))}
    found = {}
    for seq, row in rows.items():
        uses, stat = used.get(seq, []), row.statistics
        if row.innate or len(uses) != stat.access_count:
            found[seq] = row
            continue
        own = dynamics.practised(row.kind, stat.created_s, uses, **starts.get(seq, {}))
        found[seq] = replace(
            row,
            statistics=replace(
                stat, stability=own.stability, stability_days=own.stability_days, r1=own.r1, r2=own.r2,
                chain_s=own.chain_s,
            ),
        )  # fmt: skip
    return found


def row_of(record: Record) -> Row:
    """Return a memory as a strategy sees it, with the statistics that are written."""
    return Row(
        record.statistics, record.kind, record.is_innate, record.level, record.confidence, record.id,
        seconds(record.updated),
    )  # fmt: skip


def seen_under(dynamics: Dynamics) -> Callable[[apsw.Connection, Sequence[Change]], list[Change]] | None:
    """Return what makes of changed rows those that an index under these rules takes in; None when they are the same."""
    if not dynamics.ranks_by_replay:
        return None
    return lambda connection, changes: _seen(connection, dynamics, changes)


def _seen(connection: apsw.Connection, dynamics: Dynamics, changes: Sequence[Change]) -> list[Change]:
    rows = {
        one.seq: Row(
            statistics_of(one.importance, [getattr(one, name) for name in STATISTICS]),
            Kind(one.kind),
            innate=one.memory_class == MemoryClass.INNATE,
        )
        for one in changes
    }
    grown = practised(connection, dynamics, rows)
    return [one._replace(**_columns(grown[one.seq])) for one in changes]


def _start(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: said.get(name) for name in ("stability", "stability_days")}


def _columns(row: Row) -> dict[str, Any]:
    values = dict(zip(STATISTICS, statistics_values(row.statistics), strict=True))
    return {name: values[name] for name in _GROWN}
