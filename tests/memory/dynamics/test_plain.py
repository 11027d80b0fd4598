"""Rankings in which time plays no part."""

from __future__ import annotations

import pytest

from nola.memory.axes import Kind
from nola.memory.dynamics.base import Pool, Row
from nola.memory.dynamics.plain import Confidence, Unchanging
from tests.memory.dynamics.samples import NOW, aged, pool_of


@pytest.mark.row("X07")
def test_without_a_strategy_every_memory_is_alike() -> None:
    """Old and new, used and unused have strength 1."""
    assert Unchanging().strength(pool_of(aged(0), aged(4000, importance=0.0)), NOW).tolist() == [1.0, 1.0]


@pytest.mark.row("B31")
def test_confidence_ranks_and_use_decides_between_equals() -> None:
    """The surer comes first however rarely used; of two equal procedures the one used five times before the other."""
    pool = Pool.of(
        [
            Row(aged(0), Kind.PROCEDURAL, confidence=0.9),
            Row(aged(0, usage=1), Kind.PROCEDURAL, confidence=0.8),
            Row(aged(0, usage=5), Kind.PROCEDURAL, confidence=0.8),
        ]
    )
    surest, once, often = Confidence().strength(pool, NOW).tolist()
    assert surest > often > once
