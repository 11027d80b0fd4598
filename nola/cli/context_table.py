"""Shows a context report to a person: the level and why, every candidate with its factors, and what did not fit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nola.cli import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.flow import ContextReport, Factors, LeftOut, Remembered, Selected

__all__ = ["SHOWN", "show_report"]

SHOWN = 20
"""So many left-out facts are listed unless all are asked for."""

_NUMBERS = ("tokens", "weight", "hierarchy", "level", "recency", "relevance")


def show_report(report: ContextReport, *, most: int | None = SHOWN) -> None:
    """Print a report on stdout.

    Args:
        report: The report.
        most: How many of the left-out facts to list, the heaviest; None for all.
    """
    output.write(f"level {int(report.choice.level)}: {report.choice.why}")
    memories = len(report.memories)
    facts = len(report.selected) - memories
    output.write(f"budget: {report.tokens} of {report.budget} tokens used, {facts} fact{'' if facts == 1 else 's'}")
    if memories or any(fact.memory for fact in report.left_out[:most]):
        said = f"{memories} memor{'y' if memories == 1 else 'ies'}"
        output.write(f"memory: {report.memory_tokens} of {report.memory_budget} tokens used, {said}")
    output.write("")
    if report.selected:
        output.table(("in", "path", *_NUMBERS), map(_chosen_row, report.selected), right=_NUMBERS)
        output.write("")
        for fact in report.selected:
            output.write(f"  {fact.text}")
            if fact.memory:
                output.write(f"    {_recalled(fact.memory)}")
    else:
        output.write("nothing goes in")
    _show_left_out(report.left_out, most)
    for name in report.unknown:
        output.write(f"not known: {name}")
    for notice in report.notices:
        output.say(f"note: {notice}")


def _show_left_out(left_out: Sequence[LeftOut], most: int | None) -> None:
    if not left_out:
        return
    shown = left_out[:most]
    output.write("")
    if output.on_terminal(sys.stdout):
        for why in dict.fromkeys(fact.why for fact in shown):
            output.write(f"left out, {why}:")
            output.table(
                ("out", "path", *_NUMBERS), (_left_row(fact) for fact in shown if fact.why == why), right=_NUMBERS
            )
            output.write("")
    else:
        output.table(("out", "path", *_NUMBERS, "why"), ((*_left_row(f), f.why) for f in shown), right=_NUMBERS)
    if len(shown) < len(left_out):
        output.write(f"and {len(left_out) - len(shown)} more were left out (nola context --all lists them)")


def _chosen_row(fact: Selected) -> tuple[str, ...]:
    return ("+", fact.path, str(fact.tokens), f"{fact.weight:.3f}", *_factors(fact.factors))


def _left_row(fact: LeftOut) -> tuple[str, ...]:
    return ("-", fact.path, str(fact.tokens), f"{fact.weight:.3f}", *_factors(fact.factors))


def _recalled(memory: Remembered) -> str:
    """Say how recall saw a memory."""
    parts = ", ".join(f"{name} {part:.2f}" for name, part in memory.parts.items())
    told = f"relevance {memory.relevance:.2f}, strength {memory.strength:.2f} ({memory.tier}): {memory.why}"
    return f"{told} [{parts}]" if parts else told


def _factors(factors: Factors) -> tuple[str, ...]:
    parts = (factors.hierarchy, factors.level, factors.recency, factors.relevance)
    if output.on_terminal(sys.stdout):
        return tuple(f"{output.bar(part)} {part:.2f}" for part in parts)
    return tuple(f"{part:.2f}" for part in parts)
