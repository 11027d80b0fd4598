"""The repository keeps its own rules; what each one says stands in the docstring of its function."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.rules import checks, running

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]

RULES = (
    checks.broad_excepts,
    checks.docstrings_of_tests,
    checks.interfaces_beside,
    checks.leftovers,
    checks.links,
    checks.places,
    checks.public_names,
    checks.sizes,
    checks.tier_markers,
    checks.wall_clock,
    checks.writes,
    running.imports,
    running.layers,
    running.settings_page,
    running.sorted_exports,
)

# Modules that have no test file yet. This list may only shrink, and so may the number.
UNTESTED: frozenset[str] = frozenset()
UNTESTED_AT_MOST = 0


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_repository_keeps_the_rule(rule: Callable[[Path], list[str]]) -> None:
    """Nothing in the repository breaks this rule."""
    assert rule(ROOT) == []


def test_every_module_has_its_test_file() -> None:
    """Every module with code is mirrored by a test file, except those on a list that may only shrink."""
    missing = {line.partition(":")[0]: line for line in checks.mirrored_tests(ROOT)}
    assert [line for module, line in missing.items() if module not in UNTESTED] == []
    assert set(missing) >= UNTESTED, "these have a test file now: take them off the list"
    assert len(UNTESTED) == UNTESTED_AT_MOST, "lower the number with the list; it never rises"


def test_every_command_is_helpful_and_documented() -> None:
    """Every command has a help text with an example, and a heading in the reference."""
    if not running.has_commands(ROOT):
        pytest.skip("nola/cli/root.py is not there yet")
    assert running.commands(ROOT) == []
