"""How long storing and recall take through the library, beside a plain FTS5 scan of the same texts in the same run."""

from __future__ import annotations

import os
import statistics
import threading
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import apsw
import numpy as np
import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from nola.learned import Memory
from nola.memory.dynamics.model import Dynamics
from nola.memory.tokens import tokens
from nola.settings import Settings
from nola.text import STOP_WORDS
from tests.bench.natural import memories, questions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

pytestmark = pytest.mark.bench

MOST_MS = {10_000: (5.0, 4.0), 100_000: (5.0, 15.0), 1_000_000: (60.0, 100.0)}
"""Milliseconds of CPU that half of the questions, and 95 of 100, may take."""
MOST_MB = 150
MOST_RANKED_MS = 1.0
BULK, ONE_BY_ONE = 10_000, 1_500
FLAT = 1.3
THREADS, EACH = 16, 100
QUESTIONS = 200
MILLION = "NOLA_BENCH_MILLION"
COUNTS = [10_000, 100_000, *([1_000_000] if os.environ.get(MILLION) else [])]
BATCH = 5_000


class RandomVectors:
    """Unit vectors that mean nothing, so that everything but the embedding itself is measured."""

    model_id = "random"
    dimensions = 384

    def __init__(self) -> None:
        self._draw = np.random.default_rng(5)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return as many vectors."""
        made = self._draw.standard_normal((len(texts), self.dimensions), dtype=np.float32)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True)
class Measured:
    """What one number of memories took.

    Attributes:
        ours: Milliseconds of CPU of each question.
        scan: The same of FTS5's best fifty.
        empty_ms: A greeting, which ranks by strength alone.
        open_ms: Opening again and the first question.
        held_mb: Resident memory that the opened memory added.
    """

    ours: list[float]
    scan: list[float]
    empty_ms: float
    open_ms: float
    held_mb: float


def cpu_ms(work: Callable[[], object]) -> float:
    """How much of the processor some work takes on this thread, in milliseconds."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1_000


def filled(path: Path, count: int) -> None:
    """Store so many memories with their vectors."""
    with Memory.open(path, embedder=RandomVectors()) as memory:
        batch = []
        for fields in memories(count):
            batch.append(fields)
            if len(batch) == BATCH:
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


@cache
def measured(count: int) -> Measured:
    """Fill a memory, open it again and ask."""
    asked = list(questions(QUESTIONS))
    with TemporaryDirectory() as folder:
        path = Path(folder, "memory.db")
        filled(path, count)
        before = psutil.Process().memory_info().rss
        with Memory.open(path, embedder=RandomVectors()) as memory:
            open_ms = cpu_ms(lambda: memory.recall(asked[0], count=False))
            for text in asked[:20]:
                memory.recall(text, count=False)
            held = (psutil.Process().memory_info().rss - before) / 1e6
            ours = [cpu_ms(lambda: memory.recall(text, count=False)) for text in asked]  # noqa: B023 -- called at once
            empty = cpu_ms(lambda: memory.recall("", count=False))
    scan = plain_scan(count)
    return Measured(ours, [cpu_ms(lambda: scan(text)) for text in asked], empty, open_ms, held)  # noqa: B023


def spread(values: list[float]) -> str:
    """The median and what 95 of 100 stay below."""
    return f"p50 {statistics.median(values):.2f}, p95 {statistics.quantiles(values, n=20)[18]:.2f} ms"


@pytest.mark.row("P03")
@pytest.mark.parametrize("count", COUNTS)
def test_what_recall_takes(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    """With everything on except the question's embedding, questions stay below the bounds; figures are printed."""
    seen = measured(count)
    with capsys.disabled():
        print(  # noqa: T201 -- a benchmark prints its figures
            f"\nrecall among {count:,} memories, CPU: {spread(seen.ours)}; plain FTS5 {spread(seen.scan)}; "
            f"a greeting {seen.empty_ms:.1f} ms; opening {seen.open_ms:.0f} ms; {seen.held_mb:.0f} MB"
        )
    assert statistics.median(seen.ours) <= MOST_MS[count][0]
    assert statistics.quantiles(seen.ours, n=20)[18] <= MOST_MS[count][1]


def test_what_is_held_in_memory() -> None:
    """A hundred thousand memories hold at most 150 MB."""
    assert measured(100_000).held_mb <= MOST_MB


def test_ranking_by_strength_is_cheap(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """At ten thousand rows the strength of a whole pool of candidates costs at most a millisecond."""
    path = tmp_path / "memory.db"
    filled(path, 10_000)
    with Memory.open(path, embedder=RandomVectors()) as memory:
        memory.recall("warm", count=False)
        dynamics, now_s = Dynamics(Settings()), time.monotonic() + 1.7e9
        with memory.engine.keeper.index() as index:
            rows = np.random.default_rng(1).integers(0, 10_000, 600)

            def ranked() -> None:
                pool = index.pool.take(rows)
                dynamics.score(np.ones(len(rows)), dynamics.strength(pool, now_s))
                dynamics.heat.strength(pool, now_s)

            took = statistics.median(cpu_ms(ranked) for _ in range(200))
    with capsys.disabled():
        print(f"\nstrength of 600 candidates among 10,000: {took:.2f} ms of CPU")  # noqa: T201 -- as above
    assert took <= MOST_RANKED_MS


def test_what_storing_takes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """In bulk and one by one from sixteen threads, at a thousand rows and at a hundred thousand alike."""
    said = list(memories(105_000))
    with Memory.open(tmp_path / "memory.db", embedder=None) as memory:

        def bulk(start: int, count: int) -> float:
            began = time.perf_counter()
            memory.store_many(said[start : start + count])
            return count / (time.perf_counter() - began)

        bulk(0, 1_000)
        early = max(bulk(start, 3_000) for start in range(1_000, 10_000, 3_000))
        for start in range(10_000, 96_000, 2_000):
            bulk(start, 2_000)
        late = max(bulk(start, 3_000) for start in range(96_000, 105_000, 3_000))

        def one_by_one(number: int) -> None:
            for fields in said[number * EACH : (number + 1) * EACH]:
                memory.store(**{**fields, "content": f"{number}: {fields['content']}"})  # type: ignore[arg-type]

        threads = [threading.Thread(target=one_by_one, args=(number,)) for number in range(THREADS)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        single = THREADS * EACH / (time.perf_counter() - began)
    with capsys.disabled():
        print(  # noqa: T201 -- as above
            f"\nstored a second: in bulk {early:,.0f} at 1,000 rows, {late:,.0f} at 100,000; "
            f"one by one from {THREADS} threads {single:,.0f}"
        )
    assert min(early, late) >= BULK
    assert early / late <= FLAT
    assert single >= ONE_BY_ONE
