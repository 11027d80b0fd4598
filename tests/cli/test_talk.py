"""Tests of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.cli.reply import Teller
from nola.cli.talk import Talk, Wishes, stimulus
from nola.errors import NolaError
from nola.flow import Token
from nola.port import ConversationRow, StoredMessage
from nola.types import ConversationId, MessageId
from tests.cli.fakes import AT, receipt

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


def stopped(nola: CommandLine, talk: Talk, *, stored: str, turns: int = 1) -> list[ConversationId | None]:
    """Stop a first turn that is stored with these words, send another; return the conversations that were asked for."""
    nola.assistant.events = [receipt(), KeyboardInterrupt()]
    nola.assistant.rows = [ConversationRow(ConversationId("conv7"), stored, "terminal", AT, AT, turns)]
    turn = StoredMessage(MessageId("m1"), ConversationId("conv7"), AT, stored, "", 2, "none", complete=False, report={})
    nola.assistant.stored = [turn] * turns
    with pytest.raises(KeyboardInterrupt):
        talk.send("I moved to Porto", Teller())
    nola.assistant.events = []
    talk.send("and now?", Teller())
    return [asked.conversation for asked in nola.assistant.asked]


def test_a_first_turn_that_was_stopped_is_part_of_the_conversation(nola: CommandLine) -> None:
    """The next message goes on with it, and what it had saved can be undone."""
    talk = Talk(nola.desk(), Wishes())
    assert stopped(nola, talk, stored="I moved to Porto") == [None, "conv7"]
    assert '"Porto" -> "Lyon"' in talk.undo()


def test_somebody_elses_conversation_is_not_gone_on_with(nola: CommandLine) -> None:
    """When the turn could not be stored, or another Nola spoke meanwhile, the next message starts a new one."""
    assert stopped(nola, Talk(nola.desk(), Wishes()), stored="I moved to Lyon") == [None, None]
    nola.assistant.asked.clear()
    assert stopped(nola, Talk(nola.desk(), Wishes()), stored="I moved to Porto", turns=2) == [None, None]


def test_a_conversation_that_was_chosen_stays(nola: CommandLine) -> None:
    """Whatever is stopped."""
    talk = Talk(nola.desk(), Wishes(), ConversationId("conv2"))
    assert stopped(nola, talk, stored="I moved to Porto") == ["conv2", "conv2"]
