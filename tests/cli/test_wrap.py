"""Tests of filling lines."""

from __future__ import annotations

import pytest

from nola.cli.wrap import Filler

TEXT = "the sea was vast and\n\n  covered with many   different species"


def filled(pieces: list[str], width: int = 12) -> str:
    """Feed the pieces; return what was printed."""
    filler = Filler(width)
    return "".join([filler.feed(piece) for piece in pieces] + [filler.end()])


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_lines_break_between_words_whatever_the_pieces(size: int) -> None:
    """Line ends and indents of the text itself stay."""
    pieces = [TEXT[start : start + size] for start in range(0, len(TEXT), size)]
    assert filled(pieces) == "the sea was\nvast and\n\n  covered\nwith many\ndifferent\nspecies"


def test_a_word_longer_than_the_screen_stays_whole() -> None:
    """The terminal folds it, and it can be copied."""
    assert filled(["see https://example.org/a/long/path now"]) == "see\nhttps://example.org/a/long/path\nnow"


def test_wide_signs_take_two_columns() -> None:
    """Combining ones take none."""
    assert filled(["日本語 日本語"], 12) == "日本語\n日本語"
    assert filled(["e\u0301e\u0301 e\u0301e\u0301"], 5) == "e\u0301e\u0301 e\u0301e\u0301"


def test_a_word_is_held_back_until_it_is_whole() -> None:
    """And not longer."""
    filler = Filler(80)
    assert [filler.feed("Bis"), filler.feed("cuit i"), filler.end()] == ["", "Biscuit", " i"]
