"""A writer that is killed at every single system call of what it does: each file is as before or as after."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.faults import tracing
from tests.faults.deeds import DEEDS, FILE, Deed, calls_of, number_in, prepared, warm
from tests.faults.drivers.payload import number_of, payload
from tests.faults.harness import Zygote, in_lanes, nothing_is, some
from tests.faults.wholeness import orphans, read, unreadable, wholly_old_or_new

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.table import BarResult
    from tests.faults.tracing import Call

pytestmark = pytest.mark.faults

LARGE = 20_000


@dataclass(frozen=True)
class Point:
    """Where a deed is cut off: at one call of the how-manieth thread, from 0."""

    thread: int
    call: Call

    def __str__(self) -> str:
        return f"{self.call.name} number {self.call.nth} of thread {self.thread}"

    def kill(self) -> tuple[str, str]:
        """Return the options with which strace kills there; it counts the calls of each name by themselves."""
        return "-e", f"inject={self.call.name}:signal=SIGKILL:when={self.call.nth}"


def cut_off(zygote: Zygote, template: Path, deed: Deed, point: Point, folder: Path) -> tuple[bool, list[str]]:
    """Do a deed and kill it at one system call; return whether that happened, and what is wrong then."""
    home = folder / f"{point.thread}-{point.call.name}-{point.call.nth}"
    shutil.copytree(template, home)
    file = home / FILE
    old = read(file)
    with zygote.desk(home) as desk:
        warm(desk)
        with tracing.attached(desk, folder / f"{home.name}.log", *point.kill(), thread=point.thread):
            desk.send(**deed.order)
            said = desk.read()
            desk.kill()
            desk.wait()
    acked = said is not None and bool(said["ok"])
    wrong = wholly_old_or_new(home, file, old=old, is_new=deed.is_new, acked=acked)
    wrong += after_a_start(zygote, home, deed, is_new=deed.is_new(read(file)))
    shutil.rmtree(home)
    return said is None, [f"{deed.name}, {point}: {sentence}" for sentence in wrong]


def after_a_start(zygote: Zygote, home: Path, deed: Deed, *, is_new: bool) -> list[str]:
    """Start on what was left; say what is wrong with what is served, recorded and lying about."""
    wrong = []
    with zygote.desk(home) as desk:
        assert desk.ask("start")["ok"]
        served = desk.ask("get", path="notes.text")
        expected = deed.new if is_new else (deed.before[-1] if deed.before else None)
        if (number_of(served["value"]) if served["ok"] else None) != expected:
            wrong.append(f"after a start {str(served)[:200]} is served instead of {expected}")
        if problems := desk.ask("problems")["value"]:
            wrong.append(f"after a start there are problems: {problems}")
        changes = desk.ask("changes", path="notes", limit=1)["value"]
        if is_new and not deed.is_recorded(changes):
            wrong.append("it was done and is not in the history, so that it can't be undone")
    wrong += [f"left over after a start: {name}" for name in orphans(home)]
    return wrong + [f"unreadable after a start: {name}" for name in unreadable(home)]


def points(zygotes: list[Zygote], template: Path, deed: Deed, folder: Path) -> tuple[int, int, list[str]]:
    """Cut a deed off at every call that touches the home; return how many there are, were hit, and what went wrong."""
    threads = calls_of(zygotes[0], template, deed, folder / "trace.log")
    home = folder / "trace.home"
    whole = some([Point(thread, c) for thread, calls in enumerate(threads) for c in calls if c.touches(home)])
    lanes = len(zygotes)

    def lane(which: int) -> list[tuple[bool, list[str]]]:
        return [cut_off(zygotes[which], template, deed, point, folder) for point in whole[which::lanes]]

    done = [one for of_lane in in_lanes(lane, range(lanes)) for one in of_lane]
    return len(whole), sum(hit for hit, _ in done), [sentence for _, wrong in done for sentence in wrong]


@pytest.mark.bar("A2")
@pytest.mark.skipif(bool(tracing.why_no_strace()), reason=tracing.why_no_strace())
@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.name.replace(" ", "-"))
def test_a_deed_that_is_killed_at_any_call(
    tmp_path: Path, zygotes: list[Zygote], deed: Deed, bar_result: BarResult
) -> None:
    """Old or new stands there and nothing else, new if it was acknowledged; the next start serves it, and sweeps."""
    prepared(zygotes[0], tmp_path / "template", deed)
    count, hit, wrong = points(zygotes, tmp_path / "template", deed, tmp_path)
    bar_result(hit, "points", failures=len(wrong))
    nothing_is(wrong)
    assert hit >= count * 0.9, f"only {hit} of {count} calls were reached"


@pytest.mark.bar("A2")
@pytest.mark.skipif(bool(tracing.why_no_strace()), reason=tracing.why_no_strace())
def test_writing_in_place_is_torn_at_some_call(tmp_path: Path, zygotes: list[Zygote], bar_result: BarResult) -> None:
    """The control: a writer that truncates the file leaves something that is neither old nor new."""
    torn = 0
    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    points = [("openat", 1), ("newfstatat", 1), ("lseek", 1), ("write", 1), ("write", 2), ("close", 1)]
    for name, nth in points:
        file.write_text(json.dumps({"metadata": {}, "data": {"text": payload(1, LARGE)}}), encoding="utf-8")
        with zygotes[0].child("unsafe", "truncate", str(file)) as child:
            assert child.read() == {"ok": True}
            with tracing.attached(child, tmp_path / "log", "-e", f"inject={name}:signal=SIGKILL:when={nth}"):
                child.send("burst", first=2, sizes=[LARGE])
                child.hang_up()
                child.wait()
        torn += number_in(read(file)) not in {1, 2}
    bar_result(0, "points", control=f"writing in place: {torn} of {len(points)} torn")
    assert torn > 0
