"""How far a long piece of work is, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Progress", "teller"]

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is being worked on, the bytes that are done, and the bytes in all."""


def teller(progress: Progress | None, name: str, total: int) -> Callable[[int], None]:
    """Return a function that is told of every further bytes, and tells the progress of them all."""
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(name, done, total)

    return tell
