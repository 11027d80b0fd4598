"""Words as search sees them: split, folded, stemmed, without stop words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from threading import Lock
from typing import Any

__all__ = ["STOP_WORDS", "content_words", "fold", "humanise", "stem", "words"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])")
_stemming = Lock()  # the stemmer keeps the word that it works on in itself

STOP_WORDS = frozenset(
    """a about again all also am an and any are as at be been being both but by can could did do does doing done don
    down each else ever every few for from get gets getting give go goes going gone got had has have having he her here
    hers him his how i if in into is it its itself just know let like ll m may me might mine more most much must my
    myself need no nor not now of off ok on once one only or other our ours out over own please re really remember
    remind s said same say shall she should so some still such t tell than that the their theirs them then there these
    they thing things this those to too under until up us use used ve very want was we well were what when where which
    while who whom whose why will with would you your yours""".split()
)


def fold(text: str) -> str:
    """Lower-case a text, strip accents and make quotes plain."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def humanise(key: str) -> str:
    """Turn a key such as `favouriteColor` or `date_of_birth` into words."""
    spaced = _CAMEL.sub(" ", key)
    words_ = re.sub(r"[\s_\-.]+", " ", spaced).strip().split(" ")
    return " ".join(w if w.isupper() and len(w) > 1 else w.lower() for w in words_)


def words(text: str) -> list[str]:
    """Split a text into folded words; a possessive `'s` is dropped."""
    return [w.removesuffix("'s").removesuffix("'") for w in _WORD.findall(fold(text))]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the Porter stem of one folded word."""
    with _stemming:
        return str(_stemmer().stemWord(word))


def content_words(text: str) -> list[str]:
    """Split a text into folded words without stop words, in order."""
    return [w for w in words(text) if w not in STOP_WORDS]


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer  # noqa: PLC0415 -- keeps start-up fast

    return snowballstemmer.stemmer("porter")
