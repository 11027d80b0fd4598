"""Tests of saves that go into a version which Nola replaced meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola import files
from nola.settings import StateSettings
from nola.state.loaded import Reader
from nola.state.replaced import Replaced

if TYPE_CHECKING:
    from pathlib import Path

    from nola.state.loaded import Loaded

OLD = b'{"metadata": {"version": 1}, "data": {"name": "Ana"}}'
LATE = b'{"metadata": {"version": 1}, "data": {"name": "Ana", "town": "Bovec"}}'


@pytest.fixture
def reader() -> Reader:
    """A reader with the default limits."""
    return Reader(StateSettings())


@pytest.fixture
def replaced(folder: Path, reader: Reader) -> tuple[Replaced, Loaded]:
    """One version of user.json that was just replaced."""
    folder.mkdir()
    (folder / "user.json.bak").write_bytes(OLD)
    old = reader.made("user", reader.parsed("user", OLD), OLD, (0, 0, 0))
    versions = Replaced(folder, reader)
    versions.note(old, None)
    return versions, old


def test_a_save_into_the_replaced_version_is_found_once(replaced: tuple[Replaced, Loaded], folder: Path) -> None:
    """An editor that had the file open wrote through its descriptor."""
    versions, old = replaced
    assert versions.late() == []
    with (folder / "user.json.bak").open("r+b") as editor:
        editor.write(LATE)
    (found,) = versions.late()
    assert (found.name, found.base, found.theirs["data"]) == ("user", old.raw, {"name": "Ana", "town": "Bovec"})
    assert versions.late() == []


def test_half_a_save_is_waited_for(replaced: tuple[Replaced, Loaded], folder: Path) -> None:
    """What does not parse yet is looked at again."""
    versions, _ = replaced
    with (folder / "user.json.bak").open("r+b") as editor:
        editor.write(LATE[:-9] + b" " * 9)
        editor.flush()
        assert versions.late() == []
        editor.seek(0)
        editor.write(LATE)
    assert len(versions.late()) == 1


def test_another_processes_previous_version_is_no_edit(replaced: tuple[Replaced, Loaded], folder: Path) -> None:
    """It put another file in that place."""
    versions, _ = replaced
    files.write_atomic(folder / "user.json.bak", LATE)
    assert versions.late() == []


def test_a_document_that_is_gone_is_forgotten(replaced: tuple[Replaced, Loaded], folder: Path) -> None:
    """Its previous version is nobody's any more."""
    versions, _ = replaced
    versions.forget("user")
    (folder / "user.json.bak").write_bytes(LATE)
    assert versions.late() == []
