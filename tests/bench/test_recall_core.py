"""How long ranking takes among many memories, beside a plain FTS5 scan of the same texts in the same run."""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import apsw
import numpy as np
import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from nola.memory.columns import Columns
from nola.memory.dense import DenseIndex
from nola.memory.postings import Postings
from nola.memory.query import parse
from nola.memory.ranking import rank
from nola.memory.tokens import document_tokens, tokens
from nola.memory.traits import traits_of
from nola.settings import RecallSettings
from nola.text import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

pytestmark = pytest.mark.bench

MOST_MS = {10_000: 4.0, 100_000: 10.0}
MOST_MB = 120
DIMENSIONS = 384
QUESTIONS = 100
START = datetime(2020, 1, 1, tzinfo=UTC)
NOW = START + timedelta(days=4_000)
SETTINGS = RecallSettings()
COMMON = (
    "the a I you to and it of in is that my was for on with so have we at be this but like just go got they are".split()
)
VOCABULARY = ["".join(p) for p in product("ba ce di fo gu ka le mi no pu ra se ti vo zu".split(), "lan mer tik por sun dra fel gor hin jat".split(), "ba ce di fo gu ka le mi no pu ra se ti vo zu".split(), ["", "ing", "ed", "s"])]  # fmt: skip  # noqa: E501
NAMES = [f"{first}{last}" for first in ("Al", "Be", "Ca", "Do") for last in ("na", "nny", "ra", "rian", "lena")]


@dataclass(frozen=True)
class Measured:
    """Milliseconds of CPU over one number of memories, and megabytes.

    Attributes:
        ours: Of each question, with vectors.
        words: Of each question, by words alone.
        scan: Of each question, FTS5's best fifty.
        store_us: Microseconds of CPU of one memory's own entries.
        size_mb: What the indexes hold.
    """

    ours: list[float]
    words: list[float]
    scan: list[float]
    store_us: float
    size_mb: float


def texts(count: int) -> Iterator[str]:
    """Texts of about 25 words: half of them common, the others as rare as words of a language are."""
    draw = random.Random(1)  # noqa: S311 -- the same texts each time
    weights = [1 / (n + 10) for n in range(len(VOCABULARY))]
    rare = draw.choices(VOCABULARY, weights, k=13 * count)
    common = draw.choices(COMMON, k=12 * count)
    for n in range(count):
        yield " ".join(
            w for pair in zip(rare[13 * n : 13 * n + 12], common[12 * n : 12 * n + 12], strict=True) for w in pair
        )


def vectors(count: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Unit vectors around two thousand middles."""
    draw = np.random.default_rng(seed)
    middles = np.random.default_rng(1).standard_normal((2_000, DIMENSIONS), dtype=np.float32)
    made = middles[draw.integers(0, 2_000, count)] + draw.standard_normal((count, DIMENSIONS), dtype=np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def cpu_ms(work: Callable[[], object]) -> float:
    """How much of the processor some work takes, in milliseconds."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1_000


def plain_scan(said: Sequence[str]) -> Callable[[str], object]:
    """Return what a user would write first: FTS5 with porter stems, any of the words, the best fifty."""
    db = apsw.Connection(":memory:")
    db.execute("create virtual table f using fts5(text, tokenize='porter unicode61 remove_diacritics 2')")
    with db:
        db.executemany("insert into f(text) values(?)", ((text,) for text in said))

    def ask(text: str) -> object:
        wanted = " OR ".join(f'"{w}"' for w in tokens(text) if w not in STOP_WORDS)
        return db.execute("select rowid from f where f match ? order by bm25(f) limit 50", (wanted,)).fetchall()

    return ask


@cache
def measured(count: int) -> Measured:
    """Store so many memories and ask a hundred natural questions."""
    said = list(texts(count))
    embedded = vectors(count, 2)
    before = psutil.Process().memory_info().rss
    columns, postings, dense = Columns(), Postings(), DenseIndex(DIMENSIONS)

    def store(rows: range) -> None:
        documents = []
        for row in rows:
            at, speaker = START + timedelta(minutes=10 * row), NAMES[(row // 20 + row % 2) % len(NAMES)]
            columns.add(session=f"s{row // 20}", speaker=speaker, at_s=at.timestamp(), traits=traits_of(said[row]))
            documents.append(document_tokens(said[row], speaker, at))
        postings.add(rows, documents)
        dense.add(np.array(rows, dtype=np.int32), embedded[rows.start : rows.stop])

    def store_all() -> None:
        for first in range(0, count, 1_000):
            store(range(first, first + 1_000))

    took = cpu_ms(store_all)
    held = (psutil.Process().memory_info().rss - before) / 1e6
    scan = plain_scan(said)
    draw = random.Random(3)  # noqa: S311 -- the same questions each time
    asked = vectors(QUESTIONS, 4)
    ours, words, plain = [], [], []
    for n in range(QUESTIONS):
        some = draw.sample(said[draw.randrange(count)].split(), 6)
        text = f"When did {draw.choice(NAMES)} say that {' '.join(some)}?"

        def ask(text: str = text, vector: np.ndarray | None = asked[n]) -> object:
            query = parse(text, speakers=columns.speakers, now=NOW, generic_weight=SETTINGS.generic_weight)
            return rank(query, columns, postings, SETTINGS, dense=dense, question=vector)

        ours.append(cpu_ms(ask))
        words.append(cpu_ms(lambda: ask(vector=None)))
        plain.append(cpu_ms(lambda: scan(text)))  # noqa: B023 -- called at once
    return Measured(ours, words, plain, took * 1_000 / count, held)


def spread(values: list[float]) -> str:
    """The median and what 95 of 100 stay below."""
    return f"p50 {statistics.median(values):.2f}, p95 {statistics.quantiles(values, n=20)[18]:.2f} ms"


@pytest.mark.row("P03")
@pytest.mark.parametrize("count", [10_000, 100_000])
def test_what_ranking_takes(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Among ten and a hundred thousand memories 95 of 100 questions stay below the bound; figures are printed."""
    seen = measured(count)
    with capsys.disabled():
        print(  # noqa: T201 -- a benchmark prints its figures
            f"\nranking among {count:,} memories, CPU: {spread(seen.ours)}; by words alone {spread(seen.words)}; "
            f"plain FTS5 {spread(seen.scan)}; a memory's entries {seen.store_us:.0f} us; indexes {seen.size_mb:.0f} MB"
        )
    assert statistics.quantiles(seen.ours, n=20)[18] <= MOST_MS[count]


def test_the_indexes_are_small() -> None:
    """At a hundred thousand memories all of them together hold at most 120 MB."""
    assert measured(100_000).size_mb <= MOST_MB
