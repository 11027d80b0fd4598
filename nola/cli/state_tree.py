"""Draws what Nola knows as a tree, with the level, age, staleness and file of every node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli import output
from nola.state import contract

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from nola.types import Json

__all__ = ["show_tree", "tree_lines"]

_INDENT = "  "


def show_tree(found: Mapping[str, Json], now: datetime) -> None:
    """Print nodes by name on stdout."""
    for name, value in found.items():
        for text, note in tree_lines(name, value, now):
            output.show(text, aside=note)


def tree_lines(name: str, value: Json, now: datetime, indent: str = "") -> Iterator[tuple[str, str]]:
    """Yield a value's lines: what stands there, and a note on the node it is, or an empty text.

    Args:
        name: The key it stands under.
        value: The value, nodes with their wrappers.
        now: The present instant, from which ages are counted.
        indent: What every line begins with.
    """
    metadata, data = contract.split_node(value)
    note = output.one_line(_note(metadata, now)) if metadata else ""
    head = f"{indent}{output.one_line(name)}"
    if isinstance(data, dict) and data:
        yield head, note
        for key, below in data.items():
            yield from tree_lines(key, below, now, indent + _INDENT)
    elif isinstance(data, list) and any(isinstance(item, dict | list) for item in data):
        yield head, note
        for number, item in enumerate(data):
            yield from tree_lines(str(number), item, now, indent + _INDENT)
    else:
        yield f"{head}: {output.inline(data, most=None)}", note


def _note(metadata: Mapping[str, Json], now: datetime) -> str:
    fields = dict(metadata)
    updated = contract.updated_of(fields)
    parts = [
        f"level {contract.level_of(fields)}" if "context_level" in fields else "",
        output.ago(now - updated) if updated else "never updated",
        _freshness(fields, now),
        str(fields.get("source_file") or ""),
    ]
    return f"({', '.join(part for part in parts if part)})"


def _freshness(fields: dict[str, Json], now: datetime) -> str:
    if fields.get("needs_sync") is True:
        return "to be pulled"
    return "stale" if contract.is_stale(fields, now) else "fresh"
