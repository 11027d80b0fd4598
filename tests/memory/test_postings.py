"""The lexical index beside BM25 worked out by hand: adding, changing, removing, saving, masks and limits."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from nola.memory.posting_blobs import DOCUMENTS
from nola.memory.postings import Postings
from nola.settings import RecallSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ALL_TERMS = replace(RecallSettings(), rare_df=1.0)
TEXTS = {
    0: "the cat sat on the mat",
    1: "a dog and a cat",
    2: "the dog barked at the other dog all night",
    3: "rain all night",
}


def index(texts: Mapping[int, str] = TEXTS) -> Postings:
    """An index over texts by row."""
    made = Postings()
    made.add(list(texts), [text.split() for text in texts.values()])
    return made


def bm25(texts: Mapping[int, Sequence[str]], terms: Mapping[str, float], k1: float, b: float) -> dict[int, float]:
    """Score texts the long way."""
    mean = sum(max(len(t), 1) for t in texts.values()) / len(texts)
    scores: dict[int, float] = {}
    for term, weight in terms.items():
        holders = [row for row, text in texts.items() if term in text]
        rarity = math.log(1 + (len(texts) - len(holders) + 0.5) / (len(holders) + 0.5))
        for row in holders:
            count = texts[row].count(term)
            norm = k1 * (1 - b + b * max(len(texts[row]), 1) / mean)
            scores[row] = scores.get(row, 0.0) + weight * rarity * count * (k1 + 1) / (count + norm)
    return scores


def ranked(made: Postings, terms: Mapping[str, float], k: int = 50) -> dict[int, float]:
    """Rows and scores that a search finds, best first."""
    hits = made.search(terms, k, ALL_TERMS)
    return dict(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))


def test_scores_are_those_of_bm25() -> None:
    """Every row with a term is found, with the score of the formula, best first."""
    terms = {"dog": 1.0, "cat": 0.5, "night": 1.0, "snow": 1.0}
    found = ranked(index(), terms)
    expected = bm25({row: text.split() for row, text in TEXTS.items()}, terms, 1.2, 0.75)
    assert found == pytest.approx(expected, rel=1e-5)
    assert list(found) == sorted(expected, key=lambda row: -expected[row])


@pytest.mark.row("P21")
def test_four_words_beat_one() -> None:
    """A text with four words of the question stands before one with a single word of it."""
    made = index({0: "red", 1: "my old red car broke down", 2: "blue", 3: "green"})
    assert next(iter(ranked(made, dict.fromkeys(["old", "red", "car", "broke"], 1.0)))) == 1


@pytest.mark.row("P27")
def test_the_limit_comes_after_the_order() -> None:
    """Whatever the limit, its rows are the first of the whole order; equal scores stand in the order of rows."""
    texts = {row: f"idea {'great ' * (row % 7)}" for row in range(2_000)}
    made = index(texts)
    whole = list(ranked(made, {"idea": 1.0, "great": 1.0}, 2_000))
    assert len(whole) == 2_000
    for k in (1, 5, 512, 513, 1_999):
        assert list(ranked(made, {"idea": 1.0, "great": 1.0}, k)) == whole[:k]


_documents = st.lists(st.sampled_from("abcdefg"), max_size=8)
_steps = st.lists(st.tuples(st.integers(0, 12), st.one_of(st.none(), _documents)), max_size=40)


@given(_steps, st.booleans())
@hypothesis_settings(max_examples=200, deadline=None)
def test_changes_leave_no_trace(steps: list[tuple[int, list[str] | None]], save: bool) -> None:  # noqa: FBT001
    """After any changes and removals, saved in between or not, the index is that of what is left."""
    blobs: dict[str, bytes] = {}
    made = Postings(lambda term: [blobs[term]] if term in blobs else [])
    left: dict[int, list[str]] = {}
    for number, (row, tokens) in enumerate(steps):
        if tokens is None:
            made.remove(row)
            left.pop(row, None)
        else:
            made.add([row], [tokens])
            left[row] = tokens
        if save and number % 5 == 4:
            for term, blob in made.to_blobs().items():
                blobs[term] = blobs.get(term, b"") + blob
            made.saved()
    terms = {"a": 1.0, "b": 0.5, "c": 2.0}
    expected = bm25(left, terms, 1.2, 0.75) if left else {}
    assert len(made) == len(left)
    assert ranked(made, terms) == pytest.approx(expected, rel=1e-4)


def test_what_is_saved_is_opened_again() -> None:
    """An index over saved blobs finds the same; a row that was changed later counts with its last text."""
    made = index()
    first = made.to_blobs()
    made.saved()
    assert made.unsaved == 0
    made.add([1], [["snow", "again"]])
    assert made.unsaved == 1
    both = {term: first.get(term, b"") + made.to_blobs().get(term, b"") for term in {*first, *made.to_blobs()}}
    again = Postings.from_blobs(both)
    assert DOCUMENTS in both
    assert (len(again), again.unsaved) == (4, 0)
    for terms in ({"cat": 1.0}, {"snow": 1.0, "night": 1.0}):
        made = index({**TEXTS, 1: "snow again"})
        assert ranked(again, terms) == pytest.approx(ranked(made, terms), rel=1e-5)


def test_terms_are_read_once() -> None:
    """A term that was read stays at hand, also one that is nowhere."""
    blobs = index().to_blobs()
    asked: list[str] = []

    def load(term: str) -> list[bytes]:
        asked.append(term)
        return [blobs[term]] if term in blobs else []

    made = Postings(load)
    for _ in range(3):
        ranked(made, {"cat": 1.0, "snow": 1.0})
    assert asked == [DOCUMENTS, "cat", "snow"]


def test_a_mask_hides_rows() -> None:
    """Rows outside of the mask are not found, nor are those beyond its end."""
    made = index()
    mask = np.array([False, True, True])
    hits = made.search({"cat": 1.0, "night": 1.0}, 10, ALL_TERMS, mask)
    assert sorted(hits.rows.tolist()) == [1, 2]
    assert made.search({"rain": 1.0}, 10, ALL_TERMS, mask).rows.tolist() == []
    assert made.search({"cat": 1.0}, 10, ALL_TERMS, mask[:0]).rows.tolist() == []


_TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8), min_size=1, max_size=20)


@given(_TEXTS, st.sets(st.integers(0, 19)), st.booleans())
def test_what_is_hidden_counts_for_nothing(texts: list[list[str]], hidden: set[int], fixed: bool) -> None:  # noqa: FBT001
    """Scores under a mask are those of an index that holds nothing else; a mask may be asked for again."""
    left = {row: tokens for row, tokens in enumerate(texts) if row not in hidden}
    made = index({row: " ".join(tokens) for row, tokens in enumerate(texts)})
    mask = np.array([row in left for row in range(len(texts))], dtype=np.bool_)
    mask.flags.writeable = not fixed
    terms = {"a": 1.0, "b": 0.5, "c": 2.0}
    for _ in range(2):
        hits = made.search(terms, 50, ALL_TERMS, mask)
        expected = bm25(left, terms, 1.2, 0.75) if left else {}
        assert dict(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-4)
    if left:
        made.remove(row := min(left))
        assert row not in made.search(terms, 50, ALL_TERMS, mask).rows.tolist()


def test_what_is_frequent_elsewhere_is_not_where_it_is_rare() -> None:
    """Of the few that a mask leaves each that has a word of the question is found."""
    texts = dict.fromkeys(range(5_000), "apple") | {5_000: "apple tree", 5_001: "pear", 5_002: "zebra apple"}
    mask = np.arange(5_003) >= 5_000
    hits = index(texts).search({"apple": 1.0, "zebra": 1.0}, 10, RecallSettings(), mask)
    assert hits.rows.tolist() == [5_002, 5_000]


def test_a_row_is_there_or_not() -> None:
    """A row has a text from adding to removing."""
    made = index()
    made.remove(2)
    assert [made.has(row) for row in (1, 2, 3, 4, 9_999_999)] == [True, False, True, False, False]


def test_any_row_can_be_asked_for_its_score() -> None:
    """Rows that were not among the best have their score too; others have none."""
    made = index()
    hits = made.search({"cat": 1.0}, 1, ALL_TERMS)
    every = ranked(made, {"cat": 1.0})
    asked = np.array([0, 1, 2, 9_999_999], dtype=np.int32)
    assert hits.of(asked).tolist() == pytest.approx([every[0], every[1], 0.0, 0.0], rel=1e-6)


def test_frequent_terms_are_dropped_when_others_are_left() -> None:
    """A word of more than a tenth of many memories is not looked for beside rarer ones; alone, or in few, it is."""
    settings = RecallSettings()
    for count, found in ((100, 51), (10_000, 1)):
        texts = {row: "all the time" if row % 2 else "nothing" for row in range(count)} | {count: "the rare one"}
        made = index(texts)
        assert len(made.search({"the": 1.0, "rare": 1.0}, 10_000, settings).rows) == found
        assert made.search({"the": 1.0, "rare": 1.0}, 1, settings).rows.tolist() == [count]
        assert len(made.search({"the": 1.0}, 10_000, settings).rows) == count // 2 + 1


def test_long_lists_are_left_out() -> None:
    """What a question reads is bounded: the rarest terms come first, and one is always read."""
    texts = {row: "x y" if row < 3_000 else "x" for row in range(4_000)}
    few = replace(ALL_TERMS, postings_most=5_000)
    made = index(texts)
    assert float(made.search({"x": 1.0, "y": 1.0}, 1, few).scores[0]) == pytest.approx(
        float(made.search({"y": 1.0}, 1, ALL_TERMS).scores[0])
    )
    assert len(made.search({"x": 1.0}, 4_000, replace(few, postings_most=1_000)).rows) == 4_000


def test_nothing_is_found_in_nothing() -> None:
    """No documents, no terms, no results wanted: no rows."""
    assert ranked(Postings(), {"cat": 1.0}) == {}
    assert ranked(index(), {}) == {}
    assert ranked(index(), {"cat": 1.0}, 0) == {}
