"""Whether two statements that are much alike contradict each other: the same of the same, with another value (B28)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from nola.memory.learn_words import NUMBERS
from nola.text import STOP_WORDS, fold, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Conflict", "conflicting_values"]

_LONGEST = 400
_MOST_WORDS = 5
_PIECE = re.compile(r"[^\W_]+(?:['’.,:/@-][^\W_]+)*%?")
_FORMER = re.compile(
    r"\b(?:used to|no longer|formerly|previously|former|any ?more|back then|at that time|until|once)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*(?:%|st|nd|rd|th)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FILLERS = STOP_WORDS | frozenset("currently actually already total overall altogether recently nowadays today".split())
_NEGATIONS = frozenset(
    """not never don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't can't cannot won't""".split()
)
_ONCE = re.compile(r"\b(?:born|founded|built|died|established|opened|created|married|published|released)\b")
_SAYS = frozenset(
    """am is are was were be been has have had won got sold bought ran cost made took paid held kept grew rose fell
    costs takes lasts""".split()
)
_SINGLE = re.compile(
    r"(?:\b(?:favou?rite(?: [\w-]+){1,2}|name|birthday|address|email|number|capital|colou?r|age|job|title|password"
    r"|price|cost|deadline|status|version|owner|leader|president|ceo|captain|winner|boss|manager|doctor|dentist|author|host"
    r"|headquarters|nationality|language|date|time|size|weight|height|gender|religion|diet)(?: of .{1,40})?"
    r" (?:is|are|was|were)(?: (?:on|at|in|called|named))?"
    r"|\b(?:live|lives|living|reside|resides|based|located|born|work|works|working|employed|married|engaged|named"
    r"|called|scheduled|due|starts?|ends?|begins?|opens?|closes?|takes place|takes? place|drives?|costs?|weighs?|owned"
    r"|founded|written|invented|discovered|directed|won)(?: (?:in|at|on|to|for|as|by|with|from|until))?)$"
)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two values that can't both be right.

    Attributes:
        attribute: What both statements say it of, in the words of the first.
        value_a: The value in the first.
        value_b: The value in the second.
    """

    attribute: str
    value_a: str
    value_b: str


def conflicting_values(a: str, b: str) -> Conflict | None:
    """Find the value in which two statements differ while subject and attribute are the same (E-25).

    The words are aligned. A contradiction is one place where the two differ, apart from words without meaning: two
    numbers, or two values of something that has only one, or a `not` on one side. In doubt there is none.

    Returns:
        What is said in two ways; None when it is not the same thing, or one statement speaks of the past.
    """
    a, b = a[:_LONGEST], b[:_LONGEST]
    if _FORMER.search(a) or _FORMER.search(b) or "?" in a + b:
        return None
    mine, theirs = _PIECE.findall(a), _PIECE.findall(b)
    matcher = SequenceMatcher(None, [_form(w) for w in mine], [_form(w) for w in theirs], autojunk=False)
    places = [(_bare(mine, i, j), _bare(theirs, k, m)) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]
    told = [(span, other) for span, other in places if span != _NOTHING or other != _NOTHING]
    if len(told) != 1:
        return None
    (start, end), (begin, stop) = told[0]
    before, value, other = mine[:start], mine[start:end], theirs[begin:stop]
    if not value or not other:
        return _denied(mine, value, other)
    if len(value) > _MOST_WORDS or len(other) > _MOST_WORDS or not _differ(before, value, other):
        return None
    return Conflict(" ".join([*before, *mine[end:]]), " ".join(value), " ".join(other))


_NOTHING = (0, 0)


def _form(word: str) -> str:
    return stem(fold(word))


def _bare(words: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Return a span without the words that mean nothing at its ends; (0, 0) when nothing is left."""
    while start < end and _empty(words[start]):
        start += 1
    while end > start and _empty(words[end - 1]):
        end -= 1
    return (start, end) if start < end else _NOTHING


def _empty(word: str) -> bool:
    plain = fold(word)
    return plain in _FILLERS and plain not in _NEGATIONS


def _denied(mine: Sequence[str], value: Sequence[str], other: Sequence[str]) -> Conflict | None:
    """Tell whether the only difference is that one side says no."""
    words = {fold(word) for word in (*value, *other)}
    if not words <= _NEGATIONS:
        return None
    attribute = " ".join(word for word in mine if fold(word) not in _NEGATIONS)
    return Conflict(attribute, "no", "yes") if value else Conflict(attribute, "yes", "no")


def _differ(before: Sequence[str], value: Sequence[str], other: Sequence[str]) -> bool:
    folded = [fold(word) for word in before]
    said = " ".join(folded)
    left, right = _amount(value), _amount(other)
    if left is None or right is None:
        return _SINGLE.search(said) is not None
    if left == right or not _says(folded):
        return False
    when = folded[-1] in {"in", "on", "since", "by", "of", "at"} if folded else False
    return not (when and _YEAR.fullmatch(left) and _YEAR.fullmatch(right)) or _ONCE.search(said) is not None


def _says(before: Sequence[str]) -> bool:
    """Tell whether a verb stands before the value: a number inside of the subject is part of its name."""
    if not before:
        return False
    own = before[0] in {"i", "we", "you", "they"} and len(before) > 1
    return own or any(word in _SAYS or word.endswith(("s", "ed", "'s")) for word in before[1:])


def _amount(value: Sequence[str]) -> str | None:
    """Return a value that is one number, written in one way; None when it is something else."""
    first = fold(value[0])
    if len(value) > 1:
        return None
    if first in NUMBERS and first not in {"a", "an", "un", "une", "una", "ein"}:
        return str(NUMBERS[first])
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", first) if _NUMBER.fullmatch(first) else None
