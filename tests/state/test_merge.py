"""Tests of the three-way merge of what Nola wants with what the owner wrote."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.state.merge import Clash, Merged, three_way
from nola.state.patch import ABSENT, Absent, same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.types import Json

# Few keys and few scalars, so that three values have much in common.
_SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, "tea"])
_KEYS = st.sampled_from(["a", "b", "c"])
_METADATA = st.fixed_dictionaries(
    {},
    optional={
        "last_updated": st.sampled_from(["2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00", "soon", None]),
        "version": st.sampled_from([1, 2, True, "one"]),
        "needs_sync": st.sampled_from([True, False, "yes"]),
        "context_level": st.sampled_from([1, 2]),
    },
)


def _objects(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.dictionaries(_KEYS, inner, max_size=3)


def _containers(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    nodes = st.fixed_dictionaries({"metadata": _METADATA, "data": inner})
    return st.one_of(st.lists(inner, max_size=4), _objects(inner), nodes)


JSON: st.SearchStrategy[Json] = st.recursive(_SCALARS, _containers, max_leaves=20)
PLACES: st.SearchStrategy[Json | Absent] = st.one_of(st.just(ABSENT), JSON)
TREES: st.SearchStrategy[Json] = st.recursive(_SCALARS, _objects, max_leaves=20)
ANYTHING: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner), st.dictionaries(st.one_of(st.text(), st.sampled_from(["metadata", "data", "version"])), inner)
    ),
)


def equal(a: Json | Absent, b: Json | Absent) -> bool:
    """Say whether two values, or two absences, are strictly equal."""
    return a is b if a is ABSENT or b is ABSENT else same(a, b)


def at(value: Json | Absent, steps: tuple[str, ...]) -> Json | Absent:
    """Return what stands at a place below objects."""
    for step in steps:
        value = value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def leaves(value: Json | Absent, steps: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the steps to every scalar below objects."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*steps, key))
    elif value is not ABSENT:
        yield steps


def node(data: Json, **metadata: Json) -> Json:
    """Return a node."""
    return {"metadata": metadata, "data": data}


@settings(deadline=None)
@given(PLACES, PLACES)
def test_what_the_owner_left_alone_becomes_ours(base: Json | Absent, ours: Json | Absent) -> None:
    """Without an edit by the owner, what Nola wants stands, and nothing clashes."""
    found = three_way(base, ours, copy.deepcopy(base))
    assert equal(found.value, ours)
    assert found.clashes == ()


@settings(deadline=None)
@given(PLACES, PLACES)
def test_what_nola_left_alone_becomes_the_owners(base: Json | Absent, theirs: Json | Absent) -> None:
    """Without a change by Nola, the owner's edit stands, key order and all, and nothing clashes."""
    found = three_way(base, copy.deepcopy(base), theirs)
    assert equal(found.value, theirs)
    assert repr(found.value) == repr(theirs)
    assert found.clashes == ()


@settings(deadline=None)
@given(PLACES, PLACES)
def test_the_same_change_on_both_sides_is_no_clash(base: Json | Absent, both: Json | Absent) -> None:
    """Where both want the same, it stands."""
    found = three_way(base, both, copy.deepcopy(both))
    assert equal(found.value, both)
    assert found.clashes == ()


@settings(deadline=None)
@given(JSON, JSON, JSON)
def test_a_key_that_one_side_changed_appears(base: Json, ours: Json, theirs: Json) -> None:
    """Of every key that only one side changed, that side's value stands in the result."""
    found = three_way({"k": base, "l": base, "m": base}, {"k": ours, "l": base, "n": ours}, {"k": base, "l": theirs})
    assert isinstance(found.value, dict)
    assert same(found.value["k"], ours)
    assert same(found.value["l"], theirs)
    assert same(found.value["n"], ours)
    assert "m" not in found.value
    assert found.clashes == ()


@settings(deadline=None)
@given(TREES, TREES, TREES)
def test_nothing_is_lost_in_silence(base: Json, ours: Json, theirs: Json) -> None:
    """Every change of ours stands in the result, or in a clash; every change of the owner's stands in the result."""
    found = three_way(base, ours, theirs)
    lost = [clash.steps for clash in found.clashes]
    for side, excused in ((ours, lost), (theirs, [])):
        changed = {steps for steps in (*leaves(base), *leaves(side)) if not equal(at(base, steps), at(side, steps))}
        for steps in changed:
            if any(steps[: len(place)] == place for place in excused):
                continue
            if steps in leaves(side):
                assert equal(at(found.value, steps), at(side, steps))
            else:
                assert not equal(at(found.value, steps), at(base, steps))


