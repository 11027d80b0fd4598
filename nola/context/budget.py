"""Fills a hard token budget with the heaviest facts and says why each other one was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, overload

from nola.flow import LeftOut, Selected
from nola.types import Level, Profile, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.context.facts import Fact
    from nola.context.weigh import Weighed
    from nola.flow import Candidate
    from nola.settings import ContextSettings

__all__ = ["Packed", "budget_for", "memory_budget_for", "pack", "threshold"]

_BUDGET = "over the budget"
_THRESHOLD = "weight at or below the threshold"
_SOURCE = "the cap of its file is reached"
_SAME = "says the same as another fact"
_NONE = Tokens(0)


@dataclass(frozen=True, slots=True)
class Packed:
    """What goes in, and what not.

    Attributes:
        selected: Facts and memories that go in, heaviest first.
        tokens: What the facts take together; never more than their budget.
        left_out: The others, heaviest first, made when they are looked at.
        memory_tokens: What the memories take together; never more than their budget.
    """

    selected: tuple[Selected, ...]
    tokens: Tokens
    left_out: Sequence[LeftOut]
    memory_tokens: Tokens = Tokens(0)  # noqa: RUF009 -- a plain number


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


def memory_budget_for(level: Level, window: int, settings: ContextSettings) -> Tokens:
    """Budget of a level's memories in tokens; where the window is small, what the facts' budget leaves of its share.

    Args:
        level: The chosen level.
        window: The model's window in tokens; 0 when no model will see it.
        settings: Budgets and the share.
    """
    wanted = {
        Level.QUICK: settings.memory_budget_l1,
        Level.CONVERSATION: settings.memory_budget_l2,
        Level.DEEP: settings.memory_budget_l3,
    }
    if window <= 0:
        return Tokens(wanted[level])
    left = int(window * settings.window_share) - budget_for(level, window, settings)
    return Tokens(max(0, min(wanted[level], left)))


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
    memory_budget: Tokens = _NONE,
) -> Packed:
    """Take facts and memories by falling weight, each kind from its own budget.

    The first fact that does not fit closes the facts' budget, so that a larger one never removes a fact (E05). A
    memory that does not fit is passed over, since a shorter one may (retrieval.md, step 7).

    Args:
        facts: All facts.
        candidates: The leaves and memories they were made of.
        weighed: Their weights.
        budget: Hard limit in tokens for facts of the state.
        count: The documented token counter.
        settings: Threshold and cap per file.
        memory_budget: Hard limit in tokens for memories.
    """
    tau = threshold(settings)
    weight = weighed.weight
    heavy = [row for row, w in enumerate(weight) if w > tau]
    order = sorted(heavy, key=weight.__getitem__, reverse=True)  # stable: equal weights keep their order
    filling = _Filling(budget, memory_budget, settings.source_cap)
    first_memory = len(facts) - sum(1 for _ in takewhile(lambda fact: fact.memory, reversed(facts)))
    chosen: list[Selected] = []
    reasons: dict[int, str] = {}
    for row in order:
        fact = facts[row]
        if filling.is_closed(fact):
            if first_memory == len(facts):
                break
            continue
        source = candidates[fact.index].source_file
        cost = count(fact.text)
        why = filling.take(fact, cost, source)
        if why is None:
            continue
        reasons[row] = why
        if not why:
            factors = weighed.factors(row)
            chosen.append(Selected(fact.path, fact.text, cost, weight[row], factors, source, fact.memory))
    left_out = _LeftOut(facts, weighed, reasons, tau, count)
    return Packed(tuple(chosen), Tokens(filling.used), left_out, Tokens(filling.memory_used))


class _Filling:
    """Two budgets being filled from one list."""

    def __init__(self, budget: int, memory_budget: int, cap: int) -> None:
        self.used = 0
        self.memory_used = 0
        self._budget = budget
        self._memory_budget = memory_budget
        self._cap = cap
        self._closed = False
        self._seen: set[str] = set()
        self._per_file: dict[str, int] = {}

    def is_closed(self, fact: Fact) -> bool:
        """Say whether nothing of this kind fits any more."""
        return self.memory_used >= self._memory_budget if fact.memory else self._closed

    def take(self, fact: Fact, cost: int, source: str) -> str | None:
        """Take a fact; return an empty text when it is in, why it stays out, or None when there is no room."""
        if fact.text in self._seen:
            return _SAME
        if fact.memory is None and self._cap and self._per_file.get(source, 0) >= self._cap:
            return _SOURCE
        if fact.memory is not None:
            if self.memory_used + cost > self._memory_budget:
                return None
            self.memory_used += cost
        else:
            if self.used + cost > self._budget:
                self._closed = True
                return None
            self.used += cost
            self._per_file[source] = self._per_file.get(source, 0) + 1
        self._seen.add(fact.text)
        return ""


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
        return LeftOut(fact.path, why, self._count(fact.text), weight, self._weighed.factors(row), fact.memory)
