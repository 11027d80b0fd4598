"""The only reader of the wall clock; everything else is handed a Clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from nola.errors import ConfigError

__all__ = ["Clock", "ShiftedClock", "SystemClock", "parse_instant"]


class Clock(Protocol):
    """Tells the time (X08)."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; never goes back."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        return datetime.now(UTC)  # noqa: TID251 -- the one place that may ask

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; never goes back."""
        return time.monotonic()


class ShiftedClock(SystemClock):
    """A clock that was set to an instant when it was made, and runs on from there (NOLA_NOW)."""

    def __init__(self, start: datetime) -> None:
        self._start = start
        self._began = time.monotonic()

    def now(self) -> datetime:
        """Return the start plus what has passed since this clock was made."""
        return self._start + timedelta(seconds=time.monotonic() - self._began)


def parse_instant(text: str) -> datetime:
    """Read an ISO-8601 instant; a naive one is taken as UTC.

    Args:
        text: For example `2026-11-20T09:00:00+00:00`.

    Raises:
        ConfigError: The text is no ISO-8601 date or time.
    """
    try:
        when = datetime.fromisoformat(text.strip())
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ConfigError(f"not an ISO-8601 time: {text!r}", fix="write it like 2026-11-20T09:00:00+00:00") from None
