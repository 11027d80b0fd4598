"""A module's leaves as candidates for the context: each with its nearest node's level and time, and its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.flow import Candidate
from nola.state import contract, paths
from nola.types import Level, Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from nola.state.contract import Metadata
    from nola.state.sync import Levels
    from nola.types import Json

__all__ = ["MAX_LIST", "MAX_WORDS", "flatten", "place_of"]

# A longer list of scalars would be one fact that fits no budget; its items then stand alone.
MAX_LIST = 12
# Items longer than this say something each, and are found and told one by one.
MAX_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Around:
    """What a leaf inherits from the node around it."""

    level: Level
    updated: datetime
    place: Place


def flatten(
    name: str,
    metadata: Metadata,
    data: Json,
    *,
    source_file: str,
    undated: datetime,
    levels: Levels | None,
    place: Place = Place.MODULE,
) -> list[Candidate]:
    """List the leaves of one document in their order.

    Args:
        name: The document's name, the first step of every path.
        metadata: The root node's metadata.
        data: The root node's data.
        source_file: The document's file, relative to the state folder.
        undated: The time of nodes that have none that can be read.
        levels: Up to which level nodes travel upward; None when all leaves stand at `place`.
        place: Where the leaves stand when `levels` is None.
    """
    flat = _Flat(name, source_file, levels, place)
    around = flat.inherit(metadata, _Around(Level(contract.DEFAULT_LEVEL), undated, place))
    return list(flat.walk(data, paths.render([name]), (), around))


def place_of(level: int, levels: Levels) -> Place:
    """Return the highest file that holds a raw module's node of this level (E01)."""
    if level > levels.aggregator:
        return Place.MODULE
    return Place.GLOBAL if level <= levels.top else Place.AGGREGATOR


class _Flat:
    def __init__(self, name: str, source_file: str, levels: Levels | None, place: Place) -> None:
        self._name = name
        self._source_file = source_file
        self._levels = levels
        self._place = place

    def inherit(self, metadata: Metadata, around: _Around) -> _Around:
        level = Level(contract.level_of(metadata, around.level))
        place = place_of(level, self._levels) if self._levels else self._place
        return _Around(level, contract.updated_of(metadata) or around.updated, place)

    def walk(self, value: Json, path: str, keys: tuple[str, ...], around: _Around) -> Iterator[Candidate]:
        if isinstance(value, dict):
            if contract.is_node(value):
                metadata, data = contract.split_node(value)
                yield from self.walk(data, path, keys, self.inherit(metadata, around))
                return
            for key, item in value.items():
                yield from self.walk(item, f"{path}.{paths.render((key,))}", (*keys, key), around)
        elif isinstance(value, list):
            if _is_one_leaf(value):
                yield self._leaf(list(value), path, keys, around)
                return
            for number, item in enumerate(value):
                yield from self.walk(item, f"{path}.{number}", (*keys, str(number)), around)
        elif value is not None:
            yield self._leaf(value, path, keys, around)

    def _leaf(self, value: Json, path: str, keys: tuple[str, ...], around: _Around) -> Candidate:
        return Candidate(path, keys, value, around.place, around.level, around.updated, self._source_file)


def _is_one_leaf(items: list[Json]) -> bool:
    if not 0 < len(items) <= MAX_LIST or all(item is None for item in items):
        return False
    if any(isinstance(item, dict | list) for item in items):
        return False
    return all(len(str(item).split()) <= MAX_WORDS for item in items)
