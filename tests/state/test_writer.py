"""Tests of changes on their way to disk, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.errors import ConflictError, DocumentError, NolaError, PathError, StorageError
from nola.types import ChangeId

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.testing import ManualClock
    from nola.types import Json

    OwnerWrites = Callable[[str, Json], None]
    OnDisk = Callable[[str], dict[str, Json]]


def test_a_set_says_what_it_did(store: StateStore, clock: ManualClock) -> None:
    """Where, old and new, and whether something stood there."""
    first = store.set("user.name", "Ana", who="owner")
    assert (first.path, first.old, first.new, first.old_present, first.new_present) == (
        "user.name", None, "Ana", False, True,
    )  # fmt: skip
    second = store.set("user.name", "Bor", who="sms")
    assert (second.old, second.new, second.who, second.at) == ("Ana", "Bor", "sms", clock.now())
    assert store.changes("user.name") == [second, first]


def test_a_set_stamps_its_module(store: StateStore, clock: ManualClock, on_disk: OnDisk) -> None:
    """Version raised, time now, flag up; everything else as it was."""
    clock.advance(60)
    store.set("user.name", "Ana", who="owner")
    assert on_disk("user.json") == {
        "metadata": {
            "last_updated": "2026-11-20T09:01:00+00:00",
            "context_level": 2,
            "needs_sync": True,
            "stale_threshold_seconds": 600,
            "source_file": "user.json",
            "version": 2,
        },
        "data": {"name": "Ana"},
    }


def test_unknown_keys_and_order_survive_a_save(store: StateStore, owner_writes: OwnerWrites, on_disk: OnDisk) -> None:
    """Whatever the owner wrote is there after Nola wrote."""
    owner_writes("user.json", {"$note": 1, "data": {"z": 1, "a": [1.5, None]}, "metadata": {"mine": "x"}, "end": {}})
    store.set("user.m", "x", who="owner")
    raw = on_disk("user.json")
    assert list(raw) == ["$note", "data", "metadata", "end"]
    assert (raw["$note"], raw["end"]) == (1, {})
    assert raw["data"] == {"z": 1, "a": [1.5, None], "m": "x"}
    assert list(raw["data"]) == ["z", "a", "m"]
    assert isinstance(raw["metadata"], dict)
    assert raw["metadata"]["mine"] == "x"


def test_a_plain_file_becomes_a_node_when_it_is_set(
    store: StateStore, owner_writes: OwnerWrites, on_disk: OnDisk
) -> None:
    """An owner may start a module with bare JSON."""
    owner_writes("modules/work.json", {"employer": "Harbour"})
    store.set("work.since", 2019, who="owner")
    raw = on_disk("modules/work.json")
    assert list(raw) == ["metadata", "data"]
    assert raw["data"] == {"employer": "Harbour", "since": 2019}


def test_an_unknown_module_is_made_and_said_so(store: StateStore, folder: Path) -> None:
    """Its file is named in the change, and undo takes the file away again."""
    change = store.set("work.employer", "Harbour", who="owner")
    assert (change.path, change.created, change.old_present) == ("work.employer", "modules/work.json", False)
    assert store.set("work.since", 2019, who="owner").created == ""
    with pytest.raises(PathError, match="the module work differs from it only in case"):
        store.set("WORK.x", 1, who="owner")
    whole = store.set("boat", {"name": "Galeb"}, who="owner")
    assert (whole.created, whole.new, whole.old_present) == ("modules/boat.json", {"name": "Galeb"}, False)
    store.undo(whole.id, who="owner")
    assert not (folder / "modules/boat.json").exists()


def test_undo_takes_back_and_undo_of_undo_brings_again(store: StateStore, folder: Path) -> None:
    """What was made for a value goes with it, the module's file too."""
    before = store.get("user")
    made = store.set("user.pets.dog.name", "Figa", who="owner")
    undone = store.undo(made.id, who="owner")
    assert (undone.old, undone.new_present, undone.undoes) == ("Figa", False, made.id)
    assert store.get("user") == before
    store.undo(undone.id, who="owner")
    assert store.get("user.pets.dog.name") == "Figa"
    created = store.set("work.employer", "Harbour", who="owner")
    gone = store.undo(created.id, who="owner")
    assert not (folder / "modules/work.json").exists()
    store.undo(gone.id, who="owner")
    assert store.get("work") == {"employer": "Harbour"}


def test_undo_is_refused_when_it_would_lose_something(store: StateStore) -> None:
    """A value that changed since, a second undo, an unknown id."""
    first = store.set("user.name", "Ana", who="owner")
    second = store.set("user.name", "Bor", who="owner")
    with pytest.raises(ConflictError, match=r"user\.name changed again"):
        store.undo(first.id, who="owner")
    store.undo(second.id, who="owner")
    with pytest.raises(NolaError, match="was undone already"):
        store.undo(second.id, who="owner")
    with pytest.raises(NolaError, match="no change has the id"):
        store.undo(ChangeId("nope"), who="owner")
    assert store.get("user.name") == "Ana"
    store.undo(first.id, who="owner")
    assert store.get("user") == {}


def test_an_item_is_appended_and_taken_back(store: StateStore) -> None:
    """The change's path is the item's."""
    store.set("user.tags", ["a"], who="owner")
    change = store.append("user.tags", "b", who="owner")
    assert (change.path, change.new, change.old_present) == ("user.tags.1", "b", False)
    store.undo(change.id, who="owner")
    assert store.get("user.tags") == ["a"]
    started = store.append("user.likes", "tea", who="owner")
    assert (started.path, started.new) == ("user.likes", ["tea"])
    undone = store.undo(started.id, who="owner")
    assert store.get("user") == {"tags": ["a"]}
    store.undo(undone.id, who="owner")
    assert store.get("user") == {"tags": ["a"], "likes": ["tea"]}


