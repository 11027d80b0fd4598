"""What the form of a text says about its use as evidence: how much of it asks, and whether it tells a time."""

from __future__ import annotations

import re

__all__ = ["ASKED_FULL", "Trait", "asked_share", "traits_of"]

ASKED_FULL = 15
"""The highest value of the asked share, which stands in the upper four bits."""
_ASKED_SHIFT = 4
_LONGEST = 4_000
_QUESTION = re.compile(r"[^.!?\n]*\?")
_WORD = re.compile(r"[a-z]+|(?:19|20)[0-9]{2}(?![0-9])")
_TIMES = frozenset(
    """yesterday today tonight tomorrow ago recently weekend soon just monday tuesday wednesday thursday friday saturday
    sunday january february march april june july august september october november december""".split()
)
_WHICH = frozenset({"last", "this", "next", "for", "since"})
_LENGTHS = frozenset("night week weeks month months year years morning summer fall autumn winter spring".split())
_PHRASE = re.compile(
    r"\b(?:(?:last|this|next) (?:night|week|month|year|morning|summer|fall|autumn|winter|spring)"
    r"|(?:for|since) .{0,12}(?:year|month|week)s?)\b"
)


class Trait:
    """Bits of `traits_of`."""

    ASKS = 1
    TELLS_TIME = 2


def traits_of(content: str) -> int:
    """Return the traits of a text as one number in [0, 255]: bits of `Trait`, and the share of it that asks."""
    some = content[:_LONGEST]
    traits = Trait.TELLS_TIME if _tells_time(some.lower()) else 0
    if "?" in some:
        asked = sum(len(match[0]) for match in _QUESTION.finditer(some))
        traits |= Trait.ASKS | round(ASKED_FULL * min(asked / len(some), 1.0)) << _ASKED_SHIFT
    return traits


def asked_share(traits: int) -> float:
    """Return how much of a text asks, in [0, 1]."""
    return (traits >> _ASKED_SHIFT) / ASKED_FULL


def _tells_time(text: str) -> bool:
    words = set(_WORD.findall(text))
    if not _TIMES.isdisjoint(words) or any(word[0] < "a" for word in words):
        return True
    return not (_WHICH.isdisjoint(words) or _LENGTHS.isdisjoint(words)) and _PHRASE.search(text) is not None
