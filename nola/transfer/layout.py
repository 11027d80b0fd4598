"""JSON laid out in one way, two spaces a level, with every number in the digits that its owner wrote."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.types import Json

__all__ = ["Number", "laid_out", "member", "read_tree", "shifted", "without"]

_STEP = "  "
_BLANK = re.compile(r"[ \t\r\n]*")


class Number(str):
    """A number as its owner wrote it: `1.50` stays `1.50`."""

    __slots__ = ()


_TREE = json.JSONDecoder(parse_float=Number, parse_int=Number)


def read_tree(text: str) -> Json:
    """Read JSON text that `document.parse` has accepted, numbers as `Number`; values always come from the parser."""
    tree: Json = _TREE.decode(text)
    return tree


def laid_out(tree: Json, indent: str = "") -> str:
    """Write a tree: keys in their order, numbers as they were written, everything else in one way.

    Args:
        tree: What `read_tree` returned, or a part of it.
        indent: What stands before the line that the text begins in.
    """
    if isinstance(tree, Number):
        return str(tree)
    inside = indent + _STEP
    if isinstance(tree, dict) and tree:
        items = [f"{inside}{_text(key)}: {laid_out(item, inside)}" for key, item in tree.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(tree, list) and tree:
        items = [f"{inside}{laid_out(item, inside)}" for item in tree]
        return "[\n" + ",\n".join(items) + f"\n{indent}]"
    return _text(tree)


def shifted(text: str) -> str:
    """Move a text that is laid out one level to the right; a JSON string holds no line break, so nothing else moves."""
    return text.replace("\n", f"\n{_STEP}")


def member(text: str, key: str) -> Json:
    """Return the tree below one key of a document's top level, or null.

    Args:
        text: JSON text that `document.parse` has accepted, an object.
        key: The key.
    """
    at = _past_blank(text, _past_blank(text, 0) + 1)
    while text[at] != "}":
        name, at = _TREE.raw_decode(text, at)
        at = _past_blank(text, _past_blank(text, at) + 1)
        tree: Json
        tree, at = _TREE.raw_decode(text, at)
        if name == key:
            return tree
        at = _past_blank(text, at)
        at = _past_blank(text, at + (text[at] == ","))
    return None


def without(value: Json, paths: Sequence[tuple[str, ...]]) -> Json:
    """Copy a value or a tree without what stands at these paths of keys."""
    if not paths or not isinstance(value, dict):
        return value
    gone = {path[0] for path in paths if len(path) == 1}
    below = {key: [path[1:] for path in paths if path[0] == key and len(path) > 1] for key in value}
    return {key: without(item, below[key]) for key, item in value.items() if key not in gone}


def _past_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _text(value: Json) -> str:
    return orjson.dumps(value).decode()
