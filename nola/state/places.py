"""What an owner's edit of a file changed, place by place, as the paths by which a person names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.state import contract
from nola.state.patch import ABSENT, Absent, same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.types import Json

__all__ = ["KEPT_UP", "Place", "changed_places", "lasting"]

KEPT_UP = frozenset({"last_updated", "version", "needs_sync"})
"""What Nola keeps up by herself in a node's metadata: a change of it is no edit."""


@dataclass(frozen=True, slots=True)
class Place:
    """One changed place: the steps below a module's data, and what stood and stands there, wrappers of nodes kept."""

    steps: tuple[str, ...]
    old: Json | Absent
    new: Json | Absent


def changed_places(old: Json, new: Json) -> Iterator[Place]:
    """Go through the places in which two versions of a module's data differ, the outermost that name them all.

    A list is one place unless its length stayed; a node is one place when its metadata changed too.
    """
    return _between(old, new, ())


def _between(old: Json | Absent, new: Json | Absent, steps: tuple[str, ...]) -> Iterator[Place]:
    if old is not ABSENT and new is not ABSENT and same(old, new):
        return
    if old is ABSENT or new is ABSENT or contract.is_node(old) != contract.is_node(new):
        yield Place(steps, old, new)
        return
    if contract.is_node(old) and contract.is_node(new):
        if same(_beside(old), _beside(new)):
            yield from _between(old["data"], new["data"], steps)
        else:
            yield Place(steps, old, new)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _between(old.get(key, ABSENT), new.get(key, ABSENT), (*steps, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _between(before, after, (*steps, str(number)))
    else:
        yield Place(steps, old, new)


def lasting(metadata: Json) -> dict[str, Json]:
    """Return metadata without the fields that every save changes."""
    return {key: item for key, item in metadata.items() if key not in KEPT_UP} if isinstance(metadata, dict) else {}


def _beside(node: dict[str, Json]) -> dict[str, Json]:
    return {**{key: item for key, item in node.items() if key != "data"}, "metadata": lasting(node.get("metadata"))}
