"""Tests of what the daemon tells of itself, and what can be seen from outside."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from nola import config as configuration
from nola.daemon.lock import InstanceLock
from nola.daemon.status import STATUS_NAME, Status, run_dir, status_of, unwritable, write_status
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.config import Config

CLOCK = ManualClock()


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A home with a state folder."""
    (tmp_path / "state").mkdir()
    return configuration.load({"NOLA_HOME": str(tmp_path)})


@pytest.fixture
def running(config: Config) -> Iterator[None]:
    """This process is the daemon."""
    lock = InstanceLock(config.state_dir, clock=CLOCK)
    lock.acquire()
    yield
    lock.release()


def test_nothing_runs(config: Config) -> None:
    """Also when an earlier daemon has left its file."""
    assert status_of(config) == Status(running=False)
    write_status(run_dir(config), mode="safe", read_only="", problems=("x",))
    assert status_of(config) == Status(running=False)


@pytest.mark.usefixtures("running")
def test_a_running_daemon_tells_how_it_is(config: Config) -> None:
    """Its process, since when, its mode and what is wrong."""
    write_status(run_dir(config), mode="safe", read_only="the disk is full", problems=("user.json: broken",))
    assert status_of(config) == Status(
        running=True,
        pid=os.getpid(),
        since=CLOCK.now(),
        mode="safe",
        read_only="the disk is full",
        problems=("user.json: broken",),
    )


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize("text", ["", "[]", "{}", '{"pid": 1, "mode": "safe", "problems": ["old"]}'])
def test_what_another_process_left_is_ignored(config: Config, text: str) -> None:
    """The kernel says that one runs; of its mode nothing is known."""
    run_dir(config).mkdir()
    (run_dir(config) / STATUS_NAME).write_text(text)
    assert status_of(config) == Status(running=True, pid=os.getpid(), since=CLOCK.now())


@pytest.mark.usefixtures("running")
def test_problems_that_are_no_list_are_none(config: Config) -> None:
    """The file is ours, and yet may have been edited."""
    run_dir(config).mkdir()
    (run_dir(config) / STATUS_NAME).write_text(json.dumps({"pid": os.getpid(), "mode": "normal", "problems": 3}))
    assert status_of(config).problems == ()


@pytest.mark.bar("J1")
def test_the_file_is_private(config: Config) -> None:
    """Folder 0700 and file 0600."""
    write_status(run_dir(config), mode="normal", read_only="", problems=())
    assert stat.S_IMODE(run_dir(config).stat().st_mode) == 0o700
    assert stat.S_IMODE((run_dir(config) / STATUS_NAME).stat().st_mode) == 0o600


def test_a_disk_that_takes_nothing_stops_nothing(tmp_path: Path) -> None:
    """The daemon goes on; only its status is not told."""
    (tmp_path / "file").touch()
    write_status(tmp_path / "file" / "run", mode="normal", read_only="", problems=())
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"")]


def test_what_takes_writes(tmp_path: Path) -> None:
    """A folder of one's own does, and one that is to be made yet."""
    assert unwritable(tmp_path) == ""
    assert unwritable(tmp_path / "later") == ""


def test_what_takes_no_writes(tmp_path: Path) -> None:
    """A folder that can't be reached, or is none, says why."""
    (tmp_path / "file").touch()
    assert unwritable(tmp_path / "file") == f"{tmp_path / 'file'} is no folder"
    assert unwritable(tmp_path / "file" / "state").endswith("can't be reached: Not a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_can_only_be_read_is_told(tmp_path: Path) -> None:
    """In a sentence that names it."""
    tmp_path.chmod(0o500)
    try:
        assert unwritable(tmp_path) == f"{tmp_path} can only be read"
    finally:
        tmp_path.chmod(0o700)
