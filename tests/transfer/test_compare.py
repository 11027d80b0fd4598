"""Tests of comparing documents value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.state.patch import same
from nola.transfer.compare import ValueChange, changes
from tests.transfer.test_layout import JSON

if TYPE_CHECKING:
    from nola.types import Json


def node(data: Json, **metadata: Json) -> dict[str, Json]:
    """Make a document."""
    return {"metadata": {"context_level": 2, "version": 1, **metadata}, "data": data}


def test_values_are_named_by_their_paths() -> None:
    """What came, went and changed, in the order of the old document and then of the new one."""
    old = node({"name": "Mara", "home": {"city": "Lyon", "zip": "1"}, "likes": ["tea"]})
    new = node({"likes": ["tea", "rain"], "home": {"city": "Porto"}, "name": "Mara", "my dog": {"a.b": None}})
    assert changes("user", old, new) == (
        ValueChange("user.home.city", "Lyon", "Porto"),
        ValueChange("user.home.zip", "1", None, new_present=False),
        ValueChange("user.likes", ["tea"], ["tea", "rain"]),
        ValueChange('user."my dog"."a.b"', None, None, old_present=False),
    )


def test_a_new_module_is_all_new() -> None:
    """Every value of it comes."""
    assert changes("work", None, node({"a": 1, "b": {}})) == (
        ValueChange("work.a", None, 1, old_present=False),
        ValueChange("work.b", None, {}, old_present=False),
    )


def test_what_every_save_changes_is_passed_over() -> None:
    """Times and versions say nothing about what is known; a level does, also of a node inside."""
    old = node({"pet": node("Biscuit", version=1)}, version=3, last_updated="a", needs_sync=True)
    assert changes("user", old, node({"pet": node("Biscuit", version=2)}, version=4, last_updated="b")) == ()
    assert changes("user", old, node({"pet": node("Biscuit", context_level=3)}, context_level=1)) == (
        ValueChange("user.metadata.context_level", 2, 1),
        ValueChange("user.pet.metadata.context_level", 2, 3),
    )


def test_a_value_may_become_a_node_and_a_node_a_value() -> None:
    """Nodes are looked into, on both sides."""
    assert changes("user", node({"pet": "Biscuit"}), node({"pet": node("Miso")})) == (
        ValueChange("user.pet.metadata.context_level", None, 2, old_present=False),
        ValueChange("user.pet", "Biscuit", "Miso"),
    )


def test_what_stands_beside_the_data_is_compared_too() -> None:
    """A file may hold more than metadata and data, or neither."""
    assert changes("user", {**node({}), "note": "x"}, {**node({}), "note": "y"}) == (
        ValueChange("user.note", "x", "y"),
    )
    assert changes("user", {"a": 1}, {"a": 2}) == (ValueChange("user.a", 1, 2),)


@pytest.mark.parametrize(("old", "new"), [(1, True), (0, False), (1, 1.0), ({}, []), ("1", 1), (None, {}), ([], [[]])])
def test_kinds_are_told_apart(old: Json, new: Json) -> None:
    """Yes is not one, and one is not 1.0."""
    assert changes("user", node({"a": old}), node({"a": new})) == (ValueChange("user.a", old, new),)


@given(st.dictionaries(st.text(), JSON), st.dictionaries(st.text(), JSON))
def test_no_change_means_the_same(old: dict[str, Json], new: dict[str, Json]) -> None:
    """A document has no change against itself, and one against whatever differs from it."""
    assert changes("user", node(old), node(old)) == ()
    if not same(old, new):
        assert changes("user", node(old), node(new))