@settings(deadline=None)
@given(PLACES, PLACES, PLACES)
def test_a_clash_tells_all_three_sides(base: Json | Absent, ours: Json | Absent, theirs: Json | Absent) -> None:
    """Each clash holds what the sides hold at its place; the owner's stands in the result; the arguments stay."""
    before = copy.deepcopy((base, ours, theirs))
    found = three_way(base, ours, theirs)
    for clash in found.clashes:
        assert equal(clash.base, at(base, clash.steps))
        assert equal(clash.ours, at(ours, clash.steps))
        assert equal(clash.theirs, at(theirs, clash.steps))
        assert equal(at(found.value, clash.steps), clash.theirs)
        assert not equal(clash.ours, clash.theirs)
        assert clash.steps[-2:] not in {("metadata", "version"), ("metadata", "last_updated")}
    assert all(equal(one, two) for one, two in zip((base, ours, theirs), before, strict=True))


@pytest.mark.bar("D3")
@settings(deadline=None)
@given(ANYTHING, ANYTHING, ANYTHING)
def test_a_merge_takes_whatever_json_holds(base: Json, ours: Json, theirs: Json) -> None:
    """No JSON value makes a merge fail; merging the result once more changes nothing."""
    found = three_way(base, ours, theirs)
    assert found.value is not ABSENT
    assert equal(three_way(found.value, found.value, found.value).value, found.value)


def test_values_200_levels_deep_can_be_merged() -> None:
    """The deepest value that the store loads is merged, and its clash is found."""

    def nested(core: Json, key: str) -> Json:
        value: Json = {key: core}
        for _ in range(199):
            value = {"a": value}
        return value

    steps = ("a",) * 199
    both = three_way(nested(0, "b"), {**_dict(nested(0, "b")), "n": 1}, nested(2, "c"))
    assert at(both.value, (*steps, "c")) == 2
    assert at(both.value, ("n",)) == 1
    clash = three_way(nested(0, "b"), nested(1, "b"), nested(2, "b"))
    assert clash.clashes == (Clash((*steps, "b"), 0, 1, 2),)


def _dict(value: Json) -> dict[str, Json]:
    assert isinstance(value, dict)
    return value


def test_keys_stand_in_the_owners_order_and_ours_come_last() -> None:
    """The owner's reordering is kept on every level, even where only Nola changed a value."""
    base: Json = {"a": 1, "b": {"x": 1, "y": 2}}
    ours: Json = {"new": 0, "a": 5, "b": {"z": 3, "x": 1, "y": 4}}
    theirs: Json = {"b": {"y": 2, "x": 1}, "a": 1}
    found = three_way(base, ours, theirs)
    assert repr(found.value) == "{'b': {'y': 4, 'x': 1, 'z': 3}, 'a': 5, 'new': 0}"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "value", "clashes"),
    [
        ({"a": 0}, {"a": 1}, {"a": 2}, {"a": 2}, (Clash(("a",), 0, 1, 2),)),
        ({"a": 0}, {}, {"a": 2}, {"a": 2}, (Clash(("a",), 0, ABSENT, 2),)),
        ({"a": 0}, {"a": 1}, {}, {}, (Clash(("a",), 0, 1, ABSENT),)),
        ({"a": 0}, {}, {}, {}, ()),
        ({}, {"a": 1}, {"a": 2}, {"a": 2}, (Clash(("a",), ABSENT, 1, 2),)),
        ({}, {"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}, ()),
        ({"a": 1}, {"a": 1.0}, {"a": "1"}, {"a": "1"}, (Clash(("a",), 1, 1.0, "1"),)),
        ({"a": {"b": 1}}, {}, {"a": {"b": 2}}, {"a": {"b": 2}}, (Clash(("a",), {"b": 1}, ABSENT, {"b": 2}),)),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, {"a": 3}, {"a": 3}, (Clash(("a",), {"b": 1}, {"b": 2}, 3),)),
        ({"a": None}, {"a": 1}, {"a": None}, {"a": 1}, ()),
        (ABSENT, {"a": 1}, ABSENT, {"a": 1}, ()),
        (ABSENT, {"a": 1}, {"b": 1}, {"b": 1, "a": 1}, ()),
        ({"a": 1}, {"a": 2}, ABSENT, ABSENT, (Clash((), {"a": 1}, {"a": 2}, ABSENT),)),
        ({"a": 1}, ABSENT, {"a": 2}, {"a": 2}, (Clash((), {"a": 1}, ABSENT, {"a": 2}),)),
    ],
)
def test_a_clash_is_the_owners(
    base: Json | Absent, ours: Json | Absent, theirs: Json | Absent, value: Json | Absent, clashes: tuple[Clash, ...]
) -> None:
    """Two changes of one place, and a deletion against a change, leave the owner's; other places merge."""
    found = three_way(base, ours, theirs)
    assert found.value == value
    assert found.clashes == clashes


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "value"),
    [
        ([1], [1, 2], [1, 3], [1, 3, 2]),
        ([1], [1, 2, 4], [1, 3, 2], [1, 3, 2, 4]),
        ([], ["x", "x"], ["x"], ["x", "x"]),
        ([], [1], [True, 1.0], [True, 1.0, 1]),
        ([1, 2, 3], [9, 2, 3], [1, 2, 8], [9, 2, 8]),
        ([1, 2], [5, 2], [5, 6], [5, 6]),
        ([1, 2], [2], [1, 2], [2]),
        ([1, 2], [1, 2], [2, 7], [2, 7]),
        ([{"a": 1}], [{"a": 1}, 2], [{"a": 1}, 3], [{"a": 1}, 3, 2]),
        (ABSENT, ["tea"], ["coffee"], ["coffee", "tea"]),
    ],
)
def test_lists_merge_where_no_item_is_in_question(
    base: Json | Absent, ours: Json, theirs: Json, value: list[Json]
) -> None:
    """Additions are joined, the owner's first and equal ones once; changes of different items are both kept."""
    found = three_way(base, ours, theirs)
    assert found.clashes == ()
    assert found.value is not ABSENT
    assert same(found.value, value)


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ([1, 2], [1, 5], [1, 6]),
        ([1, 2], [1], [1, 2, 3]),
        ([1, 2], [1, 2, 3], [9, 2]),
        ([{"a": 1, "b": 1}], [{"a": 2, "b": 1}], [{"a": 1, "b": 2}]),
    ],
)
def test_lists_in_which_an_item_is_in_question_clash_as_a_whole(base: Json, ours: Json, theirs: Json) -> None:
    """The owner's list stands whole: a number doesn't tell whether it still means the same item."""
    assert three_way({"l": base}, {"l": ours}, {"l": theirs}) == Merged(
        {"l": theirs}, (Clash(("l",), base, ours, theirs),)
    )


