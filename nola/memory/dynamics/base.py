"""What every strategy works on: the statistics of one memory, a pool of many in columns, and one access (X01)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nola.memory.axes import Kind, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "DAY",
    "KEPT",
    "KIND_CODES",
    "Crossing",
    "Floats",
    "Pool",
    "Row",
    "Statistics",
    "Strategy",
    "counted",
    "days_since",
    "key_of",
    "seconds_since",
]

Floats: TypeAlias = NDArray[np.float64]

DAY = 86_400.0
"""Seconds of a day (A13)."""

KEPT = 10
"""Accesses whose times are kept, the newest; older ones are known by their number (C01)."""

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
"""The number of each kind in `Pool.kind`."""

_POSITIVE = 0x7FFF_FFFF_FFFF_FFFF


@dataclass(frozen=True, slots=True)
class Statistics:
    """All that the six strategies know of one memory; times in seconds since 1970 UTC.

    Attributes:
        importance: 0 to 1.
        created_s: When it came to be; that is access 1 (E-10).
        last_access_s: Newest access, creation included.
        access_count: Accesses after creation: the references of heat.
        recent_s: Times of at most ten newest accesses, creation included, newest first.
        heat_bias: Added to heat by hand (E-06).
        stability_days: Stability of the forgetting curve (C26).
        stability: Stability of retention, 0 to 1 (D01).
        r1: Working trace at `chain_s`.
        r2: Long-term trace at `chain_s`.
        chain_s: Time for which the traces stand.
        usage: Uses of a procedure (B30).
    """

    importance: float
    created_s: float
    last_access_s: float
    access_count: int
    recent_s: tuple[float, ...]
    heat_bias: float
    stability_days: float
    stability: float
    r1: float
    r2: float
    chain_s: float
    usage: int = 0

    @classmethod
    def fresh(
        cls, at_s: float, *, importance: float = 0.5, stability_days: float = 5.0, stability: float = 0.3
    ) -> Statistics:
        """Return the statistics of a memory at its creation (A32, C26, E-36)."""
        return cls(
            importance=importance,
            created_s=at_s,
            last_access_s=at_s,
            access_count=0,
            recent_s=(at_s,),
            heat_bias=0.0,
            stability_days=stability_days,
            stability=stability,
            r1=1.0,
            r2=0.0,
            chain_s=at_s,
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One memory as a strategy sees it.

    Attributes:
        statistics: Its statistics.
        kind: What sort of memory it is.
        innate: Whether experience may change it.
        level: The context level that it belongs to, 1 to 3.
        confidence: How sure it is, 0 to 1.
        id: Its id, of which noise is made.
        updated_s: When it was stored or changed last, which use is not; None for its creation.
    """

    statistics: Statistics
    kind: Kind = Kind.SEMANTIC
    innate: bool = False
    level: int = 2
    confidence: float = 1.0
    id: str = ""
    updated_s: float | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """Many memories in columns, one entry per memory; `recent_s` has ten columns, filled up with NaN."""

    key: NDArray[np.int64]
    kind: NDArray[np.int8]
    innate: NDArray[np.bool_]
    level: NDArray[np.int8]
    confidence: Floats
    updated_s: Floats
    importance: Floats
    created_s: Floats
    last_access_s: Floats
    access_count: Floats
    recent_s: Floats
    heat_bias: Floats
    stability_days: Floats
    stability: Floats
    r1: Floats
    r2: Floats
    chain_s: Floats
    usage: Floats

    def __len__(self) -> int:
        return len(self.kind)

    @classmethod
    def blank(cls, count: int) -> Pool:
        """Return a pool of `count` rows that `put` may fill."""
        columns: dict[str, Any] = {f.name: np.zeros(count) for f in fields(cls)}
        columns["key"] = np.zeros(count, dtype=np.int64)
        columns["kind"] = np.zeros(count, dtype=np.int8)
        columns["innate"] = np.zeros(count, dtype=np.bool_)
        columns["level"] = np.zeros(count, dtype=np.int8)
        columns["recent_s"] = np.full((count, KEPT), np.nan)
        return cls(**columns)

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Pool:
        """Return the rows as a pool, in their order."""
        listed = list(rows)
        pool = cls.blank(len(listed))
        for place, row in enumerate(listed):
            pool.put(place, row)
        return pool

    def put(self, place: int, row: Row) -> None:
        """Set one row, in place."""
        stat = row.statistics
        self.key[place] = key_of(row.id)
        self.kind[place] = KIND_CODES[row.kind]
        self.innate[place] = row.innate
        self.level[place] = row.level
        self.confidence[place] = row.confidence
        self.updated_s[place] = stat.created_s if row.updated_s is None else row.updated_s
        self.importance[place] = stat.importance
        self.created_s[place] = stat.created_s
        self.last_access_s[place] = stat.last_access_s
        self.access_count[place] = stat.access_count
        self.recent_s[place] = np.nan
        self.recent_s[place, : len(stat.recent_s)] = stat.recent_s
        self.heat_bias[place] = stat.heat_bias
        self.stability_days[place] = stat.stability_days
        self.stability[place] = stat.stability
        self.r1[place] = stat.r1
        self.r2[place] = stat.r2
        self.chain_s[place] = stat.chain_s
        self.usage[place] = stat.usage

    def take(self, indices: NDArray[Any]) -> Pool:
        """Return the rows at `indices` (or under a mask) as a pool of their own."""
        rows = np.flatnonzero(indices) if indices.dtype == np.bool_ else indices  # `take` is quicker than brackets
        return Pool(*(getattr(self, name).take(rows, axis=0) for name in self.__slots__))

    def grown(self, capacity: int) -> Pool:
        """Return a copy with room for `capacity` rows, at least as many as there are."""
        more = Pool.blank(max(0, capacity - len(self)))
        return Pool(*(np.concatenate([getattr(self, f.name), getattr(more, f.name)]) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class Crossing:
    """When a memory comes into another tier, if nothing touches it until then."""

    in_s: float
    tier: Tier


class Strategy(Protocol):
    """One model of memory: a pure function of (statistics, now) and what an access changes (X02)."""

    @property
    def name(self) -> str:
        """Name in settings and on the command line."""

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return each memory's value in the model's own scale."""

    def strength(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return each memory's strength, 0 to 1; innate memories have 1.

        Args:
            pool: The memories.
            now_s: The present, or one instant per memory.
        """

    def learned(self, stat: Statistics, kind: Kind, now_s: float) -> Statistics:
        """Return what one access changes in the model's own columns."""

    def accessed(self, stat: Statistics, kind: Kind, now_s: float, *, returned: bool = True) -> Statistics:
        """Return the statistics after one access; a memory that was not returned keeps its own (C24)."""

    def half_life_s(self, row: Row) -> float:
        """Return the time after the last access in which strength halves; infinite when it never does."""

    def next_crossing(self, row: Row, now_s: float, thresholds: tuple[float, float]) -> Crossing | None:
        """Return when the next tier is entered; None when that takes more than a hundred years.

        Args:
            row: The memory, as if it was learned.
            now_s: The present.
            thresholds: Hot above the first, warm from the second on.
        """


def seconds_since(then_s: Floats, now_s: float | Floats) -> Floats:
    """Return ages in seconds; what lies in the future has age 0 (E-09, D09)."""
    return np.maximum(now_s - then_s, 0.0)


def days_since(then_s: Floats, now_s: float | Floats) -> Floats:
    """Return ages in days; what lies in the future has age 0 (A13)."""
    return seconds_since(then_s, now_s) / DAY


def key_of(id_: str) -> int:
    """Return a number for an id, as good as another for each memory: what its end says."""
    return int.from_bytes(id_.encode()[-8:], "little") & _POSITIVE


def counted(stat: Statistics, kind: Kind, now_s: float) -> Statistics:
    """Return the statistics with one more access: number, times and use of a procedure (A18, B30, E-52)."""
    return replace(
        stat,
        access_count=stat.access_count + 1,
        last_access_s=max(stat.last_access_s, now_s),
        recent_s=tuple(sorted((now_s, *stat.recent_s), reverse=True)[:KEPT]),
        usage=stat.usage + (kind is Kind.PROCEDURAL),
    )
