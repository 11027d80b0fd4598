"""Tests of nola.memory.found: what a result says, and as it was at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.memory.found import as_they_were, said_why, stored
from tests.memory.making import put

if TYPE_CHECKING:
    from nola.memory.memories import Memories
    from nola.testing import ManualClock


def test_why_in_words() -> None:
    """The largest part first; what takes away, or is unknown, does not confuse; without any part it is strength."""
    assert said_why({"bm25": 0.2, "cosine": 0.5, "form": -0.1}) == "means something like it, shares words"
    assert said_why({"moon": 0.2}) == "moon"
    assert said_why({}) == "strong in memory"


def test_rows_that_are_there(memories: Memories) -> None:
    """Each row that is there, by its number; others are left out."""
    id_ = put(memories, "one", author="Ada", source="diary", level=3, pinned=True)
    with memories.database.reading() as connection:
        found = stored(connection, [0, 7])
    assert list(found) == [0]
    assert (found[0].id, found[0].content, found[0].speaker, found[0].source) == (id_, "one", "Ada", "diary")
    assert (found[0].level, found[0].pinned, found[0].trust) == (3, 1, "owner")


def test_rows_as_they_were(memories: Memories, clock: ManualClock) -> None:
    """Words and use of an earlier time."""
    id_ = put(memories, "one", importance=0.3)
    then = clock.now()
    clock.advance(60)
    memories.update(id_, {"content": "two", "importance": 0.9})
    with memories.database.reading() as connection:
        assert stored(connection, [0], then)[0].content == "one"
        assert stored(connection, [0])[0].content == "two"
        (row,) = as_they_were(connection, [0], then)
    assert row.statistics.importance == 0.3
