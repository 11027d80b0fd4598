"""The Memory Chain: a working trace that fades fast and feeds a long-term trace that fades slowly (seed 002, 3.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.dynamics.base import DAY, KIND_CODES, days_since
from nola.memory.dynamics.crossing import Decaying

if TYPE_CHECKING:
    from nola.memory.axes import Kind
    from nola.memory.dynamics.base import Floats, Pool, Statistics
    from nola.settings import ChainSettings

__all__ = ["Chain"]


class Chain(Decaying):
    """Strategy `chain` (C16-C20), in closed form, so that the size of steps does not matter (Murre & Chessa 2011).

    Args:
        settings: Rates of the two traces.
        rates: How fast time passes for each kind, in the order of `Kind`.
    """

    name = "chain"

    def __init__(self, settings: ChainSettings, rates: Floats) -> None:
        self._settings = settings
        self._rates = rates

    def passed(self, r1: Floats, r2: Floats, days: Floats) -> tuple[Floats, Floats]:
        """Return both traces after some days (C16); with equal rates the limit alpha t e^(-mu t) holds (C17)."""
        s = self._settings
        left = np.exp(-s.slow * days)
        apart = s.fast - s.slow
        fed = left * (-np.expm1(-apart * days) / apart if apart else days)
        return r1 * np.exp(-s.fast * days), r2 * left + s.consolidation * r1 * fed

    def traces(self, pool: Pool, now_s: float | Floats) -> tuple[Floats, Floats]:
        """Return the working and the long-term trace of each memory (C20)."""
        return self.passed(pool.r1, pool.r2, self._rates[pool.kind] * days_since(pool.chain_s, now_s))

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return the sum of both traces."""
        r1, r2 = self.traces(pool, now_s)
        return r1 + r2

    def learned(self, stat: Statistics, kind: Kind, now_s: float) -> Statistics:
        """Return the traces at the access: the working one gets back what it lost, the long-term one stays."""
        days = max(0.0, now_s - stat.chain_s) / DAY * float(self._rates[KIND_CODES[kind]])
        now_1, now_2 = self.passed(np.array([stat.r1]), np.array([stat.r2]), np.array([days]))
        r1, r2 = float(now_1[0]), float(now_2[0])
        again = r1 + self._settings.relearned * max(0.0, 1.0 - r1)
        return replace(stat, r1=again, r2=r2, chain_s=max(stat.chain_s, now_s))
