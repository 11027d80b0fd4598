"""Tests of what the store refuses to believe, and of whom it lets near: emptied files, links and strangers."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import NolaError, PathError, StorageError
from nola.settings import StateSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.testing import ManualClock
    from nola.types import Json

    from .conftest import MakeStore

    OwnerWrites = Callable[[str, Json], None]

SOME: dict[str, Json] = {"name": "Ana", "city": "Ptuj", "age": 40}


def module(data: Json) -> dict[str, Json]:
    """Make a file's content."""
    return {"metadata": {"context_level": 2}, "data": data}


def told(store: StateStore) -> list[tuple[str, str]]:
    """Shorten the problems to the file and the sentence."""
    return [(problem.file, problem.message) for problem in store.problems()]


@pytest.fixture
def known(store: StateStore, owner_writes: OwnerWrites) -> StateStore:
    """A store that knows three values and three modules of the owner's."""
    owner_writes("user.json", module(SOME))
    for name in ("boat", "home", "work"):
        owner_writes(f"modules/{name}.json", module({"a": 1}))
    store.get()
    return store


EMPTIED = (
    "user.json",
    "the file was emptied; the last good values are in use; if you meant it: nola state accept user",
)
ALL_GONE = (
    "modules",
    "all modules are gone at once; the last good versions are in use; if you meant it: nola state accept modules",
)


def test_a_file_that_was_emptied_at_once_is_not_believed(known: StateStore, owner_writes: OwnerWrites) -> None:
    """Its last good values are served and its bytes stay, until the owner says that it was meant."""
    owner_writes("user.json", module({}))
    assert known.get("user") == SOME
    assert told(known) == [EMPTIED]
    assert known.look().changed == ("boat", "home", "user", "work")
    known.accept("user")
    assert known.get("user") == {}
    assert told(known) == []
    taken = known.changes("user", limit=3)
    assert [(one.path, one.who, one.via) for one in reversed(taken)] == [
        ("user.name", "owner", "editor"),
        ("user.city", "owner", "editor"),
        ("user.age", "owner", "editor"),
    ]
    for one in taken:
        known.undo(one.id, who="owner")
    assert known.get("user") == SOME


def test_an_emptied_file_is_not_believed_after_a_restart(
    known: StateStore, make_store: MakeStore, owner_writes: OwnerWrites
) -> None:
    """The copy of the last good version tells."""
    known.close()
    owner_writes("user.json", module({}))
    again = make_store()
    assert again.get("user") == SOME
    assert told(again) == [EMPTIED]


def test_what_one_process_accepts_another_one_believes(
    known: StateStore, make_store: MakeStore, owner_writes: OwnerWrites, clock: ManualClock
) -> None:
    """The command line says so, and the daemon goes on with it."""
    owner_writes("user.json", module({}))
    assert known.get("user") == SOME
    clock.advance(1)
    assert known.get("user") == SOME
    other = make_store()
    other.accept("user")
    assert other.get("user") == {}
    assert known.get("user") == {}
    assert told(known) == []
    known.set("user.name", "Bor", who="owner")


def test_an_emptied_file_that_is_filled_again_needs_no_word(known: StateStore, owner_writes: OwnerWrites) -> None:
    """The problem goes by itself."""
    owner_writes("user.json", module({}))
    known.get("user")
    owner_writes("user.json", module({**SOME, "age": 41}))
    assert known.get("user.age") == 41
    assert told(known) == []


def test_a_word_for_one_emptying_does_not_hold_for_the_next(known: StateStore, owner_writes: OwnerWrites) -> None:
    """Accepting what is not emptied accepts nothing, and says so."""
    with pytest.raises(NolaError, match="nothing in user waits to be accepted"):
        known.accept("user")
    owner_writes("user.json", module({}))
    assert known.get("user") == SOME
    with pytest.raises(PathError, match="no module of that name"):
        known.accept("nowhere")


def test_all_modules_gone_at_once_are_not_believed(known: StateStore, folder: Path) -> None:
    """They keep being served until the owner says that it was meant; undo brings one back."""
    for file in (folder / "modules").glob("*.json"):
        file.unlink()
    assert known.get("work.a") == 1
    assert told(known)[-1] == ALL_GONE
    known.accept("modules")
    assert known.module_names() == ["machineID", "user"]
    assert told(known) == []
    gone = {change.path: change.id for change in known.changes(limit=3)}
    assert sorted(gone) == ["boat", "home", "work"]
    known.undo(gone["work"], who="owner")
    assert known.get("work") == {"a": 1}


def test_all_modules_gone_are_believed_when_another_process_heard_the_owner(
    known: StateStore, make_store: MakeStore, folder: Path
) -> None:
    """The command line accepts it, and the daemon goes on with it; each is recorded once."""
    known.close()
    for file in (folder / "modules").glob("*.json"):
        file.unlink()
    assert known.module_names() == ["machineID", "user", "boat", "home", "work"]
    other = make_store()
    assert told(other)[-1] == ALL_GONE
    other.accept("modules")
    assert known.module_names() == ["machineID", "user"]
    assert told(known) == []
    assert len([change for change in known.changes() if not change.new_present]) == 3


