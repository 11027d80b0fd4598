"""Tests of telling a conflict."""

from __future__ import annotations

from nola.cli.state_conflicts import conflict_lines
from nola.flow import Conflict
from tests.cli.fakes import AT


def test_the_three_values_stand_below_one_another() -> None:
    """The one that stands, the one that lost, the one before both."""
    first, *values = conflict_lines(Conflict("c1", AT, "nola", "user.json", "user.city", "Lyon", "Porto", "Faro"))
    assert first.startswith("c1  2026-11-2")
    assert first.endswith("  user.city  (user.json)")
    assert values == ['    yours:   "Faro"', '    Nola\'s:  "Porto"', '    before:  "Lyon"']


def test_what_is_missing_and_what_was_to_go_is_said() -> None:
    """The owner removed it, or Nola wanted to."""
    lines = list(conflict_lines(Conflict("c1", AT, "nola", "user.json", "user.x", None, 1, None)))
    assert lines[1:] == ["    yours:   (nothing)", "    Nola's:  1", "    before:  (nothing)"]
    lines = list(conflict_lines(Conflict("c1", AT, "nola", "user.json", "user.x", 1, None, 2, removes=True)))
    assert lines[2] == "    Nola's:  (to be removed)"


def test_a_conflict_commands_no_terminal() -> None:
    """Its place and its values are text."""
    lines = conflict_lines(Conflict("c1", AT, "\x1b", "user.json", "user.\x1b[2J\n", "\x9b", "\u202e", "\x7f"))
    assert "".join(lines).isprintable()
