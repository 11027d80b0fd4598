"""Putting a backup in the place of links: what their owner keeps elsewhere is brought back where it is."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.backup import swap
from nola.backup.swap import Intent, finish_interrupted
from nola.errors import NolaError
from tests.backup.conftest import Home
from tests.backup.test_swap import readied, todo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- another disk, if there is one; the folder in it is private
FOREIGN = 65_534
OLD, NEW = b'{"data": {"a": 1}}', b'{"data": {"a": 2}}'
NOTES = "state/modules/notes.json"


def linked(home: Home, real: Path, content: bytes = OLD, name: str = NOTES) -> Path:
    """Put a file somewhere else, and a link to it into a home; return the link."""
    real.parent.mkdir(parents=True, exist_ok=True)
    real.write_bytes(content)
    link = home.path / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(os.path.relpath(real, link.parent))
    return link


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A file of the owner's beside the home."""
    return tmp_path / "elsewhere" / "notes.json"


@pytest.fixture
def other_disk() -> Iterator[Path]:
    """A folder on another disk."""
    if (
        not os.access(SHARED_MEMORY, os.W_OK)
        or SHARED_MEMORY.stat().st_dev == Path(tempfile.gettempdir()).stat().st_dev
    ):
        pytest.skip("there is no second disk here")
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder:
        yield Path(folder)


def test_content_goes_to_where_the_link_leads(full: Home, elsewhere: Path) -> None:
    """The link stays, and undoing the restore brings the newer content back by the same way."""
    link = linked(full, elsewhere)
    full.backups.create()
    elsewhere.write_bytes(NEW)
    undo = full.backups.restore("latest").undo
    assert (link.is_symlink(), elsewhere.read_bytes(), stat.S_IMODE(elsewhere.stat().st_mode)) == (True, OLD, 0o600)
    full.backups.restore(undo.name)
    assert (link.is_symlink(), elsewhere.read_bytes()) == (True, NEW)
    assert [path.name for path in elsewhere.parent.iterdir()] == ["notes.json"]


@pytest.mark.parametrize("name", [NOTES, "state/user.json", "settings.toml"])
def test_it_is_carried_to_another_disk(full: Home, other_disk: Path, name: str) -> None:
    """Modules, files of Nola's own and the settings, through a chain of links; times are those of the backup."""
    real = other_disk / "real"
    linked(full, real, b"[llm]\nseed = 1\n" if name == "settings.toml" else OLD, "between")
    os.utime(real, (1_790_000_000, 1_790_000_000))
    then = real.read_bytes()
    link = full.path / name
    link.unlink(missing_ok=True)
    link.symlink_to(full.path / "between")
    full.backups.create()
    real.write_bytes(b"")
    full.backups.restore("latest")
    assert (link.is_symlink(), (full.path / "between").is_symlink()) == (True, True)
    assert (real.read_bytes(), real.stat().st_mtime) == (then, 1_790_000_000)
    assert [path.name for path in other_disk.iterdir()] == ["real"]


@pytest.mark.bar("A2")
def test_broken_off_anywhere_it_is_finished_through_the_link(tmp_path: Path) -> None:
    """After each step the next start finds the rest of the way; placing twice is harmless."""
    first = tmp_path / "first" / "home"
    first.mkdir(mode=0o700, parents=True)
    home = Home(first).fill()
    linked(home, first.parent / "elsewhere" / "notes.json")
    then = home.content()
    home.backups.create()
    (first.parent / "elsewhere" / "notes.json").write_bytes(NEW)
    intent = readied(home)
    names = [name for name, _ in todo(home, intent)]
    assert f"place {NOTES}" in names
    for done in range(1, len(names) + 1):
        for times in (1, 2):
            whole = tmp_path / f"{done}-{times}"
            shutil.copytree(first.parent, whole, symlinks=True)
            broken = Home(whole / "home")
            for number, (_, do) in enumerate(todo(broken, intent)[:done]):
                for _ in range(times if number else 1):
                    do()
            finish_interrupted(broken.path)
            assert broken.content() == then, f"broken off after {names[done - 1]!r}"
            assert (broken.path / NOTES).is_symlink()
            assert (whole / "elsewhere" / "notes.json").read_bytes() == OLD


