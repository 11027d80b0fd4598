"""Postings in memory: found at once, and still found after any number of merges."""

from __future__ import annotations

from collections import Counter

import numpy as np

from nola.memory.segments import Segments


def found(segments: Segments, term: str) -> dict[int, int]:
    """Which documents hold a term, and how often."""
    return {int(d): int(c) for documents, counts in segments.find(term) for d, c in zip(documents, counts, strict=True)}


def test_a_document_is_found_at_once() -> None:
    """A term's documents are told with how often each holds it; an unknown term has none."""
    segments = Segments()
    segments.add(4, ["tea", "or", "tea"])
    assert found(segments, "tea") == {4: 2}
    segments.add(5, ["tea"])
    assert found(segments, "tea") == {4: 2, 5: 1}
    assert found(segments, "milk") == {}


def test_a_word_said_a_thousand_times_counts_255() -> None:
    """Counts are bytes; the other words of the same text keep theirs."""
    segments = Segments()
    segments.add(0, ["so", *["very"] * 1_000, "tired", "so"])
    assert [found(segments, term) for term in ("so", "very", "tired")] == [{0: 2}, {0: 255}, {0: 1}]
    segments.add(1, ["so"])
    assert found(segments, "so") == {0: 2, 1: 1}


def test_merging_loses_nothing() -> None:
    """Ten thousand documents, and every term of them is where it was put."""
    draw = np.random.default_rng(1)
    words = [f"w{n}" for n in range(300)]
    documents = [[words[n] for n in draw.zipf(1.3, size=6) % 300] for _ in range(10_000)]
    segments = Segments()
    expected: dict[str, dict[int, int]] = {}
    for number, tokens in enumerate(documents):
        segments.add(number, tokens)
        for term, count in Counter(tokens).items():
            expected.setdefault(term, {})[number] = count
    assert {term: found(segments, term) for term in expected} == expected
    assert {term: dict(zip(d.tolist(), c.tolist(), strict=True)) for term, (d, c) in segments.by_term()} == expected
    assert len(segments) == sum(map(len, expected.values()))
