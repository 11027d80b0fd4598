"""The first member of every archive: what is in it, byte for byte, and what could not be taken along."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from nola.backup.names import Kind
from nola.backup.places import DATABASE, SETTINGS, STATE
from nola.errors import NolaError

if TYPE_CHECKING:
    from typing import Any

__all__ = ["MAX_BYTES", "NAME", "Entry", "LeftOut", "Manifest", "belongs", "dump", "is_cache", "is_lock", "read"]

NAME = "manifest.json"
MAX_BYTES = 64_000_000
"""The largest manifest that is read: half a million files."""

_FORMAT = "nola-backup"
_VERSION = 1
_HASH = re.compile(r"[0-9a-f]{64}")
_TEMP = re.compile(r"\.nola-\d+-.*\.tmp")
_LOCKS = {".lock", ".instance"}
_LAST_GOOD = ".last-good"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive: its name in it, its size in bytes, and the SHA-256 of its bytes."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One file that is not in an archive, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says about itself."""

    created: datetime
    nola: str
    kind: Kind
    files: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(entry.size for entry in self.files)

    @property
    def paths(self) -> frozenset[str]:
        """The names of all its files."""
        return frozenset(entry.path for entry in self.files)

    def lacks(self, path: str) -> bool:
        """Tell whether a file could not be taken along, so that nothing is known about it."""
        return any(left.path == path for left in self.left_out)

    def sentences(self) -> tuple[str, ...]:
        """Return a sentence for everything that could not be taken along."""
        return tuple(f"{left.path} is not in the backup: {left.why}" for left in self.left_out)


def is_lock(path: str) -> bool:
    """Tell whether this is a lock file of the state folder, which stays where it is."""
    return path.removeprefix(STATE) in _LOCKS


def is_cache(path: str) -> bool:
    """Tell whether this file of the state folder is made again from the others: last good copies, previous versions."""
    first, *rest = path.removeprefix(STATE).split("/")
    name = rest[-1] if rest else first
    return first == _LAST_GOOD or name.endswith(".json.bak") or _TEMP.fullmatch(name) is not None


def belongs(path: str) -> bool:
    """Tell whether a name may stand in an archive: a file of Nola's own by a plain relative path."""
    if path in {SETTINGS, DATABASE}:
        return True
    steps = path.split("/")
    plain = len(steps) > 1 and not {"", ".", ".."} & set(steps) and "\0" not in path
    return path.startswith(STATE) and plain and not is_lock(path) and not is_cache(path)


def dump(manifest: Manifest) -> bytes:
    """Write a manifest as JSON; names that are no text keep their bytes as escapes."""
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "created": manifest.created.astimezone(UTC).isoformat(),
        "nola": manifest.nola,
        "kind": str(manifest.kind),
        "files": [asdict(entry) for entry in manifest.files],
        "left_out": [asdict(left) for left in manifest.left_out],
    }
    return json.dumps(document, indent=1).encode() + b"\n"


def read(data: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        NolaError: It is damaged, made by a newer Nola, or names what does not belong in a backup.
    """
    try:
        found = _checked(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise NolaError("the manifest is damaged, so this is no backup of Nola's that can be used") from error
    names = [entry.path for entry in found.files]
    strange = next((name for name in names if not belongs(name)), None)
    if strange is not None:
        raise NolaError(f"the manifest names {strange[:200]!r}, which does not belong in a backup")
    if len(set(names)) < len(names):
        raise NolaError("the manifest names a file twice")
    return found


def _checked(document: dict[str, Any]) -> Manifest:
    if document["format"] != _FORMAT:
        raise ValueError(document["format"])
    if int(document["version"]) > _VERSION:
        raise NolaError("this backup was made by a newer Nola", fix="update Nola")
    return Manifest(
        datetime.fromisoformat(document["created"]).astimezone(UTC),
        str(document["nola"]),
        Kind(document["kind"]),
        tuple(_entry(row) for row in document["files"]),
        tuple(LeftOut(str(row["path"]), str(row["why"])) for row in document.get("left_out", ())),
    )


def _entry(row: dict[str, Any]) -> Entry:
    path, size, digest = row["path"], row["size"], row["sha256"]
    if not isinstance(path, str) or type(size) is not int or size < 0 or not _HASH.fullmatch(digest):
        raise ValueError(path)
    return Entry(path, size, digest)
