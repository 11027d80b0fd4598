"""Tests of nola.memory.meaning: vectors in the background, and models that follow one another."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nola.errors import ModelError, NolaError, UsageError
from nola.memory import derived, meaning
from nola.memory.meaning import checked_embedder, embedded
from tests.memory.engines import contents, memory_of
from tests.memory.fakes import WordVectors

if TYPE_CHECKING:
    from pathlib import Path

    from nola.memory.keeper import Embedder
    from nola.testing import ManualClock

OLD = {"puppy": "dog"}


class Wrong:
    """An embedder of somebody's that does what it should not."""

    model_id = "wrong"
    dimensions = 3

    def __init__(self, made: Any) -> None:
        self.made = made

    def embed(self, texts: Any) -> Any:
        """Return what it was told to, or raise it."""
        del texts
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


@pytest.mark.parametrize(
    "made",
    [
        np.zeros((2, 3)), np.zeros(3), np.zeros((1, 0)), np.array([[1.0, np.nan, 0.0]]), "text", None,
        RuntimeError("bang"), MemoryError(), ModelError("away"),
    ],
    ids=str,
)  # fmt: skip
def test_what_are_no_vectors_is_an_error_of_ours(made: Any) -> None:
    """Whatever anybody's embedder does, one sentence tells."""
    with pytest.raises(NolaError):
        embedded(Wrong(made), ["dog"])


def test_vectors_are_numbers_of_four_bytes() -> None:
    """Lists and other kinds of numbers are taken as they are."""
    found = embedded(Wrong([[1, 0, 0]]), ["dog"])
    assert found.dtype == np.float32
    assert found.tolist() == [[1.0, 0.0, 0.0]]


def test_a_foreign_error_does_not_stop_the_background(tmp_path: Path, clock: ManualClock) -> None:
    """The thread lives on, and tells."""
    with memory_of(tmp_path / "memory.db", clock, Wrong(RuntimeError("bang"))) as memory:
        memory.store("A dog")
        assert not memory.wait_indexed(30)
        assert "bang" in memory.stats().trouble
        assert contents(memory.recall("dog")) == ["A dog"]


@pytest.mark.row("E56")
def test_the_old_model_serves_until_the_new_one_is_whole(tmp_path: Path, clock: ManualClock) -> None:
    """Two models side by side: questions go to the old one until every memory has a vector of the new one."""
    path = tmp_path / "memory.db"
    old, new = WordVectors("old", 64, same=OLD), WordVectors("new", 32, same={"hound": "dog"})
    with memory_of(path, clock, old) as memory:
        memory.store_many([{"content": f"number {n} is a ferry"} for n in range(70)])
        memory.store("My dog sleeps")
        assert memory.wait_indexed(30)
    new.go_on.clear()

    def former(model: str) -> Embedder | None:
        return old if model == "old" else None

    with memory_of(path, clock, new, former=former) as memory:
        assert contents(memory.recall("puppy", limit=1, count=False)) == ["My dog sleeps"]
        assert memory.engine.keeper.serving is old
        memory.store("A cat purrs")
        assert contents(memory.recall("puppy", limit=1, count=False)) == ["My dog sleeps"]
        assert contents(memory.recall("purrs", limit=1, count=False)) == ["A cat purrs"]
        new.go_on.set()
        assert memory.wait_indexed(30)
        assert memory.engine.keeper.serving is new
        assert contents(memory.recall("hound", limit=1, count=False)) == ["My dog sleeps"]
        with memory.engine.database.reading() as connection:
            assert derived.models(connection) == {"new": 72, "old": 71}
    with memory_of(path, clock, old) as memory:
        assert contents(memory.recall("puppy", limit=1, count=False)) == ["My dog sleeps"]


def test_a_former_model_that_can_not_be_had(tmp_path: Path, clock: ManualClock) -> None:
    """Words alone serve then, since half of the vectors would favour whoever has one."""
    path = tmp_path / "memory.db"
    with memory_of(path, clock, WordVectors("old")) as memory:
        memory.store_many([{"content": f"number {n} is a ferry"} for n in range(5)])
        assert memory.wait_indexed(30)
    new = WordVectors("new")
    new.failing = True
    with memory_of(path, clock, new) as memory:
        assert contents(memory.recall("number 3", limit=1)) == ["number 3 is a ferry"]
        assert memory.engine.keeper.serving is None
        new.failing = False
        assert memory.wait_indexed(30)
        assert memory.engine.keeper.serving is new


