"""What of a ranking is handed out: as much as a token budget holds, and nothing twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["diverse", "pack"]

_ALIKE = 0.8


def pack(tokens: Sequence[int], budget: int) -> list[int]:
    """Choose what fits into a budget, in the order given; what does not fit is skipped, and smaller ones after it fit.

    Args:
        tokens: How long each is, best first.
        budget: How long all that is chosen may be together.

    Returns:
        Positions in `tokens`, ascending.
    """
    chosen = []
    left = budget
    for position, length in enumerate(tokens):
        if length <= left:
            chosen.append(position)
            left -= length
    return chosen


def diverse(words: Sequence[Collection[str]], *, alike: float = _ALIKE) -> list[int]:
    """Put what only repeats something better behind everything else.

    Args:
        words: The words of each, best first.
        alike: Share of common words (Jaccard) from which on one repeats the other.

    Returns:
        All positions in `words`: first what is new, then the repetitions, each in the order given.
    """
    new: list[int] = []
    kept: list[frozenset[str]] = []
    repeated: list[int] = []
    for position, some in enumerate(words):
        own = frozenset(some)
        if any(_repeats(own, other, alike) for other in kept):
            repeated.append(position)
        else:
            new.append(position)
            kept.append(own)
    return new + repeated


def _repeats(one: frozenset[str], other: frozenset[str], alike: float) -> bool:
    if min(len(one), len(other)) < alike * max(len(one), len(other)):
        return False
    common = len(one & other)
    return common > 0 and common >= alike * (len(one) + len(other) - common)
