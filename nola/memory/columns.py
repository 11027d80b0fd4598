"""What ranking needs to know about every row, in arrays that grow: who, when, in which conversation, next to which."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["NONE", "Columns", "Line", "distinct"]

NONE = -1
"""In a column: no row, no conversation, nobody."""
_UNKNOWN = -2
_SMALLEST = 1_024
_GROWTH = 4
"""Arrays that are full get room for one row more in so many."""
_PAUSE_S = 3_600.0
"""Rows without a conversation that lie further apart are not neighbours."""
_FEW = 32
"""When at most one row in so many moved, each is put in its place; of more than that all are sorted."""


def distinct(parts: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return the rows of all parts, each once, ascending; for some hundred rows much quicker than `np.unique`."""
    rows = np.sort(np.concatenate(parts))
    new = np.ones(len(rows), dtype=np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=new[1:])
    return rows[new]


@dataclass(frozen=True, slots=True)
class Line:
    """Rows one after the other: conversation by conversation, each in the order of time.

    Attributes:
        rows: int32 [n].
        place: int32 [rows of the columns], where in `rows` each stands, or `NONE`.
    """

    rows: NDArray[np.int32]
    place: NDArray[np.int32]
    _session: NDArray[np.int32]
    _at_s: NDArray[np.float64]

    def neighbours(self, rows: NDArray[np.int32], steps: int) -> NDArray[np.int32]:
        """Return the rows that stand up to so many steps before or after these, each once, ascending."""
        found = []
        for step in (-1, 1):
            there = rows
            for _ in range(steps):
                others = self._next(there, step)
                there = others[others != NONE]
                found.append(there)
        return distinct(found) if found else rows[:0]

    def beside(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the row before and the row after each of these, `NONE` where there is none near."""
        return self._next(rows, -1), self._next(rows, 1)

    def _next(self, rows: NDArray[np.int32], step: int) -> NDArray[np.int32]:
        """Return the row next to each, `NONE` where its conversation ends, and without one after a pause."""
        if not len(self.rows):
            return np.full(len(rows), NONE, dtype=np.int32)
        places = self.place[rows]
        others = self.rows.take(places + step, mode="clip")
        session = self._session[rows]
        apart = np.abs(self._at_s[others] - self._at_s[rows]) > _PAUSE_S
        apart &= session == NONE
        apart |= (self._session[others] != session) | (others == rows) | (places == NONE)
        return np.where(apart, np.int32(NONE), others)


class Columns:
    """One entry a row, numbered from 0 in the order of adding. Not thread-safe: whoever shares it holds a lock.

    The arrays are longer than there are rows; `len()` tells how many there are. Which row stands next to which, `line`
    tells; it sorts what came since it was last asked.

    Attributes:
        session: int32, the number of the conversation, or `NONE`.
        speaker: int32, the number of who said it, or `NONE`.
        at_s: float64, seconds since 1970 UTC.
        traits: uint8, see `traits_of`.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._speakers: dict[str, int] = {}
        self._sessions: dict[str, int] = {}
        self._moved: set[int] = set()
        self._line: Line | None = None
        self._seen: tuple[NDArray[np.bool_], Line] | None = None
        self._heard: tuple[NDArray[np.bool_], Sequence[str]] | None = None
        self.session = np.full(_SMALLEST, NONE, dtype=np.int32)
        self.speaker = np.full(_SMALLEST, NONE, dtype=np.int32)
        self.at_s = np.zeros(_SMALLEST)
        self.traits = np.zeros(_SMALLEST, dtype=np.uint8)
        self._linked = np.zeros(_SMALLEST, dtype=np.bool_)

    def __len__(self) -> int:
        return self._rows

    @property
    def speakers(self) -> Sequence[str]:
        """Everybody who said something, in the order of their numbers."""
        return list(self._speakers)

    def speakers_among(self, mask: NDArray[np.bool_]) -> Sequence[str]:
        """Return who said a row of a mask, in the order of their numbers; `line` tells what is remembered."""
        if self._heard is not None and self._heard[0] is mask:
            return self._heard[1]
        said = np.bincount(self.speaker[: len(mask)][mask] + 1, minlength=len(self._speakers) + 1)[1:]
        heard = tuple(name for name, count in zip(self._speakers, said.tolist(), strict=True) if count)
        if not mask.flags.writeable:
            self._heard = mask, heard
        return heard

    def speaker_number(self, name: str) -> int:
        """Return the number of a speaker, or one that no row has."""
        return self._speakers.get(name, _UNKNOWN)

    def session_number(self, session: str) -> int:
        """Return the number of a conversation, or one that no row has."""
        return self._sessions.get(session, _UNKNOWN)

    def reserve(self, count: int) -> None:
        """Make room for so many rows and no more, as far as they have none yet."""
        for name in ("session", "speaker", "at_s", "traits", "_linked"):
            old = getattr(self, name)
            if count > len(old):
                new = np.full(count, NONE if old.dtype == np.int32 else 0, dtype=old.dtype)
                new[: len(old)] = old
                setattr(self, name, new)

    def add(self, *, session: str, speaker: str, at_s: float, traits: int) -> int:
        """Add a row and return its number.

        Args:
            session: The conversation, unique across namespaces; empty for none.
            speaker: Who said it; empty for nobody.
            at_s: When, in seconds since 1970 UTC.
            traits: Of its text.
        """
        row = self._rows
        if row == len(self.session):
            self.reserve(row + row // _GROWTH)
        self.traits[row] = traits
        self._rows += 1
        self._put(row, session, speaker, at_s)
        return row

    def remove(self, row: int) -> None:
        """Take a row out of its conversation; its number is not given again."""
        self._linked[row] = False
        self.speaker[row] = NONE
        self._note(row)

    def change(self, row: int, *, session: str, speaker: str, at_s: float) -> None:
        """Give a row another conversation, speaker or time; what stays as it is keeps its place."""
        place = self._sessions.get(session, _UNKNOWN) if session else NONE
        if self._linked[row] and at_s == self.at_s[row] and place == self.session[row]:
            self.speaker[row] = self._speaker(speaker)
            self._heard = None
            return
        self.remove(row)
        self._put(row, session, speaker, at_s)

    def line(self, mask: NDArray[np.bool_] | None = None) -> Line:
        """Return how the rows stand, as if there were no others than those of a mask.

        Args:
            mask: bool [rows], true where a row is seen; a row beyond its end is not. One that can't be written to is
                remembered with what it gave.
        """
        whole = self._line
        if whole is None or self._moved:
            whole = self._line = self._lined(self._sorted())
            self._moved.clear()
            self._seen = None
        if mask is None or (len(mask) >= self._rows and bool(mask.all())):
            return whole
        if self._seen is not None and self._seen[0] is mask:
            return self._seen[1]
        seen = np.zeros(self._rows, dtype=np.bool_)
        seen[: len(mask)] = mask[: self._rows]
        line = self._lined(whole.rows[seen[whole.rows]])
        if not mask.flags.writeable:
            self._seen = mask, line
        return line

    def _lined(self, order: NDArray[np.int32]) -> Line:
        place = np.full(self._rows, NONE, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return Line(order, place, self.session[: self._rows], self.at_s[: self._rows])

    def _sorted(self) -> NDArray[np.int32]:
        """Return the rows by conversation, time and number; what did not move since the last time is in order."""
        if self._line is None or len(self._moved) * _FEW > self._rows:
            rows = np.flatnonzero(self._linked[: self._rows]).astype(np.int32)
            return rows[np.lexsort((self.at_s[rows], self.session[rows]))]
        moved = np.fromiter(self._moved, dtype=np.int32)
        before = self._line.place[moved[moved < len(self._line.place)]]
        order = np.delete(self._line.rows, before[before != NONE])
        come = sorted(moved[self._linked[moved]].tolist(), key=self._rank)
        return np.insert(order, [bisect_left(order, self._rank(row), key=self._rank) for row in come], come)

    def _rank(self, row: int) -> tuple[int, float, int]:
        return int(self.session[row]), float(self.at_s[row]), int(row)

    def _put(self, row: int, session: str, speaker: str, at_s: float) -> None:
        number = self._sessions.setdefault(session, len(self._sessions)) if session else NONE
        self.session[row] = number
        self.speaker[row] = self._speaker(speaker)
        self.at_s[row] = at_s
        self._linked[row] = True
        self._note(row)

    def _note(self, row: int) -> None:
        """Take note that a row stands elsewhere now; before anything is sorted nothing has to be noted."""
        self._heard = None
        if self._line is not None:
            self._moved.add(row)

    def _speaker(self, name: str) -> int:
        return self._speakers.setdefault(name, len(self._speakers)) if name else NONE
