"""How long storing and recall take through the library, beside a plain FTS5 scan of the same texts in the same run."""

from __future__ import annotations

import os
import statistics
import threading
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from nola.learned import Memory
from nola.settings import Settings
from tests.bench.filling import RandomVectors, cpu_ms, filled, plain_scan
from tests.bench.natural import memories, questions

pytestmark = pytest.mark.bench

MOST_MS = {10_000: (5.0, 4.0), 100_000: (5.0, 15.0), 1_000_000: (60.0, 100.0)}
"""Milliseconds of CPU that half of the questions, and 95 of 100, may take."""
MOST_RANKED_MS = 1.0
RANKED = 10_000
BULK, ONE_BY_ONE = 10_000, 1_500
FLAT = 1.3
THREADS, EACH = 16, 100
QUESTIONS = 200
MILLION = "NOLA_BENCH_MILLION"
COUNTS = [10_000, 100_000, *([1_000_000] if os.environ.get(MILLION) else [])]


@dataclass(frozen=True)
class Measured:
    """What one number of memories took.

    Attributes:
        ours: Milliseconds of CPU of each question.
        scan: The same of FTS5's best fifty.
        empty_ms: A greeting, which ranks by strength alone.
        open_ms: Opening again and the first question.
    """

    ours: list[float]
    scan: list[float]
    empty_ms: float
    open_ms: float


@cache
def measured(count: int) -> Measured:
    """Fill a memory, open it again and ask."""
    asked = list(questions(QUESTIONS))
    with TemporaryDirectory() as folder:
        path = Path(folder, "memory.db")
        filled(path, count)
        with Memory.open(path, embedder=RandomVectors()) as memory:
            open_ms = cpu_ms(lambda: memory.recall(asked[0], count=False))
            ours = [cpu_ms(lambda: memory.recall(text, count=False)) for text in asked]  # noqa: B023 -- called at once
            empty = cpu_ms(lambda: memory.recall("", count=False))
    scan = plain_scan(count)
    return Measured(ours, [cpu_ms(lambda: scan(text)) for text in asked], empty, open_ms)  # noqa: B023


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
            f"a greeting {seen.empty_ms:.1f} ms; opening {seen.open_ms:.0f} ms"
        )
    assert statistics.median(seen.ours) <= MOST_MS[count][0]
    assert statistics.quantiles(seen.ours, n=20)[18] <= MOST_MS[count][1]


@pytest.mark.row("C42")
def test_ranking_by_strength_is_cheap(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """At ten thousand rows recall with strength takes at most a millisecond more than recall by relevance alone."""
    path, settings = tmp_path / "memory.db", Settings()
    filled(path, RANKED)
    relevance = replace(settings, memory=replace(settings.memory, strategy="none"))
    scan = plain_scan(RANKED)
    ranked, alone, plain = [], [], []
    with (
        Memory.open(path, embedder=RandomVectors(), settings=settings, profile="nola") as with_strength,
        Memory.open(path, embedder=RandomVectors(), settings=relevance, profile="nola") as without,
    ):
        for text in ["warm", *questions(QUESTIONS)]:  # in turns, so that a busy machine slows all of them
            ranked.append(cpu_ms(lambda: with_strength.recall(text, count=False)))  # noqa: B023 -- called at once
            alone.append(cpu_ms(lambda: without.recall(text, count=False)))  # noqa: B023
            plain.append(cpu_ms(lambda: scan(text)))  # noqa: B023
    more = statistics.median(one - other for one, other in zip(ranked[1:], alone[1:], strict=True))
    over_plain = statistics.median(one - other for one, other in zip(ranked[1:], plain[1:], strict=True))
    with capsys.disabled():
        print(  # noqa: T201 -- as above
            f"\nrecall among {RANKED:,} memories, CPU: with strength {spread(ranked[1:])}; by relevance alone "
            f"{spread(alone[1:])}; {more:+.2f} ms in the median, {over_plain:+.2f} ms beside plain FTS5"
        )
    assert more <= MOST_RANKED_MS


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
