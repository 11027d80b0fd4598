"""A daemon whose wall clock jumps: no busy loop, no storm of jobs, and edits are seen as ever."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from nola.daemon.schedule import Job, Timetable
from nola.testing import ManualClock
from tests.daemon.daemons import Daemon, logged, status
from tests.faults.harness import eventually

if TYPE_CHECKING:
    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

PLACES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/lib")
JUMPS = ("-1d", "+10y", "+1h", "-56y", "+0")
MOST_CPU = 10.0
MOST_LINES = 6
SEEN_WITHIN_S = 6.0
# libfaketime refuses clock_nanosleep, by which Python sleeps, as soon as it leaves the monotonic clock alone.
SLEEP = "import select, time\ntime.sleep = lambda seconds: select.select([], [], [], seconds)\n"


def faketime() -> Path | None:
    """Find libfaketime, which sets a process's wall clock."""
    found = [path for place in PLACES for path in Path(place).glob("**/faketime/libfaketime.so.1")]
    return found[0] if found else None


@pytest.mark.bar("F1")
def test_a_clock_that_jumps_disturbs_nothing(tmp_path: Path, bar_result: BarResult) -> None:
    """Back a day, forth ten years, an hour for summer, to 1970, and home again, during one run."""
    library = faketime()
    if library is None:
        pytest.skip("libfaketime is not installed")
    (tmp_path / "home" / "state").mkdir(parents=True)
    (tmp_path / "offset").write_text("+0")
    (tmp_path / "sitecustomize.py").write_text(SLEEP)
    variables = {
        "LD_PRELOAD": str(library),
        "PYTHONPATH": str(tmp_path),
        "FAKETIME_TIMESTAMP_FILE": str(tmp_path / "offset"),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
        "NO_FAKE_STAT": "1",
    }
    wrong = []
    with Daemon(tmp_path / "home", more=variables) as daemon:
        assert daemon.ready()
        process = psutil.Process(daemon.process.pid)
        for number, jump in enumerate(JUMPS):
            (tmp_path / "offset").write_text(jump)
            process.cpu_percent()
            before = len(logged(tmp_path / "home"))
            threading.Event().wait(4.0)
            if (busy := process.cpu_percent()) > MOST_CPU:
                wrong.append(f"{jump}: {busy} % of a core")
            if not edited(tmp_path / "home", number):
                wrong.append(f"{jump}: an edit was not seen")
            if (lines := len(logged(tmp_path / "home")) - before) > MOST_LINES:
                wrong.append(f"{jump}: {lines} lines in the log")
            if not status(tmp_path / "home")["running"]:
                wrong.append(f"{jump}: it is said not to run")
        assert daemon.stop() == (0, "")
    bar_result(len(JUMPS), "jumps", failures=len(wrong))
    assert wrong == []


def edited(home: Path, number: int) -> bool:
    """Edit a module by hand; tell whether the daemon saw it in time."""
    seen = len(logged(home, "state.changed"))
    (home / "state" / "user.json").write_text(
        json.dumps({"metadata": {"level": 2}, "data": {"name": f"Mara {number}"}})
    )
    return eventually(lambda: len(logged(home, "state.changed")) > seen, SEEN_WITHIN_S) is not None


@pytest.mark.bar("F1")
def test_control_by_the_wall_clock_jobs_stop_or_storm(bar_result: BarResult) -> None:
    """A timetable that is kept by the wall clock waits for a day after the clock was set back by one."""
    clock = ManualClock()
    job = Job("retry", 2.0, lambda: None)
    by_wall = Timetable([job], clock.now().timestamp())
    by_wall.ran(job, clock.now().timestamp(), well=True)
    steady = Timetable([job], clock.monotonic())
    steady.ran(job, clock.monotonic(), well=True)
    clock.advance(-86_400.0)
    clock.advance(2.0)
    assert steady.ready(clock.monotonic()) == [job]
    assert by_wall.ready(clock.now().timestamp()) == []
    bar_result(0, "jumps", control="by the wall clock a job waits 86,400 s")
