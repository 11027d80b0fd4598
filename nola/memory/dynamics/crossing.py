"""What every strategy gets from its strength alone: tiers, half-lives, the next crossing, and how an access counts."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.axes import Tier
from nola.memory.dynamics.base import DAY, Crossing, Pool, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.memory.axes import Kind
    from nola.memory.dynamics.base import Floats, Row, Statistics

__all__ = ["Decaying", "tier_of", "tiers"]

_HORIZON = 100 * 365.25 * DAY
_GRID = np.concatenate([[0.0], np.geomspace(1.0, _HORIZON, 600)])
_FINE = np.linspace(0.0, 1.0, 33)
_ROUNDS = 14


def tiers(strength: Floats, thresholds: tuple[float, float]) -> Floats:
    """Return 0 for hot, 1 for warm, 2 for cold (A14, E-02).

    Args:
        strength: 0 to 1.
        thresholds: Hot above the first, warm from the second on.
    """
    hot, warm = thresholds
    return np.where(strength > hot, 0.0, np.where(strength >= warm, 1.0, 2.0))


def tier_of(strength: float, thresholds: tuple[float, float]) -> Tier:
    """Return the tier of one memory."""
    hot, warm = thresholds
    if strength > hot:
        return Tier.HOT
    return Tier.WARM if strength >= warm else Tier.COLD


class Decaying(ABC):
    """A strategy whose half-life and crossings are found from its strength; a closed form may replace them."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in settings and on the command line."""

    @abstractmethod
    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return each memory's value in the model's own scale."""

    def strength(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return each memory's strength, 0 to 1; innate memories have 1 (A03)."""
        return np.where(pool.innate, 1.0, np.clip(self.value(pool, now_s), 0.0, 1.0))

    def learned(self, stat: Statistics, kind: Kind, now_s: float) -> Statistics:
        """Return what one access changes in the model's own columns: nothing, unless a model says otherwise."""
        del kind, now_s
        return stat

    def accessed(self, stat: Statistics, kind: Kind, now_s: float, *, returned: bool = True) -> Statistics:
        """Return the statistics after one access; a memory that was not returned keeps its own (C24, E-27)."""
        return counted(self.learned(stat, kind, now_s), kind, now_s) if returned else stat

    def half_life_s(self, row: Row) -> float:
        """Return the time after the last access in which strength halves; infinite when that takes 100 years."""
        strength = self._future(row, row.statistics.last_access_s)
        half = strength(np.zeros(1))[0] / 2
        found = _first(lambda after: strength(after) <= half)
        return math.inf if found is None else found

    def next_crossing(self, row: Row, now_s: float, thresholds: tuple[float, float]) -> Crossing | None:
        """Return when the next tier is entered; None when that takes more than a hundred years."""
        strength = self._future(row, now_s)
        present = tiers(strength(np.zeros(1)), thresholds)[0]
        found = _first(lambda after: tiers(strength(after), thresholds) != present)
        if found is None:
            return None
        return Crossing(found, tuple(Tier)[int(tiers(strength(np.array([found])), thresholds)[0])])

    def _future(self, row: Row, from_s: float) -> Callable[[Floats], Floats]:
        """Return the learned memory's strength as a function of the seconds that pass untouched."""
        one = Pool.of([replace(row, innate=False)])

        def strength(after: Floats) -> Floats:
            return self.strength(one.take(np.zeros(len(after), dtype=np.intp)), from_s + after)

        return strength


def _first(holds: Callable[[Floats], Floats]) -> float | None:
    """Return the first time at which a condition holds: a grid over a hundred years, then ever finer between two."""
    times = _GRID
    found: float | None = None
    for _ in range(_ROUNDS):
        places = np.flatnonzero(holds(times))
        if not len(places):
            return found
        found = float(times[places[0]])
        if places[0] == 0:
            return found
        before = float(times[places[0] - 1])
        if found - before <= 1e-6:  # noqa: PLR2004 -- a microsecond, the grain of all times
            return found
        times = before + (found - before) * _FINE
    return found
