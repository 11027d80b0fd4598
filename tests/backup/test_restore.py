"""Bringing an archive back."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from nola import files
from nola.backup.backups import Backups
from nola.errors import ConflictError, NolaError, UsageError
from nola.memory.store import ConversationStore
from tests.backup.making import archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.backup.conftest import Home


RIGHT = "correct horse"


@pytest.fixture
def saved(full: Home) -> Home:
    """A home with a backup, in which everything is different now."""
    full.backups.create()
    full.write("state/user.json", b'{"data": {"changed": true}}')
    (full.places.state / "modules/work.json").unlink()
    full.write("state/modules/garden.json", b"{}")
    full.write("settings.toml", b"[llm]\nseed = 7\n")
    full.say("three")
    return full


def interfered(home: Home, meddle: Callable[[int], None]) -> Backups:
    """Return the backups of a home in which something happens each time that the state has been copied."""
    times = 0

    @contextlib.contextmanager
    def held() -> Iterator[None]:
        nonlocal times
        with home.held():
            yield
        times += 1
        meddle(times)

    places = home.places
    settings = home.settings
    return Backups(
        home.path, state_dir=places.state, database=places.database, settings=settings, clock=home.clock, held=held
    )


def test_a_restore_can_be_undone(saved: Home) -> None:
    """What was there is in a backup of its own, and comes back as it was; and that can be undone too."""
    now = saved.content()
    first = saved.backups.restore("nola-20261120T090000Z-manual.tar.gz")
    then = saved.content()
    assert then != now
    assert first.info.name == "nola-20261120T090000Z-manual.tar.gz"
    assert first.undo.name == "nola-20261120T090001Z-before-restore.tar.gz"
    saved.clock.advance(60)
    second = saved.backups.restore(first.undo.name)
    assert saved.content() == now
    saved.backups.restore(second.undo.name)
    assert saved.content() == then


def test_a_wiped_home_comes_back(saved: Home) -> None:
    """Nothing has to be there but the archive; times of files come back too."""
    path = saved.backups.create().path
    content = saved.content()
    os.utime(saved.places.state / "user.json", (1_700_000_000, 1_700_000_000))
    path = saved.backups.create(output=saved.path.parent).path
    saved.path.rename(saved.path.with_name("lost"))
    saved.path.mkdir(mode=0o700)
    done = saved.backups.restore(str(path))
    assert saved.content() == content
    assert (saved.places.state / "user.json").stat().st_mtime == 1_700_000_000
    saved.backups.restore(done.undo.name)
    assert (list(saved.content()), saved.rows()) == (["memory.db"], [])


def test_a_backup_without_conversations_brings_none(home: Home) -> None:
    """There were none when it was made; who has the memory open goes on with none."""
    home.write("state/user.json", b"{}")
    home.backups.create()
    home.say("hello")
    store = ConversationStore(home.places.database, clock=home.clock)
    assert len(store.conversations()) == 1
    done = home.backups.restore("latest")
    assert store.conversations() == []
    home.clock.advance(60)
    home.backups.restore(done.undo.name)
    assert len(store.conversations()) == 1
    store.close()


def test_a_damaged_memory_is_replaced_and_kept(saved: Home) -> None:
    """It can be in no backup, so it stands beside the good one, and the undo leaves the memory alone."""
    saved.places.database.write_bytes(b"junk" * 2000)
    done = saved.backups.restore("latest")
    assert done.undo.left_out[0].startswith("memory.db is not in the backup: ")
    assert len(saved.rows()) == 4
    aside = [name for name in saved.names() if name.startswith("memory.db.aside-")]
    assert aside == ["memory.db.aside-20261120T090001Z"]
    assert (saved.path / aside[0]).read_bytes() == b"junk" * 2000
    saved.clock.advance(60)
    saved.backups.restore(done.undo.name)
    assert len(saved.rows()) == 4
    assert b"changed" in (saved.places.state / "user.json").read_bytes()


def test_a_defective_archive_changes_nothing(saved: Home) -> None:
    """It is refused before anything is saved or touched."""
    before = saved.content()
    path = saved.write("../bad.tar.gz", archive({"memory.db": b"junk" * 2000}))
    with pytest.raises(NolaError, match="can't be brought back"):
        saved.backups.restore(str(path))
    with pytest.raises(NolaError, match="worse is no backup of Nola's"):
        saved.backups.restore(str(saved.write("../worse", b"junk")))
    assert saved.content() == before
    assert saved.names("backups") == [".lock", "nola-20261120T090000Z-manual.tar.gz"]
    assert not saved.places.restoring.exists()


def test_it_waits_for_no_daemon(saved: Home) -> None:
    """While one runs nothing is done, and who it is stands in the sentence."""
    lock = saved.places.state / ".instance"
    before = saved.content()
    read, write = os.pipe()
    other = os.fork()
    if not other:
        with files.locked(lock):
            told = {"pid": os.getpid(), "command": "nola daemon run", "since": "2026-11-20T08:00:00+00:00"}
            with contextlib.suppress(OSError):
                os.write(os.open(lock, os.O_WRONLY), json.dumps(told).encode() + b"\n")
            os.write(write, b"x")
            os.read(os.pipe()[0], 1)
        os._exit(0)
    os.read(read, 1)
    try:
        with pytest.raises(
            ConflictError, match=rf"daemon is running: process {other}, `nola daemon run`, since 2026-11-20T08"
        ) as caught:
            saved.backups.restore("latest")
    finally:
        os.kill(other, 9)
        os.waitpid(other, 0)
        os.close(read)
        os.close(write)
    assert caught.value.fix.startswith("stop it")
    assert saved.content() == before
    assert saved.backups.restore("latest").undo


def test_an_edit_in_the_last_moment_is_saved(saved: Home) -> None:
    """What the owner saves while the undo is being made makes it be made again: nothing is replaced unsaved."""

    def meddle(times: int) -> None:
        if times == 1:
            saved.write("state/modules/garden.json", b'{"data": "the last word"}')

    done = interfered(saved, meddle).restore("latest")
    assert not (saved.places.state / "modules/garden.json").exists()
    saved.clock.advance(60)
    saved.backups.restore(done.undo.name)
    assert (saved.places.state / "modules/garden.json").read_bytes() == b'{"data": "the last word"}'
    assert len([name for name in saved.names("backups") if "before-restore" in name]) == 2


def test_a_turn_in_the_last_moment_is_saved(saved: Home) -> None:
    """The same for what is said meanwhile."""

    def meddle(times: int) -> None:
        if times == 1:
            saved.say("the last word")

    done = interfered(saved, meddle).restore("latest")
    saved.clock.advance(60)
    assert not any("the last word" in row for row in saved.rows())
    saved.backups.restore(done.undo.name)
    assert any("the last word" in row for row in saved.rows())


def test_endless_edits_end_it(saved: Home) -> None:
    """After three tries it is given up, and nothing has changed."""
    before = saved.rows()

    def meddle(times: int) -> None:
        saved.write("state/user.json", b"%d" % times)

    with pytest.raises(ConflictError, match="another program keeps changing what is there"):
        interfered(saved, meddle).restore("latest")
    assert (saved.places.state / "user.json").read_bytes() == b"3"
    assert saved.rows() == before
    assert [name for name in saved.names("backups") if "before" in name] == []
    assert not saved.places.restoring.exists()


def test_what_could_not_be_saved_is_not_overwritten(saved: Home) -> None:
    """A link that leads nowhere in a file's place stays, and nothing else changes."""
    (saved.places.state / "user.json").unlink()
    (saved.places.state / "user.json").symlink_to(saved.path / "nowhere")
    before = saved.content()
    with pytest.raises(NolaError, match=r"user\.json could not be saved before: it is a link") as caught:
        saved.backups.restore("latest")
    assert caught.value.fix == "move it away"
    assert saved.content() == before
    assert not saved.places.restoring.exists()


