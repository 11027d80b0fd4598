"""Tests of what the owner does by hand: recorded as theirs, place by place, once, and undone like anything else."""

from __future__ import annotations

import os
from datetime import timedelta
from threading import Event, Thread
from typing import TYPE_CHECKING

import orjson
import pytest

from nola import files
from nola.settings import StateSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.history import Recorded
    from nola.state.store import StateStore
    from nola.testing import ManualClock
    from nola.types import Json

    from .conftest import MakeStore

    OwnerWrites = Callable[[str, Json], None]
    OnDisk = Callable[[str], dict[str, Json]]

NODE: dict[str, Json] = {"metadata": {"context_level": 3}, "data": {"blood": "AB"}}
SOME: dict[str, Json] = {"name": "Ana", "city": "Ptuj", "tags": ["a", "b"], "health": NODE}


def module(data: Json, *, level: int = 2) -> dict[str, Json]:
    """Make a file's content."""
    return {"metadata": {"context_level": level}, "data": data}


def shown(changes: list[Recorded]) -> list[tuple[str, Json, Json]]:
    """Shorten changes to path, old and new."""
    return [(one.path, one.old, one.new) for one in changes]


@pytest.fixture
def known(store: StateStore, owner_writes: OwnerWrites, clock: ManualClock) -> StateStore:
    """A store that knows a few values of the owner's; a minute has passed since."""
    owner_writes("user.json", module(SOME))
    store.get("user")
    clock.advance(60)
    return store


def test_an_edited_leaf_is_recorded_and_undone(known: StateStore, owner_writes: OwnerWrites) -> None:
    """By the owner, through an editor, old and new, with a patch."""
    owner_writes("user.json", module({**SOME, "name": "Bor"}))
    (change, *_) = known.changes("user")
    assert (change.path, change.old, change.new, change.who, change.via) == (
        "user.name", "Ana", "Bor", "owner", "editor",
    )  # fmt: skip
    assert change.patch == (
        {"op": "test", "path": "/data/name", "value": "Ana"},
        {"op": "replace", "path": "/data/name", "value": "Bor"},
    )
    undone = known.undo(change.id, who="owner", via="command line")
    assert known.get("user") == {"name": "Ana", "city": "Ptuj", "tags": ["a", "b"], "health": {"blood": "AB"}}
    known.undo(undone.id, who="owner")
    assert known.get("user.name") == "Bor"


@pytest.mark.parametrize(
    ("edit", "places"),
    [
        ({"name": "Bor", "city": "Koper"}, [("user.name", "Ana", "Bor"), ("user.city", "Ptuj", "Koper")]),
        ({"tags": ["a", "c"]}, [("user.tags.1", "b", "c")]),
        ({"tags": ["a", "b", "c"]}, [("user.tags", ["a", "b"], ["a", "b", "c"])]),
        ({"tags": []}, [("user.tags", ["a", "b"], [])]),
        ({"health": {**NODE, "data": {"blood": "0"}}}, [("user.health.blood", "AB", "0")]),
        (
            {"health": {"metadata": {"context_level": 1}, "data": {"blood": "AB"}}},
            [("user.health", NODE, {"metadata": {"context_level": 1}, "data": {"blood": "AB"}})],
        ),
        ({"health": {"blood": "AB"}}, [("user.health", NODE, {"blood": "AB"})]),
        ({"pets": {"dog": "Figa"}}, [("user.pets", None, {"dog": "Figa"})]),
        ({"name": None}, [("user.name", "Ana", None)]),
        ({"name": 1}, [("user.name", "Ana", 1)]),
    ],
)
def test_each_edited_place_is_recorded_and_undone(
    known: StateStore,
    owner_writes: OwnerWrites,
    on_disk: OnDisk,
    edit: dict[str, Json],
    places: list[tuple[str, Json, Json]],
) -> None:
    """Leaves, items, lists of another length, nodes and what is new; undone from the last to the first."""
    owner_writes("user.json", module({**SOME, **edit}))
    changes = known.changes("user", limit=len(places))[::-1]
    assert shown(changes) == places
    for change in reversed(changes):
        known.undo(change.id, who="owner")
    data = on_disk("user.json")["data"]
    assert isinstance(data, dict)
    health = data["health"]
    assert isinstance(health, dict)
    assert isinstance(health["metadata"], dict)
    assert health["metadata"]["context_level"] == 3
    data["health"] = NODE
    assert data == SOME


def test_a_changed_level_of_a_file_is_recorded_and_undone(
    known: StateStore, owner_writes: OwnerWrites, on_disk: OnDisk
) -> None:
    """The whole file is the place; its level comes back, and the version still rises."""
    owner_writes("user.json", {"metadata": {"context_level": 3, "version": 5}, "data": SOME})
    (change, *_) = known.changes("user")
    assert change.path == "user"
    known.undo(change.id, who="owner")
    metadata = on_disk("user.json")["metadata"]
    assert isinstance(metadata, dict)
    assert (metadata["context_level"], metadata["version"]) == (2, 6)
    assert known.get("user.name") == "Ana"


