"""Every contradiction of the source documents has a recorded decision."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "decisions" / "contradictions.md"
NUMBERS = [*range(1, 28), *range(30, 57)]


def rows(text: str) -> dict[int, list[str]]:
    """Read the page's tables: each number with its other cells."""
    found = re.findall(r"^\| E-(\d\d) \|(.+)\|$", text, re.MULTILINE)
    return {int(number): [cell.strip() for cell in cells.split("|")] for number, cells in found}


@pytest.mark.row("X12")
def test_every_contradiction_is_decided() -> None:
    """E-01 to E-27 and E-30 to E-56 each say what was in doubt, what Nola does, and where."""
    found = rows(PAGE.read_text(encoding="utf-8"))
    assert sorted(found) == NUMBERS
    assert [number for number, cells in found.items() if len(cells) != 3 or not all(cells)] == []


def test_what_is_built_is_there() -> None:
    """A module that is named as holding a decision exists; a row taken out is missed."""
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(nola/[\w/.]+)`", text))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert sorted(rows(text.replace("| E-41 |", "| E-4x |"))) != NUMBERS
