"""Tests of what Nola is born with."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import StorageError
from nola.state import birth, contract

if TYPE_CHECKING:
    from pathlib import Path


BIRTH = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.row("E13")
def test_a_checkout_is_born_from_the_repository() -> None:
    """Every file that Nola is born with is a whole node with every field."""
    born = birth.find_born()
    for name, content in birth.born_bytes(born).items():
        raw = orjson.loads(content)
        assert list(raw) == ["metadata", "data"], name
        assert raw["metadata"] == {
            **contract.create_metadata(raw["metadata"]["context_level"], name, now=BIRTH),
            "version": 1,
        }
    assert orjson.loads((born / "Nola.json").read_bytes())["data"]["name"] == "Nola"


@pytest.mark.row("E39")
def test_missing_files_are_created_privately(tmp_path: Path) -> None:
    """Folders are 0700, files 0600, and a second birth creates nothing."""
    folder = tmp_path / "home" / "state"
    assert birth.bear(birth.find_born(), folder) == ["Nola.json", "identity.json", "machineID.json", "user.json"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "modules").stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "user.json").stat().st_mode) == 0o600
    assert birth.bear(birth.find_born(), folder) == []


def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    """A file that does not even parse stays as its owner left it."""
    (tmp_path / "user.json").write_text("{ mine", encoding="utf-8")
    birth.bear(birth.find_born(), tmp_path)
    assert (tmp_path / "user.json").read_text(encoding="utf-8") == "{ mine"


@pytest.mark.parametrize(
    ("left", "gone"),
    [
        ((), True),
        (("modules/notes.json", ".lock", ".history/changes.jsonl"), True),
        (("user.json",), False),
        ((".last-good/identity.json",), False),
        (("machineID.json.bak",), False),
    ],
)
def test_a_state_is_gone_when_nothing_of_it_can_be_put_back(
    tmp_path: Path, left: tuple[str, ...], *, gone: bool
) -> None:
    """One file of birth, or a good copy of one, and it is not."""
    for name in left:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    assert birth.is_gone(tmp_path) is gone
    assert birth.is_gone(tmp_path / "nowhere")


def test_a_link_that_leads_nowhere_is_not_gone(tmp_path: Path) -> None:
    """What it led to may come back: a disk that is not there now."""
    (tmp_path / "Nola.json").symlink_to(tmp_path / "nowhere")
    assert not birth.is_gone(tmp_path)


def test_a_broken_installation_is_told(tmp_path: Path) -> None:
    """Without the files there is one clear sentence."""
    with pytest.raises(StorageError, match="No such file"):
        birth.bear(tmp_path / "nowhere", tmp_path / "state")
