"""Fills a hard token budget with the heaviest facts and says why each other one was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from nola.flow import LeftOut, Selected
from nola.types import Level, Profile, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.context.facts import Fact
    from nola.context.weigh import Weighed
    from nola.flow import Candidate
    from nola.settings import ContextSettings

__all__ = ["Packed", "budget_for", "pack", "threshold"]

_BUDGET = "over the budget"
_THRESHOLD = "weight at or below the threshold"
_SOURCE = "the cap of its file is reached"
_SAME = "says the same as another fact"


@dataclass(frozen=True, slots=True)
class Packed:
    """What goes in, and what not.

    Attributes:
        selected: Facts that go in, heaviest first.
        tokens: What they take together; never more than the budget.
        left_out: The others, heaviest first, made when they are looked at.
    """

    selected: tuple[Selected, ...]
    tokens: Tokens
    left_out: Sequence[LeftOut]


def budget_for(level: Level, window: int, settings: ContextSettings) -> Tokens:
    """Budget of a level in tokens, scaled down to a share of the model's window (E21-E23).

    Args:
        level: The chosen level.
        window: The model's window in tokens; 0 when no model will see it.
        settings: Budgets and the share.
    """
    wanted = {Level.QUICK: settings.budget_l1, Level.CONVERSATION: settings.budget_l2, Level.DEEP: settings.budget_l3}
    if window <= 0:
        return Tokens(wanted[level])
    return Tokens(min(wanted[level], int(window * settings.window_share)))


def threshold(settings: ContextSettings) -> float:
    """Return tau: facts at or below this weight stay out (E05)."""
    return settings.hea_threshold if settings.profile == Profile.HEA else settings.threshold


def pack(
    facts: Sequence[Fact],
    candidates: Sequence[Candidate],
    weighed: Weighed,
    budget: Tokens,
    count: Callable[[str], Tokens],
    settings: ContextSettings,
) -> Packed:
    """Take facts by falling weight until one does not fit; a larger budget never removes a fact (E05).

    Args:
        facts: All facts.
        candidates: The leaves they were made of.
        weighed: Their weights.
        budget: Hard limit in tokens.
        count: The documented token counter.
        settings: Threshold and cap per file.
    """
    tau = threshold(settings)
    weight = weighed.weight
    heavy = [row for row, w in enumerate(weight) if w > tau]
    order = sorted(heavy, key=weight.__getitem__, reverse=True)  # stable: equal weights keep their order
    chosen: list[Selected] = []
    reasons: dict[int, str] = {}
    seen: set[str] = set()
    per_file: dict[str, int] = {}
    used = 0
    full = False
    for row in order:
        if full:
            break
        fact = facts[row]
        source = candidates[fact.index].source_file
        cost = count(fact.text)
        if fact.text in seen:
            reasons[row] = _SAME
        elif settings.source_cap and per_file.get(source, 0) >= settings.source_cap:
            reasons[row] = _SOURCE
        elif used + cost > budget:
            full = True
        else:
            seen.add(fact.text)
            used += cost
            per_file[source] = per_file.get(source, 0) + 1
            chosen.append(Selected(fact.path, fact.text, cost, weight[row], weighed.factors(row), source))
            reasons[row] = ""
    return Packed(tuple(chosen), Tokens(used), _LeftOut(facts, weighed, reasons, tau, count))


class _LeftOut(Sequence[LeftOut]):
    """What was left out, heaviest first; ten thousand rows cost nothing until somebody looks."""

    def __init__(
        self,
        facts: Sequence[Fact],
        weighed: Weighed,
        reasons: dict[int, str],
        tau: float,
        count: Callable[[str], Tokens],
    ) -> None:
        self._facts = facts
        self._weighed = weighed
        self._reasons = reasons
        self._tau = tau
        self._count = count
        self._order: list[int] | None = None

    def _rows(self) -> list[int]:
        if self._order is None:
            weight = self._weighed.weight
            rows = (r for r in range(len(self._facts)) if self._reasons.get(r) != "")
            self._order = sorted(rows, key=weight.__getitem__, reverse=True)
        return self._order

    def __len__(self) -> int:
        return len(self._rows())

    @overload
    def __getitem__(self, index: int) -> LeftOut: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[LeftOut]: ...

    def __getitem__(self, index: int | slice) -> LeftOut | Sequence[LeftOut]:
        if isinstance(index, slice):
            return [self._made(row) for row in self._rows()[index]]
        return self._made(self._rows()[index])

    def _made(self, row: int) -> LeftOut:
        fact, weight = self._facts[row], self._weighed.weight[row]
        why = self._reasons.get(row) or (_THRESHOLD if weight <= self._tau else _BUDGET)
        return LeftOut(fact.path, why, self._count(fact.text), weight, self._weighed.factors(row))
