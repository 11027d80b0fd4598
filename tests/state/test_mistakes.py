"""Tests of what is said about text that does not parse; every kind of it is a row of the corpus in test_document.py."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.state.mistakes import Mistake, mistake, place, too_deep


@pytest.mark.parametrize(
    ("text", "at", "found"),
    [
        ("", 0, (0, "the file is empty")),
        ("{a", 1, (1, 'the key a has to stand in double quotes: "a"')),
        ('["{[", 1', 8, (8, 'the file ends here, but "[" of line 1, column 1 is still open')),
        ('{"a": {"b": "]"}, "c": 1]', 24, (24, '"]" does not close the "{" of line 1, column 1')),
        ('{"a": tru', 9, (9, 'the file ends here, but "{" of line 1, column 1 is still open')),
        ("[10, 0x1f]", 6, (5, "0x1f is not how JSON writes a number")),
        (f"[{'x' * 50}]", 1, (1, f'the text {"x" * 40}… has to stand in double quotes: "{"x" * 40}…"')),
    ],
)
def test_a_mistake_is_found_where_the_parser_gave_up(text: str, at: int, found: tuple[int, str]) -> None:
    """The place may move to where the wrong word begins; braces in texts do not count."""
    assert mistake(text, at, "", 64) == found


def test_what_is_too_deep_is_told_first() -> None:
    """The first brace beyond the limit is named, sound text or not."""
    assert too_deep("[[1], [[2]]]", 2) == Mistake(7, "nested deeper than 2 levels")
    assert too_deep('["[[[[", [2]]', 2) is None
    assert mistake("[[[[x", 4, "", 3) == Mistake(3, "nested deeper than 3 levels")


def test_places_count_from_one() -> None:
    """The line break ends its line."""
    assert [place("ab\ncd", at) for at in range(5)] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]


@settings(max_examples=500, deadline=None)
@given(st.text('{}[]":,1e-.\\u d8\nax/#<=', max_size=40), st.integers(0, 40))
def test_any_text_at_any_place_gets_a_sentence(text: str, at: int) -> None:
    """Even where the parser and this module differ about what is sound, something is said."""
    found = mistake(text, min(at, len(text)), "unexpected", 4)
    assert 0 <= found.at <= len(text)
    assert found.why
