"""Which of two statements is the current one: the newer of two about the same thing stands before the older."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nola.memory.attributes import read_statement, sentences
from nola.memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nola.memory.attributes import Statement

__all__ = ["asks_for_the_past", "newer_first", "same_thing"]

_PAST = re.compile(
    r"\b(?:used? to|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|earlier|first|initially|back (?:in|then)|ago"
    r"|last (?:year|month|week|summer|winter|spring|autumn|fall)|in (?:19|20)\d\d|(?:my|our|his|her|the) old"
    r"|history|at the time)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(r"\b(?:did|was|were|had)\b", re.IGNORECASE)
_LOOKED_AT = 12
_ALIKE = 0.65
_NEAR = 0.45
_HALF = 0.5
_MOST_OTHER = 4
_MOST_OTHER_EVENT = 3
_MOST_OTHER_SENTENCE = 2
"""Most words of a statement that neither the other one nor an attribute explains: the value and little else."""


def asks_for_the_past(question: str) -> bool:
    """Tell whether a question is about how something was, so that the newest value is not what it wants."""
    return _PAST.search(question) is not None


def newer_first(
    question: str,
    texts: Sequence[str],
    speakers: Sequence[str],
    at_s: Sequence[float],
    cosine_between: Callable[[int, int], float] | None = None,
) -> list[int]:
    """Order what a question found so that an outdated statement comes after the one that replaces it (P11, E-25).

    Only among the best twelve, and only where the same speaker later said the same thing with another value, the newer
    statement is put right before the older; everything else keeps its order. Nothing moves when the past is asked for.

    Args:
        question: The question as it was asked.
        texts: What was found, best first.
        speakers: Who said each; empty where it is unknown.
        at_s: When, in seconds since 1970.
        cosine_between: Cosine of two of the texts, by their places; without it words alone decide.

    Returns:
        Places in the new order.
    """
    order = list(range(len(texts)))
    if asks_for_the_past(question):
        return order
    asked = read_statement(question)
    most = _MOST_OTHER_EVENT if _EVENT.search(question) else _MOST_OTHER

    def outdated_by(old: int, new: int) -> bool:
        if at_s[new] <= at_s[old] or speakers[new] != speakers[old]:
            return False
        before, after, speaker = read_statement(texts[old]), read_statement(texts[new]), speakers[old]
        if _little_else(before, after, most):
            cosine = cosine_between(old, new) if cosine_between else 0.0
            if same_thing(asked, before, after, cosine, speaker):
                return True
        return _said_in_passing(asked, texts[old], texts[new], speaker)

    place = 0
    while place < min(_LOOKED_AT, len(order)):
        old = order[place]
        newer = [new for new in order[place + 1 : _LOOKED_AT] if outdated_by(old, new)]
        newer.sort(key=lambda row: -at_s[row])
        order = [*order[:place], *newer, old, *(row for row in order[place + 1 :] if row not in newer)]
        place += len(newer) + 1
    return order


def _said_in_passing(asked: Statement, old: str, new: str, speaker: str) -> bool:
    """Tell whether one short sentence of a longer text says that what a sentence of another tells has changed."""
    return bool(asked.attributes) and any(
        is_.changes
        and was.attributes & is_.attributes & asked.attributes
        and _little_else(was, is_, _MOST_OTHER_SENTENCE)
        and _same_subject(asked, was, is_, speaker)
        for is_ in sentences(new)
        for was in sentences(old)
    )


def same_thing(asked: Statement, old: Statement, new: Statement, cosine: float, speaker: str = "") -> bool:
    """Tell whether two statements are about the same attribute of the same one, which the question asks for."""
    if not _same_subject(asked, old, new, speaker):
        return False
    attributes = old.attributes & new.attributes
    if attributes & asked.attributes:
        return True
    if not asked.words and asked.relations & old.relations & new.relations and (new.changes or cosine >= _NEAR):
        return True
    shared = old.words & new.words
    if shared & asked.words:
        part = len(shared) / min(len(old.words), len(new.words))
        if new.changes or part >= _HALF or cosine >= _NEAR:
            return True
    return cosine >= _ALIKE or (cosine >= _NEAR and (new.changes or bool(attributes)))


def _little_else(old: Statement, new: Statement, most: int) -> bool:
    shared = old.words & new.words
    return all(len(part.words - shared - part.attribute_words) <= most for part in (old, new))


def _same_subject(asked: Statement, old: Statement, new: Statement, speaker: str) -> bool:
    """Tell whether nothing shows that the two speak of different people."""
    before, after = old.relations | old.names, new.relations | new.names
    wanted = (asked.relations | asked.names) - asked.places - frozenset(tokens(speaker))
    if wanted & (before | after):
        return bool(wanted & before & after)
    if old.own != new.own and (old.relations or new.relations):
        return False
    return asked.who or not (old.relations and new.relations) or bool(old.relations & new.relations)
