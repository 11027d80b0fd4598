"""What is measured of one question, and how many of them make one figure."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MEASURES", "Asked", "Figure", "Summary", "measured", "summary"]

_FIRST = (5, 10, 20)
_BUDGETS = (500, 1000)

MEASURES = (*(f"R@{k}" for k in _FIRST), "MRR", *(f"T@{budget}" for budget in _BUDGETS))
"""R@k: share of the evidence among the first k. MRR: one over the rank of the first. T@B: share that fits B tokens."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of one question: its category, a value for each of `MEASURES`, and milliseconds of CPU."""

    category: str
    values: tuple[float, ...]
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure over many questions.

    Attributes:
        mean: Over all questions.
        deviation: Standard deviation of the conversations' own means; None for a single conversation.
        error: Standard error of the mean over the questions; None for a single question.
    """

    mean: float
    deviation: float | None
    error: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """All measures of one way of finding, over all conversations."""

    questions: int
    conversations: int
    figures: Mapping[str, Figure]
    cpu_ms: float


def measured(ranked: Sequence[str], evidence: frozenset[str], tokens: Mapping[str, int]) -> tuple[float, ...]:
    """Measure one answer.

    Args:
        ranked: Ids of turns, best first.
        evidence: Ids of the turns that answer the question; at least one.
        tokens: What each turn costs. They fill a budget in order, up to the first that does not fit.

    Returns:
        A value from 0 to 1 for each of `MEASURES`.
    """
    order = list(dict.fromkeys(ranked))
    first = next((1 / rank for rank, id_ in enumerate(order, 1) if id_ in evidence), 0.0)
    shares = [len(evidence.intersection(order[:k])) / len(evidence) for k in _FIRST]
    fitting = [len(evidence.intersection(_fitting(order, tokens, b))) / len(evidence) for b in _BUDGETS]
    return (*shares, first, *fitting)


def summary(by_conversation: Sequence[Sequence[Asked]]) -> Summary:
    """Put the questions of all conversations together; each conversation has at least one."""
    asked = [one for some in by_conversation for one in some]
    figures = {}
    for place, name in enumerate(MEASURES):
        values = [one.values[place] for one in asked]
        means = [statistics.fmean(one.values[place] for one in some) for some in by_conversation]
        figures[name] = Figure(
            mean=statistics.fmean(values),
            deviation=statistics.stdev(means) if len(means) > 1 else None,
            error=statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None,
        )
    return Summary(len(asked), len(by_conversation), figures, statistics.fmean(one.cpu_ms for one in asked))


def _fitting(order: Sequence[str], tokens: Mapping[str, int], budget: int) -> list[str]:
    used = 0
    for place, id_ in enumerate(order):
        used += tokens[id_]
        if used > budget:
            return list(order[:place])
    return list(order)
