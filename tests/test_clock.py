"""The clock is aware, in UTC, and the only reader of the wall clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from nola.clock import CalledClock, ShiftedClock, SystemClock, clock_of, parse_instant
from nola.errors import ConfigError, UsageError

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.row("X08")
def test_the_system_clock_is_aware_and_in_utc() -> None:
    """The machine's clock tells an aware instant in UTC that agrees with the machine."""
    now = SystemClock().now()
    assert now.tzinfo is UTC
    assert abs(now.timestamp() - time.time()) < 5  # noqa: TID251 -- what the clock is held against


def test_the_monotonic_clock_never_goes_back() -> None:
    """A hundred looks at the monotonic clock come in order."""
    clock = SystemClock()
    looks = [clock.monotonic() for _ in range(100)]
    assert looks == sorted(looks)


def test_a_shifted_clock_starts_where_it_was_set() -> None:
    """The first look shows the start, give or take the time that making it took."""
    assert timedelta(0) <= ShiftedClock(NOON).now() - NOON < timedelta(seconds=5)


def test_a_shifted_clock_runs_on() -> None:
    """What passes on the monotonic clock passes on the shifted one."""
    clock = ShiftedClock(NOON)
    first, began = clock.now(), clock.monotonic()
    while clock.monotonic() == began:
        pass
    second, ended = clock.now(), clock.monotonic()
    assert first < second
    assert (second - first).total_seconds() <= ended - began + 1


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-20T12:00:00+00:00", NOON),
        ("2026-11-20T13:00:00+01:00", NOON),
        ("2026-11-20T12:00:00Z", NOON),
        ("2026-11-20T12:00", NOON),
        (" 2026-11-20 12:00 ", NOON),
        ("2026-11-20", NOON - timedelta(hours=12)),
    ],
)
def test_an_instant_is_read(text: str, instant: datetime) -> None:
    """An ISO-8601 time is read into UTC; a naive one is UTC already."""
    read = parse_instant(text)
    assert read == instant
    assert read.utcoffset() == timedelta(0)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-13-01", "20:00", "2026-11-20T25:00", "0001-01-01T00:00+14:00"])
def test_what_is_no_instant_is_refused(text: str) -> None:
    """Anything else is refused with an example of how to write it."""
    with pytest.raises(ConfigError, match="not an ISO-8601 time") as caught:
        parse_instant(text)
    assert "2026-11-20T09:00:00+00:00" in caught.value.fix


def test_a_function_may_be_a_clock() -> None:
    """It tells the present in any zone; what is no aware datetime is told in a sentence."""
    there = NOON.astimezone(timezone(timedelta(hours=5)))
    assert clock_of(lambda: there).now() == NOON
    assert clock_of(lambda: there).now().tzinfo is UTC
    assert isinstance(clock_of(None), SystemClock)
    shifted = ShiftedClock(NOON)
    assert clock_of(shifted) is shifted
    for told in (NOON.replace(tzinfo=None), "noon", None):
        with pytest.raises(UsageError, match="a datetime with a time zone"):
            CalledClock(lambda told=told: told).now()  # type: ignore[misc]
    with pytest.raises(UsageError, match="not int"):
        clock_of(5)  # type: ignore[arg-type]
