"""Tests of how commands fail: always a sentence and an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from typer.testing import CliRunner

from nola.cli.command import command, help_text, noun, run
from nola.errors import ConfigError, NolaError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from typer.testing import Result

    from tests.cli.conftest import CommandLine


def fails(nola: CommandLine, error: BaseException) -> Result:
    """Run a command that raises this."""
    group = noun("Things.")

    @command(group)
    def one(ctx: typer.Context) -> None:
        """Do it."""
        del ctx
        raise error

    @command(group)
    def other(ctx: typer.Context) -> None:
        """Do nothing."""
        del ctx

    return CliRunner().invoke(group, ["one"], obj=nola.desk())


def test_errors_of_ours_have_their_own_exit_codes(nola: CommandLine) -> None:
    """The fix stands on a line of its own."""
    said = fails(nola, NolaError("it can't be done", fix="do something else"))
    assert (said.exit_code, said.stderr) == (1, "nola: it can't be done\n      do something else\n")
    assert fails(nola, ConfigError("no such setting")).exit_code == 2
    assert fails(nola, StorageError("user.json", "disk full")).exit_code == 1


def test_the_systems_errors_name_their_file(nola: CommandLine) -> None:
    """Without a traceback."""
    said = fails(nola, PermissionError(13, "Permission denied", "/somewhere/user.json"))
    assert (said.exit_code, said.stderr) == (1, "nola: /somewhere/user.json: Permission denied\n")


def test_a_bug_is_a_sentence_and_its_traceback_a_file(nola: CommandLine, tmp_path: Path) -> None:
    """The file is named."""
    said = fails(nola, ZeroDivisionError("division by zero"))
    crash = tmp_path / "logs" / "crash.txt"
    assert said.exit_code == 1
    assert said.stderr.splitlines()[0] == "nola: something went wrong inside Nola: ZeroDivisionError: division by zero"
    assert str(crash) in said.stderr
    assert "Traceback" in crash.read_text(encoding="utf-8")


def test_ctrl_c_is_130(nola: CommandLine) -> None:
    """And quiet."""
    said = fails(nola, KeyboardInterrupt())
    assert (said.exit_code, said.output) == (130, "")


def test_a_bug_commands_no_terminal(nola: CommandLine) -> None:
    """Nor does it begin a line of its own choice."""
    said = fails(nola, ValueError("\x1b[2J\nnola: all is well"))
    assert said.stderr.splitlines()[0].endswith(": ValueError: \\x1b[2J\\nnola: all is well")


def test_an_exit_stays_what_it_is(nola: CommandLine) -> None:
    """A command may choose its code."""
    assert fails(nola, typer.Exit(7)).exit_code == 7


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    """Run a small command line; return its exit code and what it said on stderr, without the usage."""
    app = noun("Things.")

    @command(app)
    def state(path: str, at: int = 0) -> None:
        """Do it."""
        if path == "missing":
            raise FileNotFoundError(2, "No such file or directory", "caf\udce9")
        raise typer.Exit(at)

    @command(app)
    def chat() -> None:
        """Do nothing."""

    code = run(app, arguments, ["state", "chat"])
    return code, [line for line in capsys.readouterr().err.splitlines() if line.startswith(("Error", " ", "nola"))]


def test_the_whole_command_line_returns_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a command that is done, that chose one, that failed, and of help."""
    assert told(capsys, "chat") == (0, [])
    assert told(capsys, "state", "x", "--at", "7") == (7, [])
    assert told(capsys, "state", "missing") == (1, ["nola: caf\\xe9: No such file or directory"])
    assert told(capsys, "--help")[0] == 0


def test_wrong_usage_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """What was typed is repeated as text."""
    assert told(capsys, "chat", "b\x1b[31m") == (2, ["Error: Got unexpected extra argument(s) (b\\x1b[31m)"])
    assert told(capsys, "state", "x", "--\x9b") == (2, ["Error: No such option: --\\x9b"])


def test_a_sentence_in_place_of_a_command_is_told_how_to_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """Quoted or not; it can be copied into a shell as it stands."""
    for words, hint in (
        (["What is my name?"], '"What is my name?"'),
        (["why?"], '"why?"'),
        (["what", "is", "my", "name"], '"what is my name"'),
        (["it costs $5"], "'it costs $5'"),
        (["say it! " * 60], f"'{('say it! ' * 60)[:200]}…'"),
    ):
        code, lines = told(capsys, *words)
        assert (code, lines[-1]) == (2, f"      to ask it: nola chat {hint}")


def test_a_misspelt_command_is_no_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Nor is an option, or one word."""
    for words in (
        ["sate", "get", "user"],
        ["frobnicate"],
        ["frobnicate", "--it", "now"],
        ["--frobnicate", "it", "now"],
    ):
        code, lines = told(capsys, *words)
        assert code == 2
        assert "to ask it" not in lines[-1]


def test_examples_are_kept_line_by_line() -> None:
    r"""A `\b` goes before them, which keeps a paragraph from being filled."""

    def one() -> None:
        """Do it.

        Examples:
          nola one
          nola two
        """

    assert help_text(one) == "Do it.\n\n\b\nExamples:\n  nola one\n  nola two"
