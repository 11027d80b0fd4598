"""What ranking needs to know about every row, in arrays that grow: who, when, in which conversation, next to which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["NONE", "Columns", "distinct"]

NONE = -1
"""In a column: no row, no conversation, nobody."""
_UNKNOWN = -2
_SMALLEST = 1_024
_GROWTH = 4
"""Arrays that are full get room for one row more in so many."""
_PAUSE_S = 3_600.0
"""Rows without a conversation that lie further apart are not neighbours."""


def distinct(parts: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return the rows of all parts, each once, ascending; for some hundred rows much quicker than `np.unique`."""
    rows = np.sort(np.concatenate(parts))
    new = np.ones(len(rows), dtype=np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=new[1:])
    return rows[new]


class Columns:
    """One entry a row, numbered from 0 in the order of adding. Not thread-safe: whoever shares it holds a lock.

    Rows of a conversation are linked in the order of time, and so are those without one. The arrays are longer than
    there are rows; `len()` tells how many there are.

    Attributes:
        session: int32, the number of the conversation, or `NONE`.
        speaker: int32, the number of who said it, or `NONE`.
        at_s: float64, seconds since 1970 UTC.
        traits: uint8, see `traits_of`.
        previous: int32, the row before in the same conversation, or `NONE`.
        following: int32, the row after.
        place: float64, ascending along a conversation; about 1 from one row to the next.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._speakers: dict[str, int] = {}
        self._sessions: dict[str, int] = {}
        self._last: dict[int, int] = {}
        self.session = np.full(_SMALLEST, NONE, dtype=np.int32)
        self.speaker = np.full(_SMALLEST, NONE, dtype=np.int32)
        self.at_s = np.zeros(_SMALLEST)
        self.traits = np.zeros(_SMALLEST, dtype=np.uint8)
        self.previous = np.full(_SMALLEST, NONE, dtype=np.int32)
        self.following = np.full(_SMALLEST, NONE, dtype=np.int32)
        self.place = np.zeros(_SMALLEST)

    def __len__(self) -> int:
        return self._rows

    @property
    def speakers(self) -> Sequence[str]:
        """Everybody who said something, in the order of their numbers."""
        return list(self._speakers)

    def speaker_number(self, name: str) -> int:
        """Return the number of a speaker, or one that no row has."""
        return self._speakers.get(name, _UNKNOWN)

    def session_number(self, session: str) -> int:
        """Return the number of a conversation, or one that no row has."""
        return self._sessions.get(session, _UNKNOWN)

    def reserve(self, count: int) -> None:
        """Make room for so many rows and no more, as far as they have none yet."""
        for name in ("session", "speaker", "at_s", "traits", "previous", "following", "place"):
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
        before, after = int(self.previous[row]), int(self.following[row])
        if before != NONE:
            self.following[before] = after
        if after != NONE:
            self.previous[after] = before
        number = int(self.session[row])
        if self._last.get(number) == row:
            if before == NONE:
                del self._last[number]
            else:
                self._last[number] = before
        self.previous[row] = self.following[row] = NONE

    def change(self, row: int, *, session: str, speaker: str, at_s: float) -> None:
        """Give a row another conversation, speaker or time; what stays as it is keeps its place."""
        place = self._sessions.get(session, _UNKNOWN) if session else NONE
        if at_s == self.at_s[row] and place == self.session[row]:
            self.speaker[row] = self._speaker(speaker)
            return
        self.remove(row)
        self._put(row, session, speaker, at_s)

    def neighbours(self, rows: NDArray[np.int32], steps: int) -> NDArray[np.int32]:
        """Return the rows that stand up to so many steps before or after these, each once, ascending."""
        found = []
        for link in (self.previous, self.following):
            there = rows
            for _ in range(steps):
                others = self._near(there, link[there])
                there = others[others != NONE]
                found.append(there)
        return distinct(found) if found else rows[:0]

    def beside(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the row before and the row after each of these, `NONE` where there is none near."""
        return self._near(rows, self.previous[rows]), self._near(rows, self.following[rows])

    def _near(self, rows: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the others, `NONE` for those of no conversation that lie far away in time."""
        apart = np.abs(self.at_s[others] - self.at_s[rows]) > _PAUSE_S
        apart &= self.session[rows] == NONE
        return np.where(apart, np.int32(NONE), others)

    def _put(self, row: int, session: str, speaker: str, at_s: float) -> None:
        number = self._sessions.setdefault(session, len(self._sessions)) if session else NONE
        self.session[row] = number
        self.speaker[row] = self._speaker(speaker)
        self.at_s[row] = at_s
        self._link(row, number, at_s)

    def _speaker(self, name: str) -> int:
        return self._speakers.setdefault(name, len(self._speakers)) if name else NONE

    def _link(self, row: int, session: int, at_s: float) -> None:
        """Put a row behind the last one of its conversation that is not later."""
        before = self._last.get(session, NONE)
        after = NONE
        while before != NONE and (self.at_s[before], before) > (at_s, row):
            before, after = int(self.previous[before]), before
        self.previous[row], self.following[row] = before, after
        if before != NONE:
            self.following[before] = row
        if after == NONE:
            self._last[session] = row
            self.place[row] = self.place[before] + 1 if before != NONE else 0.0
            return
        self.previous[after] = row
        low = self.place[before] if before != NONE else self.place[after] - 2
        self.place[row] = (low + self.place[after]) / 2
