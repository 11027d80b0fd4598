"""Steps from one format of the state folder to the next: pure functions over the bytes of its files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Files: TypeAlias = "Mapping[str, bytes]"
    Migration: TypeAlias = "Callable[[Files], dict[str, bytes]]"

__all__ = ["FORMAT", "MIGRATIONS", "migrated"]

_HISTORY = ".history/changes.jsonl"
_OWNER, _NOLA = "owner", "nola"


def _name_interfaces(files: Files) -> dict[str, bytes]:
    """1 -> 2: a change tells who made it apart from the interface that it came through."""
    lines = files.get(_HISTORY, b"").splitlines()
    return {_HISTORY: b"".join(_with_interface(line) + b"\n" for line in lines)} if lines else {}


def _with_interface(line: bytes) -> bytes:
    try:
        row = json.loads(line)
    except ValueError:
        return line
    if not isinstance(row, dict) or "who" not in row or "via" in row:
        return line
    who = row["who"]
    row |= {"who": _OWNER if who == _OWNER else _NOLA, "via": "command line" if who == _OWNER else who}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


MIGRATIONS: tuple[Migration, ...] = (_name_interfaces,)
"""The step from format n to n + 1, the first one from 1. Each may run again over what it left half done."""

FORMAT = len(MIGRATIONS) + 1
"""The format that this version reads and writes."""


def migrated(files: Files, version: int) -> dict[str, bytes]:
    """Return the files that change on the way from a format to the present one.

    Args:
        files: The folder's files by path relative to it.
        version: The format that they are in, from 1.
    """
    present = dict(files)
    for step in MIGRATIONS[version - 1 :]:
        present |= step(present)
    return {name: content for name, content in present.items() if files.get(name) != content}
