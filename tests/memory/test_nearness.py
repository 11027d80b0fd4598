"""Tests of nola.memory.nearness: edges between facts whose vectors are near."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from nola.memory.links import jaccard
from nola.memory.nearness import Nearness
from nola.settings import LinkSettings, Settings
from tests.memory.engines import memory_of
from tests.memory.fakes import WordVectors
from tests.memory.making import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from nola.learned import Memory
    from nola.testing import ManualClock
    from nola.types import Json

SAME = {"automobile": "car", "vehicle": "car", "huge": "big", "crimson": "red", "colossal": "big"}
NOUNS = ["car", "automobile", "boat", "tart", "house", "vehicle"]
EDGES = "SELECT source - 1, target - 1, properties ->> 'method' FROM edge WHERE kind = 'similar_to' ORDER BY 1, 2"


@pytest.fixture
def embedder() -> WordVectors:
    """Knows that some words mean the same."""
    return WordVectors(same=SAME)


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock, embedder: WordVectors) -> Iterator[Memory]:
    """An empty memory."""
    with memory_of(tmp_path / "memory.db", clock, embedder) as opened:
        yield opened


def said(memory: Memory, id_: str) -> list[Mapping[str, Json]]:
    """What stands on the edges of a fact, once all are made."""
    assert memory.wait_indexed(30)
    return [edge.properties for edge in memory.edges(id_, "similar_to")]


def edges(memory: Memory) -> list[Any]:
    """All edges: the rows, and by which methods they were found."""
    assert memory.wait_indexed(30)
    return rows(memory.engine.database, EDGES)


@pytest.mark.row("X05")
def test_what_means_the_same_is_joined(memory: Memory) -> None:
    """Two facts with hardly a word in common have an edge by cosine; a third that only shares a word has none."""
    texts = ("big red car", "huge crimson vehicle", "big apple tart")
    one, two, three = memory.store_many([{"content": text} for text in texts])
    assert said(memory, two) == [{"similarity_score": 1.0, "method": "cosine", "metadata": {}}]
    assert [(edge.other(two), edge.weight) for edge in memory.edges(two)] == [(one, 1.0)]
    assert said(memory, three) == []


def test_one_edge_tells_both_methods(memory: Memory) -> None:
    """Where words and meaning agree, each value stands on the one edge, and so does what contradicts."""
    texts = [f"Ada Lovelace from London has won {n} gold medals so far" for n in (9, 10)]
    ids = memory.store_many([{"content": text} for text in texts])
    (properties,) = said(memory, ids[0])
    with memory.engine.keeper.index() as index:
        assert index.dense is not None
        cosine = round(index.dense.between(0, 1), 6)
    metadata = properties["metadata"]
    assert isinstance(metadata, dict)
    assert properties["method"] == "jaccard, cosine"
    assert properties["similarity_score"] == metadata["jaccard"] == jaccard(*texts)
    assert metadata["cosine"] == cosine >= 0.85
    assert (metadata["contradiction"], metadata["values"]) == (True, ["9", "10"])
    assert [edge.properties for edge in memory.edges(ids[1])] == [properties]


def test_every_edge_tells_all_methods_that_hold(memory: Memory) -> None:
    """Also where one of the two methods had twenty others that are more alike: no edge tells less than is so."""
    memory.store_many([{"content": f"Ada Lovelace has won {n} gold medals so far"} for n in range(60)])
    told = edges(memory)
    texts = [f"Ada Lovelace has won {n} gold medals so far" for n in range(60)]
    with memory.engine.keeper.index() as index:
        assert index.dense is not None
        for low, high, method in told:
            near = round(index.dense.between(low, high), 6) >= 0.85
            alike = jaccard(texts[low], texts[high]) > 0.3
            assert method == ", ".join(["jaccard"] * alike + ["cosine"] * near), (low, high)
    assert {method for *_, method in told} == {"jaccard", "jaccard, cosine"}


def test_the_cosine_is_the_setting_or_more(tmp_path: Path, clock: ManualClock, embedder: WordVectors) -> None:
    """Exactly as near as the setting asks for is near enough, and a little less is not."""
    texts = [{"content": "Benny drives boats"}, {"content": "Benny drives trams"}]
    with memory_of(tmp_path / "memory.db", clock, embedder) as memory:
        memory.store_many(texts)
        assert edges(memory) == [(0, 1, "jaccard")]
        with memory.engine.keeper.index() as index:
            assert index.dense is not None
            cosine = round(index.dense.between(0, 1), 6)
    for name, least, method in (("a", cosine, "jaccard, cosine"), ("b", cosine + 1e-6, "jaccard")):
        settings = Settings(links=LinkSettings(cosine=least))
        with memory_of(tmp_path / f"{name}.db", clock, embedder, settings=settings) as memory:
            memory.store_many(texts)
            assert edges(memory) == [(0, 1, method)]


@pytest.mark.row("A30", "D44")
@pytest.mark.parametrize("elsewhere", [{"namespace": "work"}, {"user": "eve"}, {"kind": "episodic"}])
def test_only_facts_of_one_owner(memory: Memory, elsewhere: dict[str, str]) -> None:
    """Thirty that mean the same elsewhere are not joined, and leave one's own its edge."""
    one, two = memory.store_many([{"content": "big red car"}, {"content": "huge crimson vehicle"}])
    memory.store_many([{"content": "big crimson automobile", **elsewhere} for _ in range(30)])
    assert [edge.other(one) for edge in memory.edges(one)] == []
    assert len(said(memory, one)) == 1
    assert [edge.other(one) for edge in memory.edges(one)] == [two]


