"""Which files of a state folder are documents, and which stand there without being any."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola import files
from nola.state import paths
from nola.state.agreed import LAST_GOOD
from nola.state.loaded import problem

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from nola.flow import Problem

__all__ = ["LOCK_FILE", "Listing", "is_file_name", "list_documents"]

LOCK_FILE = ".lock"
"""Held for every write of a state folder, by whatever process; never deleted."""

_RESERVED = {"metadata", "data", "modules"}
_COPIES = (LAST_GOOD, f"{LAST_GOOD}/modules")
_LINK = "a link, which Nola never writes through, so no last good versions are kept; delete it"


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of a folder by name, and what is odd about the folder."""

    found: dict[str, Path]
    stray: tuple[Problem, ...]


def list_documents(folder: Path, known: Collection[str]) -> Listing:
    """List the documents of a state folder.

    Args:
        folder: The state folder.
        known: Modules that were there before. When the folder of the modules is gone or unreadable they count as there:
            nobody throws a whole folder away, and what was known keeps being served.
    """
    found = {}
    for name in paths.CORE:
        path = folder / f"{name}.json"
        if path.exists() or path.is_symlink():
            found[name] = path
    stray = []
    try:
        entries = sorted(entry.name for entry in os.scandir(folder / "modules"))
    except OSError as error:
        entries = [f"{name}.json" for name in known]
        if known or not isinstance(error, FileNotFoundError):
            why = "is gone" if isinstance(error, FileNotFoundError) else f"can't be read: {error.strerror}"
            stray.append(problem("modules", f"the folder {why}; the last good versions are in use"))
    for entry in entries:
        name = entry.removesuffix(".json")
        if entry.startswith(".") or name == entry or not name:
            continue
        if why := _no_module(name):
            shown = name.encode("utf-8", "backslashreplace").decode()
            stray.append(problem(f"modules/{shown}.json", why))
        else:
            found[name] = folder / "modules" / entry
    stray += [problem(name, _LINK, "warning") for name in _COPIES if files.is_link(folder / name)]
    return Listing(found, tuple(stray))


def is_file_name(name: str) -> bool:
    """Say whether a module of this name is a file in the folder of the modules, and one that is listed."""
    plain = bool(name) and not name.startswith(".") and "/" not in name and "\0" not in name
    return plain and not _no_module(name) and name not in _RESERVED


def _no_module(name: str) -> str:
    if not name.isprintable():
        return "ignored, because its name is no plain text; rename it"
    if len(name.encode()) > paths.LONGEST_NAME:
        return f"ignored, because its name has more than {paths.LONGEST_NAME} bytes; rename it"
    return f"ignored, because {name} is the name of a file of Nola's own" if name in paths.CORE else ""
