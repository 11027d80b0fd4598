"""Durations of more than a day, or below nothing, are what they are."""

from __future__ import annotations

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.state import contract

if TYPE_CHECKING:
    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
LONG = timedelta(days=2, seconds=5)
# For each age of a node: the thresholds after which it is stale, and those after which it is not.
AGES = {
    LONG: ((5, 6, 86_400, 172_804), (172_805, 172_806)),
    timedelta(seconds=-5): ((), (0, 5, 86_394, 86_395)),
    timedelta(days=1): ((0, 1, 86_399), (86_400,)),
}


@pytest.mark.bar("F2")
def test_an_age_counts_its_days_and_its_sign(bar_result: BarResult) -> None:
    """A node of two days and five seconds is 172,805 s old, and one from five seconds ahead is not stale."""
    points = 0
    for age, (stale, fresh) in AGES.items():
        for threshold in (*stale, *fresh):
            points += 1
            metadata = contract.create_metadata(1, "user.json", now=NOW - age, stale_threshold_seconds=threshold)
            assert contract.is_stale(metadata, NOW) is (threshold in stale), (age, threshold)
    control = f"the part below a day: {LONG.seconds} s and {timedelta(seconds=-5).seconds:,} s"
    bar_result(points, "ages", control=control)


@pytest.mark.bar("F2")
def test_nobody_takes_a_part_of_a_duration_for_the_whole() -> None:
    """No code of Nola's asks a duration for its seconds below a day."""
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "nola").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"seconds", "microseconds"}
    ]
    assert asked == []
