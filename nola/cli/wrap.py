"""Fills lines of text that arrives in pieces, so that a terminal breaks between words and not inside them."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["Filler"]

_PIECES = re.compile(r"\n|[^\S\n]+|\S+")


class Filler:
    """Breaks lines at the screen's edge. A word is held back until it is whole.

    Args:
        width: The screen's width in columns.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._column = 0
        self._gap = ""
        self._word = ""

    def feed(self, text: str) -> str:
        """Take a piece of text; return what can be printed now."""
        out: list[str] = []
        for piece in _PIECES.findall(text):
            if not piece.isspace():
                self._word += piece
                continue
            out.append(self._placed())
            if piece == "\n":
                out.append("\n")
                self._column, self._gap = 0, ""
            else:
                self._gap += piece
        return "".join(out)

    def end(self) -> str:
        """Return what was held back, and begin anew."""
        rest = self._placed()
        self._column, self._gap = 0, ""
        return rest

    def _placed(self) -> str:
        word, gap = self._word, self._gap
        if not word:
            return ""
        taken = _columns(word)
        if self._column and self._column + len(gap) + taken > self._width:
            self._column, gap, lead = 0, "", "\n"
        else:
            lead = ""
        self._column += len(gap) + taken
        self._word = self._gap = ""
        return f"{lead}{gap}{word}"


def _columns(word: str) -> int:
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in word)
    return len(word) + wide - sum(bool(unicodedata.combining(sign)) for sign in word)
