"""Starts that are killed at every system call: the first one, one that finds an edit, and one that migrates."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults import tracing
from tests.faults.drivers.payload import number_of, payload
from tests.faults.harness import Zygote, in_lanes, nola, nothing_is, some
from tests.faults.wholeness import orphans, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.table import BarResult
    from tests.faults.tracing import Call

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(bool(tracing.why_no_strace()), reason=tracing.why_no_strace()),
]

SIZE = 500
NOTES = "state/modules/notes.json"
HISTORY = "state/.history/changes.jsonl"
LAST_GOOD = "state/.last-good"
OLD_KEYS = "id at path old new old_present new_present undoes created made".split()
FORMAT = "state/.format.json"


def nothing(_: Zygote, home: Path) -> None:
    """Make no home at all: the first start makes it."""
    home.mkdir()


def edited(zygote: Zygote, home: Path) -> None:
    """Make a home in which the owner edited a module while nobody ran."""
    with zygote.desk(home) as desk:
        for number in (1, 2, 3):
            assert desk.ask("set", path="notes.text", value=number, size=SIZE)["ok"]
        assert desk.ask("close")["ok"]
    text = (home / NOTES).read_text(encoding="utf-8")
    (home / NOTES).write_text(text.replace(payload(3, SIZE), payload(7, SIZE)), encoding="utf-8")


def of_format_one(zygote: Zygote, home: Path) -> None:
    """Make a home as the first version left it: no mark of its format, and changes that name no interface."""
    with zygote.desk(home) as desk:
        for number in (1, 2, 7):
            assert desk.ask("set", path="notes.text", value=number, size=SIZE)["ok"]
        assert desk.ask("close")["ok"]
    (home / FORMAT).unlink()
    old = [{key: row[key] for key in OLD_KEYS} | {"who": "chat"} for row in recorded(home)]
    (home / HISTORY).write_text("".join(json.dumps(row) + "\n" for row in old), encoding="utf-8")
    for copy in (home / LAST_GOOD).rglob("*.json"):  # a copy did not have the time of what it was a copy of
        copy.write_bytes(copy.read_bytes())
    shutil.rmtree(home / "backups", ignore_errors=True)


def recorded(home: Path) -> list[dict[str, Any]]:
    """Return the changes of a home's history, as they stand in its file."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in (home / HISTORY).read_bytes().splitlines()]
    return [row for row in rows if "id" in row]


@dataclass(frozen=True)
class Start:
    """A home in which a start has something to do.

    Attributes:
        name: What that is.
        make: Makes it.
        served: Which payload stands in `notes.text` after a start; None when there is no such module.
        changes: How many changes the history has afterwards.
    """

    name: str
    make: Callable[[Zygote, Path], None]
    served: int | None
    changes: int


FIRST = Start("a first start", nothing, None, 0)
AFTER_AN_EDIT = Start("a start after an edit", edited, 7, 4)
MIGRATION = Start("a start with a migration", of_format_one, 7, 3)


def cut_off(zygote: Zygote, template: Path, start: Start, call: Call, folder: Path) -> tuple[bool, list[str]]:
    """Start and kill at one call, then start again; return whether that was hit, and what is wrong then."""
    home = folder / f"{call.name}-{call.nth}"
    shutil.copytree(template, home)
    with zygote.desk(home) as desk:
        kill = ("-e", f"inject={call.name}:signal=SIGKILL:when={call.nth}")
        with tracing.attached(desk, folder / f"{home.name}.log", *kill, thread=0):
            desk.send("start")
            hit = desk.read() is None
    wrong = [f"unreadable: {name}" for name in unreadable(home, copies=False)]
    for _ in range(2):  # the second one finds nothing to do
        wrong += after_a_start(zygote, home, start)
    if start is MIGRATION:
        wrong += migrated_once(home)
    shutil.rmtree(home)
    return hit, [f"{start.name}, {call.name} number {call.nth} ({call.text[-90:]}): {what}" for what in wrong]


