"""Tests of reading a moment."""

from __future__ import annotations

import contextlib
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.cli.state_time import read_moment, written
from nola.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.table import BarResult

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
MOMENTS = [
    ("now", "2026-11-20T09:00:00+00:00"),
    ("2026-11-19T08:30:00Z", "2026-11-19T08:30:00+00:00"),
    ("2026-11-19T08:30+02:00", "2026-11-19T06:30:00+00:00"),
    ("2026-11-19 08:30", "2026-11-19T13:30:00+00:00"),
    ("2026-11-19t08:30", "2026-11-19T13:30:00+00:00"),
    ("2026-11-19", "2026-11-19T05:00:00+00:00"),
    ("2026-10-31", "2026-10-31T04:00:00+00:00"),
    ("today", "2026-11-20T05:00:00+00:00"),
    ("today 03:30", "2026-11-20T08:30:00+00:00"),
    ("yesterday", "2026-11-19T09:00:00+00:00"),
    ("Yesterday at 14:30", "2026-11-19T19:30:00+00:00"),
    ("10 minutes ago", "2026-11-20T08:50:00+00:00"),
    ("  2   DAYS ago ", "2026-11-18T09:00:00+00:00"),
    ("an hour ago", "2026-11-20T08:00:00+00:00"),
    ("3h ago", "2026-11-20T06:00:00+00:00"),
    ("59 s ago", "2026-11-20T08:59:01+00:00"),
    ("a week ago", "2026-11-13T09:00:00+00:00"),
    ("2 months ago", "2026-09-21T09:00:00+00:00"),
    ("1 year ago", "2025-11-20T09:00:00+00:00"),
    ("1 day, 2 hours and 3 min ago", "2026-11-19T06:57:00+00:00"),
]


@pytest.fixture(autouse=True)
def _in_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Five hours behind UTC; four until the first of November."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.bar("F3")
@pytest.mark.parametrize(("text", "moment"), MOMENTS)
def test_a_moment_is_read_as_people_write_it(text: str, moment: str, bar_result: BarResult) -> None:
    """What has no zone is this machine's time, and what is told is UTC."""
    assert read_moment(text, NOW).isoformat() == moment
    assert read_moment(text, NOW).utcoffset() == timedelta()
    bar_result(1, "time stamps")


@pytest.mark.bar("F3")
def test_as_they_stand_some_moments_can_not_be_compared(bar_result: BarResult) -> None:
    """The control: where no zone is written the library reads none, and comparing that with a moment fails."""
    texts = [text for text, _ in MOMENTS if text.startswith("2026-")]
    failed = 0
    for text in texts:
        try:
            max(datetime.fromisoformat(text), NOW)
        except TypeError:
            failed += 1
    bar_result(0, "time stamps", control=f"as the library reads them: {failed} of {len(texts)} can't be compared")
    assert failed > 0


@pytest.mark.bar("F3")
@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "tomorrow", "2 days", "ago", "2 days ago ago", "-2 days ago", "1e5 days ago", "and ago"),
        *("2026-13-01", "25:00", "yesterday 24:00", "0001-01-01", "9999-12-31T23:59:59"),
        *("9" * 400, "999999999 years ago", "\0", "\udcff"),
    ],
)
def test_what_is_no_time_is_refused(text: str, bar_result: BarResult) -> None:
    """As wrong usage, with a time that is one."""
    with pytest.raises(UsageError) as caught:
        read_moment(text, NOW)
    assert caught.value.fix
    bar_result(1, "time stamps")


def test_the_future_is_not_known() -> None:
    """What lies a second ahead is refused, and told in this machine's time."""
    with pytest.raises(UsageError, match=r"2026-11-20 04:00:01 -0500 lies in the future"):
        read_moment("2026-11-20T09:00:01Z", NOW)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("in 3 days", "2026-11-23T09:00:00+00:00"),
        ("in an hour and 30 min", "2026-11-20T10:30:00+00:00"),
        ("tomorrow", "2026-11-21T09:00:00+00:00"),
        ("tomorrow at 08:00", "2026-11-21T13:00:00+00:00"),
        ("2027-01-01T00:00Z", "2027-01-01T00:00:00+00:00"),
        ("yesterday", "2026-11-19T09:00:00+00:00"),
    ],
)
def test_the_future_may_be_named_where_it_makes_sense(text: str, moment: str) -> None:
    """When something expires, or how it will be seen then; elsewhere it is refused."""
    assert read_moment(text, NOW, future=True).isoformat() == moment
    if moment > NOW.isoformat():
        with pytest.raises(UsageError, match="lies in the future"):
            read_moment(text, NOW)


@pytest.mark.bar("F3")
def test_what_is_written_is_read_again(bar_result: BarResult) -> None:
    """To the second, across every change of the clocks."""
    read = 0

    @given(st.datetimes(datetime(1971, 1, 1), NOW.replace(tzinfo=None)))  # noqa: DTZ001 -- the zone is added below
    def again(naive: datetime) -> None:
        nonlocal read
        moment = naive.replace(tzinfo=UTC, microsecond=0)
        assert read_moment(written(moment).replace(" -", "-").replace(" +", "+"), NOW) == moment
        read += 1

    again()
    bar_result(read, "time stamps")
    assert read > 0


@pytest.mark.bar("F3")
def test_any_text_is_a_moment_or_refused(bar_result: BarResult) -> None:
    """Nothing else comes of it, and a moment can be compared."""
    tried = 0

    @given(st.text())
    def read(text: str) -> None:
        nonlocal tried
        with contextlib.suppress(UsageError):
            assert read_moment(text, NOW) <= NOW
        tried += 1

    read()
    bar_result(tried, "time stamps")
    assert tried > 0
