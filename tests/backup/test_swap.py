"""Putting a backup in the place of what is there: wholly or not at all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from nola import files
from nola.backup import swap
from nola.backup.manifest import is_cache
from nola.backup.places import Places
from nola.backup.swap import Intent, finish_interrupted
from nola.backup.unpack import unpack
from nola.errors import ConflictError, NolaError
from tests.backup.conftest import Home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.backup.swap import Step

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- another disk, if there is one; the folder in it is private


def lived(home: Home) -> tuple[dict[str, str], dict[str, str]]:
    """Fill a home, make a backup, and change all of it; return its content then and now."""
    home.fill()
    home.write("state/modules/old/deep.txt", b"deep")
    then = home.content()
    home.backups.create()
    home.write("state/user.json", b'{"data": {"changed": true}}')
    (home.places.state / "modules/work.json").unlink()
    home.write("state/modules/garden.json", b"{}")
    home.write("state/.history/more/changes.jsonl", b"{}\n")
    home.write("state/.last-good/user.json", b"{}")
    home.write("state/user.json.bak", b"{}")
    home.write("settings.toml", b"[llm]\nseed = 7\n")
    home.write("state/.lock", b"")
    home.say("three")
    return then, home.content()


def readied(home: Home) -> Intent:
    """Stage the latest backup of a home, up to the point where the intent would be written."""
    manifest, found = unpack(home.backups.find("latest"), swap.stage(home.places))
    assert found == []
    swap.flush(home.places.staged)
    now = [f"state/{p.relative_to(home.places.state)}" for p in home.places.state.rglob("*") if p.is_file()]
    place = tuple(sorted(manifest.paths - {"memory.db"}))
    remove = tuple(sorted(set(now) - set(place) - {"state/.lock"}))
    return Intent("archive", "undo", place, remove, "memory.db.aside-20261120T090000Z")


def todo(home: Home, intent: Intent) -> list[Step]:
    """List everything that is done from the intent on."""
    return [("begin", lambda: swap.begin(home.places, intent)), *swap.steps(home.places, intent)]


def twin(home: Home, folder: Path) -> Home:
    """Copy a home."""
    shutil.copytree(home.path, folder)
    return Home(folder)


def is_tidy(home: Home) -> bool:
    """Tell whether nothing of a restore lies about, and no copy that is made again is left from before."""
    return not home.places.restoring.exists() and not any(
        is_cache(f"state/{p.relative_to(home.places.state)}") for p in home.places.state.rglob("*") if p.is_file()
    )


@pytest.fixture
def fast(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one."""
    if not os.access(SHARED_MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder:
        yield Path(folder)


def test_everything_is_brought_back(home: Home) -> None:
    """State, settings and memory are those of the backup, and nothing of the work is left."""
    then, now = lived(home)
    intent = readied(home)
    assert home.content() == now
    for _, do in todo(home, intent):
        do()
    assert home.content() == then
    assert is_tidy(home)
    assert "old" in home.names("state/modules")
    assert "more" not in home.names("state/.history")


@pytest.mark.bar("J1")
def test_what_is_brought_back_is_private(home: Home) -> None:
    """Files are 0600 and new folders 0700."""
    lived(home)
    shutil.rmtree(home.places.state)
    before = os.umask(0)
    try:
        intent = readied(home)
        for _, do in todo(home, intent):
            do()
    finally:
        os.umask(before)
    for path in [home.places.state, *home.places.state.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.bar("A2")
def test_broken_off_anywhere_it_is_finished_by_the_next_start(home: Home, fast: Path) -> None:
    """After each step the next start finds the rest of the way; each step may have been done twice."""
    then, _ = lived(home)
    intent = readied(home)
    names = [name for name, _ in todo(home, intent)]
    assert len(names) > 15
    for done in range(1, len(names) + 1):
        for times in (1, 2):
            broken = twin(home, fast / f"{done}-{times}")
            for number, (_, do) in enumerate(todo(broken, intent)):
                if number < done:
                    for _ in range(times if number else 1):
                        do()
            had_intent = broken.places.intent.exists()
            assert finish_interrupted(broken.path) == had_intent, names[done - 1]
            assert broken.content() == then, f"broken off after {names[done - 1]!r}"
            assert is_tidy(broken)
            assert not finish_interrupted(broken.path)


@pytest.mark.bar("A2")
def test_without_an_intent_it_ends_half_way(home: Home, fast: Path) -> None:
    """The control: the same steps without the intent leave a home that is neither, after a start too."""
    then, now = lived(home)
    intent = readied(home)
    neither = 0
    steps = [step for step in todo(home, intent) if step[0] not in {"begin", "intent"}]
    for done in range(1, len(steps)):
        broken = twin(home, fast / str(done))
        for _, do in [step for step in todo(broken, intent) if step[0] not in {"begin", "intent"}][:done]:
            do()
        finish_interrupted(broken.path)
        neither += broken.content() not in (then, now)
    assert neither > 10


def test_a_staging_without_an_intent_is_cleared_away(home: Home) -> None:
    """Nothing had changed, and nothing does."""
    _, now = lived(home)
    readied(home)
    assert not finish_interrupted(home.path)
    assert home.content() == now
    assert not home.places.restoring.exists()


def test_a_home_without_a_restore_is_left_alone(home: Home) -> None:
    """The usual start looks once and makes nothing."""
    assert not finish_interrupted(home.path)
    assert home.names() == []
    assert not finish_interrupted(home.path / "not there")


def test_a_restore_that_is_under_way_is_left_alone(home: Home) -> None:
    """While another process unpacks, a start goes on at once and touches nothing of it."""
    _, now = lived(home)
    readied(home)
    other = os.fork()
    if not other:
        os._exit(finish_interrupted(home.path))  # inherits no lock
    assert os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) == 0
    readied(home)
    with files.locked(home.places.lock):
        other = os.fork()
        if not other:
            os._exit(10 + finish_interrupted(home.path))
        assert os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) == 10
        assert home.places.staged.exists()
    assert home.content() == now


