"""Tests of the watcher: edits of every kind are seen, own saves are not, and trouble ends nothing."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from typing import TYPE_CHECKING

import pytest

from nola.clock import SystemClock
from nola.daemon.watch import Watcher
from nola.errors import StorageError
from nola.flow import Seen
from nola.settings import StateSettings
from tests.daemon.fakes import FakeStore, Heard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUICK = StateSettings(debounce=0.02, poll=0.2)
BY_EVENTS = StateSettings(debounce=0.02, poll=3600.0)


class Watched:
    """A folder that is watched.

    Attributes:
        folder: It.
        store: What looks at it.
        heard: What was told.
        watcher: What watches it.
    """

    def __init__(self, folder: Path, settings: StateSettings) -> None:
        self.folder = folder
        self.store = FakeStore(folder)
        self.heard = Heard()
        self.watcher = Watcher(
            folder,
            self.store.look,
            settings=settings,
            clock=SystemClock(),
            told=self.heard.told,
            degraded=self.heard.degraded,
        )

    def start(self) -> None:
        """Start, and wait for the first look."""
        self.watcher.start()
        assert self.store.until_looked(1)

    def sees(self, name: str, times: int = 1) -> bool:
        """Wait until a module was told to have changed."""
        return self.heard.until(lambda: self.heard.changes_of(name) >= times)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A state folder with two modules."""
    (tmp_path / "state" / "modules").mkdir(parents=True)
    (tmp_path / "state" / "user.json").write_text('{"data": 1}')
    (tmp_path / "state" / "modules" / "garden.json").write_text('{"data": 1}')
    return tmp_path / "state"


@pytest.fixture
def watched(folder: Path) -> Iterator[Watched]:
    """A folder whose changes are seen by events alone."""
    made = Watched(folder, BY_EVENTS)
    made.start()
    assert made.sees("user")
    yield made
    made.watcher.stop()


@pytest.fixture
def polled(folder: Path) -> Iterator[Watched]:
    """A folder that is also looked at five times a second."""
    made = Watched(folder, QUICK)
    made.start()
    assert made.sees("user")
    yield made
    made.watcher.stop()


def in_place(path: Path, text: str) -> None:
    """Save as nano does."""
    path.write_text(text)


def by_rename(path: Path, text: str) -> None:
    """Save as VS Code and sed -i do."""
    temp = path.with_name("save-a1b2")
    temp.write_text(text)
    temp.rename(path)


def like_vim(path: Path, text: str) -> None:
    """Save as vim does with backupcopy=no: the file is away for a moment."""
    path.rename(path.with_name(path.name + "~"))
    path.write_text(text)
    path.with_name(path.name + "~").unlink()


def from_elsewhere(path: Path, text: str) -> None:
    """Save as git checkout does: by renaming from another folder."""
    temp = path.parent.parent / f"outside-{path.name}.part"
    temp.write_text(text)
    temp.rename(path)


def deleted_and_made(path: Path, text: str) -> None:
    """Delete, and make anew."""
    path.unlink()
    path.write_text(text)


@pytest.mark.bar("C1")
@pytest.mark.parametrize("save", [in_place, by_rename, like_vim, from_elsewhere, deleted_and_made])
@pytest.mark.parametrize("name", ["user", "modules/garden"])
def test_every_kind_of_save_is_seen_by_its_events(
    watched: Watched, save: Callable[[Path, str], None], name: str
) -> None:
    """No poll is needed, neither for the core nor for the owner's own modules."""
    module = name.rpartition("/")[2]
    before = watched.heard.changes_of(module)
    save(watched.folder / f"{name}.json", '{"data": 2}')
    assert watched.sees(module, before + 1)
    assert watched.store.content[module] == {"data": 2}


@pytest.mark.bar("C1")
def test_what_gives_no_event_is_seen_by_polling(polled: Watched, tmp_path: Path) -> None:
    """A write through a hard link in another folder."""
    os.link(polled.folder / "user.json", tmp_path / "elsewhere.json")
    (tmp_path / "elsewhere.json").write_text('{"data": 3}')
    assert polled.sees("user", 2)


