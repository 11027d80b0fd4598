"""The options that several commands over the memory share, and what tiers and moments look like in them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from nola.cli import output
from nola.memory.axes import Kind, MemoryClass, Status, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from nola.learned import Memory
    from nola.memory.engine import Stats

__all__ = [
    "ClassOption",
    "IdArgument",
    "KindOption",
    "LevelOption",
    "NamespaceOption",
    "PlainOption",
    "SpeakerOption",
    "StatusOption",
    "TagOption",
    "TierOption",
    "counts_document",
    "counts_line",
    "heat_cell",
    "id_cells",
    "moment",
    "shortened",
]

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The memory's id, or the beginning of it.")]
KindOption = Annotated[list[Kind] | None, typer.Option("--kind", help="Of this kind; may be given several times.")]
ClassOption = Annotated[MemoryClass | None, typer.Option("--class", help="Of this class.")]
LevelOption = Annotated[
    list[int] | None, typer.Option("--level", min=1, max=3, metavar="1..3", help="Of this level; may be repeated.")
]
TierOption = Annotated[list[Tier] | None, typer.Option("--tier", help="So warm; may be given several times.")]
StatusOption = Annotated[
    list[Status] | None, typer.Option("--status", help="Of this status, in place of active; may be repeated.")
]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="With this tag; with all that are given.")
]
SpeakerOption = Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Said by this person.")]
NamespaceOption = Annotated[str, typer.Option("--namespace", metavar="NAME", help="In this namespace.")]
PlainOption = Annotated[bool, typer.Option("--plain", help="Tiers as words, without their symbols.")]

_SYMBOLS = {Tier.HOT: "🔥", Tier.WARM: "🟠", Tier.COLD: "🧊"}
_MOST = 300


def heat_cell(heat: float, tier: Tier, *, plain: bool = False) -> str:
    """Write a memory's tier and heat: its symbol where stdout can carry it, the word, and the score (A37)."""
    words = f"{tier.value:<4} {heat:.2f}"
    return words if plain or not _can_show(_SYMBOLS[tier]) else f"{_SYMBOLS[tier]} {words}"


def counts_line(stats: Stats) -> str:
    """Write how many memories are innate, hot, warm and cold (A43)."""
    hot, warm, cold = (stats.tiers[tier] for tier in Tier)
    parts = (
        f"Innate {stats.innate} (protected)",
        f"Hot {hot} (in working memory)",
        f"Warm {warm} (active cache)",
        f"Cold {cold} (archive)",
    )
    return " · ".join(parts)


def counts_document(stats: Stats) -> dict[str, int]:
    """Return the same four numbers and their sum."""
    return {"innate": stats.innate, **{tier.value: stats.tiers[tier] for tier in Tier}, "total": stats.total}


def id_cells(memory: Memory, ids: Iterable[str]) -> dict[str, str]:
    """Return what a person is shown of ids, and may type again: as much as tells each from all others.

    Whatever is no terminal gets whole ids.
    """
    if output.on_terminal(sys.stdout):
        return memory.engine.memories.beginnings(ids)
    return {id_: id_ for id_ in ids}


def moment(at: datetime | None) -> str:
    """Write an instant as this machine's clock shows it, in UTC where no clock can; nothing for None."""
    if at is None:
        return ""
    try:
        at = at.astimezone()
    except (OverflowError, ValueError):  # it lies outside the years 1 to 9999 here
        return f"{at.replace(tzinfo=None).isoformat(' ', 'seconds')} UTC"
    return at.replace(tzinfo=None).isoformat(" ", "seconds")


def shortened(content: str, *, most: int = _MOST) -> str:
    """Write what a memory says on one line, cut when it is long."""
    line = output.one_line(content)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _can_show(sign: str) -> bool:
    """Tell whether stdout can carry a sign."""
    try:
        sign.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
