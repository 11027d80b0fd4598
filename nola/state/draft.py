"""Changes on their way: documents as they will be, and the record of each change; nothing of it is on disk yet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nola import files
from nola.errors import PathError
from nola.state import contract, document, patch, paths
from nola.state.listing import is_file_name
from nola.state.loaded import PARENTS, Loaded, digest_of, file_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from nola.flow import Conflict
    from nola.settings import StateSettings
    from nola.state.history import History, Recorded
    from nola.state.shelf import Shelf
    from nola.types import Json

__all__ = ["Draft", "bare"]


class Draft:
    """One group of changes, built up and then saved as a whole.

    Args:
        shelf: The documents as they stand.
        now: The instant of every change in it.
        settings: Limits.

    Attributes:
        now: The instant of every change in it.
        changes: What was changed so far, in its order.
        conflicts: Values that lost against the owner's.
    """

    def __init__(self, shelf: Shelf, now: datetime, settings: StateSettings) -> None:
        self._shelf = shelf
        self._settings = settings
        self._documents: dict[str, Loaded | None] = {}
        self._texts: dict[str, bytes] = {}
        self.now = now
        self.changes: list[Recorded] = []
        self.conflicts: list[Conflict] = []

    def __contains__(self, name: object) -> bool:
        if name in self._documents:
            return self._documents[str(name)] is not None
        return name in self._shelf

    def names(self) -> list[str]:
        """List all documents as they will be."""
        own = [name for name, loaded in self._documents.items() if loaded is not None]
        return list(dict.fromkeys([*(name for name in self._shelf.names() if name in self), *own]))

    def known(self, name: str) -> Loaded:
        """Return a document as it will be.

        Raises:
            PathError: No document has this name.
        """
        if name not in self:
            raise paths.unknown(name, self.names())
        return self._documents.get(name) or self._shelf[name]

    def writable(self, name: str) -> Loaded:
        """Return a document that is about to be changed.

        Raises:
            PathError: No document has this name.
            DocumentError: What is on disk can't be read; it stays as it is.
        """
        loaded = self.known(name)
        return loaded if name in self._documents else self._shelf.writable(name)

    def opened(self, name: str, *, as_given: bool = False) -> Loaded:
        """Return a document that is about to be changed; one that is missing is begun.

        Args:
            name: The document.
            as_given: A new one may have any name that its owner could give a file by hand.

        Raises:
            PathError: No module may have this name.
            DocumentError: What is on disk can't be read; it stays as it is.
        """
        if name in self:
            return self.writable(name)
        if not (as_given and is_file_name(name)):
            paths.check_new_module(name, self.names())
        return Loaded(name, file_of(name), {}, {}, {}, b"", b"", self.now)

    def put(self, name: str, raw: dict[str, Json], change: Recorded) -> Recorded:
        """Change a document.

        Args:
            name: The document.
            raw: Its whole new content.
            change: The record of it; the patch, version and file are filled in.

        Raises:
            PathError: It would be nested too deep.
        """
        before = self.known(name).raw if name in self else None
        if self._may_be_deep(change):
            self._check_depth(name, raw, change.path)
        self.put_unrecorded(name, raw)
        full = replace(
            change,
            patch=tuple(patch.diff(patch.ABSENT if before is None else bare(before), bare(raw))),
            version=contract.version_of(contract.split_root(raw)[0]),
            created=file_of(name) if before is None else "",
        )
        self.changes.append(full)
        return full

    def put_unrecorded(self, name: str, raw: dict[str, Json]) -> None:
        """Change a document without a word in the history, as at birth."""
        known = self.known(name) if name in self else Loaded(name, file_of(name), {}, {}, {}, b"", b"", self.now)
        metadata, data = contract.split_root(raw)
        self._documents[name] = replace(known, raw=raw, metadata=metadata, data=data)

    def _may_be_deep(self, change: Recorded) -> bool:
        """Say whether a change may reach the limit: each step on the way may be an object in a node in an object."""
        steps = len(paths.parse(change.path).steps)
        return 3 * (steps + 1) + document.depth(change.new) > self._settings.max_depth

    def _check_depth(self, name: str, raw: dict[str, Json], path: str) -> None:
        most = self._settings.max_depth
        if name not in PARENTS and document.depth(raw, most + 1) > most:
            raise PathError(path[:80], f"that would be nested deeper than {most} levels")

    def spell(self, name: str, text: bytes | None) -> None:
        """Have a document written as these bytes, if they say the same as its value."""
        if text is not None:
            self._texts[name] = text

    def remove(self, name: str, change: Recorded) -> Recorded:
        """Take a document away."""
        full = replace(change, patch=tuple(patch.diff(bare(self.known(name).raw), patch.ABSENT)))
        self._documents[name] = None
        self.changes.append(full)
        return full

    def mark(self) -> tuple[dict[str, Loaded | None], int]:
        """Return what `back` returns to."""
        return dict(self._documents), len(self.changes)

    def back(self, mark: tuple[dict[str, Loaded | None], int]) -> None:
        """Drop what was changed since a mark: a wish that failed leaves nothing."""
        self._documents = dict(mark[0])
        del self.changes[mark[1] :]

    def save(self, folder: Path, history: History) -> list[Recorded]:
        """Write everything to disk as one group; return the changes as they were recorded.

        Raises:
            SlippedError: Somebody else wrote a file since it was looked at; nothing was replaced.
            DocumentError: The content could not be read back; nothing was written.
            StorageError: The disk refused; the old files stand.
        """
        contents = {}
        for name, loaded in self._documents.items():
            if loaded is None and name not in self._shelf:
                continue  # made and taken away again within the group
            contents[name] = (
                (self._shelf.encoded(name, loaded.raw, self._texts.get(name)), loaded.raw) if loaded else None
            )
        if not contents:
            if self.changes:
                history.add(self.changes)
            return self.changes
        if any(name not in self._shelf and new for name, new in contents.items()):
            files.make_private_dir(folder / "modules")
        history.prepare()
        changes = _with_digests(self.changes, {name: new[0] if new else b"" for name, new in contents.items()})
        recorded = {change.module for change in changes}
        silent = {name: new[0] for name, new in contents.items() if new and name not in recorded}
        lines = history.lines(changes) + (history.own(silent) if silent else b"")
        self._shelf.save(contents, history.file, lines)
        for name, new in contents.items():
            if new is None:
                self._shelf.disown(name)
        return changes


def bare(raw: dict[str, Json]) -> dict[str, Json]:
    """Return a document without its root node's flag, which goes up and down without anything having changed."""
    metadata = raw.get("metadata")
    if not isinstance(metadata, dict) or "needs_sync" not in metadata:
        return raw
    return {**raw, "metadata": {key: value for key, value in metadata.items() if key != "needs_sync"}}


def _with_digests(changes: Sequence[Recorded], contents: dict[str, bytes]) -> list[Recorded]:
    """Give the last change of each document what its bytes hash to, so that a later look knows them for Nola's own."""
    last = {change.module: number for number, change in enumerate(changes)}
    return [
        replace(change, digest=digest_of(contents[change.module]).hex())
        if last[change.module] == number and contents.get(change.module)
        else change
        for number, change in enumerate(changes)
    ]
