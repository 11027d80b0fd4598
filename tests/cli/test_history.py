"""Tests of `nola history`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nola.port import ConversationRow, StoredMessage
from nola.types import ConversationId, MessageId
from tests.cli.fakes import AT

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


@pytest.fixture
def lived(nola: CommandLine) -> CommandLine:
    """Return a command line with two conversations behind it."""
    for name, title in (("conv2", "a holiday in Porto"), ("conv1", "my dog")):
        nola.assistant.rows.append(ConversationRow(ConversationId(name), title, "terminal", AT, AT, 3))
    turn = StoredMessage(
        MessageId("m1"),
        ConversationId("conv1"),
        AT,
        "my dog?",
        "Biscuit.",
        2,
        "embedded:default",
        complete=True,
        report={},
    )
    nola.assistant.stored = [turn]
    return nola


def test_alone_it_lists(lived: CommandLine) -> None:
    """As `list` does, newest first."""
    said = lived("history")
    assert said.stdout == lived("history", "list").stdout
    lines = said.stdout.splitlines()
    assert lines[0].split() == ["id", "last", "used", "turns", "channel", "begins", "with"]
    assert [line.split()[0] for line in lines[1:]] == ["conv2", "conv1"]
    cut = lived("history", "--limit", "1")
    assert (len(cut.stdout.splitlines()), cut.stderr) == (2, "showing the newest 1; --limit for more\n")
    assert lived("history", "--limit", "2").stderr == ""
    assert json.loads(lived("history", "--json").stdout)[0]["title"] == "a holiday in Porto"


def test_search_finds_words(lived: CommandLine) -> None:
    """What is not there is said, and is no error."""
    rows = json.loads(lived("history", "search", "holiday", "in", "--json").stdout)
    assert [row["id"] for row in rows] == ["conv2"]
    said = lived("history", "search", "zzz")
    assert (said.exit_code, said.stdout) == (0, "")
    assert said.stderr == "no conversation holds these words\n"


def test_show_prints_the_turns(lived: CommandLine) -> None:
    """The beginning of an id is enough; an unknown one exits 2."""
    said = lived("history", "show", "conv1")
    assert said.stdout.splitlines()[1:3] == ["> my dog?", "Biscuit."]
    assert "level 2, embedded:default" in said.stdout
    assert json.loads(lived("history", "show", "conv1", "--json").stdout)[0]["reply"] == "Biscuit."
    assert lived("history", "show", "zzz").exit_code == 2


def test_an_empty_history_is_no_error(nola: CommandLine) -> None:
    """It is said on stderr."""
    said = nola("history")
    assert (said.exit_code, said.stdout, said.stderr) == (0, "", "there are no conversations yet\n")


def test_an_old_reply_commands_no_terminal(lived: CommandLine) -> None:
    """Also where a pipe may end at one."""
    (turn,) = lived.assistant.stored
    lived.assistant.stored = [replace(turn, user="a\x1b[2J", reply="b\u202e\nc")]
    assert lived("history", "show", "conv1").stdout.splitlines()[1:4] == ["> a\\x1b[2J", "b\\u202e", "c"]
