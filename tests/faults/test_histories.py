"""Random reads and writes of six processes that are stopped and killed fit into one order, in which nothing is lost."""

from __future__ import annotations

import json
import signal
import threading
import time
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults import linear
from tests.faults.harness import LANES, Zygote, chance, in_lanes, rounds, shown
from tests.faults.linear import Op
from tests.faults.wholeness import standing

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.harness import Child
    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

SEEDS = 100
PROCESSES = 6
OPERATIONS = 12
TROUBLES = 4
CONTROL_RUNS = 10
LISTS = ("log.first", "log.second")
REGISTERS = ("log.left", "log.right")
FILE = "state/modules/log.json"


@dataclass
class Run:
    """Six processes at work.

    Attributes:
        start: Makes a process.
        ops: What each of them saw.
        children: The present process of each.
    """

    start: Callable[[], Child]
    ops: list[Op] = field(default_factory=list)
    children: dict[int, Child] = field(default_factory=dict)
    done: threading.Event = field(default_factory=threading.Event)

    def work(self, who: int, draw: random.Random) -> None:
        """Ask one process for one thing after the other; a process that was killed is replaced."""
        for number in range(OPERATIONS):
            kind = draw.choice(("get", "get", "set", "append", "append"))
            key = draw.choice(REGISTERS if kind == "set" else LISTS if kind == "append" else LISTS + REGISTERS)
            token = who * 1_000 + number
            order = {"set": {"value": token}, "append": {"item": token}, "get": {}}[kind]
            began = time.monotonic()
            self.children[who].send(kind, path=key, **order)
            answer = self.children[who].read()
            ended = time.monotonic()
            value: Any = token
            if kind == "get":
                # What is not there yet is nothing, and not an error worth telling.
                value = answer.get("value") if answer and answer["ok"] else None
                answer = answer and {**answer, "ok": answer["ok"] or answer["error"] == "PathError"}
            self.ops.append(
                Op(kind, key, value, began, ended if answer else float("inf"), answer["ok"] if answer else None)
            )
            if answer is None:
                self.children[who].__exit__(None, None, None)
                self.children[who] = self.start()

    def trouble(self, draw: random.Random) -> None:
        """Kill a process, or stop it for one to three seconds, at random moments."""
        for _ in range(TROUBLES):
            if self.done.wait(draw.random() * 0.05):
                return
            victim = self.children[draw.randrange(PROCESSES)]
            if draw.random() < 0.7:
                victim.kill()
                continue
            victim.signal(signal.SIGSTOP)
            self.done.wait(1 + 2 * draw.random())
            victim.signal(signal.SIGCONT)

    def go(self, draw: random.Random) -> None:
        """Let all of them work, in trouble, to the end."""
        self.children = {who: self.start() for who in range(PROCESSES)}
        seeds = [draw.random() for _ in range(PROCESSES + 1)]
        workers = [threading.Thread(target=self.work, args=(who, chance(0, seeds[who]))) for who in range(PROCESSES)]
        troubler = threading.Thread(target=self.trouble, args=(chance(0, seeds[-1]),))
        try:
            for thread in (*workers, troubler):
                thread.start()
            for worker in workers:
                worker.join()
        finally:
            self.done.set()
            troubler.join()
            for child in self.children.values():
                child.signal(signal.SIGCONT)
                child.__exit__(None, None, None)


def judged(run: Run, child: Child, home: Path) -> list[str]:
    """Say what of a run does not fit into one order, file and history included."""
    wrong: list[str] = []
    for key in LISTS:
        final = child.ask("get", path=key).get("value") or []
        wrong += linear.appends([op for op in run.ops if op.key == key], final)
        if standing(home / FILE, key.partition(".")[2]) not in (final or None, final):
            wrong.append(f"{key}: something else is served than stands in the file")
    for key in REGISTERS:
        changes = child.ask("changes", path=key, limit=1_000)["value"][::-1]
        steps = [(value_at(one, key, "old"), value_at(one, key, "new")) for one in changes]
        steps = [step for step in steps if step[0] != step[1]]
        wrong += linear.registers([op for op in run.ops if op.key == key], [new for _, new in steps])
        wrong += [
            f"{key}: the history goes from {before[1]} to {after[0]} by itself"
            for before, after in pairwise(steps)
            if before[1] != after[0]
        ]
        last = steps[-1][1] if steps else None
        if (now := child.ask("get", path=key).get("value")) != last:
            wrong.append(f"{key}: {now} stands there, and the history ends with {last}")
    return wrong


