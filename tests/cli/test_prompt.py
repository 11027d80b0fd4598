"""Tests of a conversation at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli.prompt import HELP, History, greeting, obey, prompt
from nola.cli.reply import Teller
from nola.cli.talk import Talk, Wishes
from nola.errors import ModelError
from nola.flow import Token
from tests.cli.fakes import receipt
from tests.cli.terminal import seated

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.cli.conftest import CommandLine


def converse(nola: CommandLine, monkeypatch: pytest.MonkeyPatch, typed: str) -> tuple[str, str]:
    """Hold a conversation; return what was printed."""
    desk = nola.desk()
    with seated(monkeypatch, typed) as screen:
        assert prompt(desk, Talk(desk, Wishes(model="none")), Teller()) is True
    return screen.out.getvalue(), screen.err.getvalue()


def test_messages_are_answered_until_the_end(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blank lines are not sent; the greeting says how to leave."""
    out, err = converse(nola, monkeypatch, "hello\n\n   \nagain\n")
    assert "You said hello." in out
    assert [asked.text for asked in nola.assistant.asked] == ["hello", "again"]
    assert err.startswith("Nola 0.1.0 · level chosen for each message · no model · /help, /quit\n")


def test_slash_commands(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """They show, undo, begin anew and leave; none is sent to the model."""
    nola.assistant.events = [receipt(), Token("Noted.")]
    out, err = converse(nola, monkeypatch, "/why\nI moved\n/why\n/undo\n/new\n/frob\n/quit\nnever\n")
    assert [asked.text for asked in nola.assistant.asked] == ["I moved"]
    assert "nola: nothing was asked yet" in err
    assert "user.pets.dog.name" in out
    assert '"Porto" -> "Lyon"' in out
    assert "A new conversation begins." in out
    assert "There is no command /frob." in out


def test_an_error_does_not_end_the_conversation(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, and the next message is answered."""
    nola.assistant.events = [ModelError("Ollama broke off")]
    _, err = converse(nola, monkeypatch, "one\ntwo\n")
    assert err.count("nola: Ollama broke off") == 2


def test_ctrl_c_stops_a_reply_and_not_the_conversation(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What had come stays."""
    nola.assistant.events = [Token("Half"), KeyboardInterrupt()]
    out, err = converse(nola, monkeypatch, "one\ntwo\n")
    assert out.count("Half\n") == 2
    assert err.count("(stopped)") == 2


def test_the_greeting_names_level_and_model(nola: CommandLine) -> None:
    """As they were asked for."""
    desk = nola.desk()
    told = greeting(desk, Talk(desk, Wishes(level=3, model="ollama:mistral")))
    assert "level 3 · ollama:mistral" in told


def test_help_names_every_command(nola: CommandLine, capsys: pytest.CaptureFixture[str]) -> None:
    """And each of them does something."""
    talk = Talk(nola.desk(), Wishes())
    for line in HELP.splitlines():
        assert obey(line.split()[0], talk) is (not line.startswith("/quit"))
    assert "There is no command" not in capsys.readouterr().out


def test_lines_are_kept_for_their_owner_alone(tmp_path: Path) -> None:
    """The last thousand, each once in a row."""
    file = tmp_path / "cache" / "chat_history"
    with History(file) as history:
        for line in ("one", "one", "two"):
            history.add(line)
    with History(file) as history:
        history.add("three\nfour")
    assert file.read_text("utf-8") == "one\ntwo\nthree four\n"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_disk_that_refuses_is_no_reason_to_complain(tmp_path: Path) -> None:
    """Leaving works all the same."""
    (tmp_path / "cache").write_text("", encoding="utf-8")
    with History(tmp_path / "cache" / "chat_history") as history:
        history.add("one")
    assert (tmp_path / "cache").read_text(encoding="utf-8") == ""
