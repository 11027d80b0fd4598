"""Tests of `nola where`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


def test_it_prints_every_place(nola: CommandLine) -> None:
    """As lines, or as a document; the assistant is not needed."""
    home = str(nola.home)
    places = json.loads(nola("where", "--json").stdout)
    assert list(places) == ["home", "state", "database", "models", "settings", "cache", "logs"]
    assert places["database"] == f"{home}/memory.db"
    assert nola("where").stdout.splitlines()[0] == f"home      {home}"
    assert nola.assistant.closed == 0
