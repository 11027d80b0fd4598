"""Tests of dotted paths."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.errors import PathError
from nola.state import paths
from nola.state.paths import StatePath

if TYPE_CHECKING:
    from nola.types import Json

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
STAMP = "2026-11-20T09:00:00+00:00"


def at(text: str) -> StatePath:
    """Take a path apart."""
    return paths.parse(text)


@pytest.mark.parametrize(
    ("text", "module", "steps"),
    [
        ("user.pets.dog.name", "user", ("pets", "dog", "name")),
        ("modules.work.employer", "work", ("employer",)),
        ("modules", "modules", ()),
        (" work ", "work", ()),
        ('user."favourite things".tea', "user", ("favourite things", "tea")),
        ("user.favourite things.tea", "user", ("favourite things", "tea")),
        ('user."a.b"."say \\"hi\\" \\\\"', "user", ("a.b", 'say "hi" \\')),
        ('user.""', "user", ("",)),
        ("user.žogica.0", "user", ("žogica", "0")),
    ],
)
def test_paths_are_taken_apart(text: str, module: str, steps: tuple[str, ...]) -> None:
    """Dots divide, quotes hold together, `modules.` is an alias."""
    assert paths.parse(text) == StatePath(module, steps)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the path is empty"),
        ("  ", "the path is empty"),
        ("user..x", "a step is empty"),
        ("user.", "a step is empty"),
        ('user."x', "quotes do not close"),
        ('user."x"y', "a dot is missing"),
        (".".join(["a"] * 201), "more than 200 steps"),
    ],
)
def test_half_written_paths_are_refused(text: str, why: str) -> None:
    """The sentence says what is wrong with the path."""
    with pytest.raises(PathError, match=why):
        paths.parse(text)


@given(st.lists(st.text(), min_size=1, max_size=6).filter(lambda steps: steps[0] != "modules"))
def test_what_is_rendered_is_taken_apart_again(steps: list[str]) -> None:
    """Any keys at all survive being written as a path."""
    parsed = paths.parse(paths.render(steps))
    assert (parsed.module, *parsed.steps) == tuple(steps)


def test_get_steps_through_wrappers() -> None:
    """A nested node takes no step of its own."""
    data: Json = {"health": {"metadata": {}, "data": {"lens": [{"d": 1}, {"d": 2}]}}}
    assert paths.get(data, at("user.health.lens.1.d")) == 2
    assert paths.get(data, at("user.health")) == {"metadata": {}, "data": {"lens": [{"d": 1}, {"d": 2}]}}
    assert paths.get(data, at("user")) == data


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("user.pets.dgo", "user.pets has no 'dgo' (did you mean user.pets.dog?)"),
        ("user.name.first", "user.name holds a value, so there is no 'first' below it"),
        ("user.tags.2", "user.tags has no item 2; its last item is number 1"),
        ("user.tags.-1", "user.tags is a list; its items are numbered from 0, not called '-1'"),
        ("user.none.0", "user.none has no item 0; it is empty"),
    ],
)
def test_a_path_to_nowhere_says_why(path: str, sentence: str) -> None:
    """The sentence names the step that fails."""
    data: Json = {"pets": {"dog": 1}, "name": "Ana", "tags": ["a", "b"], "none": []}
    with pytest.raises(PathError) as caught:
        paths.get(data, at(path))
    assert sentence in str(caught.value)


def test_put_makes_missing_objects_and_shares_the_rest() -> None:
    """Nothing that was there is mutated."""
    data: Json = {"a": {"b": 1}, "z": [1]}
    edit = paths.put(data, at("user.pets.dog.name"), "Figa", NOW)
    assert edit.data == {"a": {"b": 1}, "z": [1], "pets": {"dog": {"name": "Figa"}}}
    assert (edit.old, edit.old_present, edit.made) == (None, False, 2)
    assert data == {"a": {"b": 1}, "z": [1]}


def test_put_replaces_and_tells_what_stood_there() -> None:
    """Null is a value; absence is not."""
    assert paths.put({"a": None}, at("user.a"), 1, NOW).old_present is True
    assert paths.put({"a": [1, 2]}, at("user.a.1"), 3, NOW).data == {"a": [1, 3]}
    assert paths.put({"a": None}, at("user.a.b"), 1, NOW).data == {"a": {"b": 1}}


def test_put_marks_the_nested_nodes_on_the_way() -> None:
    """Metadata stays, version and time move; a sibling node is untouched."""
    data: Json = {
        "health": {"metadata": {"context_level": 3, "version": 4}, "data": {"doctor": "Zupan"}},
        "home": {"metadata": {"version": 1}, "data": {}},
    }
    edit = paths.put(data, at("user.health.doctor"), "Medved", NOW)
    assert edit.old == "Zupan"
    assert edit.data == {
        "health": {"metadata": {"context_level": 3, "version": 5, "last_updated": STAMP}, "data": {"doctor": "Medved"}},
        "home": {"metadata": {"version": 1}, "data": {}},
    }


def test_put_over_a_node_keeps_its_metadata() -> None:
    """A node given as the value brings its own fields along."""
    data: Json = {"health": {"metadata": {"context_level": 3, "version": 4}, "data": {"a": 1}}}
    assert paths.put(data, at("user.health"), {"b": 2}, NOW).data == {
        "health": {"metadata": {"context_level": 3, "version": 5, "last_updated": STAMP}, "data": {"b": 2}}
    }
    given_level: Json = {"metadata": {"context_level": 1}, "data": {"b": 2}}
    assert paths.put(data, at("user.health"), given_level, NOW).data == {
        "health": {"metadata": {"context_level": 1, "version": 5, "last_updated": STAMP}, "data": {"b": 2}}
    }


def test_metadata_is_no_step() -> None:
    """Setting a key of that name would make a node by accident."""
    with pytest.raises(PathError, match="metadata is not part of the data"):
        paths.put({}, at("user.metadata.context_level"), 3, NOW)
    with pytest.raises(PathError, match="metadata is not part of the data"):
        paths.put({"a": {}}, at("user.a.metadata"), {}, NOW)


def test_append_grows_a_list_or_starts_one() -> None:
    """The edit's path is the new item's, or the new list's."""
    grown = paths.append({"tags": ["a"]}, at("user.tags"), "b", NOW)
    assert (grown.data, str(grown.path), grown.made) == ({"tags": ["a", "b"]}, "user.tags.1", 0)
    started = paths.append({}, at("user.x.tags"), "b", NOW)
    assert (started.data, str(started.path), started.made) == ({"x": {"tags": ["b"]}}, "user.x.tags", 1)
    node = paths.append({"t": {"metadata": {"version": 1}, "data": [1]}}, at("user.t"), 2, NOW)
    assert node.data == {"t": {"metadata": {"version": 2, "last_updated": STAMP}, "data": [1, 2]}}
    with pytest.raises(PathError, match="this is no list"):
        paths.append({"name": "Ana"}, at("user.name"), "b", NOW)


