"""Tests of writes that meet the owner's own edits: different keys merge, a real clash keeps the owner's value."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import ConflictError, DocumentError, PathError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.types import Json

    from .conftest import MakeStore

    OwnerWrites = Callable[[str, Json], None]

SOME: dict[str, Json] = {"name": "Ana", "city": "Ptuj", "tags": ["a"], "age": 40}


def module(data: Json) -> dict[str, Json]:
    """Make a file's content."""
    return {"metadata": {"context_level": 2}, "data": data}


@pytest.fixture
def known(store: StateStore, owner_writes: OwnerWrites) -> StateStore:
    """A store that knows a few values of the owner's."""
    owner_writes("user.json", module(SOME))
    store.get("user")
    return store


def test_an_edit_of_another_key_is_merged(known: StateStore, owner_writes: OwnerWrites) -> None:
    """Both are there, and each is recorded as what it is."""
    owner_writes("user.json", module({**SOME, "city": "Koper"}))
    known.set("user.name", "Bor", who="nola", via="chat")
    assert known.get("user") == {**SOME, "city": "Koper", "name": "Bor"}
    assert [(one.path, one.who, one.via) for one in known.changes("user", limit=2)] == [
        ("user.name", "nola", "chat"),
        ("user.city", "owner", "editor"),
    ]
    assert known.conflicts() == []


def test_an_edit_of_the_same_key_stands(known: StateStore, owner_writes: OwnerWrites, folder: Path) -> None:
    """What was to be written is kept beside the file, and the writer is told."""
    owner_writes("user.json", module({**SOME, "name": "Cene"}))
    with pytest.raises(ConflictError, match=r"user\.name was changed in its file meanwhile"):
        known.set("user.name", "Bor", who="nola", via="chat")
    assert known.get("user.name") == "Cene"
    (lost,) = known.conflicts()
    assert (lost.file, lost.path, lost.base, lost.ours, lost.theirs, lost.removes) == (
        "user.json", "user.name", "Ana", "Bor", "Cene", False,
    )  # fmt: skip
    assert orjson.loads((folder / "user.json.conflict").read_bytes())["conflicts"][0]["ours"] == "Bor"
    assert (folder / "user.json.conflict").stat().st_mode & 0o777 == 0o600
    assert [problem.file for problem in known.problems()] == ["user.json"]


def test_the_same_value_from_both_is_no_conflict(known: StateStore, owner_writes: OwnerWrites) -> None:
    """There is nothing to choose."""
    owner_writes("user.json", module({**SOME, "name": "Bor"}))
    known.set("user.name", "Bor", who="nola")
    assert known.get("user.name") == "Bor"
    assert known.conflicts() == []


def test_a_conflict_is_settled_by_using_the_value(known: StateStore, owner_writes: OwnerWrites, folder: Path) -> None:
    """That is a change like any other and can be undone."""
    owner_writes("user.json", module({**SOME, "name": "Cene"}))
    with pytest.raises(ConflictError):
        known.set("user.name", "Bor", who="nola")
    change = known.settle_conflict(known.conflicts()[0].id, use=True, who="owner")
    assert known.get("user.name") == "Bor"
    assert known.conflicts() == []
    assert not (folder / "user.json.conflict").exists()
    assert change is not None
    known.undo(change.id, who="owner")
    assert known.get("user.name") == "Cene"


def test_a_conflict_is_settled_by_dropping_the_value(known: StateStore, owner_writes: OwnerWrites) -> None:
    """Nothing changes, and an id that is gone is told."""
    owner_writes("user.json", module({**SOME, "name": "Cene"}))
    with pytest.raises(ConflictError):
        known.set("user.name", "Bor", who="nola")
    found = known.conflicts()[0]
    assert known.settle_conflict(found.id, use=False, who="owner") is None
    assert known.get("user.name") == "Cene"
    assert known.problems() == []
    with pytest.raises(UsageError, match="no conflict has the id"):
        known.settle_conflict(found.id, use=False, who="owner")