def test_an_item_that_was_unset_goes_back_to_its_place(store: StateStore) -> None:
    """The list opens again where it had closed."""
    store.set("user.tags", ["a", "b", "c"], who="owner")
    change = store.unset("user.tags.1", who="owner")
    assert store.get("user.tags") == ["a", "c"]
    store.undo(change.id, who="owner")
    assert store.get("user.tags") == ["a", "b", "c"]


def test_a_node_that_was_unset_comes_back_with_its_metadata(store: StateStore, owner_writes: OwnerWrites) -> None:
    """Its level is part of what was removed."""
    node: Json = {"metadata": {"context_level": 3}, "data": {"blood": "AB"}}
    owner_writes("user.json", {"metadata": {}, "data": {"health": node}})
    change = store.unset("user.health", who="owner")
    store.undo(change.id, who="owner")
    assert store.get_node("user.health") == node


def test_a_whole_module_is_removed_and_comes_back(store: StateStore, folder: Path) -> None:
    """Only the owner's own modules can go."""
    store.set("work.employer", "Harbour", who="owner")
    change = store.unset("work", who="owner")
    assert not (folder / "modules/work.json").exists()
    assert "work" not in str(store.get("identity"))
    store.undo(change.id, who="owner")
    assert store.get("identity.work") == {"employer": "Harbour"}
    with pytest.raises(PathError, match="can't be removed"):
        store.unset("user", who="owner")
    with pytest.raises(PathError, match="no module of that name"):
        store.unset("nowhere", who="owner")


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("identity.user.name", "set user.name"),
        ("Nola.identity.user.pets.0", "set user.pets.0"),
        ("identity.user", "set the value in the module itself"),
        ("Nola.identity", "set the value in the module itself"),
        ("Nola", "name the value in it that changes"),
        ("modules", "name a module and what to put in it"),
    ],
)
def test_a_copy_is_not_set_but_its_origin(store: StateStore, path: str, fix: str) -> None:
    """The error says which path to use."""
    with pytest.raises(PathError) as caught:
        store.set(path, "x", who="owner")
    assert caught.value.fix == fix


def test_nolas_own_values_can_be_set(store: StateStore) -> None:
    """Her manner is the owner's to choose."""
    change = store.set("Nola.manner", "curt", who="owner")
    assert store.get("Nola.manner") == "curt"
    store.undo(change.id, who="owner")
    assert store.get("Nola.manner") != "curt"
    store.set("identity.motto", "slowly", who="owner")
    assert store.get("identity.motto") == "slowly"


@pytest.mark.row("E14")
@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("user.x", float("nan"), "nan is no JSON number"),
        ("user.x", 2**60, "beyond 2\\^53"),
        ("user.x", {1: 2}, "int is no kind of JSON value"),
        ("user.x", "\udc00", "lone surrogate"),
        ("user", "Ana", "a module holds an object"),
        ("user" + ".d" * 100, 1, "nested deeper than 64 levels"),
        ("../evil.x", 1, "a step is empty"),
        ('"../evil".x', 1, "a module's name is"),
        ("a/b.x", 1, "a module's name is"),
    ],
)
def test_what_can_not_be_kept_is_refused_with_a_sentence(store: StateStore, path: str, value: Json, why: str) -> None:
    """Nothing is written, and the sentence says why."""
    before = store.get()
    with pytest.raises(PathError, match=why):
        store.set(path, value, who="owner")
    assert store.get() == before
    assert store.changes() == []


def test_a_deep_value_is_refused_as_well(store: StateStore) -> None:
    """A hundred lists inside one another are beyond the cap."""
    value: Json = 1
    for _ in range(100):
        value = [value]
    with pytest.raises(PathError, match="nested too deep"):
        store.set("user.deep", value, who="owner")


def test_a_broken_file_is_never_written(store: StateStore, folder: Path) -> None:
    """The owner's bytes stay until the owner mends them; other modules can be written."""
    store.set("user.name", "Ana", who="owner")
    (folder / "user.json").write_text('{"metadata": {}, "data": {"name": "Bor" "age": 3}}', encoding="utf-8")
    with pytest.raises(DocumentError, match=r"user\.json, line 1, column 41"):
        store.set("user.x", 1, who="owner")
    store.set("work.x", 1, who="owner")
    store.get("identity")
    assert store.get("user.name") == "Ana"
    assert (folder / "user.json").read_text(encoding="utf-8") == '{"metadata": {}, "data": {"name": "Bor" "age": 3}}'


def test_a_write_applies_to_what_the_owner_just_saved(store: StateStore, owner_writes: OwnerWrites) -> None:
    """An edit between reading and writing is not lost."""
    store.set("user.name", "Ana", who="owner")
    owner_writes("user.json", {"metadata": {}, "data": {"name": "Ana", "city": "Ptuj"}})
    store.set("user.age", 40, who="owner")
    assert store.get("user") == {"name": "Ana", "city": "Ptuj", "age": 40}


def test_a_change_that_can_not_be_recorded_is_rolled_back(store: StateStore, folder: Path) -> None:
    """No change without an id that undoes it."""
    before = (folder / "user.json").read_bytes()
    (folder / ".history/changes.jsonl").unlink()
    (folder / ".history/changes.jsonl").mkdir()
    with pytest.raises(StorageError):
        store.set("user.name", "Ana", who="owner")
    with pytest.raises(StorageError):
        store.set("work.name", "Ana", who="owner")
    assert (folder / "user.json").read_bytes() == before
    assert not (folder / "modules/work.json").exists()
    assert store.get("user") == {}
