"""Counts the memories: by class, tier, kind, status and namespace, and how many have a vector."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nola.memory.axes import Kind, Tier
from nola.memory.instants import seconds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from nola.memory.dynamics.model import Dynamics
    from nola.memory.filters import Filter
    from nola.memory.index import Index

__all__ = ["Stats", "counted"]


@dataclass(frozen=True, slots=True)
class Stats:
    """How many memories there are.

    Attributes:
        total: Those that count: active and not expired.
        innate: How many are innate (protected).
        tiers: How many of the learned ones are hot, warm and cold (A43).
        kinds: By kind (B01).
        statuses: By status, all of them.
        namespaces: By namespace.
        vectors: How many have a vector of the present model.
        model: The present model of vectors; empty for none.
        trouble: Why the background work or the counting of uses stands still; empty when it does not.
    """

    total: int
    innate: int
    tiers: Mapping[str, int]
    kinds: Mapping[str, int]
    statuses: Mapping[str, int]
    namespaces: Mapping[str, int]
    vectors: int = 0
    model: str = ""
    trouble: str = field(default="")


def counted(
    index: Index, wanted: Filter, everything: Mapping[str, Mapping[str, int]], dynamics: Dynamics, at: datetime
) -> Stats:
    """Return how many memories a filter lets through.

    Args:
        index: What is stored.
        wanted: The filter, one that does not need the database.
        everything: What `finding.count` says of the same ones, whatever their status.
        dynamics: Tells heat and tiers.
        at: The present.
    """
    import numpy as np  # noqa: PLC0415 -- keeps the import light

    from nola.memory.selection import visible  # noqa: PLC0415 -- brings numpy

    rows = np.flatnonzero(visible(index, wanted, at))
    innate = index.facets.innate[rows]
    heat = dynamics.heat.strength(index.pool.take(rows), seconds(at))
    vectors = len(index.dense) if index.dense is not None else 0
    if index.dense is not None and (wanted.namespace is not None or wanted.seen_by is not None):
        vectors = int(index.dense.has(rows.astype(np.int32)).sum())
    kinds = np.bincount(index.facets.kind[rows], minlength=len(Kind))
    hot, warm = dynamics.thresholds
    learned = heat[~innate]
    return Stats(
        total=len(rows),
        innate=int(innate.sum()),
        tiers={
            Tier.HOT: int((learned > hot).sum()),
            Tier.WARM: int(((learned <= hot) & (learned >= warm)).sum()),
            Tier.COLD: int((learned < warm).sum()),
        },
        kinds={kind.value: int(number) for kind, number in zip(Kind, kinds, strict=True)},
        statuses=everything["status"],
        namespaces=everything["namespace"],
        vectors=vectors,
    )
