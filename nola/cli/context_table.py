"""Shows a context report to a person: the level and why, every candidate with its factors, and what did not fit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nola.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nola.flow import ContextReport, Factors, LeftOut, Selected

__all__ = ["show_report"]

_FIRST = 20
_NUMBERS = ("tokens", "weight", "hierarchy", "level", "recency", "relevance")


def show_report(report: ContextReport, *, everything: bool = False) -> None:
    """Print a report on stdout.

    Args:
        report: The report.
        everything: List all that was left out, not only the heaviest.
    """
    output.write(f"level {int(report.choice.level)}: {report.choice.why}")
    output.write(f"budget: {report.tokens} of {report.budget} tokens used, {len(report.selected)} facts")
    output.write("")
    if report.selected:
        output.table(("in", "path", *_NUMBERS), map(_chosen_row, report.selected), right=_NUMBERS)
        output.write("")
        for fact in report.selected:
            output.write(f"  {fact.text}")
    else:
        output.write("nothing goes in")
    _show_left_out(report, everything=everything)
    for name in report.unknown:
        output.write(f"not known: {name}")
    for notice in report.notices:
        output.say(f"note: {notice}")


def _show_left_out(report: ContextReport, *, everything: bool) -> None:
    count = len(report.left_out)
    shown: Iterable[LeftOut] = report.left_out if everything else report.left_out[:_FIRST]
    if not count:
        return
    output.write("")
    output.table(("out", "path", *_NUMBERS, "why"), map(_left_row, shown), right=_NUMBERS)
    if not everything and count > _FIRST:
        output.write(f"and {count - _FIRST} more (--all lists them)")
    output.write("")


def _chosen_row(fact: Selected) -> tuple[str, ...]:
    return ("+", fact.path, str(fact.tokens), f"{fact.weight:.3f}", *_factors(fact.factors))


def _left_row(fact: LeftOut) -> tuple[str, ...]:
    return ("-", fact.path, str(fact.tokens), f"{fact.weight:.3f}", *_factors(fact.factors), fact.why)


def _factors(factors: Factors) -> tuple[str, ...]:
    parts = (factors.hierarchy, factors.level, factors.recency, factors.relevance)
    if output.on_terminal(sys.stdout):
        return tuple(f"{output.bar(part)} {part:.2f}" for part in parts)
    return tuple(f"{part:.2f}" for part in parts)
