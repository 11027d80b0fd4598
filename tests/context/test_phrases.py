"""The words of an input are weighed, and stand for synonyms and for what everyday phrases mean."""

from __future__ import annotations

import pytest

from nola.context.phrases import meant_words, near_words, plainly, query_terms
from nola.settings import RelevanceSettings

SETTINGS = RelevanceSettings()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("What does Tilen do for a living?", "job"),
        ("how old is my sister", "birthday"),
        ("Where did I GROW UP?", "hometown"),
        ("when did we get married", "wedding"),
        ("who do I report to", "manager"),
        ("which dish can't I stand", "dislike"),
        ("when does my passport run out", "expires"),
        ("what is my name", ""),
    ],
)
def test_an_everyday_phrase_means_plain_words(text: str, meant: str) -> None:
    """Idioms stand for the words that a note would use, in any case."""
    assert meant in meant_words(text).split() if meant else meant_words(text) == ""


def test_synonyms_stand_beside_a_stem() -> None:
    """The table is symmetric, holds stems, and knows nothing of other words."""
    assert "husband" in near_words("wife")
    assert "wife" in near_words("husband")
    assert near_words("qwertz") == ()


def test_terms_are_weighed() -> None:
    """Own words weigh 1, generic ones 0.5, synonyms 0.6 of their word, and stop words nothing."""
    terms = query_terms("what's my wife's name", SETTINGS)
    assert terms.own == {"wife": 1.0, "name": 0.5}
    assert terms.expanded["spous"] == 0.6
    assert terms.expanded["call"] == pytest.approx(0.3)
    assert terms.expanded["wife"] == 1.0


def test_what_a_phrase_means_is_searched_too() -> None:
    """The words behind an idiom weigh as synonyms do, and never lower an own word."""
    terms = query_terms("what is my job, I mean what do I do for a living", SETTINGS)
    assert terms.expanded["profess"] == 0.6
    assert terms.expanded["job"] == 1.0


def test_a_text_of_stop_words_asks_for_nothing() -> None:
    """Nothing is searched where no word says anything."""
    assert query_terms("what is it", SETTINGS).expanded == {}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("what does my sister do", "what job my sister has"),
        ("what does Ana do for a living?", "what job Ana has?"),
        ("where do I live?", "home?"),
        ("how do I know Daigo", "how do I know Daigo"),
    ],
)
def test_everyday_phrases_are_put_plainly(text: str, plain: str) -> None:
    """A phrase gives way to the plain word for it, and other texts stay as they are."""
    assert plainly(text) == plain
