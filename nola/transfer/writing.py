"""Writes an export: one readable JSON text, the same whenever the content is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from nola.errors import NolaError
from nola.transfer.content import FORMAT, MAX_BYTES, VERSION
from nola.transfer.gather import gather
from nola.transfer.layout import shifted
from nola.transfer.memories import objects_of
from nola.transfer.talks import json_of
from nola.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nola.memory.rows import WholeConversation
    from nola.transfer.content import Conversations, Document, Memories, Source

__all__ = ["export_document", "written"]


def export_document(
    state: Source,
    conversations: Conversations,
    memories: Memories,
    *,
    only: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> bytes:
    """Return everything that Nola knows as one JSON text: no time of its own, modules by name, all else by id.

    Args:
        state: The state.
        conversations: The conversations.
        memories: The learned memory.
        only: The one part that is wanted, by its name in the text; None for all of them.
        max_bytes: Largest text.

    Raises:
        NolaError: Conversations or memories can't be read, or it would be too large to be read again.
        ConflictError: Another process kept writing for too long.
    """
    text = written(
        gather(state) if only in {None, "state"} else None,
        conversations.export_rows() if only in {None, "conversations"} else None,
        memories.export_lines() if only in {None, "memories"} else None,
    )
    if len(text) > max_bytes:
        raise NolaError(
            f"the export has {len(text):,} bytes, more than the {max_bytes:,} that can be read again",
            fix="give out the state alone (--only state), or make a backup: nola backup create",
        )
    return text


def written(
    documents: Iterable[Document] | None,
    conversations: Iterable[WholeConversation] | None,
    memories: Iterable[str] | None = None,
) -> bytes:
    """Write documents, conversations and the lines of the memory as one JSON text; None leaves a part out."""
    parts = {"format": _dumped(FORMAT), "version": _dumped(VERSION), "nola": _dumped(__version__)}
    if documents is not None:
        parts["state"] = _object({document.name: document.text.decode().rstrip("\n") for document in documents})
    if conversations is not None:
        parts["conversations"] = _dumped([json_of(conversation) for conversation in conversations])
    if memories is not None:
        parts["memories"] = _dumped(objects_of(memories))
    return f"{_object(parts)}\n".encode()


def _object(parts: dict[str, str]) -> str:
    items = [f"  {_dumped(key)}: {shifted(text)}" for key, text in parts.items()]
    return "{\n" + ",\n".join(items) + "\n}" if items else "{}"


def _dumped(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
