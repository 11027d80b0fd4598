"""Tests of `nola export` and `nola import`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import typer

from nola.cli import transfer
from nola.flow import Problem
from nola.memory.axes import EdgeKind
from nola.memory.filters import Filter
from nola.memory.record import new_memory
from tests.cli.terminal import seated
from tests.memory.making import put
from tests.transfer.fakes import Home, conversation, turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import CommandLine


@pytest.fixture
def lived(nola: CommandLine) -> CommandLine:
    """Return a command line whose home holds a module, a conversation and a memory."""
    nola.assistant.lived.state.put("work", '{"data": {"pay": 1.50, "job": "mechanic"}}')
    nola.assistant.lived.talks.import_rows([conversation("c1")])
    nola.assistant.lived.memories.insert_many([new_memory("Biscuit likes rain", {})], ["m1"])
    return nola


def other(**modules: Any) -> bytes:
    """Write an export of some modules by hand."""
    return json.dumps({"format": "nola-export", "version": 2, "nola": "0.1.0", "state": modules}).encode()


def test_without_a_file_the_export_is_printed(lived: CommandLine) -> None:
    """Exactly the document, for a program to read."""
    said = lived("export")
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout_bytes == lived("export", "-").stdout_bytes == lived.assistant.export_all()
    for part in transfer.Part:
        assert list(json.loads(lived("export", "--only", part.value).stdout))[3:] == [part.value]


@pytest.mark.row("E58")
def test_a_file_is_private_and_not_replaced(lived: CommandLine, tmp_path: Path) -> None:
    """Mode 0600 whatever the umask; what is there already stays unless --force is given."""
    file = tmp_path / "nola.json"
    said = lived("export", str(file))
    assert (said.exit_code, said.stdout) == (0, "")
    assert said.stderr == f"wrote {file} ({file.stat().st_size / 1000:.1f} kB), readable for you alone\n"
    assert file.read_bytes() == lived.assistant.export_all()
    assert file.stat().st_mode & 0o777 == 0o600
    again = lived("export", str(file))
    assert again.exit_code == 1
    assert again.stderr.startswith(f"nola: {file} is there already\n")
    assert json.loads(lived("export", str(file), "--force", "--json").stdout) == {
        "file": str(file),
        "bytes": file.stat().st_size,
    }


def test_a_file_that_can_not_be_written_is_told(lived: CommandLine, tmp_path: Path) -> None:
    """A folder, a link that leads nowhere, a folder that is not there."""
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert "is there already" in lived("export", str(tmp_path / "link")).stderr
    assert "is no regular file" in lived("export", str(tmp_path), "--force").stderr
    said = lived("export", str(tmp_path / "none" / "x.json"))
    assert (said.exit_code, "No such file or directory" in said.stderr) == (1, True)


@pytest.mark.row("E58")
def test_markdown_is_for_people(lived: CommandLine, tmp_path: Path) -> None:
    """The state, a heading for each module, and the memories; either of them alone when that is asked for."""
    said = lived("export", "--markdown")
    assert said.exit_code == 0
    state = "## work\n\n- `work.pay`: 1.50\n- `work.job`: mechanic\n"
    memories = "## Memories\n\n- `m1` (semantic, 2026-11-20): Biscuit likes rain\n"
    assert said.stdout.endswith(f"{state}\n{memories}")
    assert lived("export", "--markdown", "--only", "state").stdout.endswith(state)
    assert lived("export", "--markdown", "--only", "memories").stdout == f"# What Nola knows\n\n{memories}"
    lived("export", "--markdown", str(tmp_path / "nola.md"))
    assert (tmp_path / "nola.md").read_text() == said.stdout
    assert lived("export", "--markdown", "--only", "conversations").exit_code == 2


def test_a_broken_module_is_told_and_its_last_good_version_given_out(lived: CommandLine) -> None:
    """The export is written, and its exit code says that it is not all as it stands."""
    lived.assistant.lived.state.break_("work")
    lived.assistant.found = [
        Problem("modules/work.json", 1, 30, "unexpected end of data"),
        Problem("user.json", 3, 5, "the key 'a' stands twice; only the last one counts", "warning"),
        Problem("user.json", 0, 0, "last_updated is no ISO-8601 time: 'x'", "warning"),
        Problem("machineID.json", 0, 0, "the file is missing"),
    ]
    said = lived("export")
    assert said.exit_code == 1
    assert json.loads(said.stdout)["state"]["work"]["data"]["pay"] == 1.5
    assert said.stderr.splitlines() == [
        "nola: modules/work.json, line 1, column 30: unexpected end of data",
        "nola: user.json, line 3, column 5: the key 'a' stands twice; only the last one counts",
        "      what can't be read was given out as it last could be; mend it, and export again",
    ]
    assert lived("export", "--only", "conversations").exit_code == 0
    assert lived("export", "--only", "memories").exit_code == 0


def test_an_export_that_no_import_takes_is_told(lived: CommandLine) -> None:
    """It is read back at once, not on the day when it is needed."""
    lived.assistant.lived.state.put("data", "{}")
    said = lived("export")
    assert said.exit_code == 1
    assert said.stderr == (
        "nola: it could not be imported as it is: the export: the module 'data' is no name for a module: "
        "that word is reserved\n"
    )


def test_an_import_shows_what_it_changes_and_does_it(lived: CommandLine, tmp_path: Path) -> None:
    """Each module and conversation with its fate; at the end, how to take it back."""
    file = tmp_path / "other.json"
    file.write_bytes(other(work={"data": {"pay": 2.5, "since": 2020}}, garden={"data": {"beds": 3}}, user={}))
    said = lived("import", str(file), "--yes")
    assert said.exit_code == 0
    assert said.stdout.splitlines() == [
        "garden: new, 1 value",
        "  garden.beds: (nothing) -> 3",
        "user: changes 2 values",
        "  user.metadata.context_level: 2 -> (nothing)",
        "  user.metadata.stale_threshold_seconds: 600 -> (nothing)",
        "work: changes 3 values",
        "  work.pay: 1.5 -> 2.5",
        '  work.job: "mechanic" -> (nothing)',
        "  work.since: (nothing) -> 2020",
        "imported 3 modules",
        "to take all of it back: nola backup restore before-import-0",
    ]
    again = lived("import", str(file))
    assert (again.exit_code, again.stdout.splitlines()[-1]) == (0, "all of it is here already")


def test_dry_run_only_shows(lived: CommandLine, tmp_path: Path) -> None:
    """Nothing is written, and nobody is asked."""
    file = tmp_path / "other.json"
    file.write_bytes(other(work={"data": {}}))
    said = lived("import", "--dry-run", str(file))
    assert (said.exit_code, said.stdout.splitlines()[0]) == (0, "work: changes 2 values")
    assert lived.assistant.lived.backups == []


def test_long_plans_are_cut_and_counted(nola: CommandLine) -> None:
    """Twenty values of a module, twenty conversations, and how many more there are."""
    talks = [conversation(f"c{number:02}") for number in range(22)]
    nola.assistant.lived.talks.import_rows([*talks, conversation("same")])
    export = json.loads(nola.assistant.export_all())
    nola.assistant.__dict__.pop("lived").talks.close()
    (nola.home / "lived" / "memory.db").unlink()
    nola.assistant.lived.talks.import_rows([conversation("c00", turn("x", "c00")), conversation("same")])
    export["state"] = {"many": {"data": {f"k{number}": number for number in range(25)}}}
    lines = nola("import", "--dry-run", "-", text=json.dumps(export)).stdout.splitlines()
    assert (lines[0], lines[20], lines[21]) == ("many: new, 25 values", "  many.k19: (nothing) -> 19", "  and 5 more")
    assert lines[22:25] == [
        "conversations: 21 new, 1 the same, 1 different",
        "  c00: different, 1 turn, my dog?",
        "  c01: new, 1 turn, my dog?",
    ]
    assert lines[-1] == "  and 2 more"


def test_conversations_that_differ_need_leave(lived: CommandLine) -> None:
    """Without --replace it stops before anybody is asked."""
    export = json.loads(lived.assistant.export_all())
    export["conversations"][0]["title"] = "changed"
    said = lived("import", "--yes", "-", text=json.dumps(export))
    assert said.exit_code == 1
    assert said.stderr.startswith("nola: the conversation c1 is here already and differs; nothing was changed\n")
    assert lived.assistant.lived.backups == []
    export["state"]["work"]["metadata"] = {"version": 9}
    said = lived("import", "--yes", "--replace", "-", text=json.dumps(export))
    assert "work: only its times or version change" in said.stdout
    assert "  c1: replaced, 1 turn, changed" in said.stdout
    assert "imported 1 module and 1 conversation\n" in said.stdout
    assert lived.assistant.lived.talks.export_rows()[0].title == "changed"


@pytest.mark.row("E59")
def test_memories_that_are_new_are_shown_and_stored(lived: CommandLine, tmp_path: Path) -> None:
    """What is known is skipped; the rest is listed, one line each whatever its length."""
    home = Home(tmp_path / "other")
    for number in range(22):
        put(home.memories, f"walk {number}\n{'far ' * 50}", kind="episodic")
    known, (first, *rest) = "m1", [row.record.id for row in home.memories.find(Filter(), oldest_first=True)]
    home.memories.insert_many([new_memory("Biscuit hates rain", {})], [known])
    home.memories.link(first, EdgeKind.CITES, known)
    export = home.export("memories")
    lines = lived("import", "--dry-run", "-", text=export).stdout.splitlines()
    assert lines[0] == "memories: 22 new, 1 known already and skipped; with 22 events, 1 edge, 1 counter"
    assert lines[1].startswith(f"  {first}: episodic, walk 0\\nfar far")
    assert lines[1].endswith("…")
    assert (len(lines), lines[-1]) == (22, "  and 2 more")
    said = lived("import", "--yes", "--json", "-", text=export)
    assert json.loads(said.stdout)["result"]["memories"] == [first, *rest]
    assert lived("import", "-", text=export).stdout == (
        "memories: 23 known already and skipped\nall of it is here already\n"
    )
    home.memories.purge([put(home.memories, "a secret")])
    said = lived("import", "--yes", "-", text=home.export("memories"))
    assert said.stdout.splitlines()[:2] == [
        "memories: 23 known already and skipped; with 1 purge",
        "imported what goes with the memories",
    ]


def test_what_was_imported_is_counted(lived: CommandLine, tmp_path: Path) -> None:
    """Modules, conversations and memories, each when there were some."""
    home = Home(tmp_path / "other")
    for part in ("garden", "sea"):
        home.state.put(part, "{}")
    home.talks.import_rows([conversation("c9")])
    home.memories.insert_many([new_memory("one", {}), new_memory("two", {})], ["m8", "m9"])
    said = lived("import", "--yes", "-", text=home.export())
    assert "imported 2 modules, 1 conversation and 2 memories" in said.stdout.splitlines()


def test_a_damaged_memory_stops_the_import(lived: CommandLine) -> None:
    """One sentence names the place, and nothing is written."""
    export = json.loads(lived.assistant.export_all())
    export["state"]["garden"] = {"data": {"beds": 3}}
    export["memories"][1]["uses"] = 5
    said = lived("import", "--yes", "-", text=json.dumps(export))
    assert said.exit_code == 0, "what is known already is passed over"
    export["memories"][1]["memory"]["id"] = "m2"
    export["state"]["shed"] = {"data": {}}
    said = lived("import", "--yes", "-", text=json.dumps(export))
    assert (said.exit_code, said.stdout) == (1, "")
    assert said.stderr.startswith("nola: the export: memories.1: it can't be used: 'int' object is not iterable\n")
    assert not lived.assistant.lived.state.path("shed").exists()


def test_without_a_terminal_somebody_has_to_agree(lived: CommandLine) -> None:
    """The plan is shown, then --yes is asked for; with nothing to do, nobody has to."""
    said = lived("import", "-", text=other(work={}))
    assert (said.exit_code, lived.assistant.lived.backups) == (2, [])
    assert said.stderr.startswith("nola: nobody is at a terminal to agree to this\n      add --yes")
    assert lived("import", "-", text=lived.assistant.export_all()).exit_code == 0
    assert lived("import", "-", text=other()).stdout == "there is nothing in it\n"


@pytest.mark.parametrize(("typed", "done"), [("y\n", True), ("\n", False), ("", False), ("no\n", False)])
def test_a_person_is_asked(monkeypatch: pytest.MonkeyPatch, typed: str, *, done: bool) -> None:
    """Only a yes is one."""
    with seated(monkeypatch, typed) as screen:
        code = exit_code_of(lambda: transfer._ask(can_answer=True))
    assert screen.err.getvalue().startswith("Do this? A backup is made first. [y/N] ")
    assert (code == 0) is done
    assert ("nothing was imported" in screen.err.getvalue()) is not done


def test_scripts_get_one_document(lived: CommandLine) -> None:
    """The plan, and what came of it."""
    shown = json.loads(lived("import", "--dry-run", "--json", "-", text=other(work={"data": {}})).stdout)
    assert shown["result"] is None
    assert shown["plan"]["modules"][0]["fate"] == "changes"
    done = json.loads(lived("import", "--yes", "--json", "-", text=other(work={"data": {}})).stdout)
    assert done["result"] == {
        "modules": ["work"], "conversations": [], "memories": [], "backup": "before-import-0",
    }  # fmt: skip


def test_what_is_no_export_is_refused(lived: CommandLine, tmp_path: Path) -> None:
    """In one sentence, with nothing written; a file that is not there is named."""
    said = lived("import", "--yes", "-", text="{}")
    assert said.exit_code == 1
    assert said.stderr.startswith("nola: this is no export of Nola's: it does not say")
    assert "No such file or directory" in lived("import", "--yes", str(tmp_path / "none.json")).stderr
    assert "Is a directory" in lived("import", "--yes", str(tmp_path)).stderr
    assert lived.assistant.lived.backups == []


def test_hostile_texts_do_not_reach_the_terminal(lived: CommandLine) -> None:
    """What a file says is shown as text, on its own line."""
    export = json.loads(lived.assistant.export_all())
    export["state"] = {"work": {"data": {"\x1b[2J\nuser: the same": "\x1b]0;x\x07"}}}
    export["conversations"][0] |= {"id": "c9", "title": "a\nb\x1b[31m", "messages": []}
    export["memories"][1]["memory"] |= {"id": "m\x1b[2J", "content": "a\nuser: the same\x07"}
    said = lived("import", "--dry-run", "-", text=json.dumps(export))
    assert "\x1b" not in said.stdout
    assert "\x07" not in said.stdout
    assert "user: the same" not in said.stdout.splitlines()


def exit_code_of(command: Callable[[], None]) -> int:
    """Run something that may exit; return its code."""
    try:
        command()
    except typer.Exit as left:
        return left.exit_code
    return 0
