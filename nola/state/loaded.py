"""A document as it was read: its value, its bytes and what is odd about it; and how bytes become one."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from nola import files
from nola.errors import DocumentError
from nola.flow import Problem
from nola.state import contract, document, sync
from nola.state.patch import same
from nola.state.splice import respliced

if TYPE_CHECKING:
    from nola.files import Stamp
    from nola.settings import StateSettings
    from nola.state.contract import Metadata
    from nola.types import Json

__all__ = ["PARENTS", "Late", "Loaded", "Reader", "Turned", "digest_of", "file_of", "previous_of", "problem"]

PARENTS = ("Nola", "identity")
# A parent holds copies of its children, a few objects deeper and many files' worth.
_PARENT_DEPTH = 6
_PARENT_SIZE = 50
# A file beyond this is parsed before it is saved, since it may pass a limit of the parser's.
_LARGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document as it was last read without an error; it is shared and never mutated."""

    name: str
    file: str
    raw: dict[str, Json]
    metadata: Metadata
    data: Json
    content: bytes
    digest: bytes
    modified: datetime
    warnings: tuple[Problem, ...] = ()
    ambiguous: str = ""


@dataclass(frozen=True, slots=True)
class Turned:
    """A document that is not what it was: by somebody else's hand when `foreign`, or by another process of Nola's.

    Attributes:
        name: The document.
        base: The version that was agreed on before; None for a file that is new.
        foreign: Nobody has recorded this content yet.
    """

    name: str
    base: dict[str, Json] | None
    foreign: bool


@dataclass(frozen=True, slots=True)
class Late:
    """A save by an editor that had the file open while Nola replaced it, and so went into the previous version."""

    name: str
    base: dict[str, Json]
    theirs: dict[str, Json]


class Reader:
    """Turns bytes into documents.

    Args:
        settings: Limits of depth and size.
    """

    def __init__(self, settings: StateSettings) -> None:
        self._settings = settings

    def bytes_of(self, name: str, path: Path) -> tuple[bytes, os.stat_result]:
        """Read a file whole, as it was at one instant.

        Raises:
            DocumentError: It is larger than the limit.
            OSError: It can't be read.
            StorageError: It is no regular file, or belongs to another user.
        """
        try:
            return files.read_stable(path, max_bytes=self.limits(name)[1])
        except ValueError as error:
            raise DocumentError(file_of(name), 0, 0, str(error)) from None

    def parsed(self, name: str, content: bytes) -> dict[str, Json]:
        """Parse a document.

        Raises:
            DocumentError: With the place of what is wrong.
        """
        max_depth, max_bytes = self.limits(name)
        return document.parse_object(content, file_of(name), max_depth=max_depth, max_bytes=max_bytes)

    def made(self, name: str, raw: dict[str, Json], content: bytes, stamp: Stamp, *, ours: bool = False) -> Loaded:
        """Make a document of its parts.

        Args:
            name: The document.
            raw: Its value.
            content: Its bytes.
            stamp: The file's time, size and number.
            ours: Nola wrote it, so that no key stands in it twice.
        """
        file = file_of(name)
        metadata, data = contract.split_root(raw)
        found = [] if ours else document.warnings(content, file, value=raw)
        twice = document.duplicate_keys(content, file) if found else []
        odd = [problem(file, why, "warning") for why in contract.all_violations(metadata, data)]
        return Loaded(
            name=name,
            file=file,
            raw=raw,
            metadata=metadata,
            data=data,
            content=content,
            digest=digest_of(content),
            modified=datetime.fromtimestamp(stamp[0] / 1e9, UTC),
            warnings=(*found, *odd),
            ambiguous=f"line {twice[0].line}: {twice[0].message}" if twice else "",
        )

    def encoded(self, name: str, raw: dict[str, Json], old: Loaded | None, text: bytes | None = None) -> bytes:
        """Write a document as the bytes of its file; what did not change keeps the owner's own spelling.

        Args:
            name: The document.
            raw: Its value.
            old: The document as it stands; None for a new one.
            text: Bytes that spell it; they are used if they say just that.

        Raises:
            DocumentError: The content could not be read back.
        """
        max_depth, max_bytes = self.limits(name)
        if text is not None and same(self.parsed(name, text), raw):
            return text
        why = document.defect(raw, max_depth)
        if why:
            raise DocumentError(file_of(name), 0, 0, why)
        try:
            content = respliced(old.content, old.raw, raw) if old else document.dump(raw, max_depth=max_depth)
        except ValueError as error:
            raise DocumentError(file_of(name), 0, 0, str(error)) from None
        if len(content) > max_bytes:
            raise DocumentError(file_of(name), 0, 0, f"{len(content):,} bytes are more than {max_bytes:,}")
        if not old or len(content) > _LARGE:
            self.parsed(name, content)  # nothing is saved that could not be loaded again
        return content

    def limits(self, name: str) -> tuple[int, int]:
        """Return the depth and the bytes that a document may have."""
        if name in PARENTS:
            return self._settings.max_depth + _PARENT_DEPTH, self._settings.max_bytes * _PARENT_SIZE
        return self._settings.max_depth, self._settings.max_bytes


def file_of(name: str) -> str:
    """Return a document's file, relative to the state folder."""
    return f"{name}.json" if name in PARENTS else sync.file_of(name)


def previous_of(folder: Path, name: str) -> Path:
    """Return where a document's previous version lies: beside its file, and beside the real one of a linked file."""
    path = folder / file_of(name)
    real = Path(os.path.realpath(path)) if files.is_link(path) else path
    return real.with_name(f"{real.name}.bak")


def digest_of(content: bytes) -> bytes:
    """Hash a file's bytes: 16 bytes that differ whenever the content does."""
    return hashlib.blake2b(content, digest_size=16).digest()


def problem(file: str, message: str, severity: str = "error") -> Problem:
    """Make a problem of a whole file."""
    return Problem(file, 0, 0, message, severity)
