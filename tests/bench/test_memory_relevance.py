"""That what answers comes first through the library, at the size of the rows: neither age nor confidence swamps it."""

from __future__ import annotations

import random
from datetime import timedelta
from itertools import product
from typing import TYPE_CHECKING

import pytest

from nola.learned import Memory
from nola.settings import Settings
from tests.bench.natural import START, memories

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.bench

COUNT, QUESTIONS = 10_000, 1_000
LEAST_FIRST = 0.95
STARTS = "ba ce di fo gu ka le mi".split()
ENDS = ("lan mer tik".split(), "por sun dra".split(), "fel gor hin".split())
AFTER = START + timedelta(minutes=300 * COUNT)


def told() -> list[tuple[str, str, str]]:
    """Ten thousand different facts of three words each, of which many share one or two."""
    parts = [[start + end for start, end in product(STARTS, ends)] for ends in ENDS]
    every = [(who, what, where) for who, what, where in product(*parts)]
    return random.Random(1).sample(every, COUNT)  # noqa: S311 -- the same facts each time


@pytest.mark.row("P04")
@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_the_right_one_of_ten_thousand_comes_first(
    embedder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 1,000 natural questions 950 find their own memory first, from the newest to one of five years ago."""
    facts = told()
    with Memory.open(tmp_path / "memory.db", embedder=embedder, settings=Settings(), profile="nola") as memory:
        ids = memory.store_many(
            {
                "content": f"I met {who} about the {what} near {where}",
                "kind": "episodic",
                "at": START + timedelta(minutes=300 * number),
            }
            for number, (who, what, where) in enumerate(facts)
        )
        assert memory.wait_indexed(600)
        first = 0
        for number in range(0, COUNT, COUNT // QUESTIONS):
            who, what, where = facts[number]
            question = f"Do you remember what {who} near {where} wanted of me, was it the {what}?"
            first += memory.recall(question, now=AFTER, count=False)[0].id == ids[number]
    with capsys.disabled():
        print(f"\n{embedder}: {first:,} of {QUESTIONS:,} questions find their own of {COUNT:,} first")  # noqa: T201
    assert first >= LEAST_FIRST * QUESTIONS


@pytest.mark.row("P21")
@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_four_words_beat_one_that_is_surer(embedder: str, tmp_path: Path) -> None:
    """Of 10,000 memories the one with four words of the question and confidence .80 is before one word and .99."""
    with Memory.open(tmp_path / "memory.db", embedder=embedder, settings=Settings(), profile="nola") as memory:
        memory.store_many(memories(COUNT))
        at = START + timedelta(minutes=10 * COUNT)
        sure = [memory.store(text, confidence=0.99, at=at) for text in ("A red wall", "Red is loud", "The red one")]
        four = memory.store("My old red car broke down on the bridge", confidence=0.80, at=START)
        assert memory.wait_indexed(600)
        found = [one.id for one in memory.recall("Which old red car broke?", now=AFTER, count=False)]
        assert found[0] == four
        assert set(sure) & set(found)