def test_a_removal_that_lost_can_be_used(known: StateStore, owner_writes: OwnerWrites) -> None:
    """The conflict knows that nothing was to stand there."""
    owner_writes("user.json", module({**SOME, "name": "Cene"}))
    with pytest.raises(ConflictError):
        known.unset("user.name", who="nola")
    (lost,) = known.conflicts()
    assert (lost.ours, lost.removes) == (None, True)
    known.settle_conflict(lost.id, use=True, who="owner")
    assert known.get("user") == {key: value for key, value in SOME.items() if key != "name"}


def test_a_newer_conflict_replaces_an_older_one(known: StateStore, owner_writes: OwnerWrites) -> None:
    """There is one at each place."""
    for number, name in enumerate(("Cene", "Dana")):
        owner_writes("user.json", module({**SOME, "name": name}))
        with pytest.raises(ConflictError):
            known.set("user.name", f"Bor {number}", who="nola")
    assert [one.ours for one in known.conflicts()] == ["Bor 1"]


def test_both_lengthen_a_list(known: StateStore, owner_writes: OwnerWrites) -> None:
    """The owner's item comes first."""
    owner_writes("user.json", module({**SOME, "tags": ["a", "owner"]}))
    known.append("user.tags", "nola", who="nola")
    assert known.get("user.tags") == ["a", "owner", "nola"]


def test_both_lengthen_a_list_as_a_whole(known: StateStore, owner_writes: OwnerWrites) -> None:
    """A set of the whole list is merged as well."""
    owner_writes("user.json", module({**SOME, "tags": ["a", "owner"]}))
    known.set("user.tags", ["a", "nola"], who="nola")
    assert known.get("user.tags") == ["a", "owner", "nola"]


def test_a_key_that_the_owner_took_out_stays_out(known: StateStore, owner_writes: OwnerWrites) -> None:
    """A deletion against a change is a clash."""
    owner_writes("user.json", module({key: value for key, value in SOME.items() if key != "name"}))
    with pytest.raises(ConflictError):
        known.set("user.name", "Bor", who="nola")
    assert known.get("user") == {"city": "Ptuj", "tags": ["a"], "age": 40}
    assert [(one.path, one.ours, one.theirs) for one in known.conflicts()] == [("user.name", "Bor", None)]


def test_a_module_that_the_owner_deleted_stays_deleted(store: StateStore, folder: Path) -> None:
    """A change of a value in it clashes; a new value begins it anew, and says so."""
    store.set("work", {"employer": "Harbour", "since": 2019}, who="owner")
    (folder / "modules/work.json").unlink()
    with pytest.raises(ConflictError):
        store.set("work.employer", "Mill", who="nola")
    assert not (folder / "modules/work.json").exists()
    assert [(one.path, one.ours) for one in store.conflicts()] == [("work.employer", "Mill")]
    assert store.set("work.hours", 8, who="nola").created == "modules/work.json"
    assert store.get("work") == {"hours": 8}


def test_removing_what_the_owner_deleted_is_told(store: StateStore, folder: Path) -> None:
    """There is nothing to remove any more."""
    store.set("work.employer", "Harbour", who="owner")
    (folder / "modules/work.json").unlink()
    with pytest.raises(PathError, match="no module of that name"):
        store.unset("work.employer", who="nola")


def _rename(path: Path, content: bytes) -> None:
    other = path.with_name("temporary~")
    other.write_bytes(content)
    other.replace(path)


