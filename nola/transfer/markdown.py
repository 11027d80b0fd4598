"""State and memories as Markdown, for people: a heading for each module, a line for each value and each memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson

from nola.memory.axes import Status
from nola.state import contract, document, paths
from nola.transfer.content import MAX_BYTES, MAX_DEPTH, MAX_ITEMS, PLACE
from nola.transfer.layout import Number, member
from nola.transfer.memories import object_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.types import Json

__all__ = ["markdown"]

# What could command a terminal, or turn a line's direction.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~]|^[-+](?=\s)|^\d+(?=[.)]))", re.MULTILINE)
_NOTHING = "_(nothing)_"
_DAY = len("2026-11-20")


def markdown(export: bytes) -> str:
    """Write the state and the active memories of an export as Markdown.

    Args:
        export: What `export_document` returned.
    """
    document.parse_object(export, PLACE, max_depth=MAX_DEPTH, max_bytes=MAX_BYTES, most=MAX_ITEMS)
    text = export.decode("utf-8-sig")
    state, memories = member(text, "state"), member(text, "memories")
    parts = ["# What Nola knows"]
    for name, raw in state.items() if isinstance(state, dict) else ():
        data = contract.split_root(raw)[1] if isinstance(raw, dict) else raw
        parts += [f"## {_escaped(name)}", "\n".join(_lines(data, (name,))) if data else _NOTHING]
    if isinstance(memories, list):
        parts += ["## Memories", "\n".join(_remembered(memories)) or _NOTHING]
    return "\n\n".join(parts) + "\n"


def _lines(value: Json, steps: tuple[str, ...]) -> Iterator[str]:
    if contract.is_node(value):
        yield from _lines(contract.split_node(value)[1], steps)
    elif isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _lines(item, (*steps, key))
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for number, item in enumerate(value):
            yield from _lines(item, (*steps, str(number)))
    else:
        yield f"- {_code(paths.render(steps))}: {_told(value)}"


def _remembered(memories: list[Json]) -> Iterator[str]:
    for told in map(object_of, memories):
        memory = told.get("memory", {})
        if memory.get("status") == Status.ACTIVE:
            said = f"{memory['kind']}, {memory['at'][:_DAY]}"
            yield f"- {_code(memory['id'])} ({said}): {_told(memory['content'])}"


def _told(value: Json) -> str:
    if value in ("", [], {}):
        return _NOTHING
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        # A line break inside a list item is two spaces, the break, and the item's indentation.
        return _escaped(value).replace("\n", "  \n  ")
    return orjson.dumps(value).decode()


def _escaped(text: str) -> str:
    return _MARKS.sub(_with_backslash, _CONTROLS.sub("", text.replace("\r\n", "\n").strip()))


def _with_backslash(mark: re.Match[str]) -> str:
    found = mark.group()
    return f"{found}\\" if found.isdigit() else f"\\{found}"


def _code(text: str) -> str:
    """Write text as code, between more backticks than it holds in a row."""
    plain = _CONTROLS.sub("", text).replace("\n", " ")
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {plain} {fence}" if longest else f"{fence}{plain}{fence}"
