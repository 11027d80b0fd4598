"""Tests of what is taken in from others, and of files that went bad: the last good copy is put back, both are kept."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.state.intake import OWNER
from nola.state.past import EDITOR

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.testing import ManualClock
    from nola.types import Json

    from .conftest import MakeStore

    OwnerWrites = Callable[[str, Json], None]

WORK: dict[str, Json] = {"metadata": {"context_level": 2}, "data": {"employer": "Harbour"}}


@pytest.fixture
def known(store: StateStore, owner_writes: OwnerWrites) -> StateStore:
    """A store with one module of the owner's, and copies of everything."""
    owner_writes("modules/work.json", WORK)
    store.get()
    store.close()
    return store


def rot(path: Path) -> bytes:
    """Turn a file's bytes bad under the same time and size, as a failing disk does."""
    info = path.stat()
    garbage = b"\xff" * info.st_size
    path.write_bytes(garbage)
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    return garbage


@pytest.mark.bar("C2")
def test_a_file_that_went_bad_is_restored_and_the_bad_one_kept(
    known: StateStore, make_store: MakeStore, folder: Path
) -> None:
    """Nobody wrote those bytes; a warning names the file to look at, until it is deleted."""
    good = (folder / "modules/work.json").read_bytes()
    garbage = rot(folder / "modules/work.json")
    store = make_store()
    assert store.get("work") == {"employer": "Harbour"}
    assert (folder / "modules/work.json").read_bytes() == good
    kept = folder / "modules/work.json.corrupt.20261120T090000Z"
    assert kept.read_bytes() == garbage
    assert kept.stat().st_mode & 0o777 == 0o600
    (warning,) = store.problems()
    assert (warning.file, warning.severity) == ("modules/work.json", "warning")
    assert "the last good copy was put back" in warning.message
    assert store.changes() == known.changes()
    kept.unlink()
    assert store.problems() == []
    store.set("work.since", 2019, who="owner")


@pytest.mark.usefixtures("known")
def test_a_file_that_the_owner_broke_is_left_as_it_is(make_store: MakeStore, folder: Path) -> None:
    """The control: another time tells that somebody wrote it."""
    (folder / "modules/work.json").write_bytes(b"{ mine")
    store = make_store()
    assert store.get("work") == {"employer": "Harbour"}
    assert (folder / "modules/work.json").read_bytes() == b"{ mine"
    assert list(folder.rglob("*.corrupt.*")) == []


@pytest.mark.parametrize("source", ["copy", "bak", "backup", "born"])
def test_a_broken_file_is_served_from_the_nearest_good_version(
    known: StateStore, make_store: MakeStore, folder: Path, source: str
) -> None:
    """The copy, the previous version, the newest backup, and at last what she was born with."""
    known.set("Nola.manner", "one", who="owner")
    known.set("Nola.manner", "two", who="owner")
    known.close()
    (folder / "Nola.json").write_bytes(b"{ mine")
    if source != "copy":
        (folder / ".last-good/Nola.json").write_bytes(b"{")
    if source in {"backup", "born"}:
        (folder / "Nola.json.bak").unlink()
    asked: list[str] = []

    def spare(file: str) -> bytes | None:
        asked.append(file)
        return b'{"data": {"manner": "from the backup"}}' if source == "backup" else None

    store = make_store(spare=spare)
    expected = {"copy": "two", "bak": "one", "backup": "from the backup"}
    born = orjson.loads((folder / "Nola.json.bak").read_bytes()) if source == "bak" else None
    assert (born is None) == (source != "bak")
    manner = store.get("Nola.manner")
    assert manner == expected.get(source, manner)
    assert manner not in {"one", "two"} or source in {"copy", "bak"}
    assert asked == (["Nola.json"] if source in {"backup", "born"} else [])
    assert (folder / "Nola.json").read_bytes() == b"{ mine"


