"""What an assistant is born with: a folder of files, one for each category, read as innate memories (A04)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from nola.errors import DocumentError, UsageError
from nola.memory.axes import MemoryClass
from nola.memory.record import new_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from nola.memory.record import Record

__all__ = ["KINDS_OF_FILES", "read_folder", "unknown"]

_MARK = re.compile(r"(?:[-*+]|\d+[.)])\s+")
_PASSED_OVER = "readme"
_CLASS = ("class", "memory_class")


def read_folder(folder: Path) -> list[dict[str, Any]]:
    """Return the fields of all memories in a folder, file by file.

    A file's name without its ending is the category. Text and Markdown hold one memory a line, with or without a mark
    of a list; lines that begin with white space go on with the one before, headings are passed over. JSON holds a list
    of texts, or of objects with `content` and other fields. Hidden files and a README are no categories. Each memory is
    tagged with its category and its file.

    Args:
        folder: The folder.

    Raises:
        UsageError: It is no folder, there is nothing in it, or a file is of another kind or says something wrong.
        DocumentError: A file can't be read as what its name says it is.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder", fix="give a folder with one file for each category")
    paths = sorted(path for path in folder.iterdir() if _is_category(path))
    found = [fields for path in paths for fields in _read(path)]
    if not found:
        raise UsageError(f"{folder} holds no memories", fix="put one file for each category there, as safety.md")
    return found


def unknown(given: Iterable[Mapping[str, Any]], seen: Mapping[str, Iterable[Record]]) -> list[Mapping[str, Any]]:
    """Return the memories that are not innate yet, each once: the same words in the same category are the same.

    Args:
        given: The fields of each, with its namespace; its first tag is the category.
        seen: By namespace, what is innate there.
    """
    there = {(space, tag, one.content) for space, found in seen.items() for one in found for tag in one.tags}
    new = []
    for fields in given:
        key = (fields["namespace"], fields["tags"][0], fields["content"])
        if key not in there:
            there.add(key)
            new.append(fields)
    return new


def _is_category(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".") and path.stem.lower() != _PASSED_OVER


def _read(path: Path) -> list[dict[str, Any]]:
    read = KINDS_OF_FILES.get(path.suffix.lower())
    if read is None:
        raise UsageError(f"{path} is none of {', '.join(KINDS_OF_FILES)}", fix="move it away, or rename it")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(str(path), 0, 0, f"it is not UTF-8 from byte {error.start + 1} on") from error
    found = []
    for number, given in enumerate(read(path, text), 1):
        fields = {name: value for name, value in given.items() if name not in _CLASS}
        tags = fields.get("tags") or []
        fields["tags"] = list(dict.fromkeys([path.stem, path.name, *(tags if isinstance(tags, list) else [tags])]))
        fields = {"source": path.name, **fields, "memory_class": MemoryClass.INNATE}
        try:
            new_memory(fields.get("content"), {name: value for name, value in fields.items() if name != "content"})
        except UsageError as error:
            raise UsageError(f"{path}, memory {number}: {error}") from error
        found.append(fields)
    return found


def _lines(path: Path, text: str) -> Iterator[dict[str, Any]]:
    del path
    memory: list[str] = []
    for line in [*text.splitlines(), ""]:
        if memory and line[:1].isspace() and line.strip() and not _MARK.match(line.lstrip()):
            memory.append(line.strip())
            continue
        if memory:
            yield {"content": " ".join(memory)}
        said = _MARK.sub("", line.strip(), count=1)
        memory = [said] if said.strip("-=*_# ") and not line.startswith("#") else []


def _json(path: Path, text: str) -> Iterator[Mapping[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError as error:
        line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
        raise DocumentError(str(path), line, column, f"it is no JSON: {getattr(error, 'msg', error)}") from error
    except RecursionError as error:
        raise DocumentError(str(path), 0, 0, "it is nested too deep") from error
    if not isinstance(found, list) or not all(isinstance(one, str | dict) for one in found):
        raise UsageError(f"{path} is no list of texts, or of objects with content")
    for one in found:
        yield {"content": one} if isinstance(one, str) else one


KINDS_OF_FILES: Mapping[str, Callable[[Path, str], Iterator[Mapping[str, Any]]]] = {
    ".md": _lines,
    ".txt": _lines,
    ".json": _json,
}
"""What reads a file, by the ending of its name."""
