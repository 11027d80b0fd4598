"""Ids of 128 bits that sort by time: 26 lower-case characters of Crockford's base32, in the layout of a ULID."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

__all__ = ["IdMaker"]

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 26
_PAIRS = tuple(one + other for one in _ALPHABET for other in _ALPHABET)
_RANDOM_BITS = 80
_STEP_BITS = 64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class IdMaker:
    """Makes ids that only ever grow, even when the clock is set back; its owner lets one thread in at a time.

    48 bits of milliseconds since 1970, then 80 random bits. When that would not be greater than the last id, a random
    step of up to 64 bits is added to the last one instead, so that a forked process does not repeat its parent's.
    """

    def __init__(self) -> None:
        self._last = -1

    def make(self, at: datetime) -> str:
        """Return a new id, greater than every earlier one of this maker (issue 4: ids of 128 bits, time-ordered).

        Args:
            at: The present instant, aware; one before 1970 counts as 1970.
        """
        milliseconds = max(0, (at - _EPOCH) // _MILLISECOND)
        fresh = milliseconds << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
        if fresh <= self._last:
            fresh = self._last + 1 + secrets.randbits(_STEP_BITS)
        self._last = fresh
        return _encode(fresh)


def _encode(number: int) -> str:
    return "".join([_PAIRS[number >> place & 1023] for place in range(5 * (_LENGTH - 2), -1, -10)])
