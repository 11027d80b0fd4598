"""Reads the head of a GGUF model file: what it is and the window it was trained for."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from nola.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["GgufHead", "read_head"]

_MAGIC = b"GGUF"
_KNOWN_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_LONGEST_STRING = 1_000_000
_MOST_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class GgufHead:
    """What stands at the beginning of a GGUF file.

    Attributes:
        architecture: For example `qwen2`, `llama`, `bert`; empty when it does not say.
        name: The model's own name, may be empty.
        window: Longest window it was trained for in tokens; 0 when it does not say.
    """

    architecture: str = ""
    name: str = ""
    window: int = 0


def read_head(path: Path) -> GgufHead:
    """Read architecture, name and window; stops as soon as the window is known (GGUF specification, versions 2 and 3).

    Raises:
        ModelError: The file can't be read, or is no GGUF file.
    """
    try:
        with path.open("rb") as file:
            return _head(file)
    except OSError as error:
        raise ModelError(f"{path} can't be read: {error.strerror or error}", fix="check the path") from error
    except (struct.error, ValueError) as error:
        raise ModelError(f"{path} is no GGUF model file", fix="choose a file that ends in .gguf") from error


def _head(file: BinaryIO) -> GgufHead:
    if file.read(4) != _MAGIC:
        raise ValueError("wrong magic")
    version, _tensors, entries = _take(file, "IQQ")
    if version not in _KNOWN_VERSIONS or entries > _MOST_ENTRIES:
        raise ValueError("unknown version")
    seen: dict[str, object] = {}
    for _ in range(entries):
        key = _string(file)
        if key.startswith("tokenizer."):
            break  # the vocabulary: what is looked for stands before it
        (kind,) = _take(file, "I")
        if kind == _ARRAY:
            _skip_array(file)
        else:
            seen[key] = _string(file) if kind == _STRING else _take(file, _FORMATS.get(kind, "!"))[0]
        if key.endswith(".context_length"):
            break
    architecture = str(seen.get("general.architecture", ""))
    window = seen.get(f"{architecture}.context_length", 0)
    return GgufHead(architecture, str(seen.get("general.name", "")), window if isinstance(window, int) else 0)


def _skip_array(file: BinaryIO) -> None:
    kind, length = _take(file, "IQ")
    if length > _MOST_ENTRIES:
        raise ValueError("array too long")
    for _ in range(length):
        if kind == _STRING:
            _string(file)
        else:
            _take(file, _FORMATS.get(kind, "!"))


def _string(file: BinaryIO) -> str:
    (length,) = _take(file, "Q")
    if length > _LONGEST_STRING:
        raise ValueError("string too long")
    return file.read(length).decode("utf-8", "replace")


def _take(file: BinaryIO, kinds: str) -> tuple[int, ...]:
    layout = struct.Struct(f"<{kinds}")
    return layout.unpack(file.read(layout.size))
