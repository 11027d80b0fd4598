"""How a backup is called: its time and kind stand in its name, so that a list opens no archive."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BEFORE", "BackupInfo", "Kind", "info_of", "name_of"]


class Kind(StrEnum):
    """Why a backup was made."""

    MANUAL = "manual"
    DAILY = "daily"
    WEEKLY = "weekly"
    BEFORE_MIGRATION = "before-migration"
    BEFORE_RESTORE = "before-restore"
    BEFORE_IMPORT = "before-import"


BEFORE = frozenset({Kind.BEFORE_MIGRATION, Kind.BEFORE_RESTORE, Kind.BEFORE_IMPORT})
"""The kinds that are made before something large is done, so that it can be undone."""

_NAME = re.compile(rf"nola-(\d{{8}}T\d{{6}}Z)-({'|'.join(Kind)})\.tar\.gz(\.age)?")


@dataclass(frozen=True, slots=True)
class BackupInfo:
    """One archive.

    Attributes:
        name: Its file name.
        path: Where it lies.
        created: When it was made, in UTC, to the second.
        kind: Why it was made.
        size: Its size in bytes.
        encrypted: Only a passphrase opens it.
        left_out: A sentence for everything that should be in it and is not; known only to who made or opened it.
    """

    name: str
    path: Path
    created: datetime
    kind: Kind
    size: int
    encrypted: bool
    left_out: tuple[str, ...] = ()

    def lacking(self, sentences: tuple[str, ...]) -> BackupInfo:
        """Return the same archive with what was left out."""
        return replace(self, left_out=sentences)


def name_of(created: datetime, kind: Kind, *, encrypted: bool) -> str:
    """Return the name of an archive: `nola-20261120T090000Z-manual.tar.gz`."""
    return f"nola-{created.astimezone(UTC):%Y%m%dT%H%M%SZ}-{kind}.tar.gz{'.age' if encrypted else ''}"


def info_of(path: Path, size: int) -> BackupInfo | None:
    """Read what an archive's name tells; None when this is no name of an archive."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    try:
        created = datetime.fromisoformat(match[1]).astimezone(UTC)
    except ValueError:
        return None
    return BackupInfo(path.name, path, created, Kind(match[2]), size, bool(match[3]))
