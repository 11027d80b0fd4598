"""Tests of what a start does with the temporary files of writers that were killed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.state.past import EDITOR

if TYPE_CHECKING:
    from pathlib import Path

    from nola.state.store import StateStore

    from .conftest import MakeStore


@pytest.fixture
def saved(store: StateStore, folder: Path) -> Path:
    """A module that was saved three times."""
    for value in ("one", "two", "three"):
        store.set("notes.text", value, who="owner")
    store.close()
    return folder / "modules/notes.json"


@pytest.fixture(scope="module")
def dead() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def left_over(file: Path, pid: int, content: bytes) -> Path:
    """Leave what a killed writer leaves."""
    temp = file.with_name(f".nola-{pid}-0123456789ab-{file.name}.tmp")
    temp.write_bytes(content)
    return temp


def rescued(file: Path) -> list[Path]:
    """List what was kept beside a file."""
    return sorted(file.parent.glob(f"{file.name}.rescued.*"))


def version_of(file: Path, version: int, text: str) -> bytes:
    """Write a module as its owner did who knew one of its versions."""
    raw = orjson.loads(file.read_bytes())
    raw["metadata"]["version"] = version
    raw["data"]["text"] = text
    return orjson.dumps(raw)


def test_an_owners_save_of_an_older_version_is_kept(saved: Path, dead: int, make_store: MakeStore) -> None:
    """It stands beside its file, whole and private, and a warning names it until it is deleted."""
    content = version_of(saved, 2, "mine")
    temp = left_over(saved, dead, content)
    temp.chmod(0o600)
    store = make_store()
    (kept,) = rescued(saved)
    assert (kept.read_bytes(), kept.name, temp.exists()) == (content, "notes.json.rescued.20261120T090000Z", False)
    (warning,) = store.problems()
    assert (warning.file, warning.severity) == ("modules/notes.json", "warning")
    assert f"look at {kept.name}, then delete it" in warning.message
    assert store.get("notes") == {"text": "three"}
    kept.unlink()
    assert store.problems() == []


@pytest.mark.parametrize("what", ["newer", "former", "previous", "half", "same", "no document"])
def test_what_nola_wrote_herself_is_swept(saved: Path, dead: int, make_store: MakeStore, what: str) -> None:
    """A version that she was about to write, those that she replaced, halves of files, and noise."""
    former = saved.read_bytes()
    store = make_store()
    for value in ("four", "five"):
        store.set("notes.text", value, who="owner")
    store.close()
    content = {
        "newer": version_of(saved, 6, "six"),
        "former": former,
        "previous": saved.with_name("notes.json.bak").read_bytes(),
        "half": version_of(saved, 2, "mine")[:-5],
        "same": saved.read_bytes(),
        "no document": b"[1]",
    }[what]
    temp = left_over(saved, dead, content)
    assert (make_store().problems(), temp.exists(), rescued(saved)) == ([], False, [])


def test_an_edit_that_was_recorded_is_swept_too(saved: Path, dead: int, make_store: MakeStore) -> None:
    """What the owner saved and Nola took in lies in the history: nothing is lost with the file."""
    store = make_store()
    edit = version_of(saved, 3, "mine")
    saved.write_bytes(edit)
    assert store.get("notes") == {"text": "mine"}
    assert store.changes(limit=1)[0].via == EDITOR
    store.set("notes.text", "five", who="owner")
    store.set("notes.text", "six", who="owner")
    store.close()
    temp = left_over(saved, dead, edit)
    make_store()
    assert (temp.exists(), rescued(saved)) == (False, [])


def test_a_living_writers_file_is_left_alone(saved: Path, make_store: MakeStore) -> None:
    """Whoever is still writing it needs it."""
    temp = left_over(saved, 1, b"half")
    make_store()
    assert temp.exists()


def test_what_nola_is_born_with_is_swept(store: StateStore, dead: int, make_store: MakeStore, folder: Path) -> None:
    """No history tells of it, nor of what she gathers herself."""
    file = folder / "identity.json"
    temp = left_over(file, dead, version_of(file, 1, "gathered"))
    raw = orjson.loads(file.read_bytes())
    raw["metadata"]["version"] = 5
    store.close()
    file.write_bytes(orjson.dumps(raw))
    make_store()
    assert (temp.exists(), rescued(file)) == (False, [])


def test_the_last_good_version_is_swept(saved: Path, dead: int, make_store: MakeStore, folder: Path) -> None:
    """It was agreed on, wherever it came from."""
    content = version_of(saved, 2, "agreed")
    (folder / ".last-good/modules/notes.json").write_bytes(content)
    temp = left_over(saved, dead, content)
    make_store()
    assert (temp.exists(), rescued(saved)) == (False, [])