def test_modules_that_come_later_are_seen(watched: Watched) -> None:
    """A folder of modules that is removed and made again is watched again, without a complaint."""
    looks = len(watched.store.looks)
    shutil.rmtree(watched.folder / "modules")
    assert watched.store.until_looked(looks + 1)
    (watched.folder / "modules").mkdir()
    (watched.folder / "modules" / "boat.json").write_text("{}")
    assert watched.sees("boat")
    (watched.folder / "modules" / "boat.json").write_text('{"data": 2}')
    assert watched.sees("boat", 2)
    assert watched.heard.complaints == []


@pytest.mark.bar("C5")
def test_own_saves_tell_nothing(watched: Watched) -> None:
    """A hundred of them; and no look hears itself."""
    told = len(watched.heard.seen)
    for number in range(100):
        watched.store.own_save("user", {"data": number})
    in_place(watched.folder / "modules" / "garden.json", '{"data": "the last"}')
    assert watched.sees("garden", 2)
    assert [seen.changed for seen in watched.heard.seen[told:]] == [("garden",)]
    looks = len(watched.store.looks)
    watched.watcher.hint()
    assert watched.store.until_looked(looks + 1)
    assert len(watched.store.looks) == looks + 1


@pytest.mark.bar("C5")
def test_control_own_saves_that_are_not_told_apart_would_be_news(watched: Watched) -> None:
    """The same write by anybody else is told."""
    temp = watched.folder / ".nola-1-user.tmp"
    temp.write_text('{"data": 77}')
    temp.rename(watched.folder / "user.json")
    assert watched.sees("user", 2)


def test_what_is_no_module_leads_to_no_look(watched: Watched) -> None:
    """Junk, dotted files and copies."""
    looks = len(watched.store.looks)
    for name in ("junk.txt", ".instance", ".nola-1-a.tmp", ".user.json.swp", "user.json.bak", "user.json~"):
        (watched.folder / name).write_text("x")
        (watched.folder / name).unlink()
    in_place(watched.folder / "user.json", '{"data": 5}')
    assert watched.sees("user", 2)
    assert len(watched.store.looks) == looks + 1


@pytest.mark.bar("C3")
def test_looks_never_crowd(watched: Watched) -> None:
    """Of two thousand rewrites, at most one look in each debounce, and the last content is the one that stands."""
    for number in range(2000):
        in_place(watched.folder / "user.json", json.dumps({"data": number}))
    assert watched.heard.until(lambda: watched.store.content["user"] == {"data": 1999})
    gaps = [later - earlier for earlier, later in zip(watched.store.looks, watched.store.looks[1:], strict=False)]
    assert min(gaps) >= 0.02


@pytest.mark.bar("C2")
def test_a_broken_file_is_told_and_its_mending_too(watched: Watched) -> None:
    """By events and second looks alone, within three seconds; a poll is not needed."""
    in_place(watched.folder / "user.json", '{"data": ')
    began = time.monotonic()
    assert watched.heard.until(lambda: bool(watched.heard.seen[-1].problems))
    assert time.monotonic() - began <= 3.0
    in_place(watched.folder / "user.json", '{"data": 8}')
    assert watched.heard.until(lambda: watched.heard.seen[-1] == Seen(("user",), ()))


@pytest.mark.bar("C1")
def test_a_file_that_is_written_slowly_is_no_error(watched: Watched) -> None:
    """Its writer pauses in the middle, and ends well before the doubt is over."""
    with (watched.folder / "user.json").open("w") as file:
        looks = len(watched.store.looks)
        file.write('{"data":')
        file.flush()
        assert watched.store.until_looked(looks + 1)
        file.write(" 9}")
    assert watched.sees("user", 2)
    assert [seen.problems for seen in watched.heard.seen] == [()] * len(watched.heard.seen)


@pytest.mark.bar("C4")
def test_a_folder_that_is_replaced_is_told_and_watched_anew(polled: Watched, tmp_path: Path) -> None:
    """What changes in the new one is seen, first by polling and then by events."""
    shutil.copytree(polled.folder, tmp_path / "new")
    in_place(tmp_path / "new" / "user.json", '{"data": "new"}')
    polled.folder.rename(tmp_path / "old")
    (tmp_path / "new").rename(polled.folder)
    assert polled.sees("user", 2)
    assert polled.heard.until(lambda: len(polled.heard.complaints) == 1)
    assert "replaced" in polled.heard.complaints[0]
    in_place(polled.folder / "user.json", '{"data": "newer"}')
    assert polled.sees("user", 3)
    assert polled.watcher.trouble == ""