def test_a_whole_new_module_is_recorded_and_undone(known: StateStore, owner_writes: OwnerWrites, folder: Path) -> None:
    """Undo takes its file away, and the undo of that brings it back with its level."""
    owner_writes("modules/work.json", module({"employer": "Harbour"}, level=1))
    (change, *_) = known.changes("work")
    assert (change.path, change.old_present, change.created) == ("work", False, "modules/work.json")
    back = known.undo(change.id, who="owner")
    assert not (folder / "modules/work.json").exists()
    known.undo(back.id, who="owner")
    assert known.get("work") == {"employer": "Harbour"}
    assert orjson.loads((folder / "modules/work.json").read_bytes())["metadata"]["context_level"] == 1


def test_very_many_edited_places_are_one_change(known: StateStore, owner_writes: OwnerWrites) -> None:
    """From 201 on; undo brings all of them back."""
    numbers: dict[str, Json] = {f"n{number}": number for number in range(201)}
    owner_writes("modules/sums.json", module(numbers))
    known.get()
    owner_writes("modules/sums.json", module(dict.fromkeys(numbers, -1)))
    (change, *_) = known.changes("sums")
    assert (change.path, len(known.changes("sums"))) == ("sums", 2)
    known.undo(change.id, who="owner")
    assert known.get("sums") == numbers


def test_another_spelling_of_the_same_values_is_no_change(known: StateStore, folder: Path) -> None:
    """Indentation, order of keys, a raised flag, or a touch: nothing is recorded and nothing is news."""
    before = known.changes()
    known.look()
    raw = orjson.loads((folder / "user.json").read_bytes())
    (folder / "user.json").write_bytes(orjson.dumps(raw, option=orjson.OPT_INDENT_2))
    assert known.look().changed == ()
    os.utime(folder / "user.json", (1, 1))
    assert known.look().changed == ()
    (folder / "user.json").write_bytes(orjson.dumps({"data": raw["data"], "metadata": raw["metadata"]}))
    assert known.look().changed == ()
    raw["metadata"]["needs_sync"] = True
    (folder / "user.json").write_bytes(orjson.dumps(raw))
    assert known.look().changed == ("user",)
    assert known.changes() == before


def test_an_edit_back_to_an_earlier_version_is_recorded(known: StateStore, folder: Path, clock: ManualClock) -> None:
    """The owner copies the backup over the file: its bytes are known, and still it is a change."""
    known.set("user.name", "Bor", who="owner")
    clock.advance(60)
    known.set("user.name", "Cene", who="owner")
    clock.advance(60)
    (folder / "user.json").write_bytes((folder / "user.json.bak").read_bytes())
    assert known.get("user.name") == "Bor"
    (change, *_) = known.changes("user")
    assert (change.via, change.new_present) == ("editor", True)
    assert known.at(clock.now() - timedelta(seconds=1), "user.name") == "Cene"
    assert known.at(clock.now() - timedelta(seconds=61), "user.name") == "Bor"
    known.undo(change.id, who="owner")
    assert known.get("user.name") == "Cene"


def test_edits_made_while_nola_is_away_are_recorded_once(
    known: StateStore, make_store: MakeStore, owner_writes: OwnerWrites, folder: Path
) -> None:
    """By the first process that starts; another one that starts as well adds nothing."""
    known.set("work.employer", "Harbour", who="owner")
    known.close()
    count = len(known.changes())
    owner_writes("user.json", module({**SOME, "name": "Bor"}))
    owner_writes("modules/boat.json", {"name": "Galeb"})
    (folder / "modules/work.json").unlink()
    one, two = make_store(), make_store()
    for store in (one, two, known, make_store()):
        new = store.changes()[:-count]
        assert {(change.path, change.via, change.new_present) for change in new} == {
            ("user.name", "editor", True), ("boat", "editor", True), ("work", "editor", False),
        }  # fmt: skip
        assert len(new) == 3


@pytest.mark.parametrize("pulled", [False, True])
def test_what_nola_saved_before_she_was_killed_is_nobodys_edit(
    known: StateStore, make_store: MakeStore, owner_writes: OwnerWrites, *, pulled: bool
) -> None:
    """The copies of the last good versions lag behind, and the history tells his edits and hers apart."""
    known.set("user.name", "Bor", who="nola", via="chat")
    known.set("user.city", "Koper", who="nola", via="chat")
    known.set("Nola.manner", "curt", who="owner")
    if pulled:
        known.get("Nola")
    count = len(known.changes())
    again = make_store()  # the first one was never closed
    assert len(again.changes()) == count
    raw = again.document("user")
    known.set("user.name", "Cene", who="nola", via="chat")
    raw = known.document("user")
    data = raw["data"]
    assert isinstance(data, dict)
    owner_writes("user.json", {**raw, "data": {**data, "tags": ["x", "y"]}})
    third = make_store()
    new = third.changes(limit=3)
    assert shown(new[::-1]) == [("user.name", "Bor", "Cene"), ("user.tags.0", "a", "x"), ("user.tags.1", "b", "y")]


