"""Tests of nola.memory.asking: what a caller may name, and what becomes of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from nola.errors import UsageError
from nola.memory.asking import asked, filtered, listed
from nola.memory.axes import Kind, MemoryClass, Status, Tier, Trust
from nola.memory.filters import Filter
from nola.memory.listing import Listing, Order

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def ask(text: object = "dog", **given: Any) -> Any:
    """A question at a fixed time."""
    fixed = {name: given.pop(name) for name in ("now", "limit", "budget", "as_of", "owner") if name in given}
    return asked(text, **{"now": NOW, "limit": 10, **fixed}, given=given)


def test_nothing_given_is_the_default_namespace_and_what_is_active() -> None:
    """The filter lets active memories of the default namespace through."""
    assert filtered({}) == Filter(statuses=frozenset({Status.ACTIVE}), namespace="default")


def test_names_may_be_one_or_several() -> None:
    """A text, an enum or a list of them is a set; short names mean the same."""
    assert filtered({"kind": "episodic"}).kinds == {Kind.EPISODIC}
    assert filtered({"kinds": [Kind.EPISODIC, "semantic"]}).kinds == {Kind.EPISODIC, Kind.SEMANTIC}
    assert filtered({"class": "innate"}).classes == filtered({"memory_class": "innate"}).classes == {MemoryClass.INNATE}
    assert filtered({"status": ("active", "archived")}).statuses == {Status.ACTIVE, Status.ARCHIVED}
    assert filtered({"level": 1}).levels == {1}
    assert filtered({"levels": [1, 3]}).levels == {1, 3}
    assert filtered({"speaker": "Ada", "trust": "external", "tags": "a"}) == Filter(
        author="Ada", trust=Trust.EXTERNAL, tags=frozenset({"a"})
    )


def test_none_does_not_matter_except_for_the_namespace() -> None:
    """`namespace=None` means all of them."""
    assert filtered({"kind": None, "since": None}) == Filter()
    assert filtered({"namespace": None}).namespace is None

    assert ask(tier=None, min_heat=None, include_cold=None) == ask()


def test_a_list_has_tiers_and_an_order() -> None:
    """Whatever is none of them is a filter; the last stored first unless something else is said."""
    assert listed({}) == Listing(Filter())
    assert listed({"tier": "hot", "min_heat": 0.5, "level": 1}, order="heat", limit=3, offset=2) == Listing(
        Filter(levels=frozenset({1})), frozenset({Tier.HOT}), 0.5, Order.HEAT, 3, 2
    )
    for given in ({"order": "size"}, {"limit": -1}, {"offset": None}, {"limit": 1.5}):
        with pytest.raises(UsageError, match=next(iter(given))):
            listed({}, **given)


def test_what_no_list_asks_is_refused_with_no_such_advice() -> None:
    """A list hides nothing cold; the name that was given is not what is advised."""
    with pytest.raises(UsageError, match=r"^memories can't be filtered by 'include_cold'$"):
        listed({"include_cold": True})
    with pytest.raises(UsageError, match="can't be filtered by 'tier'") as caught:
        filtered({"tier": "hot"})
    assert "did you mean tiers?" not in str(caught.value)


def test_times_are_kept_in_utc() -> None:
    """An aware time of any zone is the same instant."""
    there = NOW.astimezone(timezone(timedelta(hours=9)))
    assert filtered({"since": there}).since == NOW
    with pytest.raises(UsageError, match="time zone"):
        filtered({"until": NOW.replace(tzinfo=None)})


def test_a_question_as_of_a_time_is_asked_then() -> None:
    """The present is the earlier of both, since nothing later was known."""
    past, future = NOW - timedelta(days=3), NOW + timedelta(days=3)
    assert (ask(as_of=past).now, ask(as_of=past).wanted.as_of) == (past, past)
    assert ask(as_of=future).now == NOW
    with pytest.raises(UsageError, match="now"):
        ask(as_of=past, now=NOW.replace(tzinfo=None))


def test_options_of_a_question() -> None:
    """Tier, least heat and cold ones are no fields of a memory."""
    made = ask(tier=["hot", "warm"], min_heat=0.5, include_cold=True, budget=100, owner="Ada")
    assert (made.tiers, made.min_heat, made.include_cold, made.budget) == ({Tier.HOT, Tier.WARM}, 0.5, True, 100)
    assert (made.owner, made.limit, made.text) == ("Ada", 10, "dog")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"colour": "red"}, "colour"), ({"kin": "semantic"}, "kind"), ({"kind": "fact"}, "kind"),
        ({"kind": "semantic", "kinds": "semantic"}, "twice"), ({"trust": 3}, "trust"), ({"pinned": 1}, "pinned"),
        ({"level": 4}, "level"), ({"level": [1, True]}, "level"), ({"level": "1"}, "level"),
        ({"tags": 3}, "tags"), ({"since": "2026"}, "since"), ({"details": []}, "details"), ({"namespace": 3}, "namesp"),
    ],
)  # fmt: skip
def test_a_wrong_filter_is_named(given: dict[str, Any], said: str) -> None:
    """The sentence names what is wrong, and the nearest name that there is."""
    with pytest.raises(UsageError, match=said):
        filtered(given)


@pytest.mark.parametrize("given", [{"kind": "fact"}, {"speaker": 5}, {"class": "x"}, {"status": "x"}, {"level": 9}])
def test_a_wrong_filter_is_named_as_it_was_given(given: dict[str, Any]) -> None:
    """Not by the name that it has inside."""
    (name,) = given
    for refusing in (lambda: filtered(given), lambda: ask(**given), lambda: listed(given)):
        with pytest.raises(UsageError, match=rf"^{name} "):
            refusing()


@pytest.mark.parametrize(
    "given",
    [{"limit": True}, {"limit": 1.0}, {"limit": -1}, {"budget": "9"}, {"tier": "x"}, {"min_heat": float("nan")}],
    ids=str,
)
def test_a_wrong_option_is_refused(given: dict[str, Any]) -> None:
    """Whole numbers are whole, shares lie between 0 and 1."""
    with pytest.raises(UsageError):
        ask(**given)
    with pytest.raises(UsageError, match="a question is a text"):
        ask(3)
