"""What a hostile reviewer found, each as it was broken once."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from nola.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.testing import ManualClock
    from nola.types import Json

    from .conftest import MakeStore

    OwnerWrites = Callable[[str, Json], None]


def test_most_modules_gone_are_not_believed_beside_a_new_one(store: StateStore, folder: Path) -> None:
    """A write that makes the folder again does not make the loss of all others an edit."""
    for name in ("boat", "home", "work", "tea"):
        store.set(f"{name}.x", 1, who="owner")
    for file in (folder / "modules").iterdir():
        file.unlink()
    (folder / "modules").rmdir()
    store.set("other.x", 1, who="owner")
    assert store.get("boat.x") == 1
    assert [change.path for change in store.changes() if not change.new_present] == []


def test_a_link_to_itself_stops_nothing(store: StateStore, folder: Path) -> None:
    """It is told as what it is."""
    (folder / "modules" / "z.json").symlink_to("z.json")
    store.set("user.name", "Ana", who="owner")
    assert store.get("user.name") == "Ana"
    assert [problem.file for problem in store.problems()] == ["modules/z.json"]


@pytest.mark.bar("F1")
def test_a_clock_that_went_back_once_does_not_bend_the_past(store: StateStore, clock: ManualClock) -> None:
    """What stood at an instant is what stood there, though a later change is dated 1970."""
    store.set("user.a", 1, who="owner")
    clock.advance(60)
    then = clock.now()
    clock.advance(60)
    store.set("user.a", 2, who="owner")
    clock.advance(-50 * 365 * 86_400)
    store.set("user.b", 1, who="owner")
    clock.advance(50 * 365 * 86_400)
    store.set("user.c", 1, who="owner")
    assert store.at(then, "user") == {"a": 1}
    assert store.at(clock.now() + timedelta(seconds=1), "user") == {"a": 2, "b": 1, "c": 1}


def test_an_undo_in_a_list_that_moved_is_refused(store: StateStore) -> None:
    """The number means another item by now, though the same value stands there."""
    store.set("user.l", ["a", "b", "B"], who="owner")
    change = store.set("user.l.1", "B", who="owner")
    store.unset("user.l.0", who="owner")
    with pytest.raises(ConflictError, match=r"the list at user\.l changed again"):
        store.undo(change.id, who="owner")


def test_an_undo_in_what_is_no_list_any_more_is_refused(store: StateStore) -> None:
    """An item does not become a key."""
    store.set("user.l", ["a", "b"], who="owner")
    change = store.unset("user.l.0", who="owner")
    store.set("user.l", {"k": 1}, who="owner")
    with pytest.raises(ConflictError, match=r"the list at user\.l changed again"):
        store.undo(change.id, who="owner")
    assert store.get("user.l") == {"k": 1}


def test_pipes_in_nolas_own_places_are_not_waited_for(store: StateStore, make_store: MakeStore, folder: Path) -> None:
    """A copy or a conflict that is a pipe holds nothing; an envelope that can't be written is told."""
    store.set("user.name", "Ana", who="owner")
    store.close()
    for file in (".last-good/user.json", "user.json.conflict"):
        (folder / file).unlink(missing_ok=True)
        os.mkfifo(folder / file)
    again = make_store()
    assert again.get("user.name") == "Ana"
    assert again.conflicts() == []
    (folder / ".format.json").unlink()
    os.mkfifo(folder / ".format.json")
    with pytest.raises(StorageError, match="no regular file"):
        make_store()


@pytest.mark.bar("B7")
def test_a_save_of_an_older_version_loses_nothing_of_nolas(store: StateStore, folder: Path) -> None:
    """An editor that did not know of Nola's change saves over it: both stay, and at the same place the owner's does."""
    store.set("user.tea", "black", who="owner")
    editor = (folder / "user.json").read_text(encoding="utf-8")
    store.set("user.name", "Ana", who="nola")
    store.set("user.tea", "white", who="nola")
    (folder / "user.json").write_text(editor.replace('"black"', '"green"'), encoding="utf-8")
    assert store.get("user") == {"tea": "green", "name": "Ana"}
    (conflict,) = store.conflicts()
    assert (conflict.path, conflict.ours, conflict.theirs) == ("user.tea", "white", "green")


def test_an_older_version_that_comes_back_as_it_was_is_meant(store: StateStore, folder: Path) -> None:
    """Whoever copies the previous version over the file wants just that."""
    store.set("user.tea", "black", who="owner")
    before = (folder / "user.json").read_bytes()
    store.set("user.tea", "green", who="nola")
    (folder / "user.json").write_bytes(before)
    assert store.get("user") == {"tea": "black"}
    assert store.conflicts() == []
