"""Disks that are full or read-only: what stands there stays, the error is told, and afterwards Nola saves again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.faults.drivers.payload import number_of
from tests.faults.harness import nothing_is, rounds
from tests.faults.spaces import apart, why_no_space

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.harness import Child
    from tests.faults.table import BarResult

pytestmark = [pytest.mark.faults, pytest.mark.skipif(bool(why_no_space()), reason=why_no_space())]

SIZE = 100_000
DISK = "96m"
PAGE = 4_096
POINTS = 60
RECOVERY_S = 10.0
COMMANDS: tuple[tuple[list[str], set[int]], ...] = (
    (["state", "get", "notes.text"], {0}),
    (["state", "show"], {0}),
    (["state", "check"], {0, 1}),
    (["doctor"], {0, 1}),
    (["chat", "--model", "none", "What is my name?"], {0, 1}),
    (["state", "set", "notes.other", "1"], {1}),
    (["state", "unset", "notes.text"], {1}),
)


def filled(child: Child, leave: int, number: int) -> list[str]:
    """Save on a disk with so many bytes left, then make room; say what is wrong."""
    before = child.ask("stands")
    assert child.ask("fill", leave=leave)["ok"]
    answer = child.ask("set", path="notes.text", value=number, size=SIZE)
    stands = child.ask("stands")
    wrong = [*stands["unreadable"], *(f"left over: {name}" for name in stands["orphans"])]
    if answer["ok"] and stands["number"] != number:
        wrong.append(f"acknowledged, and {stands['number']} stands there")
    if not answer["ok"]:
        if answer["error"] != "StorageError" or not answer["fix"]:
            wrong.append(f"not told clearly: {answer['error']}: {answer['message'][-300:]}")
        if stands["bytes"] != before["bytes"]:
            wrong.append("refused, and the file is not what it was, byte for byte")
        served = child.ask("get", path="notes.text")
        if not served["ok"] or number_of(served["value"]) not in {before["number"], number}:
            wrong.append(f"reading does not go on: {str(served)[:200]}")
    child.ask("free")
    began = time.monotonic()
    if not answer["ok"]:
        retried = child.ask("retry")
        if not retried["ok"] or child.ask("stands")["number"] != number:
            wrong.append(f"with room again the change that waited is not saved: {retried}")
    again = child.ask("set", path="notes.text", value=number + 1, size=SIZE)
    took = time.monotonic() - began
    if not again["ok"] or child.ask("stands")["number"] != number + 1 or took > RECOVERY_S:
        wrong.append(f"with room again nothing can be saved: {again}, after {took:.1f} s")
    return [f"{leave // PAGE} pages left: {sentence}" for sentence in wrong]


@pytest.mark.bar("A4")
def test_a_full_disk(tmp_path: Path, bar_result: BarResult) -> None:
    """Wherever in a save the disk fills up, the old file stays byte for byte, and with room again all is saved."""
    step = 1 if rounds(POINTS) == POINTS else 10
    wrong: list[str] = []
    refused = lost = 0
    with apart("cramped", str(tmp_path), DISK) as child:
        assert child.read() == {"ok": True}
        child.ask("open")
        assert child.ask("set", path="notes.text", value=0, size=SIZE)["ok"]
        leaves = [page * PAGE for page in range(0, POINTS, step)]
        for at, leave in enumerate(leaves):
            wrong += filled(child, leave, 10 * at + 1)
        for leave in leaves:
            lost += child.ask("careless", value=1, size=SIZE, leave=leave)["lost"]
        refused = sum(leave < SIZE for leave in leaves)
    control = f"one write and a rename: old file lost {lost} times"
    bar_result(len(leaves), "amounts of room", failures=len(wrong), control=control)
    nothing_is(wrong)
    assert refused > 0
    assert lost > 0


@pytest.mark.bar("A4")
def test_a_start_on_a_full_disk(tmp_path: Path, bar_result: BarResult) -> None:
    """What is known can be read from a disk without room, also by a process that starts there."""
    with apart("cramped", str(tmp_path), DISK) as child:
        assert child.read() == {"ok": True}
        child.ask("open")
        assert child.ask("set", path="notes.text", value=7, size=SIZE)["ok"]
        child.ask("fill", leave=0)
        child.ask("open")
        answer = child.ask("get", path="notes.text")
        assert answer["ok"], answer
        assert number_of(answer["value"]) == 7
        nothing_is(run_all(child))
    bar_result(1 + len(COMMANDS), "starts")


def run_all(child: Child) -> list[str]:
    """Run commands of all kinds; say which of them crashed, or ended with an unexpected exit code."""
    wrong = []
    for arguments, codes in COMMANDS:
        said = child.ask("command", arguments=arguments)
        if said["code"] not in codes or "Traceback" in said["out"] + said["err"]:
            wrong.append(f"nola {' '.join(arguments)}: exit code {said['code']}: {said['err'].strip()[-400:]}")
        elif codes == {1} and not said["err"].startswith("nola: "):
            wrong.append(f"nola {' '.join(arguments)}: no sentence: {said['err'][:200]!r}")
    return wrong


@pytest.mark.bar("A7")
def test_a_folder_that_is_read_only_at_the_start(tmp_path: Path, bar_result: BarResult) -> None:
    """Everything can be read, what would write says in a sentence that it can't, and nothing crashes."""
    with apart("cramped", str(tmp_path), DISK) as child:
        assert child.read() == {"ok": True}
        child.ask("open")
        assert child.ask("set", path="notes.text", value=7, size=SIZE)["ok"]
        child.ask("close")
        child.ask("seal", on=True)
        child.ask("open")
        served = child.ask("get", path="notes.text")
        refused = child.ask("set", path="notes.text", value=8, size=SIZE)
        wrong = run_all(child)
        careless = child.ask("command", arguments=["--version"])
    assert careless["code"] == 0
    assert number_of(served.get("value")) == 7, served
    assert (refused["ok"], refused["error"]) == (False, "StorageError"), refused
    bar_result(2 + len(COMMANDS), "starts and commands", failures=len(wrong))
    nothing_is(wrong)


@pytest.mark.bar("A7")
def test_a_folder_that_becomes_read_only(tmp_path: Path, bar_result: BarResult) -> None:
    """A running process reads on, refuses to write, and writes again as soon as it may."""
    turns = rounds(20)
    wrong: list[str] = []
    with apart("cramped", str(tmp_path), DISK) as child:
        assert child.read() == {"ok": True}
        child.ask("open")
        assert child.ask("set", path="notes.text", value=0, size=SIZE)["ok"]
        for number in range(1, turns + 1):
            before = child.ask("stands")
            child.ask("seal", on=True)
            refused = child.ask("set", path="notes.text", value=number, size=SIZE)
            if refused["ok"] or refused["error"] != "StorageError":
                wrong.append(f"not refused properly: {refused}")
            if not child.ask("get", path="notes.text")["ok"] or child.ask("stands")["bytes"] != before["bytes"]:
                wrong.append("reading does not go on, or the file has changed")
            child.ask("seal", on=False)
            retried = child.ask("retry")
            if not retried["ok"] or child.ask("stands")["number"] != number:
                wrong.append(f"what waited is not saved: {retried}")
        child.ask("seal", on=True)
        crashed = child.ask("careless", value=1, size=SIZE, leave=0)
    bar_result(turns, "turns", failures=len(wrong), control="a writer that expects to write: crashed")
    nothing_is(wrong)
    assert crashed["crashed"]
