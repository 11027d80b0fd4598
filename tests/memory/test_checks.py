"""What a caller gives is checked, and what is wrong is told in one sentence that names the field."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from nola.errors import UsageError
from nola.memory.axes import Kind
from nola.memory.checks import (
    checked_choice,
    checked_flag,
    checked_instant,
    checked_number,
    checked_object,
    checked_share,
    checked_text,
    checked_texts,
    checked_time,
    checked_whole,
    nearest,
    required,
)

NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001
DEEP: dict[str, Any] = {}
for _ in range(40):
    DEEP = {"in": DEEP}

REFUSED = [
    (checked_text, 7, "x takes text, not 7"),
    (checked_text, b"abc", "x takes text, not a bytes"),
    (checked_text, "a\0b", "x holds a NUL character"),
    (checked_text, "a\ud800b", "x holds half of a character"),
    (checked_text, "a" * 5000, "x takes at most 4,096 characters, not 5,000"),
    (checked_texts, "abc", "x takes a list of texts, not 'abc'"),
    (checked_texts, ["a", ""], r"x\[1\] is empty"),
    (checked_texts, ["a", 3], r"x\[1\] takes text, not 3"),
    (checked_texts, ["a"] * 100_001, "x takes at most 100,000 items"),
    (checked_share, float("nan"), "x takes 0 to 1, not nan"),
    (checked_share, -0.1, "x takes 0 to 1, not -0.1"),
    (checked_share, 1.1, "x takes 0 to 1, not 1.1"),
    (checked_share, "x", "x takes a number from 0 to 1, not 'x'"),
    (checked_share, True, "x takes a number from 0 to 1, not True"),
    (checked_share, 10**400, "x takes 0 to 1, not a number of hundreds of digits"),
    (checked_flag, 1, "x takes true or false, not 1"),
    (checked_instant, "2026", "x takes a datetime, not '2026'"),
    (checked_instant, NAIVE, "x takes a datetime with a time zone, not the naive 2026-01-01"),
    (checked_instant, datetime.min.replace(tzinfo=timezone(timedelta(hours=5))), "outside the years 1 to 9999"),
    (checked_object, [], "x takes an object, not a list"),
    (checked_object, {"a": float("inf")}, r"x\.a takes no inf"),
    (checked_object, {"a": [2**63]}, r"x\.a\[0\] takes whole numbers of 64 bits"),
    (checked_object, {"a": {1, 2}}, r"x\.a takes what JSON can hold, not a set"),
    (checked_object, {3: 1}, "a name in x takes text, not 3"),
    (checked_object, DEEP, "nested more than 32 deep"),
    (checked_time, "yesterday", "x takes an ISO-8601 time, not 'yesterday'"),
    (checked_time, "2026-01-01T00:00:00", "x takes a datetime with a time zone"),
]


@pytest.mark.row("A12")
@pytest.mark.row("P25")
@pytest.mark.parametrize(("check", "value", "sentence"), REFUSED, ids=lambda part: str(part)[:40])
def test_what_is_wrong_is_refused_with_the_fields_name(check: Any, value: object, sentence: str) -> None:
    """One sentence says which field, what it takes, and what came."""
    with pytest.raises(UsageError, match=sentence):
        check("x", value)


def test_what_is_right_comes_back_as_it_is() -> None:
    """Texts keep every character, numbers become floats, times UTC."""
    assert checked_text("x", "Grüße, 👋\n") == "Grüße, 👋\n"
    assert checked_texts("x", ["b", "a", "b"]) == ("b", "a", "b")
    assert [checked_share("x", value) for value in (0, 1, 0.5)] == [0.0, 1.0, 0.5]
    assert checked_number("x", 7, -10, 10) == 7.0
    assert checked_whole("x", 3, 1, 3) == 3
    assert checked_flag("x", value=False) is False
    there = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=3)))
    assert checked_instant("x", there).isoformat() == "2026-01-01T09:00:00+00:00"
    assert checked_time("x", "2026-01-01T09:00:00+00:00") == there.astimezone(UTC)
    assert checked_time("x", None) is None


@pytest.mark.row("B23")
def test_a_json_object_comes_back_as_a_copy() -> None:
    """Empty lists and objects, nesting, and every script go in and out; a change of the original changes nothing."""
    given: dict[str, Any] = {"ключ": ["ä", {}, [], None, True, 1, 2.5], "nested": {"deep": {"er": []}}}
    found = checked_object("x", given)
    assert found == given
    given["nested"] = {}
    assert found["nested"] == {"deep": {"er": []}}


@pytest.mark.parametrize("value", [0, 4, 2.5, True, "3"])
def test_a_whole_number_is_whole_and_in_range(value: object) -> None:
    """Nothing is rounded or read out of text."""
    with pytest.raises(UsageError, match="x takes a whole number from 1 to 3"):
        checked_whole("x", value, 1, 3)


def test_a_choice_is_a_member_or_its_name() -> None:
    """Anything else is told with the nearest name."""
    assert checked_choice("kind", "episodic", Kind) is Kind.EPISODIC
    assert checked_choice("kind", Kind.SUMMARY, Kind) is Kind.SUMMARY
    with pytest.raises(UsageError, match=r"kind is one of sensory.*not 'episodical': did you mean episodic"):
        checked_choice("kind", "episodical", Kind)
    with pytest.raises(UsageError, match="not None"):
        checked_choice("kind", None, Kind)


def test_a_long_value_is_shown_short() -> None:
    """A sentence stays a sentence, whatever was given."""
    with pytest.raises(UsageError) as caught:
        checked_choice("kind", "x" * 100_000, Kind)
    assert len(str(caught.value)) < 250
    with pytest.raises(UsageError, match="not a number of hundreds of digits"):
        checked_flag("x", 10**5000)


def test_nearest_names_nothing_when_nothing_is_near() -> None:
    """A wild name gets no suggestion."""
    assert nearest("zzzz", ["importance"]) == ""
    assert nearest("importence", ["importance", "confidence"]) == ": did you mean importance?"


def test_a_field_that_is_required_is_taken_or_missed() -> None:
    """It leaves the object; when it is not there, its name is told."""
    data: dict[str, Any] = {"a": 1}
    assert required(data, "a") == 1
    with pytest.raises(UsageError, match="a is missing"):
        required(data, "a")
