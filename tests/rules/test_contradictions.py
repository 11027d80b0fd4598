"""Every contradiction of the source documents has a recorded decision."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from nola.settings import GROUPS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "decisions" / "contradictions.md"
NUMBERS = [*range(1, 28), *range(30, 58)]
WAITING = {26, 51}
"""What comes with the reminders and with the maintenance."""
PARTLY = {37, 56}


def rows(text: str) -> dict[int, list[str]]:
    """Read the page's tables: each number with its other cells."""
    found = re.findall(r"^\| E-(\d\d) \|(.+)\|$", text, re.MULTILINE)
    return {int(number): [cell.strip() for cell in cells.split("|")] for number, cells in found}


def imported(module: str) -> set[str]:
    """Return the packages that a module imports, wherever in it."""
    source = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.row("X12")
def test_every_contradiction_is_decided() -> None:
    """E-01 to E-27 and E-30 to E-57 each say what was in doubt, what Nola does, and where."""
    found = rows(PAGE.read_text(encoding="utf-8"))
    assert sorted(found) == NUMBERS
    assert [number for number, cells in found.items() if len(cells) != 3 or not all(cells)] == []


@pytest.mark.row("C30", "B64")
def test_what_is_overruled_is_told_and_its_rest_is_kept() -> None:
    """Two rows ask for no packages at all: the page says so, and pure modules import the standard library alone."""
    told = re.findall(r"^\| (C30|B64) \| (.+) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, *_ in told] == ["C30", "B64"]
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contracts = {one["name"]: one for one in tools["importlinter"]["contracts"]}
    (pure,) = (one["source_modules"] for name, one in contracts.items() if name.startswith("Pure modules"))
    assert len(pure) > 40
    own = sys.stdlib_module_names | {"nola"}
    assert {name: imported(name) - own for name in pure if imported(name) - own} == {}
    assert "numpy" in imported("nola.memory.index")


def test_each_decision_names_where_it_is_made() -> None:
    """A module or a setting that is there, no promise; what nothing decides yet is on a list that may only shrink."""
    text = PAGE.read_text(encoding="utf-8")
    assert "with the memory" not in text
    settings = {f"{group}.{field}" for group, made in GROUPS.items() for field in made.__dataclass_fields__}
    without = set()
    for number, (*_, built) in rows(text).items():
        named = re.findall(r"`([\w/.]+)`", built)
        assert [one for one in named if not (one in settings or (ROOT / one).exists())] == [], number
        if not named:
            without.add(number)
    assert without == WAITING
    assert {number for number, cells in rows(text).items() if "with the" in cells[-1]} == WAITING | PARTLY


def test_what_is_built_is_there() -> None:
    """A module that is named as holding a decision exists; a row taken out is missed."""
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(nola/[\w/.]+)`", text))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert sorted(rows(text.replace("| E-41 |", "| E-4x |"))) != NUMBERS
