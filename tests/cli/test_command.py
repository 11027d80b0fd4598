"""Tests of how commands fail: always a sentence and an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from typer.testing import CliRunner

from nola.cli.command import command, help_text, noun
from nola.errors import ConfigError, NolaError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

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


def test_an_exit_stays_what_it_is(nola: CommandLine) -> None:
    """A command may choose its code."""
    assert fails(nola, typer.Exit(7)).exit_code == 7


def test_examples_are_kept_line_by_line() -> None:
    r"""A `\b` goes before them, which keeps a paragraph from being filled."""

    def one() -> None:
        """Do it.

        Examples:
          nola one
          nola two
        """

    assert help_text(one) == "Do it.\n\n\b\nExamples:\n  nola one\n  nola two"
