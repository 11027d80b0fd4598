"""Whether a file lost everything at once, which is an accident more often than a wish (vdirsyncer's StorageEmpty)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.state import contract, sync

if TYPE_CHECKING:
    from nola.types import Json

__all__ = ["FEW", "is_emptied"]

FEW = 3
"""Fewer values, or modules, than this can go at once without anybody asking whether that was meant."""


def is_emptied(name: str, base: dict[str, Json], raw: dict[str, Json]) -> bool:
    """Say whether a document that held several values of its own holds nothing any more.

    Args:
        name: The document.
        base: The version that was agreed on.
        raw: What the file holds now.
    """
    had, has = contract.split_root(base)[1], contract.split_root(raw)[1]
    return contract.plain(has) in ({}, [], None, "") and _values(sync.own_data(name, had), FEW) >= FEW


def _values(value: Json, most: int) -> int:
    """Count values, up to `most`."""
    if not isinstance(value, dict | list):
        return int(value is not None)
    count = 0
    for item in value.values() if isinstance(value, dict) else value:
        count += _values(item, most - count)
        if count >= most:
            break
    return count
