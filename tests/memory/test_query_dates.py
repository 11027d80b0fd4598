"""Dates in questions: named exactly, roughly, or from today."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.memory.query_dates import DateKind, dates_in

NOW = datetime(2024, 3, 13, 15, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "start", "end", "kind"),
    [
        ("what happened on 2023-05-08?", (2023, 5, 8), (2023, 5, 9), "day"),
        ("on 8 May 2023", (2023, 5, 8), (2023, 5, 9), "day"),
        ("on May 8th, 2023", (2023, 5, 8), (2023, 5, 9), "day"),
        ("the 8th of May", (2023, 5, 8), (2023, 5, 9), "day"),
        ("on Feb. 29", (2024, 2, 29), (2024, 3, 1), "day"),
        ("in June 2022", (2022, 6, 1), (2022, 7, 1), "month"),
        ("30 February 2023", (2023, 2, 1), (2023, 3, 1), "month"),
        ("camping in June", (2023, 6, 1), (2023, 7, 1), "month"),
        ("in January", (2024, 1, 1), (2024, 2, 1), "month"),
        ("during the summer of 2022", (2022, 6, 1), (2022, 9, 1), "month"),
        ("last winter", (2023, 12, 1), (2024, 3, 1), "month"),
        ("in 2021", (2021, 1, 1), (2022, 1, 1), "year"),
        ("yesterday", (2024, 3, 12), (2024, 3, 13), "day"),
        ("today", (2024, 3, 13), (2024, 3, 14), "day"),
        ("last week", (2024, 3, 4), (2024, 3, 11), "week"),
        ("this month", (2024, 3, 1), (2024, 4, 1), "month"),
        ("last year", (2023, 1, 1), (2024, 1, 1), "year"),
        ("two months ago", (2024, 1, 1), (2024, 2, 1), "month"),
        ("10 days ago", (2024, 3, 3), (2024, 3, 4), "day"),
        ("last Friday", (2024, 3, 8), (2024, 3, 9), "day"),
        ("last weekend", (2024, 3, 9), (2024, 3, 11), "day"),
    ],
)
def test_a_date_is_a_stretch_of_time(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int], kind: str
) -> None:
    """The stretch begins and ends at midnight UTC; a date without a year is the last that has begun."""
    (found,) = dates_in(text, NOW)
    assert datetime.fromtimestamp(found.start_s, UTC) == datetime(*start, tzinfo=UTC)
    assert datetime.fromtimestamp(found.end_s, UTC) == datetime(*end, tzinfo=UTC)
    assert found.kind is DateKind(kind)


@pytest.mark.parametrize(
    "text", ["may I ask", "they march on", "room 2019b", "a year of joy", "f\u0131ve days ago", "the \u017fummer"]
)
def test_what_is_no_date(text: str) -> None:
    """Verbs and numbers of other things are no dates."""
    assert dates_in(text, NOW) == ()


@pytest.mark.parametrize(
    "text",
    [
        "\u017feven days ago",
        "the \u017fummer 2023",
        "\u017fep 3",
        "\u017fept 2023",
        "3\u017ft of May",
        "la\u017ft week",
    ],
)
def test_letters_that_only_look_alike(text: str) -> None:
    """A letter that a search without capitals takes for another one raises nothing."""
    assert all(date.kind is not DateKind.DAY for date in dates_in(text, NOW))


@pytest.mark.parametrize(("text", "year"), [("29 February", 1), ("29 February", 3), ("12 may", 1), ("in June", 1)])
def test_a_date_that_has_never_begun(text: str, year: int) -> None:
    """In the first years of the calendar some days have not come yet."""
    assert dates_in(text, datetime(year, 3, 1, tzinfo=UTC)) == ()


def test_several_dates() -> None:
    """Each is found once, and a year that belongs to a month is not one of its own."""
    found = dates_in("between May 2023 and 3 July 2023, or May 2023", NOW)
    assert sorted(date.kind.value for date in found) == ["day", "month"]


@given(st.text(), st.datetimes(timezones=st.just(UTC)))
def test_any_text_at_any_time(text: str, now: datetime) -> None:
    """No text raises, whenever it is read."""
    assert all(date.start_s < date.end_s for date in dates_in(f"last year {text} 31 December 9 years ago", now))
