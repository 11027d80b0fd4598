"""Tests of `nola chat`: one message, a pipe of messages, and what goes wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nola.errors import ModelError
from nola.flow import Notice, Token
from nola.port import ConversationRow
from nola.types import ConversationId, Level, StimuliType
from tests.cli.fakes import AT, receipt, result

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine

KEYS = [
    "reply", "level", "level_why", "model", "usage", "context", "left_out", "unknown", "receipts", "notices", "quoted",
    "complete", "conversation", "message", "timings_ms",
]  # fmt: skip


def test_one_message_prints_the_reply_alone_on_stdout(nola: CommandLine) -> None:
    """Receipts and notices go to stderr."""
    nola.assistant.events = [receipt(), Notice("the embedder is missing"), Token("Bis"), Token("cuit.")]
    said = nola("chat", "What is my dog's name?")
    assert (said.exit_code, said.stdout) == (0, "Biscuit.\n")
    assert 'saved user.home.city: "Lyon" -> "Porto"  (undo: nola state undo abc123)' in said.stderr
    assert "note: the embedder is missing" in said.stderr


def test_quoted_facts_are_set_apart(nola: CommandLine) -> None:
    """What code added begins after a blank line."""
    nola.assistant.events = [Token("Who knows."), Token("\n\nFrom your notes: Biscuit.", quoted=True)]
    assert nola("chat", "dog?").stdout == "Who knows.\n\nFrom your notes: Biscuit.\n"


def test_options_travel_with_the_message(nola: CommandLine) -> None:
    """Level, type, model and learning reach the assistant."""
    nola("chat", "-l", "3", "--stimuli-type", "analytical", "-m", "none", "--no-learn", "hello")
    asked = nola.assistant.asked[0]
    assert (asked.text, asked.level, asked.stimuli_type) == ("hello", Level.DEEP, StimuliType.ANALYTICAL)
    assert (asked.model, asked.learn, asked.channel) == ("none", False, "terminal")


def test_an_unknown_level_is_wrong_usage(nola: CommandLine) -> None:
    """Exit 2, and nothing is asked."""
    said = nola("chat", "--level", "4", "hello")
    assert said.exit_code == 2
    assert "--level" in said.stderr
    assert nola.assistant.asked == []


def test_a_dash_reads_stdin_as_one_message(nola: CommandLine) -> None:
    """Its lines stay together."""
    assert nola("chat", "-", text="one\ntwo\n").exit_code == 0
    assert [asked.text for asked in nola.assistant.asked] == ["one\ntwo"]


def test_lines_of_a_pipe_are_one_conversation(nola: CommandLine) -> None:
    """Each line is answered, in the conversation that the first began; blank ones are not sent."""
    said = nola("chat", text="one\n\ntwo\n")
    assert (said.exit_code, said.stdout) == (0, "You said one.\nYou said two.\n")
    assert [asked.conversation for asked in nola.assistant.asked] == [None, "conv1"]


def test_nola_alone_is_a_conversation(nola: CommandLine) -> None:
    """Without a command, stdin is answered line by line."""
    assert nola(text="hello\n").stdout == "You said hello.\n"


def test_json_prints_one_document(nola: CommandLine) -> None:
    """All promised keys are there, and stderr is empty."""
    said = nola("chat", "--json", "hello")
    document = json.loads(said.stdout)
    assert list(document) == KEYS
    assert document["model"] == {"provider": "embedded", "name": "default"}
    assert document["usage"] == {"prompt_tokens": 120, "context_tokens": 6, "reply_tokens": 4}
    assert document["context"][0]["factors"] == {"hierarchy": 0.7, "level": 1.0, "recency": 0.5, "relevance": 1.0}
    assert document["left_out"] == [{"path": "user.other.0", "why": "over budget"}]
    assert said.stderr == ""


def test_json_in_a_conversation_is_one_line_per_turn(nola: CommandLine) -> None:
    """Every line is a document."""
    lines = nola("chat", "--json", text="one\ntwo\n").stdout.splitlines()
    assert [json.loads(line)["reply"] for line in lines] == ["You said one.", "You said two."]


def test_continue_takes_the_latest_conversation(nola: CommandLine) -> None:
    """Without any, a new one begins and that is said."""
    said = nola("chat", "-c", "hello")
    assert "no conversation yet" in said.stderr
    nola.assistant.rows = [ConversationRow(ConversationId("conv7"), "hello", "terminal", AT, AT, 2)]
    nola("chat", "-c", "hello")
    assert [asked.conversation for asked in nola.assistant.asked] == [None, "conv7"]


def test_an_unknown_conversation_is_refused(nola: CommandLine) -> None:
    """Exit 2 with a sentence; nothing is asked."""
    said = nola("chat", "--conversation", "zzz", "hello")
    assert (said.exit_code, said.stdout) == (2, "")
    assert said.stderr.startswith("nola: no conversation")
    assert nola("chat", "-c", "--conversation", "zzz", "hello").exit_code == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "the message is empty"),
        (b"a\x00b", "zero bytes"),
        (b"\xff\xfe", "not UTF-8"),
        (b"x" * 1_000_001, "more than 1,000,000 bytes"),
    ],
)
def test_what_is_no_message_is_refused_in_one_sentence(nola: CommandLine, text: bytes, sentence: str) -> None:
    """Exit 1, and the assistant never sees it."""
    said = nola("chat", "-", text=text)
    assert (said.exit_code, said.stdout) == (1, "")
    assert sentence in said.stderr.splitlines()[0]
    assert nola.assistant.asked == []


def test_a_model_that_fails_is_a_sentence(nola: CommandLine) -> None:
    """What had been printed is ended, what was saved is told, and the fix is on its own line."""
    nola.assistant.events = [receipt(), Token("Half a"), ModelError("Ollama broke off", fix="try again")]
    said = nola("chat", "hello")
    assert (said.exit_code, said.stdout) == (1, "Half a\n")
    assert said.stderr.splitlines()[-2:] == ["nola: Ollama broke off", "      try again"]
    assert "saved user.home.city" in said.stderr


def test_a_broken_off_reply_exits_1(nola: CommandLine) -> None:
    """What had come is printed, and the exit code says that it is not whole."""
    nola.assistant.events = [Token("Half a"), result("Half a", complete=False)]
    said = nola("chat", "hello")
    assert (said.exit_code, said.stdout) == (1, "Half a\n")
    assert "broke off" in said.stderr


def test_one_failed_line_does_not_stop_the_others(nola: CommandLine) -> None:
    """The rest is answered, and the exit code is 1."""
    nola.assistant.events = [ModelError("no model")]
    said = nola("chat", text="one\ntwo\n")
    assert said.exit_code == 1
    assert len(nola.assistant.asked) == 2


def test_ctrl_c_exits_130_and_stops_the_model(nola: CommandLine) -> None:
    """No traceback, no sentence."""
    nola.assistant.events = [Token("Half"), KeyboardInterrupt()]
    said = nola("chat", "hello")
    assert (said.exit_code, said.stdout, said.stderr) == (130, "Half\n", "")
    assert nola.assistant.closed == 1


def test_quiet_prints_the_reply_and_nothing_else(nola: CommandLine) -> None:
    """Not even receipts."""
    nola.assistant.events = [receipt(), Token("Noted.")]
    said = nola("chat", "-q", "I moved to Porto")
    assert (said.stdout, said.stderr) == ("Noted.\n", "")
