"""Reads a moment the way people write it: ISO-8601, `2 days ago`, `yesterday 14:30`; what has no zone is local."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from nola.errors import UsageError

__all__ = ["read_moment", "written"]

_UNITS = {
    "s": timedelta(seconds=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
_WORDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("w", "week", "weeks"), "w"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("y", "year", "years"), "year"),
}
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_PART = rf"\b(\d{{1,9}}|an?(?=\s))\s*({'|'.join(sorted(_WORDS, key=len, reverse=True))})"
_AGO = re.compile(rf"{_PART}(?:(?:\s*,\s*|\s+and\s+|\s+){_PART})*\s+ago")
_AHEAD = re.compile(rf"in\s+{_PART}(?:(?:\s*,\s*|\s+and\s+|\s+){_PART})*")
_PARTS = re.compile(rf"{_PART}\b")
_DAY = re.compile(r"(today|yesterday|tomorrow)(?:\s+(?:at\s+)?([01]?\d|2[0-3]):([0-5]\d))?")


def read_moment(text: str, now: datetime, *, future: bool = False) -> datetime:
    """Return the moment that a text means, in UTC.

    Args:
        text: An ISO-8601 time or date, `now`, `today` (its midnight), `yesterday` (a day ago), `tomorrow` (a day
            ahead), each with a time of day if need be, or `2 days ago` and `in 2 days` in any unit up to years; a
            month is 30 days and a year 365.
        now: The present instant, aware.
        future: Whether it may lie ahead.

    Raises:
        UsageError: It is none of these, or lies in the future and may not.
    """
    try:
        moment = _moment(" ".join(text.lower().split()), now)
        written(moment)
    except (ValueError, OverflowError, OSError):  # a year that no calendar or no time zone knows
        raise UsageError(
            f"this is no time: {text!r}", fix='write it like 2026-11-20T09:00, "2 days ago" or yesterday'
        ) from None
    if moment > now and not future:
        raise UsageError(f"{written(moment)} lies in the future", fix="give a time that has passed")
    return moment


def written(moment: datetime) -> str:
    """Write a moment as this machine's clock shows it, with its distance from UTC."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S %z}"


def _moment(text: str, now: datetime) -> datetime:
    if text == "now":
        return now
    if day := _DAY.fullmatch(text):
        return _on_day(day, now)
    if _AGO.fullmatch(text):
        return now - sum((_length(*part) for part in _PARTS.findall(text)), timedelta())
    if _AHEAD.fullmatch(text):
        return now + sum((_length(*part) for part in _PARTS.findall(text)), timedelta())
    return datetime.fromisoformat(text.upper()).astimezone(UTC)


def _on_day(day: re.Match[str], now: datetime) -> datetime:
    name, hour, minute = day.groups()
    away = _DAYS[name] * _UNITS["d"]
    if hour is None and away:
        return now + away
    local = now.astimezone() + away
    # Without its zone, so that the distance from UTC is that of the moment and not that of now.
    clock = local.replace(hour=int(hour or 0), minute=int(minute or 0), second=0, microsecond=0, tzinfo=None)
    return clock.astimezone(UTC)


def _length(number: str, unit: str) -> timedelta:
    return (1 if number in {"a", "an"} else int(number)) * _UNITS[_WORDS[unit]]
