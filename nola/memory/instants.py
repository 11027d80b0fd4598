"""Instants in the forms that the memory needs: datetimes, whole microseconds, seconds for formulas, and text."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

__all__ = ["from_micros", "from_seconds", "micros", "seconds", "written"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MILLION = 1_000_000
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_FIRST_S, _LAST_S = (at.timestamp() for at in (_FIRST, _LAST))


def micros(at: datetime) -> int:
    """Return whole microseconds since 1970 UTC of an aware datetime, as the database keeps it."""
    return (at - _EPOCH) // _MICROSECOND


def from_micros(number: int) -> datetime:
    """Return the instant, in UTC; the first or last there is for what lies beyond."""
    try:
        return _EPOCH + number * _MICROSECOND
    except OverflowError:
        return _FIRST if number < 0 else _LAST


def seconds(at: datetime) -> float:
    """Return seconds since 1970 UTC, as formulas take it."""
    return micros(at) / _MILLION


def from_seconds(number: float) -> datetime:
    """Return the instant in UTC, to the microsecond; the first or last there is for what lies beyond."""
    if not _FIRST_S < number < _LAST_S:
        return _FIRST if number < 0 else _LAST
    whole = math.floor(number)
    return from_micros(whole * _MILLION + round((number - whole) * _MILLION))


def written(at: datetime) -> str:
    """Return the instant as ISO-8601 in UTC with six digits of a second, so that it sorts and reads back the same."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")
