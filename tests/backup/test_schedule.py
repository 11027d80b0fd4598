"""When backups are due, and which may go."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.backup.names import BackupInfo, Kind, name_of
from nola.backup.schedule import due, expired, latest
from nola.settings import BackupSettings

if TYPE_CHECKING:
    from tests.faults.table import BarResult

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)  # a Friday
DAY = timedelta(days=1)
SETTINGS = BackupSettings()


def backup(at: datetime, kind: Kind = Kind.DAILY) -> BackupInfo:
    """Make an archive's description."""
    name = name_of(at, kind, encrypted=False)
    return BackupInfo(name, Path(name), at, kind, 1, encrypted=False)


def live(clock: list[datetime], settings: BackupSettings = SETTINGS) -> tuple[list[BackupInfo], int]:
    """Ask at each of these instants, as a daemon does; return what is there at the end, and how many were made."""
    shelf: list[BackupInfo] = []
    made = 0
    for now in clock:
        fresh = [backup(now, kind) for kind in due(now, shelf, settings)]
        made += len(fresh)
        shelf += fresh
        gone = {info.name for info in expired(now, shelf, settings)}
        assert not gone & {info.name for info in fresh}, "what was just made is deleted at once"
        shelf = [info for info in shelf if info.name not in gone]
    return shelf, made


def test_the_first_backup_of_a_week_is_the_weekly_one() -> None:
    """It counts as that day's; the next days have daily ones, one each."""
    assert due(NOW, [], SETTINGS) == [Kind.WEEKLY]
    week = [backup(NOW, Kind.WEEKLY)]
    assert due(NOW + timedelta(hours=14), week, SETTINGS) == []
    assert due(NOW + DAY, week, SETTINGS) == [Kind.DAILY]
    assert due(NOW + DAY, [*week, backup(NOW + DAY)], SETTINGS) == []
    assert due(NOW + 3 * DAY, [*week, backup(NOW + DAY)], SETTINGS) == [Kind.WEEKLY]


def test_manual_backups_stand_apart() -> None:
    """A backup that the owner made replaces none of hers, and is never deleted by herself."""
    mine = [backup(NOW - n * DAY, Kind.MANUAL) for n in range(50)]
    assert due(NOW, mine, SETTINGS) == [Kind.WEEKLY]
    assert expired(NOW, mine, SETTINGS) == []


def test_settings_are_heeded() -> None:
    """None is made when none is wanted, and without weekly ones every day has a daily one."""
    assert due(NOW, [], BackupSettings(scheduled=False)) == []
    assert due(NOW, [], BackupSettings(weekly=0)) == [Kind.DAILY]
    shelf, made = live([NOW + n * DAY for n in range(30)], BackupSettings(weekly=0, daily=3))
    assert (len(shelf), made) == (3, 30)


def test_seven_days_and_four_weeks_are_kept() -> None:
    """After 91 calendar days of hourly questions, the newest seven daily and four weekly backups are there."""
    shelf, made = live([NOW + timedelta(hours=n) for n in range(24 * 90)])
    kinds = [info.kind for info in shelf]
    assert (kinds.count(Kind.DAILY), kinds.count(Kind.WEEKLY), made) == (7, 4, 91)
    assert min(info.created for info in shelf if info.kind is Kind.DAILY) > NOW + 80 * DAY


def test_backups_before_something_share_their_number() -> None:
    """The newest of all kinds that are made before something are kept."""
    kinds = [Kind.BEFORE_RESTORE, Kind.BEFORE_IMPORT, Kind.BEFORE_MIGRATION]
    shelf = [backup(NOW - n * DAY, kinds[n % 3]) for n in range(8)]
    assert expired(NOW, shelf, SETTINGS) == shelf[5:]
    assert expired(NOW, shelf, BackupSettings(before=7)) == shelf[7:]


@pytest.mark.bar("F1")
def test_a_backup_from_the_future_stops_no_other() -> None:
    """After the clock stood ten years ahead for two weeks, there is one backup a day as ever, and each is kept."""
    ahead = NOW + timedelta(days=3652)
    clock = [NOW + n * DAY for n in range(10)]
    clock += [ahead + n * DAY for n in range(14)]
    clock += [NOW + (10 + n) * DAY + timedelta(hours=h) for n in range(20) for h in range(3)]
    shelf, made = live(clock)
    now = [info for info in shelf if info.created < ahead]
    assert made == 10 + 14 + 20
    assert sum(info.kind is Kind.DAILY for info in now) == 7
    assert max(info.created for info in now).date() == (NOW + 29 * DAY).date()


@pytest.mark.bar("F1")
def test_a_clock_that_goes_back_makes_no_storm() -> None:
    """Each day has one backup, however often the clock returns to it; 1970 has one too."""
    days = [NOW, NOW - DAY, NOW, NOW - DAY, NOW + DAY, NOW - DAY, datetime(1970, 1, 1, tzinfo=UTC), NOW]
    shelf, made = live([day + timedelta(minutes=n) for day in days for n in range(60)])
    assert made == 4
    assert len(shelf) == 4


@pytest.mark.bar("F1")
def test_whatever_the_clock_does_a_visit_makes_one_backup(bar_result: BarResult) -> None:
    """However it jumps, a visit to a day makes one backup at most, and leaves one there; the past is thinned out."""
    jumped = 0

    @given(st.lists(st.integers(min_value=0, max_value=400), min_size=1, max_size=60))
    def visit(jumps: list[int]) -> None:
        nonlocal jumped
        clock = [NOW + day * DAY + timedelta(hours=hour) for day in jumps for hour in range(3)]
        shelf, made = live(clock)
        assert made <= len(jumps)
        past = [info for info in shelf if info.created <= clock[-1]]
        assert sum(info.kind is Kind.DAILY for info in past) <= 7
        assert sum(info.kind is Kind.WEEKLY for info in past) <= 4
        assert any(info.created.date() == clock[-1].date() for info in shelf)
        jumped += len(jumps)

    visit()
    bar_result(jumped, "jumps")
    assert jumped > 0


def test_a_clock_that_jumps_ahead_empties_nothing() -> None:
    """Backups are counted and not judged by age: ten years later the old ones are still there."""
    shelf = [backup(NOW - n * DAY) for n in range(7)]
    assert expired(NOW + timedelta(days=3652), shelf, SETTINGS) == []


def test_the_latest_is_the_newest_that_is_not_to_come() -> None:
    """One from the future is the latest only when there is no other."""
    old, new, future = backup(NOW - DAY), backup(NOW), backup(NOW + 9 * DAY)
    assert latest(NOW, []) is None
    assert latest(NOW, [old, future, new]) == new
    assert latest(NOW, [future]) == future
