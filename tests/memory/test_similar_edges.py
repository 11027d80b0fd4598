"""Tests of nola.memory.similar_edges: what stands on the edges between facts that are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.memory import derived, similar_edges
from nola.memory.axes import EdgeKind
from nola.memory.conflict import Conflict
from nola.memory.similar_edges import Known
from tests.memory.making import put

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.memory.database import Database
    from nola.memory.memories import Memories


def known(database: Database, row: int) -> dict[int, Known]:
    """What a fact is joined to."""
    with database.reading() as connection:
        return similar_edges.known(connection, row)


def tell(
    memories: Memories, row: int, other: int, values: Mapping[str, float], conflict: Conflict | None = None
) -> None:
    """Write what two facts are alike by."""
    database = memories.database
    now = database.clock.now()
    database.write(lambda writer: similar_edges.tell(writer, row, other, values, conflict=conflict, now=now))


@pytest.mark.row("B24")
def test_what_is_told_is_known_from_either_end(memories: Memories) -> None:
    """The values by each method, with the other fact's text; without any the edge goes."""
    ids = [put(memories, text, kind="semantic") for text in ("one", "two")]
    tell(memories, 1, 0, {"cosine": 0.9, "jaccard": 0.5}, Conflict("a", "b", "c"))
    (edge,) = memories.edges(ids[0], EdgeKind.SIMILAR_TO)
    assert (edge.source, edge.target, edge.weight) == (ids[0], ids[1], 0.5)
    assert known(memories.database, 0) == {1: Known("two", akin=True, values={"jaccard": 0.5, "cosine": 0.9})}
    assert known(memories.database, 1) == {0: Known("one", akin=True, values={"jaccard": 0.5, "cosine": 0.9})}
    tell(memories, 0, 1, {})
    assert known(memories.database, 0) == {}
    assert memories.edges(ids[0]) == []


def test_an_edge_that_can_not_be_is_none(memories: Memories) -> None:
    """Of another namespace, user or kind, or gone: nothing is written, and nothing is raised."""
    put(memories, "one", kind="semantic")
    put(memories, "two", kind="semantic", namespace="work")
    put(memories, "three", kind="semantic", user="eve")
    put(memories, "four", kind="episodic")
    for other in (1, 2, 3, 77):
        tell(memories, 0, other, {"cosine": 0.9})
    assert known(memories.database, 0) == {}


def test_facts_that_went_elsewhere_are_no_kin(memories: Memories) -> None:
    """An edge from before one of the two became another user's is told apart."""
    put(memories, "one", kind="semantic")
    two = put(memories, "two", kind="semantic")
    tell(memories, 0, 1, {"jaccard": 0.5})
    memories.update(two, {"user": "eve"})
    assert known(memories.database, 0) == {1: Known("two", akin=False, values={"jaccard": 0.5})}


def test_rewording_drops_the_vector(memories: Memories) -> None:
    """A fact has a vector from its making until its text changes."""
    id_ = put(memories, "one", kind="semantic")

    def has() -> bool:
        with memories.database.reading() as connection:
            return similar_edges.has_vector(connection, 0)

    assert not has()
    memories.database.write(lambda writer: derived.put_vectors(writer, "words", [1], np.ones((1, 4), dtype=np.float32)))
    assert has()
    memories.update(id_, {"content": "another"})
    assert not has()
