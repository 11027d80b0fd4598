"""Reads the state for an export: every module as its owner wrote it, without what Nola works out by herself."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from nola import files
from nola.errors import DocumentError, StorageError
from nola.state import contract, document, sync
from nola.state.agreed import LAST_GOOD
from nola.state.loaded import PARENTS, file_of
from nola.transfer.content import MAX_BYTES, MAX_DEPTH, PLACE, Document
from nola.transfer.layout import laid_out, read_tree, without

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.transfer.content import Source
    from nola.types import Json

__all__ = ["BOOKKEEPING", "document_of", "gather"]

BOOKKEEPING = ("last_updated", "version")
"""What the metadata of a parent tells of the last pull."""

# No file is larger than the settings allow; a larger parent lends no digits, and nothing else is lost.
_LARGEST = 100_000_000


def gather(state: Source) -> tuple[Document, ...]:
    """Return every module that travels, by name, as they all stood at one moment.

    Raises:
        ConflictError: Another process kept writing for too long.
    """
    with contextlib.ExitStack() as held:
        with contextlib.suppress(StorageError):  # nobody writes to a folder that takes no lock, and it can be read
            held.enter_context(state.held())
        known = state.documents()
        return tuple(_gathered(state.folder, name, known[name]) for name in sorted(known) if name != sync.MACHINE)


def document_of(name: str, tree: Json) -> Document:
    """Make a document of a module's tree, without what is derived in it.

    What is derived: in every module the flag `needs_sync`; in Nola and identity also the copies that were pulled, and
    the time and version of the pull.
    """
    value = _value(laid_out(tree))
    text = laid_out(without(tree, _derived(name, value))).encode() + b"\n"
    return Document(name, _value(text.decode()), text)


def _gathered(folder: Path, name: str, known: dict[str, Json]) -> Document:
    tree = read_tree(document.dump(known, max_depth=MAX_DEPTH).decode())
    wanted = document_of(name, tree)
    for content in _contents(folder, file_of(name)):
        try:
            parsed = document.parse_object(content, name, max_depth=MAX_DEPTH, max_bytes=MAX_BYTES)
        except DocumentError:
            continue
        # The store says what counts; a file only lends its digits, and only when it says the same.
        if laid_out(without(parsed, _derived(name, parsed))) == laid_out(wanted.value):
            return document_of(name, read_tree(content.decode("utf-8-sig")))
    return wanted


def _contents(folder: Path, file: str) -> Iterator[bytes]:
    for path in (folder / file, folder / LAST_GOOD / file):
        with contextlib.suppress(OSError, ValueError):
            yield files.read_stable(path, max_bytes=_LARGEST)[0]


def _derived(name: str, raw: dict[str, Json]) -> list[tuple[str, ...]]:
    """List the places of what is derived in a document."""
    found: list[tuple[str, ...]] = []
    if isinstance(raw.get("metadata"), dict):
        found.append(("metadata", "needs_sync"))
    if name not in PARENTS:
        return found
    metadata, data = contract.split_root(raw)
    if metadata:
        found += [("metadata", key) for key in BOOKKEEPING]
    own = sync.own_data(name, data)
    if isinstance(data, dict) and isinstance(own, dict):
        inside = ("data",) if raw.get("data") is data else ()
        found += [(*inside, key) for key in data if key not in own]
    return found


def _value(text: str) -> dict[str, Json]:
    return document.parse_object(text.encode(), PLACE, max_depth=MAX_DEPTH, max_bytes=MAX_BYTES)
