"""Lists memories by how warm they are: those of some tiers, or the hottest first, looked up in the index."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.axes import Tier
from nola.memory.dynamics.base import Pool
from nola.memory.instants import seconds
from nola.memory.selection import needs_database, stored_mask, visible

if TYPE_CHECKING:
    from datetime import datetime

    import apsw
    from numpy.typing import NDArray

    from nola.memory.dynamics.model import Dynamics
    from nola.memory.filters import Filter
    from nola.memory.index import Index

__all__ = ["Listing", "Order", "by_warmth"]

_MANY = 4
"""One row of so many, and more, are many."""


class Order(StrEnum):
    """What comes first in a list."""

    NEWEST = "newest"
    HEAT = "heat"


@dataclass(frozen=True, slots=True)
class Listing:
    """Which memories are to be listed, and how.

    Attributes:
        wanted: Which memories.
        tiers: Only of these tiers; empty for all.
        min_heat: The least heat.
        order: What comes first; of equally hot ones the last stored.
        limit: The most memories; None for all.
        offset: How many to pass over.
    """

    wanted: Filter
    tiers: frozenset[Tier] = frozenset()
    min_heat: float = 0.0
    order: Order = Order.NEWEST
    limit: int | None = None
    offset: int = 0

    @property
    def asks_for_heat(self) -> bool:
        """Whether heat decides what comes, or in which order."""
        return bool(self.tiers) or self.min_heat > 0 or self.order is Order.HEAT


def by_warmth(
    index: Index, connection: apsw.Connection, listing: Listing, dynamics: Dynamics, now: datetime
) -> list[int]:
    """Return the sequence numbers of the memories of a list; the heat of all is computed at once (A33).

    Args:
        index: What is stored.
        connection: A reader's of the same database.
        listing: Which memories, as they are now.
        dynamics: Tells heat and tiers.
        now: The present.
    """
    wanted, end = listing.wanted, None if listing.limit is None else listing.offset + listing.limit
    if not len(index) or end == listing.offset:
        return []
    mask = stored_mask(connection, len(index), wanted, now) if needs_database(wanted) else visible(index, wanted, now)
    rows = np.flatnonzero(mask)[::-1]
    heat = _heat(index.pool, rows, len(index), dynamics, seconds(now))
    keep = heat >= listing.min_heat
    if listing.tiers:
        keep &= _in_tiers(heat, listing.tiers, dynamics.thresholds)
    rows, heat = rows[keep], heat[keep]
    if listing.order is Order.HEAT:
        if end is not None and end < len(rows):  # a few of many: the rest need not be put in order
            best = heat >= np.partition(heat, len(heat) - end)[len(heat) - end]
            rows, heat = rows[best], heat[best]
        rows = rows[np.argsort(-heat, kind="stable")]
    numbers: list[int] = (rows[listing.offset : end] + 1).tolist()
    return numbers


def _heat(pool: Pool, rows: NDArray[np.intp], size: int, dynamics: Dynamics, now_s: float) -> NDArray[np.float64]:
    """Return the heat of some rows; where they are many, that of all, since copying them would cost more."""
    if len(rows) < size // _MANY:
        return dynamics.heat.strength(pool.take(rows), now_s)
    whole = Pool(*(getattr(pool, name)[:size] for name in Pool.__slots__))
    return dynamics.heat.strength(whole, now_s)[rows]


def _in_tiers(heat: NDArray[np.float64], tiers: frozenset[Tier], thresholds: tuple[float, float]) -> NDArray[np.bool_]:
    hot, warm = thresholds
    are = {Tier.HOT: heat > hot, Tier.WARM: (heat <= hot) & (heat >= warm), Tier.COLD: heat < warm}
    among: NDArray[np.bool_] = np.logical_or.reduce([are[tier] for tier in tiers])
    return among