def nowhere(real: Path) -> None:
    """Take the file away."""
    real.unlink()


def foreign(real: Path) -> None:
    """Give the file to another user."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(real, FOREIGN, FOREIGN)


def piped(real: Path) -> None:
    """Put a pipe in its place."""
    real.unlink()
    os.mkfifo(real)


def a_folder(real: Path) -> None:
    """Put a folder in its place."""
    real.unlink()
    real.mkdir()


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (nowhere, r"notes\.json could not be saved before: it is a link that leads nowhere"),
        (foreign, r"notes\.json is a link to .*elsewhere/notes\.json, which can't be replaced: it belongs to another"),
        (piped, r"notes\.json could not be saved before: it is no regular file"),
        (a_folder, r"notes\.json could not be saved before: it is a link to a folder"),
    ],
)
def test_a_link_to_what_can_not_be_replaced_is_refused(
    full: Home, elsewhere: Path, spoil: Callable[[Path], None], why: str
) -> None:
    """In one sentence, before anything changes; the latest backup is the same as before."""
    linked(full, elsewhere)
    made = full.backups.create()
    spoil(elsewhere)
    full.write("state/user.json", NEW)
    with pytest.raises(NolaError, match=why) as caught:
        full.backups.restore("latest")
    assert caught.value.fix == "move it away"
    assert (full.places.state / "user.json").read_bytes() == NEW
    assert full.backups.find("latest") == made.path
    assert not full.places.restoring.exists()


def test_a_folder_that_takes_no_writes_is_named(full: Home, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A restore that could not be ended is not begun."""
    linked(full, elsewhere)
    intent = Intent("a", "b", (NOTES,), (), "aside")
    assert swap.obstacles(full.places, intent) == []
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != elsewhere.parent)
    (said,) = swap.obstacles(full.places, intent)
    assert said.endswith("notes.json, which can't be replaced: its folder takes no writes")


def test_a_link_that_was_spoilt_meanwhile_gives_way(full: Home, elsewhere: Path) -> None:
    """Once the intent stands there is no way back, so a restore ends with a plain file rather than never."""
    link = linked(full, elsewhere)
    full.backups.create()
    intent = readied(full)
    swap.begin(full.places, intent)
    elsewhere.unlink()
    assert finish_interrupted(full.path)
    assert (link.is_symlink(), link.read_bytes(), elsewhere.exists()) == (False, OLD, False)


def test_each_name_has_its_own_content(full: Home, elsewhere: Path) -> None:
    """Two links to one file, and a link to another module: no content goes over another one."""
    contents = {f"state/modules/{name}.json": b'{"data": {"name": "%s"}}' % name.encode() for name in "abc"}
    full.replace_all(contents)
    full.backups.create()
    one, two = (linked(full, elsewhere, name=f"state/modules/{name}.json") for name in "ab")
    three = linked(full, full.path / "state/modules/work.json", name="state/modules/c.json")
    full.backups.restore("latest")
    assert {name: (full.path / name).read_bytes() for name in contents} == contents
    assert (one.is_symlink(), two.is_symlink(), three.is_symlink()) == (True, False, False)
    assert b"mechanic" in (full.path / "state/modules/work.json").read_bytes()


@pytest.mark.parametrize(
    "name", ["state/.history/changes.jsonl", "state/.format.json", "state/modules/notes.json.conflict"]
)
def test_what_nola_keeps_for_herself_follows_no_link(full: Home, elsewhere: Path, name: str) -> None:
    """She never writes through a link there, and a restore does not either."""
    full.write(name, b"hers")
    full.backups.create()
    link = linked(full, elsewhere, b"theirs", name)
    full.backups.restore("latest")
    assert (link.is_symlink(), link.read_bytes(), elsewhere.read_bytes()) == (False, b"hers", b"theirs")


def test_a_link_to_a_module_that_was_not_there_goes(full: Home, elsewhere: Path) -> None:
    """What it led to stays; undoing the restore brings the content back as a file."""
    full.backups.create()
    link = linked(full, elsewhere)
    undo = full.backups.restore("latest").undo
    assert (os.path.lexists(link), elsewhere.read_bytes()) == (False, OLD)
    full.backups.restore(undo.name)
    assert (link.is_symlink(), link.read_bytes()) == (False, OLD)