def test_unset_removes_and_can_prune() -> None:
    """A list closes up; containers that were made for the value go with it."""
    assert paths.unset({"tags": ["a", "b", "c"]}, at("user.tags.1"), NOW).data == {"tags": ["a", "c"]}
    data: Json = {"pets": {"dog": {"name": "Figa"}}, "a": 1}
    assert paths.unset(data, at("user.pets.dog.name"), NOW).data == {"pets": {"dog": {}}, "a": 1}
    assert paths.unset(data, at("user.pets.dog.name"), NOW, prune=1).data == {"pets": {}, "a": 1}
    assert paths.unset(data, at("user.pets.dog.name"), NOW, prune=2).data == {"a": 1}
    with pytest.raises(PathError, match="nothing stands there"):
        paths.unset(data, at("user.cat"), NOW)
    with pytest.raises(PathError, match="whole module"):
        paths.unset(data, at("user"), NOW)


def test_restore_opens_a_list_again() -> None:
    """What was taken out of the middle goes back to the middle."""
    assert paths.restore({"tags": ["a", "c"]}, at("user.tags.1"), "b", NOW).data == {"tags": ["a", "b", "c"]}
    assert paths.restore({"a": 1}, at("user.b"), 2, NOW).data == {"a": 1, "b": 2}
    assert paths.restore({}, at("user.b.c"), 2, NOW).data == {"b": {"c": 2}}


@pytest.mark.parametrize("name", ["..", "a/b", "metadata", "data", "Modules", "", "a b", "-x", ".hidden", "a" * 65])
def test_a_module_has_a_plain_name(name: str) -> None:
    """Names that could leave the folder or mean something else are refused."""
    with pytest.raises(PathError):
        paths.check_new_module(name, ["user"])


def test_a_module_has_no_twin_in_another_case() -> None:
    """Work and work would be one file on some disks."""
    with pytest.raises(PathError, match="the module work differs from it only in case"):
        paths.check_new_module("Work", ["user", "work"])
    paths.check_new_module("delo-2_ž", ["user", "work"])


def test_an_unknown_module_is_told_with_close_ones() -> None:
    """The error says how to make it."""
    error = paths.unknown("wrok", ["user", "work"])
    assert str(error) == "wrok: there is no module of that name (did you mean work?)"
    assert error.fix == "set something below it to make modules/wrok.json"
