"""What Nola promises on LoCoMo, which is not part of her: `NOLA_LOCOMO` names the file that its owner downloaded."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.evaluation.conversations import load_conversations
from nola.evaluation.finders import Kept
from nola.evaluation.measures import MEASURES, Summary, summary
from nola.evaluation.recall import evaluate, ways_of
from nola.learned import Memory
from nola.settings import Settings

if TYPE_CHECKING:
    from nola.llm.embed import Embedder

FILE = os.environ.get("NOLA_LOCOMO", "")
LEAST_R10, LEAST_MRR = 0.609, 0.458
"""P08: what plain BM25 with stems and stop words finds."""
MOST_LOST = 0.005
"""P11: what strength may cost beside relevance alone."""

needs_file = pytest.mark.skipif(not FILE, reason="NOLA_LOCOMO does not name LoCoMo's locomo10.json")


def found(inner: Embedder | None) -> tuple[Summary, Summary]:
    """Measure the default profile, and relevance alone."""
    kept, settings = (None if inner is None else Kept(inner)), Settings()
    relevance = replace(settings, memory=replace(settings.memory, strategy="none"))

    def opened(path: Path, profile: str, with_settings: Settings) -> Memory:
        return Memory.open(path, profile=profile, settings=with_settings, embedder=kept)

    made = [
        *ways_of(opened, kept, settings, profile="nola")[-1:],
        *ways_of(opened, kept, relevance, profile="nola")[-1:],
    ]
    ways = [replace(way, name=name) for way, name in zip(made, ("on", "off"), strict=True)]
    on, off = evaluate(load_conversations(Path(FILE)), ways, embedder=kept, settings=settings)
    return summary(on.by_conversation), summary(off.by_conversation)


def told(what: str, seen: Summary) -> str:
    """Say all figures of a way in one line."""
    figures = "  ".join(
        f"{name} {seen.figures[name].mean:.3f} ±{seen.figures[name].deviation or 0:.3f}" for name in MEASURES
    )
    return f"{what}: {figures}  (n {seen.questions} of {seen.conversations} conversations)"


def check(name: str, on: Summary, off: Summary, capsys: pytest.CaptureFixture[str]) -> None:
    """Print the figures and hold them against their floors."""
    with capsys.disabled():
        print(f"\n{told(f'{name}, profile nola', on)}\n{told(f'{name}, relevance alone', off)}")  # noqa: T201 -- figures
    assert on.figures["R@10"].mean >= LEAST_R10
    assert on.figures["MRR"].mean >= LEAST_MRR
    assert on.figures["R@10"].mean >= off.figures["R@10"].mean - MOST_LOST


@needs_file
@pytest.mark.bench
@pytest.mark.row("P08", "P11")
def test_words_alone_find_more_than_plain_search(capsys: pytest.CaptureFixture[str]) -> None:
    """Without any model at least what BM25 finds; strength costs at most half a point of R@10."""
    check("words alone", *found(None), capsys)


@needs_file
@pytest.mark.models
@pytest.mark.row("P08", "P11")
def test_words_and_meaning_find_more_than_plain_search(minilm: Embedder, capsys: pytest.CaptureFixture[str]) -> None:
    """With the real embedder the same."""
    check("MiniLM", *found(minilm), capsys)
