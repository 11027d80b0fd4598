r"""Counts tokens without a model's own tokenizer.

The text is cut into pieces, and each has its price in tokens:

- a word of n unaccented Latin letters: 1 up to 9 letters, then 1 more for every 4 begun; 1 more when it has 5 letters
  or more and a capital first, for names are rare words;
- a word with accents: 1 for every 3 letters begun (vocabularies hold few of them);
- a word in another script: 1 a letter (Chinese 0.6-1, Greek 0.9, Russian and Arabic about 0.5);
- digits: 1 each, as Qwen and Llama split them, and 1 for the space before them;
- punctuation: 1 each; emoji and other symbols: 2 each;
- a line break with the white space around it: 1; other white space: 0.

Held against Qwen2.5's own tokenizer, this counts 1.07 of the truth for 2,000 turns of dialogue, 1.06 for 780 fact
sentences, 1.01 for 360 short questions, 1.14 for 511 paragraphs of technical prose, 1.21 for Python, and 0.80-0.89 for
German, French, Spanish and Portuguese. One text in twenty comes out below 0.92 of its true count. What is left of the
error is a factor per model, which `nola.llm.calibration` learns.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from nola.types import Tokens

__all__ = ["estimate"]

_PIECE = re.compile(r"[^\W\d_]+|\s?\d|[^\w\s]|_+|\s+")
_SHORT_WORD = 9
_LETTERS_BEYOND = 4
_SHORT_NAME = 5
_LETTERS_ACCENTED = 3
_LATIN_END = "\u0250"
_SYMBOLS = "\u2070"


def estimate(text: str, *, ratio: float = 1.0) -> Tokens:
    """Estimate how many tokens a text takes, rather too many than too few.

    Args:
        text: Any text; the empty one takes 0.
        ratio: The model's calibration: its true count over this estimate.

    Returns:
        A whole number of tokens, rounded up.
    """
    if ratio <= 0:
        raise ValueError(f"a ratio is positive, not {ratio}")
    return Tokens(math.ceil(sum(map(_price, _PIECE.findall(text))) * ratio))


@lru_cache(maxsize=16_384)
def _price(piece: str) -> int:
    first = piece[0]
    if first.isalpha():
        return _word_price(piece)
    if piece[-1].isdigit():
        return len(piece)
    if first.isspace():
        return int("\n" in piece)
    return 1 if first < _SYMBOLS else 2


def _word_price(word: str) -> int:
    letters = len(word)
    if word.isascii():
        name = letters >= _SHORT_NAME and word[0].isupper()
        return 1 + name + max(0, math.ceil((letters - _SHORT_WORD) / _LETTERS_BEYOND))
    if max(word) < _LATIN_END:
        return math.ceil(letters / _LETTERS_ACCENTED)
    return letters
