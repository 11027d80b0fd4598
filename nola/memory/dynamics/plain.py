"""Two rankings without time: none at all, and by confidence alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nola.memory.dynamics.crossing import Decaying

if TYPE_CHECKING:
    from nola.memory.dynamics.base import Floats, Pool

__all__ = ["Confidence", "Unchanging"]

_USE = 0.001


class Unchanging(Decaying):
    """Strategy `none`: every memory has strength 1, so that relevance decides alone (X07)."""

    name = "none"

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return 1 for each memory."""
        del now_s
        return np.ones(len(pool))


class Confidence(Decaying):
    """What profile `amplihack` ranks by: confidence, and among equals the more used procedure (B27, B31)."""

    name = "confidence"

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return the confidence; use decides between equals only."""
        del now_s
        return pool.confidence * (1 - _USE / (1 + pool.usage))
