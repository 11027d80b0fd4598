"""JSON files to values and back: one parser, exact places for what is wrong, nothing loads that can't be saved."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import orjson

from nola.errors import DocumentError
from nola.state import mistakes
from nola.state.oddities import count_keys, duplicate_keys, warnings
from nola.state.verdicts import VERDICTS, sentence

if TYPE_CHECKING:
    from nola.types import Json

__all__ = [
    "MAX_INTEGER",
    "VERDICTS",
    "defect",
    "depth",
    "dump",
    "duplicate_keys",
    "parse",
    "parse_object",
    "warnings",
]

# Beyond 2^53 other JSON readers, a browser's among them, lose digits (reliability.md 0.6).
MAX_INTEGER = 2**53
# So many small objects, and so many short keys, take 40 MB of memory each.
_MOST = 200_000
_BOM = b"\xef\xbb\xbf"
_MARKS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
# Where the zeros are in the first four bytes of unmarked wide text, whose first two characters are ASCII.
_ZEROS = {(0, 1, 2): "UTF-32", (1, 2, 3): "UTF-32", (0, 2): "UTF-16", (1, 3): "UTF-16"}
_RUN = 64
_OPENING = rf'(?:(?:[^"{{\[]++|{mistakes.TEXT})*+[{{\[])'
_OPENINGS = {_OPENING + f"{{{_RUN}}}+": _RUN, _OPENING: 1}
_LONG = re.compile(rb"[0-9]{16}")
_WHOLE = rf'(?:[^"\d]++|{mistakes.TEXT}|(?=\d++[.eE])\d[\d.eE+-]*+|\d{{1,15}}+(?!\d))*+(\d{{16,}}+)'
_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def parse(data: bytes, file: str, *, max_depth: int = 64, max_bytes: int = 5_000_000, most: int = _MOST) -> Json:
    """Read JSON text; the table of verdicts says what becomes of which text.

    Args:
        data: The file's bytes; a UTF-8 byte order mark is skipped.
        file: The name that messages give it.
        max_depth: Most objects and lists inside one another.
        max_bytes: Largest text.
        most: Most objects and lists in all, and most keys.

    Raises:
        DocumentError: With the line and column, from 1, of what is wrong.
    """
    if len(data) > max_bytes:
        raise DocumentError(file, 0, 0, sentence("bytes", len(data), max_bytes))
    body = data.removeprefix(_BOM)
    _refuse_encoding(body, file)
    opening = body.count(b"{") + body.count(b"[")
    _refuse_crowd(body, file, opening, most)
    try:
        value: Json = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise _mistaken(body, file, error, max_depth) from None
    if opening > max_depth and (found := mistakes.too_deep(body.decode(), max_depth)):
        raise _refusal(body.decode(), file, found)
    if _LONG.search(body) and (found := _wide_integer(body.decode())):
        raise _refusal(body.decode(), file, found)
    return value


def parse_object(
    data: bytes, file: str, *, max_depth: int = 64, max_bytes: int = 5_000_000, most: int = _MOST
) -> dict[str, Json]:
    """Read JSON text whose top level has to be an object, as every file of the state is.

    Raises:
        DocumentError: The text does not parse, or its top level is something else.
    """
    value = parse(data, file, max_depth=max_depth, max_bytes=max_bytes, most=most)
    if not isinstance(value, dict):
        raise DocumentError(file, 1, 1, sentence("top"))
    return value


def dump(value: Json, *, max_depth: int = 200) -> bytes:
    """Write a value as JSON text: two spaces a level, keys in their order, a newline at the end.

    Raises:
        ValueError: The value holds something that would not come back as it is (see `defect`).
    """
    text = _dumped(value, max_depth, orjson.OPT_STRICT_INTEGER)
    if text is not None:
        return text
    why = _defect(value, max_depth)
    text = None if why else _dumped(value, max_depth, 0)
    if text is None:
        raise ValueError(why or "the text would not read back as the same value")
    return text


def defect(value: object, max_depth: int = 200) -> str:
    """Say in words why a value can't be kept as JSON, or return an empty string."""
    return "" if _dumped(value, max_depth, orjson.OPT_STRICT_INTEGER) is not None else _defect(value, max_depth)


