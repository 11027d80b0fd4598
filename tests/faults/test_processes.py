"""Many writers at once, some of which sleep, die or lose their lock: no acknowledged change is lost."""

from __future__ import annotations

import json
import shutil
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.faults import tracing
from tests.faults.harness import Zygote, in_lanes, nothing_is, rounds
from tests.faults.wholeness import standing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

PROCESSES = 8
INCREMENTS = 1_000
THREADS = 8
PATH = "counts.number"
FILE = "state/modules/counts.json"
LOCK = "state/.lock"
TIMEOUT_S = 5.0
SLACK_S = 0.7


@pytest.mark.bar("B1")
@pytest.mark.row("E32")
def test_increments_of_many_processes_add_up(fast: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """Eight processes that add to one number at the same time get exactly the sum of what was acknowledged."""
    home = fast / "home"
    times = rounds(INCREMENTS)
    children = [zygote.desk(home) for _ in range(PROCESSES)]
    try:
        for child in children:
            child.send("count", path=PATH, times=times)
        answers = [child.read(600) for child in children]
    finally:
        for child in children:
            child.__exit__(None, None, None)
    total = standing(home / FILE, "number")
    bar_result(PROCESSES * times, "increments", failures=abs(PROCESSES * times - (total or 0)))
    assert [answer for answer in answers if not answer or not answer["ok"]] == []
    assert total == PROCESSES * times


@pytest.mark.bar("B1")
def test_increments_without_a_lock_are_lost(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """The control: writers that read, add and write without a lock lose each other's."""
    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"metadata": {}, "data": {"counter": 0}}), encoding="utf-8")
    times = rounds(500)
    children = [zygote.child("unsafe", "replace", str(file)) for _ in range(PROCESSES)]
    try:
        for child in children:
            assert child.read() == {"ok": True}
        for child in children:
            child.send("count", times=times)
        for child in children:
            child.read()
    finally:
        for child in children:
            child.__exit__(None, None, None)
    total = standing(file, "counter")
    bar_result(0, "increments", control=f"without a lock: {total:,} of {PROCESSES * times:,} left")
    assert total < PROCESSES * times


