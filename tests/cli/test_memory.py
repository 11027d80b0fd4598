"""Tests of `nola memory` as a group: every command is there, and bad input ends in one sentence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from nola.cli import memory
from nola.cli.root import app

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine

NAMES = [
    "add",
    "list",
    "search",
    "show",
    "explain",
    "edges",
    "events",
    "innate",
    "stats",
    "reindex",
    "export",
    "import",
]


def test_every_command_is_registered_under_its_name() -> None:
    """Also those whose names are no names for functions."""
    assert [command.name for command in memory.group.registered_commands] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_examples(nola: CommandLine, name: str) -> None:
    """What it does, its options, and how it is used."""
    said = nola("memory", name, "--help")
    assert said.exit_code == 0
    assert f"nola memory {name}" in said.stdout.split("Examples:")[1]
    assert "--json" in said.stdout


@pytest.mark.parametrize("name", ["list", "search x", "innate", "stats"])
def test_an_empty_home_says_so_kindly(nola: CommandLine, name: str) -> None:
    """Nothing is wrong, and nothing is made up."""
    said = nola("memory", *name.split())
    assert (said.exit_code, said.stdout) == (0, "")
    assert said.stderr.startswith(("nothing is remembered yet", "nothing is found", "nothing is innate"))
    assert isinstance(json.loads(nola("memory", *name.split(), "--json").stdout), list | dict)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("add", "Missing argument"),
        ("show zzzz", "no memory's id begins with 'zzzz'"),
        ("explain zzzz", "no memory's id begins with 'zzzz'"),
        ("edges zzzz", "no memory's id begins with 'zzzz'"),
        ("events zzzz", "no memory's id begins with 'zzzz'"),
        ("list --tier lukewarm", "'lukewarm' is not one of 'hot', 'warm', 'cold'"),
        ("list --kind dream", "'dream' is not one of 'sensory'"),
        ("search x --min-heat 7", "min_heat takes 0 to 1, not 7"),
        ("search x --as-of tomorrow", "lies in the future"),
        ("search x --as-of whenever", "this is no time: 'whenever'"),
        ("search x --budget -1", "Invalid value for '--budget'"),
        ("innate --load nowhere", "nowhere is no folder"),
    ],
)
def test_wrong_usage_is_one_sentence(nola: CommandLine, arguments: str, sentence: str) -> None:
    """The exit code is 2, and what was wrong is named."""
    said = nola("memory", *arguments.split())
    assert (said.exit_code, said.stdout) == (2, "")
    assert sentence in said.stderr


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_memory_is_told_and_kept(nola: CommandLine, content: bytes) -> None:
    """One sentence; the file stays byte for byte. An empty file is a memory that begins."""
    file = nola.home / "memory.db"
    file.write_bytes(content)
    for command in (["stats"], ["add", "something"], ["search", "something"]):
        said = nola("memory", *command)
        assert said.exit_code == (1 if content else 0)
        assert not content or "can't be read as Nola's memory" in said.stderr
        assert not content or file.read_bytes() == content


@pytest.mark.parametrize(("option", "words"), [("--tier", "hot warm cold"), ("--kind", "sensory working episodic")])
def test_kinds_and_tiers_are_completed(nola: CommandLine, option: str, words: str) -> None:
    """A shell that asks what may come next is told."""
    asked = {
        "_NOLA_COMPLETE": "complete_bash",
        "COMP_WORDS": f"nola memory list {option} ",
        "COMP_CWORD": "4",
    }
    said = CliRunner().invoke(app, [], env=asked, obj=nola.desk(), prog_name="nola")
    assert said.stdout.split()[:3] == words.split()
