"""Tests of the guard against crash loops."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from nola.daemon.supervise import STARTS_NAME, Mode, Supervisor
from nola.settings import DaemonSettings
from nola.testing import ManualClock

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.table import BarResult

SETTINGS = DaemonSettings(crashes=3, crash_window=300.0)


class Machine:
    """A machine on which daemons start and crash, with a clock of its own.

    Attributes:
        boot: Its present run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = ManualClock()
        self.boot = "first"

    def start(self, *, normal: bool = False) -> Mode:
        """Start a daemon; unless it leaves, it has crashed."""
        return self.supervisor().enter(self.clock, normal=normal)

    def supervisor(self) -> Supervisor:
        """The guard of the next daemon."""
        return Supervisor(self.folder, SETTINGS, boot=lambda: self.boot)

    def crash(self, times: int, every_s: float = 10.0) -> None:
        """Start and crash, as other processes."""
        for _ in range(times):
            self.start()
            self.disown()
            self.clock.advance(every_s)

    def disown(self) -> None:
        """Let the starts so far be those of a process that is gone."""
        starts = self.read()
        for start in starts:
            start["pid"] = 2**22 + 1
        (self.folder / STARTS_NAME).write_text(json.dumps({"starts": starts}))

    def read(self) -> list[dict[str, Any]]:
        """The starts in the file."""
        starts: list[dict[str, Any]] = json.loads((self.folder / STARTS_NAME).read_text())["starts"]
        return starts


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which no daemon has run yet."""
    return Machine(tmp_path / "run")


def test_three_crashes_within_five_minutes_lead_to_safe_mode(machine: Machine) -> None:
    """The fourth start is the first in safe mode."""
    modes = []
    for _ in range(5):
        modes.append(machine.start())
        machine.disown()
        machine.clock.advance(20.0)
    assert modes == [Mode.NORMAL, Mode.NORMAL, Mode.NORMAL, Mode.SAFE, Mode.SAFE]


def test_old_crashes_are_forgiven(machine: Machine) -> None:
    """Those before the window count no more, and leave the file."""
    machine.crash(3, every_s=101.0)
    assert machine.start() is Mode.NORMAL
    assert len(machine.read()) == 3


def test_clean_ends_are_no_crashes(machine: Machine) -> None:
    """However often the daemon is started and stopped; crashes among them still count."""
    for _ in range(10):
        machine.start()
        machine.supervisor().leave_clean()
    assert [start["clean"] for start in machine.read()] == [True]
    machine.crash(3)
    machine.start()
    machine.supervisor().leave_clean()
    assert machine.start() is Mode.SAFE


def test_the_owner_leaves_safe_mode(machine: Machine) -> None:
    """With `--normal` earlier crashes are forgotten."""
    machine.crash(5)
    assert machine.start(normal=True) is Mode.NORMAL
    machine.disown()
    assert machine.start() is Mode.NORMAL


@pytest.mark.bar("F1")
@pytest.mark.parametrize("jump", [timedelta(days=-1), timedelta(days=3650), timedelta(days=-20_000)])
def test_setting_the_clock_neither_hides_nor_ages_crashes(
    tmp_path: Path, jump: timedelta, bar_result: BarResult
) -> None:
    """While the machine runs, only the seconds since its start count."""
    machine = Machine(tmp_path)
    machine.crash(3)
    machine.clock = _jumped(machine.clock, jump)
    assert machine.start() is Mode.SAFE
    bar_result(1, "jumps")


@pytest.mark.bar("F1")
def test_setting_the_clock_makes_old_crashes_no_younger(machine: Machine, bar_result: BarResult) -> None:
    """An hour passes, and the wall clock is set back by it."""
    machine.crash(3)
    machine.clock.advance(3600.0)
    machine.clock = _jumped(machine.clock, timedelta(hours=-1))
    assert machine.start() is Mode.NORMAL
    bar_result(1, "jumps")


def test_crashes_that_take_the_machine_along_count_too(machine: Machine) -> None:
    """After a restart of the machine, the wall clock tells how long ago they were."""
    machine.clock.advance(1000.0)
    machine.crash(3)
    machine.boot = "second"
    machine.clock = _restarted(machine.clock, 60.0)
    assert machine.start() is Mode.SAFE
    machine.clock = _restarted(machine.clock, 600.0)
    assert machine.start() is Mode.NORMAL


def _jumped(clock: ManualClock, by: timedelta) -> ManualClock:
    """The same run of the machine, with the wall clock set by hand."""
    jumped = ManualClock(clock.now() + by)
    jumped.advance(clock.monotonic())
    jumped.advance(-clock.monotonic())
    return jumped


def _restarted(clock: ManualClock, later_s: float) -> ManualClock:
    """A new run of the machine, some seconds later."""
    return ManualClock(clock.now() + timedelta(seconds=later_s))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"starts": 3}',
        '{"starts": [3]}',
        '{"starts": [{"pid": "x", "at": "2026-11-20T09:00:00+00:00", "monotonic": 0, "boot": ""}]}',
        '{"starts": [{"pid": 5, "at": "2026-11-20T09:00:00", "monotonic": 0, "boot": ""}]}',
        '{"starts": [{"pid": 5, "at": "yesterday", "monotonic": 0, "boot": ""}]}',
        '{"starts": [{"pid": 5, "at": "2026-11-20T09:00:00+00:00", "boot": ""}]}',
    ],
)
def test_a_file_that_cannot_be_read_holds_no_crashes(machine: Machine, text: str) -> None:
    """It is written anew, and stops nothing."""
    machine.folder.mkdir()
    (machine.folder / STARTS_NAME).write_text(text)
    assert machine.start() is Mode.NORMAL
    assert len(machine.read()) == 1


def test_a_disk_that_takes_nothing_stops_nothing(tmp_path: Path) -> None:
    """Neither the start nor the end."""
    (tmp_path / "file").touch()
    supervisor = Supervisor(tmp_path / "file" / "run", SETTINGS, boot=str)
    assert supervisor.enter(ManualClock()) is Mode.NORMAL
    supervisor.leave_clean()


@pytest.mark.bar("A8")
def test_what_killed_daemons_left_is_swept(machine: Machine) -> None:
    """Their temporary files, and nothing else."""
    machine.folder.mkdir()
    for name in (f".nola-{2**22 + 1}-abcdef.tmp", ".nola-1-abcdef.tmp", ".nolarc", "notes.tmp"):
        (machine.folder / name).touch()
    machine.start()
    left = sorted(path.name for path in machine.folder.iterdir())
    assert left == [".nola-1-abcdef.tmp", ".nolarc", "notes.tmp", STARTS_NAME]


@pytest.mark.bar("J1")
def test_the_file_is_private_and_stays_small(machine: Machine) -> None:
    """Folder 0700, file 0600, and after a hundred crashes no more than are counted."""
    machine.crash(100, every_s=0.1)
    assert len(machine.read()) == 4
    assert stat.S_IMODE(machine.folder.stat().st_mode) == 0o700
    machine.start()
    assert stat.S_IMODE((machine.folder / STARTS_NAME).stat().st_mode) == 0o600


def test_a_daemon_that_has_not_ended_is_found(machine: Machine) -> None:
    """It is another process than this one, and lives."""
    machine.start()
    assert machine.supervisor().predecessor() is None
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        starts = machine.read()
        starts[0]["pid"] = other.pid
        (machine.folder / STARTS_NAME).write_text(json.dumps({"starts": starts}))
        assert machine.supervisor().predecessor() == other.pid
        starts[0]["clean"] = True  # it has said so, and has not gone yet
        (machine.folder / STARTS_NAME).write_text(json.dumps({"starts": starts}))
        assert machine.supervisor().predecessor() == other.pid
        machine.boot = "second"  # its number is another process's by now
        assert machine.supervisor().predecessor() is None
        machine.boot = "first"
        other.kill()
        other.wait(10)
        assert machine.supervisor().predecessor() is None


def test_the_machine_tells_its_runs_apart(tmp_path: Path) -> None:
    """Or says nothing, on systems that have no name for them."""
    Supervisor(tmp_path, SETTINGS).enter(ManualClock())
    (start,) = json.loads((tmp_path / STARTS_NAME).read_text())["starts"]
    assert start["pid"] == os.getpid()
    assert len(start["boot"]) in {0, 36}
