"""The candidates of a question with all that is known of each, in columns."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Scored"]


@dataclass(slots=True)
class Scored:
    """Candidates, one entry each in every column.

    Attributes:
        rows: int32 [n], rows of the index.
        relevance: float64 [n], how well each answers; 0 for what only an edge brought.
        strength: float64 [n], under the profile.
        heat: float64 [n].
        score: float64 [n], what they are ranked by.
        parts: float64 [n, p], what the relevance is made of.
        cosine: float64 [n], plain, 0 without a vector.
        active: float64 [n] in [0, 1], how active the question makes each, whatever the profile (C13).
        more: What edges add, by name: float64 [n] each.
    """

    rows: NDArray[np.int32]
    relevance: NDArray[np.float64]
    strength: NDArray[np.float64]
    heat: NDArray[np.float64]
    score: NDArray[np.float64]
    parts: NDArray[np.float64]
    cosine: NDArray[np.float64]
    active: NDArray[np.float64]
    more: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, order: NDArray[np.intp] | NDArray[np.bool_]) -> Scored:
        """Return some of them, or all in another order."""
        columns = {name: getattr(self, name)[order] for name in _COLUMNS}
        return Scored(**columns, more={name: values[order] for name, values in self.more.items()})

    def joined(self, other: Scored) -> Scored:
        """Return these and then the others; what edges add to one side alone is 0 on the other."""
        columns = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _COLUMNS}
        mine, theirs = np.zeros(len(self)), np.zeros(len(other))
        names = dict.fromkeys([*self.more, *other.more])
        more = {name: np.concatenate([self.more.get(name, mine), other.more.get(name, theirs)]) for name in names}
        return Scored(**columns, more=more)


_COLUMNS = tuple(column.name for column in fields(Scored))[:-1]