def test_the_lock_stays_the_same_file(home: Home) -> None:
    """Who waits for the write lock meanwhile waits for the right one."""
    lived(home)
    before = (home.places.state / ".lock").stat().st_ino
    intent = readied(home)
    for _, do in todo(home, intent):
        do()
    assert (home.places.state / ".lock").stat().st_ino == before


def test_a_database_that_is_held_changes_nothing(home: Home) -> None:
    """The intent is taken back, and the old content stands."""
    _, now = lived(home)
    intent = readied(home)
    with closing(apsw.Connection(str(home.places.database))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ConflictError):
            swap.begin(home.places, intent)
    assert not home.places.intent.exists()
    assert home.content() == now


def test_a_damaged_database_is_set_aside(home: Home) -> None:
    """It is in no backup, so it is kept, with its log, beside the one that is brought back."""
    then, _ = lived(home)
    home.places.database.write_bytes(b"junk" * 2000)
    home.write("memory.db-wal", b"its log")
    intent = readied(home)
    for _, do in todo(home, intent):
        do()
    assert home.content() == then
    assert home.path.joinpath("memory.db.aside-20261120T090000Z").read_bytes() == b"junk" * 2000
    assert home.path.joinpath("memory.db.aside-20261120T090000Z-wal").read_bytes() == b"its log"
    assert "memory.db-wal" not in home.names()


def test_a_state_on_another_disk_stays_there(home: Home, fast: Path) -> None:
    """A folder that its owner mounted somewhere else is filled where it is."""
    if fast.stat().st_dev == home.path.stat().st_dev:
        pytest.skip("there is no second disk here")
    lived(home)
    intent = readied(home)
    places = Places(home.path, fast / "state", home.places.database)
    swap.begin(places, intent)
    swap.go_on(places, intent)
    assert sorted(f"state/{p.relative_to(fast / 'state')}" for p in (fast / "state").rglob("*") if p.is_file()) == [
        name for name in intent.place if name.startswith("state/")
    ]
    assert not home.places.restoring.exists()


def test_what_stands_in_the_way_is_named(home: Home) -> None:
    """A folder where a file belongs, and a file where a folder belongs, unless it goes anyway."""
    home.write("state/user.json/inside", b"x")
    home.write("state/modules", b"x")
    home.places.state.joinpath("linked").symlink_to(home.path)
    intent = Intent("a", "b", ("state/user.json", "state/modules/work.json", "state/linked/x"), (), "aside")
    state = home.places.state
    assert swap.obstacles(home.places, intent) == [
        f"{state / name} stands in the way of what would be brought back" for name in ("linked", "modules", "user.json")
    ]
    leaving = Intent("a", "b", ("state/modules/work.json",), ("state/modules",), "aside")
    assert swap.obstacles(home.places, leaving) == []


def test_an_intent_that_can_not_be_read_is_said(home: Home) -> None:
    """Nothing is guessed."""
    home.write(".restore/intent.json", b"{}")
    with pytest.raises(NolaError, match=r"intent\.json can't be read") as caught:
        finish_interrupted(home.path)
    assert ".restore" in caught.value.fix


def test_the_intent_says_what_will_be_done(home: Home) -> None:
    """It is JSON that a person can read, too."""
    lived(home)
    intent = readied(home)
    swap.begin(home.places, intent)
    row = json.loads(home.places.intent.read_bytes())
    assert (row["archive"], row["undo"]) == ("archive", "undo")
    assert "state/user.json" in row["place"]
    assert "state/modules/garden.json" in row["remove"]


@pytest.mark.faults
def test_a_writer_that_never_ends_is_not_waited_for_for_ever(home: Home) -> None:
    """A start that can't go on says why; the intent stays for the next one."""
    lived(home)
    intent = readied(home)
    swap.begin(home.places, intent)
    read, write = os.pipe()
    other = os.fork()
    if not other:
        with files.locked(home.places.state / ".lock"):
            os.write(write, b"x")
            os.close(write)
            signal.pause()
        os._exit(0)
    os.read(read, 1)
    try:
        with pytest.raises(ConflictError):
            finish_interrupted(home.path)
    finally:
        os.kill(other, 9)
        os.waitpid(other, 0)
        os.close(read)
        os.close(write)
    assert home.places.intent.exists()
    assert finish_interrupted(home.path)
