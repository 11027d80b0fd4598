"""Rules match whole clauses."""

from __future__ import annotations

import re

import pytest

from nola.memory.learn_others import ENDED, OTHERS
from nola.memory.learn_patterns import Rule, fact, rule
from nola.memory.learn_self import SELF
from nola.memory.learn_tongues import TONGUES

RULES = (*ENDED, *SELF, *OTHERS, *TONGUES)


def test_macros_are_spelled_out() -> None:
    """A macro stands for its pattern, a named group of the same name does not."""
    made = rule("x", r"<my> (?P<n>\w+)<is> (?P<v>.+)", fact("a", "free"))
    match = made.match("Our house is old")
    assert match is not None
    assert match["n"] == "house"
    assert made.match("the house is old") is None


@pytest.mark.parametrize("one", RULES, ids=lambda one: one.name)
def test_every_rule_compiles_and_fills_its_groups(one: Rule) -> None:
    """Each pattern is valid and has every group that its facts are read from."""
    groups = re.compile(one.source, re.IGNORECASE).groupindex
    assert one.facts
    for part in one.facts:
        assert part.group in groups
        assert part.mode in {"set", "append", "remove", "drop"}
