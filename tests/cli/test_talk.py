"""Tests of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.cli.reply import Teller
from nola.cli.talk import Talk, Wishes, stimulus
from nola.errors import NolaError
from nola.flow import Token
from tests.cli.fakes import receipt

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


def test_a_conversation_goes_on_until_a_new_one_begins(nola: CommandLine) -> None:
    """The assistant's id is sent along."""
    talk = Talk(nola.desk(), Wishes())
    for _ in range(2):
        talk.send("hello", Teller())
    talk.begin_anew()
    talk.send("hello", Teller())
    assert [asked.conversation for asked in nola.assistant.asked] == [None, "conv1", None]


def test_undo_takes_the_last_write_back_once(nola: CommandLine) -> None:
    """Without one it says so."""
    talk = Talk(nola.desk(), Wishes())
    with pytest.raises(NolaError, match="nothing was saved"):
        talk.undo()
    nola.assistant.events = [receipt(), Token("Noted.")]
    talk.send("I moved to Porto", Teller())
    assert '"Porto" -> "Lyon"' in talk.undo()
    with pytest.raises(NolaError, match="nothing was saved"):
        talk.undo()


def test_messages_carry_the_clocks_time(nola: CommandLine) -> None:
    """NOLA_NOW sets it."""
    nola.environ["NOLA_NOW"] = "2026-11-20T09:00:00+00:00"
    asked = stimulus(nola.desk(), "hello", Wishes())
    assert asked.at.isoformat().startswith("2026-11-20T09:00:00")
    assert (asked.level, asked.learn, asked.channel) == (None, True, "terminal")
