"""Tells values of Nola's that lost against the owner's own edit, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.flow import Conflict
    from nola.types import Json

__all__ = ["conflict_lines"]

_NOTHING = "(nothing)"


def conflict_lines(conflict: Conflict) -> Iterator[str]:
    """Yield the lines that tell a conflict: what names it, the value that stands, the one that lost, the one before."""
    when = f"{conflict.at.astimezone():%Y-%m-%d %H:%M}"
    yield output.one_line(f"{conflict.id}  {when}  {conflict.path}  ({conflict.file})")
    ours = "(to be removed)" if conflict.removes else output.inline(conflict.ours)
    yield f"    yours:   {_side(conflict.theirs)}"
    yield f"    Nola's:  {ours}"
    yield f"    before:  {_side(conflict.base)}"


def _side(value: Json) -> str:
    return _NOTHING if value is None else output.inline(value)
