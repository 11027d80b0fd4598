"""Names of archives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from nola.backup.names import BackupInfo, Kind, info_of, name_of

AT = datetime(2026, 11, 20, 9, 0, 5, tzinfo=UTC)


def test_a_name_tells_time_kind_and_whether_it_is_encrypted() -> None:
    """The time is UTC, wherever the clock that was asked stands."""
    assert name_of(AT, Kind.MANUAL, encrypted=False) == "nola-20261120T090005Z-manual.tar.gz"
    there = AT.astimezone(timezone(timedelta(hours=5)))
    assert name_of(there, Kind.BEFORE_RESTORE, encrypted=True) == "nola-20261120T090005Z-before-restore.tar.gz.age"


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("encrypted", [False, True])
def test_a_name_is_read_back(kind: Kind, *, encrypted: bool) -> None:
    """What was put into a name comes out of it."""
    path = Path("/b") / name_of(AT, kind, encrypted=encrypted)
    assert info_of(path, 7) == BackupInfo(path.name, path, AT, kind, 7, encrypted)


@pytest.mark.parametrize(
    "name",
    [
        "nola-20261120T090005Z-other.tar.gz",
        "nola-20261320T090005Z-manual.tar.gz",
        "nola-20261120T090005Z-manual.tar.gz.age.part",
        "nola-20261120T090005-manual.tar.gz",
        ".nola-17-ab.tmp",
        "holiday.tar.gz",
    ],
)
def test_other_files_are_no_archives(name: str) -> None:
    """A month that does not exist, an unknown kind and a foreign name are not read."""
    assert info_of(Path(name), 0) is None


def test_what_is_lacking_is_added() -> None:
    """Nothing else of an archive changes."""
    info = BackupInfo("a", Path("a"), AT, Kind.DAILY, 1, encrypted=False)
    assert info.lacking(("memory.db is not in the backup: it is damaged",)).left_out == (
        "memory.db is not in the backup: it is damaged",
    )
    assert info.lacking(()) == info
