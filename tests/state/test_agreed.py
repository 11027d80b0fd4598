"""Tests of the copies of what was last agreed on."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from nola import files
from nola.state.agreed import LAST_GOOD, Agreed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def agreed(tmp_path: Path) -> Agreed:
    """The copies of a folder that holds nothing."""
    return Agreed(tmp_path)


def test_a_copy_carries_the_time_of_its_file(agreed: Agreed, tmp_path: Path) -> None:
    """So that a file which nobody touched is known by one look; another time or size is not."""
    file = tmp_path / "user.json"
    file.write_bytes(b"{}")
    stamp = files.stamp_of(file)
    assert stamp is not None
    assert agreed.matches("user.json", stamp) is False
    assert agreed.keep("user.json", b"{}", stamp) is True
    assert agreed.matches("user.json", stamp) is True
    assert agreed.content("user.json") == b"{}"
    assert agreed.matches("user.json", (stamp[0] + 1, stamp[1], stamp[2])) is False
    assert agreed.matches("user.json", (stamp[0], stamp[1] + 1, stamp[2])) is False


def test_a_copy_is_private_and_no_link(agreed: Agreed, tmp_path: Path) -> None:
    """An editor that writes in place changes the file alone."""
    agreed.keep("modules/work.json", b"one", (1_000_000_000, 3, 0))
    copy = tmp_path / LAST_GOOD / "modules/work.json"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    assert (copy.stat().st_nlink, copy.stat().st_mtime_ns) == (1, 1_000_000_000)


def test_modules_are_listed_by_their_copies(agreed: Agreed) -> None:
    """Temporary files and core files are none."""
    for file in ("modules/work.json", "modules/boat.json", "modules/.nola-1-x.tmp", "user.json"):
        agreed.keep(file, b"{}", (0, 0, 0))
    assert agreed.modules() == ["boat", "work"]


def test_a_forgotten_copy_is_gone(agreed: Agreed) -> None:
    """It would hold what the owner took out; forgetting twice is fine."""
    agreed.keep("modules/work.json", b"secret", (0, 0, 0))
    agreed.forget("modules/work.json")
    agreed.forget("modules/work.json")
    assert (agreed.content("modules/work.json"), agreed.modules()) == (None, [])


def test_a_copy_that_can_not_be_made_stops_nothing(agreed: Agreed, tmp_path: Path) -> None:
    """It is a second line of defence."""
    (tmp_path / LAST_GOOD).write_bytes(b"in the way")
    assert agreed.keep("user.json", b"{}", (0, 0, 0)) is False
    assert agreed.content("user.json") is None
    assert agreed.modules() == []


def test_a_link_in_place_of_a_copy_is_not_followed(agreed: Agreed, tmp_path: Path) -> None:
    """What lies behind it stays as it is."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"mine")
    (tmp_path / LAST_GOOD).mkdir()
    (tmp_path / LAST_GOOD / "user.json").symlink_to(secret)
    agreed.keep("user.json", b"{}", (0, 0, 0))
    assert secret.read_bytes() == b"mine"


def test_nothing_is_kept_or_dropped_through_a_link(tmp_path: Path) -> None:
    """A folder of copies that is a link leads to files that are not Nola's."""
    outside = tmp_path / "outside"
    (outside / "modules").mkdir(parents=True)
    (outside / "user.json").write_bytes(b"theirs")
    agreed = Agreed(tmp_path / "state")
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / ".last-good").symlink_to(outside)
    assert agreed.keep("user.json", b"ours", (1, 4, 1)) is False
    agreed.forget("user.json")
    assert (outside / "user.json").read_bytes() == b"theirs"
