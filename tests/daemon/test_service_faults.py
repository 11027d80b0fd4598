"""Daemons that start together, are killed, lose their lock or their disk: one serves, and nothing is damaged."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from nola.clock import SystemClock
from nola.daemon.lock import LOCK_NAME, InstanceLock, holder
from nola.errors import ConflictError
from tests.daemon.daemons import Daemon, logged, status
from tests.faults.harness import ROOT, chance, environ, eventually, in_lanes, nothing_is, rounds, shown
from tests.faults.spaces import why_no_space

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

DOUBLE_STARTS = 100
FRESH_HOMES = 10
RESTARTS = 200
PARTS = [1, 2]  # of what takes minutes, so that a part that hangs is noticed
LONGEST_LIFE_S = 2.0
SEED = 20261120
GARDEN = {"metadata": {"level": 2}, "data": {"beds": 4, "note": "words " * 2000}}

# A start that puts its files right in place, as a careless daemon might: emptied first, and then written.
_CARELESS = """
import pathlib, sys, time
path = pathlib.Path(sys.argv[1])
text = path.read_text()
while True:
    with path.open("w") as file:
        print("writes", flush=True)
        time.sleep(0.05)
        file.write(text)
"""


def lived_in(home: Path) -> Path:
    """Make a home whose owner wrote a module, and that a daemon has served."""
    (home / "state" / "modules").mkdir(parents=True)
    (home / "state" / "modules" / "garden.json").write_text(json.dumps(GARDEN))
    with Daemon(home) as daemon:
        assert daemon.ready()
        assert daemon.stop()[0] == 0
    return home


def fingerprint(home: Path) -> dict[str, str]:
    """Return a hash of each state file, the dotted ones left out."""
    state = home / "state"
    return {
        path.relative_to(state).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(state.rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(state).parts)
    }


def start_both(home: Path) -> list[str]:
    """Start two daemons in one home; return what was not as it should be."""
    with Daemon(home) as one, Daemon(home) as other:
        pair = (one, other)
        refused = eventually(lambda: any(daemon.process.poll() is not None for daemon in pair))
        if refused is None:
            return ["both serve"]
        loser, winner = pair if one.process.poll() is not None else (other, one)
        code, err = loser.end()
        if not winner.ready():
            return [f"nobody serves: {err!r}, {winner.end()}"]
        wrong = []
        sentence = f"nola: Nola's daemon already runs here: process {winner.process.pid}, `nola daemon run`, since "
        if code != 1 or loser.said is not None or not err.startswith(sentence) or err.count("\n") != 2:
            wrong.append(f"refused badly: {code}, {loser.said}, {err!r}")
        held = holder(home / "state")
        if held is None or held.pid != winner.process.pid:
            wrong.append(f"the lock names {held}")
        ended = winner.stop()
        if ended != (0, ""):
            wrong.append(f"ended badly: {ended}")
        return wrong


@pytest.mark.bar("B6")
@pytest.mark.parametrize("part", PARTS)
def test_of_two_daemons_exactly_one_serves(tmp_path: Path, bar_result: BarResult, part: int) -> None:
    """A hundred times, a tenth of them in a home that is born by it: the other exits 1 with one sentence."""
    home = lived_in(tmp_path / "home")
    before = fingerprint(home)
    count = rounds(DOUBLE_STARTS) // len(PARTS)
    fresh = max(1, count // FRESH_HOMES)
    wrong = [why for _ in range(count - fresh) for why in start_both(home)]
    wrong += [why for number in range(fresh) for why in start_both(tmp_path / f"fresh-{number}")]
    if fingerprint(home) != before:
        wrong.append("a file of the state was changed")
    for number in range(fresh):
        born = tmp_path / f"fresh-{number}" / "state"
        if json.loads((born / "user.json").read_text()) != json.loads((ROOT / "state" / "user.json").read_text()):
            wrong.append(f"{born} was born badly")
    bar_result(count, "double starts", failures=len(wrong))
    assert not wrong, f"part {part}: {shown(wrong)}"


def serve_both(take: Callable[[], bool]) -> int:
    """Let two threads take a place at the same moment; return how many got it."""
    got: list[bool] = []
    threads = [threading.Thread(target=lambda: got.append(take())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(got)


@pytest.mark.bar("B6")
def test_control_a_file_that_is_looked_at_first_lets_both_in(tmp_path: Path, bar_result: BarResult) -> None:
    """Between the look and the writing there is room for another; the lock leaves none."""
    both = threading.Barrier(2)

    def careless() -> bool:
        is_free = not (tmp_path / "pid").exists()
        both.wait(10)
        (tmp_path / "pid").write_text(str(os.getpid()))
        return is_free

    def locked() -> bool:
        lock = InstanceLock(tmp_path, clock=SystemClock())
        both.wait(10)
        try:
            lock.acquire()
        except ConflictError:
            both.wait(10)
            return False
        both.wait(10)  # held until the other has tried
        lock.release()
        return True

    served = serve_both(careless)
    assert served == 2
    assert serve_both(locked) == 1
    bar_result(0, "double starts", control=f"with a pid file {served} of 2 serve")


def killed(home: Path, after_s: float) -> list[str]:
    """Start a daemon and kill it after a while; return what was not as it should be."""
    with Daemon(home) as daemon:
        threading.Event().wait(after_s)
        ended_before = daemon.process.poll()
        daemon.process.kill()
        code, err = daemon.end()
        if ended_before is not None or code != -signal.SIGKILL:
            return [f"ended by itself: {ended_before}, {err!r}"]
        return [f"said more than it should: {err!r}"] if "Traceback" in err else []


def restart_again_and_again(home: Path, lives_s: list[float]) -> list[str]:
    """Start and kill daemons in one home, then start one more; return what was not as it should be."""
    before = fingerprint(lived_in(home))
    history = sorted(path.name for path in (home / "state").glob(".history/*"))
    wrong = [why for life_s in lives_s for why in killed(home, life_s)]
    with Daemon(home, "--normal") as daemon:
        if not daemon.ready():
            return [*wrong, f"no start after the kills: {daemon.end()}"]
        ended = daemon.stop()
    if ended != (0, ""):
        wrong.append(f"ended badly: {ended}")
    if fingerprint(home) != before:
        wrong.append(f"the state changed: {set(fingerprint(home).items()) ^ set(before.items())}")
    if history != sorted(path.name for path in (home / "state").glob(".history/*")):
        wrong.append("the history grew")
    wrong += [f"left behind: {path}" for path in home.rglob(".nola-*.tmp")]
    return wrong


@pytest.mark.bar("A9")
@pytest.mark.parametrize("part", PARTS)
def test_daemons_that_are_killed_at_once_leave_everything_whole(
    tmp_path: Path, bar_result: BarResult, part: int
) -> None:
    """Two hundred starts, each killed within two seconds: the state is unchanged, and the next start is ready."""
    count = rounds(RESTARTS) // len(PARTS)
    draw = chance(SEED, "restarts", part)
    lives = [draw.uniform(0.0, LONGEST_LIFE_S) for _ in range(count)]
    homes = [(tmp_path / "one", lives[::2]), (tmp_path / "two", lives[1::2])]
    wrong = [why for found in in_lanes(lambda pair: restart_again_and_again(*pair), homes) for why in found]
    bar_result(count, "restarts", failures=len(wrong))
    assert not wrong, shown(wrong)


@pytest.mark.bar("A9")
def test_control_a_start_that_writes_in_place_loses_the_file(tmp_path: Path, bar_result: BarResult) -> None:
    """The same kill in a careless start leaves an empty file, which the same comparison sees."""
    home = tmp_path / "home"
    (home / "state").mkdir(parents=True)
    (home / "state" / "user.json").write_text(json.dumps(GARDEN))
    before = fingerprint(home)
    command = [sys.executable, "-c", _CARELESS, str(home / "state" / "user.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as careless:
        assert careless.stdout is not None
        careless.stdout.readline()
        careless.kill()
        careless.wait(10)
    assert fingerprint(home) != before
    bar_result(0, "restarts", control="written in place, 1 of 1 lost")


def test_crashes_lead_to_safe_mode_and_out_of_it(tmp_path: Path) -> None:
    """Three kills, then safe mode, then `--normal`."""
    modes = []
    for arguments in [(), (), (), (), ("--normal",)]:
        with Daemon(tmp_path / "home", *arguments) as daemon:
            assert daemon.ready()
            assert daemon.said is not None
            modes.append(daemon.said["mode"])
            daemon.process.kill()
            daemon.end()
    assert modes == ["normal", "normal", "normal", "safe", "normal"]


@pytest.mark.bar("B5")
def test_a_daemon_whose_lock_file_is_deleted_stays_the_only_one(tmp_path: Path, bar_result: BarResult) -> None:
    """Ten times the file goes and a second daemon starts at once: at every moment one serves, and at the end one."""
    home = tmp_path / "home"
    wrong = []
    for number in range(10):
        with Daemon(home) as first:
            assert first.ready()
            (home / "state" / LOCK_NAME).unlink()
            with Daemon(home) as second:
                if second.ready():
                    if first.process.poll() is None:
                        wrong.append(f"round {number}: two serve")
                    elif first.end()[0] != 1:
                        wrong.append(f"round {number}: the first ended badly")
                elif first.process.poll() is not None:
                    wrong.append(f"round {number}: nobody serves")
    bar_result(10, "deleted lock files", failures=len(wrong))
    nothing_is(wrong)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_it_within_five_seconds(tmp_path: Path, number: signal.Signals) -> None:
    """Exit 0, nothing more said, no process left, and the start is noted as clean."""
    home = tmp_path / "home"
    with Daemon(home) as daemon:
        assert daemon.ready()
        daemon.process.send_signal(number)
        assert daemon.end(5) == (0, "")
    assert [start["clean"] for start in json.loads((home / "run" / "starts.json").read_text())["starts"]] == [True]
    assert [line["why"] for line in logged(home, "daemon.stopping")] == [number.name]
    assert status(home)["running"] is False


def test_an_idle_daemon_costs_next_to_nothing(tmp_path: Path) -> None:
    """At most two percent of a core."""
    with Daemon(tmp_path / "home") as daemon:
        assert daemon.ready()
        process = psutil.Process(daemon.process.pid)
        threading.Event().wait(3.0)
        assert process.cpu_percent() == 0.0
        threading.Event().wait(10.0)
        assert process.cpu_percent() <= 2.0


# In a file system of its own, which it fills and frees; prints what the daemon's status said at each step.
_ON_A_FULL_DISK = """
import json, os, pathlib, subprocess, sys
sys.path.insert(0, os.environ["PYTHONPATH"])
from tests.daemon.daemons import Daemon, status
from tests.faults.harness import eventually
home = pathlib.Path(sys.argv[1])
how = sys.argv[2]
mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(home)]
subprocess.run(mount, check=True)
def spoil():
    if how == "full":
        with (home / "junk").open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
    else:
        # Over itself: the daemon's log is open, with which no file system becomes read-only by itself.
        subprocess.run(["mount", "--bind", str(home), str(home)], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", str(home)], check=True)
def mend():
    if how == "full":
        (home / "junk").unlink()
    else:
        subprocess.run(["umount", str(home)], check=True)
told = {}
with Daemon(home) as daemon:
    assert daemon.ready()
    told["at first"] = status(home)["read_only"]
    spoil()
    told["spoilt"] = eventually(lambda: status(home)["read_only"], 10) is not None
    told["why"] = status(home)["read_only"]
    told["lives"] = daemon.process.poll() is None
    daemon.process.kill()
    daemon.end()
    with Daemon(home) as again:
        told["starts"] = again.ready()
        told["said"] = (again.said or again.end()[1])
        mend()
        told["mended after"] = eventually(lambda: not status(home)["read_only"], 10)
        told["ended"] = again.stop()
print(json.dumps(told))
"""


@pytest.mark.bar("A4")
@pytest.mark.bar("A7")
@pytest.mark.parametrize(("how", "why"), [("full", "is full"), ("read-only", "can only be read")])
def test_a_disk_that_takes_no_writes_ends_no_daemon(tmp_path: Path, how: str, why: str) -> None:
    """While it runs and when it starts: the status says so, and it goes on by itself within ten seconds."""
    if reason := why_no_space():
        pytest.skip(reason)
    (tmp_path / "home").mkdir()
    wrapped = ["unshare", *(["-m"] if os.geteuid() == 0 else ["-Urm"]), sys.executable, "-c", _ON_A_FULL_DISK]
    done = subprocess.run(
        [*wrapped, str(tmp_path / "home"), how],
        env=environ(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["at first"] == ""
    assert told["why"].endswith(why), told
    assert (told["spoilt"], told["lives"], told["starts"]) == (True, True, True), told
    assert told["said"]["read_only"] != ""
    assert told["mended after"] is not None, told
    assert told["ended"][0] == 0, told
    assert told["ended"][1].count("\n") == 1, told
