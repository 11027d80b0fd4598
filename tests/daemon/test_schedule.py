"""Tests of the jobs that run again and again."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.clock import SystemClock
from nola.daemon.schedule import Job, Scheduler, Timetable
from nola.errors import StorageError
from nola.testing import ManualClock


def nothing() -> None:
    """Do nothing."""


BACKUP = Job("backup", 600.0, nothing, first_s=30.0)
RETRY = Job("retry", 2.0, nothing, slowest_s=8.0)


def test_jobs_run_at_their_times() -> None:
    """First after `first_s`, then `every_s` after the end of the run before."""
    timetable = Timetable([BACKUP, RETRY], 100.0)
    assert timetable.due() == 100.0
    assert timetable.ready(100.0) == [RETRY]
    timetable.ran(RETRY, 100.5, well=True)
    assert timetable.due() == 102.5
    assert timetable.ready(131.0) == [RETRY, BACKUP]


def test_no_jobs_are_never_due() -> None:
    """The thread then has nothing to wait for."""
    assert Timetable([], 0.0).due() is None


def test_a_long_sleep_makes_no_storm() -> None:
    """What was missed for a week runs once."""
    timetable = Timetable([RETRY], 0.0)
    timetable.ran(RETRY, 0.0, well=True)
    week = 7 * 86_400.0
    assert timetable.ready(week) == [RETRY]
    timetable.ran(RETRY, week, well=True)
    assert timetable.ready(week) == []
    assert timetable.due() == week + 2.0


def test_failures_are_tried_again_ever_more_rarely() -> None:
    """Twice the wait each time, up to the slowest; success sets it back."""
    timetable = Timetable([RETRY, BACKUP], 0.0)
    waits = []
    for _ in range(5):
        timetable.ran(RETRY, 0.0, well=False)
        waits.append(timetable.due())
    assert waits == [4.0, 8.0, 8.0, 8.0, 8.0]
    timetable.ran(RETRY, 0.0, well=True)
    assert timetable.due() == 2.0


@given(st.lists(st.tuples(st.floats(0, 10_000), st.booleans()), max_size=50))
def test_a_job_never_runs_sooner_than_its_time(runs: list[tuple[float, bool]]) -> None:
    """After whatever happened, the next run is at least `every_s` and at most the slowest away."""
    timetable = Timetable([RETRY], 0.0)
    now = 0.0
    for later, well in runs:
        now += later
        timetable.ran(RETRY, now, well=well)
        due = timetable.due()
        assert due is not None
        assert now + 2.0 <= due <= now + 8.0


class Runs:
    """Counts runs, and says when there were enough."""

    def __init__(self, enough: int, fails: Exception | None = None) -> None:
        self.count = 0
        self.enough = threading.Event()
        self._enough = enough
        self._fails = fails

    def __call__(self) -> None:
        """Run once."""
        self.count += 1
        if self.count >= self._enough:
            self.enough.set()
        if self._fails is not None:
            raise self._fails


def test_a_scheduler_runs_its_jobs_until_it_is_stopped() -> None:
    """Each again and again, and none after the stop."""
    runs = Runs(3)
    told: list[tuple[str, str]] = []
    scheduler = Scheduler(
        [Job("tick", 0.001, runs)], clock=SystemClock(), failed=lambda name, why: told.append((name, why))
    )
    scheduler.start()
    assert runs.enough.wait(10)
    scheduler.stop()
    after = runs.count
    scheduler.stop()
    assert (runs.count, told) == (after, [])
    assert not [thread for thread in threading.enumerate() if thread.name == "nola-schedule"]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (StorageError("state/user.json", "no space left"), "could not write state/user.json: no space left"),
        (ZeroDivisionError("a bug"), "ZeroDivisionError at test_schedule.py:"),
    ],
    ids=["refused", "bug"],
)
def test_a_job_that_fails_is_told_and_tried_again(error: Exception, why: str) -> None:
    """And the others go on."""
    told: list[tuple[str, str]] = []
    bad, good = Runs(2, error), Runs(2)
    scheduler = Scheduler(
        [Job("bad", 0.001, bad), Job("good", 0.001, good)],
        clock=SystemClock(),
        failed=lambda name, text: told.append((name, text)),
    )
    scheduler.start()
    assert bad.enough.wait(10)
    assert good.enough.wait(10)
    scheduler.stop()
    assert [name for name, _ in told[:2]] == ["bad", "bad"]
    assert told[0][1].startswith(why)


@pytest.mark.bar("F1")
def test_setting_the_wall_clock_moves_no_job() -> None:
    """Back by a day or forth by ten years: nothing is due before its time."""
    clock = ManualClock()
    timetable = Timetable([RETRY], clock.monotonic())
    timetable.ran(RETRY, clock.monotonic(), well=True)
    clock.advance(-86_400.0)
    assert timetable.ready(clock.monotonic()) == []
    assert timetable.due() == 2.0
