"""Retention: exponential decay that stability, importance and kind stretch (seed 003)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.axes import Kind
from nola.memory.dynamics.base import DAY, KIND_CODES, Pool, days_since
from nola.memory.dynamics.crossing import Decaying
from nola.memory.dynamics.curves import exponential, power

if TYPE_CHECKING:
    from nola.memory.dynamics.base import Floats, Row, Statistics
    from nola.memory.dynamics.curves import Curve
    from nola.settings import RetentionSettings

__all__ = ["Retention"]

_LEAST = 1e-6


class Retention(Decaying):
    """Strategy `retention` (D03-D13, D41, E-30 to E-36, E-50).

    Args:
        settings: Decay constants, gains and the curve.
        rates: How fast time passes for each kind, in the order of `Kind`.
        literal: Whether the document's own rules hold: a spacing bonus that is linear up to its cap, procedures that
            never decay. Else these fade by a power curve, slowest of all.
        curve: A curve of one's own instead of the settings' (D38).
    """

    name = "retention"

    def __init__(
        self, settings: RetentionSettings, rates: Floats, *, literal: bool = False, curve: Curve | None = None
    ) -> None:
        self._settings = settings
        self._rates = rates
        self._is_concave = settings.concave and not literal
        self._lasting = {Kind.PROSPECTIVE, Kind.PROCEDURAL} if literal else {Kind.PROSPECTIVE}
        self._is_exponential = curve is None and settings.curve == "exponential"
        self._curve = curve or (exponential if self._is_exponential else power(settings.exponent))
        self._base: Floats = np.array([self._base_days(kind) for kind in Kind])

    def constant_days(self, pool: Pool) -> Floats:
        """Return the decay constant max(S, eps) x (1 + 2 importance) x base of each memory in days (D03-D07)."""
        boost = 1 + self._settings.importance_boost * np.clip(pool.importance, 0.0, 1.0)
        constant: Floats = np.maximum(pool.stability, _LEAST) * boost * self._base[pool.kind]
        return np.maximum(constant, _LEAST)

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return the retention, 0 to 1; what lasts keeps 1 (D05, D06)."""
        days = self._rates[pool.kind] * days_since(pool.last_access_s, now_s)
        constant = self.constant_days(pool)
        lasting = np.isinf(constant)
        finite = np.where(lasting, 1.0, constant)
        left = self._curve(days, finite)
        if self._is_exponential:
            slow = power(self._settings.procedural_exponent)(days, finite)
            left = np.where(pool.kind == KIND_CODES[Kind.PROCEDURAL], slow, left)
        return np.where(lasting, 1.0, left)

    def bonus(self, gap_days: float) -> float:
        """Return the spacing bonus of a gap (D10).

        The document's is min(2, gap / 7). The concave one, 2x / (1 + x) for x = gap / 7, is also 1 at seven days and at
        most 2, but more spaced accesses always give more than fewer over the same time, and no longer gap gives less.
        """
        x = max(0.0, gap_days) / self._settings.gain_days
        most = self._settings.bonus_most
        if self._is_concave:
            return most * x / (most - 1 + x) if most > 1 else min(most, x)
        return min(most, x)

    def learned(self, stat: Statistics, kind: Kind, now_s: float) -> Statistics:
        """Return the strengthened stability, at most 1 (D11)."""
        gap = (now_s - stat.last_access_s) / DAY * float(self._rates[KIND_CODES[kind]])
        return replace(stat, stability=min(1.0, stat.stability + self._settings.gain * self.bonus(gap)))

    def half_life_s(self, row: Row) -> float:
        """Return the true half-life, constant x ln 2 on the exponential curve (D08, E-30)."""
        if row.kind in self._lasting:
            return math.inf
        if row.kind is Kind.PROCEDURAL or not self._is_exponential:
            return super().half_life_s(row)
        constant = float(self.constant_days(Pool.of([row]))[0])
        return constant * math.log(2) * DAY / float(self._rates[KIND_CODES[row.kind]])

    def _base_days(self, kind: Kind) -> float:
        """Return the decay constant of a kind; what is to be done never decays."""
        if kind in self._lasting:
            return math.inf
        s = self._settings
        if kind is Kind.PROCEDURAL:
            return s.procedural_days
        return s.semantic_days if kind in {Kind.SEMANTIC, Kind.SUMMARY} else s.episodic_days
