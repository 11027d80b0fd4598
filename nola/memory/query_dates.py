"""Dates that a question names, as ranges of time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["DateKind", "DateRange", "dates_in"]

_MOST_DATES = 8
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_SHORT = {name[:3]: n for n, name in enumerate(_MONTHS, 1)} | {"sept": 9}
_NUMBER_OF = {name: n for n, name in enumerate(_MONTHS, 1)} | _SHORT
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_SEASON_MONTHS = 3
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3,
}  # fmt: skip

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"  # noqa: E501
_LONG_MONTH = rf"(?:{'|'.join(_MONTHS)})\b"
_DAY = r"(?:[12][0-9]|3[01]|0?[1-9])(?:st|nd|rd|th)?\b"
_YEAR = r"(?:19|20)[0-9]{2}\b"
_COUNT = r"(?:[0-9]{1,3}|(?:a )?couple of|(?:a )?few|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_UNIT = r"(?:day|week|month|year)"

_PATTERNS = tuple(
    (name, re.compile(rf"\b{pattern}", re.IGNORECASE))
    for name, pattern in (
        ("iso", rf"({_YEAR})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\b"),
        ("day_month", rf"({_DAY})(?: of)? ({_MONTH}),?(?: ({_YEAR}))?"),
        ("month_day", rf"({_MONTH}) ({_DAY})(?:,? ({_YEAR}))?"),
        ("month_year", rf"({_MONTH})(?:,| of)? ({_YEAR})"),
        (
            "season",
            rf"(?:(?:the|this|last|in|during) ){{1,3}}(spring|summer|autumn|fall|winter)(?: of)?(?: ({_YEAR}))?\b",
        ),
        ("month", rf"(last|in|during|since|until|by|of|early|late|mid|this|around|before|after)[ -]({_LONG_MONTH})"),
        ("ago", rf"({_COUNT}) ({_UNIT})s? (?:ago|before now)\b"),
        ("last", rf"(last|this|past) ({_UNIT}|weekend)\b"),
        ("weekday", rf"(?:last|on|this) ({'|'.join(_WEEKDAYS)})\b"),
        ("near", r"(today|yesterday|tonight|this morning|last night)\b"),
        ("year", rf"({_YEAR})"),
    )
)

_HINT = re.compile(
    r"[0-9]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|last|this|past|ago|before now|on |night|today|yesterday"
    r"|spring|summer|autumn|fall|winter",
    re.IGNORECASE,
)
"""Something of this stands in every date."""


class DateKind(StrEnum):
    """How exactly a date is named."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class DateRange:
    """A stretch of time that a question names.

    Attributes:
        start_s: Its first moment, in seconds since 1970 UTC.
        end_s: Its end, not itself part of it.
        kind: How exactly it is named.
    """

    start_s: float
    end_s: float
    kind: DateKind


def dates_in(text: str, now: datetime) -> tuple[DateRange, ...]:
    """Find the dates that a text names; a date without a year is the last such one that has begun.

    Args:
        text: At most a few thousand characters.
        now: What `yesterday` is measured from.
    """
    if not _HINT.search(text):
        return ()
    now = now.astimezone(UTC)
    found: list[DateRange] = []
    taken: list[tuple[int, int]] = []
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            begin, end = match.span()
            if any(begin < e and b < end for b, e in taken):
                continue
            try:
                range_ = _READERS[name](match, now)
            except (
                LookupError,
                ValueError,
                OverflowError,
            ):  # 30 February, a year that no calendar has, or an odd i in `five`
                continue
            taken.append((begin, end))
            if range_ not in found:
                found.append(range_)
            if len(found) == _MOST_DATES:
                return tuple(found)
    return tuple(found)


def _days(start: datetime, days: int, kind: DateKind = DateKind.DAY) -> DateRange:
    return DateRange(start.timestamp(), (start + timedelta(days=days)).timestamp(), kind)


def _day(year: int, month: int, day: int) -> DateRange:
    return _days(datetime(year, month, day, tzinfo=UTC), 1)


