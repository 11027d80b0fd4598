"""Tests of edges: which memories may be joined, what an edge tells, and that symmetric ones are seen from both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest

from nola.errors import UsageError
from nola.memory import edges
from nola.memory.axes import EdgeKind, Kind
from tests.memory.making import put, rows

if TYPE_CHECKING:
    from nola.memory.database import Database
    from nola.memory.memories import Memories
    from nola.testing import ManualClock
    from nola.types import Json

WITH_PROPERTIES: list[tuple[EdgeKind, Kind, Kind, dict[str, Json]]] = [
    (
        EdgeKind.SIMILAR_TO,
        Kind.SEMANTIC,
        Kind.SEMANTIC,
        {"similarity_score": 0.4, "method": "jaccard", "metadata": {"contradiction": True, "values": ["9", "10"]}},
    ),
    (EdgeKind.DERIVES_FROM, Kind.SEMANTIC, Kind.EPISODIC, {"extraction_method": "rules", "confidence": 0.9}),
    (EdgeKind.PROCEDURE_DERIVES_FROM, Kind.PROCEDURAL, Kind.EPISODIC, {"extraction_method": "rules"}),
    (EdgeKind.CONSOLIDATES, Kind.SUMMARY, Kind.EPISODIC, {"consolidation_method": "cluster"}),
    (EdgeKind.ATTENDED_TO, Kind.SENSORY, Kind.EPISODIC, {"attention_reason": "it barked"}),
]


@pytest.mark.row("B54", "B53")
@pytest.mark.parametrize(("kind", "source", "target", "properties"), WITH_PROPERTIES, ids=lambda value: str(value)[:20])
def test_each_property_comes_back(
    memories: Memories, kind: EdgeKind, source: Kind, target: Kind, properties: dict[str, Json]
) -> None:
    """The five kinds of the document keep what they tell, also after the file was closed."""
    ends = put(memories, "one", kind=source), put(memories, "two", kind=target)
    memories.link(ends[0], kind, ends[1], properties=properties)
    memories.database.close()
    (edge,) = memories.edges(ends[0])
    assert (edge.source, edge.target, edge.kind, edge.properties) == (*ends, kind, properties)
    assert edge.other(ends[0]) == ends[1]
    assert edge.other(ends[1]) == ends[0]


@pytest.mark.row("B54")
@pytest.mark.parametrize(("kind", "source", "target"), [row[:3] for row in WITH_PROPERTIES])
def test_wrong_ends_are_refused(memories: Memories, kind: EdgeKind, source: Kind, target: Kind) -> None:
    """An edge of these kinds joins only the kinds of memories that the document names."""
    wrong = put(memories, "wrong", kind=Kind.PROSPECTIVE)
    right = {end: put(memories, end.value, kind=end) for end in (source, target)}
    for ends in ((wrong, right[target]), (right[source], wrong)):
        with pytest.raises(UsageError, match=f"an edge {kind} leads from a {source} to a {target} memory"):
            memories.link(ends[0], kind, ends[1])


@pytest.mark.row("X05")
@pytest.mark.parametrize("kind", [EdgeKind.CITES, EdgeKind.CONTRADICTS, EdgeKind.PARENT_OF, EdgeKind.ASSOCIATED])
def test_other_edges_join_anything(memories: Memories, kind: EdgeKind) -> None:
    """The remaining kinds join memories of any kind."""
    ends = put(memories, "one", kind="episodic"), put(memories, "two", kind="procedural")
    memories.link(ends[1], kind, ends[0])
    assert [edge.kind for edge in memories.edges(ends[0])] == [kind]


@pytest.mark.row("X05")
def test_the_table_knows_the_ten_kinds(memories: Memories, opened: Database) -> None:
    """Every kind of the enum is accepted by the database, and nothing else."""
    one, two = (memories.get(put(memories, text)).seq for text in ("one", "two"))
    put_raw = "INSERT INTO edge (source, target, kind, created, last) VALUES (?, ?, ?, 1, 1)"
    for kind in EdgeKind:
        opened.write(lambda c, kind=kind: c.execute(put_raw, (one, two, kind.value)))  # type: ignore[misc]
    with pytest.raises(apsw.ConstraintError):
        opened.write(lambda c: c.execute(put_raw, (one, two, "friend_of")))
    assert rows(opened, "SELECT count(*) FROM edge") == [(10,)]


@pytest.mark.row("B25")
def test_a_symmetric_edge_is_one_row(memories: Memories, opened: Database) -> None:
    """Made from either end it is stored once, and each end finds the other once."""
    one, two = put(memories, "one"), put(memories, "two")
    memories.link(one, EdgeKind.SIMILAR_TO, two, weight=0.4)
    memories.link(two, EdgeKind.SIMILAR_TO, one, weight=0.5)
    assert rows(opened, "SELECT source, target, weight FROM edge") == [(1, 2, 0.5)]
    assert [edge.other(one) for edge in memories.edges(one)] == [two]
    assert [edge.other(two) for edge in memories.edges(two)] == [one]
    with opened.reading() as connection:
        near = edges.near(connection, [1, 2, 99], [EdgeKind.SIMILAR_TO])
        assert sorted((end.seq, end.other, end.weight) for end in near) == [(1, 2, 0.5), (2, 1, 0.5)]
        assert edges.near(connection, [1, 2], [EdgeKind.ASSOCIATED]) == []


def test_a_directed_edge_has_two_directions(memories: Memories, opened: Database) -> None:
    """From one to the other and back are two edges."""
    one, two = put(memories, "one"), put(memories, "two")
    memories.link(one, EdgeKind.CITES, two)
    memories.link(two, EdgeKind.CITES, one)
    assert rows(opened, "SELECT source, target FROM edge ORDER BY source") == [(1, 2), (2, 1)]
    assert memories.edges(one, EdgeKind.CITES) == memories.edges(two)
    assert memories.edges(one, EdgeKind.PARENT_OF) == []


@pytest.mark.row("D19")
@pytest.mark.parametrize("weight", [-0.01, 1.01, float("nan")])
def test_a_weight_lies_between_0_and_1(memories: Memories, weight: float) -> None:
    """Another number is refused in one sentence."""
    one, two = put(memories, "one"), put(memories, "two")
    with pytest.raises(UsageError, match="weight takes a number from 0 to 1"):
        memories.link(one, EdgeKind.CITES, two, weight=weight)


def test_what_can_not_be_joined_is_refused(memories: Memories, opened: Database) -> None:
    """A memory with itself, one that is not there, and a property that the kind does not have."""
    one, two = put(memories, "one"), put(memories, "two")
    with pytest.raises(UsageError, match="can't be cites itself"):
        memories.link(one, EdgeKind.CITES, one)
    with pytest.raises(UsageError, match="no memory has the id"):
        memories.link(one, EdgeKind.CITES, "nowhere")
    with pytest.raises(UsageError, match="needs two memories"):
        opened.write(lambda c: edges.put(c, 1, EdgeKind.CITES, 99, now=opened.clock.now()))
    with pytest.raises(UsageError, match="has no property 'mood'"):
        memories.link(one, EdgeKind.SIMILAR_TO, two, properties={"mood": 1})


@pytest.mark.row("A30", "D44")
def test_an_edge_does_not_lead_into_another_namespace(memories: Memories) -> None:
    """What one namespace holds can't be reached from another."""
    one, two = put(memories, "one", namespace="a"), put(memories, "two", namespace="b")
    with pytest.raises(UsageError, match="can't lead into another namespace"):
        memories.link(one, EdgeKind.CITES, two)
    assert memories.edges(two) == []


@pytest.mark.row("D44")
def test_an_edge_does_not_lead_to_another_user(memories: Memories) -> None:
    """Nor to a memory of nobody's; two of one user's are joined."""
    one, other = put(memories, "one", user="ada"), put(memories, "other", user="ada")
    for two in (put(memories, "two", user="eve"), put(memories, "two")):
        with pytest.raises(UsageError, match="can't lead to another user's memory"):
            memories.link(one, EdgeKind.CITES, two)
    memories.link(one, EdgeKind.CITES, other)
    assert [edge.target for edge in memories.edges(one)] == [other]


def test_an_edge_can_be_taken_away(memories: Memories, opened: Database, clock: ManualClock) -> None:
    """A symmetric one from either end; what is not there is no error."""
    one, two = put(memories, "one"), put(memories, "two")
    memories.link(one, EdgeKind.ASSOCIATED, two)
    assert opened.write(lambda c: edges.remove(c, 2, EdgeKind.ASSOCIATED, 1))
    assert not opened.write(lambda c: edges.remove(c, 2, EdgeKind.ASSOCIATED, 1))
    assert memories.edges(one) == []
    assert clock.now() == opened.clock.now()