def test_a_copy_made_while_the_file_is_broken_is_of_what_was_saved(
    known: StateStore, make_store: MakeStore, folder: Path, clock: ManualClock
) -> None:
    """The owner breaks it right after a save; what was acknowledged is still served after a restart."""
    known.set("work.employer", "Mill", who="nola")
    (folder / "modules/work.json").write_bytes(b"{ mine")
    assert known.get("work.employer") == "Mill"
    clock.advance(1)
    assert known.get("work.employer") == "Mill"
    store = make_store()
    assert store.get("work.employer") == "Mill"
    assert (folder / "modules/work.json").read_bytes() == b"{ mine"
    (folder / "modules/work.json").write_bytes(orjson.dumps({**WORK, "data": {"employer": "Tower"}}))
    assert store.get("work.employer") == "Tower"
    changes = [(one.path, one.old, one.new, one.via) for one in store.changes("work.employer", limit=2)]
    assert ("work.employer", "Harbour", "Mill", "") in changes


def test_own_saves_are_nobodys_news(known: StateStore, make_store: MakeStore, owner_writes: OwnerWrites) -> None:
    """What others change is told once; the own writes and pulls never are."""
    other = make_store()
    other.look()
    known.look()
    known.set("work.employer", "Mill", who="nola")
    known.get("Nola")
    assert known.look().changed == ()
    assert other.look().changed == ("identity", "work")
    assert other.look().changed == ()
    owner_writes("modules/work.json", WORK)
    assert known.look().changed == ("work",)
    assert (known.changes(limit=1)[0].who, known.changes(limit=1)[0].via) == (OWNER, EDITOR)


@pytest.mark.bar("C5")
def test_a_thousand_own_saves_are_no_edits(known: StateStore, clock: ManualClock) -> None:
    """No save comes back as an edit, at whatever moment it is looked at."""
    known.look()
    for number in range(200):
        known.set("work.n", number, who="nola")
        clock.advance(0.01 * (number % 40))
        assert known.look().changed == ()
    assert {change.via for change in known.changes(limit=200)} == {""}


def test_edits_are_counted_by_module(known: StateStore, owner_writes: OwnerWrites) -> None:
    """Whoever records them."""
    before = known._intake.edits_of("work")
    owner_writes("modules/work.json", {**WORK, "data": {"employer": "Mill", "since": 2019}})
    known.get("work")
    assert known._intake.edits_of("work") == before + 2
    assert known._intake.edits_of("user") == 0


def test_a_save_that_ends_after_its_beginning_was_seen_is_one_edit(
    known: StateStore, folder: Path, make_store: MakeStore
) -> None:
    """Half a file is no version: the last good one is served, and only the whole one is recorded."""
    whole = orjson.dumps({**WORK, "data": {"employer": "Mill"}})
    (folder / "modules/work.json").write_bytes(whole[:-4])
    assert known.get("work.employer") == "Harbour"
    (folder / "modules/work.json").write_bytes(whole)
    assert known.get("work.employer") == "Mill"
    assert [one.path for one in make_store().changes("work")] == ["work.employer", "work"]


# --- a backup that another process brings back ------------------------------------------------------------------------
def test_what_comes_with_another_history_is_no_edit(store: StateStore, owner_writes: OwnerWrites, folder: Path) -> None:
    """A module that is older, one that is gone and one that is back are served as they are, and nothing is recorded."""
    owner_writes("modules/work.json", WORK)
    store.get()
    store.set("boat.name", "Wren", who="owner")
    recorded = store.changes()
    saved = {path: path.read_bytes() for path in folder.rglob("*.json*") if path.parent.name != ".last-good"}
    store.set("work.employer", "Shipyard", who="owner")
    store.set("car.colour", "red", who="owner")
    store.unset("boat", who="owner")
    for path, content in saved.items():
        path.write_bytes(content)
    (folder / "modules/car.json").unlink()
    assert store.get("work") == {"employer": "Harbour"}
    assert store.get("boat") == {"name": "Wren"}
    whole = store.get()
    assert isinstance(whole, dict)
    assert "car" not in whole
    assert store.changes() == recorded
    owner_writes("modules/work.json", {**WORK, "data": {"employer": "Docks"}})
    assert store.get("work") == {"employer": "Docks"}
    assert [(change.path, change.via) for change in store.changes(limit=1)] == [("work.employer", EDITOR)]
