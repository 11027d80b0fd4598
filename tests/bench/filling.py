"""Fills a memory with vectors that cost nothing, so that everything but the embedding itself is measured."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import apsw
import numpy as np

from nola.learned import Memory
from nola.memory.tokens import tokens
from nola.text import STOP_WORDS
from tests.bench.natural import memories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["RandomVectors", "cpu_ms", "filled", "plain_scan"]

_BATCH = 5_000


class RandomVectors:
    """Unit vectors that mean nothing."""

    model_id = "random"
    dimensions = 384

    def __init__(self) -> None:
        self._draw = np.random.default_rng(5)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return as many vectors."""
        made = self._draw.standard_normal((len(texts), self.dimensions), dtype=np.float32)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def filled(path: Path, count: int) -> None:
    """Store so many memories with their vectors."""
    with Memory.open(path, embedder=RandomVectors()) as memory:
        batch = []
        for fields in memories(count):
            batch.append(fields)
            if len(batch) == _BATCH:
                memory.store_many(batch)
                batch.clear()
        memory.store_many(batch)
        assert memory.wait_indexed(3_600)


def plain_scan(count: int) -> Callable[[str], object]:
    """Return what a user would write first: FTS5 with porter stems, any of the words, the best fifty."""
    db = apsw.Connection(":memory:")
    db.execute("create virtual table f using fts5(text, tokenize='porter unicode61 remove_diacritics 2')")
    with db:
        db.executemany("insert into f(text) values(?)", ((one["content"],) for one in memories(count)))

    def ask(text: str) -> object:
        wanted = " OR ".join(f'"{word}"' for word in tokens(text) if word not in STOP_WORDS)
        return db.execute("select rowid from f where f match ? order by bm25(f) limit 50", (wanted,)).fetchall()

    return ask


def cpu_ms(work: Callable[[], object]) -> float:
    """How much of the processor some work takes on this thread, in milliseconds."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1_000
