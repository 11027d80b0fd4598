"""How long lists of memories take at a hundred thousand, beside reading every row and putting it in order."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import pytest

from nola.learned import Memory
from tests.bench.natural import memories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.bench

COUNT = 100_000
BATCH = 5_000
INNATE = 20
TIMES = 20
MOST_HOTTEST_MS = 20.0
MOST_INNATE_MS = 5.0


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A hundred thousand memories of every warmth in one namespace, of which twenty are innate."""
    path: Path = tmp_path_factory.mktemp("lists") / "memory.db"
    with Memory.open(path, embedder=None) as opened:
        batch: list[dict[str, object]] = []
        for number, fields in enumerate(memories(COUNT)):
            born = number % (COUNT // INNATE) == 7
            batch.append({**fields, "importance": number % 997 / 997, "memory_class": "innate" if born else "learned"})
            if len(batch) == BATCH:
                opened.store_many(batch)
                batch.clear()
        opened.find(order="heat", limit=1)  # opens the index
        yield opened


def cpu_ms(work: Callable[[], object], times: int = TIMES) -> float:
    """How much of the processor some work takes on this thread, in milliseconds: the median."""
    took = []
    for _ in range(times):
        began = time.thread_time()
        work()
        took.append((time.thread_time() - began) * 1_000)
    return statistics.median(took)


@pytest.mark.row("A33")
def test_what_lists_take(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """The twenty hottest, those of a tier and the innate stay below the bounds; figures are printed."""

    def plain() -> object:
        found = memory.find()
        warm = zip(memory.heat(found), range(len(found)), strict=True)
        return [found[place] for (_, _), place in sorted(warm, key=lambda one: (-one[0][0], one[1]))[:20]]

    hottest = cpu_ms(lambda: memory.find(order="heat", limit=20))
    tier = cpu_ms(lambda: memory.find(tier="warm", order="heat", limit=50))
    innate = cpu_ms(lambda: memory.find(memory_class="innate"))
    newest = cpu_ms(lambda: memory.find(limit=50))
    everything = cpu_ms(plain, 1)
    with capsys.disabled():
        print(  # noqa: T201 -- a benchmark prints its figures
            f"\nlists of {COUNT:,} memories, CPU: the 20 hottest {hottest:.1f} ms, of one tier {tier:.1f} ms, "
            f"the {INNATE} innate {innate:.1f} ms, the 50 newest {newest:.1f} ms; reading all {everything:,.0f} ms"
        )
    assert memory.find(order="heat", limit=20) == plain()
    assert len(memory.find(memory_class="innate")) == INNATE
    assert hottest <= MOST_HOTTEST_MS
    assert tier <= MOST_HOTTEST_MS
    assert innate <= MOST_INNATE_MS
