"""Tests of the shape of a request."""

from __future__ import annotations

import pytest

from nola.context.level_model import lexicon
from nola.context.level_reading import Clause, read
from nola.context.level_shape import fresh_words, opening, shape, stems


def clause(text: str) -> Clause:
    """Return the last request of a message."""
    return read(text, lexicon()).requests[-1]


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("where do I keep the key", "closed"),
        ("what meal do I love most", "what thing"),
        ("what sort of teacher am I", "what kind"),
        ("am I a good father", "am i"),
        ("should I quit", "weighs"),
        ("why is that", "why"),
        ("how do I boil an egg", "how to"),
        ("turn off the lamp", "order"),
        ("write a letter", "order"),
        ("curtains", "other"),
    ],
)
def test_a_request_opens_with_its_kind(text: str, way: str) -> None:
    """A closed question, an order and a choice are told apart by how they open."""
    assert opening(clause(text)) == way


def test_what_a_request_brings_is_counted() -> None:
    """Words of weight that were not said before are new; small words never are."""
    small = frozenset(("the", "is", "of"))
    assert fresh_words(clause("is that so"), frozenset(), small) == 0
    assert fresh_words(clause("who painted the ceiling of the chapel"), frozenset(), small) == 3
    assert fresh_words(clause("who painted the ceiling of the chapel"), stems(["Chapels".lower()]), small) == 2


def test_signs_stand_beside_each_other() -> None:
    """A shape is the opening together with what the request speaks of."""
    assert {"opens closed", "closed & HABIT", "closed & SELF"} <= set(shape(clause("where do I keep the key")))
    assert "gerund asks" in shape(clause("drinking more?"))
    assert "gerund asks" not in shape(clause("evening plans?"))
    assert {"years 2", "SERIES with TILLNOW"} <= set(shape(clause("times 2019 vs 2024 side by side")))


def test_stems_know_a_word_again() -> None:
    """Short words are left out, the others cut."""
    assert stems(["headaches", "the", "headache,"]) == {"heada"}
