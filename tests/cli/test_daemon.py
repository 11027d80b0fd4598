"""Tests of `nola daemon`."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from nola import config as configuration
from nola.cli.daemon import group
from nola.cli.desk import Desk
from nola.clock import SystemClock
from nola.daemon.lock import InstanceLock, holder
from nola.daemon.log import LOG_NAME
from nola.daemon.status import run_dir, write_status
from nola.daemon.supervise import STARTS_NAME
from tests.daemon.fakes import FakeAgent, FakeStore
from tests.journeys.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typer.testing import Result

CLOCK = SystemClock()


class Home:
    """A home in which commands run, and whose agent is a fake.

    Attributes:
        path: The folder.
        agent: The fake.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._environ = {"NOLA_HOME": str(path), "NOLA_STATE_DEBOUNCE": "0.02", "NOLA_STATE_POLL": "0.2"}
        self.config = configuration.load(self._environ)
        (path / "state").mkdir()
        self.agent = FakeAgent(self.config, FakeStore(self.config.state_dir))

    def __call__(self, *arguments: str) -> Result:
        """Run `nola daemon` with these arguments."""
        desk = Desk(self._environ, assistant=lambda _: self.agent)  # type: ignore[arg-type,return-value]  # a stand-in
        return CliRunner().invoke(group, list(arguments), obj=desk)

    def served(self, *arguments: str, number: signal.Signals = signal.SIGTERM) -> Result:
        """Run the daemon, and send this process a signal once the files were looked at twice."""
        looks = len(self.agent.state.looks)
        before = signal.getsignal(number)

        def end() -> None:
            # Never before the daemon heeds it: it would end the tests.
            if self.agent.state.until_looked(looks + 2) and signal.getsignal(number) is not before:
                os.kill(os.getpid(), number)

        ending = threading.Thread(target=end)
        ending.start()
        try:
            return self("run", *arguments)
        finally:
            ending.join()

    def log(self, *events: str) -> None:
        """Write lines into the log."""
        (self.path / "logs").mkdir(exist_ok=True)
        with (self.path / "logs" / LOG_NAME).open("a") as file:
            for event in events:
                file.write(json.dumps({"time": "2026-11-20T09:00:00+00:00", "level": "info", "event": event, "n": [1]}))
                file.write("\n")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home of its own."""
    return Home(tmp_path)


@pytest.fixture
def running(home: Home) -> Iterator[None]:
    """This process holds the lock of the home's daemon."""
    lock = InstanceLock(home.path / "state", clock=CLOCK)
    lock.acquire()
    yield
    lock.release()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_it_runs_until_a_signal_and_ends_well(home: Home, number: signal.Signals) -> None:
    """One line says that it is ready; exit 0, and the signals mean afterwards what they meant before."""
    before = signal.getsignal(number)
    said = home.served(number=number)
    assert said.exit_code == 0
    assert said.stderr == f"nola: daemon ready (process {os.getpid()}, watching {home.path / 'state'})\n"
    assert said.stdout == ""
    assert signal.getsignal(number) is before
    assert holder(home.path / "state") is None


def test_it_says_as_a_document_that_it_is_ready(home: Home) -> None:
    """On one line of stdout, for whoever started it."""
    said = home.served("--json")
    assert [json.loads(line) for line in said.stdout.splitlines()] == [
        {
            "ready": True,
            "pid": os.getpid(),
            "watching": str(home.path / "state"),
            "mode": "normal",
            "read_only": "",
        }
    ]


def test_safe_mode_is_said_loudly_with_the_way_out(home: Home) -> None:
    """After three crashes; `--normal` leaves it."""
    (home.path / "run").mkdir()
    start = {"pid": 2**22 + 1, "at": CLOCK.now().isoformat(), "monotonic": CLOCK.monotonic(), "boot": "another"}
    (home.path / "run" / STARTS_NAME).write_text(json.dumps({"starts": [start] * 3}))
    said = home.served()
    assert said.exit_code == 0
    assert ", safe mode)" in said.stderr
    assert "leave safe mode with: nola daemon run --normal" in said.stderr
    assert "safe mode" not in home.served("--normal").stderr


@pytest.mark.usefixtures("running")
@pytest.mark.bar("B6")
def test_a_second_one_exits_1_with_one_sentence(home: Home) -> None:
    """Which says who runs already, and where to look."""
    said = home("run")
    assert (said.exit_code, said.stdout) == (1, "")
    first, second = said.stderr.splitlines()
    assert first.startswith(f"nola: Nola's daemon already runs here: process {os.getpid()}, `nola daemon run`, since ")
    assert second.strip() == "see it with: nola daemon status"


def test_status_when_nothing_runs(home: Home) -> None:
    """Exit 1."""
    said = home("status")
    assert (said.exit_code, said.stdout) == (1, "not running\n")
    said = home("status", "--json")
    assert said.exit_code == 1
    assert json.loads(said.stdout) == {
        "running": False,
        "pid": 0,
        "since": None,
        "mode": "",
        "read_only": "",
        "problems": [],
    }


@pytest.mark.usefixtures("running")
def test_status_of_a_running_daemon(home: Home) -> None:
    """Exit 0; its process, since when, its mode, its problems, and the way out of safe mode."""
    write_status(run_dir(home.config), mode="safe", read_only="the disk is full", problems=("user.json: broken",))
    said = home("status")
    assert said.exit_code == 0
    first, *rest = said.stdout.splitlines()
    assert first.startswith(f"running: process {os.getpid()} since 20")
    assert first.endswith(", safe mode")
    assert rest == [
        "problem: the disk is full",
        "problem: user.json: broken",
        "leave safe mode with: nola daemon run --normal",
    ]
    told = json.loads(home("status", "--json").stdout)
    assert (told["running"], told["pid"], told["problems"]) == (True, os.getpid(), ["user.json: broken"])


def test_logs_show_the_last_lines(home: Home) -> None:
    """As a person reads them, or as they stand; a line that is none of ours as it stands too."""
    home.log("one", "two")
    with (home.path / "logs" / LOG_NAME).open("a") as file:
        file.write("torn\n")
    local = CLOCK.now().fromisoformat("2026-11-20T09:00:00+00:00").astimezone()
    said = home("logs", "-n", "2")
    assert said.stdout.splitlines() == [f"{local:%Y-%m-%d %H:%M:%S}  info     two  n=[1]", "torn"]
    said = home("logs", "--json", "--lines", "3")
    assert json.loads(said.stdout.splitlines()[0])["event"] == "one"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_logs_of_a_daemon_that_never_ran(home: Home, form: tuple[str, ...]) -> None:
    """Said beside an empty stdout, with what makes one, and no error; a log that was put aside is one."""
    said = home("logs", *form)
    assert (said.exit_code, said.stdout) == (0, "")
    assert said.stderr == "there is no log yet; the daemon begins one: nola daemon run\n"
    home.log("before")
    (home.path / "logs" / LOG_NAME).rename(home.path / "logs" / f"{LOG_NAME}.1")
    said = home("logs", *form)
    assert (said.exit_code, "before" in said.stdout, said.stderr) == (0, True, "")


def test_logs_are_followed_until_ctrl_c(home: Home) -> None:
    """New lines are shown as they come; Ctrl-C ends it as it ends everything."""
    home.log("before")
    with Machine(home.path).start("daemon", "logs", "-f") as following:
        shown = following.process.stdout
        assert shown is not None
        assert b"before" in shown.readline()
        home.log("after")
        assert b"after" in shown.readline()
        following.process.send_signal(signal.SIGINT)
        assert following.end().code == 130
