"""The only reader of the wall clock; everything else is handed a Clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol, cast

from nola.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CalledClock", "Clock", "ShiftedClock", "SystemClock", "clock_of", "parse_instant"]


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


class CalledClock(SystemClock):
    """A clock whose present a function tells."""

    def __init__(self, tell: Callable[[], datetime]) -> None:
        self._tell = tell

    def now(self) -> datetime:
        """Return what the function tells, in UTC.

        Raises:
            UsageError: It tells no aware datetime.
        """
        told = self._tell()
        if not isinstance(told, datetime) or told.utcoffset() is None:
            raise UsageError(f"the clock has to tell a datetime with a time zone, not {told!r:.60}")
        return told.astimezone(UTC)


def clock_of(given: Clock | Callable[[], datetime] | None) -> Clock:
    """Return the clock that somebody gave: an object that tells the time, a function, or none for the machine's.

    Raises:
        UsageError: It is neither.
    """
    if given is None:
        return SystemClock()
    if callable(getattr(given, "now", None)):
        return cast("Clock", given)
    if callable(given):
        return CalledClock(given)
    raise UsageError(f"clock is an object or a function that tells the time, not {type(given).__name__}")


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
