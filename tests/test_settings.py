"""The table of settings is whole: every group is listed, and every setting is used."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import get_type_hints

import pytest

from nola.settings import GROUPS, Settings

NOLA = Path(__file__).resolve().parents[1] / "nola"
KEYS = [(name, field.name) for name, group in GROUPS.items() for field in dataclasses.fields(group)]


def test_the_groups_are_those_of_the_settings() -> None:
    """Each group stands in the table under the name that it has in Settings."""
    assert {field.name: type(getattr(Settings(), field.name)) for field in dataclasses.fields(Settings)} == GROUPS


@pytest.mark.row("X11")
@pytest.mark.parametrize(("group", "name"), KEYS, ids=lambda part: part)
def test_every_setting_is_used(group: str, name: str) -> None:
    """A setting that nothing in nola/ reads would be a promise that is not kept."""
    read = re.compile(rf"\.{name}\b")
    users = [
        path
        for path in NOLA.rglob("*.py")
        if path.name not in {"settings.py", "testing.py"} and read.search(path.read_text(encoding="utf-8"))
    ]
    assert users, f"{group}.{name} is read nowhere"


@pytest.mark.parametrize(("group", "name"), KEYS, ids=lambda part: part)
def test_every_default_has_the_kind_that_it_says(group: str, name: str) -> None:
    """A default is of its annotated kind, and its table row is complete."""
    kind = get_type_hints(GROUPS[group])[name]
    field = next(f for f in dataclasses.fields(GROUPS[group]) if f.name == name)
    assert kind in {bool, int, float, str}
    assert type(field.default) is kind
    assert set(field.metadata) == {"doc", "source", "low", "high", "unit", "choices"}


@pytest.mark.row("E06")
@pytest.mark.row("E07")
def test_the_weights_of_the_seed_are_the_defaults() -> None:
    """Hierarchy 1.0, 0.7, 0.4 and levels 1.0, 0.3, 0.1 are what nobody changed."""
    context = Settings().context
    assert (context.hierarchy_global, context.hierarchy_aggregator, context.hierarchy_module) == (1.0, 0.7, 0.4)
    assert (context.level_same, context.level_one_apart, context.level_two_apart) == (1.0, 0.3, 0.1)


@pytest.mark.row("E21")
@pytest.mark.row("E22")
@pytest.mark.row("E23")
def test_the_budgets_of_the_seed_are_the_defaults() -> None:
    """10, 50 and 200 tokens for the three levels."""
    context = Settings().context
    assert (context.budget_l1, context.budget_l2, context.budget_l3) == (10, 50, 200)
