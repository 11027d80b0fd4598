"""The state folder's envelope: which format it is in, and its way to the present one, with a backup first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from nola import files
from nola.errors import DocumentError, NolaError
from nola.state import document
from nola.state.migrate import FORMAT, migrated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["ENVELOPE", "format_of", "upgrade"]

ENVELOPE = ".format.json"
# Every step leaves alone what it finds done, so a folder that tells nothing may be taken for the oldest.
_OLDEST = 1
_OF_NOLA = ("*.json", "modules/*.json", ".history/*.jsonl")


def format_of(folder: Path) -> int:
    """Return the format that a folder is in; 0 for one that holds nothing yet.

    Raises:
        NolaError: A newer Nola wrote it, or the envelope says nothing that makes sense.
    """
    try:
        text = files.read_or_none(folder / ENVELOPE)
        if text is None:
            # The first release had no envelope.
            return 1 if (folder / "Nola.json").exists() or (folder / ".history").exists() else 0
        value = document.parse(text, ENVELOPE)
    except (OSError, DocumentError):
        return _OLDEST  # everything in it can be found out again; it never keeps her from starting
    version = value.get("format") if isinstance(value, dict) else None
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        return _OLDEST
    if version > FORMAT:
        by = value.get("by", "a newer Nola") if isinstance(value, dict) else ""
        raise NolaError(
            f"{folder} was written by {by} (format {version}; this one reads up to {FORMAT})",
            fix="update Nola; nothing in the folder was changed",
        )
    return version


def upgrade(folder: Path, *, by: str, before: Callable[[], None]) -> bool:
    """Bring a folder to the present format; return whether anything had to be done.

    Every step may be broken off and run again: the envelope, which is written last, says the old format until then.

    Args:
        folder: The state folder; its write lock is held.
        by: Which Nola writes it, for the envelope.
        before: Makes a backup; called before the first change of a folder that holds something.

    Raises:
        NolaError: A newer Nola wrote it; nothing was changed.
        StorageError: The disk refused.
    """
    version = format_of(folder)
    if version == FORMAT:
        return False
    if version:
        before()
        read = {path: files.read_or_none(path) for pattern in _OF_NOLA for path in folder.glob(pattern)}
        found = {path.relative_to(folder).as_posix(): text for path, text in read.items() if text is not None}
        for name, content in migrated(found, version).items():
            files.write_atomic(folder / name, content, follow=True)
    files.write_atomic(folder / ENVELOPE, orjson.dumps({"format": FORMAT, "by": by}, option=orjson.OPT_APPEND_NEWLINE))
    return version > 0
