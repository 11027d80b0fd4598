"""Every leaf of the state as a candidate for the context, made again only for the documents that changed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from nola.state import leaves, sync
from nola.state.loaded import PARENTS
from nola.types import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.flow import Candidate
    from nola.state.loaded import Loaded
    from nola.state.shelf import Shelf
    from nola.state.sync import Levels
    from nola.types import Json

__all__ = ["Census", "own_data"]

_HIGHEST = {"Nola": Place.GLOBAL, "identity": Place.AGGREGATOR}


class Census:
    """The leaves of one state folder. Not thread-safe: its owner holds the lock.

    Args:
        shelf: The documents.
        levels: Up to which level nodes travel.
    """

    def __init__(self, shelf: Shelf, levels: Levels) -> None:
        self._shelf = shelf
        self._levels = levels
        self._leaves: dict[str, tuple[bytes, list[Candidate]]] = {}
        self._candidates: tuple[str, tuple[Candidate, ...]] = ("", ())

    def candidates(self) -> tuple[Candidate, ...]:
        """List every leaf, each once, at its highest place; the same tuple until something changes."""
        revision = self.revision()
        if self._candidates[0] != revision:
            self._candidates = (revision, tuple(self._flattened()))
        return self._candidates[1]

    def revision(self) -> str:
        """Return a word that differs whenever the candidates may differ."""
        whole = hashlib.blake2b(digest_size=12)
        for name in self._shelf.names():
            whole.update(name.encode() + b"\0" + self._shelf[name].digest)
        return whole.hexdigest()

    def _flattened(self) -> Iterator[Candidate]:
        for name in self._shelf.names():
            loaded = self._shelf[name]
            kept = self._leaves.get(name)
            if kept is None or kept[0] != loaded.digest:
                kept = (loaded.digest, self._leaves_of(loaded))
                self._leaves[name] = kept
            yield from kept[1]

    def _leaves_of(self, loaded: Loaded) -> list[Candidate]:
        highest = _HIGHEST.get(loaded.name)
        return leaves.flatten(
            loaded.name,
            loaded.metadata,
            own_data(loaded),
            source_file=loaded.file,
            undated=loaded.modified,
            levels=None if highest else self._levels,
            place=highest or Place.MODULE,
        )


def own_data(loaded: Loaded) -> Json:
    """Return a document's data, of a parent without the copies that were pulled into it."""
    return sync.own_data(loaded.name, loaded.data) if loaded.name in PARENTS else loaded.data
