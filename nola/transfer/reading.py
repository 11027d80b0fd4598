"""Reads an export, and refuses in one sentence whatever is none, is newer, damaged, or would not be safe to place."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from nola.errors import DocumentError, NolaError
from nola.state import document, paths, sync
from nola.transfer.content import FORMAT, MAX_BYTES, MAX_DEPTH, MAX_ITEMS, PLACE, VERSION, Export
from nola.transfer.gather import document_of
from nola.transfer.layout import member
from nola.transfer.memories import lines_of
from nola.transfer.talks import conversation_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nola.memory.rows import WholeConversation
    from nola.types import Json

__all__ = ["check_twins", "read_document"]

# Since which version of an export each of its keys is known.
_KEYS = {"format": 1, "version": 1, "nola": 1, "state": 1, "conversations": 1, "memories": 2}
_RESERVED = {"metadata", "data", "modules"}
# A file system's names have 255 bytes, and what is kept beside a file adds to its name.
_LONGEST_NAME = 200
_SHOWN = 60


def read_document(data: bytes, *, max_depth: int = 64, max_bytes: int = 5_000_000) -> Export:
    """Read an export.

    Args:
        data: Its bytes.
        max_depth: Most objects and lists inside one another in a module.
        max_bytes: Largest module.

    Raises:
        DocumentError: It is damaged, or holds something that can't be placed.
        NolaError: It is no export of Nola's, or of a newer version.
    """
    whole = document.parse_object(data, PLACE, max_depth=MAX_DEPTH, max_bytes=MAX_BYTES, most=MAX_ITEMS)
    _check_envelope(whole)
    for twice in document.duplicate_keys(data, PLACE):
        raise DocumentError(PLACE, twice.line, twice.column, twice.message)
    state = whole.get("state", {})
    if not isinstance(state, dict):
        raise DocumentError(PLACE, 0, 0, "state is no object")
    _check_modules(state, max_depth)
    trees = member(data.decode("utf-8-sig"), "state")
    documents = [document_of(name, tree) for name, tree in trees.items()] if isinstance(trees, dict) else []
    for module in documents:
        if len(module.text) > max_bytes:
            raise _wrong(module.name, f"has {len(module.text):,} bytes, more than the limit of {max_bytes:,}")
    return Export(
        documents=tuple(sorted(documents, key=lambda module: module.name)),
        conversations=_conversations(whole.get("conversations", [])),
        memories=lines_of(whole.get("memories", [])),
        nola=str(whole["nola"]),
    )


def check_twins(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that differ from one another, or from known ones, only in case: some disks hold just one of them.

    Raises:
        DocumentError: Two do.
    """
    by_fold = {_folded(name): name for name in known}
    for name in names:
        other = by_fold.setdefault(_folded(name), name)
        if other != name:
            raise _wrong(name, f"differs from {_shown(other)} only in case")


def _check_envelope(whole: dict[str, Json]) -> None:
    if whole.get("format") != FORMAT:
        raise NolaError(
            f'this is no export of Nola\'s: it does not say "format": "{FORMAT}"', fix="make one with: nola export"
        )
    version = whole.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise DocumentError(PLACE, 0, 0, "version is no number of a version")
    if version > VERSION:
        raise NolaError(
            f"the export was written by a newer Nola (version {version}, this one reads up to {VERSION})",
            fix="update Nola; nothing was changed",
        )
    unknown = next((key for key in whole if _KEYS.get(key, VERSION + 1) > version), None)
    if unknown is not None:
        raise DocumentError(PLACE, 0, 0, f"there is an unknown part, {_shown(unknown)}")
    if not isinstance(whole.get("nola"), str):
        raise DocumentError(PLACE, 0, 0, "it does not say which version of nola wrote it")


def _check_modules(state: dict[str, Json], max_depth: int) -> None:
    for name, raw in state.items():
        why = _refusal(name)
        if why:
            raise _wrong(name, why)
        if not isinstance(raw, dict):
            raise _wrong(name, "is no object, as every module is")
        if document.depth(raw, max_depth + 1) > max_depth:
            raise _wrong(name, f"is nested deeper than {max_depth} levels")
    check_twins(state, paths.CORE)


def _refusal(name: str) -> str:
    """Say why no module may have a name, or return an empty string."""
    if not name.strip() or not name.isprintable():
        return "is no name for a module: it is empty or holds control characters"
    if set(name) & set("/\\") or name.startswith("."):
        return "is no name for a module: it would lead elsewhere"
    if len(name.encode()) > _LONGEST_NAME:
        return f"is no name for a module: it has more than {_LONGEST_NAME} bytes"
    if _folded(name) in _RESERVED:
        return "is no name for a module: that word is reserved"
    return "describes its own machine and does not travel" if name == sync.MACHINE else ""


def _conversations(value: Json) -> tuple[WholeConversation, ...]:
    if not isinstance(value, list):
        raise DocumentError(PLACE, 0, 0, "conversations is no list")
    found = [conversation_of(item, f"conversations.{number}") for number, item in enumerate(value)]
    _check_unique("conversations", [conversation.id for conversation in found])
    _check_unique("turns", [message.id for conversation in found for message in conversation.messages])
    return tuple(sorted(found, key=lambda conversation: conversation.id))


def _check_unique(what: str, ids: list[str]) -> None:
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen:
            raise DocumentError(PLACE, 0, 0, f"two {what} have the id {_shown(id_)}")
        seen.add(id_)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _shown(name: str) -> str:
    return repr(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…")


def _wrong(name: str, why: str) -> DocumentError:
    return DocumentError(PLACE, 0, 0, f"the module {_shown(name)} {why}")
