"""Tests of one file that is taken out of the newest backup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.backup.names import info_of
from nola.backup.spare import spare_copy
from tests.backup.making import archive, member

if TYPE_CHECKING:
    from pathlib import Path

    from nola.backup.names import BackupInfo
    from tests.backup.conftest import Home

USER = "state/user.json"


def made(folder: Path, day: int, content: bytes, *, encrypted: bool = False) -> BackupInfo:
    """Put an archive of some day into a folder."""
    path = folder / f"nola-202611{day:02}T090000Z-daily.tar.gz{'.age' if encrypted else ''}"
    path.write_bytes(content)
    info = info_of(path, len(content))
    assert info is not None
    return info


def test_a_file_comes_out_as_it_went_in(full: Home) -> None:
    """Byte for byte, out of a backup that Nola made."""
    full.write(USER, b'{"data": {"rent": 812.50}}\n')
    full.backups.create()
    full.write(USER, b"{}")
    assert spare_copy(full.backups.list(), USER) == b'{"data": {"rent": 812.50}}\n'
    assert spare_copy(full.backups.list(), "state/modules/nosuch.json") is None


def test_the_newest_one_that_has_it_counts(tmp_path: Path) -> None:
    """What lacks the file, is damaged, or is locked by a passphrase is passed over."""
    good = made(tmp_path, 1, archive({USER: b"old"}))
    backups = [
        made(tmp_path, 9, b"sealed", encrypted=True),
        made(tmp_path, 8, archive({USER: b"new"})[:-30]),
        made(tmp_path, 7, archive({"state/Nola.json": b"{}"})),
        good,
    ]
    assert spare_copy(backups, USER) == b"old"
    assert spare_copy([made(tmp_path, 6, archive({USER: b"new"})), *backups], USER) == b"new"


def test_without_a_backup_there_is_none(tmp_path: Path) -> None:
    """No backup, one that is gone meanwhile, and one that is no archive."""
    gone = made(tmp_path, 2, archive({USER: b"x"}))
    gone.path.unlink()
    assert spare_copy([], USER) is None
    assert spare_copy([gone, made(tmp_path, 1, b"no archive")], USER) is None


def test_only_a_few_are_tried(tmp_path: Path) -> None:
    """A start does not read a whole shelf of old archives."""
    empty = [made(tmp_path, day, archive({})) for day in (9, 8, 7)]
    assert spare_copy([*empty, made(tmp_path, 1, archive({USER: b"old"}))], USER) is None


@pytest.mark.bar("J2")
def test_a_link_in_an_archive_is_not_followed(tmp_path: Path) -> None:
    """A member that points elsewhere gives nothing, or what the archive itself holds."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    link = member(USER, type=b"2", linkname=str(secret))
    assert spare_copy([made(tmp_path, 1, archive({}, link))], USER) is None
