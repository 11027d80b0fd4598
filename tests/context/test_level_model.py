"""Tests of the lexicon and weights as they are shipped."""

from __future__ import annotations

import pytest

from nola.context.level_model import Weights, lexicon, probabilities, small_words, weights
from nola.types import Level


def test_probabilities_follow_the_weights() -> None:
    """Known features move the chances, unknown ones do not, and the chances sum to one."""
    learned = Weights((0.0, 0.0, 0.0), {"deep": (-2.0, 0.0, 2.0)})
    even = probabilities({"unheard of": ""}, learned)
    assert even[Level.QUICK] == pytest.approx(1 / 3)
    deep = probabilities({"deep": ""}, learned)
    assert max(deep, key=lambda level: deep[level]) is Level.DEEP
    assert sum(deep.values()) == pytest.approx(1.0)


def test_shipped_files_load_once() -> None:
    """The lexicon and the weights are read once and hold three numbers per feature."""
    assert lexicon() is lexicon()
    assert weights() is weights()
    assert {len(w) for w in weights().features.values()} == {3}
    assert {"why", "warum", "pourquoi"} <= set(lexicon().phrases)


def test_small_words_are_those_of_the_language() -> None:
    """The words without weight are those of the languages that are spoken."""
    assert {"the", "what"} <= small_words(frozenset(("en", "xx")))
    assert "the" not in small_words(frozenset(("de",)))