def depth(value: object, limit: int = 1024) -> int:
    """Count the objects and lists inside one another, up to `limit`; a scalar has depth 0."""
    if limit <= 0 or not isinstance(value, dict | list):
        return 0
    items = value.values() if isinstance(value, dict) else value
    deepest = 0
    for item in items:
        if isinstance(item, dict | list):
            deepest = max(deepest, depth(item, limit - 1))
    return deepest + 1


def _dumped(value: object, max_depth: int, option: int) -> bytes | None:
    """Write a value, unless the text would not read back as the same; the strict option refuses whole 2^53 too."""
    try:
        text = orjson.dumps(value, option=_OPTIONS | option)
    except TypeError:
        return None
    return text if orjson.loads(text) == value and depth(value, max_depth + 1) <= max_depth else None


def _defect(value: object, max_depth: int) -> str:
    if isinstance(value, str):
        return _text_defect(value)
    if not isinstance(value, dict | list):
        return _scalar_defect(value)
    if max_depth < 1:
        return "it is nested too deep"
    if isinstance(value, list):
        return next((why for item in value if (why := _defect(item, max_depth - 1))), "")
    return next((why for key, item in value.items() if (why := _text_defect(key) or _defect(item, max_depth - 1))), "")


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


def _refuse_encoding(body: bytes, file: str) -> None:
    """Refuse what is not UTF-8 text at first sight, and NUL bytes."""
    wide = next((name for mark, name in _MARKS.items() if body.startswith(mark)), "")
    if wide or b"\0" not in body:
        zeros = None
    else:
        zeros = tuple(number for number, byte in enumerate(body[:4]) if not byte)
        wide = _ZEROS.get(zeros, "")
    if wide:
        raise DocumentError(file, 1, 1, sentence("wide-text", wide))
    if zeros is None:
        return
    at = body.index(b"\0")
    rest = len(body) - at
    why = sentence("nul") if body.count(b"\0", at) < rest else sentence("padding", rest)
    before = body[:at].decode("utf-8", "replace")
    raise DocumentError(file, *mistakes.place(before, len(before)), why)


def _refuse_crowd(body: bytes, file: str, opening: int, most: int) -> None:
    """Refuse what would fill the memory; texts that hold braces and colons are looked past only when it matters."""
    if opening > most and (count := _count_opening(body.decode("utf-8", "replace"))) > most:
        raise DocumentError(file, 0, 0, sentence("crowd", count, most))
    if body.count(b":") > most and (count := count_keys(body)) > most:
        raise DocumentError(file, 0, 0, sentence("keys", count, most))


def _count_opening(text: str) -> int:
    count = here = 0
    for pattern, size in _OPENINGS.items():
        while found := mistakes.compiled(pattern).match(text, here):
            count, here = count + size, found.end()
    return count


def _mistaken(body: bytes, file: str, error: orjson.JSONDecodeError, max_depth: int) -> DocumentError:
    try:
        text = body.decode()
    except UnicodeDecodeError as wrong:
        before = body[: wrong.start].decode()
        return DocumentError(file, *mistakes.place(before, len(before)), sentence("utf-8"))
    return _refusal(text, file, mistakes.mistake(text, error.pos, error.msg, max_depth))


def _refusal(text: str, file: str, found: mistakes.Mistake) -> DocumentError:
    return DocumentError(file, *mistakes.place(text, found.at), found.why)


def _wide_integer(text: str) -> mistakes.Mistake | None:
    """Find a whole number that other readers of JSON lose digits of; orjson makes a float of it from 2^64 on."""
    here = 0
    while found := mistakes.compiled(_WHOLE).match(text, here):
        here, digits = found.end(), found[1]
        if len(digits) > len(str(MAX_INTEGER)) or int(digits) > MAX_INTEGER:
            return mistakes.Mistake(
                found.start(1) - (text[found.start(1) - 1 : found.start(1)] == "-"), sentence("wide")
            )
    return None
