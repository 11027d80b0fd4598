"""Tests of the token estimate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.llm.tokens import estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("dog", 1),
        ("breakfast", 1),
        ("cinnamon tea", 2),
        ("international", 2),
        ("internationally", 3),
        ("Biscuit", 2),
        ("Mara", 1),
        ("My dog is called Biscuit.", 7),
        ("1956-10-09", 10),
        ("at 12", 4),
        ("two\n\nlines", 3),
        ("a  b", 2),
        ("café", 2),
        ("我的狗", 3),
        ("собака", 6),
        ("🐶", 2),
        ("snake_case", 3),
        ("it's", 3),
    ],
)
def test_prices(text: str, tokens: int) -> None:
    """Each kind of piece has its documented price."""
    assert estimate(text) == tokens


def test_ratio() -> None:
    """The calibration multiplies, and the result is rounded up."""
    assert estimate("My dog is called Biscuit.", ratio=1.1) == 8
    assert estimate("My dog is called Biscuit.", ratio=0.5) == 4
    with pytest.raises(ValueError, match="positive"):
        estimate("x", ratio=0)


# Counted by Qwen2.5's own tokenizer.
QWEN = [
    ("The owner's dog is called Biscuit.", 10),
    ("The owner moved to Porto on 4 March 2019 and lives at 12 Rua das Flores.", 25),
    ("The owner's doctor is Dr Amina Okafor, +44 20 7946 0958.", 29),
    ("what is the house painted in", 6),
    ("Favourite breakfast: porridge with blueberries and a pinch of cinnamon.", 15),
]


def test_never_far_below_the_real_tokenizer() -> None:
    """On short facts the total is not more than 5 % below what Qwen2.5 counts."""
    assert sum(estimate(text) for text, _ in QWEN) >= 0.95 * sum(true for _, true in QWEN)


@given(st.text())
def test_any_text(text: str) -> None:
    """Any text has an estimate, and a longer text never a smaller one."""
    assert 0 <= estimate(text) <= estimate(f"{text} word")
