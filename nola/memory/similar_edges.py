"""The edges between facts that are alike: one a pair, on which stands by which methods it was found, and how near."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.errors import NolaError
from nola.memory import edges
from nola.memory.axes import EdgeKind
from nola.memory.links import METHODS, similar_properties, similarities

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import apsw

    from nola.memory.conflict import Conflict

__all__ = ["Known", "has_vector", "known", "tell"]

_KNOWN = """
SELECT other.seq - 1, other.content, other.namespace = mine.namespace AND other.user = mine.user, e.properties
FROM edge AS e JOIN memory AS mine ON mine.seq = ?1 JOIN memory AS other ON other.seq = e.source + e.target - ?1
WHERE e.kind = 'similar_to' AND (e.source = ?1 OR e.target = ?1)"""


@dataclass(frozen=True, slots=True)
class Known:
    """A fact that another one is joined to.

    Attributes:
        content: What it says.
        akin: The two are of one namespace and one user.
        values: The similarity by each method that found it.
    """

    content: str
    akin: bool
    values: Mapping[str, float]


def known(connection: apsw.Connection, row: int) -> dict[int, Known]:
    """Return what a fact is joined to as alike, by row."""
    return {
        other: Known(content, bool(akin), similarities(json.loads(said)))
        for other, content, akin, said in connection.execute(_KNOWN, (row + 1,))
    }


def has_vector(connection: apsw.Connection, row: int) -> bool:
    """Tell whether a fact has a vector of its present text; rewording drops the old ones."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM vector WHERE memory = ?)", (row + 1,)).get)


def tell(
    connection: apsw.Connection,
    row: int,
    other: int,
    values: Mapping[str, float],
    *,
    conflict: Conflict | None,
    now: datetime,
) -> None:
    """Let the edge of two facts say how similar they are by each method; without any it goes.

    Args:
        connection: The writer's, inside a transaction.
        row: The one fact.
        other: The other one.
        values: The similarity by each method.
        conflict: The values that contradict each other, if they do.
        now: The present.
    """
    ends = row + 1, EdgeKind.SIMILAR_TO, other + 1
    if not values:
        edges.remove(connection, *ends)
        return
    weight = next(values[method] for method in METHODS if method in values)
    with suppress(NolaError):  # one of the two is gone, or somebody else's or another kind of memory by now
        edges.put(connection, *ends, now=now, weight=weight, properties=similar_properties(values, conflict))
