"""How long choosing the context takes over many facts, beside a plain scan of all of them."""

from __future__ import annotations

import math
import random
import statistics
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.context.budget import budget_for, pack
from nola.context.select import Selector
from nola.context.weigh import weigh
from nola.flow import Candidate
from nola.llm.tokens import estimate
from nola.settings import Settings
from nola.text import stem, words
from nola.types import Level, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from nola.context.budget import Packed
    from nola.context.facts import Fact

pytestmark = pytest.mark.bench

MOST_MS = 20.0
MOST_GROWTH = 15.0
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SETTINGS = Settings()
DIMENSIONS = 384
ROUNDS = 31
WORDS = ["".join(parts) for parts in product("ba ce di fo gu ka le mi no pu ra se ti vo zu".split(), "lan mer tik por sun dra fel gor hin jat".split())]  # fmt: skip  # noqa: E501


class RandomVectors:
    """Unit vectors that mean nothing, made beforehand: the embedding is not what is measured."""

    def __init__(self, count: int) -> None:
        self._made = np.random.default_rng(1).standard_normal((count, DIMENSIONS), dtype=np.float32)
        self._made /= np.linalg.norm(self._made, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the first vectors."""
        return self._made[: len(texts)]

    def embed_within(self, texts: Sequence[str], budget_s: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return a vector for every text, in no time."""
        del budget_s
        return self.embed(texts), np.ones(len(texts), dtype=np.bool_)


def leaves(count: int) -> list[Candidate]:
    """Leaves of forty modules with words that nobody uses, at all places, levels and ages."""
    draw = random.Random(1)  # noqa: S311 -- the same leaves each time
    made = []
    for n in range(count):
        module = f"module{n % 40}"
        keys = (draw.choice(WORDS) + draw.choice(WORDS), f"{draw.choice(WORDS)} {n}", draw.choice(WORDS))
        value = " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 6)))
        place, level = draw.choice(list(Place)), draw.choice(list(Level))
        at = NOW - timedelta(days=draw.randint(0, 400))
        made.append(Candidate(f"{module}.{'.'.join(keys)}", keys, value, place, level, at, f"modules/{module}.json"))
    return made


def question(n: int) -> str:
    """A question with three words that some leaves hold."""
    return f"what is my {WORDS[n]} {WORDS[n + 20]} of {WORDS[n + 50]}?"


@dataclass(frozen=True)
class Measured:
    """Milliseconds over one number of leaves."""

    first: float
    median: float
    quick: float
    scan: float


class Chooser:
    """Chooses the context as a turn does, over the same leaves each time."""

    def __init__(self, count: int) -> None:
        self._candidates = leaves(count)
        self._vectors = RandomVectors(2 * count)
        self._selector = Selector(SETTINGS.relevance, turn_budget_s=600)
        self.facts: Sequence[Fact] = ()

    def choose(self, text: str, *, greet: bool = False) -> Packed:
        """Rank, weigh and pack."""
        ranking = self._selector.rank(text, self._candidates, revision=1, vectoriser=self._vectors, greet=greet)
        self.facts = ranking.facts
        level = Level.QUICK if greet else Level.DEEP
        weighed = weigh(
            ranking.candidates, ranking.rows, ranking.scores, level=level, now=NOW, settings=SETTINGS.context
        )
        budget = budget_for(level, 0, SETTINGS.context)
        return pack(ranking.facts, ranking.candidates, weighed, budget, estimate, SETTINGS.context)


def scan(facts: Sequence[Sequence[str]], text: str) -> list[int]:
    """Rank facts as a first draft would: plain BM25, every word of every fact looked at for each question."""
    asked = {stem(word) for word in words(text)}
    mean = sum(map(len, facts)) / len(facts)
    found = {root: sum(root in fact for fact in facts) for root in asked}
    scores = []
    for row, fact in enumerate(facts):
        score = 0.0
        for root in asked:
            if count := fact.count(root):
                rarity = math.log(1 + (len(facts) - found[root] + 0.5) / (found[root] + 0.5))
                score += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(fact) / mean))
        scores.append((-score, row))
    return [row for _, row in sorted(scores)[:20]]


def took_ms(work: Callable[[], object]) -> float:
    """How long some work takes, in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


@cache
def measured(count: int) -> Measured:
    """Measure selection and scan over this many leaves, in turns, so that a busy machine slows both."""
    chooser = Chooser(count)
    first = took_ms(lambda: chooser.choose(question(0)))
    chooser.choose("hello", greet=True)
    stemmed = [[stem(word) for word in words(f"{fact.topic} {fact.value}")] for fact in chooser.facts]
    ours, quick, naive = [], [], []
    for n in range(1, ROUNDS + 1):
        ours.append(took_ms(lambda n=n: chooser.choose(question(n))))  # type: ignore[misc]
        quick.append(took_ms(lambda: chooser.choose("hello", greet=True)))
        if n % 6 == 1:
            naive.append(took_ms(lambda n=n: scan(stemmed, question(n))))  # type: ignore[misc]
    return Measured(first, *map(statistics.median, (ours, quick, naive)))


@pytest.mark.parametrize("count", [10_000, 100_000])
def test_what_selection_takes(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Choosing among ten and a hundred thousand leaves is faster than looking at all of them; figures are printed."""
    seen = measured(count)
    with capsys.disabled():
        print(  # noqa: T201 -- a benchmark prints its figures
            f"\nselection over {count:,} leaves: median {seen.median:.1f} ms, a greeting {seen.quick:.1f} ms, "
            f"the first call {seen.first:,.0f} ms; naive scan {seen.scan:.1f} ms ({seen.scan / seen.median:.1f} x)"
        )
    assert seen.median < seen.scan


def test_ten_thousand_leaves_take_at_most_twenty_milliseconds() -> None:
    """After the first call the median is at most 20 ms, also for a greeting."""
    assert measured(10_000).median <= MOST_MS
    assert measured(10_000).quick <= MOST_MS


def test_selection_grows_linearly(capsys: pytest.CaptureFixture[str]) -> None:
    """Ten times the leaves take at most fifteen times as long."""
    growth = measured(100_000).median / measured(10_000).median
    scanned = measured(100_000).scan / measured(10_000).scan
    with capsys.disabled():
        print(f"\nfrom 10,000 to 100,000 leaves: selection x {growth:.1f}, naive scan x {scanned:.1f}")  # noqa: T201
    assert growth <= MOST_GROWTH
