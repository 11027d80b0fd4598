"""Tests of reading and writing the state's files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.errors import DocumentError
from nola.settings import StateSettings
from nola.state.agreed import LAST_GOOD
from nola.state.shelf import Shelf

if TYPE_CHECKING:
    from nola.flow import Problem
    from nola.testing import ManualClock
    from nola.types import Json

BORN = Path(__file__).resolve().parents[2] / "state"
GOOD = '{"metadata": {"version": 1}, "data": {"name": "Ana"}}'


@pytest.fixture
def shelf(folder: Path, clock: ManualClock) -> Shelf:
    """A shelf over a folder with one good file."""
    folder.mkdir()
    (folder / "modules").mkdir()
    (folder / "user.json").write_text(GOOD, encoding="utf-8")
    return Shelf(folder, BORN, StateSettings(), clock)


def looked(shelf: Shelf) -> set[str]:
    """Look, and take what turned up for recorded, as the intake does."""
    turned = shelf.look()
    for name in turned:
        if name in shelf:
            shelf.agree(name)
    return set(turned)


def save(shelf: Shelf, folder: Path, name: str, raw: dict[str, Json]) -> None:
    """Save a document, without a line in the history."""
    shelf.save({name: (shelf.encoded(name, raw), raw)}, folder / "log", b"")


def told(shelf: Shelf) -> list[tuple[str, int, int, str]]:
    """Shorten the problems to what a person needs."""
    found: list[Problem] = shelf.problems()
    return [(problem.file, problem.line, problem.column, problem.message) for problem in found]


def test_a_file_is_reported_when_it_changes(shelf: Shelf, folder: Path) -> None:
    """New and changed contents are told once; the same bytes again only until somebody agrees."""
    assert looked(shelf) == {"user"}
    assert looked(shelf) == set()
    (folder / "user.json").write_text(GOOD, encoding="utf-8")
    again = shelf.look()["user"]
    assert (again.base, again.foreign) == (shelf["user"].raw, True)
    shelf.agree("user")
    (folder / "user.json").write_text(GOOD.replace("Ana", "Bor"), encoding="utf-8")
    assert looked(shelf) == {"user"}
    assert shelf["user"].data == {"name": "Bor"}


def test_a_settled_file_is_not_read_again(shelf: Shelf, folder: Path, clock: ManualClock) -> None:
    """After a while, an unchanged time, size and inode are believed."""
    shelf.look()
    clock.advance(1)
    shelf.look()
    before = (folder / "user.json").stat()
    (folder / "user.json").write_text(GOOD.replace("Ana", "Bor"), encoding="utf-8")
    os.utime(folder / "user.json", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert looked(shelf) == set()


def test_a_broken_file_is_served_from_the_last_good_version(shelf: Shelf, folder: Path) -> None:
    """The owner's bytes stay, writing is refused with the place, and the mended file is picked up."""
    looked(shelf)
    broken = '{"metadata": {},\n "data": {"name": "Bor",}}'
    (folder / "user.json").write_text(broken, encoding="utf-8")
    assert looked(shelf) == set()
    assert shelf["user"].data == {"name": "Ana"}
    assert told(shelf) == [("user.json", 2, 24, 'trailing comma: the comma before "}" is one too many')]
    with pytest.raises(DocumentError, match=r"user\.json, line 2, column 24: trailing comma"):
        shelf.writable("user")
    assert (folder / "user.json").read_text(encoding="utf-8") == broken
    (folder / "user.json").write_text(GOOD.replace("Ana", "Bor"), encoding="utf-8")
    assert looked(shelf) == {"user"}
    assert told(shelf) == []


def test_the_last_good_version_survives_a_restart(shelf: Shelf, folder: Path, clock: ManualClock) -> None:
    """A new process that finds a broken file serves what the old one knew."""
    looked(shelf)
    (folder / "user.json").write_text("", encoding="utf-8")
    again = Shelf(folder, BORN, StateSettings(), clock)
    again.look()
    assert again["user"].data == {"name": "Ana"}
    assert told(again) == [("user.json", 1, 1, "the file is empty")]
    assert (folder / LAST_GOOD / "user.json").read_text(encoding="utf-8") == GOOD


