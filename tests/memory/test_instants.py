"""Instants go from one form to another without loss."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from nola.memory.instants import from_micros, from_seconds, micros, seconds, written

MOMENT = datetime(2026, 11, 20, 9, 0, 0, 123456, tzinfo=UTC)


@given(st.datetimes(timezones=st.just(UTC), min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1)))  # noqa: DTZ001
def test_every_instant_comes_back(at: datetime) -> None:
    """To the microsecond, from whole microseconds and from seconds."""
    assert from_micros(micros(at)) == at
    assert from_seconds(seconds(at)) == at
    assert datetime.fromisoformat(written(at)) == at


def test_the_zone_does_not_matter() -> None:
    """The same instant elsewhere is the same number and the same text."""
    there = MOMENT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert micros(there) == micros(MOMENT) == 1_795_165_200_123_456
    assert written(there) == "2026-11-20T09:00:00.123456+00:00"


def test_text_sorts_by_time() -> None:
    """Every text has the same length, also for a whole second."""
    texts = [written(MOMENT.replace(microsecond=micro)) for micro in (0, 1, 999_999)]
    assert texts == sorted(texts)
    assert {len(text) for text in texts} == {32}


def test_what_lies_beyond_all_time_is_its_end() -> None:
    """No number overflows: the last microsecond of the year 9999 comes back, and what is later is that."""
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert from_seconds(micros(last) / 1e6) == from_seconds(seconds(last)) == from_seconds(math.inf) == last
    assert from_seconds(seconds(first)) == from_seconds(-math.inf) == first
    assert from_micros(2**62) == last
    assert from_micros(-(2**62)) == first
