"""The public test kit: stand-ins that make Nola's tests, and an add-on's, exact and fast."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["ManualClock"]

_START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


class ManualClock:
    """A clock that moves only when it is told to.

    Args:
        start: The instant that it shows first; a naive one is UTC.
    """

    def __init__(self, start: datetime = _START) -> None:
        self._now = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
        self._monotonic = 0.0

    def now(self) -> datetime:
        """Return the instant that was set, aware, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds that were advanced so far; setting the clock back does not lower it."""
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Move the clock; negative seconds set the wall clock back, as a person may."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += max(0.0, seconds)
