"""Compares two documents value by value, for the plan that a person reads before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nola.state import contract, patch, paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.types import Json

__all__ = ["ValueChange", "changes"]

# They change with every save, and say nothing about what is known.
_BOOKKEEPING = {"last_updated", "version", "needs_sync", "source_file"}


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One value that an import changes; `*_present` tells a missing value from null."""

    path: str
    old: Json
    new: Json
    old_present: bool = True
    new_present: bool = True


class _Absent:
    """What stands where nothing stands."""


_ABSENT: Final = _Absent()


def changes(name: str, old: dict[str, Json] | None, new: dict[str, Json]) -> tuple[ValueChange, ...]:
    """List the values in which a module's new document differs from the old one, times and versions left out.

    A list counts as one value. Fields of metadata are listed under the step `metadata`.

    Args:
        name: The module's name, the first step of every path.
        old: The document as it stands, or None when there is none.
        new: The document that is to take its place.
    """
    metadata, data = contract.split_root(new)
    if old is None:
        return tuple(_differences(_ABSENT, data, (name,)))
    old_metadata, old_data = contract.split_root(old)
    return (
        *_metadata(old_metadata, metadata, (name,)),
        *_differences(old_data, data, (name,)),
        *_differences(_beside(old), _beside(new), (name,)),
    )


def _differences(old: Json | _Absent, new: Json | _Absent, steps: tuple[str, ...]) -> Iterator[ValueChange]:
    (old_metadata, old_data), (new_metadata, new_data) = _opened(old), _opened(new)
    if not isinstance(old, _Absent) and not isinstance(new, _Absent):
        yield from _metadata(old_metadata, new_metadata, steps)
    old, new = old_data, new_data
    before, after = _items(old), _items(new)
    if (before or after) and before is not None and after is not None:
        for key in dict.fromkeys([*before, *after]):
            yield from _differences(before.get(key, _ABSENT), after.get(key, _ABSENT), (*steps, key))
    elif not _same(old, new):
        there, comes = not isinstance(old, _Absent), not isinstance(new, _Absent)
        yield ValueChange(paths.render(steps), _some(old), _some(new), there, comes)


def _metadata(old: contract.Metadata, new: contract.Metadata, steps: tuple[str, ...]) -> Iterator[ValueChange]:
    before, after = _telling(old), _telling(new)
    if before or after:
        yield from _differences(before, after, (*steps, "metadata"))


def _telling(metadata: contract.Metadata) -> dict[str, Json]:
    return {key: value for key, value in metadata.items() if key not in _BOOKKEEPING}


def _opened(value: Json | _Absent) -> tuple[contract.Metadata, Json | _Absent]:
    return ({}, value) if isinstance(value, _Absent) else contract.split_node(value)


def _items(value: Json | _Absent) -> dict[str, Json] | None:
    """Return what stands in an object; nothing stands in what is not there."""
    if isinstance(value, _Absent):
        return {}
    return value if isinstance(value, dict) else None


def _beside(raw: dict[str, Json]) -> Json:
    """Return what stands at the top of a file beside its metadata and data."""
    return (
        {key: value for key, value in raw.items() if key not in {"metadata", "data"}} if contract.is_node(raw) else {}
    )


def _same(old: Json | _Absent, new: Json | _Absent) -> bool:
    if isinstance(old, _Absent) or isinstance(new, _Absent):
        return old is new
    return patch.same(old, new)


def _some(value: Json | _Absent) -> Json:
    return None if isinstance(value, _Absent) else value