def _new_file(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def _hard_link(path: Path, content: bytes) -> None:
    other = path.with_name("linked~")
    os.link(path, other)
    other.write_bytes(content)


def _own_file(path: Path, content: bytes) -> None:
    real = path.parent.parent / "dotfile.json"
    real.write_bytes(content)
    path.unlink()
    path.symlink_to(real)


@pytest.mark.bar("C1")
@pytest.mark.parametrize(
    "edit", [_rename, _new_file, _hard_link, _own_file, lambda path, content: path.write_bytes(content)]
)
def test_however_the_owner_saves_both_changes_are_there(
    known: StateStore, folder: Path, edit: Callable[[Path, bytes], None]
) -> None:
    """By a rename, as a new file, through a hard link, as a link to a file elsewhere, or in place."""
    edit(folder / "user.json", orjson.dumps(module({**SOME, "city": "Koper"})))
    known.set("user.name", "Bor", who="nola")
    known.set("user.age", 41, who="nola")
    assert known.get("user") == {**SOME, "city": "Koper", "name": "Bor", "age": 41}
    data = orjson.loads((folder / "user.json").read_bytes())["data"]
    assert data == {**SOME, "city": "Koper", "name": "Bor", "age": 41}


@pytest.mark.bar("C2")
@pytest.mark.parametrize(
    "broken", [b'{"data": {"a": NaN}}', b'{"data": {"name": "An', b"", b"[]", b'{"data": {"a": 1, "a": 2}}']
)
def test_a_write_into_a_file_that_can_not_be_used_is_refused(known: StateStore, folder: Path, broken: bytes) -> None:
    """No byte of it changes; mended, it is used and written again."""
    (folder / "user.json").write_bytes(broken)
    with pytest.raises(DocumentError, match=r"user\.json"):
        known.set("user.name", "Bor", who="nola")
    assert (folder / "user.json").read_bytes() == broken
    assert [problem.file for problem in known.problems()] == ["user.json"]
    (folder / "user.json").write_bytes(orjson.dumps(module({**SOME, "city": "Koper"})))
    assert known.problems() == []
    known.set("user.name", "Bor", who="nola")
    assert known.get("user") == {**SOME, "city": "Koper", "name": "Bor"}


def test_an_edit_in_the_same_instant_is_merged(known: StateStore, owner_writes: OwnerWrites) -> None:
    """The owner saves between Nola's look and her save: the function is called again with what stands there now."""
    given: list[Json] = []

    def grow(value: Json) -> Json:
        given.append(value)
        if len(given) == 1:
            owner_writes("user.json", module({**SOME, "age": 50, "city": "Koper"}))
        assert isinstance(value, int)
        return value + 1

    known.update("user.age", grow, who="nola")
    assert given == [40, 50]
    assert known.get("user") == {**SOME, "age": 51, "city": "Koper"}


def test_an_edit_that_the_function_itself_reads_is_not_lost(known: StateStore, owner_writes: OwnerWrites) -> None:
    """The owner saves, and the function looks at something else before it returns."""
    given: list[Json] = []

    def grow(value: Json) -> Json:
        given.append(value)
        if len(given) == 1:
            owner_writes("user.json", module({**SOME, "age": 50}))
            known.get("user.city")
        assert isinstance(value, int)
        return value + 1

    known.update("user.age", grow, who="nola")
    assert given == [40, 50]
    assert known.get("user.age") == 51


def test_an_owner_who_never_stops_saving_is_told(known: StateStore, owner_writes: OwnerWrites) -> None:
    """After some tries the writer gives up, and the owner's last save stands."""
    count = 0

    def race(_: Json) -> Json:
        nonlocal count
        count += 1
        owner_writes("user.json", module({**SOME, "age": 100 + count}))
        return 0

    with pytest.raises(ConflictError, match="saved by another program all the time"):
        known.update("user.age", race, who="nola")
    assert known.get("user.age") == 100 + count


def test_a_nested_node_is_merged_below_its_wrapper(known: StateStore, owner_writes: OwnerWrites) -> None:
    """What `get` gives has no wrappers; the node's stay, and both changes are in its data."""
    node: dict[str, Json] = {"metadata": {"context_level": 3}, "data": {"blood": "AB", "height": 170}}
    owner_writes("user.json", module({"health": node}))
    known.get("user")
    edited: dict[str, Json] = {**node, "data": {"blood": "A", "height": 170}}
    owner_writes("user.json", module({"health": edited}))
    known.set("user.health", {"blood": "AB", "height": 171}, who="nola")
    assert known.get("user") == {"health": {"blood": "A", "height": 171}}
    raw = known.get_node("user.health")
    assert isinstance(raw, dict)
    assert isinstance(raw["metadata"], dict)
    assert raw["metadata"]["context_level"] == 3


def test_a_clash_in_a_nested_node_is_named_as_a_person_names_it(known: StateStore, owner_writes: OwnerWrites) -> None:
    """The path leads to the value, so that the conflict can be used."""
    node: dict[str, Json] = {"metadata": {"context_level": 3}, "data": {"blood": "AB", "height": 170}}
    owner_writes("user.json", module({"health": node, "x": 1}))
    known.get("user")
    owner_writes("user.json", module({"health": {**node, "data": {"blood": "A", "height": 170}}, "x": 1}))
    known.set("user", {"health": {"blood": "B", "height": 170}, "x": 2}, who="nola")
    assert known.get("user") == {"health": {"blood": "A", "height": 170}, "x": 2}
    (lost,) = known.conflicts()
    assert (lost.path, lost.ours, lost.theirs) == ("user.health.blood", "B", "A")
    known.settle_conflict(lost.id, use=True, who="owner")
    assert known.get("user.health.blood") == "B"


@pytest.mark.bar("B7")
def test_a_save_into_the_replaced_version_is_brought_home(
    known: StateStore, folder: Path, owner_writes: OwnerWrites
) -> None:
    """An editor that had the file open while Nola saved writes into the previous version; it is merged, not lost."""
    owner_writes("user.json", module(SOME))
    known.get("user")
    with (folder / "user.json").open("r+b") as editor:
        known.set("user.name", "Bor", who="nola")
        editor.truncate(0)
        editor.write(orjson.dumps(module({**SOME, "city": "Koper"})))
    assert known.get("user") == {**SOME, "name": "Bor", "city": "Koper"}
    assert (known.changes("user")[0].path, known.changes("user")[0].via) == ("user.city", "editor")
    assert orjson.loads((folder / "user.json").read_bytes())["data"]["city"] == "Koper"
    assert known.conflicts() == []


@pytest.mark.bar("B7")
def test_a_late_save_of_the_same_key_wins(known: StateStore, folder: Path) -> None:
    """The owner's value stands, and what Nola had written is kept."""
    with (folder / "user.json").open("r+b") as editor:
        known.set("user.name", "Bor", who="nola")
        editor.truncate(0)
        editor.write(orjson.dumps(module({**SOME, "name": "Cene"})))
    assert known.get("user.name") == "Cene"
    assert [(one.path, one.ours, one.theirs) for one in known.conflicts()] == [("user.name", "Bor", "Cene")]


@pytest.mark.bar("B7")
def test_a_late_save_waits_until_the_folder_can_be_had(known: StateStore, make_store: MakeStore, folder: Path) -> None:
    """Somebody else holds the lock at the first look; the second one brings it home."""
    with (folder / "user.json").open("r+b") as editor:
        known.set("user.name", "Bor", who="nola")
        editor.truncate(0)
        editor.write(orjson.dumps(module({**SOME, "city": "Koper"})))
    lock = folder / ".lock"
    lock.rename(folder / "away")
    lock.symlink_to("/nowhere/lock")
    assert known.get("user.city") == "Ptuj"
    lock.unlink()
    assert known.get("user") == {**SOME, "name": "Bor", "city": "Koper"}
    assert make_store().get("user.city") == "Koper"


@pytest.mark.bar("B7")
def test_a_version_that_another_process_replaced_is_no_late_save(known: StateStore, make_store: MakeStore) -> None:
    """Its saves turn the previous versions over, and nothing of that is an edit."""
    other = make_store()
    for number in range(6):
        known.set("user.name", f"Bor {number}", who="nola")
        for _ in range(number):
            other.set("user.city", f"Koper {number}", who="nola")
        assert known.get("user.city") == (f"Koper {number}" if number else "Ptuj")
        assert known.get("user.name") == f"Bor {number}"
    assert known.conflicts() == []
    assert {change.via for change in known.changes("user", limit=20)} == {""}
