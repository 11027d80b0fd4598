"""Heat: base importance x recency x references^alpha, capped below the innate 1 (seed 000)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.dynamics.base import DAY, KIND_CODES, days_since
from nola.memory.dynamics.crossing import Decaying

if TYPE_CHECKING:
    from nola.memory.dynamics.base import Floats, Pool, Row
    from nola.settings import HeatSettings

__all__ = ["Heat"]


class Heat(Decaying):
    """Strategy `heat` (A06-A14, E-01 to E-06).

    Args:
        settings: Constants of the formula.
        rates: How fast each kind fades, in the order of `Kind`.
        literal: Whether the setting `counted` holds; else references plus one are raised to alpha.
    """

    name = "heat"

    def __init__(self, settings: HeatSettings, rates: Floats, *, literal: bool = False) -> None:
        self._settings = settings
        self._rates = rates
        self._more = 0.0 if literal and settings.counted == "n" else 1.0

    def raw(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return base x e^(-lambda d) x n^alpha, neither biased nor capped (A09, A10)."""
        s = self._settings
        cooled = np.exp(-s.cooling * self._rates[pool.kind] * days_since(pool.last_access_s, now_s))
        references = pool.access_count + self._more
        return pool.importance * cooled * np.where(references > 0, references**s.alpha, 0.0)

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return heat, 0 to the cap; innate memories have 1 (A03, A08, E-06)."""
        heat = np.clip(self.raw(pool, now_s) + pool.heat_bias, 0.0, self._settings.cap)
        return np.where(pool.innate, 1.0, heat)

    def half_life_s(self, row: Row) -> float:
        """Return ln 2 / lambda: the time in which heat halves, cap and bias aside."""
        rate = self._settings.cooling * float(self._rates[KIND_CODES[row.kind]])
        return math.log(2) / rate * DAY if rate else math.inf
