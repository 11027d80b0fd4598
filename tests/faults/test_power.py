"""Power cuts: what was acknowledged is on the disk, and every file is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.faults.harness import nothing_is, rounds
from tests.faults.spaces import after_cuts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

CUTS = 200
CONTROL_CUTS = 20


@pytest.mark.bar("A5")
def test_power_cuts_lose_nothing_that_was_acknowledged(bench: Path, seed: str, bar_result: BarResult) -> None:
    """After each cut all files are readable, the last acknowledged value or the one in flight is there and served."""
    wrong = []
    found = after_cuts("power", bench, "nola", rounds(CUTS), seed)
    for number, after in enumerate(found, 1):
        if after["refused"]:
            wrong.append(f"cut {number}: a write was refused: {after['refused']}")
        possible = set(range(after["acked"], after["begun"] + 1))
        if after["stands"] not in possible:
            wrong.append(f"cut {number}: {after['stands']} stands there, acknowledged was {after['acked']}")
        if after["served"] != after["stands"]:
            wrong.append(f"cut {number}: {after['served']} is served, {after['stands']} stands there")
        if after["recorded"] != after["stands"]:
            wrong.append(f"cut {number}: the history ends with {after['recorded']}, {after['stands']} stands there")
        wrong += [f"cut {number}: unreadable: {name}" for name in after["unreadable"]]
        wrong += [f"cut {number}, after a start: {problem}" for problem in after["problems"]]
    bar_result(len(found), "power cuts", failures=len(wrong))
    nothing_is(wrong)
    assert found[-1]["acked"] > 2 * len(found), "hardly anything was written before the cuts"


@pytest.mark.bar("A5")
def test_without_a_flush_acknowledged_writes_are_lost(bench: Path, seed: str, bar_result: BarResult) -> None:
    """The control: a writer that renames without flushing loses what it had acknowledged."""
    found = after_cuts("power", bench, "replace", CONTROL_CUTS, seed)
    lost = sum(after["stands"] < after["acked"] or bool(after["unreadable"]) for after in found)
    worst = max(after["acked"] - after["stands"] for after in found)
    bar_result(0, "power cuts", control=f"without a flush: {lost} of {len(found)} cuts lost up to {worst:,} writes")
    assert lost > 0
