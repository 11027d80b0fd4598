"""What the daemon's tests share: how they report what they counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from tests.faults import table

if TYPE_CHECKING:
    from collections.abc import Callable


class BarResult(Protocol):
    """Reports what a test counted, for the table of results."""

    def __call__(self, count: int, unit: str, *, failures: int = 0, control: str = "") -> None:
        """Add to the row of the test's ids."""


@pytest.fixture
def bar_result(record_property: Callable[[str, object], None]) -> BarResult:
    """Report what this test counted, for the table of results."""

    def report(count: int, unit: str, *, failures: int = 0, control: str = "") -> None:
        record_property(table.PROPERTY, {"count": count, "unit": unit, "failures": failures, "control": control})

    return report
