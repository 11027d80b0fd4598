"""Tests of what the library tells of many memories at once, and of taking things in."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from nola.learned import Memory
from nola.memory.axes import Tier
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory at a time that stands still."""
    with Memory.open(tmp_path / "m.db", embedder="none", clock=ManualClock()) as opened:
        yield opened


def test_heat_and_tier_are_told_of_many_at_once(memory: Memory) -> None:
    """In their order, now or at another time; nothing is counted."""
    ids = [memory.store("a", importance=0.9), memory.store("b"), memory.store("c", memory_class="innate")]
    records = [memory.get(id_) for id_ in ids]
    assert memory.heat(records) == [(0.9, Tier.HOT), (0.5, Tier.WARM), (1.0, Tier.HOT)]
    later = ManualClock().now() + timedelta(days=30)
    assert [tier for _, tier in memory.heat(records, later)] == [Tier.COLD, Tier.COLD, Tier.HOT]
    assert memory.heat([]) == []
    assert [memory.get(id_).statistics.access_count for id_ in ids] == [0, 0, 0]


def test_one_namespace_is_counted_by_itself(memory: Memory) -> None:
    """All of them unless one is named."""
    memory.store("a")
    memory.store("b", namespace="work")
    assert memory.stats().total == 2
    assert memory.stats(namespace="work").total == 1
    assert memory.stats(namespace="work").namespaces == {"work": 1}
    assert memory.stats(namespace="none").total == 0


def test_a_dry_run_takes_everything_back(memory: Memory, tmp_path: Path) -> None:
    """What it would bring is told, and the file stays as it is."""
    memory.store("a\u2028b, one line of JSON")
    memory.export(tmp_path / "x.jsonl")
    with Memory.open(tmp_path / "other.db", embedder="none") as other:
        assert other.import_(tmp_path / "x.jsonl", dry_run=True).memories == 1
        assert other.stats().total == 0
        assert other.import_(tmp_path / "x.jsonl").memories == 1
        assert [one.content for one in other.find()] == ["a\u2028b, one line of JSON"]
