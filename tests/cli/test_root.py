"""Tests of the whole command: help, wrong usage, and what no command may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.main import get_command

from nola.cli.root import app

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine

NOUNS = [
    "chat", "context", "init", "doctor", "where", "export", "import", "state", "memory", "history", "backup", "model",
    "config", "daemon", "eval",
]  # fmt: skip


def test_every_noun_is_there() -> None:
    """In the order in which help lists them."""
    assert list(get_command(app).commands) == NOUNS  # type: ignore[attr-defined]


@pytest.mark.parametrize("noun", NOUNS)
def test_dash_h_is_help(nola: CommandLine, noun: str) -> None:
    """As long as --help, for every noun."""
    said = nola(noun, "-h")
    assert said.exit_code == 0
    assert said.stdout == nola(noun, "--help").stdout
    assert said.stdout.startswith("Usage: nola")


@pytest.mark.parametrize("arguments", [("frobnicate",), ("chat", "--frob"), ("state", "get"), ("context",)])
def test_wrong_usage_exits_2(nola: CommandLine, arguments: tuple[str, ...]) -> None:
    """On stderr, with a hint at the help."""
    said = nola(*arguments)
    assert (said.exit_code, said.stdout) == (2, "")
    assert "nola" in said.stderr
