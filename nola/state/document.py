"""JSON files to values and back: one parser, exact places for what is wrong, nothing loads that can't be saved."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

import orjson

from nola.errors import DocumentError
from nola.flow import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.types import Json

__all__ = ["MAX_INTEGER", "defect", "depth", "dump", "duplicate_keys", "parse", "parse_object"]

# Beyond 2^53 other JSON readers, a browser's among them, lose digits (reliability.md 0.6).
MAX_INTEGER = 2**53
_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}\[\],:]', re.DOTALL)
_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def parse(data: bytes, file: str, *, max_depth: int = 64, max_bytes: int = 5_000_000) -> Json:
    """Read JSON text.

    Args:
        data: The file's bytes; a UTF-8 byte order mark is skipped.
        file: The name that messages give it.
        max_depth: Most objects and lists inside one another.
        max_bytes: Largest text.

    Raises:
        DocumentError: With the line and column, from 1, of what is wrong.
    """
    if len(data) > max_bytes:
        raise DocumentError(file, 0, 0, f"{len(data):,} bytes are more than the limit of {max_bytes:,}")
    body = data.removeprefix(_BOM)
    if body.startswith(_WIDE):
        raise DocumentError(file, 1, 1, "this is not UTF-8 text (UTF-16 perhaps); save it as UTF-8")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _place(body[: error.start].decode("utf-8"))
        raise DocumentError(file, line, column, "a byte that is not UTF-8") from None
    try:
        value: Json = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        line, column = _place(text[: error.pos])
        raise DocumentError(file, line, column, "the file is empty" if not text.strip() else error.msg) from None
    if depth(value, max_depth + 1) > max_depth:
        line, column = _too_deep(text, max_depth)
        raise DocumentError(file, line, column, f"nested deeper than {max_depth} levels")
    if _has_wide_number(value) and (wide := _wide_integer(text)):
        line, column = wide
        raise DocumentError(file, line, column, "a whole number beyond 2^53 loses digits; write it as text")
    return value


def parse_object(data: bytes, file: str, *, max_depth: int = 64, max_bytes: int = 5_000_000) -> dict[str, Json]:
    """Read JSON text whose top level has to be an object, as every file of the state is.

    Raises:
        DocumentError: The text does not parse, or its top level is something else.
    """
    value = parse(data, file, max_depth=max_depth, max_bytes=max_bytes)
    if not isinstance(value, dict):
        raise DocumentError(file, 1, 1, "the top level has to be an object, in braces")
    return value


def dump(value: Json, *, max_depth: int = 200) -> bytes:
    """Write a value as JSON text: two spaces a level, keys in their order, a newline at the end.

    Raises:
        ValueError: The value holds something that would not come back as it is (see `defect`).
    """
    why = defect(value, max_depth)
    if why:
        raise ValueError(why)
    text = orjson.dumps(value, option=_OPTIONS)
    if orjson.loads(text) != value:
        raise ValueError("the text would not read back as the same value")
    return text


def defect(value: object, max_depth: int = 200) -> str:
    """Say in words why a value can't be kept as JSON, or return an empty string."""
    if isinstance(value, str):
        return _text_defect(value)
    if not isinstance(value, dict | list):
        return _scalar_defect(value)
    if max_depth < 1:
        return "it is nested too deep"
    if isinstance(value, list):
        return next((why for item in value if (why := defect(item, max_depth - 1))), "")
    return next((why for key, item in value.items() if (why := _text_defect(key) or defect(item, max_depth - 1))), "")


def depth(value: Json, limit: int = 1024) -> int:
    """Count the objects and lists inside one another, up to `limit`; a scalar has depth 0."""
    if limit <= 0 or not isinstance(value, dict | list):
        return 0
    items = value.values() if isinstance(value, dict) else value
    deepest = 0
    for item in items:
        if isinstance(item, dict | list):
            deepest = max(deepest, depth(item, limit - 1))
    return deepest + 1


def duplicate_keys(data: bytes, file: str = "") -> list[Problem]:
    """Find keys that stand twice in one object; the parser silently keeps the last (reliability.md 0.6).

    Args:
        data: The file's bytes; text that does not parse has no duplicates.
        file: The name that the problems give it.
    """
    text = data.removeprefix(_BOM).decode("utf-8", "replace")
    if not _any_duplicate(text):
        return []
    return [
        Problem(file, *_place(text[:at]), f"the key {key!r} stands twice; only the last one counts", "warning")
        for key, at in _duplicates(text)
    ]


def _scalar_defect(value: object) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, int):
        return "" if -MAX_INTEGER <= value <= MAX_INTEGER else f"{value} is beyond 2^53; write it as text"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value} is no JSON number"
    return _text_defect(value)


def _text_defect(value: object) -> str:
    if not isinstance(value, str):
        return f"{type(value).__name__} is no kind of JSON value"
    return "" if value.isascii() or not re.search("[\ud800-\udfff]", value) else "half a character (a lone surrogate)"


def _place(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    return ((match.group(), match.start()) for match in _TOKEN.finditer(text))


def _too_deep(text: str, max_depth: int) -> tuple[int, int]:
    level = 0
    for mark, at in _tokens(text):
        level += (mark in "{[") - (mark in "}]")
        if level > max_depth:
            return _place(text[:at])
    return 0, 0


def _has_wide_number(value: Json) -> bool:
    # orjson reads integers from 2^64 on as floats, so that floats have to be looked at as well.
    if isinstance(value, dict):
        return any(map(_has_wide_number, value.values()))
    if isinstance(value, list):
        return any(map(_has_wide_number, value))
    return isinstance(value, int | float) and not -MAX_INTEGER <= value <= MAX_INTEGER


def _wide_integer(text: str) -> tuple[int, int] | None:
    for mark, at in _tokens(text):
        digits = mark.removeprefix("-")
        if digits.isdecimal() and (len(digits) > len(str(MAX_INTEGER)) or int(digits) > MAX_INTEGER):
            return _place(text[:at])
    return None


def _any_duplicate(text: str) -> bool:
    found = False

    def count(pairs: list[tuple[str, object]]) -> None:
        nonlocal found
        found = found or len({key for key, _ in pairs}) < len(pairs)

    try:
        # The standard parser only answers this one question; values always come from orjson.
        json.loads(text, object_pairs_hook=count)
    except (ValueError, RecursionError):
        return False
    return found


def _duplicates(text: str) -> Iterator[tuple[str, int]]:
    seen: list[set[str]] = []
    last = ("", 0)
    for mark, at in _tokens(text):
        if mark in "{[":
            seen.append(set())
        elif mark in "}]":
            seen.pop()
        elif mark == ":":
            key = str(json.loads(last[0]))
            if key in seen[-1]:
                yield key, last[1]
            seen[-1].add(key)
        last = (mark, at)
