"""Texts as stems: dates and speakers count as words, and ASCII goes the short way with the same result."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from nola.memory.tokens import document_tokens, tokens
from nola.text import words


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_gives_the_same_words(text: str) -> None:
    """Plain ASCII is split as `nola.text.words` splits it."""
    assert tokens(text) == words(text)


def test_other_scripts_are_folded() -> None:
    """Accents go, and a typographic apostrophe is a plain one."""
    assert tokens("Zoë’s CAFÉ") == ["zoe", "cafe"]


def test_a_document_holds_its_date_and_speaker() -> None:
    """What was said is found by its stems, by who said it, and by day, month and year; stop words stay."""
    at = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert document_tokens("I was running", "Caroline", at) == ["i", "wa", "run", "carolin", "8", "mai", "2023"]


def test_a_document_without_date_and_speaker_is_its_words() -> None:
    """Nothing is made up."""
    assert document_tokens("Two cats") == ["two", "cat"]