@pytest.mark.bar("C4")
def test_a_folder_that_goes_and_comes_back_is_told_once(polled: Watched) -> None:
    """Meanwhile the polling goes on, and then all is well again."""
    shutil.rmtree(polled.folder)
    assert polled.heard.until(lambda: any("can't be watched" in why for why in polled.heard.complaints))
    looks = len(polled.store.looks)
    assert polled.store.until_looked(looks + 3)
    assert "can't be watched (No such file or directory)" in polled.watcher.trouble
    assert sum("can't be watched" in why for why in polled.heard.complaints) == 1
    (polled.folder / "modules").mkdir(parents=True)
    in_place(polled.folder / "user.json", '{"data": "back"}')
    assert polled.sees("user", 2)
    assert polled.store.until_looked(len(polled.store.looks) + 1)
    assert polled.watcher.trouble == ""


@pytest.mark.bar("C4")
def test_a_watching_thread_that_ends_is_noticed(polled: Watched) -> None:
    """It is told, and another one takes its place."""
    for thread in threading.enumerate():
        if type(thread).__name__.endswith("Emitter"):
            thread.stop()  # type: ignore[attr-defined]  # watchdog's threads have it
    assert polled.heard.until(lambda: bool(polled.heard.complaints))
    assert "it is watched anew" in polled.heard.complaints[0]
    in_place(polled.folder / "user.json", '{"data": 4}')
    assert polled.sees("user", 2)


def test_a_look_that_fails_is_told_once_and_tried_again(polled: Watched) -> None:
    """Refusals and bugs alike; the watching goes on, and afterwards all is well."""
    polled.store.fails = StorageError("state", "no space left")
    assert polled.heard.until(lambda: len(polled.heard.complaints) == 1)
    assert polled.heard.complaints == ["could not write state: no space left"]
    polled.store.fails = ZeroDivisionError("a bug")
    assert polled.heard.until(lambda: len(polled.heard.complaints) == 2)
    looks = len(polled.store.looks)
    assert polled.store.until_looked(looks + 3)
    assert polled.heard.complaints[1].startswith("a look at the files failed: ZeroDivisionError at fakes.py:")
    assert len(polled.heard.complaints) == 2
    polled.store.fails = None
    in_place(polled.folder / "user.json", '{"data": 6}')
    assert polled.sees("user", 2)
    assert polled.watcher.trouble == ""


def test_a_listener_with_a_bug_ends_nothing(folder: Path) -> None:
    """It is told, and the next look is told again."""
    store, heard = FakeStore(folder), Heard()

    def told(seen: Seen) -> None:
        heard.told(seen)
        raise ZeroDivisionError("a bug")

    def degraded(why: str) -> None:
        heard.degraded(why)
        raise ZeroDivisionError("another one")

    watcher = Watcher(folder, store.look, settings=QUICK, clock=SystemClock(), told=told, degraded=degraded)
    watcher.start()
    assert heard.until(lambda: len(heard.complaints) == 1)
    in_place(folder / "user.json", '{"data": 2}')
    assert heard.until(lambda: heard.changes_of("user") == 2)
    watcher.stop()
    assert "could not be told: ZeroDivisionError at test_watch.py:" in heard.complaints[0]


def test_no_thread_is_left(folder: Path) -> None:
    """After the stop, which takes less than two seconds, also in the midst of a storm."""
    before = set(threading.enumerate())
    watched = Watched(folder, QUICK)
    watched.start()
    for number in range(500):
        in_place(folder / "user.json", f'{{"data": {number}}}')
    began = time.monotonic()
    watched.watcher.stop()
    assert time.monotonic() - began < 2
    assert set(threading.enumerate()) == before


def test_a_watcher_that_never_started_can_be_stopped(folder: Path) -> None:
    """Whoever stops in reverse need not know how far the start came."""
    before = set(threading.enumerate())
    watched = Watched(folder, QUICK)
    watched.watcher.stop()
    assert set(threading.enumerate()) == before
    assert watched.store.looks == []
