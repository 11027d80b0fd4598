"""Base-level activation as in ACT-R, with importance, spreading and optional noise (seed 002, 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nola.memory.dynamics.base import seconds_since
from nola.memory.dynamics.crossing import Decaying

if TYPE_CHECKING:
    from nola.memory.dynamics.base import Floats, Pool
    from nola.settings import ActrSettings

__all__ = ["Actr"]

_HALF = 0.5
_ROWS = "ij->i"
"""The sum of each row, which for short rows is made far more quickly so than by `sum`."""
_SAME = 1e-9


class Actr(Decaying):
    """Strategy `actr` (C01-C09, E-10 to E-12).

    Activation is exact while all accesses are among the ten whose times are kept; what the older ones add is Petrov's
    approximation (Petrov 2006, "Computationally efficient approximation of the base-level learning equation").

    Args:
        settings: Constants of the formula; ages count in seconds.
        rates: How fast time passes for each kind, in the order of `Kind`.
    """

    name = "actr"

    def __init__(self, settings: ActrSettings, rates: Floats) -> None:
        self._settings = settings
        self._rates = rates

    def base_level(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return B = ln sum t^-d; minus infinity for a memory without any access (C01, C05)."""
        s = self._settings
        now = now_s[:, None] if isinstance(now_s, np.ndarray) else now_s
        rate = self._rates[pool.kind]
        there = ~np.isnan(pool.recent_s)
        ages = np.maximum(seconds_since(pool.recent_s, now) * rate[:, None], s.age_floor)
        total = np.einsum(_ROWS, np.where(there, _powered(ages, s.decay), 0.0))
        kept = np.einsum(_ROWS, there.view(np.int8))
        older = np.where(kept > 0, pool.access_count + 1 - kept, 0)
        if (older > 0).any():
            first = np.maximum(seconds_since(pool.created_s, now_s) * rate, s.age_floor)
            total += self._tail(first, np.fmax.reduce(ages, axis=1), np.maximum(older, 0))
        with np.errstate(divide="ignore"):
            found: Floats = np.log(total)
        return found

    def value(self, pool: Pool, now_s: float | Floats, spread: Floats | float = 0.0) -> Floats:
        """Return the activation A = B + W S + gamma I + noise (C06-C09).

        Args:
            pool: The memories.
            now_s: The present.
            spread: What arrives at each memory through its links.
        """
        s = self._settings
        found = self.base_level(pool, now_s) + s.spread_weight * spread + s.importance_weight * pool.importance
        return found + self._noise(pool, now_s) if s.noise else found

    def strength(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return the probability to be retrieved, 1 / (1 + e^((tau - A) / s)); innate memories have 1 (C08)."""
        return np.where(pool.innate, 1.0, self.probability(self.value(pool, now_s)))

    def probability(self, activation: Floats) -> Floats:
        """Return the probability that a memory of this activation is retrieved (C08)."""
        s = self._settings
        odds = np.clip((s.threshold - activation) / s.slope, -700.0, 700.0)
        return np.where(np.isneginf(activation), 0.0, 1 / (1 + np.exp(odds)))

    def _tail(self, first: Floats, oldest: Floats, older: Floats) -> Floats:
        """Return what the accesses older than the kept ones add: spread evenly back to the creation.

        Args:
            first: Age of the creation.
            oldest: Age of the oldest access that is kept.
            older: How many accesses lie between.
        """
        d = self._settings.decay
        rest = 1 - d
        with np.errstate(divide="ignore", invalid="ignore"):
            area = (_powered(first, -rest) - _powered(oldest, -rest)) / rest if rest else np.log(first / oldest)
            mean = np.where(first > oldest * (1 + _SAME), area / (first - oldest), _powered(oldest, d))
        return np.where(older > 0, older * np.nan_to_num(mean), 0.0)

    def _noise(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return logistic noise that the seed, the memory's id and the present decide: it can be repeated (C08)."""
        now = np.broadcast_to(np.asarray(now_s, dtype=np.float64), pool.key.shape)
        mixed = _mixed(pool.key.view(np.uint64) + _mixed(now.copy().view(np.uint64)))
        mixed = _mixed(mixed + np.uint64(self._settings.seed))
        uniform = ((mixed >> np.uint64(11)).astype(np.float64) + _HALF) / 2.0**53
        return self._settings.noise * np.log(uniform / (1 - uniform))


def _powered(ages: Floats, d: float) -> Floats:
    """Return ages^-d, quickly for the usual square root."""
    return 1 / np.sqrt(ages) if d == _HALF else ages**-d


def _mixed(bits: np.ndarray[tuple[int, ...], np.dtype[np.uint64]]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """Return well-mixed bits (splitmix64)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
