"""Texts as the lexical index sees them: folded words and their stems."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nola.text import stem, words

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["document_tokens", "tokens"]

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)?")
_stems: dict[str, str] = {}
_MOST_STEMS = 200_000


def tokens(text: str) -> list[str]:
    """Split a text into folded words as `nola.text.words` does; plain ASCII goes the short way."""
    if not text.isascii():
        return words(text)
    found = _WORD.findall(text.lower())
    if "'" in text:
        return [word.removesuffix("'s") for word in found]
    return found


def document_tokens(content: str, speaker: str = "", at: datetime | None = None) -> list[str]:
    """Return the stems by which a memory is found: of its date, who said it and what it says; stop words stay.

    Args:
        content: The memory's text.
        speaker: Who said it, or an empty string.
        at: When; its day, month's name and year count as words.
    """
    found = tokens(content)
    if speaker:
        found += tokens(speaker)
    if at is not None:
        found += (str(at.day), _MONTHS[at.month - 1], str(at.year))
    known = _stems
    try:
        return [known[word] for word in found]
    except KeyError:
        if len(known) > _MOST_STEMS:
            known.clear()
        for word in found:
            if word not in known:
                known[word] = stem(word)
        return [known.get(word) or stem(word) for word in found]
