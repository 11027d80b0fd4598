"""The forgetting curve, whose stability grows with every retrieval (seed 002, 3.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.axes import Kind
from nola.memory.dynamics.base import DAY, KIND_CODES, days_since
from nola.memory.dynamics.crossing import Decaying
from nola.memory.dynamics.curves import exponential, power

if TYPE_CHECKING:
    from nola.memory.dynamics.base import Floats, Pool, Statistics
    from nola.memory.dynamics.curves import Curve
    from nola.settings import EbbinghausSettings

__all__ = ["Ebbinghaus"]

_LEAST = 1e-6
_MOST = 1e6


class Ebbinghaus(Decaying):
    """Strategy `ebbinghaus` (C22-C26, D40, E-13, E-39).

    Args:
        settings: Stabilities and growth.
        rates: How fast time passes for each kind, in the order of `Kind`.
        literal: Whether the document's own rules hold: exponential, and growth without regard to spacing.
        curve: A curve of one's own instead (D38).
    """

    name = "ebbinghaus"

    def __init__(
        self, settings: EbbinghausSettings, rates: Floats, *, literal: bool = False, curve: Curve | None = None
    ) -> None:
        self._settings = settings
        self._rates = rates
        self._is_spaced = settings.spacing and not literal
        is_power = settings.curve == "power" and not literal
        self._curve = curve or (power(settings.exponent) if is_power else exponential)

    def first_stability(self, kind: Kind) -> float:
        """Return the stability of a new memory in days: 1 for events, 5 for facts, 10 for procedures (C26)."""
        s = self._settings
        if kind is Kind.PROCEDURAL:
            return s.procedural_stability
        lasting = {Kind.SEMANTIC, Kind.SUMMARY, Kind.PROSPECTIVE}
        return s.semantic_stability if kind in lasting else s.episodic_stability

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return the retrievability, 0 to 1."""
        days = self._rates[pool.kind] * days_since(pool.last_access_s, now_s)
        return self._curve(days, np.maximum(pool.stability_days, _LEAST))

    def learned(self, stat: Statistics, kind: Kind, now_s: float) -> Statistics:
        """Return the grown stability (C23, C25).

        The document's rule is S (1 + beta). With spacing it is S (1 + beta g), g = 2x / (1 + x) for x = elapsed / S:
        nothing for a repetition at once, beta when it comes at S, at most twice beta.
        """
        gain = 1.0
        if self._is_spaced:
            days = max(0.0, now_s - stat.last_access_s) / DAY * float(self._rates[KIND_CODES[kind]])
            gain = 2 * days / (days + max(stat.stability_days, _LEAST))
        grown = stat.stability_days * (1 + self._settings.growth * gain)
        return replace(stat, stability_days=min(grown, max(_MOST, stat.stability_days)))