def test_a_text_that_changes_gets_another_vector(tmp_path: Path, clock: ManualClock) -> None:
    """Its old vector is gone at once, the new one comes in the background."""
    embedder = WordVectors(same=OLD)
    with memory_of(tmp_path / "memory.db", clock, embedder) as memory:
        id_ = memory.store("My dog sleeps")
        memory.store("The ferry leaves")
        assert memory.wait_indexed(30)
        memory.engine.memories.update(id_, {"content": "My cat sleeps"})
        assert memory.wait_indexed(30)
        assert embedder.asked.count("My cat sleeps") == 1
        assert memory.stats().vectors == 2
        best = memory.recall("puppy", count=False)
        assert all(one.cosine < 0.5 for one in best)


def test_a_question_makes_up_for_what_was_left_undone(tmp_path: Path, clock: ManualClock) -> None:
    """Vectors that an earlier process could not make are made once somebody asks; nothing needs to be stored."""
    embedder = WordVectors(same=OLD)
    embedder.failing = True
    with memory_of(tmp_path / "memory.db", clock, embedder) as memory:
        memory.store("My dog sleeps")
        assert not memory.wait_indexed(30)
    embedder.failing = False
    with memory_of(tmp_path / "memory.db", clock, embedder) as memory:
        assert memory.stats().vectors == 0
        assert memory.recall("puppy", count=False) == []
        for _ in range(300):
            if memory.stats().vectors:
                break
            sleep(0.05)
        assert contents(memory.recall("puppy", count=False)) == ["My dog sleeps"]


def test_its_own_vectors_are_not_read_again(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was just made goes into the index as it is, so that a long backlog costs no look through all of it."""
    looked: list[int] = []
    read = meaning._some

    def counted(connection: Any, model: str, rows: Any) -> Any:
        looked.append(len(rows))
        return read(connection, model, rows)

    monkeypatch.setattr(meaning, "_some", counted)
    embedder = WordVectors(same=OLD)
    with memory_of(tmp_path / "memory.db", clock, embedder) as memory:
        memory.store_many([{"content": f"number {n} is a ferry"} for n in range(300)])
        memory.store("My dog sleeps")
        assert memory.wait_indexed(30)
        assert contents(memory.recall("puppy", limit=1, count=False)) == ["My dog sleeps"]
        assert memory.stats().vectors == 301
        assert looked == []
        with memory_of(tmp_path / "memory.db", clock, embedder) as other:
            other.store("A second hound")
            assert other.wait_indexed(30)
        assert contents(memory.recall("hound", limit=1, count=False)) == ["A second hound"]
        assert memory.stats().vectors == 302
        assert looked == [1]


@pytest.mark.parametrize("stores_first", [False, True])
def test_vectors_of_another_length_are_made_again(database: Path, clock: ManualClock, *, stores_first: bool) -> None:
    """Whether it shows when a memory is embedded or when a question is; meanwhile words alone serve."""
    with memory_of(database, clock, WordVectors(same=OLD)) as memory:
        memory.store_many([{"content": "The puppy sleeps"}, {"content": "The car is red"}])
        assert memory.wait_indexed(10)
    with memory_of(database, clock, WordVectors(dimensions=32, same=OLD)) as memory:
        if stores_first:
            memory.store("It rains")
        assert contents(memory.recall("car"))[:1] == ["The car is red"]
        assert memory.wait_indexed(10)
        assert contents(memory.recall("dog"))[:1] == ["The puppy sleeps"]
        assert (memory.stats().vectors, memory.stats().trouble) == (2 + stores_first, "")
        with memory.engine.database.reading() as connection:
            assert connection.execute("SELECT group_concat(DISTINCT dimensions) FROM vector").get == "32"


class _Nameless:
    """An embedder that can't tell its name."""

    def embed(self, texts: Any) -> Any:
        """Return nothing."""
        del texts


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (None, "the embedder's model_id takes text, not None"),
        ("", "the embedder's model_id is empty"),
        ("\ud800", "the embedder's model_id holds half of a character"),
        (7, "the embedder's model_id takes text, not 7"),
    ],
)
def test_an_embedder_needs_a_name(name: object, sentence: str) -> None:
    """Its vectors are kept under it."""
    embedder = _Nameless()
    if name is not None:
        embedder.model_id = name  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match=sentence):
        checked_embedder(embedder)
    with pytest.raises(UsageError, match="embedder is a name or an object that embeds, not object"):
        checked_embedder(object())
    checked_embedder(WordVectors())
