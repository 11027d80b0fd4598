"""Tests of nola.memory.likeness: edges between facts that are much alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nola.memory.axes import EdgeKind
from nola.memory.links import jaccard
from nola.settings import LinkSettings, Settings
from tests.memory.engines import memory_of
from tests.memory.golden import golden
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


@pytest.mark.row("A30", "D44")
@pytest.mark.parametrize("elsewhere", [{"namespace": "work"}, {"user": "eve"}])
def test_what_is_alike_elsewhere_pushes_nothing_out(memory: Memory, elsewhere: dict[str, str]) -> None:
    """Thirty that are more alike, of another namespace or user, leave every one of one's own its edge."""
    own = memory.store_many([{"content": f"Ada has won {n} gold medals at home"} for n in range(5)])
    others = memory.store_many([{"content": "Ada has won 9 gold medals", **elsewhere} for _ in range(30)])
    last = memory.store("Ada has won 9 gold medals")
    assert {edge.other(last) for edge in memory.edges(last, "similar_to")} == set(own)
    assert all(edge.other(others[7]) in others for edge in memory.edges(others[7], "similar_to"))
    assert len(memory.edges(others[29], "similar_to")) == 20


def test_what_goes_to_another_user_leaves_its_edges(memory: Memory) -> None:
    """A fact that becomes another user's is alike to theirs from then on, and pushes out nothing where it was."""
    one, two = memory.store_many([{"content": f"Ada has won {n} gold medals"} for n in (8, 9)])
    theirs = memory.store("Ada has won 7 gold medals", user="eve")
    assert len(memory.edges(one)) == 1
    memory.engine.memories.update(two, {"user": "eve"})
    assert memory.edges(one) == []
    assert [edge.other(two) for edge in memory.edges(two)] == [theirs]


def test_what_was_purged_pushes_nothing_out(memory: Memory) -> None:
    """Thirty that are gone leave room for the one that is there."""
    own = memory.store("Ada has won 9 gold medals at home")
    gone = memory.store_many([{"content": "Ada has won 9 gold medals"} for _ in range(30)])
    assert len(memory.edges(own)) >= 20
    memory.engine.memories.purge(gone)
    last = memory.store("Ada has won 9 gold medals")
    assert [edge.other(last) for edge in memory.edges(last)] == [own]


@pytest.mark.row("B24")
def test_no_more_are_joined_than_the_setting_says(memory: Memory) -> None:
    """Of sixty that are alike the last has twenty edges, to the oldest of the most similar."""
    ids = memory.store_many([{"content": "Ada has won 9 gold medals"} for _ in range(60)])
    assert {edge.other(ids[59]) for edge in memory.edges(ids[59], "similar_to")} == set(ids[:20])
    assert len(rows(memory.engine.database, PAIRS)) == sum(min(n, 20) for n in range(60))


@pytest.mark.row("B24", "X06")
@pytest.mark.parametrize("row", golden("001.jaccard"), ids=str)
def test_the_documents_pairs_are_joined_as_they_say(memory: Memory, row: dict[str, Any]) -> None:
    """The golden values 001.jaccard: an edge with the similarity, or none."""
    ids = memory.store_many([{"content": row["a"]}, {"content": row["b"]}])
    assert memory.wait_indexed(30)
    found = memory.edges(ids[0], "similar_to")
    assert [edge.other(ids[0]) for edge in found] == ([ids[1]] if row["edge"] else [])
    for edge in found:
        assert edge.properties["method"] == "jaccard"
        assert edge.properties["similarity_score"] == pytest.approx(row["j"], abs=1e-6)


@pytest.mark.row("C13", "X06")
@pytest.mark.parametrize("row", golden("002.hebb"), ids=str)
def test_the_documents_growth_is_on_the_edge(tmp_path: Path, clock: ManualClock, row: dict[str, float]) -> None:
    """The golden values 002.hebb: what one joint use adds to the weight, where the first already makes a link."""
    settings = Settings(links=LinkSettings(theta=1, eta=row["eta"]))
    with memory_of(tmp_path / "memory.db", clock, settings=settings) as memory:
        ids = memory.store_many([{"content": "The ferry leaves at nine"}, {"content": "Ada likes tea"}])
        memory.engine.count(ids, activations=[row["ai"], row["aj"]])
        assert sum(edge.weight for edge in memory.edges(ids[0], "associated")) == pytest.approx(row["dw"], abs=1e-9)


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
