"""Tests of nola.memory.counting: what is counted, and of which namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.errors import UsageError
from tests.memory.engines import memory_of
from tests.memory.fakes import WordVectors

if TYPE_CHECKING:
    from pathlib import Path

    from nola.testing import ManualClock


def test_the_counts_are_of_the_namespace_that_is_asked_for(database: Path, clock: ManualClock) -> None:
    """Vectors too; without one all are counted."""
    with memory_of(database, clock, WordVectors()) as memory:
        memory.store_many([{"content": f"The dog has {number} bones", "namespace": "a"} for number in range(3)])
        memory.store("The cat", namespace="b", kind="episodic")
        assert memory.wait_indexed(10)
        one, every = memory.stats(namespace="b"), memory.stats()
        assert (one.total, one.vectors, one.kinds["episodic"], dict(one.namespaces)) == (1, 1, 1, {"b": 1})
        assert (every.total, every.vectors, every.kinds["semantic"]) == (4, 4, 3)
        assert sum(every.tiers.values()) + every.innate == 4


def test_a_namespace_is_a_text(database: Path, clock: ManualClock) -> None:
    """Anything else is refused in one sentence."""
    with memory_of(database, clock) as memory, pytest.raises(UsageError, match=r"^namespace takes text, not a list$"):
        memory.stats(namespace=["a"])  # type: ignore[arg-type]
