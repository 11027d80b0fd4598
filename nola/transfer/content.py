"""What travels: documents and conversations as one value; and what is asked of those who give and take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from nola.memory.rows import WholeConversation
    from nola.types import Json

__all__ = [
    "FORMAT",
    "MAX_BYTES",
    "MAX_DEPTH",
    "PLACE",
    "VERSION",
    "Conversations",
    "Document",
    "Export",
    "Sink",
    "Source",
]

FORMAT = "nola-export"
VERSION = 1
# How messages call the text that is read.
PLACE = "the export"
# What is larger is no longer read or looked at as one text; a backup takes it.
MAX_BYTES = 1_000_000_000
# The deepest module that the settings allow, and the objects around it.
MAX_DEPTH = 210


@dataclass(frozen=True, slots=True)
class Document:
    """One module as it travels.

    Attributes:
        name: The module's name.
        value: What its owner wrote; of Nola and identity, only what is their own.
        text: The same as the bytes of a file, laid out in one way, its numbers in the digits that were written.
    """

    name: str
    value: dict[str, Json]
    text: bytes


@dataclass(frozen=True, slots=True)
class Export:
    """What an export holds: documents by name, conversations by id, and the version of Nola that wrote it."""

    documents: tuple[Document, ...] = ()
    conversations: tuple[WholeConversation, ...] = ()
    nola: str = ""


class Source(Protocol):
    """The state, to be read as a whole."""

    @property
    def folder(self) -> Path:
        """The state folder."""

    def held(self) -> AbstractContextManager[object]:
        """Keep everybody else from writing, for a consistent copy."""

    def documents(self) -> Mapping[str, dict[str, Json]]:
        """Return every document as its owner wrote it, by name; of one that can't be read, the last good version."""


class Sink(Source, Protocol):
    """The state, to be written as a whole."""

    def take_in(
        self, documents: Mapping[str, dict[str, Json]], *, who: str, via: str, texts: Mapping[str, bytes]
    ) -> Sequence[object]:
        """Write whole documents exactly as given, recorded and durable when this returns; return the changes.

        Args:
            documents: Each document's whole new content; of Nola and identity without the copies, which are pulled
                again.
            who: Who brought them.
            via: By which way.
            texts: The same documents as the bytes of their files, so that `1.50` does not become `1.5`.
        """


class Conversations(Protocol):
    """The stored conversations."""

    def export_rows(self) -> Sequence[WholeConversation]:
        """Return every conversation, by id."""

    def import_rows(self, conversations: Iterable[WholeConversation], *, replace: Collection[str] = ()) -> None:
        """Place whole conversations, all or none."""
