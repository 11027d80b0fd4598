"""Tests of invertible JSON patches."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.errors import ConflictError
from nola.state import patch
from nola.state.patch import ABSENT, Absent

if TYPE_CHECKING:
    from nola.state.patch import Operation
    from nola.types import Json

# Few keys and few scalars, so that two values have much in common.
_SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 0.0, -0.0, "", "tea", 2**53])
_KEYS = st.sampled_from(["a", "b", "a/b", "~1", "", "0", "-"])


def _containers(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.one_of(st.lists(inner, max_size=5), st.dictionaries(_KEYS, inner, max_size=5))


JSON: st.SearchStrategy[Json] = st.recursive(_SCALARS, _containers, max_leaves=20)
PLACES: st.SearchStrategy[Json | Absent] = st.one_of(st.just(ABSENT), JSON)


def nested(depth: int, core: Json) -> Json:
    """Return a value below as many objects and lists in turn."""
    value = core
    for number in range(depth):
        value = [value] if number % 2 else {"a": value}
    return value


def equal(a: Json | Absent, b: Json | Absent) -> bool:
    """Say whether two values, or two absences, are strictly equal."""
    return a is b if a is ABSENT or b is ABSENT else patch.same(a, b)


@settings(deadline=None)
@given(PLACES, PLACES)
def test_a_patch_leads_there_and_back(old: Json | Absent, new: Json | Absent) -> None:
    """Applying the difference gives the new value, applying its inverse the old one; neither value is altered."""
    before, after = copy.deepcopy(old), copy.deepcopy(new)
    found = patch.diff(old, new)
    assert equal(patch.apply(old, found), after)
    assert equal(patch.apply(new, patch.invert(found)), before)
    assert equal(old, before)
    assert equal(new, after)


@settings(deadline=None)
@given(PLACES, PLACES)
def test_turning_a_patch_round_twice_gives_the_patch(old: Json | Absent, new: Json | Absent) -> None:
    """The inverse of the inverse leads where the patch leads."""
    found = patch.diff(old, new)
    assert equal(patch.apply(old, patch.invert(patch.invert(found))), new)


@settings(deadline=None)
@given(PLACES)
def test_nothing_differs_from_itself(value: Json | Absent) -> None:
    """A value and its copy have no difference."""
    assert patch.diff(value, copy.deepcopy(value)) == []


@settings(deadline=None)
@given(JSON, JSON, JSON)
def test_a_patch_on_another_value_applies_or_conflicts(old: Json, new: Json, other: Json) -> None:
    """On a value it was not made for a patch raises nothing but a conflict, and leaves the value alone."""
    before = copy.deepcopy(other)
    found = patch.diff(old, new)
    kept = copy.deepcopy(found)
    try:
        patch.apply(other, found)
    except ConflictError as conflict:
        assert "/" in str(conflict) or "the root" in str(conflict)  # noqa: PT017 -- either outcome is right
    assert patch.same(other, before)
    assert all(patch.same(one, two) for one, two in zip(found, kept, strict=True))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, [{"op": "add", "path": "/b", "value": 2}]),
        ({"a": 1}, {}, [{"op": "test", "path": "/a", "value": 1}, {"op": "remove", "path": "/a"}]),
        (
            {"a": {"b": 1, "c": 2}},
            {"a": {"b": 1, "c": 3}},
            [{"op": "test", "path": "/a/c", "value": 2}, {"op": "replace", "path": "/a/c", "value": 3}],
        ),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ([1, 2], [1, 2, 3], [{"op": "add", "path": "/2", "value": 3}]),
        ([1, 1], [1, 1, 1], [{"op": "add", "path": "/2", "value": 1}]),
        ([1, 2], [0, 1, 2], [{"op": "add", "path": "/0", "value": 0}]),
        ([1, 2, 3], [1, 3], [{"op": "test", "path": "/1", "value": 2}, {"op": "remove", "path": "/1"}]),
        (
            [1, 2, 3, 4],
            [1, 4],
            [
                {"op": "test", "path": "/2", "value": 3},
                {"op": "remove", "path": "/2"},
                {"op": "test", "path": "/1", "value": 2},
                {"op": "remove", "path": "/1"},
            ],
        ),
        (
            [1, {"a": 1}, 3],
            [1, {"a": 2}, 3, 4],
            [
                {"op": "test", "path": "/1/a", "value": 1},
                {"op": "replace", "path": "/1/a", "value": 2},
                {"op": "add", "path": "/3", "value": 4},
            ],
        ),
        (ABSENT, None, [{"op": "add", "path": "", "value": None}]),
        (None, ABSENT, [{"op": "test", "path": "", "value": None}, {"op": "remove", "path": ""}]),
        (
            {"a/b": {"~": 1}},
            {"a/b": {"~": [1]}},
            [{"op": "test", "path": "/a~1b/~0", "value": 1}, {"op": "replace", "path": "/a~1b/~0", "value": [1]}],
        ),
        (
            {"a": 1},
            {"a": True},
            [{"op": "test", "path": "/a", "value": 1}, {"op": "replace", "path": "/a", "value": True}],
        ),
    ],
)
def test_a_difference_names_what_changed_and_no_more(
    old: Json | Absent, new: Json | Absent, expected: list[Operation]
) -> None:
    """Objects differ by key; lists keep their head and tail."""
    assert patch.diff(old, new) == expected


def test_values_200_levels_deep_can_be_told_apart() -> None:
    """The deepest value that the store loads is compared, changed and changed back."""
    old, new = nested(200, 1), nested(200, 2)
    found = patch.diff(old, new)
    assert len(found) == 2
    assert patch.same(patch.apply(old, found), new)  # type: ignore[arg-type]
    assert patch.same(patch.apply(new, patch.invert(found)), old)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "operation", "where"),
    [
        ({"a": 1}, {"op": "test", "path": "/a", "value": 1.0}, "/a"),
        ({"a": 1}, {"op": "test", "path": "/b", "value": 1}, "/b"),
        ({"a": 1}, {"op": "remove", "path": "/b"}, "/b"),
        ({"a": 1}, {"op": "replace", "path": "/b", "value": 1}, "/b"),
        ({"a": 1}, {"op": "add", "path": "/a", "value": 2}, "/a"),
        ({"a": 1}, {"op": "add", "path": "/a/b", "value": 2}, "/a/b"),
        ({"a": 1}, {"op": "add", "path": "/x/b", "value": 2}, "/x/b"),
        ({"a": [1]}, {"op": "add", "path": "/a/2", "value": 2}, "/a/2"),
        ({"a": [1]}, {"op": "add", "path": "/a/-", "value": 2}, "/a/-"),
        ({"a": [1]}, {"op": "remove", "path": "/a/00"}, "/a/00"),
        ({"a": [1]}, {"op": "remove", "path": f"/a/{'9' * 5000}"}, "/a/999"),
        ({"a": 1}, {"op": "add", "path": "", "value": 2}, "the root"),
        (ABSENT, {"op": "remove", "path": ""}, "the root"),
        (ABSENT, {"op": "add", "path": "/a", "value": 1}, "/a"),
        ({"a": 1}, {"op": "move", "path": "/b", "from": "/a"}, "/b"),
        ({"a": 1}, {"op": "replace", "path": "/a"}, "/a"),
        ({"a": 1}, {"op": "remove"}, "None"),
        ({"a": 1}, {"op": "remove", "path": "a"}, "'a'"),
        ({"a": 1}, {"op": "remove", "path": "/~2"}, "'/~2'"),
    ],
)
def test_what_does_not_fit_is_refused_by_place(value: Json | Absent, operation: Operation, where: str) -> None:
    """A failed test, a missing or taken place and an odd operation are conflicts that name the place."""
    with pytest.raises(ConflictError, match=where):
        patch.apply(value, [operation])


def test_a_conflict_in_the_middle_changes_nothing() -> None:
    """The operations before the one that fails leave no trace in the value."""
    value: Json = {"a": [1, 2]}
    steps: list[Operation] = [{"op": "add", "path": "/a/0", "value": 0}, {"op": "remove", "path": "/b"}]
    with pytest.raises(ConflictError):
        patch.apply(value, steps)
    assert value == {"a": [1, 2]}


def test_what_a_patch_brought_can_be_changed_by_the_next_operation() -> None:
    """A value that came with the patch is copied before it is changed, so that the patch stays as it is."""
    steps: list[Operation] = [
        {"op": "add", "path": "/a", "value": {"b": [1]}},
        {"op": "add", "path": "/a/b/1", "value": 2},
    ]
    assert patch.apply({}, steps) == {"a": {"b": [1, 2]}}
    assert steps[0]["value"] == {"b": [1]}


def test_an_undo_is_refused_when_the_value_changed_since() -> None:
    """What was written after a change is not swept away with it."""
    undo = patch.invert(patch.diff({}, {"city": "Ghent"}))
    assert patch.apply({"city": "Ghent"}, undo) == {}
    with pytest.raises(ConflictError, match="/city"):
        patch.apply({"city": "Lyon"}, undo)


def test_a_test_that_guards_another_place_stays_in_the_inverse() -> None:
    """Tests that belong to no change hold on the way back too, at the matching moment."""
    guarded: list[Operation] = [
        {"op": "test", "path": "/a", "value": 1},
        {"op": "add", "path": "/b", "value": 2},
        {"op": "test", "path": "/b", "value": 2},
        {"op": "test", "path": "/a", "value": 1},
        {"op": "remove", "path": "/a"},
        {"op": "test", "path": "/b", "value": 2},
    ]
    assert patch.apply({"a": 1}, guarded) == {"b": 2}
    assert patch.apply({"b": 2}, patch.invert(guarded)) == {"a": 1}
    assert sum(step["op"] == "test" for step in patch.invert(guarded)) == 4


@pytest.mark.parametrize(
    "steps",
    [
        [{"op": "remove", "path": "/a"}],
        [{"op": "replace", "path": "/a", "value": 1}],
        [{"op": "test", "path": "/b", "value": 1}, {"op": "remove", "path": "/a"}],
    ],
)
def test_a_change_that_does_not_tell_the_old_value_cannot_be_turned_round(steps: list[Operation]) -> None:
    """Without a test of the place right before it, what stood there is not known."""
    with pytest.raises(ConflictError, match="/a"):
        patch.invert(steps)


def test_touched_places_are_those_that_change() -> None:
    """Each changed place once, in order, as steps; tests are not changes."""
    found = patch.diff({"a/b": {"c": 1}, "d": [1, 2]}, {"a/b": {"c": 2}, "d": [1], "e": 0})
    assert patch.touched(found) == [("a/b", "c"), ("d", "1"), ("e",)]
    assert patch.touched(patch.diff(ABSENT, {})) == [()]


@pytest.mark.parametrize(
    ("steps", "text"), [((), ""), (("",), "/"), (("a", "0"), "/a/0"), (("a/b", "~1", "~"), "/a~1b/~01/~0")]
)
def test_pointers_are_those_of_rfc_6901(steps: tuple[str, ...], text: str) -> None:
    """A slash becomes ~1 and a tilde ~0; the root is the empty pointer."""
    assert patch.pointer(steps) == text
    assert patch.steps_of(text) == steps


@settings(deadline=None)
@given(st.lists(st.text()))
def test_every_path_has_a_pointer(steps: list[str]) -> None:
    """Steps survive the way into a pointer and back."""
    assert patch.steps_of(patch.pointer(steps)) == tuple(steps)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1, True),
        (1, 1.0, False),
        (1, True, False),
        (0, False, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        ("1", 1, False),
        (None, False, False),
        ([], {}, False),
        ({"a": 1, "b": [None]}, {"b": [None], "a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": None}, {"b": None}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ([[1]], [[True]], False),
    ],
)
def test_same_is_strict(a: Json, b: Json, *, expected: bool) -> None:
    """Kinds of numbers are told apart; the order of keys is not."""
    assert patch.same(a, b) is expected
    assert patch.same(b, a) is expected
