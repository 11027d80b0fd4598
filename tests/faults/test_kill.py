"""Processes that are killed at random while they save: what was acknowledged is there, and nothing is half there."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.drivers.payload import number_of
from tests.faults.harness import SEED, Zygote, chance, in_lanes, nola, nothing_is, rounds
from tests.faults.wholeness import orphans, standing, unreadable

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.faults.harness import Child
    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

KILLS = 1_000
KILLS_OF_A_HOME = 50
CONTROL_KILLS = 100
LONGEST_WAIT_S = 0.02
MOST_WRITES = 5
SMALLEST, LARGEST = 1_000, 1_000_000
# What an owner keeps beside Nola's files, some of it much like her own temporary files.
OWNERS_FILES = (
    ".nola-notes.tmp",
    ".nola-.tmp",
    ".nola-2024-notes.txt",
    ".nolarc",
    ".notes.json.swp",
    "modules/.nola-backup.tmp",
    "modules/.#notes.json",
    "modules/notes.json~",
)
FOLDERS = (".", "modules", ".last-good", ".last-good/modules", ".history")


@dataclass
class Ended:
    """What many kills in one home left behind."""

    kills: int = 0
    acknowledged: int = 0
    wrong: list[str] = field(default_factory=list)
    orphans: int = 0
    orphans_after_start: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)


def sizes(draw: random.Random) -> list[int]:
    """Return the sizes of a burst: between the smallest and the largest, each order of magnitude as likely."""
    return [int(SMALLEST * (LARGEST / SMALLEST) ** draw.random()) for _ in range(100)]


def kill_one(child: Child, home: Path, draw: random.Random, possible: set[int], ended: Ended) -> set[int]:
    """Kill a writer at a random time, a fifth of them while it starts; return what may stand in the file now."""
    first = max(possible) + 1
    said: list[dict[str, Any]] = []
    if draw.random() < 0.2:
        threading.Event().wait(draw.random() * LONGEST_WAIT_S / 2)
    else:
        assert child.read() == {"ok": True}
        found = number_of(child.ask("get", path="notes.text").get("value"))
        if found not in possible:
            ended.wrong.append(f"served {found}, which is none of {possible}")
        child.send("burst", path="notes.text", first=first, sizes=sizes(draw))
        said = [answer for _ in range(2 * draw.randrange(MOST_WRITES) + 1) if (answer := child.read())]
        threading.Event().wait(draw.random() * LONGEST_WAIT_S)
    child.kill()
    child.wait()
    said += child.read_all()
    acked = [answer["ack"] for answer in said if "ack" in answer]
    begun = [answer["begin"] for answer in said if "begin" in answer]
    ended.wrong += [f"refused: {answer}" for answer in said if answer.get("ok") is False]
    ended.acknowledged += len(acked)
    ended.kills += 1
    now = ({acked[-1]} if acked else possible) | ({begun[-1]} if begun else set())
    stands = number_of(standing(home / "state" / "modules" / "notes.json", "text"))
    ended.wrong += [f"unreadable: {name}" for name in unreadable(home)]
    if stands not in now:
        ended.wrong.append(f"{stands} stands there, which is none of {now}")
        return now
    return {stands}


def killed_in(home: Path, kills: int, seed: str) -> Ended:
    """Let writers write into one home and kill each; then start once, as a person would."""
    draw = chance(seed)
    ended = Ended()
    with Zygote() as zygote:
        with zygote.desk(home) as first:
            assert first.ask("set", path="notes.text", value=0, size=10)["ok"]
        for name in OWNERS_FILES:
            (home / "state" / name).write_text(f"mine: {name}", encoding="utf-8")
        possible = {0}
        for _ in range(kills):
            with zygote.child("desk", str(home)) as child:
                possible = kill_one(child, home, draw, possible, ended)
        dead = child.pid
    for folder in FOLDERS:  # whatever the kills left, there is one in each folder
        (home / "state" / folder / f".nola-{dead}-0123456789ab.tmp").write_bytes(b"half a fi")
    ended.orphans = len(orphans(home))
    said = nola(["state", "check"], home)
    if said.code:
        ended.wrong.append(f"the start after the kills: {said}")
    ended.orphans_after_start = orphans(home)
    for name in OWNERS_FILES:
        path = home / "state" / name
        if not path.exists() or path.read_text(encoding="utf-8") != f"mine: {name}":
            ended.touched.append(name)
    return ended


@pytest.fixture(scope="module")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> list[Ended]:
    """The homes of a thousand killed writers."""
    folder = tmp_path_factory.mktemp("killed")
    homes = max(1, rounds(KILLS) // KILLS_OF_A_HOME)
    return in_lanes(
        lambda number: killed_in(folder / f"home{number}", KILLS_OF_A_HOME, f"{SEED} {number}"), range(homes)
    )


@pytest.mark.bar("A1")
@pytest.mark.row("E30")
def test_a_killed_writer_loses_nothing_that_was_acknowledged(aftermath: list[Ended], bar_result: BarResult) -> None:
    """After each kill every file is readable, and holds what was acknowledged last or what was being written."""
    wrong = [sentence for ended in aftermath for sentence in ended.wrong]
    kills = sum(ended.kills for ended in aftermath)
    bar_result(kills, "kills", failures=len(wrong))
    nothing_is(wrong)
    assert sum(ended.acknowledged for ended in aftermath) > kills / 2, "hardly anything was written before the kills"


@pytest.mark.bar("A1")
def test_writing_in_place_does_not_survive_the_kills(
    tmp_path: Path, zygote: Zygote, seed: str, bar_result: BarResult
) -> None:
    """The control: a writer that truncates the file and writes it leaves unreadable files behind."""
    draw = chance(seed)
    file = tmp_path / "state" / "modules" / "notes.json"
    file.parent.mkdir(parents=True)
    torn = 0
    for _ in range(rounds(CONTROL_KILLS)):
        with zygote.child("unsafe", "truncate", str(file)) as child:
            assert child.read() == {"ok": True}
            child.send("burst", first=1, sizes=sizes(draw))
            threading.Event().wait(draw.random() * LONGEST_WAIT_S)
            child.kill()
            child.wait()
        torn += bool(unreadable(tmp_path))
    bar_result(0, "kills", control=f"writing in place: {torn} of {rounds(CONTROL_KILLS)} torn")
    assert torn > 0


@pytest.mark.bar("A8")
def test_one_start_sweeps_the_temporary_files_of_the_killed(aftermath: list[Ended], bar_result: BarResult) -> None:
    """The kills left temporary files; after one start there are none, and the owner's own files stand untouched."""
    left = sum(ended.orphans for ended in aftermath)
    remaining = [name for ended in aftermath for name in ended.orphans_after_start]
    touched = [name for ended in aftermath for name in ended.touched]
    bar_result(left, "left-over files", failures=len(remaining) + len(touched), control=f"before the start: {left}")
    assert left > 0, "the kills left nothing to sweep, so that this shows nothing"
    nothing_is([f"left over after a start: {name}" for name in remaining])
    nothing_is([f"the owner's own file was touched: {name}" for name in touched])
