"""Whether a home is whole: every file is readable, what was acknowledged is there, and nothing lies about."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["loose", "orphans", "own_data", "read", "standing", "unreadable", "wholly_old_or_new"]

_OURS = re.compile(r"(\.format|[^.].*)\.json(\.bak|\.conflict)?")
LAST_GOOD = ".last-good"
_TEMP = re.compile(r"\.nola-\d+-.*\.tmp")


def read(file: Path) -> bytes | None:
    """Return a file's bytes; None when it is not there."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def unreadable(home: Path, *, copies: bool = True) -> list[str]:
    """Name every JSON file of a home that is not whole.

    Args:
        home: Nola's folder.
        copies: Look at the last good copies too; they are made anew at a start.
    """
    found = []
    for path in sorted((home / "state").rglob("*")):
        if not copies and LAST_GOOD in path.parts:
            continue
        if path.is_file() and _OURS.fullmatch(path.name):
            try:
                json.loads(path.read_bytes())
            except ValueError as error:
                found.append(f"{path.relative_to(home)} ({path.stat().st_size} bytes): {error}")
    return found


def orphans(home: Path) -> list[str]:
    """Name the temporary files of writers, living or dead."""
    return sorted(str(path.relative_to(home)) for path in home.rglob(".nola-*") if _TEMP.fullmatch(path.name))


def own_data(content: bytes | None) -> dict[str, Any] | None:
    """Return the data of a module's bytes; None when there is none or it can't be read."""
    if content is None:
        return None
    try:
        document = json.loads(content)
    except ValueError:
        return None
    data = document.get("data") if isinstance(document, dict) else None
    return data if isinstance(data, dict) else None


def standing(file: Path, *keys: str) -> Any:
    """Return the value that stands in a module's file, without the wrapper of its node; None when none does."""
    value: Any = own_data(read(file))
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, dict) and value.keys() == {"metadata", "data"}:
            value = value["data"]
    return value


def wholly_old_or_new(
    home: Path, file: Path, *, old: bytes | None, is_new: Callable[[bytes | None], bool], acked: bool
) -> list[str]:
    """Say what is wrong with a home after a write that may have been cut off.

    Args:
        home: Nola's folder.
        file: What was written.
        old: The bytes before; None when there was no such file.
        is_new: Tells whether bytes are what was to be written.
        acked: Whether the writer was told that it is saved.

    Returns:
        A sentence for every promise that is broken; nothing when all hold.
    """
    wrong = [f"unreadable: {name}" for name in unreadable(home)]
    now = read(file)
    if not is_new(now):
        if acked:
            wrong.append(f"acknowledged, and lost: {file.name} holds {(now or b'')[:200]!r}")
        elif now != old:
            wrong.append(f"neither old nor new: {file.name} holds {(now or b'')[:200]!r}")
    return wrong


def loose(home: Path) -> list[str]:
    """Name what others than the owner could read: a folder that is not 0700, a file that is not 0600."""
    found = []
    for path in [home, *sorted(home.rglob("*"))]:
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            continue
        wanted = 0o700 if stat.S_ISDIR(info.st_mode) else 0o600
        if stat.S_IMODE(info.st_mode) != wanted or info.st_uid != os.geteuid():
            found.append(f"{path.relative_to(home)} has mode {stat.S_IMODE(info.st_mode):o}")
    return found
