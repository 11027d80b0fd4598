"""Tests of nola.memory.likeness: edges between facts that are much alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.memory.axes import EdgeKind
from nola.memory.links import jaccard
from tests.memory.engines import memory_of
from tests.memory.making import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.learned import Memory
    from nola.testing import ManualClock

PAIRS = "SELECT source, target, round(weight, 9) FROM edge WHERE kind = 'similar_to' ORDER BY 1, 2"


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """An empty memory that knows words alone."""
    with memory_of(tmp_path / "memory.db", clock) as opened:
        yield opened


def said(n: int) -> str:
    """A text that is much like some of its neighbours."""
    return f"word{n} word{n + 1} word{n + 2} word{n + 3} and more{n % 5}"


@pytest.mark.row("B24")
@pytest.mark.row("B25")
def test_all_that_are_alike_are_joined(memory: Memory) -> None:
    """Exactly the pairs above the threshold have one edge each, seen from both ends."""
    ids = memory.store_many([{"content": said(n)} for n in range(150)])
    assert memory.wait_indexed(30)
    expected = {
        (a + 1, b + 1, round(score, 9))
        for b in range(150)
        for a in range(b)
        if (score := jaccard(said(a), said(b))) > 0.3
    }
    assert set(rows(memory.engine.database, PAIRS)) == expected
    assert memory.edges(ids[3], "similar_to")[0] in memory.edges(memory.edges(ids[3])[0].other(ids[3]), "similar_to")


@pytest.mark.row("B28")
def test_values_that_contradict_are_noted(memory: Memory) -> None:
    """The edge names what differs."""
    id_ = memory.store("Ada has won 9 gold medals")
    memory.store("Ada has won 10 gold medals")
    (edge,) = memory.edges(id_, EdgeKind.SIMILAR_TO)
    assert edge.properties["method"] == "jaccard"
    metadata = edge.properties["metadata"]
    assert isinstance(metadata, dict)
    assert (metadata["contradiction"], metadata["values"]) == (True, ["9", "10"])


def test_only_facts_of_one_namespace(memory: Memory) -> None:
    """Another kind, or another namespace, is never joined."""
    id_ = memory.store("Ada has won 9 gold medals")
    memory.store("Ada has won 9 gold medals", namespace="work")
    memory.store("Ada has won 9 gold medals", kind="episodic")
    assert memory.edges(id_) == []


def test_a_new_start_joins_with_what_was_there(tmp_path: Path, clock: ManualClock) -> None:
    """What comes after a restart finds its likes of before; what was joined is not touched again."""
    path = tmp_path / "memory.db"
    with memory_of(path, clock) as memory:
        first = memory.store("Ada has won 9 gold medals")
        second = memory.store("Ada has won 8 gold medals")
        before = memory.edges(first)
    clock.advance(60)
    with memory_of(path, clock) as memory:
        assert memory.edges(first) == before
        third = memory.store("Ada has won 7 gold medals")
        assert {edge.other(third) for edge in memory.edges(third)} == {first, second}
        assert memory.edges(first)[0] == before[0]


def test_what_is_reworded_is_judged_anew(memory: Memory) -> None:
    """An edge goes with the likeness, and comes with it."""
    one = memory.store("Ada has won 9 gold medals")
    two = memory.store("Ada has won 8 gold medals")
    three = memory.store("The ferry leaves at nine")
    assert len(memory.edges(one)) == 1
    memory.engine.memories.update(two, {"content": "The ferry leaves at ten"})
    assert memory.edges(one) == []
    assert [edge.other(two) for edge in memory.edges(two)] == [three]
