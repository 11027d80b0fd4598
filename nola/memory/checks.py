"""Checks one value that a caller gives for a field of a memory; what is wrong is told in one sentence."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from nola.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import StrEnum

    from nola.types import Json

__all__ = [
    "checked_choice",
    "checked_flag",
    "checked_instant",
    "checked_number",
    "checked_object",
    "checked_share",
    "checked_text",
    "checked_texts",
    "checked_time",
    "checked_whole",
    "nearest",
    "required",
]

_Member = TypeVar("_Member", bound="StrEnum")

_DEPTH = 32
_ITEMS = 100_000
_NUMBER = 2**63
_NAME_LENGTH = 4096
_SHOWN_BITS = 192
_SURROGATE = re.compile("[\ud800-\udfff]")


def checked_text(name: str, value: object, *, most: int = _NAME_LENGTH, blank: bool = True) -> str:
    """Return a text that every index and file can hold.

    Args:
        name: The field, for the sentence.
        value: What was given.
        most: Most characters.
        blank: Whether it may be empty or white space.

    Raises:
        UsageError: It is no text, is blank or too long, or holds what no UTF-8 file or SQLite text can.
    """
    if not isinstance(value, str):
        raise UsageError(f"{name} takes text, not {_shown(value)}")
    if not blank and not value.strip():
        raise UsageError(f"{name} is empty")
    if len(value) > most:
        raise UsageError(f"{name} takes at most {most:,} characters, not {len(value):,}")
    if "\0" in value:
        raise UsageError(f"{name} holds a NUL character")
    if not value.isascii() and _SURROGATE.search(value):
        raise UsageError(f"{name} holds half of a character (a lone surrogate), which is no text")
    return value


def checked_texts(name: str, value: object) -> tuple[str, ...]:
    """Return a list of texts in its order, none of them blank.

    Raises:
        UsageError: It is no list, or one of its items is no text.
    """
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise UsageError(f"{name} takes a list of texts, not {_shown(value)}")
    if len(value) > _ITEMS:
        raise UsageError(f"{name} takes at most {_ITEMS:,} items, not {len(value):,}")
    return tuple(checked_text(f"{name}[{place}]", item, blank=False) for place, item in enumerate(value))


def checked_number(name: str, value: object, low: float, high: float) -> float:
    """Return a number from `low` to `high`.

    Raises:
        UsageError: It is no number, NaN, or out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{name} takes a number from {low:g} to {high:g}, not {_shown(value)}")
    if not low <= value <= high:  # NaN lies nowhere
        raise UsageError(f"{name} takes {low:g} to {high:g}, not {_shown(value)}")
    return float(value)


def checked_share(name: str, value: object) -> float:
    """Return a number from 0 to 1 (A12).

    Raises:
        UsageError: It is none.
    """
    return checked_number(name, value, 0, 1)


def checked_whole(name: str, value: object, low: int, high: int) -> int:
    """Return a whole number from `low` to `high`.

    Raises:
        UsageError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UsageError(f"{name} takes a whole number from {low:,} to {high:,}, not {_shown(value)}")
    return value


def checked_flag(name: str, value: object) -> bool:
    """Return true or false.

    Raises:
        UsageError: It is neither.
    """
    if not isinstance(value, bool):
        raise UsageError(f"{name} takes true or false, not {_shown(value)}")
    return value


def checked_instant(name: str, value: object) -> datetime:
    """Return an instant in UTC.

    Raises:
        UsageError: It is no datetime, or a naive one.
    """
    if not isinstance(value, datetime):
        raise UsageError(f"{name} takes a datetime, not {_shown(value)}")
    if value.utcoffset() is None:
        raise UsageError(f"{name} takes a datetime with a time zone, not the naive {value.isoformat()}")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise UsageError(f"{name} lies outside the years 1 to 9999 in UTC: {value.isoformat()}") from None


def checked_choice(name: str, value: object, kinds: type[_Member]) -> _Member:
    """Return the member of an enum that `value` is or names.

    Raises:
        UsageError: It names none.
    """
    if isinstance(value, str):
        for member in kinds:
            if member.value == value:
                return member
    names = [member.value for member in kinds]
    raise UsageError(f"{name} is one of {', '.join(names)}, not {_shown(value)}{nearest(value, names)}")


def checked_object(name: str, value: object) -> dict[str, Json]:
    """Return a copy of a JSON object that any JSON reader takes back as it is.

    Raises:
        UsageError: It is no object, is nested too deeply, or holds what JSON can't.
    """
    if not isinstance(value, dict):
        raise UsageError(f"{name} takes an object, not {_shown(value)}")
    found = _json(name, value, 0)
    return found if isinstance(found, dict) else {}


def checked_time(name: str, value: Json) -> datetime | None:
    """Return the instant that an ISO-8601 text names, in UTC; None for null.

    Raises:
        UsageError: It is no such text, or names no time zone.
    """
    if value is None:
        return None
    try:
        return checked_instant(name, datetime.fromisoformat(checked_text(name, value)))
    except ValueError:
        raise UsageError(f"{name} takes an ISO-8601 time, not {value!r}") from None


def required(data: dict[str, Json], name: str) -> Json:
    """Take a field out of an object and return its value.

    Raises:
        UsageError: It is not there.
    """
    if name not in data:
        raise UsageError(f"{name} is missing")
    return data.pop(name)


def nearest(name: object, known: Iterable[str]) -> str:
    """Return `: did you mean ...?` for a name that is not known, or nothing."""
    close = get_close_matches(str(name)[:100].lower(), sorted(known), n=1, cutoff=0.5)
    return f": did you mean {close[0]}?" if close else ""


def _json(name: str, value: Any, depth: int) -> Json:
    if depth > _DEPTH:
        raise UsageError(f"{name} is nested more than {_DEPTH} deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return checked_text(name, value, most=1_000_000)
    if isinstance(value, int):
        if not -_NUMBER <= value < _NUMBER:
            raise UsageError(f"{name} takes whole numbers of 64 bits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError(f"{name} takes no {value}")
        return float(value)
    if isinstance(value, list | tuple):
        return [_json(f"{name}[{place}]", item, depth + 1) for place, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            checked_text(f"a name in {name}", key): _json(f"{name}.{key}", item, depth + 1)
            for key, item in value.items()
        }
    raise UsageError(f"{name} takes what JSON can hold, not {_shown(value)}")


def _shown(value: object) -> str:
    """Return a value as it fits into a sentence."""
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return "a number of hundreds of digits"
    if isinstance(value, str | bool | int | float | None):
        text = repr(value)
        return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 -- a sentence stays a sentence
    return f"a {type(value).__name__}"
