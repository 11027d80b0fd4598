"""Tests of lists by warmth: tiers, the least heat, the hottest first, in pages."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from nola.memory.axes import Status, Tier
from nola.memory.filters import Filter
from nola.memory.listing import Listing, Order
from tests.memory.engines import contents, counts, memory_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.learned import Memory
    from nola.testing import ManualClock

DAY = 86_400


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """Memories of every tier, one of them innate and one in another namespace."""
    with memory_of(tmp_path / "memory.db", clock) as opened:
        for name, importance in (("cold", 0.2), ("warm", 0.5), ("hot", 0.9), ("warmer", 0.7)):
            opened.store(name, importance=importance, tags=["x"] if name.startswith("w") else [])
        opened.store("born", memory_class="innate")
        opened.store("elsewhere", importance=0.95, namespace="work")
        yield opened


@pytest.mark.row("A33", "A38")
def test_the_hottest_come_first(memory: Memory) -> None:
    """Whatever was stored last; without an order the last stored comes first, and nothing is counted."""
    assert contents(memory.find(order="heat")) == ["born", "hot", "warmer", "warm", "cold"]
    assert contents(memory.find()) == ["born", "warmer", "hot", "warm", "cold"]
    assert contents(memory.find(order="heat", namespace=None)) == ["born", "elsewhere", "hot", "warmer", "warm", "cold"]
    assert set(counts(memory).values()) == {0}


def test_tiers_and_the_least_heat_let_through_what_they_say(memory: Memory, clock: ManualClock) -> None:
    """One tier or several, as they are now: a month later only what is innate is not cold."""
    assert contents(memory.find(tier="hot")) == ["born", "hot"]
    assert contents(memory.find(tier=["warm", Tier.COLD])) == ["warmer", "warm", "cold"]
    assert contents(memory.find(tier=None, min_heat=None)) == contents(memory.find())
    assert contents(memory.find(min_heat=0.6)) == ["born", "warmer", "hot"]
    assert contents(memory.find(min_heat=0.6, tier="warm", order="heat")) == ["warmer"]
    clock.advance(30 * DAY)
    assert contents(memory.find(tier="hot")) == ["born"]
    assert contents(memory.find(tier="cold")) == ["warmer", "hot", "warm", "cold"]


def test_other_filters_narrow_it(memory: Memory, clock: ManualClock) -> None:
    """Those that the index knows, and those that only the file does; what expired or was archived is no part of it."""
    assert contents(memory.find(tier="warm", tags=["x"])) == ["warmer", "warm"]
    assert contents(memory.find(order="heat", memory_class="learned", level=2)) == ["hot", "warmer", "warm", "cold"]
    memory.engine.memories.set_status(memory.find(tags=["x"])[0].id, Status.ARCHIVED)
    memory.store("soon gone", importance=0.5, expires_at=clock.now() + timedelta(seconds=1))
    clock.advance(1)
    assert contents(memory.find(tier="warm")) == ["warm"]
    assert contents(memory.find(tier="warm", status="archived")) == ["warmer"]
    assert contents(memory.find(tier="warm", expired=True)) == ["soon gone", "warm"]


def test_pages_follow_one_another(memory: Memory) -> None:
    """By limit and offset, in either order; nothing after the end."""
    for order in ("newest", "heat"):
        whole = contents(memory.find(order=order, min_heat=0.1))
        pages = [contents(memory.find(order=order, min_heat=0.1, limit=2, offset=start)) for start in range(0, 8, 2)]
        assert [one for page in pages for one in page] == whole
    assert memory.find(order="heat", limit=0) == memory.find(order="heat", offset=9) == []


def test_of_equally_hot_ones_the_last_stored_comes_first(tmp_path: Path, clock: ManualClock) -> None:
    """However many tie with the last that is shown, it is the same as sorting everything."""
    draw = random.Random(2)  # noqa: S311 -- the same memories each time
    with memory_of(tmp_path / "memory.db", clock) as memory:
        memory.store_many({"content": f"m{n}", "importance": draw.choice([0.1, 0.5, 0.5, 0.9])} for n in range(300))
        newest = memory.find()
        expected = [one.content for one in sorted(newest, key=lambda one: -one.importance)]
        for limit in (1, 20, 150, 299, 300, 400):
            assert contents(memory.find(order="heat", limit=limit)) == expected[:limit]
        assert contents(memory.find(order="heat", limit=40, offset=100)) == expected[100:140]


def test_heat_is_asked_for_only_when_it_matters() -> None:
    """A list by time alone needs no index."""
    assert not Listing(Filter(), limit=3).asks_for_heat
    assert Listing(Filter(), order=Order.HEAT).asks_for_heat
    assert Listing(Filter(), tiers=frozenset({Tier.HOT})).asks_for_heat
    assert Listing(Filter(), min_heat=0.1).asks_for_heat


def test_nothing_is_there_before_the_first_memory(tmp_path: Path, clock: ManualClock) -> None:
    """And no file is made."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        assert memory.find(order="heat", limit=5) == memory.find(tier="hot") == []
    assert list(tmp_path.iterdir()) == []
