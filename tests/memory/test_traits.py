"""The form of a text: how much of it asks, and whether it tells a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.memory.traits import Trait, asked_share, traits_of


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("I live in Oslo.", 0.0),
        ("Where do you live?", 1.0),
        ("I have lived in Oslo since May. You?", 5 / 36),
    ],
)
def test_how_much_asks(text: str, share: float) -> None:
    """The share of the characters that stand in questions, in fifteenths."""
    assert asked_share(traits_of(text)) == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize("text", ["we met yesterday", "back in 2019", "last Friday night", "for about two years"])
def test_a_time_is_told(text: str) -> None:
    """Days, years and lengths of time are told times."""
    assert traits_of(text) & Trait.TELLS_TIME


@pytest.mark.parametrize("text", ["may I come in", "a fort night watch", "I like tea"])
def test_no_time_is_told(text: str) -> None:
    """Words that only look so are none."""
    assert not traits_of(text) & Trait.TELLS_TIME


@given(st.text())
def test_any_text_has_traits(text: str) -> None:
    """Traits fit into a byte whatever the text."""
    assert 0 <= traits_of(text) <= 255
    assert bool(traits_of(text) & Trait.ASKS) == ("?" in text)
