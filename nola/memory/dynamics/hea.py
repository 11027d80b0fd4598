"""The weight of a node, hierarchy x level x recency, for a memory: its level is its place (seed 004, E06-E08)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.dynamics.base import DAY, KIND_CODES, days_since
from nola.memory.dynamics.crossing import Decaying

if TYPE_CHECKING:
    from nola.memory.dynamics.base import Floats, Pool, Row
    from nola.settings import ContextSettings

__all__ = ["Hea"]


class Hea(Decaying):
    """Strategy `hea`: a memory of level 1 stands where the global file does, 2 an aggregator, 3 a module.

    Args:
        settings: Weights of hierarchy and level, and the decay of recency per day.
        rates: How fast time passes for each kind, in the order of `Kind`.
        chosen: Level that the message asks for; None weighs every level alike.
    """

    name = "hea"

    def __init__(self, settings: ContextSettings, rates: Floats, *, chosen: int | None = None) -> None:
        self._settings = settings
        self._rates = rates
        hierarchy = (settings.hierarchy_global, settings.hierarchy_aggregator, settings.hierarchy_module)
        apart = (settings.level_same, settings.level_one_apart, settings.level_two_apart)
        self._weights = np.array([h * apart[abs(k - (chosen or k))] for k, h in enumerate(hierarchy, start=1)])

    def asked_at(self, level: int | None) -> Hea:
        """Return the weights for a message that asks for a level; None weighs every level alike."""
        return self if level is None else Hea(self._settings, self._rates, chosen=level)

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return hierarchy x level x e^(-lambda d), d in days since it was stored or changed; use does not count."""
        days = self._rates[pool.kind] * days_since(pool.updated_s, now_s)
        return self._weights[np.clip(pool.level, 1, 3) - 1] * np.exp(-self._settings.recency_lambda * days)

    def half_life_s(self, row: Row) -> float:
        """Return ln 2 / lambda."""
        rate = self._settings.recency_lambda * float(self._rates[KIND_CODES[row.kind]])
        return math.log(2) / rate * DAY if rate else math.inf
