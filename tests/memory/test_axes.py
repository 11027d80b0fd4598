"""The axes are independent, and trust has an order."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from nola.memory.axes import EdgeKind, Kind, MemoryClass, Status, Tier, Trust
from tests.memory.engines import memory_of

if TYPE_CHECKING:
    from pathlib import Path

    from nola.testing import ManualClock

IMPORTANCE = {Tier.HOT: 0.9, Tier.WARM: 0.5, Tier.COLD: 0.1}
LEVELS = (1, 2, 3)


def test_trust_grows_from_strangers_to_the_owner() -> None:
    """Ranks go from 0 to 3."""
    assert [trust.rank for trust in (Trust.UNTRUSTED, Trust.EXTERNAL, Trust.ASSISTANT, Trust.OWNER)] == [0, 1, 2, 3]
    assert min(Trust.OWNER, Trust.EXTERNAL, key=lambda trust: trust.rank) is Trust.EXTERNAL


@pytest.mark.row("B01")
def test_there_are_six_kinds_and_the_summary() -> None:
    """The six of the document, and what consolidation makes."""
    assert [kind.value for kind in Kind] == [
        "sensory",
        "working",
        "episodic",
        "semantic",
        "procedural",
        "prospective",
        "summary",
    ]
    assert (len(MemoryClass), len(Tier)) == (2, 3)


@pytest.mark.row("X04")
def test_every_combination_of_axes_can_be_stored_and_filtered(tmp_path: Path, clock: ManualClock) -> None:
    """Kind, class, tier, level and status: each combination is stored, and found alone by a list and by recall."""
    learned = list(product(Kind, [MemoryClass.LEARNED], Tier, LEVELS, Status))
    # What is innate is active and hot, whatever else it is (A02, A03).
    innate = list(product(Kind, [MemoryClass.INNATE], [Tier.HOT], LEVELS, [Status.ACTIVE]))
    with memory_of(tmp_path / "memory.db", clock) as memory:
        ids = memory.store_many(
            {
                "content": "My dog is called Biscuit", "kind": kind, "memory_class": class_, "level": level,
                "importance": IMPORTANCE[tier], **({"task": f"{number}"} if kind is Kind.WORKING else {}),
            }
            for number, (kind, class_, tier, level, _) in enumerate(learned + innate)
        )  # fmt: skip
        for id_, (*_, status) in zip(ids, learned + innate, strict=True):
            if status is not Status.ACTIVE:
                memory.engine.memories.set_status(id_, status)
        for id_, (kind, class_, tier, level, status) in zip(ids, learned + innate, strict=True):
            axes: dict[str, Any] = {
                "kind": kind, "memory_class": class_, "tier": tier, "level": level, "status": status,
            }  # fmt: skip
            assert [one.id for one in memory.find(**axes)] == [id_]
            assert [one.id for one in memory.recall("the dog", count=False, **axes)] == [id_]
        for class_, tier in product([MemoryClass.INNATE], [Tier.WARM, Tier.COLD]):
            assert memory.find(memory_class=class_, tier=tier) == []
        assert len(memory.find(level=[1, 3], status=list(Status))) == len(ids) * 2 // 3


@pytest.mark.row("X05")
def test_there_are_ten_kinds_of_edges() -> None:
    """One table holds them all."""
    assert len(EdgeKind) == 10
