"""Relevance: BM25 over path and text against hand-computed values, and its fusion with vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nola.context.facts import Fact
from nola.context.index import RelevanceIndex
from nola.context.phrases import QueryTerms, query_terms
from nola.settings import RelevanceSettings
from tests.context.making import remembered

SETTINGS = RelevanceSettings()


def fact(topic: str, value: str) -> Fact:
    """A fact with just the words that search reads."""
    return Fact(0, "user.x", f"Your {topic} is {value}.", topic, "", topic, value)


def terms(**weights: float) -> QueryTerms:
    """Stems with their weights."""
    return QueryTerms(weights, weights)


THREE = [fact("dog name", "Biscuit"), fact("cat name", "Tom"), fact("car model", "Saab")]


def test_bm25_is_the_formula() -> None:
    """Three facts of three words: idf ln(1 + 2.5/1.5) for `dog`, ln(1 + 1.5/2.5) for `name`, saturation 2.2/2.2."""
    found = RelevanceIndex(THREE, SETTINGS).query(terms(dog=1.0, name=0.5), None, None)
    dog, name = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    assert found.lexical.tolist() == pytest.approx([dog + 0.5 * name, 0.5 * name, 0.0])
    assert found.lexical[0] == pytest.approx(1.2158310)
    assert found.cosine is None


def test_bm25_knows_length_and_repetition() -> None:
    """`biscuit` twice in 4 words, mean 10/3: idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 1.2)) = 1.2768."""
    found = RelevanceIndex([fact("dog name", "Biscuit Biscuit"), *THREE[1:]], SETTINGS).query(
        terms(biscuit=1.0), None, None
    )
    assert found.lexical[0] == pytest.approx(0.9808293 * 4.4 / 3.38, rel=1e-6)


def test_words_are_normalised_by_no_less_than_the_floor() -> None:
    """A weak best match is not blown up to 1: 1.2158 / 4; a lower floor gives the best fact 1."""
    weak = RelevanceIndex(THREE, SETTINGS).query(terms(dog=1.0, name=0.5), None, None)
    assert weak.fused[0] == pytest.approx(1.2158310 / 4.0)
    low = RelevanceIndex(THREE, RelevanceSettings(bm25_floor=0.5)).query(terms(dog=1.0, name=0.5), None, None)
    assert low.fused[0] == 1.0


def test_words_and_meaning_are_fused_by_share() -> None:
    """0.4 of the words and 0.6 of the cosine, offset 0.05 and divided by the best."""
    question = np.array([1.0, 0.0], np.float32)
    vectors = np.array([[0.35, 0.94], [0.55, 0.84], [-0.50, 0.87]], np.float32)
    found = RelevanceIndex(THREE, SETTINGS).query(terms(dog=1.0), [vectors], question)
    dog = 0.4 * math.log(1 + 2.5 / 1.5) / 4.0
    assert found.fused.tolist() == pytest.approx([dog + 0.6 * 0.40 / 0.60, 0.6, 0.0], rel=1e-5)
    assert found.cosine is not None
    assert found.cosine.tolist() == pytest.approx([0.35, 0.55, -0.50])


def test_cosines_are_normalised_by_no_less_than_the_floor() -> None:
    """When nothing is near, nothing is relevant: 0.10 counts as (0.10 + 0.05) / (0.30 + 0.05)."""
    question = np.array([1.0, 0.0], np.float32)
    vectors = np.array([[0.10, 0.99], [0.0, 1.0], [0.0, 0.0]], np.float32)
    found = RelevanceIndex(THREE, SETTINGS).query(terms(zebra=1.0), [vectors], question)
    assert found.fused.tolist() == pytest.approx([0.6 * 0.15 / 0.35, 0.6 * 0.05 / 0.35, 0.6 * 0.05 / 0.35], rel=1e-5)


def test_a_fact_counts_by_its_closest_form() -> None:
    """Of two vectors for a fact, the nearer one is its cosine."""
    question = np.array([1.0, 0.0], np.float32)
    one, other = np.array([[0.2, 0.0]] * 3, np.float32), np.array([[0.7, 0.0], [0.1, 0.0], [0.2, 0.0]], np.float32)
    found = RelevanceIndex(THREE, SETTINGS).query(terms(), [one, other], question)
    assert found.cosine is not None
    assert found.cosine.tolist() == pytest.approx([0.7, 0.2, 0.2])


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("what is my puppy called", 0),
        ("what make is my vehicle?", 2),
        ("What does Ana do for a living?", 3),
        ("who is Tom", 1),
    ],
)
def test_synonyms_and_idioms_find_a_fact(text: str, best: int) -> None:
    """A fact is found by words that mean the same."""
    index = RelevanceIndex([*THREE, fact("sister Ana job", "midwife")], SETTINGS)
    assert int(index.query(query_terms(text, SETTINGS), None, None).fused.argmax()) == best


def test_an_empty_index_answers() -> None:
    """Nothing known is no error."""
    found = RelevanceIndex([], SETTINGS).query(terms(dog=1.0), None, None)
    assert found.fused.tolist() == []


def recalled(content: str, cosine: float = 0.0) -> Fact:
    """A memory as a fact, with its cosine."""
    return Fact(3, "memory:01", content, "", "", "", content, memory=remembered(content, cosine=cosine))


def test_a_memory_is_scored_as_if_it_were_added() -> None:
    """It follows the facts; a word that one fact has counts ln(1 + 49.5/2.5), as beside fifty facts."""
    found = RelevanceIndex(THREE, SETTINGS).query(terms(dog=1.0), None, None, [recalled("that dog barks")])
    assert found.lexical.tolist() == pytest.approx([math.log(1 + 2.5 / 1.5), 0.0, 0.0, math.log(20.8)])


def test_a_memorys_cosine_counts_beside_the_facts() -> None:
    """Words and meaning are normalised together; without a vector its words stand for both."""
    vectors = [np.array([[0.6, 0.8], [0.0, 1.0], [0.0, 1.0]], np.float32)]
    question = np.array([1.0, 0.0], np.float32)
    others = [recalled("nothing of it", 0.9), recalled("that dog barks")]
    found = RelevanceIndex(THREE, SETTINGS).query(terms(dog=1.0), vectors, question, others)
    assert found.cosine is not None
    assert found.cosine.tolist() == pytest.approx([0.6, 0.0, 0.0, 0.9, 0.0], abs=1e-6)
    assert found.fused[3] == pytest.approx(0.6)
    assert found.fused[4] == pytest.approx(math.log(20.8) / 4.0)
