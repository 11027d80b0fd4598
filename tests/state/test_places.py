"""Tests of which places an owner's edit changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.state.patch import ABSENT, same
from nola.state.places import changed_places, lasting

if TYPE_CHECKING:
    from nola.types import Json


def node(data: Json, **metadata: Json) -> dict[str, Json]:
    """Make a node."""
    return {"metadata": metadata, "data": data}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ({"a": 1}, {"a": 1.0}, [(("a",), 1, 1.0)]),
        ({"a": 1}, {"a": True}, [(("a",), 1, True)]),
        ({"a": 1}, {"a": 2, "b": 3}, [(("a",), 1, 2), (("b",), ABSENT, 3)]),
        ({"a": 1}, {}, [(("a",), 1, ABSENT)]),
        ({"a": None}, {}, [(("a",), None, ABSENT)]),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}, [(("a", "b", "c"), 1, 2)]),
        ({"a": {"b": 1}}, {"a": [1]}, [(("a",), {"b": 1}, [1])]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [(("a", "1"), 2, 3)]),
        ({"a": [1, 2]}, {"a": [1]}, [(("a",), [1, 2], [1])]),
        ({"a": node(1)}, {"a": node(2)}, [(("a",), 1, 2)]),
        ({"a": node({"b": 1})}, {"a": node({"b": 2})}, [(("a", "b"), 1, 2)]),
        ({"a": node(1, version=1)}, {"a": node(1, version=2, needs_sync=True)}, []),
        (
            {"a": node(1, context_level=1)},
            {"a": node(2, context_level=2)},
            [(("a",), node(1, context_level=1), node(2, context_level=2))],
        ),
        ({"a": node(1)}, {"a": 1}, [(("a",), node(1), 1)]),
        ({"a": node(1)}, {"a": {**node(1), "note": "x"}}, [(("a",), node(1), {**node(1), "note": "x"})]),
        (1, 2, [((), 1, 2)]),
    ],
)
def test_the_outermost_places_that_name_them_all(
    old: Json, new: Json, found: list[tuple[tuple[str, ...], Json, Json]]
) -> None:
    """Leaves, lists of another length, and nodes whose metadata changed."""
    assert [(place.steps, place.old, place.new) for place in changed_places(old, new)] == found


def test_what_nola_keeps_up_herself_does_not_last() -> None:
    """The last update, the version and the flag."""
    assert lasting({"version": 1, "last_updated": "x", "needs_sync": True, "context_level": 1}) == {"context_level": 1}
    assert lasting(None) == {}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(old=VALUES, new=VALUES)
def test_there_are_places_exactly_when_something_changed(old: Json, new: Json) -> None:
    """Each of them differs, and no two lie in one another."""
    places = list(changed_places(old, new))
    assert bool(places) != same(old, new)
    for place in places:
        assert place.old is ABSENT or place.new is ABSENT or not same(place.old, place.new)
        others = [other.steps for other in places if other is not place]
        assert not any(other[: len(place.steps)] == place.steps for other in others)
