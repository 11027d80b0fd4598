"""Tests of wishes on their way to disk: what the disk refuses waits, and comes neither twice nor too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.errors import ConflictError, NolaError, StorageError
from nola.state.history import FILE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.types import Json

    OwnerWrites = Callable[[str, Json], None]


class Disk:
    """A disk that can be made to refuse every change of the state, and to take them again."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._kept = folder / "kept.jsonl"

    def refuse(self) -> None:
        """Put a folder where the history stands."""
        if self._file.exists():
            self._file.rename(self._kept)
        self._file.mkdir(parents=True)

    def recover(self) -> None:
        """Take it away again."""
        self._file.rmdir()
        if self._kept.exists():
            self._kept.rename(self._file)


@pytest.fixture
def disk(folder: Path) -> Disk:
    """The disk of the test's state folder."""
    return Disk(folder)


def test_what_the_disk_refused_is_saved_later(store: StateStore, disk: Disk) -> None:
    """The caller is told, nothing changed, a problem says that it waits; then it is saved, once."""
    disk.refuse()
    for _ in range(2):
        with pytest.raises(StorageError):
            store.set("user.name", "Ana", who="nola", via="chat")
    assert store.get("user") == {}
    assert store.retry_pending() == []
    assert [problem.message.partition(":")[0] for problem in store.problems()] == ["a change waits to be saved"]
    disk.recover()
    (saved,) = store.retry_pending()
    assert (saved.path, saved.new, saved.who, saved.via) == ("user.name", "Ana", "nola", "chat")
    assert store.get("user.name") == "Ana"
    assert store.problems() == []
    assert store.retry_pending() == []


def test_a_newer_write_of_the_same_place_takes_the_older_ones_place(store: StateStore, disk: Disk) -> None:
    """An old value never comes after a newer one."""
    disk.refuse()
    with pytest.raises(StorageError):
        store.set("user.name", "Ana", who="nola")
    with pytest.raises(StorageError):
        store.set("user.city", "Ptuj", who="nola")
    disk.recover()
    store.set("user.name", "Bor", who="nola")
    assert [change.path for change in store.retry_pending()] == ["user.city"]
    assert store.get("user") == {"name": "Bor", "city": "Ptuj"}


def test_a_write_that_is_tried_again_by_its_caller_is_not_saved_twice(store: StateStore, disk: Disk) -> None:
    """The same wish, granted, no longer waits."""
    disk.refuse()
    with pytest.raises(StorageError):
        store.append("user.tags", "a", who="nola")
    disk.recover()
    store.append("user.tags", "a", who="nola")
    assert store.retry_pending() == []
    assert store.get("user.tags") == ["a"]


def test_another_item_of_a_list_does_not_take_the_place_of_one_that_waits(store: StateStore, disk: Disk) -> None:
    """Both are added."""
    disk.refuse()
    with pytest.raises(StorageError):
        store.append("user.tags", "a", who="nola")
    disk.recover()
    store.append("user.tags", "b", who="nola")
    store.retry_pending()
    assert store.get("user.tags") == ["b", "a"]


def test_what_waits_does_not_overwrite_what_the_owner_wrote_since(
    store: StateStore, disk: Disk, owner_writes: OwnerWrites
) -> None:
    """The owner's value stands, and the one that waited is kept as a conflict."""
    store.set("user.name", "Ana", who="nola")
    disk.refuse()
    with pytest.raises(StorageError):
        store.set("user.name", "Bor", who="nola")
    disk.recover()
    owner_writes("user.json", {"data": {"name": "Cene"}})
    assert store.get("user.name") == "Cene"
    assert store.retry_pending() == []
    assert store.get("user.name") == "Cene"
    assert [(one.path, one.ours, one.theirs) for one in store.conflicts()] == [("user.name", "Bor", "Cene")]
    assert [problem.file for problem in store.problems()] == ["user.json"]


def test_a_wish_that_became_impossible_waits_with_the_reason(store: StateStore, disk: Disk, folder: Path) -> None:
    """The file was broken meanwhile; mended, the wish is granted."""
    disk.refuse()
    with pytest.raises(StorageError):
        store.set("user.name", "Ana", who="nola")
    disk.recover()
    (folder / "user.json").write_bytes(b"{")
    assert store.retry_pending() == []
    assert "a change waits to be saved: user.json, line 1" in store.problems()[0].message
    (folder / "user.json").write_bytes(b'{"data": {}}')
    assert [change.path for change in store.retry_pending()] == ["user.name"]


def test_an_update_or_an_undo_does_not_wait(store: StateStore, disk: Disk) -> None:
    """Its caller decides what to do: what it was made of may be another by then."""
    change = store.set("user.name", "Ana", who="nola")
    disk.refuse()
    with pytest.raises(StorageError):
        store.update("user.name", lambda _: "Bor", who="nola")
    with pytest.raises(NolaError):
        store.undo(change.id, who="nola")
    disk.recover()
    assert store.problems() == []
    assert store.get("user.name") == "Ana"


def test_a_conflict_that_can_not_be_kept_is_no_acknowledgement(
    store: StateStore, owner_writes: OwnerWrites, folder: Path
) -> None:
    """The disk refuses the file of conflicts: the wish waits instead of being forgotten."""
    store.set("user.name", "Ana", who="nola")
    (folder / "user.json.conflict").mkdir()
    owner_writes("user.json", {"data": {"name": "Cene"}})
    with pytest.raises(StorageError):
        store.set("user.name", "Bor", who="nola")
    assert store.get("user.name") == "Cene"
    assert "a change waits to be saved" in store.problems()[0].message


def test_a_path_that_can_not_be_read_is_told_to_its_caller(store: StateStore) -> None:
    """It disturbs nobody else."""
    with pytest.raises(NolaError, match="a step is empty"):
        store.set("user..x", 1, who="nola")
    first = store.set("user.x", 1, who="nola")
    store.set("user.x", 2, who="nola")
    with pytest.raises(ConflictError, match="changed again"):
        store.undo(first.id, who="nola")