def test_another_process_takes_no_save_of_nolas_for_an_edit(
    known: StateStore, make_store: MakeStore, clock: ManualClock
) -> None:
    """It looks after a save and the pull that followed, before the copies are made."""
    other = make_store()
    other.get()
    for number in range(5):
        clock.advance(0.01)
        known.set("user.name", f"Bor {number}", who="nola")
        known.get("identity")
        if number % 2:
            assert other.get("user.name") == f"Bor {number}"
    assert other.get("Nola.name") == "Nola"
    assert [change.via for change in known.changes(limit=5)] == [""] * 5
    assert other.changes() == known.changes()


def test_facts_of_the_machine_are_nobodys_edit(make_store: MakeStore) -> None:
    """The first collection is birth; a process that is killed right after it leaves no trace of an edit."""
    make_store()
    again = make_store()
    assert again.changes() == []


def test_edits_in_a_row_are_recorded_though_the_first_had_to_wait(
    known: StateStore, owner_writes: OwnerWrites, folder: Path
) -> None:
    """The lock can't be had at the first look; later both are there, as one step from what was agreed on."""
    lock = folder / ".lock"
    lock.unlink()
    lock.symlink_to("/nowhere/lock")
    owner_writes("user.json", module({**SOME, "name": "Bor"}))
    assert known.get("user.name") == "Bor"
    assert "could not be recorded yet" in known.problems()[-1].message
    owner_writes("user.json", module({**SOME, "name": "Bor", "city": "Koper"}))
    assert known.get("user.city") == "Koper"
    lock.unlink()
    assert shown(known.changes(limit=2)[::-1]) == [("user.name", "Ana", "Bor"), ("user.city", "Ptuj", "Koper")]
    assert known.get("identity.user.city") == "Koper"
    assert known.problems() == []


# --- starts after a kill ----------------------------------------------------------------------------------------------
def _files(folder: Path) -> dict[str, bytes]:
    found = [*folder.glob("*.json"), *(folder / "modules").glob("*.json")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize("path", ["user.name", "work.employer", "boat"])
@pytest.mark.bar("A2")
def test_a_change_that_was_only_written_down_never_happened(
    known: StateStore, make_store: MakeStore, folder: Path, clock: ManualClock, path: str
) -> None:
    """Nola was killed between the history and the file: the change is neither listed nor undone, and `at` fits."""
    known.set("boat.name", "Galeb", who="owner")
    known.get("identity")
    known.close()
    clock.advance(60)
    before = _files(folder)
    if path == "boat":
        known.unset("boat", who="nola")
    else:
        known.set(path, "x", who="nola")
    for file, content in before.items():
        (folder / file).write_bytes(content)
    for file in _files(folder).keys() - before.keys():
        (folder / file).unlink()
    for file in ("user.json", "modules/boat.json"):
        copy = folder / ".last-good" / file
        copy.write_bytes(before[file])
        info = (folder / file).stat()
        os.utime(copy, ns=(info.st_mtime_ns, info.st_mtime_ns))
    again = make_store()
    assert [change.who for change in again.changes()] == ["owner"] * len(again.changes())
    assert again.get("boat") == {"name": "Galeb"}
    assert again.at(clock.now() - timedelta(seconds=30), "boat.name") == "Galeb"
    again.set("user.name", "Dana", who="owner")
    assert make_store().changes(limit=1)[0].new == "Dana"


def test_a_change_that_happened_stays_though_the_owner_undid_it_by_hand(
    known: StateStore, make_store: MakeStore, folder: Path
) -> None:
    """The owner deletes the file, or puts the old one back, while Nola is away."""
    known.set("work.employer", "Harbour", who="nola")
    known.close()
    (folder / "modules/work.json").unlink()
    again = make_store()
    assert [(one.path, one.via) for one in again.changes(limit=2)] == [("work", "editor"), ("work.employer", "")]
    again.set("user.name", "Bor", who="nola")
    again.close()
    (folder / "user.json").write_bytes((folder / "user.json.bak").read_bytes())
    third = make_store()
    assert third.get("user.name") == "Ana"
    assert [one.via for one in third.changes("user", limit=2)] == ["editor", ""]


def test_a_start_calls_nothing_void_while_somebody_is_saving(
    known: StateStore, make_store: MakeStore, folder: Path, clock: ManualClock
) -> None:
    """What is only in the history may be about to happen; the next start, with the folder for itself, can tell."""
    clock.advance(1)
    before = (folder / "user.json").read_bytes()
    known.set("user.name", "Bor", who="nola")
    after = (folder / "user.json").read_bytes()
    (folder / "user.json").write_bytes(before)
    held, done = Event(), Event()

    def save_slowly() -> None:
        with files.locked(folder / ".lock"):
            held.set()
            done.wait(10)

    thread = Thread(target=save_slowly)
    thread.start()
    held.wait(10)
    started = make_store(settings=StateSettings(lock_timeout=0.1))
    (folder / "user.json").write_bytes(after)
    done.set()
    thread.join()
    assert started.changes(limit=1)[0].new == "Bor"
    assert make_store().changes() == started.changes()
