"""Temporary files that killed writers left: swept away, unless one holds a save that belongs to the owner."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from nola import files
from nola.errors import DocumentError
from nola.state import contract, document
from nola.state.agreed import LAST_GOOD
from nola.state.listing import LOCK_FILE
from nola.state.loaded import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

__all__ = ["RESCUED", "sweep"]

RESCUED = "rescued"
_SWEPT = ("", "modules/", ".last-good/", ".last-good/modules/", ".history/")
_OF_DOCUMENT = re.compile(rf"{re.escape(files.TEMP_PREFIX)}\d+-[0-9a-f]+-(.+\.json)\.tmp")


def sweep(folder: Path, *, is_known: Callable[[bytes], bool], now: datetime, timeout_s: float) -> None:
    """Remove the temporary files of writers that were killed; keep an owner's save as `NAME.json.rescued.TIME`.

    Where an editor saved in the instant of Nola's own save and she was killed before she gave that back, it is in a
    temporary file: it knows an older version than the one that stands there now, and no history tells of it.

    Args:
        folder: The state folder.
        is_known: Says whether the history tells of a text with this hash.
        now: The present instant.
        timeout_s: How long to wait for another writer.

    Raises:
        ConflictError: Another process is writing.
        StorageError: The disk refused.
    """
    with files.locked(folder / LOCK_FILE, timeout_s=timeout_s):
        for temp in [found for where in _SWEPT for found in folder.glob(f"{where}{files.TEMP_PREFIX}*.tmp")]:
            if not files.is_orphan(temp):
                continue
            named = _OF_DOCUMENT.fullmatch(temp.name)
            target = temp.with_name(named[1]) if named else None
            if target and _is_owners(target, folder) and _is_lost_save(temp, target, folder, is_known):
                files.move(temp, target.with_name(f"{target.name}.{RESCUED}.{now:%Y%m%dT%H%M%SZ}"))
            else:
                files.remove(temp)


def _is_owners(target: Path, folder: Path) -> bool:
    """Say whether a document is the owner's; what Nola was born with and gathers herself stands in no history."""
    return target.parent == folder / "modules" or target.name == "user.json"


def _is_lost_save(temp: Path, target: Path, folder: Path, is_known: Callable[[bytes], bool]) -> bool:
    found, stands = _read(temp), _read(target)
    if not found or not stands or not 0 < _version(found) < _version(stands):
        return False  # half a file, or what Nola was about to write
    kept = _read(target.with_name(f"{target.name}.bak")), _read(folder / LAST_GOOD / target.relative_to(folder))
    return found not in {stands, *kept} and not is_known(digest_of(found))


def _read(path: Path) -> bytes:
    with contextlib.suppress(OSError):
        return files.read_or_none(path) or b""
    return b""


def _version(content: bytes) -> int:
    """Return the counter of a document's root; 0 for what is no document."""
    try:
        return contract.version_of(contract.split_root(document.parse_object(content, ""))[0])
    except DocumentError:
        return 0