def test_a_file_that_never_was_good_has_a_default(shelf: Shelf, folder: Path) -> None:
    """What Nola was born with, or nothing, but never an error."""
    (folder / "Nola.json").write_text("[]", encoding="utf-8")
    (folder / "modules" / "work.json").write_text("{", encoding="utf-8")
    shelf.look()
    data = shelf["Nola"].data
    assert isinstance(data, dict)
    assert data["name"] == "Nola"
    assert shelf["work"].data == {}
    assert [problem[0] for problem in told(shelf)] == ["Nola.json", "modules/work.json"]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: path.mkdir(), "it can't be read: Is a directory"),
        (lambda path: path.symlink_to(path.parent / "nowhere"), "the file is a link that leads nowhere"),
        (lambda path: path.write_bytes(b" " * 2000), "2,000 bytes are too many"),
        (os.mkfifo, "it can't be read: it is no regular file"),
    ],
    ids=["folder", "dead link", "too large", "pipe"],
)
def test_what_is_no_file_is_a_problem(folder: Path, clock: ManualClock, make: object, sentence: str) -> None:
    """Nothing blocks and nothing raises."""
    assert callable(make)
    (folder / "modules").mkdir(parents=True)
    make(folder / "modules" / "work.json")
    shelf = Shelf(folder, BORN, replace(StateSettings(), max_bytes=1024), clock)
    shelf.look()
    assert told(shelf) == [("modules/work.json", 0, 0, sentence)]


def test_a_core_file_that_disappears_keeps_being_served(shelf: Shelf, folder: Path) -> None:
    """Editors that rename first let it vanish for a moment."""
    looked(shelf)
    (folder / "user.json").unlink()
    assert looked(shelf) == set()
    assert shelf["user"].data == {"name": "Ana"}
    assert told(shelf) == [("user.json", 0, 0, "the file is missing; the last good version is in use")]
    (folder / "user.json").write_text(GOOD, encoding="utf-8")
    shelf.look()
    assert told(shelf) == []


def test_duplicate_keys_warn_and_block_only_writing(shelf: Shelf, folder: Path) -> None:
    """A save would lose what the parser could not keep."""
    (folder / "user.json").write_text('{"metadata": {}, "data": {"a": 1, "a": 2}}', encoding="utf-8")
    shelf.look()
    assert shelf["user"].data == {"a": 2}
    assert [problem.severity for problem in shelf.problems()] == ["warning"]
    with pytest.raises(DocumentError, match="the key 'a' stands twice"):
        shelf.writable("user")


def test_files_that_are_no_modules_are_left_alone(shelf: Shelf, folder: Path) -> None:
    """Hidden files, backups and a name of Nola's own are not modules."""
    for name in (".work.json", "work.json~", "work.json.bak", "notes.txt", "user.json", ".json"):
        (folder / "modules" / name).write_text(GOOD, encoding="utf-8")
    shelf.look()
    assert shelf.names() == ["user"]
    assert told(shelf) == [("modules/user.json", 0, 0, "ignored, because user is the name of a file of Nola's own")]


def test_own_saves_are_no_changes(shelf: Shelf, folder: Path) -> None:
    """What was just written is not read back as news."""
    shelf.look()
    save(shelf, folder, "user", {"metadata": {"version": 1}, "data": {"name": "Bor"}})
    assert looked(shelf) == set()
    assert shelf["user"].data == {"name": "Bor"}
    assert (folder / "user.json").read_text(encoding="utf-8") == GOOD.replace("Ana", "Bor")


def test_a_save_that_could_not_be_read_back_is_refused(shelf: Shelf, folder: Path) -> None:
    """The old file stands."""
    shelf.look()
    with pytest.raises(DocumentError, match="nan is no JSON number"):
        save(shelf, folder, "user", {"metadata": {}, "data": {"name": float("nan")}})
    assert (folder / "user.json").read_text(encoding="utf-8") == GOOD


def test_a_linked_file_is_replaced_where_it_really_lies(shelf: Shelf, folder: Path, tmp_path: Path) -> None:
    """Owners who keep their files elsewhere keep the link."""
    real = tmp_path / "dotfiles.json"
    (folder / "user.json").rename(real)
    (folder / "user.json").symlink_to(real)
    shelf.look()
    save(shelf, folder, "user", {"metadata": {}, "data": {"name": "Bor"}})
    assert (folder / "user.json").is_symlink()
    assert b"Bor" in real.read_bytes()


def test_wrong_metadata_is_a_warning(shelf: Shelf, folder: Path) -> None:
    """The file is used, and the field is named."""
    (folder / "user.json").write_text('{"metadata": {"context_level": 9}, "data": {}}', encoding="utf-8")
    shelf.look()
    assert told(shelf) == [("user.json", 0, 0, "context_level is 1, 2 or 3, not 9")]
