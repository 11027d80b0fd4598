"""Tests of `nola state`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nola.flow import Change, Problem
from nola.types import ChangeId
from tests.cli.fakes import AT

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine

RECEIPT = 'saved user.pets.dog.name: "Biscuit"  (undo: nola state undo abc123)\n'


def test_get_prints_text_bare(nola: CommandLine) -> None:
    """Other values are JSON, and --json makes text JSON too."""
    nola.assistant.state |= {"user.dog": "Biscuit", "user.age": 41, "user.likes": ["tea"]}
    assert nola("state", "get", "user.dog").stdout == "Biscuit\n"
    assert nola("state", "get", "user.dog", "--json").stdout == '"Biscuit"\n'
    assert nola("state", "get", "user.age").stdout == "41\n"
    assert json.loads(nola("state", "get", "user.likes").stdout) == ["tea"]


def test_get_of_nothing_exits_1(nola: CommandLine) -> None:
    """The sentence names the path; stdout stays empty."""
    said = nola("state", "get", "user.cat")
    assert (said.exit_code, said.stdout) == (1, "")
    assert said.stderr == "nola: user.cat: nothing stands there\n"


def test_set_takes_json_and_prints_a_receipt(nola: CommandLine) -> None:
    """Text, numbers below zero and objects arrive as they are."""
    assert nola("state", "set", "user.pets.dog.name", '"Biscuit"').stdout == RECEIPT
    nola("state", "set", "user.depth", "-5")
    nola("state", "set", "user.home", '{"city": "Porto"}')
    assert nola.assistant.written[1:] == [("user.depth", -5), ("user.home", {"city": "Porto"})]


def test_set_of_bare_text_says_how_to_quote(nola: CommandLine) -> None:
    """The fix can be copied; --text takes it literally."""
    said = nola("state", "set", "user.dog", "Biscuit")
    assert (said.exit_code, nola.assistant.written) == (1, [])
    assert said.stderr.startswith("nola: the value is not JSON")
    assert """nola state set user.dog '"Biscuit"', or add --text""" in said.stderr
    assert nola("state", "set", "--text", "user.dog", "Biscuit").exit_code == 0
    assert nola.assistant.written == [("user.dog", "Biscuit")]


def test_set_json_prints_the_receipt_as_a_document(nola: CommandLine) -> None:
    """With path, old, new, undo and what."""
    told = json.loads(nola("state", "set", "user.age", "41", "--json").stdout)
    assert told == {"path": "user.age", "old": None, "new": 41, "undo": "abc123", "what": "set"}


def test_unset_tells_what_was_removed(nola: CommandLine) -> None:
    """And how to get it back."""
    nola.assistant.state["user.dog"] = "Biscuit"
    assert nola("state", "unset", "user.dog").stdout == 'removed user.dog: "Biscuit"  (undo: nola state undo abc123)\n'


def test_undo_takes_a_change_back(nola: CommandLine) -> None:
    """An unknown id is refused with what to do."""
    assert '"Porto" -> "Lyon"' in nola("state", "undo", "abc123").stdout
    said = nola("state", "undo", "zzz")
    assert said.exit_code == 1
    assert said.stderr == "nola: no change has the id zzz\n      list them with: nola state history\n"


def test_check_names_file_line_column_and_message(nola: CommandLine) -> None:
    """Exit 1 with a problem, 0 without."""
    assert nola("state", "check").stdout == "all files are well\n"
    nola.assistant.found = [Problem("user.json", 3, 5, "a comma is missing")]
    said = nola("state", "check")
    assert (said.exit_code, said.stdout) == (1, "error: user.json, line 3, column 5: a comma is missing\n")
    said = nola("state", "check", "--json")
    assert (said.exit_code, json.loads(said.stdout)["problems"][0]["line"]) == (1, 3)


def test_sync_tells_what_was_pulled(nola: CommandLine) -> None:
    """By name, or as a document."""
    assert nola("state", "sync").stdout == "pulled machineID\npulled user\n"
    assert json.loads(nola("state", "sync", "--json").stdout) == {"pulled": ["machineID", "user"]}


def test_history_lists_changes_with_ids(nola: CommandLine) -> None:
    """A missing side is told from null."""
    nola.assistant.changed = [
        Change(ChangeId("abc123"), AT, "owner", "user.age", None, 41, old_present=False, new_present=True)
    ]
    said = nola("state", "history").stdout
    assert "abc123" in said
    assert "(nothing) -> 41" in said
    assert json.loads(nola("state", "history", "user", "--json").stdout)[0]["new"] == 41
    assert nola("state", "history", "machineID").stderr == "nothing was changed at machineID\n"


def test_show_draws_each_file_once(nola: CommandLine) -> None:
    """What a file holds from others stands under its own name only, and is asked for in one go."""
    meta: dict[str, object] = {"context_level": 2, "last_updated": "2026-11-20T08:00:00+00:00"}
    user = {"metadata": meta, "data": {"name": "Mara"}}
    nola.assistant.nodes = {"identity": {"metadata": {}, "data": {}}, "user": user}  # type: ignore[dict-item]
    said = nola("state", "show").stdout
    assert said.count("Mara") == 1
    assert json.loads(nola("state", "show", "--json").stdout)["identity"]["data"] == {}
    assert json.loads(nola("state", "show", "user", "--json").stdout) == user
    assert nola("state", "show", "zzz").exit_code == 1