def _months(year: int, month: int, count: int = 1) -> DateRange:
    last = year * 12 + month - 1 + count
    end = datetime(last // 12, last % 12 + 1, 1, tzinfo=UTC)
    return DateRange(datetime(year, month, 1, tzinfo=UTC).timestamp(), end.timestamp(), DateKind.MONTH)


def _year(year: int) -> DateRange:
    start, end = (datetime(y, 1, 1, tzinfo=UTC).timestamp() for y in (year, year + 1))
    return DateRange(start, end, DateKind.YEAR)


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _month_number(text: str) -> int:
    text = text.lower().rstrip(".")
    return _NUMBER_OF.get(text) or _SHORT[text[:3]]


def _day_number(text: str) -> int:
    return int(text.rstrip("stndrhSTNDRH"))


def _begun(now: datetime, years: Iterator[DateRange]) -> DateRange:
    """Return the first of these ranges, the latest first, that has begun.

    Raises:
        ValueError: None has.
    """
    for range_ in years:
        if range_.start_s <= now.timestamp():
            return range_
    raise ValueError("no such date has begun")


def _iso(match: re.Match[str], _: datetime) -> DateRange:
    return _day(*(int(part) for part in match.groups()))


def _month_day_of(month: str, day: str, year: str | None, now: datetime) -> DateRange:
    m, d = _month_number(month), _day_number(day)
    if year:
        return _day(int(year), m, d)
    return _begun(now, (_day(y, m, d) for y in range(now.year, now.year - 9, -1) if _exists(y, m, d)))


def _exists(year: int, month: int, day: int) -> bool:
    try:
        datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return False
    return True


def _day_month(match: re.Match[str], now: datetime) -> DateRange:
    return _month_day_of(match[2], match[1], match[3], now)


def _month_day(match: re.Match[str], now: datetime) -> DateRange:
    return _month_day_of(match[1], match[2], match[3], now)


def _month_year(match: re.Match[str], _: datetime) -> DateRange:
    return _months(int(match[2]), _month_number(match[1]))


def _month(match: re.Match[str], now: datetime) -> DateRange:
    m = _month_number(match[2])
    return _begun(now, (_months(y, m) for y in (now.year, now.year - 1)))


def _season(match: re.Match[str], now: datetime) -> DateRange:
    m = _SEASONS[match[1].lower()]
    if match[2]:
        return _months(int(match[2]), m, _SEASON_MONTHS)
    return _begun(now, (_months(y, m, _SEASON_MONTHS) for y in (now.year, now.year - 1)))


def _ago(match: re.Match[str], now: datetime) -> DateRange:
    count, unit = match[1].lower(), match[2].lower()
    return _back(now, int(count) if count.isdecimal() else _COUNTS[count], unit)


def _last(match: re.Match[str], now: datetime) -> DateRange:
    which, unit = match[1].lower(), match[2].lower()
    if unit == "weekend":
        saturday = _midnight(now) - timedelta(days=(now.weekday() - 5) % 7)
        return _days(saturday, 2)
    return _back(now, int(which != "this"), unit)


def _back(now: datetime, count: int, unit: str) -> DateRange:
    """Return the day, week, month or year so many units before now."""
    if unit == "day":
        return _days(_midnight(now) - timedelta(days=count), 1)
    if unit == "week":
        return _days(_midnight(now) - timedelta(days=now.weekday() + 7 * count), 7, DateKind.WEEK)
    if unit == "month":
        months = now.year * 12 + now.month - 1 - count
        return _months(months // 12, months % 12 + 1)
    return _year(now.year - count)


def _weekday(match: re.Match[str], now: datetime) -> DateRange:
    back = (now.weekday() - _WEEKDAYS.index(match[1].lower())) % 7 or 7
    return _days(_midnight(now) - timedelta(days=back), 1)


def _near(match: re.Match[str], now: datetime) -> DateRange:
    before = match[1].lower() in {"yesterday", "last night"}
    return _days(_midnight(now) - timedelta(days=int(before)), 1)


def _bare_year(match: re.Match[str], _: datetime) -> DateRange:
    return _year(int(match[1]))


_READERS: dict[str, Callable[[re.Match[str], datetime], DateRange]] = {
    "iso": _iso,
    "day_month": _day_month,
    "month_day": _month_day,
    "month_year": _month_year,
    "season": _season,
    "month": _month,
    "ago": _ago,
    "last": _last,
    "weekday": _weekday,
    "near": _near,
    "year": _bare_year,
}
