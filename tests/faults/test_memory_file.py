"""Kills and power cuts while memories are stored: what was acknowledged is there, and the file is whole."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.drivers.remember import defects, stored
from tests.faults.harness import Zygote, chance, nothing_is, rounds
from tests.faults.spaces import after_cuts

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

KILLS = 500
CONTROL_KILLS = 20
CUTS = 100
CONTROL_CUTS = 20
OF_ONE_FILE = 25
MOST_ACKNOWLEDGED = 20
LONGEST_WAIT_S = 0.02


def kill_two(zygote: Zygote, path: Path, way: str, first: int, draw: random.Random) -> tuple[dict[str, set[int]], int]:
    """Kill two processes that remember in one file; return what each acknowledged, and the last that was begun."""
    acknowledged: dict[str, set[int]] = {}
    last = first
    with zygote.child("remember", way, str(path)) as one, zygote.child("remember", way, str(path)) as other:
        children = {"one": one, "other": other}
        for name, child in children.items():
            assert child.read() == {"ok": True}
            child.send("burst", name=name, first=first)
        said: dict[str, list[dict[str, Any]]] = {
            name: [answer for _ in range(2 * draw.randrange(MOST_ACKNOWLEDGED)) if (answer := child.read())]
            for name, child in children.items()
        }
        threading.Event().wait(draw.random() * LONGEST_WAIT_S)
        for child in children.values():
            child.kill()
        for name, child in children.items():
            child.wait()
            said[name] += child.read_all()
            acknowledged[name] = {answer["ack"] for answer in said[name] if "ack" in answer}
            last = max([last, *(answer["begin"] for answer in said[name] if "begin" in answer)])
    return acknowledged, last


def kills(zygote: Zygote, folder: Path, way: str, times: int, seed: str) -> tuple[list[str], int]:
    """Kill two processes again and again; return what was wrong after each kill, and how much was acknowledged."""
    draw = chance(seed, way)
    wrong: list[str] = []
    acknowledged, first = 0, 1
    for number in range(times):
        path = folder / str(number // OF_ONE_FILE) / "memory.db"
        acked, last = kill_two(zygote, path, way, first, draw)
        for name, numbers in acked.items():
            acknowledged += len(numbers)
            lost = sorted(numbers - stored(path, name))
            wrong += [f"kill {number}: {name} lost {lost[:5]} of {len(numbers)}"] if lost else []
        wrong += [f"kill {number}: {defect}" for defect in defects(path)]
        first = last + 1
    return wrong, acknowledged


@pytest.mark.bar("E1")
@pytest.mark.row("P25")
def test_kills_of_two_writers_lose_no_memory(zygote: Zygote, fast: Path, seed: str, bar_result: BarResult) -> None:
    """Every acknowledged memory of both is there after each kill; pages, references, words and histories are whole."""
    times = rounds(KILLS)
    wrong, acknowledged = kills(zygote, fast, "nola", times, seed)
    bar_result(times, "kills of two writers", failures=len(wrong))
    nothing_is(wrong)
    assert acknowledged > 5 * times, "hardly anything was stored before the kills"


@pytest.mark.bar("E1")
def test_memories_acknowledged_too_early_are_lost(zygote: Zygote, fast: Path, seed: str, bar_result: BarResult) -> None:
    """The control: who acknowledges before the commit loses memories by the same kills."""
    wrong, _ = kills(zygote, fast, "early", CONTROL_KILLS, seed)
    lost = sum("lost" in line for line in wrong)
    bar_result(0, "kills of two writers", control=f"acknowledged before the commit: {lost} losses")
    assert lost > 0


@pytest.mark.bar("E2")
def test_power_cuts_lose_no_memory(bench: Path, seed: str, bar_result: BarResult) -> None:
    """After each cut every acknowledged memory is there, and nothing is wrong with the file."""
    found = after_cuts("remember_power", bench, "nola", rounds(CUTS), seed)
    wrong = [f"cut {n}: lost {after['lost'][:5]}" for n, after in enumerate(found, 1) if after["lost"]]
    wrong += [f"cut {n}: {defect}" for n, after in enumerate(found, 1) for defect in after["defects"]]
    bar_result(len(found), "power cuts", failures=len(wrong))
    nothing_is(wrong)
    assert found[-1]["acked"] > 2 * len(found), "hardly anything was stored before the cuts"


@pytest.mark.bar("E2")
def test_without_a_flush_memories_are_lost(bench: Path, seed: str, bar_result: BarResult) -> None:
    """The control: commits that don't wait for the disk lose what they had acknowledged."""
    found = after_cuts("remember_power", bench, "unflushed", CONTROL_CUTS, seed)
    lost = sum(bool(after["lost"] or after["defects"]) for after in found)
    bar_result(0, "power cuts", control=f"without a flush: {lost} of {len(found)} cuts lost memories")
    assert lost > 0