def after_a_start(zygote: Zygote, home: Path, start: Start) -> list[str]:
    """Start, and say what is wrong with what is served, recorded and lying about."""
    wrong = []
    with zygote.desk(home) as desk:
        begun = desk.ask("start")
        if not begun["ok"] or not {"Nola", "identity", "machineID", "user"} <= set(begun["value"]):
            wrong.append(f"the next start fails: {str(begun)[:300]}")
        served = desk.ask("get", path="notes.text")
        if (number_of(served["value"]) if served["ok"] else None) != start.served:
            wrong.append(f"{str(served)[:100]} is served instead of {start.served}")
        if problems := desk.ask("problems")["value"]:
            wrong.append(f"there are problems: {problems}")
        changes = desk.ask("changes", path="notes")["value"]
        if len(changes) != start.changes:
            wrong.append(f"{len(changes)} changes are recorded instead of {start.changes}")
        desk.ask("close")
    wrong += [f"left over: {name}" for name in orphans(home)]
    return wrong + [f"unreadable after a start: {name}" for name in unreadable(home)]


def migrated_once(home: Path) -> list[str]:
    """Say what is wrong with a home that was brought to the present format, with a backup of before."""
    wrong = []
    if json.loads((home / FORMAT).read_bytes())["format"] < 2:
        wrong.append("it is not of the present format")
    rows = recorded(home)
    if any("via" not in row for row in rows):
        wrong.append("a change was not migrated")
    if len({row["id"] for row in rows}) != len(rows):
        wrong.append("a change stands twice in the history")
    backups = list((home / "backups").glob("*.tar.gz"))
    if not 1 <= len(backups) <= 2:
        wrong.append(f"{len(backups)} backups were made before the migration")
    return wrong


def killed_everywhere(zygotes: list[Zygote], start: Start, folder: Path) -> tuple[int, int, list[str]]:
    """Kill a start at every call that touches the home; return how many there are, were hit, and what went wrong."""
    template = folder / "template"
    start.make(zygotes[0], template)
    home = folder / "trace.home"
    shutil.copytree(template, home)
    with zygotes[0].desk(home) as desk:
        calls = some([c for c in tracing.traced(desk, folder / "trace.log", "start")[0] if c.touches(home)])
    lanes = len(zygotes)

    def lane(which: int) -> list[tuple[bool, list[str]]]:
        return [cut_off(zygotes[which], template, start, call, folder) for call in calls[which::lanes]]

    done = [one for of_lane in in_lanes(lane, range(lanes)) for one in of_lane]
    return len(calls), sum(hit for hit, _ in done), [sentence for _, wrong in done for sentence in wrong]


@pytest.mark.bar("A2")
@pytest.mark.parametrize("start", [FIRST, AFTER_AN_EDIT], ids=lambda start: start.name.replace(" ", "-"))
def test_a_start_that_is_killed_at_any_call(
    tmp_path: Path, zygotes: list[Zygote], start: Start, bar_result: BarResult
) -> None:
    """The next start finds everything whole, serves what the owner wrote, and records it once."""
    count, hit, wrong = killed_everywhere(zygotes, start, tmp_path)
    bar_result(hit, "points", failures=len(wrong))
    nothing_is(wrong)
    assert hit >= count * 0.9, f"only {hit} of {count} calls were reached"


@pytest.mark.bar("A10")
def test_a_migration_that_is_killed_at_any_call(tmp_path: Path, zygotes: list[Zygote], bar_result: BarResult) -> None:
    """The next start ends the migration, nothing is migrated twice, and a backup of before is there and good."""
    count, hit, wrong = killed_everywhere(zygotes, MIGRATION, tmp_path)
    bar_result(hit, "points", failures=len(wrong), control=careless(zygotes[0], tmp_path / "template", tmp_path))
    nothing_is(wrong)
    assert hit >= count * 0.9, f"only {hit} of {count} calls were reached"
    home = tmp_path / "whole"
    shutil.copytree(tmp_path / "template", home)
    assert nola(["state", "get", "notes.text"], home).out.strip() == payload(7, SIZE)
    said = nola(["backup", "verify", "latest"], home)
    assert said.code == 0, said


def careless(zygote: Zygote, template: Path, folder: Path) -> str:
    """Kill a migration that rewrites the history in place at each of its writes; tell how often it lost changes."""
    content = (template / HISTORY).read_bytes()
    points = len(content.splitlines())
    lost = 0
    for nth in range(1, points + 1):
        file = folder / "changes.jsonl"
        file.write_bytes(content)
        with zygote.child("unsafe", "truncate", str(file)) as child:
            assert child.read() == {"ok": True}
            with tracing.attached(child, folder / "careless.log", "-e", f"inject=write:signal=SIGKILL:when={nth}"):
                child.send("rewrite")
                child.hang_up()
                child.wait()
        lost += len(file.read_bytes().splitlines()) < points
    assert lost > 0
    return f"rewriting in place: changes lost at {lost} of {points} points"
