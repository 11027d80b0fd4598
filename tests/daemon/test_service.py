"""Tests of the service: what it starts and stops, and what it does when something is not as it should be."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from nola import config as configuration
from nola.clock import SystemClock
from nola.daemon.lock import LOCK_NAME, InstanceLock, holder
from nola.daemon.log import LOG_NAME
from nola.daemon.service import Backed, Noticing, Retrying, Served, Service
from nola.daemon.status import status_of
from nola.daemon.supervise import STARTS_NAME, Mode, Supervisor
from nola.errors import ConflictError, NolaError, StorageError
from nola.testing import make_agent
from tests.daemon.fakes import FakeAgent, FakeStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLOCK = SystemClock()


@pytest.fixture
def agent(tmp_path: Path) -> FakeAgent:
    """An agent in a home of its own."""
    config = configuration.load({"NOLA_HOME": str(tmp_path), "NOLA_STATE_DEBOUNCE": "0.02", "NOLA_STATE_POLL": "0.2"})
    (tmp_path / "state" / "modules").mkdir(parents=True)
    return FakeAgent(config, FakeStore(config.state_dir))


def logged(home: Path) -> list[dict[str, Any]]:
    """The lines of the log."""
    path = home / "logs" / LOG_NAME
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def events(home: Path) -> list[str]:
    """What the log says happened."""
    return [line["event"] for line in logged(home)]


def starts(home: Path) -> list[dict[str, Any]]:
    """The starts that have not ended cleanly."""
    noted = json.loads((home / "run" / STARTS_NAME).read_text())["starts"]
    return [start for start in noted if not start["clean"]]


def crash(home: Path, times: int) -> None:
    """Note crashes of a moment ago."""
    (home / "run").mkdir(exist_ok=True)
    start = {"pid": 2**22 + 1, "at": CLOCK.now().isoformat(), "monotonic": CLOCK.monotonic(), "boot": "another"}
    (home / "run" / STARTS_NAME).write_text(json.dumps({"starts": [start] * times}))


def eventually(holds: Callable[[], bool]) -> bool:
    """Ask again and again for ten seconds."""
    return any(holds() or threading.Event().wait(0.02) for _ in range(500))


def test_it_starts_serves_and_stops(agent: FakeAgent, tmp_path: Path) -> None:
    """Locked, recovered, watched and scheduled; afterwards the lock is free, and no thread is left."""
    before = set(threading.enumerate())
    with Service(agent, clock=CLOCK) as service:
        ready = service.start()
        assert (ready.pid, ready.watching, ready.mode, ready.read_only) == (
            os.getpid(),
            tmp_path / "state",
            Mode.NORMAL,
            "",
        )
        assert agent.state.until_looked(1)
        assert agent.retried.wait(10)
        told = status_of(agent.config)
        assert (told.running, told.pid, told.mode, told.problems) == (True, os.getpid(), "normal", ())
        assert len(starts(tmp_path)) == 1
    assert holder(tmp_path / "state") is None
    assert starts(tmp_path) == []
    assert set(threading.enumerate()) == before
    assert events(tmp_path) == ["daemon.starting", "daemon.ready", "daemon.stopped"]


def test_nola_herself_can_be_served(tmp_path: Path) -> None:
    """Her agent has all that the service asks for, and an edit by hand reaches what she knows."""
    agent = make_agent(tmp_path, clock=CLOCK, settings={"state.debounce": "0.02"})
    served: Served = agent
    assert isinstance(agent, Retrying)
    assert isinstance(agent, Backed)
    with Service(served, clock=CLOCK) as service:
        service.start()
        document = {"metadata": {"level": 2}, "data": {"beds": 4}}
        (tmp_path / "state" / "modules").mkdir(exist_ok=True)
        (tmp_path / "state" / "modules" / "garden.json").write_text(json.dumps(document))
        assert eventually(lambda: any("garden" in line.get("modules", ()) for line in logged(tmp_path)))
        assert agent.get_state("garden.beds", reload=False) == 4
    agent.close()


def test_it_serves_until_it_is_asked_to_stop(agent: FakeAgent) -> None:
    """By any thread, or a signal."""
    with Service(agent, clock=CLOCK) as service:
        service.start()
        service.ask_to_stop("SIGTERM")
        service.ask_to_stop("SIGINT")
        assert service.wait() == "SIGTERM"


def test_stopping_takes_less_than_five_seconds(agent: FakeAgent, tmp_path: Path) -> None:
    """Also while the files change all the time, and when it is stopped twice."""
    service = Service(agent, clock=CLOCK)
    service.start()
    for number in range(200):
        (tmp_path / "state" / "user.json").write_text(json.dumps(number))
    began = time.monotonic()
    service.stop()
    service.stop()
    assert time.monotonic() - began < 5


@pytest.mark.bar("B6")
def test_a_second_one_is_refused_and_disturbs_nothing(agent: FakeAgent, tmp_path: Path) -> None:
    """Neither the log nor the count of starts; the agent is not touched."""
    with Service(agent, clock=CLOCK) as first:
        first.start()
        lines = events(tmp_path)
        noted = starts(tmp_path)
        other = FakeAgent(agent.config, FakeStore(tmp_path / "state"), refuses=ZeroDivisionError("not to be touched"))
        with Service(other, clock=CLOCK) as second, pytest.raises(ConflictError, match=f"process {os.getpid()}"):
            second.start()
        assert (events(tmp_path), starts(tmp_path)) == (lines, noted)
        assert holder(tmp_path / "state") is not None


def test_changes_and_problems_are_logged_by_name(agent: FakeAgent, tmp_path: Path) -> None:
    """The modules' names and the problem's place, never a value; the status tells the problems too."""
    with Service(agent, clock=CLOCK) as service:
        service.start()
        (tmp_path / "state" / "user.json").write_text('{"data": "my secret"}')
        assert eventually(lambda: "state.changed" in events(tmp_path))
        (tmp_path / "state" / "user.json").write_text('{"data": "my secret"')
        assert eventually(lambda: status_of(agent.config).problems != ())
        (tmp_path / "state" / "user.json").write_text('{"data": "my secret 2"}')
        assert eventually(lambda: status_of(agent.config).problems == ())
    changed = [line["modules"] for line in logged(tmp_path) if line["event"] == "state.changed"]
    assert changed == [["user"], ["user"]]
    told = [
        (line["level"], line["event"])
        for line in logged(tmp_path)
        if line["event"] in {"state.problems", "state.mended"}
    ]
    assert told == [("warning", "state.problems"), ("info", "state.mended")]
    assert "secret" not in (tmp_path / "logs" / LOG_NAME).read_text()


def test_what_is_to_be_told_of_the_start_is_logged(tmp_path: Path) -> None:
    """A state that was gone, and what brings it back; nothing at the next start."""
    make_agent(tmp_path, clock=CLOCK).backups.create()
    shutil.rmtree(tmp_path / "state")
    for _ in range(2):
        agent = make_agent(tmp_path, clock=CLOCK)
        assert isinstance(agent, Noticing)
        with Service(agent, clock=CLOCK) as service:
            service.start()
        agent.close()
    (line,) = [line for line in logged(tmp_path) if line["event"] == "state.made_anew"]
    assert (line["level"], "was gone and was made anew" in line["why"]) == ("warning", True)
    assert line["fix"].startswith("bring the newest backup back: nola backup restore nola-")


def test_what_degrades_the_watching_is_told_until_it_is_over(agent: FakeAgent, tmp_path: Path) -> None:
    """In the log once, and in the status for as long as it lasts."""
    with Service(agent, clock=CLOCK) as service:
        service.start()
        agent.state.fails = StorageError("state", "input/output error")
        assert eventually(lambda: "could not write state: input/output error" in status_of(agent.config).problems)
        agent.state.fails = None
        looks = len(agent.state.looks)
        assert agent.state.until_looked(looks + 2)
        service.check()
        assert status_of(agent.config).problems == ()
    assert events(tmp_path).count("watch.degraded") == 1


def test_after_crashes_it_does_little(agent: FakeAgent, tmp_path: Path) -> None:
    """In safe mode files are watched and what is pending is written; no backup is made by itself."""
    crash(tmp_path, 3)
    with Service(agent, clock=CLOCK) as service:
        assert service.start().mode is Mode.SAFE
        assert status_of(agent.config).mode == "safe"
        assert agent.state.until_looked(1)
        assert agent.retried.wait(10)
    assert agent.backups.runs == 0


def test_safe_mode_is_left_when_the_owner_says_so(agent: FakeAgent, tmp_path: Path) -> None:
    """And the crashes are forgotten."""
    crash(tmp_path, 5)
    with Service(agent, clock=CLOCK, normal=True) as service:
        assert service.start().mode is Mode.NORMAL
        assert len(starts(tmp_path)) == 1


@pytest.mark.bar("A7")
def test_a_disk_that_takes_no_writes_is_told_and_ends_nothing(agent: FakeAgent, tmp_path: Path) -> None:
    """At the start or while it runs, in log and status; and so is the end of it."""
    why = "the disk is full"
    agent.refuses = StorageError("state/user.json", "No space left on device")
    with Service(agent, clock=CLOCK, check=lambda _: why) as service:
        assert service.start().read_only == "the disk is full"
        assert status_of(agent.config).read_only == "the disk is full"
        why = ""
        service.check()
        assert status_of(agent.config).read_only == ""
        why = "state can only be read"
        service.check()
        assert status_of(agent.config).read_only == "state can only be read"
    disk = [line for line in events(tmp_path) if line.startswith(("disk", "state"))]
    assert disk == ["state.not_recovered", "disk.read_only", "disk.writable", "disk.read_only"]


def test_a_folder_that_takes_no_lock_is_served_and_locked_later(agent: FakeAgent, tmp_path: Path) -> None:
    """Something else is in its place at the start; as soon as it can be, the lock is taken."""
    (tmp_path / "state").rename(tmp_path / "away")
    (tmp_path / "state").touch()
    with Service(agent, clock=CLOCK) as service:
        assert "state" in service.start().read_only
        (tmp_path / "state").unlink()
        (tmp_path / "away").rename(tmp_path / "state")
        assert holder(tmp_path / "state") is None
        service.check()
        assert holder(tmp_path / "state") is not None
    assert "lock.taken" in events(tmp_path)


def test_a_refusal_at_the_start_is_no_crash(agent: FakeAgent, tmp_path: Path) -> None:
    """It is passed on, nothing stays behind, and the lock is free."""
    agent.refuses = NolaError("this state was written by a newer Nola")
    with Service(agent, clock=CLOCK) as service, pytest.raises(NolaError, match="newer Nola"):
        service.start()
    assert starts(tmp_path) == []
    assert holder(tmp_path / "state") is None
    assert logged(tmp_path)[-1]["why"] == "this state was written by a newer Nola"


def test_a_bug_at_the_start_is_a_crash(agent: FakeAgent, tmp_path: Path) -> None:
    """It is noted, so that the next starts may be in safe mode."""
    agent.refuses = ZeroDivisionError("a bug with a secret")
    with Service(agent, clock=CLOCK) as service, pytest.raises(ZeroDivisionError):
        service.start()
    assert len(starts(tmp_path)) == 1
    assert holder(tmp_path / "state") is None
    assert logged(tmp_path)[-1]["error"].startswith("ZeroDivisionError at fakes.py:")
    assert "secret" not in json.dumps(logged(tmp_path))


@pytest.mark.bar("B5")
def test_a_lock_file_that_is_deleted_is_made_again(agent: FakeAgent, tmp_path: Path) -> None:
    """Within a second, and a second daemon is refused as before."""
    with Service(agent, clock=CLOCK) as service:
        service.start()
        (tmp_path / "state" / LOCK_NAME).unlink()
        service.check()
        with pytest.raises(ConflictError):
            InstanceLock(tmp_path / "state", clock=CLOCK).acquire()
    assert "lock.taken" in events(tmp_path)


@pytest.mark.bar("B5")
def test_a_daemon_whose_place_was_taken_stops(agent: FakeAgent, tmp_path: Path) -> None:
    """With a clear sentence, and without a crash being noted."""
    other = InstanceLock(tmp_path / "state", clock=CLOCK)
    with Service(agent, clock=CLOCK) as service:
        service.start()
        (tmp_path / "state" / LOCK_NAME).unlink()
        other.acquire()
        with pytest.raises(ConflictError, match="another daemon has taken its place"):
            service.wait()
    assert starts(tmp_path) == []
    assert other.still_ours()
    other.release()


@pytest.mark.bar("B5")
def test_a_daemon_waits_for_one_that_has_lost_its_lock(agent: FakeAgent, tmp_path: Path) -> None:
    """There is never a moment with two of them: it serves only when the other has gone."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        Supervisor(tmp_path / "run", agent.config.settings.daemon).enter(CLOCK)
        noted = starts(tmp_path)
        noted[0]["pid"] = other.pid
        (tmp_path / "run" / STARTS_NAME).write_text(json.dumps({"starts": noted}))
        gone = threading.Timer(0.3, other.send_signal, [signal.SIGKILL])
        gone.start()
        with Service(agent, clock=CLOCK) as service:
            service.start()
            assert other.poll() is not None
        gone.join()
    assert events(tmp_path)[0] == "daemon.waiting"