def test_what_stands_in_the_way_stops_it(saved: Home) -> None:
    """A folder with the name of a file is named, and nothing changes."""
    (saved.places.state / "modules/work.json").mkdir()
    before = saved.content()
    with pytest.raises(NolaError, match=r"work\.json stands in the way"):
        saved.backups.restore("latest")
    assert saved.content() == before


def test_files_of_others_stay(saved: Home) -> None:
    """What no backup holds is not removed: a pipe, a link to a folder, folders beside the state."""
    os.mkfifo(saved.places.state / "pipe")
    (saved.places.state / "linked").symlink_to(saved.path.parent)
    saved.write("models/a.gguf", b"large")
    saved.backups.restore("latest")
    assert {"pipe", "linked"} <= set(saved.names("state"))
    assert (saved.path / "models/a.gguf").read_bytes() == b"large"


def test_too_little_room_is_said_before_anything_changes(saved: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that would be full half-way is no disk to begin on."""
    before = saved.content()
    full = shutil.disk_usage(saved.path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with pytest.raises(NolaError, match=r"a restore needs 0\.6 MB of free space"):
        saved.backups.restore("latest")
    assert saved.content() == before
    assert saved.names("backups") == [".lock", "nola-20261120T090000Z-manual.tar.gz"]
    assert not saved.places.restoring.exists()


def test_only_backups_that_are_there(saved: Home) -> None:
    """A name that leads nowhere is wrong usage."""
    with pytest.raises(UsageError, match="no backup is called 'yesterday'"):
        saved.backups.restore("yesterday")


def test_an_encrypted_one_comes_back_with_its_passphrase(saved: Home) -> None:
    """And without it, nothing changes."""
    pytest.importorskip("pyrage", reason="pyrage is not installed")
    saved.clock.advance(60)
    name = saved.backups.create(passphrase=RIGHT).name
    then = saved.content()
    saved.say("four")
    before = saved.content()
    with pytest.raises(NolaError, match="is encrypted"):
        saved.backups.restore(name)
    assert saved.content() == before
    assert not saved.places.restoring.exists()
    saved.backups.restore(name, passphrase=RIGHT)
    assert saved.content() == then
