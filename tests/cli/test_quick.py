"""Tests of the short way to a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli.quick import answer
from nola.flow import Problem

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


def test_a_file_that_is_broken_is_named_beside_its_last_good_value(
    nola: CommandLine, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, and only where its values are shown; a warning and another file's problem are no reason."""
    nola.assistant.state = {"user.name": "Mara", "identity.user": {}, "machineID.os": "Linux", "": {}, "work.x": 1}
    nola.assistant.found = [
        Problem("user.json", 3, 5, "a comma is missing"),
        Problem("modules/work.json", 0, 0, "it is gone; the last good version is in use"),
        Problem("machineID.json", 1, 1, "twice", "warning"),
    ]
    user, work = (
        "note: user.json, line 3, column 5: a comma is missing",
        "note: modules/work.json: it is gone; the last good version is in use",
    )
    for path, said in {
        "user.name": [f"{user}; the last good value is shown"],
        "work.x": [work],
        "machineID.os": [],
        "identity.user": [user, work],
        "": [user, work],
    }.items():
        assert answer(["state", "get", path], desk=nola.desk) == 0
        assert capsys.readouterr().err.splitlines() == said
