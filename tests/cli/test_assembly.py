"""Tests of putting the command together."""

from __future__ import annotations

from typer.main import get_command

from nola.cli.assembly import COMMANDS, assemble


def names(*asked: str) -> list[str]:
    """Return the commands that are loaded for a first argument."""
    return list(get_command(assemble(asked)).commands)  # type: ignore[attr-defined]


def test_a_commands_name_loads_it_alone() -> None:
    """Everything else loads all of them, so that help and suggestions are whole."""
    assert names("where") == ["where"]
    assert names() == names("--help") == names("wehre") == list(COMMANDS)
