"""Tests of what can be made again: vectors by model, and the saved lexical index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.memory import derived
from tests.memory.making import put, rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nola.memory.database import Database
    from nola.memory.memories import Memories


def vectors_of(count: int, dimensions: int = 16, seed: int = 1) -> NDArray[np.float32]:
    """Make vectors of length 1."""
    made = np.random.default_rng(seed).normal(size=(count, dimensions))
    lengths: NDArray[np.float64] = np.linalg.norm(made, axis=1, keepdims=True)
    return (made / lengths).astype(np.float32)


def kept(database: Database, model: str, after: int = 0) -> tuple[list[int], NDArray[np.float32]]:
    """Return the numbers and vectors that are kept of a model."""
    with database.reading() as connection:
        parts = list(derived.vectors(connection, model, after=after))
    seqs = [int(seq) for part in parts for seq in part.seqs]
    found = [part.scales[:, None] * part.numbers for part in parts]
    return seqs, np.concatenate(found) if found else np.zeros((0, 0), dtype=np.float32)


@pytest.fixture
def stored(memories: Memories) -> list[int]:
    """The numbers of five memories."""
    return [memories.get(put(memories, f"memory {n}")).seq for n in range(5)]


def test_vectors_come_back_nearly_as_they_were(opened: Database, stored: list[int]) -> None:
    """One byte a number keeps them to half a step of 1/127; models are kept apart."""
    given = vectors_of(5)
    opened.write(lambda c: derived.put_vectors(c, "minilm", stored, given))
    opened.write(lambda c: derived.put_vectors(c, "static", stored[:2], vectors_of(2, 8)))
    seqs, found = kept(opened, "minilm")
    assert seqs == stored
    assert np.allclose(given, found, atol=0.5 / 127)
    assert kept(opened, "static")[1].shape == (2, 8)
    assert kept(opened, "minilm", after=stored[2])[0] == stored[3:]
    assert kept(opened, "unknown")[0] == []
    with opened.reading() as connection:
        assert derived.models(connection) == {"minilm": 5, "static": 2}
        assert derived.models_of(connection, stored[0]) == {"minilm": 16, "static": 8}
        assert derived.models_of(connection, stored[4]) == {"minilm": 16}


def test_a_vector_of_zeros_stays_one(opened: Database, stored: list[int]) -> None:
    """Nothing is divided by zero."""
    opened.write(lambda c: derived.put_vectors(c, "m", stored[:1], np.zeros((1, 4), dtype=np.float32)))
    assert kept(opened, "m")[1].tolist() == [[0.0] * 4]


def test_more_vectors_than_one_batch(opened: Database, memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches lose none at their seams."""
    monkeypatch.setattr(derived, "_BATCH", 3)
    seqs = [memories.get(put(memories, f"{n}")).seq for n in range(7)]
    opened.write(lambda c: derived.put_vectors(c, "m", seqs, vectors_of(7)))
    assert kept(opened, "m")[0] == seqs


def test_what_has_no_vector_is_listed(opened: Database, memories: Memories, stored: list[int]) -> None:
    """The oldest first; what is gone meanwhile gets none and is no error; a purge takes vectors with it."""
    opened.write(lambda c: derived.put_vectors(c, "m", [stored[0], 99], vectors_of(2)))
    with opened.reading() as connection:
        assert derived.without_vector(connection, "m", 2) == [(stored[1], "memory 1"), (stored[2], "memory 2")]
        assert derived.missing(connection, "m") == 4
        assert derived.missing(connection, "other") == 5
        first = connection.execute("SELECT id FROM memory WHERE seq = ?", (stored[0],)).get
    assert memories.missing("m") == 4
    memories.purge([first])
    assert rows(opened, "SELECT count(*) FROM vector") == [(0,)]


def test_vectors_can_be_replaced_and_dropped(opened: Database, stored: list[int]) -> None:
    """The second vector of a memory counts; one model goes, or all."""
    opened.write(lambda c: derived.put_vectors(c, "m", stored, vectors_of(5)))
    again = vectors_of(5, seed=2)
    opened.write(lambda c: derived.put_vectors(c, "m", stored, again))
    assert np.allclose(again, kept(opened, "m")[1], atol=0.5 / 127)
    opened.write(lambda c: derived.put_vectors(c, "n", stored, vectors_of(5)))
    assert opened.write(lambda c: derived.drop_vectors(c, "m")) == 5
    assert opened.write(derived.drop_vectors) == 5


def test_segments_are_saved_merged_and_dropped(opened: Database) -> None:
    """Postings of a term come in the order of the segments; merged segments go with theirs."""
    first = opened.write(lambda c: derived.put_segment(c, {"dog": b"1", "cat": b"2"}, documents=2, revision=5))
    second = opened.write(
        lambda c: derived.put_segment(c, {"dog": b"3", "": b"x"}, documents=1, revision=6, about={"first": 2})
    )
    with opened.reading() as connection:
        load = derived.postings_of(connection)
        assert [load("dog"), load("cat"), load(""), load("bird")] == [[b"1", b"3"], [b"2"], [b"x"], []]
        assert derived.postings_of(connection, {second})("dog") == [b"3"]
        assert derived.segments(connection) == [(first, 2, 5, {}), (second, 1, 6, {"first": 2})]
    merged = opened.write(
        lambda c: derived.put_segment(c, {"dog": b"13"}, documents=3, revision=7, replaces=[first, second])
    )
    with opened.reading() as connection:
        assert derived.postings_of(connection)("dog") == [b"13"]
        assert [segment.id for segment in derived.segments(connection)] == [merged]
    opened.write(derived.drop_postings)
    assert rows(opened, "SELECT count(*) FROM posting") == [(0,)]


def test_vectors_of_another_length_are_left_out() -> None:
    """The first one tells how long they are."""
    found = derived.alike([(1, 0.5, b"\x01\x02"), (2, 0.5, b"\x01"), (4, 1.0, b"\x03\x04")])
    assert (found.seqs.tolist(), found.scales.tolist(), found.numbers.tolist()) == (
        [1, 4],
        [0.5, 1.0],
        [[1, 2], [3, 4]],
    )
