"""The axes are independent, and trust has an order."""

from __future__ import annotations

import pytest

from nola.memory.axes import EdgeKind, Kind, MemoryClass, Tier, Trust


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


@pytest.mark.row("X05")
def test_there_are_ten_kinds_of_edges() -> None:
    """One table holds them all."""
    assert len(EdgeKind) == 10