def value_at(change: dict[str, Any], key: str, side: str) -> Any:
    """Return one side of a change, for a key that the change may be about a whole module around."""
    value = change[side]
    for step in key.split(".")[len(change["path"].split(".")) :]:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def one_seed(zygote: Zygote, folder: Path, seed: str) -> tuple[int, list[str]]:
    """Run and judge one seed; return how many operations there were, and what is wrong."""
    home = folder / seed.replace(" ", "-").replace("/", "-").replace(":", "-")[-60:]
    with zygote.desk(home) as desk:
        assert desk.ask("set", path="log.born", value=True)["ok"]
    run = Run(lambda: zygote.desk(home))
    run.go(chance(0, seed))
    with zygote.desk(home) as desk:
        return len(run.ops), [f"seed {seed!r}: {sentence}" for sentence in judged(run, desk, home)]


@pytest.mark.bar("B3")
def test_histories_fit_into_one_order(fast: Path, zygotes: list[Zygote], seed: str, bar_result: BarResult) -> None:
    """Gets, sets and updates of six processes, some stopped and some killed, are linearisable for each key."""
    seeds = rounds(SEEDS)

    def lane(which: int) -> list[tuple[int, list[str]]]:
        return [one_seed(zygotes[which], fast, f"{seed} {number}") for number in range(which, seeds, LANES)]

    done = [one for of_lane in in_lanes(lane, range(LANES)) for one in of_lane]
    wrong = [sentence for _, of_seed in done for sentence in of_seed]
    bar_result(len(done), "histories", failures=len(wrong))
    bar_result(sum(count for count, _ in done), "operations")
    assert not wrong, shown(wrong)


@pytest.mark.bar("B3")
def test_histories_without_a_lock_do_not_fit(fast: Path, zygote: Zygote, seed: str, bar_result: BarResult) -> None:
    """The control: of processes that read, change and write without a lock the same check finds lost writes."""
    file = fast / FILE
    file.parent.mkdir(parents=True)

    def start() -> Child:
        child = zygote.child("unsafe", "replace", str(file))
        assert child.read() == {"ok": True}
        return child

    found: list[str] = []
    runs = 0
    while not found and runs < CONTROL_RUNS:
        runs += 1
        file.write_text(json.dumps({"metadata": {}, "data": {}}), encoding="utf-8")
        run = Run(start)
        run.go(chance(0, seed, runs))
        for key in LISTS:
            final = standing(file, key.partition(".")[2]) or []
            found += linear.appends([op for op in run.ops if op.key == key], final)
    bar_result(0, "histories", control=f"without a lock: {len(found)} contradictions in history {runs}")
    assert found


def test_the_check_sees_a_lost_and_a_stale_value() -> None:
    """The check itself finds an append that is lost, one out of order, and a read of what had been overwritten."""
    first = Op("append", "log.x", 1, 0.0, 1.0, ok=True)
    second = Op("append", "log.x", 2, 2.0, 3.0, ok=True)
    assert linear.appends([first, second], [1, 2]) == []
    assert len(linear.appends([first, second], [2])) == 1
    assert len(linear.appends([first, second], [2, 1])) == 1
    assert len(linear.appends([first, second, Op("get", "log.x", [1], 4.0, 5.0, ok=True)], [1, 2])) == 1
    left, right = Op("set", "log.y", 1, 0.0, 1.0, ok=True), Op("set", "log.y", 2, 2.0, 3.0, ok=True)
    assert linear.registers([left, right, Op("get", "log.y", 2, 4.0, 5.0, ok=True)], [1, 2]) == []
    assert len(linear.registers([left, right, Op("get", "log.y", 1, 4.0, 5.0, ok=True)], [1, 2])) == 1
