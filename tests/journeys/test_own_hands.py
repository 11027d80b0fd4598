"""The owner's own hands in her files: edits, mistakes, the way back, a second machine, a daemon beside it all."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.harness import eventually
from tests.journeys.machine import Machine

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = "user.json, line 11, column 20: a comma too many, or a value is missing before it"


def user(machine: Machine) -> Path:
    """Return the file that is edited."""
    return machine.home / "state" / "user.json"


def edit(machine: Machine, old: str, new: str) -> bytes:
    """Replace a text in the file in place; return what stands there then."""
    text = user(machine).read_text("utf-8")
    assert old in text
    user(machine).write_text(text.replace(old, new), encoding="utf-8")
    return user(machine).read_bytes()


def changes(machine: Machine, *options: str) -> list[tuple[Any, ...]]:
    """List the changes, newest first: interface, path, old and new value."""
    rows = machine("state", "history", "--json", *options).json
    return [(row["via"], row["path"], row["old"], row["new"]) for row in rows]


@pytest.mark.bar("C2")
def test_a_mistake_is_told_and_mended(nola: Machine) -> None:
    """The line is shown, the last good value is served, the file stays as it is; mended, the edit counts."""
    nola("state", "set", "user.name", '"Mara"')
    broken = edit(nola, '"Mara"', '"Mira",,')
    told = nola("state", "check", code=1)
    assert told.out == f'error: {BROKEN}\n  11 |     "name": "Mira",,\n     |                    ^\n'
    said = nola("state", "get", "user.name")
    assert (said.out, said.err) == ("Mara\n", f"note: {BROKEN}; the last good value is shown\n")
    assert BROKEN in nola("state", "set", "user.age", "41", code=1).err
    assert BROKEN in nola("doctor", code=1).out
    assert user(nola).read_bytes() == broken
    edit(nola, '"Mira",,', '"Mira",\n    "rent": 812.50')
    assert nola("state", "check").out == "all files are well\n"
    nola("state", "set", "user.age", "41")
    assert b'"rent": 812.50' in user(nola).read_bytes()
    assert changes(nola, "user.name") == [
        ("editor", "user.name", "Mara", "Mira"),
        ("command line", "user.name", None, "Mara"),
    ]


def test_an_edit_by_hand_is_undone_like_any_change(nola: Machine) -> None:
    """The undo says what it took back, the history keeps both, and an earlier time shows what stood then."""
    nola("state", "set", "user.city", '"Lyon"', NOLA_NOW="2026-11-20T09:00:00Z")
    edit(nola, '"Lyon"', '"Porto"')
    nola("state", "check", NOLA_NOW="2026-11-20T10:00:00Z")
    (change,) = nola("state", "history", "--json", "--limit", "1", "user.city").json
    said = nola("state", "undo", change["id"], NOLA_NOW="2026-11-20T11:00:00Z")
    assert said.out.startswith('saved user.city: "Porto" -> "Lyon"  (undo: ')
    then = [("2026-11-20T09:30Z", "Lyon"), ("2026-11-20T10:30Z", "Porto"), ("2026-11-20T11:30Z", "Lyon")]
    for at, city in then:
        said = nola("state", "show", "--at", at, "--json", "user.city", NOLA_NOW="2026-11-21T00:00:00Z")
        assert said.json == city
    assert [via for via, *_ in changes(nola, "user.city")] == ["command line", "editor", "command line"]


@pytest.mark.bar("C2")
def test_a_mistake_is_told_at_the_prompt_and_what_is_typed_stays(nola: Machine) -> None:
    """Within three seconds, above the line; the message that was half typed is sent as a whole."""
    nola("state", "set", "user.name", '"Mara"')
    with nola.sit() as seat:
        seat.read_until("/quit")
        seat.read_until("> ")
        seat.press("What is my na")
        seat.read_until("What is my na")
        began = time.monotonic()
        edit(nola, '"Mara"', '"Mira",,')
        seat.read_until("a comma too many")
        assert time.monotonic() - began < 3
        edit(nola, '"Mira",,', '"Mira"')
        began = time.monotonic()
        seat.read_until("user.json is well again")
        assert time.monotonic() - began < 2
        seat.type("me?")
        assert "Your name is" in seat.read_until("Mira.")
        seat.read_until("> ")
        seat.type("/quit")
        seat.process.wait(10)
    (row,) = nola("history", "--json").json
    assert row["title"] == "What is my name?"


@pytest.mark.bar("B6")
def test_a_daemon_beside_it_all(nola: Machine) -> None:
    """It sees edits, lets commands write, refuses a second one by the first one's name, and ends when it is told to."""
    with nola.start("daemon", "run") as first:
        assert first.process.stderr is not None
        assert b"daemon ready" in first.process.stderr.readline()
        said = nola("daemon", "run", code=1)
        assert f"process {first.process.pid}, `nola daemon run`" in said.err
        nola("state", "set", "user.name", '"Mara"')
        edit(nola, '"Mara"', '"Mira",,')
        assert eventually(lambda: BROKEN in nola("daemon", "status").out, 5) is not None
        edit(nola, '"Mira",,', '"Mira"')
        assert eventually(lambda: "problem" not in nola("daemon", "status").out, 5) is not None
        assert "runs since" in nola("doctor", code=None).out
        nola("backup", "create")
        assert "nola daemon" in nola("backup", "restore", "latest", "--yes", code=1).err
        first.process.send_signal(signal.SIGTERM)
        assert first.end().code == 0
    assert nola("daemon", "status", code=1).out == "not running\n"
    assert changes(nola, "user.name")[0] == ("editor", "user.name", "Mara", "Mira")
    assert "state.problems" in nola("daemon", "logs").out


@pytest.mark.bar("A11")
def test_a_restore_and_its_undo(nola: Machine) -> None:
    """What is newer vanishes, and comes back."""
    nola("state", "set", "user.name", '"Mara"')
    made = nola("backup", "create", "--json").json["name"]
    assert "well" in nola("backup", "verify", "latest").out
    nola("state", "set", "user.name", '"Mira"')
    nola("state", "set", "garden.tree", '"apple"')
    plan = nola("backup", "restore", made, "--dry-run").out
    assert "change     user.json" in plan
    assert "vanish     modules/garden.json" in plan
    assert nola("state", "get", "user.name").out == "Mira\n"
    undo = nola("backup", "restore", made, "--yes").out.rpartition("nola backup restore ")[2].strip()
    assert nola("state", "get", "user.name").out == "Mara\n"
    nola("state", "get", "garden.tree", code=1)
    nola("backup", "restore", undo, "--yes")
    assert nola("state", "get", "user.name").out == "Mira\n"
    assert nola("state", "get", "garden.tree").out == "apple\n"


@pytest.mark.row("E58")
@pytest.mark.row("E59")
def test_everything_moves_to_a_second_machine(nola: Machine, tmp_path: Path) -> None:
    """What one gives out the other takes in, shows before it does, and gives out again byte for byte."""
    nola("state", "set", "user.name", '"Mara"')
    nola("chat", "hello")
    given = nola("export").out
    other = Machine(tmp_path / "other", NOLA_LLM_MODEL="none")
    plan = other("import", "--dry-run", "-", text=given)
    assert 'user.name: (nothing) -> "Mara"' in plan.out
    assert other("export", "--only", "state").json["state"]["user"]["data"] == {}
    other("import", "-", text=given, code=2)
    assert "nola backup restore" in other("import", "--yes", "-", text=given).out
    assert other("export").out == given
    assert other("import", "--yes", "-", text=given).out.endswith("all of it is here already\n")
