"""Tests of the short way to a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli.quick import answer

if TYPE_CHECKING:
    import pytest

    from tests.cli.conftest import CommandLine


def test_it_prints_what_the_long_way_prints(nola: CommandLine, capsys: pytest.CaptureFixture[str]) -> None:
    """Values, JSON and refusals alike."""
    nola.assistant.state["user.dog"] = "Biscuit"
    for arguments in (["user.dog"], ["--json", "user.dog"], ["user"], ["user.cat"]):
        whole = ["state", "get", *arguments]
        code = answer(whole, desk=nola.desk)
        printed = capsys.readouterr()
        said = nola(*whole)
        assert (code, printed.out, printed.err) == (said.exit_code, said.stdout, said.stderr)


def test_anything_else_is_left_to_the_whole_command_line(nola: CommandLine) -> None:
    """Help, wrong usage, other commands, and a bug."""
    for arguments in ([], ["state"], ["state", "get"], ["state", "get", "-h"], ["state", "get", "a", "b"], ["where"]):
        assert answer(arguments, desk=nola.desk) is None
    nola.assistant.state = None  # type: ignore[assignment]
    assert answer(["state", "get", "user"], desk=nola.desk) is None