@pytest.mark.bar("B2")
def test_threads_of_two_agents_add_up(fast: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """Eight threads through two agents on one folder, with locks within locks, lose nothing and end within a minute."""
    times = rounds(100)
    with zygote.child("threads", str(fast / "home")) as child:
        assert child.read() == {"ok": True}
        answer = child.ask("count", threads=THREADS, times=times, patience_s=90)
        total = child.ask("get", path=PATH).get("value")
        careless = child.ask("careless", threads=THREADS, times=times)["total"]
    control = f"threads without a lock: {careless:,} of {THREADS * times:,} left"
    bar_result(THREADS * times, "increments", failures=len(answer["errors"]), control=control)
    nothing_is(answer["errors"])
    assert total == THREADS * times
    assert answer["took"] < 60
    assert careless < THREADS * times


@pytest.mark.bar("B2")
def test_who_waits_too_long_is_told(fast: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """While one thread sits in a write, others of the process, through either agent, get an error in five seconds."""
    with zygote.child("threads", str(fast / "home")) as child:
        assert child.read() == {"ok": True}
        answer = child.ask("blocked", patience_s=90)
    assert answer["ok"]
    bar_result(len(answer["found"]), "waits")
    for outcome, took in answer["found"]:
        assert outcome.startswith("ConflictError: ")
        assert took <= TIMEOUT_S + SLACK_S
    assert len(answer["found"]) == 2


@pytest.mark.bar("B4")
def test_a_writer_that_sleeps_with_the_lock(fast: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """Others are refused while the holder is stopped, nothing of theirs is lost, and the holder ends its write."""
    home = fast / "home"
    with zygote.desk(home) as holder, zygote.desk(home) as other:
        assert other.ask("count", path=PATH, times=3)["ok"]
        assert holder.ask("hold", path=PATH) == {"holding": True}
        holder.signal(signal.SIGSTOP)
        began = time.monotonic()
        refused = other.ask("set", path="counts.other", value=1)
        took = time.monotonic() - began
        began = time.monotonic()
        with zygote.desk(home) as reader:
            read = reader.ask("get", path=PATH)
        read_took = time.monotonic() - began
        holder.signal(signal.SIGCONT)
        finished = holder.ask("go on")
        after = other.ask("count", path=PATH, times=1)
    assert (refused["ok"], refused["error"]) == (False, "ConflictError")
    assert took <= TIMEOUT_S + SLACK_S
    assert read["value"] == 3, "a process that starts meanwhile can read"
    assert read_took <= TIMEOUT_S + SLACK_S
    assert finished["ok"]
    assert after["ok"]
    assert standing(home / FILE, "number") == 5
    bar_result(1, "sleeps")


@pytest.mark.bar("B4")
@pytest.mark.skipif(bool(tracing.why_no_strace()), reason=tracing.why_no_strace())
def test_a_writer_that_sleeps_at_any_call_while_its_lock_is_taken_away(
    fast: Path, zygotes: list[Zygote], bar_result: BarResult
) -> None:
    """A writer is stopped at each call of its save, its lock removed, another writes: no update of either is lost."""
    template = fast / "template"
    with zygotes[0].desk(template) as desk:
        assert desk.ask("count", path=PATH, times=3)["ok"]
        calls = [
            call
            for call in tracing.traced(desk, fast / "log", "count", path=PATH, times=1)[0]
            if call.touches(template)
        ]
        assert desk.ask("close")["ok"]
    calls = calls[:: 10 // rounds(10)]

    def stale(which: tuple[int, tracing.Call]) -> str | None:
        number, call = which
        home = fast / f"home{number}"
        shutil.copytree(template, home)
        zygote = zygotes[number % len(zygotes)]
        with zygote.desk(home) as sleeper, zygote.desk(home) as other:
            assert sleeper.ask("count", path=PATH, times=1)["ok"]
            stop = f"inject={call.name}:signal=SIGSTOP:when={call.nth}"
            with tracing.attached(sleeper, fast / f"log{number}", "-e", stop, thread=0):
                sleeper.send("count", path=PATH, times=1)
                if not tracing.saw(fast / f"log{number}", "stopped by SIGSTOP", within_s=3):
                    return None
                (home / LOCK).unlink(missing_ok=True)
                theirs = other.ask("count", path=PATH, times=1)
                sleeper.signal(signal.SIGCONT)
                ours = sleeper.read()
        total = standing(home / FILE, "number")
        shutil.rmtree(home)
        acknowledged = 5 + sum(bool(answer and answer["ok"]) for answer in (theirs, ours))
        return "" if total == acknowledged else f"{call.name} {call.text[:80]}: {total} of {acknowledged} left"

    lanes = len(zygotes)
    numbered = list(enumerate(calls))
    done = in_lanes(lambda lane: [stale(which) for which in numbered[lane::lanes]], range(lanes))
    hit = [sentence for of_lane in done for sentence in of_lane if sentence is not None]
    wrong = [sentence for sentence in hit if sentence]
    bar_result(len(hit), "sleeps", failures=len(wrong))
    nothing_is(wrong)
    assert len(hit) >= len(calls) * 0.9, f"only {len(hit)} of {len(calls)} calls were reached"


@pytest.mark.bar("B4")
@pytest.mark.skipif(bool(tracing.why_no_strace()), reason=tracing.why_no_strace())
def test_a_writer_that_does_not_look_again(fast: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """The control: a writer that is stopped before its rename and does not look again destroys what came between."""
    file = fast / FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"metadata": {}, "data": {"counter": 0}}), encoding="utf-8")
    log = fast / "log"
    with zygote.child("unsafe", "replace", str(file)) as sleeper, zygote.child("unsafe", "replace", str(file)) as other:
        assert (sleeper.read(), other.read()) == ({"ok": True}, {"ok": True})
        with tracing.attached(sleeper, log, "-e", "inject=write:signal=SIGSTOP:when=1"):
            sleeper.send("count", times=1)
            assert tracing.saw(log, "stopped by SIGSTOP")
            assert other.ask("count", times=4)["ok"]
            sleeper.signal(signal.SIGCONT)
            assert sleeper.read() == {"ok": True}
    total = standing(file, "counter")
    bar_result(0, "sleeps", control=f"without a second look: {total} of 5 left")
    assert total < 5


@pytest.mark.bar("B5")
def test_a_lock_that_is_the_existence_of_a_file(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """The control: a lock that is held as long as its file exists outlives a holder that was killed."""
    lock = tmp_path / "lock"
    with zygote.child("unsafe", "replace", str(lock)) as holder:
        assert holder.read() == {"ok": True}
        assert holder.ask("lock")["ok"]
        holder.kill()
        holder.wait()
    with zygote.child("unsafe", "replace", str(lock)) as other:
        assert other.read() == {"ok": True}
        other.send("lock")
        answer = other.read(patience_s=2)
    bar_result(0, "kills of a holder", control=f"a lock by existence: {'free' if answer else 'held for ever'}")
    assert answer is None


@pytest.mark.bar("B5")
def test_the_lock_of_a_killed_holder_is_free(fast: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """Whoever comes after a holder that was killed waits no more than a second."""
    home = fast / "home"
    slowest = 0.0
    for number in range(rounds(20)):
        with zygote.desk(home) as holder, zygote.desk(home) as other:
            assert other.ask("start")["ok"]
            assert holder.ask("hold", path=PATH) == {"holding": True}
            holder.kill()
            began = time.monotonic()
            assert other.ask("count", path=PATH, times=1)["ok"]
            slowest = max(slowest, time.monotonic() - began)
            assert standing(home / FILE, "number") == number + 1
    bar_result(rounds(20), "kills of a holder")
    assert slowest <= 1.0


@pytest.mark.bar("B5")
def test_a_forked_child_does_not_hold_its_parents_lock(fast: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """A child that is forked with the lock held can neither take it nor free it; the parent keeps it."""
    home = fast / "home"
    with zygote.desk(home) as parent, zygote.desk(home) as other:
        assert other.ask("start")["ok"]
        answer = parent.ask("fork", lock=str(home / LOCK))
        assert answer == {"holding": True, "child": 0}
        refused = other.ask("set", path="counts.other", value=1)
        assert (refused["ok"], refused["error"]) == (False, "ConflictError")
        assert parent.ask("go on")["ok"]
        assert other.ask("set", path="counts.other", value=1)["ok"]
    bar_result(1, "forks")


@pytest.mark.bar("B5")
def test_a_lock_file_that_is_deleted_under_its_holder(fast: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """Two who both believe that they hold the lock still lose nothing of what either was told is saved."""
    home = fast / "home"
    turns = rounds(20)
    acknowledged = 0
    with zygote.desk(home) as holder, zygote.desk(home) as other:
        assert other.ask("start")["ok"]
        for _ in range(turns):
            assert holder.ask("hold", path=PATH) == {"holding": True}
            (home / LOCK).unlink()
            acknowledged += other.ask("count", path=PATH, times=1)["ok"]
            holder.send("go on")
            answer = holder.read()
            while answer == {"holding": True}:
                answer = holder.ask("go on")
            assert answer is not None
            acknowledged += answer["ok"]
    bar_result(turns, "deleted locks")
    assert standing(home / FILE, "number") == acknowledged
    assert acknowledged >= turns


@pytest.mark.bar("B5")
def test_a_link_as_the_lock_is_refused(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """A lock that is a symbolic link is not followed: writing is refused in a sentence, and what it leads to stays."""
    home = tmp_path / "home"
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    victim.chmod(0o640)
    with zygote.desk(home) as desk:
        assert desk.ask("count", path=PATH, times=1)["ok"]
        (home / LOCK).unlink()
        (home / LOCK).symlink_to(victim)
        refused = desk.ask("set", path="counts.other", value=1)
        assert desk.ask("get", path=PATH)["value"] == 1
    assert (refused["ok"], refused["error"]) == (False, "StorageError")
    assert victim.read_text(encoding="utf-8") == "mine"
    assert victim.stat().st_mode & 0o777 == 0o640
    bar_result(1, "links")
