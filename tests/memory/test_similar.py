"""Tests of the exact search for similar texts."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.memory import similar
from nola.memory.links import jaccard
from nola.memory.similar import SimilarIndex
from nola.settings_memory import LinkSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

ALL = LinkSettings(similar_most=1000)


def brute(texts: Mapping[int, str], text: str, least: float = 0.3) -> list[tuple[int, float]]:
    """Compare with every text."""
    found = [(key, jaccard(other, text)) for key, other in texts.items()]
    return sorted(((key, score) for key, score in found if score > least), key=lambda item: (-item[1], item[0]))


@pytest.mark.row("B24")
def test_the_threshold_is_strict() -> None:
    """A half is found, exactly three of ten is not, and the score is exact."""
    index = SimilarIndex(LinkSettings())
    index.add(1, "the cat sat")
    index.add(2, "a b c d e f")
    assert index.similar("the cat ran") == [(1, 0.5)]
    assert index.similar("a b c g h i j") == []
    assert index.similar("a b c g h i") == [(2, 3 / 9)]
    assert index.similar("") == index.similar("unknown words") == []


def test_the_strongest_come_first_and_not_too_many() -> None:
    """Equal ones are ordered by key, and only as many as set are returned."""
    index = SimilarIndex(LinkSettings(similar_most=3))
    index.add_many([(9, "a b c d"), (5, "a b c"), (7, "a b c"), (1, "a b x y")])
    assert index.similar("a b c") == [(5, 1.0), (7, 1.0), (9, 0.75)]


def test_join_finds_what_came_before_and_not_itself() -> None:
    """A text is compared with the earlier ones; one that is put again under its key does not find its old self."""
    index = SimilarIndex(LinkSettings())
    assert index.join(1, "the red house") == []
    assert index.join(2, "the red car") == [(1, 0.5)]
    assert index.join(2, "the red house") == [(1, 1.0)]
    assert len(index) == 2


def test_remove_and_replace() -> None:
    """What is removed, or replaced by another text or by nothing, is not found any more."""
    index = SimilarIndex(LinkSettings())
    index.add(1, "the red house")
    index.add(1, "a blue boat")
    assert index.similar("the red house") == []
    assert index.similar("a blue boat") == [(1, 1.0)]
    assert 1 in index
    assert index.remove(1)
    assert not index.remove(1)
    assert index.similar("a blue boat") == []
    index.add(1, "?")
    assert 1 not in index


WORDS = [f"w{n}" for n in range(60)]


def random_text(chance: random.Random) -> str:
    """Some texts of common words, some of all, a few long ones."""
    kind = chance.random()
    words = WORDS[:12] if kind < 0.4 else WORDS
    return " ".join(chance.choices(words, k=chance.randint(0, 90 if kind > 0.95 else 12)))


@pytest.mark.parametrize("least", [0.0, 0.3, 0.7, 1.0])
def test_it_finds_what_comparing_with_everything_finds(least: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With additions, replacements and removals, through many segments, nothing is missed and nothing is added."""
    monkeypatch.setattr(similar, "_TAIL", 16)
    chance = random.Random(int(least * 10))  # noqa: S311 -- no secret
    texts: dict[int, str] = {}
    index = SimilarIndex(LinkSettings(jaccard=least, similar_most=1000))
    for step in range(1500):
        key, text = chance.randrange(900), random_text(chance)
        if chance.random() < 0.25:
            assert index.remove(key) is (texts.pop(key, "") != "")
        else:
            index.add(key, text)
            texts[key] = text
            if not text:
                del texts[key]
        if step % 10 == 0:
            asked = random_text(chance)
            assert index.similar(asked) == brute(texts, asked, least)
    assert len(index) == len(texts)


def test_when_most_is_removed() -> None:
    """After most texts are gone those that stay are found, and so are new ones."""
    chance = random.Random(5)  # noqa: S311 -- no secret
    texts = {key: f"n{key} {random_text(chance)}" for key in range(1200)}
    index = SimilarIndex(ALL)
    index.add_many(texts.items())
    for key in range(1150):
        index.remove(key)
        del texts[key]
    index.add(3, "w1 w2 w3")
    texts[3] = "w1 w2 w3"
    assert len(index) == len(texts)
    for asked in [*list(texts.values())[:20], "w1 w2 w3 w4"]:
        assert index.similar(asked) == brute(texts, asked)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="abcdeé '’1", max_size=30), max_size=40), st.text(alphabet="abcdeé '’1", max_size=30))
def test_any_texts(texts: list[str], asked: str) -> None:
    """Whatever the texts are, the index agrees with comparing them one by one."""
    index = SimilarIndex(ALL)
    index.add_many(enumerate(texts))
    assert index.similar(asked) == brute(dict(enumerate(texts)), asked)


def test_a_very_long_text() -> None:
    """Sets of many thousand words are compared like short ones."""
    long = " ".join(f"v{n}" for n in range(70_000))
    index = SimilarIndex(LinkSettings())
    index.add_many([(1, long), (2, "v1 v2")])
    index.add_many((key, f"u{key}") for key in range(3, 600))
    assert index.similar(long + " other") == [(1, 70_000 / 70_001)]
    assert index.similar("v1 v2 v3") == [(2, 2 / 3)]
