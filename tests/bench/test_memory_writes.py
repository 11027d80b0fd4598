"""What storing a memory costs beside plain inserts into SQLite, and whether it stays the same as the file grows."""

from __future__ import annotations

import random
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw
import pytest

from nola.clock import SystemClock
from nola.learned import Memory
from nola.memory.database import Database
from nola.memory.filters import Filter
from nola.memory.memories import Memories
from nola.memory.record import NewMemory, new_memory
from nola.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.bench

CHUNK = 5_000
ROWS = 100_000
THREADS = 16
EACH = 250
WORDS = 25
MOST_TIMES_PLAIN = 5.0
"""Bulk: processor time beside rows and full text that are inserted with nothing around them."""
MOST_TIMES_PLAIN_ALONE = 3.0
"""One by one: the same, each in a transaction of its own."""
FLAT = 0.3
LINKED_PER_S = 2_000
"""With the edges between facts that are much alike."""
BULK_PER_S = 10_000
ALONE_PER_S = 1_500

PLAIN = """
CREATE TABLE plain (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, content TEXT NOT NULL, at INTEGER NOT NULL);
CREATE VIRTUAL TABLE plain_text USING fts5 (content, tokenize = 'porter unicode61 remove_diacritics 2');
"""


@dataclass(frozen=True)
class Cost:
    """What something cost: seconds on the clock and of the processor."""

    wall: float
    cpu: float


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    """Memories in a file of their own."""
    database = Database(tmp_path / "memory.db", clock=SystemClock())
    yield Memories(database)
    database.close()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[apsw.Connection]:
    """A table and a full text with nothing around them, as durable as ours."""
    connection = apsw.Connection(str(tmp_path / "plain.db"))
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.execute(PLAIN)
    yield connection
    connection.close()


def texts(count: int, seed: int) -> list[str]:
    """Make texts of real length, of words as often as in a language."""
    draw = random.Random(seed)  # noqa: S311 -- reproducible, not secret
    words = [f"word{n}" for n in range(20_000)]
    weights = [1 / (n + 10) for n in range(len(words))]
    return [" ".join(draw.choices(words, weights, k=WORDS)) for _ in range(count)]


def cost(action: Callable[[], object]) -> Cost:
    """Return what something costs."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def put_plain(connection: apsw.Connection, contents: list[str], name: str) -> None:
    """Insert texts in one transaction."""
    with connection:
        rows = [(f"{name}-{n}", content, n) for n, content in enumerate(contents)]
        connection.executemany("INSERT INTO plain (id, content, at) VALUES (?, ?, ?)", rows)
        connection.executemany("INSERT INTO plain_text (content) VALUES (?)", [(content,) for content in contents])


def tell(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Show a figure, whatever pytest does with what tests print."""
    with capsys.disabled():
        sys.stdout.write(f"\n{line}")


def made(contents: list[str]) -> list[NewMemory]:
    """Make memories of texts."""
    return [new_memory(content, {"speaker": "Ada", "conversation": "c1"}) for content in contents]


@pytest.mark.row("P10", "P29")
def test_bulk_stays_the_same_from_the_first_to_the_last(
    memories: Memories, plain: apsw.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hundred thousand memories: each chunk costs a bounded multiple of plain inserts, the last like the first."""
    ours, bare = [], []
    for number in range(ROWS // CHUNK):
        contents = texts(CHUNK, number)
        news = made(contents)
        ours.append(cost(lambda news=news: memories.insert_many(news)))  # type: ignore[misc]
        bare.append(cost(lambda c=contents, n=number: put_plain(plain, c, str(n))))  # type: ignore[misc]
    times = [mine.cpu / its.cpu for mine, its in zip(ours, bare, strict=True)]
    quarter = len(times) // 4
    first, last = (sorted(part)[quarter // 2] for part in (times[:quarter], times[-quarter:]))
    best = min(mine.cpu for mine in ours)
    tell(
        capsys,
        f"bulk: {CHUNK / best:,.0f}/s of processor time, {ROWS / sum(mine.wall for mine in ours):,.0f}/s on the clock; "
        f"plain {CHUNK / min(its.cpu for its in bare):,.0f}/s; x {first:.1f} at first, x {last:.1f} at the end",
    )
    assert max(first, last) <= MOST_TIMES_PLAIN
    assert last <= first * (1 + FLAT)
    assert CHUNK / best >= BULK_PER_S
    assert sum(memories.count(Filter())["kind"].values()) == ROWS


@pytest.mark.row("P10")
def test_links_keep_up_with_storing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hundred thousand facts through the library: stored and linked, 2,000 a second of CPU to the last."""
    stored, linked, parts = [], [], 4
    with Memory.open(tmp_path / "memory.db", embedder=None, settings=Settings()) as memory:
        for part in range(parts):
            facts = [{"content": text} for text in texts(ROWS // parts, 100 + part)]
            wall, cpu = time.perf_counter(), time.process_time()
            for start in range(0, len(facts), CHUNK):
                memory.store_many(facts[start : start + CHUNK])
            stored.append(Cost(time.perf_counter() - wall, time.process_time() - cpu))
            assert memory.wait_indexed(3_600)
            linked.append(Cost(time.perf_counter() - wall, time.process_time() - cpu))
        assert memory.stats().total == ROWS
    each = ROWS // parts
    slowest = each / max(one.cpu for one in linked)
    tell(
        capsys,
        f"facts: acknowledged {ROWS / sum(one.wall for one in stored):,.0f}/s on the clock, with their links "
        f"{ROWS / sum(one.wall for one in linked):,.0f}/s; {ROWS / sum(one.cpu for one in linked):,.0f}/s of processor "
        f"time, {each / linked[0].cpu:,.0f} in the first quarter, {each / linked[-1].cpu:,.0f} in the last",
    )
    assert ROWS / sum(one.cpu for one in stored) >= LINKED_PER_S
    assert slowest >= LINKED_PER_S


def test_writers_share_a_flush(memories: Memories, plain: apsw.Connection, capsys: pytest.CaptureFixture[str]) -> None:
    """Sixteen threads that store one by one: each acknowledged, for a bounded multiple of what plain inserts cost."""
    contents = texts(THREADS * EACH, 1)
    news = made(contents)
    memories.insert_many(made(texts(1000, 2)))

    def work(start: int) -> None:
        for new in news[start : start + EACH]:
            memories.insert_many([new])

    def together() -> None:
        threads = [threading.Thread(target=work, args=(number * EACH,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def one_by_one() -> None:
        for number, content in enumerate(contents[:1000]):
            put_plain(plain, [content], str(number))

    ours, bare = cost(together), cost(one_by_one)
    done = THREADS * EACH
    alone, its = done / ours.cpu, 1000 / bare.cpu
    tell(
        capsys,
        f"{THREADS} writers: {alone:,.0f}/s of processor time, {done / ours.wall:,.0f}/s on the clock; "
        f"plain, one writer {its:,.0f}/s and {1000 / bare.wall:,.0f}/s; x {its / alone:.1f}",
    )
    assert its / alone <= MOST_TIMES_PLAIN_ALONE
    assert alone >= ALONE_PER_S
    assert sum(memories.count(Filter())["kind"].values()) == done + 1000