@pytest.mark.parametrize("count", [1, 3])
def test_a_folder_of_modules_that_is_gone_loses_none(
    store: StateStore, make_store: MakeStore, owner_writes: OwnerWrites, folder: Path, count: int
) -> None:
    """Not while Nola runs, and not when she starts."""
    for number in range(count):
        owner_writes(f"modules/m{number}.json", module({"a": number}))
    store.get()
    store.close()
    (folder / "modules").rename(folder.parent / "away")
    assert store.get("m0.a") == 0
    again = make_store()
    assert again.get("m0.a") == 0
    assert [change for change in again.changes() if not change.new_present] == []
    for file in (folder.parent / "away").glob("*.json"):
        (folder / "modules").mkdir(exist_ok=True)
        file.rename(folder / "modules" / file.name)
    assert again.get("m0.a") == 0
    assert told(again) == []


def test_one_module_that_was_deleted_is_recorded_and_comes_back(known: StateStore, folder: Path) -> None:
    """With its level and everything else in its metadata."""
    before = orjson.loads((folder / "modules/work.json").read_bytes())
    (folder / "modules/work.json").unlink()
    assert known.module_names() == ["machineID", "user", "boat", "home"]
    change = known.changes(limit=1)[0]
    assert (change.path, change.who, change.via, change.new_present) == ("work", "owner", "editor", False)
    known.undo(change.id, who="owner")
    after = orjson.loads((folder / "modules/work.json").read_bytes())
    assert after["data"] == before["data"]
    assert after["metadata"]["context_level"] == 2


# --- who may ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def open_umask() -> Iterator[None]:
    """A umask that takes nothing away."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.bar("J1")
@pytest.mark.usefixtures("open_umask")
def test_everything_is_private_whatever_the_umask(make_store: MakeStore, folder: Path, clock: ManualClock) -> None:
    """Folders 0700 and files 0600: documents, copies, backups, conflicts, history, lock and envelope."""
    store = make_store()
    store.set("work.a", 1, who="owner")
    store.set("work.a", 2, who="owner")
    clock.advance(1)
    store.get()
    (folder / "modules/work.json").write_bytes(b'{"data": {"a": 3}}')
    with pytest.raises(NolaError):
        store.set("work.a", 4, who="nola")
    (folder / "modules/work.json").chmod(0o600)
    store.close()
    wrong = [
        str(path.relative_to(folder))
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) != (0o700 if path.is_dir() else 0o600)
    ]
    assert wrong == []
    names = {path.name for path in folder.rglob("*")}
    assert names > {".lock", ".format.json", "changes.jsonl", "work.json.bak", "work.json.conflict", ".last-good"}


@pytest.mark.bar("J1")
def test_a_state_folder_that_is_a_link_is_refused(make_store: MakeStore, folder: Path) -> None:
    """In one sentence, and nothing is made behind it."""
    (folder.parent / "elsewhere").mkdir()
    folder.symlink_to(folder.parent / "elsewhere")
    with pytest.raises(StorageError, match=r"it is a link$"):
        make_store()
    assert list((folder.parent / "elsewhere").iterdir()) == []


@pytest.mark.bar("J1")
def test_a_state_folder_of_somebody_else_is_refused(make_store: MakeStore, folder: Path) -> None:
    """Whoever may write there may change what Nola knows."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    with pytest.raises(StorageError, match="it belongs to another user"):
        make_store()
    assert list(folder.iterdir()) == []


@pytest.mark.bar("J1")
def test_a_file_of_somebody_else_is_not_read(known: StateStore, folder: Path) -> None:
    """The last good version is served, and the problem says why."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    (folder / "user.json").write_bytes(orjson.dumps(module({"name": "Mallory"})))
    os.chown(folder / "user.json", 12345, 12345)
    assert known.get("user.name") == "Ana"
    assert told(known) == [("user.json", "it can't be read: it belongs to another user")]


@pytest.mark.bar("J2")
def test_a_link_in_place_of_the_history_is_not_followed(known: StateStore, folder: Path, tmp_path: Path) -> None:
    """Nothing outside is written, and the change is refused."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"mine\n")
    (folder / ".history/changes.jsonl").rename(tmp_path / "away")
    (folder / ".history/changes.jsonl").symlink_to(secret)
    with pytest.raises(StorageError):
        known.set("user.name", "Bor", who="owner")
    assert secret.read_bytes() == b"mine\n"
    assert known.get("user.name") == "Ana"


@pytest.mark.bar("A7")
def test_a_state_that_can_not_be_written_can_be_read(make_store: MakeStore, folder: Path) -> None:
    """The lock can't be had at the start."""
    make_store().close()
    (folder / ".lock").unlink()
    (folder / ".lock").symlink_to("/nowhere/lock")
    store = make_store(settings=StateSettings(lock_timeout=0.1))
    assert store.get("Nola.name") == "Nola"
    with pytest.raises(StorageError):
        store.set("user.name", "Ana", who="owner")


def test_what_nola_emptied_herself_needs_no_word(known: StateStore, make_store: MakeStore) -> None:
    """She was killed before the copy was made, and another start finds the file empty: that is recorded as hers."""
    known.close()
    known.set("user", {}, who="owner", via="command line")
    known.get("Nola")
    again = make_store()
    assert again.get("user") == {}
    assert told(again) == []
    assert again.changes() == known.changes()