def test_no_more_than_the_setting_says(tmp_path: Path, clock: ManualClock, embedder: WordVectors) -> None:
    """Of ten that mean the same each is joined to three before it and no more, the oldest."""
    settings = Settings(links=LinkSettings(jaccard=1.0, similar_most=3))
    with memory_of(tmp_path / "memory.db", clock, embedder, settings=settings) as memory:
        memory.store_many([{"content": "big red car"} for _ in range(10)])
        found = edges(memory)
    assert found == [(low, high, "cosine") for low in range(3) for high in range(low + 1, 10)]


@pytest.mark.parametrize("seed", range(3))
def test_all_pairs_that_are_near(tmp_path: Path, clock: ManualClock, embedder: WordVectors, seed: int) -> None:
    """Exactly the pairs whose vectors are near have a cosine on their edge, after rewording and purging too."""
    draw = random.Random(seed)  # noqa: S311 -- the same facts each time
    settings = Settings(links=LinkSettings(similar_most=1000))

    def text() -> str:
        return " ".join(draw.choice(words) for words in (["big", "huge"], ["red", "crimson"], NOUNS, NOUNS))

    with memory_of(tmp_path / "memory.db", clock, embedder, settings=settings) as memory:
        ids = memory.store_many([{"content": text()} for _ in range(40)])
        assert memory.wait_indexed(30)
        for id_ in ids[::4]:
            memory.engine.memories.update(id_, {"content": text()})
        memory.engine.memories.purge(ids[3:6])
        memory.store("The ferry leaves at nine")
        found = {(low, high) for low, high, method in edges(memory) if "cosine" in method}
        with memory.engine.keeper.index() as index:
            dense = index.dense
            assert dense is not None
            pairs = [(low, high) for high in range(41) for low in range(high)]
            near = {pair for pair in pairs if round(dense.between(*pair), 6) >= 0.85}
    assert found == near
    assert len(near) > 20


def test_what_is_reworded_is_judged_anew(memory: Memory) -> None:
    """A cosine goes with the meaning: from an edge that words keep, and with one that nothing keeps."""
    one = memory.store("Ada owns a big red car in Rome")
    memory.store("Ada owns a huge crimson automobile in Rome")
    memory.store("huge crimson car")
    three = memory.store("colossal red vehicle")
    assert edges(memory) == [(0, 1, "jaccard, cosine"), (2, 3, "cosine")]
    memory.engine.memories.update(one, {"content": "Ada owns a small blue boat in Rome"})
    memory.engine.memories.update(three, {"content": "The ferry leaves at nine"})
    assert edges(memory) == [(0, 1, "jaccard")]


def test_a_new_start_looks_at_what_is_new(tmp_path: Path, clock: ManualClock, embedder: WordVectors) -> None:
    """What was looked at is not touched again, unless another model makes other vectors."""
    path = tmp_path / "memory.db"
    with memory_of(path, clock, embedder) as memory:
        one = memory.store_many([{"content": "big red car"}, {"content": "huge crimson vehicle"}])[0]
        assert memory.wait_indexed(30)
        before = memory.edges(one)
    clock.advance(60)
    with memory_of(path, clock, embedder) as memory:
        memory.engine.keeper.notice()
        assert memory.wait_indexed(30)
        assert memory.edges(one) == before
        three = memory.store("colossal red automobile")
        assert len(said(memory, three)) == 2
        assert memory.edges(one)[0] == before[0]
    with memory_of(path, clock, WordVectors("others")) as memory:
        memory.engine.keeper.notice()
        assert edges(memory) == []
    with memory_of(path, clock) as memory:
        assert edges(memory) == []


def test_nearness_waits_for_vectors(memory: Memory, embedder: WordVectors) -> None:
    """While the embedder is away there is no edge and no trouble but its own; it comes with the vectors."""
    embedder.failing = True
    memory.store_many([{"content": "big red car"}, {"content": "huge crimson vehicle"}])
    assert not memory.wait_indexed(30)
    assert rows(memory.engine.database, EDGES) == []
    embedder.failing = False
    assert edges(memory) == [(0, 1, "cosine")]


def test_what_could_not_be_joined_is_looked_at_again(memory: Memory) -> None:
    """Facts that were looked at come again when their edges could not be made, and else do not."""
    memory.store_many([{"content": "big red car"}, {"content": "huge crimson vehicle"}])
    assert memory.wait_indexed(30)
    memory.engine.database.write(lambda writer: writer.execute("DELETE FROM edge"))
    memory.engine.database.write(lambda writer: writer.execute("DELETE FROM meta WHERE key = 'near'"))
    near = Nearness(memory.engine.database, LinkSettings())
    with memory.engine.keeper.reading() as (index, connection):
        near.open(connection, index, "words")
        assert near.missing == 2
        looked = near.found(connection, index, "words")
        assert (looked.rows, looked.cosines, near.missing) == ([0, 1], {(1, 0): 1.0}, 0)
        assert near.found(connection, index, "words").rows == []
        near.want([1, 77])
        assert near.found(connection, index, "words").rows == [1]
    near.join(looked)
    assert edges(memory) == [(0, 1, "cosine")]
