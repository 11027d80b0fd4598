"""What a caller asks for in names and words, checked, as a question, a list or a filter; nothing is guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nola.errors import UsageError
from nola.memory.axes import Kind, MemoryClass, Status, Tier, Trust
from nola.memory.checks import (
    checked_choice,
    checked_flag,
    checked_instant,
    checked_object,
    checked_share,
    checked_text,
    checked_texts,
    checked_whole,
    nearest,
)
from nola.memory.filters import Filter
from nola.memory.listing import Listing, Order
from nola.memory.recall import Ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

__all__ = ["OPTIONS", "asked", "filtered", "listed"]

_ALIASES = {
    "class": "classes",
    "memory_class": "classes",
    "class_": "classes",
    "kind": "kinds",
    "level": "levels",
    "status": "statuses",
    "tier": "tiers",
    "speaker": "author",
}
OPTIONS = ("tiers", "include_cold", "min_heat")
"""Options of a question that are no filters of stored fields."""
_OF_LISTS = ("tiers", "min_heat")
_LEVELS = (1, 3)
_MOST_LISTED = 2**53
_MOST_LIMIT = 100_000
_MOST_BUDGET = 10_000_000


def asked(
    text: object,
    *,
    now: datetime,
    limit: object,
    budget: object = None,
    as_of: object = None,
    owner: str = "",
    given: Mapping[str, object],
) -> Ask:
    """Return the question that a caller asks.

    Args:
        text: The question; any text.
        now: The present.
        limit: The most memories.
        budget: The most tokens, or None.
        as_of: The instant at which everything is seen, or None (P15).
        owner: Who `I` is.
        given: Filters and options by name.

    Raises:
        UsageError: One is unknown, or its value is of the wrong type or out of range.
    """
    if not isinstance(text, str):
        raise UsageError(f"a question is a text, not {type(text).__name__}")
    options, own = _parted(given, OPTIONS)
    then, present = None if as_of is None else checked_instant("as_of", as_of), checked_instant("now", now)
    return Ask(
        text=text,
        wanted=filtered(own, as_of=then),
        now=present if then is None else min(then, present),
        limit=checked_whole("limit", limit, 0, _MOST_LIMIT),
        budget=None if budget is None else checked_whole("budget", budget, 0, _MOST_BUDGET),
        tiers=frozenset(_choices(Tier)("tier", options.get("tiers", ()))),
        include_cold=checked_flag("include_cold", options.get("include_cold", False)),
        min_heat=checked_share("min_heat", options.get("min_heat", 0.0)),
        owner=owner,
    )


def listed(
    given: Mapping[str, object], *, order: object = Order.NEWEST, limit: object = None, offset: object = 0
) -> Listing:
    """Return the list that a caller wants.

    Args:
        given: Filters by name, tier and least heat among them.
        order: `newest` or `heat`.
        limit: The most memories; None for all.
        offset: How many to pass over.

    Raises:
        UsageError: A name is unknown, or a value is of the wrong type or out of range.
    """
    options, own = _parted(given, _OF_LISTS)
    return Listing(
        wanted=filtered(own),
        tiers=frozenset(_choices(Tier)("tier", options.get("tiers", ()))),
        min_heat=checked_share("min_heat", options.get("min_heat", 0.0)),
        order=checked_choice("order", order, Order),
        limit=None if limit is None else checked_whole("limit", limit, 0, _MOST_LISTED),
        offset=checked_whole("offset", offset, 0, _MOST_LISTED),
    )


def filtered(given: Mapping[str, object], *, as_of: datetime | None = None) -> Filter:
    """Return the filter that a caller names; what is None does not matter, except `namespace=None`: all of them.

    Raises:
        UsageError: A name is unknown, or a value is of the wrong type.
    """
    checked: dict[str, Any] = {}
    for name, as_given in _named(given).items():
        value = given[as_given]
        if name not in _CHECKS:
            known = (_CHECKS.keys() | _ALIASES.keys() | set(OPTIONS)) - {name, as_given}
            raise UsageError(f"memories can't be filtered by {as_given!r}{nearest(as_given, known)}")
        if value is None and name != "namespace":
            continue
        checked[name] = None if value is None else _CHECKS[name](as_given, value)
    return Filter(**checked, as_of=as_of)


def _named(given: Mapping[str, object]) -> dict[str, str]:
    """Return under which name each filter was given, by its own."""
    own: dict[str, str] = {}
    for as_given in given:
        name = _ALIASES.get(as_given, as_given)
        if name in own:
            raise UsageError(f"{name} is given twice, once as {as_given}")
        own[name] = as_given
    return own


def _parted(given: Mapping[str, object], names: Iterable[str]) -> tuple[dict[str, object], dict[str, object]]:
    """Return those of some options that are not None by their own names, and all other filters as they were given."""
    own = _named(given)
    found = {name: given[own[name]] for name in names if name in own}
    rest = {as_given: given[as_given] for name, as_given in own.items() if name not in found}
    return {name: value for name, value in found.items() if value is not None}, rest


def _several(value: object) -> Iterable[object]:
    return value if isinstance(value, list | tuple | set | frozenset) else [value]


def _choices(choice: type[Any]) -> Callable[[str, object], frozenset[Any]]:
    return lambda name, value: frozenset(checked_choice(name, one, choice) for one in _several(value))


def _details(name: str, value: object) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(checked_object(name, value).items()))


_CHECKS: Mapping[str, Callable[[str, object], Any]] = {
    "kinds": _choices(Kind),
    "classes": _choices(MemoryClass),
    "levels": lambda name, value: frozenset(checked_whole(name, one, *_LEVELS) for one in _several(value)),
    "statuses": _choices(Status),
    "trust": lambda name, value: checked_choice(name, value, Trust),
    **dict.fromkeys(("namespace", "agent", "user", "author", "conversation", "concept"), checked_text),
    "tags": lambda name, value: frozenset(checked_texts(name, [value] if isinstance(value, str) else value)),
    "pinned": checked_flag,
    **dict.fromkeys(("since", "until", "valid_at"), checked_instant),
    "details": _details,
    "expired": checked_flag,
}
