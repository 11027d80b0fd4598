"""What finds turns: plain search, vectors alone, the last turns, and Nola's memory without counting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.errors import ModelError, NolaError
from nola.evaluation.conversations import load_conversations
from nola.evaluation.finders import Kept, LastTurns, PlainSearch, Remembered, VectorsAlone
from nola.learned import Memory
from nola.llm.hashing import HashingEmbedder
from nola.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

HARBOUR, GARDEN = load_conversations(Path(__file__).resolve().parent.parent / "fixtures" / "conversations" / "two.json")


class Fails(HashingEmbedder):
    """An embedder that breaks."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Fail."""
        raise OSError(f"no vectors for {len(texts)} texts")


def test_plain_search_takes_any_word_and_stems() -> None:
    """`planted` finds `plant`; the dates and speakers of the lines count; operators are words like others."""
    found = PlainSearch(GARDEN)
    assert found.find("Which trees did Pia plant?", 10)[0] == "D1:1"
    assert found.find("accordions", 10) == ["D1:2"]
    assert set(found.find("Emil", 10)) == {"D1:2", "D1:4"}
    assert found.find("Pia", 1)[0] in {"D1:1", "D1:3", "D1:5"}
    assert found.find('NOT ("hedgehog" AND *', 10)[0] == "D1:3"
    assert found.find("", 10) == found.find("?!", 10) == found.find("zebra", 10) == []
    found.close()


def test_vectors_alone_rank_every_turn() -> None:
    """The nearest first; each turn is there, also one that shares nothing."""
    found = VectorsAlone(GARDEN, Kept(HashingEmbedder()))
    assert found.find("accordion at the workshop", 10)[0] == "D1:2"
    assert sorted(found.find("accordion", 10)) == ["D1:1", "D1:2", "D1:3", "D1:4", "D1:5"]
    assert len(found.find("accordion", 2)) == 2


def test_the_last_turns_come_whatever_is_asked() -> None:
    """The newest first."""
    assert LastTurns(GARDEN).find("accordion", 3) == ["D1:5", "D1:4", "D1:3"]


def test_the_memory_finds_and_counts_nothing(tmp_path: Path) -> None:
    """One memory a turn, with speaker, session and time; after questions none was used; what is there stays."""
    path, kept = tmp_path / "memory.db", Kept(HashingEmbedder())

    def opened(file: Path) -> Memory:
        return Memory.open(file, settings=Settings(), embedder=kept)

    for _ in range(2):
        found = Remembered(HARBOUR, path, opened, kept)
        assert found.find("What did Oskar sell to his neighbour?", 3)[0] == "D1:2"
        assert len(found.find("Who left Oskar the clocks?", 2)) == 2
        found.close()
    with opened(path) as memory:
        records = memory.find()
        assert len(records) == 10
        assert {one.statistics.access_count for one in records} == {0}
        (boat,) = (one for one in records if one.source == "D1:2")
        assert (boat.author, boat.conversation, boat.at) == ("Oskar", "session-1", HARBOUR.turns[1].at)


def test_an_embedder_that_fails_is_told(tmp_path: Path) -> None:
    """A memory would go on by words alone; a measurement may not."""
    kept = Kept(Fails())
    with pytest.raises(NolaError, match="no vectors for"):
        VectorsAlone(GARDEN, kept)
    kept.trouble = None
    with pytest.raises(NolaError, match="no vectors for"):
        Remembered(GARDEN, tmp_path / "m.db", lambda path: Memory.open(path, embedder=kept, settings=Settings()), kept)
    assert isinstance(kept.trouble, ModelError)


def test_a_text_is_embedded_once() -> None:
    """And the processor's time for it is known."""

    class Counts(HashingEmbedder):
        """An embedder that tells what it was asked for."""

        asked: list[str]

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            """Take note."""
            self.asked = [*getattr(self, "asked", []), *texts]
            return super().embed(texts)

    inner = Counts()
    kept = Kept(inner)
    first = kept.embed(["tea", "rain", "tea"])
    assert np.array_equal(first, HashingEmbedder().embed(["tea", "rain", "tea"]))
    assert np.array_equal(kept.embed(["rain"])[0], first[1])
    assert inner.asked == ["tea", "rain"]
    assert kept.embed([]).shape == (0, kept.dimensions)
    assert (kept.lexical, kept.model_id, kept.cpu_s > 0) == (True, HashingEmbedder.model_id, True)
