"""Tests of what sees that files may have changed."""

from __future__ import annotations

import logging
import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from nola.daemon.sight import Sight

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# How watchdog says that the kernel has dropped events.
_OVERFLOW = "Inotify queue overflowed; filesystem events were lost"


class Hints:
    """Counts hints, and can be waited for."""

    def __init__(self) -> None:
        self.count = 0
        self._news = threading.Condition()

    def __call__(self) -> None:
        """Take a hint."""
        with self._news:
            self.count += 1
            self._news.notify_all()

    def after(self, count: int, within_s: float = 10.0) -> bool:
        """Wait for more than so many."""
        with self._news:
            return self._news.wait_for(lambda: self.count > count, within_s)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A state folder."""
    (tmp_path / "state" / "modules").mkdir(parents=True)
    return tmp_path / "state"


@pytest.fixture
def hints() -> Hints:
    """No hint yet."""
    return Hints()


@pytest.fixture
def sight(folder: Path, hints: Hints) -> Iterator[Sight]:
    """What watches the folder."""
    made = Sight(folder, hints)
    made.start()
    yield made
    made.stop()


@pytest.mark.parametrize("name", ["user.json", "modules/garden.json"])
def test_a_change_is_hinted_at(sight: Sight, folder: Path, hints: Hints, name: str) -> None:
    """In the folder and in that of the modules; all is well meanwhile."""
    (folder / name).write_text("{}")
    assert hints.after(0)
    assert (sight.blind(), sight.outdated()) == ("", False)


@pytest.mark.usefixtures("sight")
def test_reading_is_no_change(folder: Path, hints: Hints) -> None:
    """Or every look would be the reason for the next."""
    (folder / "user.json").write_text("{}")
    for _ in range(500):
        (folder / "user.json").read_bytes()
    for number in range(10):
        (folder / f"{number}.json").touch()
    assert hints.after(9)  # events come in their order: those of the reads would have come before
    assert hints.count < 100


def test_a_folder_behind_a_link_is_watched(folder: Path, tmp_path: Path, hints: Hints) -> None:
    """As people keep their dotfiles."""
    (tmp_path / "link").symlink_to(folder)
    sight = Sight(tmp_path / "link", hints)
    sight.start()
    (folder / "user.json").write_text("{}")
    assert hints.after(0)
    assert sight.blind() == ""
    sight.stop()


def test_a_folder_that_is_not_there_cannot_be_watched(tmp_path: Path, hints: Hints) -> None:
    """And leaves no thread behind."""
    before = set(threading.enumerate())
    sight = Sight(tmp_path / "state", hints)
    with pytest.raises(FileNotFoundError):
        sight.start()
    sight.stop()
    assert set(threading.enumerate()) == before


@pytest.mark.bar("C4")
def test_a_replaced_folder_makes_blind(sight: Sight, folder: Path, tmp_path: Path) -> None:
    """By another one, by none, and by one that is made in its place."""
    folder.rename(tmp_path / "old")
    assert sight.blind() == "the state folder was replaced"
    (tmp_path / "old").rename(folder)
    assert sight.blind() == ""


@pytest.mark.bar("C4")
def test_a_folder_that_was_deleted_makes_blind_for_good(sight: Sight, folder: Path, hints: Hints) -> None:
    """Even when the one that is made in its place has the old one's number."""
    shutil.rmtree(folder)
    (folder / "modules").mkdir(parents=True)
    waits = 0
    while not sight.blind():
        waits += 1
        assert waits < 200
        hints.after(hints.count, within_s=0.05)
    assert "replaced" in sight.blind()


def test_modules_that_come_and_go_make_outdated_and_not_blind(sight: Sight, folder: Path) -> None:
    """That is no trouble; they only need to be watched anew."""
    (folder / "modules").rmdir()
    assert (sight.blind(), sight.outdated()) == ("", True)


@pytest.mark.bar("C4")
def test_lost_events_make_blind(sight: Sight, hints: Hints, capfd: pytest.CaptureFixture[str]) -> None:
    """What the kernel dropped may have been anything; nothing is printed about it."""
    logging.getLogger("watchdog.observers.inotify_c").warning(_OVERFLOW)
    assert hints.after(0)
    assert "not reported" in sight.blind()
    assert capfd.readouterr().err == ""


def test_stopping_leaves_no_thread(folder: Path, hints: Hints) -> None:
    """Nor an ear; stopping twice is fine."""
    before = set(threading.enumerate())
    sight = Sight(folder, hints)
    sight.start()
    assert len(set(threading.enumerate()) - before) >= 3
    sight.stop()
    sight.stop()
    assert set(threading.enumerate()) == before
    assert logging.getLogger("watchdog").handlers == []
