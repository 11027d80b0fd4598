"""Tests of the folder's envelope, and of bringing a folder of an earlier release to the present format."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import NolaError
from nola.state import upgrade
from nola.state.history import FILE
from nola.state.migrate import FORMAT

from .conftest import BORN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.testing import ManualClock
    from nola.types import Json

    from .conftest import MakeStore

LINE: dict[str, Json] = {
    "id": "1m7w2y9jgkdseasc", "at": "2026-11-19T09:00:00+00:00", "who": "sms", "path": "user.name", "old": None,
    "new": "Ana", "old_present": False, "new_present": True, "undoes": None, "created": "", "made": 0,
}  # fmt: skip
USER = b'{"metadata": {"context_level": 2, "version": 2}, "data": {"name": "Ana"}}'


@pytest.fixture
def earlier(folder: Path) -> Path:
    """A state folder as the release without an envelope left it."""
    (folder / "modules").mkdir(parents=True)
    for file in BORN.glob("*.json"):
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "user.json").write_bytes(USER)
    (folder / ".history").mkdir()
    other = orjson.dumps({**LINE, "who": "owner", "id": "1m7w2y9jgkdseasd", "path": "user.city", "new": "Ptuj"})
    (folder / FILE).write_bytes(orjson.dumps(LINE) + b"\n" + other + b"\n{torn\n")
    return folder


def everything(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def envelope(folder: Path) -> dict[str, Json]:
    """Read the envelope."""
    value: dict[str, Json] = orjson.loads((folder / upgrade.ENVELOPE).read_bytes())
    return value


@pytest.mark.bar("A10")
def test_a_folder_of_the_last_release_is_brought_up_to_date(
    earlier: Path, make_store: MakeStore, clock: ManualClock
) -> None:
    """After one backup; its history tells who from through what, and its values are as they were."""
    backups: list[dict[str, bytes]] = []

    def backup() -> None:
        backups.append(everything(earlier))

    before = everything(earlier)
    store = make_store(before_migration=backup)
    assert [{file: kept.get(file) for file in before} for kept in backups] == [before]
    assert upgrade.format_of(earlier) == FORMAT
    assert [(one.id, one.who, one.via) for one in store.changes()] == [
        ("1m7w2y9jgkdseasd", "owner", "command line"),
        ("1m7w2y9jgkdseasc", "nola", "sms"),
    ]
    assert (earlier / "user.json").read_bytes() == USER
    make_store(before_migration=backup)
    assert len(backups) == 1
    assert store.at(clock.now(), "user.name") == "Ana"
    with pytest.raises(NolaError, match="the history begins 2026-11-19"):
        store.at(clock.now() - timedelta(days=2))
    store.undo(store.changes()[1].id, who="owner")
    assert store.get("user") == {}


@pytest.mark.bar("A10")
def test_a_backup_that_fails_leaves_everything_as_it_was(earlier: Path, make_store: MakeStore) -> None:
    """No migration without it."""

    def backup() -> None:
        raise NolaError("no room for a backup")

    before = everything(earlier)
    with pytest.raises(NolaError, match="no room for a backup"):
        make_store(before_migration=backup)
    after = everything(earlier)
    after.pop(".lock", None)
    assert after == before


@pytest.mark.bar("A10")
def test_a_migration_that_was_broken_off_goes_on(earlier: Path) -> None:
    """The envelope says the old format until all is done; what was done already stays as it is."""
    upgrade.upgrade(earlier, by="nola test", before=lambda: None)
    done = everything(earlier)
    (earlier / upgrade.ENVELOPE).unlink()
    assert upgrade.upgrade(earlier, by="nola test", before=lambda: None) is True
    assert everything(earlier) == done
    assert upgrade.upgrade(earlier, by="nola test", before=lambda: None) is False


def test_a_newer_format_is_refused_and_nothing_is_changed(earlier: Path, make_store: MakeStore) -> None:
    """In one sentence that says what to do."""
    (earlier / upgrade.ENVELOPE).write_bytes(b'{"format": 99, "by": "nola 9.0"}')
    before = everything(earlier)
    calls: list[int] = []
    with pytest.raises(NolaError, match=r"was written by nola 9\.0 \(format 99") as caught:
        make_store(before_migration=lambda: calls.append(1))
    assert caught.value.fix == "update Nola; nothing in the folder was changed"
    assert (everything(earlier), calls) == (before, [])


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": "2"}', b'{"format": true}', b'{"format": 0}', b"\xff"]
)
def test_an_envelope_that_says_nothing_does_not_stop_her(earlier: Path, make_store: MakeStore, content: bytes) -> None:
    """The folder is taken for the oldest, whose steps leave alone what they find done."""
    make_store().set("user.city", "Ptuj", who="nola", via="chat")
    (earlier / upgrade.ENVELOPE).write_bytes(content)
    store = make_store()
    assert store.get("user") == {"name": "Ana", "city": "Ptuj"}
    assert [one.via for one in store.changes()] == ["chat", "command line", "sms"]
    assert envelope(earlier)["format"] == FORMAT


def test_a_new_folder_is_born_in_the_present_format(folder: Path, make_store: MakeStore) -> None:
    """Nothing is migrated, so nothing is backed up."""
    calls: list[int] = []
    make_store(before_migration=lambda: calls.append(1))
    assert envelope(folder)["format"] == FORMAT
    assert str(envelope(folder)["by"]).startswith("nola ")
    assert calls == []


@pytest.mark.parametrize(
    ("make", "version"),
    [
        (lambda _: None, 0),
        (lambda folder: (folder / "Nola.json").write_bytes(b"{}"), 1),
        (lambda folder: (folder / ".history").mkdir(), 1),
        (lambda folder: (folder / upgrade.ENVELOPE).write_bytes(b'{"format": 2}'), 2),
        (lambda folder: (folder / upgrade.ENVELOPE).write_bytes(b'{"format": 1}'), 1),
    ],
)
def test_the_format_of_a_folder_is_told(tmp_path: Path, make: Callable[[Path], object], version: int) -> None:
    """By its envelope, or by what stands in it."""
    make(tmp_path)
    assert upgrade.format_of(tmp_path) == version
