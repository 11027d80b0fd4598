"""Opens engines over a file, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nola.learned import Memory
from nola.memory.database import Database
from nola.memory.engine import Engine
from nola.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.clock import Clock
    from nola.memory.keeper import Embedder

__all__ = ["contents", "counts", "engine_of", "memory_of"]


def engine_of(
    path: Path,
    clock: Clock,
    embedder: Embedder | None = None,
    *,
    settings: Settings | None = None,
    former: Callable[[str], Embedder | None] | None = None,
    **given: Any,
) -> Engine:
    """Return an engine over a file, in which a token is a word."""
    return Engine(
        Database(path, clock=clock),
        settings or Settings(),
        embedder=embedder,
        count_tokens=lambda text: len(text.split()),
        former=former,
        **given,
    )


def memory_of(path: Path, clock: Clock, embedder: Embedder | None = None, **given: Any) -> Memory:
    """Return a memory over a file, in which a token is a word."""
    return Memory(engine_of(path, clock, embedder, **given))


def contents(found: list[Any]) -> list[str]:
    """Return what was found, in order."""
    return [one.content for one in found]


def counts(memory: Memory) -> dict[str, int]:
    """Return how often each memory was used."""
    return {one.content: one.statistics.access_count for one in memory.find(namespace=None)}
