"""Memories and constants that the tests of the dynamics share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nola.memory.axes import Kind
from nola.memory.dynamics.base import DAY, Pool, Row, Statistics

if TYPE_CHECKING:
    from nola.memory.dynamics.base import Floats

NOW = 1_800_000_000.0
RATES = np.ones(len(Kind))


def aged(days: float, **changes: Any) -> Statistics:
    """Return the statistics of a memory that came `days` ago, with some of them changed."""
    fresh = Statistics.fresh(NOW - days * DAY)
    return replace(fresh, **changes)


def accessed_at(*ages_s: float, **changes: Any) -> Statistics:
    """Return the statistics of a memory with accesses of these ages in seconds; the oldest is its creation."""
    times = sorted((NOW - age for age in ages_s), reverse=True)
    fresh = Statistics.fresh(times[-1])
    return replace(fresh, recent_s=tuple(times[:10]), access_count=len(times) - 1, last_access_s=times[0], **changes)


def pool_of(*stats: Statistics, kind: Kind = Kind.SEMANTIC, innate: bool = False) -> Pool:
    """Return a pool of memories of one kind."""
    return Pool.of([Row(stat, kind, innate=innate) for stat in stats])


def first(values: Floats) -> float:
    """Return the first value as a plain number."""
    return float(values[0])
