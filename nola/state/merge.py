"""Three-way merge by key: what Nola wants and what the owner wrote become one value, and the owner wins a clash."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.state import contract
from nola.state.patch import ABSENT, Absent, same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.types import Json

__all__ = ["Clash", "Merged", "three_way"]

_METADATA = "metadata"
# What Nola keeps up by herself in a node's metadata: no change of it is one that the owner has to hear of.
_KEPT_UP = {"last_updated", "version", "needs_sync"}


@dataclass(frozen=True, slots=True)
class Clash:
    """A place that both sides changed, each in its own way; the owner's value stands.

    Attributes:
        steps: The way to the place, from the root.
        base: What both last agreed on.
        ours: What Nola wanted there.
        theirs: What the owner wrote there, which is what now stands.
    """

    steps: tuple[str, ...]
    base: Json | Absent
    ours: Json | Absent
    theirs: Json | Absent


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge came to; its parts are shared with what was merged, so treat them as read-only."""

    value: Json | Absent
    clashes: tuple[Clash, ...]


@dataclass(frozen=True, slots=True)
class _Three:
    """What the three sides hold at one place; `metadata` says that the place is a node's metadata."""

    base: Json | Absent
    ours: Json | Absent
    theirs: Json | Absent
    metadata: bool = False


def three_way(base: Json | Absent, ours: Json | Absent, theirs: Json | Absent) -> Merged:
    """Merge what Nola wants with what the owner wrote.

    Objects merge key by key, in the owner's order, our new keys last. Of lists, additions at the end are joined, the
    owner's first; changes of different items are both kept; otherwise the lists clash. A deletion against a change is
    a clash too. The last update, version and sync flag of a node never clash: the later, the larger and the raised win.

    Args:
        base: What both last agreed on.
        ours: What Nola wants.
        theirs: What the owner wrote; it wins a clash.
    """
    clashes: list[Clash] = []
    value = _merge((), _Three(base, ours, theirs), clashes)
    return Merged(value, tuple(clashes))


def _merge(steps: tuple[str, ...], at: _Three, clashes: list[Clash]) -> Json | Absent:
    if isinstance(at.ours, dict) and isinstance(at.theirs, dict):
        return _objects(steps, at, at.ours, at.theirs, clashes)
    if isinstance(at.ours, list) and isinstance(at.theirs, list):
        joined = _lists(at.base if isinstance(at.base, list) else [], at.ours, at.theirs)
        if joined is not None:
            return joined
    if _equal(at.base, at.ours) or _equal(at.ours, at.theirs):
        return at.theirs
    if _equal(at.base, at.theirs):
        return at.ours
    if not _equal(*(_told(side, root=not steps, metadata=at.metadata) for side in (at.base, at.ours))):
        clashes.append(Clash(steps, at.base, at.ours, at.theirs))
    return at.theirs


def _objects(
    steps: tuple[str, ...], at: _Three, ours: dict[str, Json], theirs: dict[str, Json], clashes: list[Clash]
) -> dict[str, Json]:
    base: Mapping[str, Json] = at.base if isinstance(at.base, dict) else {}
    # A file is a node even where its owner left out `data`.
    node = not steps or contract.is_node(ours) or contract.is_node(theirs)
    merged: dict[str, Json] = {}
    for key in dict.fromkeys((*theirs, *ours)):
        below = _Three(
            base.get(key, ABSENT), ours.get(key, ABSENT), theirs.get(key, ABSENT), metadata=node and key == _METADATA
        )
        kept_up = at.metadata and key in _KEPT_UP
        value = _kept_up(key, below) if kept_up else _merge((*steps, key), below, clashes)
        if value is not ABSENT:
            merged[key] = value
    return merged


def _kept_up(key: str, at: _Three) -> Json | Absent:
    """Settle what Nola keeps up in a node's metadata: ours stands if only we changed it, or if it is ahead."""
    if _equal(at.base, at.theirs) or (not _equal(at.base, at.ours) and _ahead(key, at.ours, at.theirs)):
        return at.ours
    return at.theirs


def _ahead(key: str, ours: Json | Absent, theirs: Json | Absent) -> bool:
    """Say whether ours is later, larger or raised; what isn't of the key's kind is never ahead, and never behind."""
    if ours is ABSENT or theirs is ABSENT:
        return False
    if key == "last_updated":
        our_time, their_time = contract.updated_of({key: ours}), contract.updated_of({key: theirs})
        return our_time is not None and their_time is not None and our_time > their_time
    if key == "needs_sync":
        return ours is True and theirs is False
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return False
    return isinstance(ours, int | float) and isinstance(theirs, int | float) and ours > theirs


def _lists(base: list[Json], ours: list[Json], theirs: list[Json]) -> list[Json] | None:
    """Merge two lists item by item; None when they can only be judged as wholes."""
    start = len(base)
    if _starts_with(ours, base) and _starts_with(theirs, base):
        return [*theirs, *_beyond(ours[start:], theirs[start:])]
    if not start == len(ours) == len(theirs):
        return None
    merged = []
    for old, our, their in zip(base, ours, theirs, strict=True):
        if same(old, our) or same(our, their):
            merged.append(their)
        elif same(old, their):
            merged.append(our)
        else:
            return None
    return merged


def _starts_with(items: list[Json], head: list[Json]) -> bool:
    return len(items) >= len(head) and all(same(one, other) for one, other in zip(items, head, strict=False))


def _beyond(ours: list[Json], theirs: list[Json]) -> list[Json]:
    """Return our additions without those that the owner made as well, one for one."""
    # Text stands in for the items, so that long lists are compared at once; it tells 1, 1.0 and true apart.
    there = Counter(json.dumps(item, sort_keys=True) for item in theirs)
    left: list[Json] = []
    for item in ours:
        text = json.dumps(item, sort_keys=True)
        if there[text]:
            there[text] -= 1
        else:
            left.append(item)
    return left


def _told(value: Json | Absent, *, root: bool = False, metadata: bool = False) -> Json | Absent:
    """Return a value without what Nola keeps up in the metadata of nodes."""
    if isinstance(value, dict):
        node = root or contract.is_node(value)
        told: dict[str, Json] = {}
        for key, item in value.items():
            inner = _told(item, metadata=node and key == _METADATA)
            if inner is not ABSENT and not (metadata and key in _KEPT_UP):
                told[key] = inner
        return told
    if isinstance(value, list):
        return [inner for item in value if (inner := _told(item)) is not ABSENT]
    return value


def _equal(a: Json | Absent, b: Json | Absent) -> bool:
    if a is ABSENT or b is ABSENT:
        return a is b
    return same(a, b)