@pytest.mark.parametrize(
    ("key", "base", "ours", "theirs", "value"),
    [
        ("last_updated", "2026-01-01T00:00:00+00:00", "2026-03-01T00:00:00+00:00", "2026-02-01", "2026-03-01"),
        ("last_updated", "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00", "2026-03-01", "2026-03-01"),
        ("last_updated", "2026-01-01", "2026-02-01T00:30:00+02:00", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z"),
        ("last_updated", "2026-01-01", "2026-02-01", "soon", "soon"),
        ("last_updated", "2026-01-01", "2026-02-01T02:00:00+02:00", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z"),
        ("version", 3, 4, 5, 5),
        ("version", 3, 5, 4, 5),
        ("version", 3, 3, 1, 1),
        ("version", 3, 4, "two", "two"),
        ("version", 3, 4, True, True),
        ("needs_sync", "maybe", True, False, True),
        ("needs_sync", "maybe", False, True, True),
        ("needs_sync", True, False, True, False),
    ],
)
def test_what_nola_keeps_up_in_metadata_never_clashes(
    key: str, base: Json, ours: Json, theirs: Json, value: Json
) -> None:
    """The later time, the larger version and the raised flag win; what isn't of its kind is left to the owner."""
    found = three_way(
        {"a": node(1, **{key: base})}, {"a": node(2, **{key: ours})}, {"a": node(1, **{key: theirs}, mine=0)}
    )
    assert found.clashes == ()
    settled = at(found.value, ("a", "metadata", key))
    assert str(settled).removesuffix("T00:00:00+00:00") == str(value)
    assert at(found.value, ("a", "data")) == 2
    assert at(found.value, ("a", "metadata", "mine")) == 0


def test_other_keys_of_metadata_clash_like_any_other() -> None:
    """The owner's context level stands, and ours is told."""
    found = three_way(node({}, context_level=1), node({}, context_level=2), node({}, context_level=3))
    assert found == Merged(node({}, context_level=3), (Clash(("metadata", "context_level"), 1, 2, 3),))


def test_a_file_without_data_is_a_node_too() -> None:
    """A file whose facts stand beside its metadata merges like one that has `data`; an object within it is no node."""
    root = three_way({"metadata": {"version": 1}}, {"metadata": {"version": 3}}, {"metadata": {"version": 2}})
    assert root == Merged({"metadata": {"version": 3}}, ())
    inner = three_way(
        {"a": {"metadata": {"version": 1}}}, {"a": {"metadata": {"version": 3}}}, {"a": {"metadata": {"version": 2}}}
    )
    assert inner.clashes == (Clash(("a", "metadata", "version"), 1, 3, 2),)


@pytest.mark.parametrize("theirs", [ABSENT, 5, {"data": {"x": 1}}, {"metadata": None, "data": {"x": 1}}])
def test_keeping_metadata_up_is_no_change_to_tell_of(theirs: Json | Absent) -> None:
    """Where the owner took a node or its metadata out, a raised version or a new time alone makes no clash."""
    base = node({"x": 1}, version=1, needs_sync=True, context_level=2)
    quiet = three_way(base, node({"x": 1}, version=2, needs_sync=False, context_level=2), theirs)
    assert quiet == Merged(theirs, ())
    loud = three_way(base, node({"x": 1}, version=2, needs_sync=False, context_level=1), theirs)
    assert len(loud.clashes) == 1
