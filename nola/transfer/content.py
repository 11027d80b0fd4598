"""What travels: modules, conversations and memories as one value; and what is asked of those who give and take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from nola.memory.journal import Taken
    from nola.memory.rows import WholeConversation
    from nola.types import Json

__all__ = [
    "FORMAT",
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_ITEMS",
    "PLACE",
    "RAW",
    "VERSION",
    "Conversations",
    "Document",
    "Export",
    "Memories",
    "Sink",
    "Source",
]

FORMAT = "nola-export"
VERSION = 2
# How messages call the text that is read.
PLACE = "the export"
# What is larger is no longer read or looked at as one text; a backup takes it.
MAX_BYTES = 1_000_000_000
# The objects, and the keys, of a hundred thousand memories with their links.
MAX_ITEMS = 10_000_000
# The deepest module that the settings allow, and the objects around it.
MAX_DEPTH = 210
# The one key of an object that stands for JSON text which would not come back as it is.
RAW = "nola:text"


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
    """What an export holds.

    Attributes:
        documents: The modules, by name.
        conversations: The conversations, by id.
        memories: The learned memory, line by line as it gives itself out.
        nola: The version of Nola that wrote it.
    """

    documents: tuple[Document, ...] = ()
    conversations: tuple[WholeConversation, ...] = ()
    memories: tuple[str, ...] = ()
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


class Memories(Protocol):
    """The learned memory."""

    def export_lines(self) -> Sequence[str]:
        """Return the whole of it as lines of JSON, each an object."""

    def import_lines(self, text: Iterable[str], *, skip_known: bool = False, dry_run: bool = False) -> Taken:
        """Store such lines, all or none; known memories are passed over when told, and a dry run stores nothing.

        Raises:
            DocumentError: A line is not what `export_lines` returns; its number is told, from 1.
        """
