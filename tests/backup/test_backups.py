"""The backups of one home."""

from __future__ import annotations

import os
import stat
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from nola import files
from nola.backup.names import Kind
from nola.errors import ConflictError, NolaError, UsageError
from nola.settings import BackupSettings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.backup.conftest import Home

DAY = 86_400.0


def test_they_are_listed_newest_first(full: Home) -> None:
    """By their names alone: what else lies there is passed over."""
    assert full.backups.list() == []
    first = full.backups.create()
    full.clock.advance(DAY)
    second = full.backups.create(Kind.BEFORE_IMPORT)
    full.write("backups/notes.txt", b"")
    full.write("backups/nola-20261121T090000Z-daily.tar.gz.part", b"")
    (full.path / "backups/nola-20261122T090000Z-daily.tar.gz").mkdir()
    assert full.backups.list() == [second, first]
    assert [info.kind for info in full.backups.list()] == [Kind.BEFORE_IMPORT, Kind.MANUAL]
    assert first.created == datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.bar("J1")
def test_the_folder_is_private(full: Home) -> None:
    """0700 whatever the umask, also when somebody opened it; every file in it 0600."""
    before = os.umask(0)
    try:
        full.backups.create()
        full.backups.folder.chmod(0o755)
        full.backups.verify("latest")
    finally:
        os.umask(before)
    assert stat.S_IMODE(full.backups.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in full.backups.folder.iterdir()} == {0o600}


def test_one_is_found_by_name_path_or_as_the_latest(full: Home, tmp_path: Path) -> None:
    """A backup from the future is the latest only when it is alone."""
    with pytest.raises(UsageError, match="there are no backups yet"):
        full.backups.find("latest")
    info = full.backups.create()
    elsewhere = full.backups.create(output=tmp_path / "elsewhere.tar.gz")
    full.write("backups/nola-20991120T090000Z-daily.tar.gz", b"")
    assert full.backups.find("latest") == full.backups.find(info.name) == info.path
    assert full.backups.find(str(elsewhere.path)) == elsewhere.path
    with pytest.raises(UsageError, match="no backup is called 'other'"):
        full.backups.find("other")


def test_one_is_deleted_by_its_name_alone(full: Home, tmp_path: Path) -> None:
    """Neither a path nor `latest` will do, so that nothing else is ever deleted."""
    info = full.backups.create()
    other = full.backups.create(output=tmp_path / "nola-20261120T090000Z-manual.tar.gz").path
    for name in ("latest", str(other), f"../backups/{info.name}", ""):
        with pytest.raises(UsageError, match="no backup is called"):
            full.backups.delete(name)
    assert full.backups.delete(info.name) == info
    assert full.backups.list() == []
    assert other.exists()


def test_a_day_of_hers_is_one_backup(full: Home) -> None:
    """However often it is asked; the first of a week is the weekly one."""
    made = []
    for _ in range(3):
        made += [info.kind for info in full.backups.run_due()]
        made += [info.kind for info in full.backups.run_due()]
        full.clock.advance(DAY)
    assert made == [Kind.WEEKLY, Kind.DAILY, Kind.DAILY]
    assert all(full.backups.verify(info.name).ok for info in full.backups.list())


def test_the_oldest_of_hers_go(full: Home) -> None:
    """The owner's own stay."""
    full.settings = BackupSettings(daily=2, weekly=1)
    mine = full.backups.create()
    for _ in range(15):
        full.backups.run_due()
        full.clock.advance(DAY)
    kinds = [info.kind for info in full.backups.list()]
    assert (kinds.count(Kind.DAILY), kinds.count(Kind.WEEKLY), kinds.count(Kind.MANUAL)) == (2, 1, 1)
    assert mine in full.backups.list()


def test_backups_before_something_are_thinned_out_at_once(full: Home) -> None:
    """Also where nothing runs on a schedule; the one that is being brought back is spared until it is."""
    full.settings = BackupSettings(before=2)
    names = []
    for _ in range(4):
        full.clock.advance(60)
        names.append(full.backups.create(Kind.BEFORE_IMPORT).name)
    assert [info.name for info in full.backups.list()] == [names[3], names[2]]
    full.clock.advance(60)
    done = full.backups.restore(names[2])
    assert {info.name for info in full.backups.list()} == {done.undo.name, names[3], names[2]}


def test_none_are_made_when_none_are_wanted(full: Home) -> None:
    """Then not even the folder is."""
    full.settings = BackupSettings(scheduled=False)
    assert full.backups.run_due() == []
    assert "backups" not in full.names()


def test_a_schedule_does_not_wait_for_others(full: Home) -> None:
    """While another thread or process is at work, the schedule's next turn comes."""
    files.make_private_dir(full.backups.folder)
    seen: list[int] = []
    with files.locked(full.places.lock):
        other = threading.Thread(target=lambda: seen.append(len(full.backups.run_due())))
        other.start()
        other.join(20)
    assert seen == [0]
    assert len(full.backups.run_due()) == 1


def test_what_the_killed_left_is_swept_away(full: Home) -> None:
    """Half archives, snapshots and trial folders of processes that are gone; nothing of others."""
    full.write("backups/.nola-999999999-ab.tmp", b"half")
    full.write("backups/.nola-999999999-ab.tmp-journal", b"")
    full.write("backups/.nola-999999999-cd.tmp/state/user.json", b"{}")
    full.write(f"backups/.nola-{os.getppid()}-ef.tmp", b"somebody's")
    full.write("backups/.nola-notes.tmp", b"mine")
    full.backups.create()
    assert set(full.names("backups")) == {
        f".nola-{os.getppid()}-ef.tmp",
        ".nola-notes.tmp",
        ".lock",
        "nola-20261120T090000Z-manual.tar.gz",
    }


def test_verifying_leaves_nothing(full: Home) -> None:
    """The folder in which it was tried is gone, also when the archive is bad."""
    full.backups.create()
    bad = full.write("backups/nola-20261120T080000Z-manual.tar.gz", b"junk")
    full.backups.verify("latest")
    with pytest.raises(NolaError, match="damaged"):
        full.backups.verify(bad.name)
    assert [name for name in full.names("backups") if name.startswith(".nola")] == []


def test_two_threads_take_turns(full: Home) -> None:
    """Backups that are asked for at the same time are made one after another, each whole."""
    failures: list[BaseException] = []

    def make() -> None:
        try:
            full.backups.create()
        except ConflictError as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []
    assert len(full.backups.list()) == 6
    assert all(full.backups.verify(info.name).ok for info in full.backups.list())
