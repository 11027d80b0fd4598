"""Tests of nola.memory.recall: one score of relevance, strength and links, and what fits of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.clock import SystemClock
from nola.errors import UsageError
from nola.memory.instants import from_seconds
from tests.memory.engines import contents, memory_of
from tests.memory.fakes import WordVectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.learned import Memory
    from nola.testing import ManualClock

DAY = 86_400


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """An empty memory with vectors of words."""
    with memory_of(tmp_path / "memory.db", clock, WordVectors()) as opened:
        yield opened


def test_the_parts_make_the_relevance(memory: Memory) -> None:
    """A result's parts sum up to its relevance, and the best one's relevance is 1."""
    memory.store_many([{"content": f"fact {n} about the dog", "speaker": "Ada", "conversation": "c"} for n in range(9)])
    assert memory.wait_indexed(30)
    found = memory.recall("What did Ada say about the dog, fact 3?", count=False)
    assert found[0].relevance == 1.0
    for one in found:
        assert sum(value for name, value in one.parts.items() if name != "link") == pytest.approx(
            one.relevance, abs=1e-4
        )
    assert found[0].content == "fact 3 about the dog"
    assert "speaker" in found[0].parts


def test_who_the_owner_is(tmp_path: Path, clock: ManualClock) -> None:
    """`I` in a question is the owner, where that is known."""
    with memory_of(tmp_path / "memory.db", clock, owner="Ada") as memory:
        memory.store("The trip to Rome was fine", speaker="Eve", conversation="c")
        memory.store("The trip to Rome was dull", speaker="Ada", conversation="d")
        assert contents(memory.recall("How did I like the trip to Rome?", limit=1)) == ["The trip to Rome was dull"]


def test_nothing_asked_brings_the_strongest(memory: Memory, clock: ManualClock) -> None:
    """A greeting ranks by strength alone, with what is pinned or hot first."""
    memory.store("old and dull", importance=0.1)
    memory.store("pinned", importance=0.2, pinned=True)
    clock.advance(30 * DAY)
    memory.store("new", importance=0.5)
    memory.store("hot", importance=0.95)
    found = contents(memory.recall("", count=False))
    assert set(found[:2]) == {"pinned", "hot"}
    assert found[2:] == ["new", "old and dull"]
    assert contents(memory.recall("?!", count=False)) == found
    assert memory.recall("", count=False)[3].why == "strong in memory"


def test_decay_orders_equals_and_hides_nothing(memory: Memory, clock: ManualClock) -> None:
    """Of two that answer alike the fresher comes first; a year's neglect costs an answer at most a fifth."""
    memory.store("The dog likes the garden")
    clock.advance(365 * DAY)
    memory.store("The dog likes the kitchen")
    both = memory.recall("What does the dog like?", count=False)
    assert contents(both)[0] == "The dog likes the kitchen"
    answer = memory.recall("Does the dog like the garden?", count=False)[0]
    assert answer.content == "The dog likes the garden"
    assert answer.score >= 0.8 * answer.relevance


def test_a_budget_of_nothing(memory: Memory) -> None:
    """Nothing fits, and nothing is counted."""
    id_ = memory.store("dog")
    assert memory.recall("dog", budget=0) == []
    assert memory.get(id_).statistics.access_count == 0


def test_a_clock_that_is_behind(memory: Memory, clock: ManualClock) -> None:
    """Memories from the future count as new, whatever the clock says now."""
    memory.store("The dog barks", at=from_seconds(clock.now().timestamp() + 400 * DAY))
    clock.advance(-30 * DAY)
    (one,) = memory.recall("dog")
    assert 0 < one.strength <= 1


def test_a_real_clock(tmp_path: Path) -> None:
    """Nothing needs a clock of a test's."""
    with memory_of(tmp_path / "memory.db", SystemClock()) as memory:
        memory.store("The dog barks")
        assert contents(memory.recall("dog")) == ["The dog barks"]
        with pytest.raises(UsageError):
            memory.recall("dog", tiers="lukewarm")
