"""The manifest: written, read, and refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.backup import manifest as manifests
from nola.backup.manifest import Entry, LeftOut, Manifest, belongs, is_cache, is_lock
from nola.backup.names import Kind
from nola.errors import NolaError

AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HASH = "0" * 64
WHOLE = Manifest(
    AT,
    "0.1.0",
    Kind.DAILY,
    (Entry("settings.toml", 3, HASH), Entry("state/user.json", 4, "ab" * 32)),
    (LeftOut("memory.db", "it is damaged"),),
)


def changed(**parts: Any) -> bytes:
    """Write the manifest with other parts."""
    return json.dumps({**json.loads(manifests.dump(WHOLE)), **parts}).encode()


def test_its_form_is_a_promise() -> None:
    """Other programs can read it."""
    assert json.loads(manifests.dump(WHOLE)) == {
        "format": "nola-backup",
        "version": 1,
        "created": "2026-11-20T09:00:00+00:00",
        "nola": "0.1.0",
        "kind": "daily",
        "files": [
            {"path": "settings.toml", "size": 3, "sha256": HASH},
            {"path": "state/user.json", "size": 4, "sha256": "ab" * 32},
        ],
        "left_out": [{"path": "memory.db", "why": "it is damaged"}],
    }


def test_it_is_read_back() -> None:
    """Also when file names are no text."""
    assert manifests.read(manifests.dump(WHOLE)) == WHOLE
    odd = Manifest(AT, "1", Kind.MANUAL, (Entry("state/modules/a\udcff\n.json", 0, HASH),))
    assert manifests.read(manifests.dump(odd)) == odd


def test_it_tells_what_is_in_and_what_is_not() -> None:
    """Sizes add up, and what was left out has its sentence."""
    assert WHOLE.size == 7
    assert WHOLE.paths == {"settings.toml", "state/user.json"}
    assert WHOLE.lacks("memory.db")
    assert not WHOLE.lacks("state/user.json")
    assert WHOLE.sentences() == ("memory.db is not in the backup: it is damaged",)


def test_a_newer_one_is_refused() -> None:
    """The way out is an update."""
    with pytest.raises(NolaError, match="made by a newer Nola") as caught:
        manifests.read(changed(version=2, files={}))
    assert caught.value.fix == "update Nola"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b'"text"',
        b"{",
        b"[" * 100_000,
        changed(format="tar"),
        changed(version="one"),
        changed(created="yesterday"),
        changed(created=5),
        changed(kind="other"),
        changed(files=None),
        changed(files=[1]),
        changed(files=[{"path": "settings.toml", "size": -1, "sha256": HASH}]),
        changed(files=[{"path": "settings.toml", "size": True, "sha256": HASH}]),
        changed(files=[{"path": "settings.toml", "size": 1, "sha256": "x"}]),
        changed(files=[{"path": 1, "size": 1, "sha256": HASH}]),
        changed(left_out=[{}]),
    ],
)
def test_a_damaged_one_is_refused(data: bytes) -> None:
    """Whatever is wrong with it, it is one sentence."""
    with pytest.raises(NolaError, match="the manifest is damaged"):
        manifests.read(data)


@given(st.binary())
def test_no_bytes_make_it_stumble(data: bytes) -> None:
    """It is read, or refused in a sentence."""
    with pytest.raises(NolaError):
        manifests.read(data)


FOREIGN = [
    "",
    "/etc/passwd",
    "../user.json",
    "state",
    "state/",
    "state//user.json",
    "state/./user.json",
    "state/../../user.json",
    "state/modules/..",
    "state/a\0b",
    "models/a.gguf",
    "memory.db-wal",
    "settings.toml/a",
    "manifest.json",
    "state/.lock",
    "state/.instance",
    "state/.last-good/user.json",
    "state/user.json.bak",
    "state/modules/work.json.bak",
    "state/.nola-17-ab.tmp",
]


@pytest.mark.bar("J2")
@pytest.mark.parametrize("path", FOREIGN)
def test_a_name_that_does_not_belong_there_is_refused(path: str) -> None:
    """Nothing outside, nothing of other folders, no lock and no copy that is made again."""
    assert not belongs(path)
    with pytest.raises(NolaError, match="does not belong in a backup"):
        manifests.read(changed(files=[{"path": path, "size": 1, "sha256": HASH}]))


@pytest.mark.parametrize(
    "path",
    [
        "settings.toml",
        "memory.db",
        "state/user.json",
        "state/modules/work.json",
        "state/user.json.conflict",
        "state/user.json.corrupt.20261120T090000Z",
        "state/.format.json",
        "state/.history/changes.jsonl",
        "state/modules/.nola-notes.tmp",
        "state/letters.bak",
    ],
)
def test_what_is_the_owners_belongs_there(path: str) -> None:
    """Also what only looks like a file of Nola's own."""
    assert belongs(path)


def test_a_file_may_stand_there_once() -> None:
    """A second entry of the same name is refused."""
    twice = [{"path": "settings.toml", "size": 1, "sha256": HASH}] * 2
    with pytest.raises(NolaError, match="names a file twice"):
        manifests.read(changed(files=twice))


def test_locks_and_copies_are_known() -> None:
    """Only in their places: a module of the owner's may have a similar name."""
    assert is_lock("state/.lock")
    assert not is_lock("state/modules/.lock")
    assert is_cache("state/.last-good/modules/work.json")
    assert not is_cache("state/modules/.last-good.json")
