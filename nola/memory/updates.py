"""Which of two statements is the current one: the newer of two about the same thing stands before the older."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nola.memory.attributes import read_statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from nola.memory.attributes import Statement

__all__ = [
    "LOOKED_AT",
    "Linear",
    "Said",
    "asks_for_the_past",
    "chances",
    "features",
    "is_of_another",
    "newer_first",
    "read",
]

LOOKED_AT = 12
"""How many of the best statements are looked at."""
_PAST = re.compile(
    r"\b(?:used? to|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|earlier|first|initially|back (?:in|then)|ago"
    r"|last (?:year|month|week|summer|winter|spring|autumn|fall)|in (?:19|20)\d\d|(?:my|our|his|her|the) old"
    r"|history|at the time|did|was|were|had)\b",
    re.IGNORECASE,
)
_LONG = 90
"""Characters from which on a statement says more than one thing."""
_LIKELY, _FAIRLY_SURE, _RATHER_SURE = 0.2, 0.3, 0.7
"""The chance from which on a statement counts as replaced: among short ones, and among long ones, where there is more
to lose: less of it when somebody asks about herself."""


_FAR, _FARTHEST = 0.2, 0.1
"""Cosines below which two statements are about different things: short ones, and those of which one is long."""
_BESIDE = 0.35
"""The least relevance, beside the best one's, of what may replace another."""
_SOME, _SEVERAL = 0.2, 0.3
"""The share of words from which on two statements are of like words."""


class Said(NamedTuple):
    """One statement that a question found.

    Attributes:
        text: What was said.
        speaker: Who said it; empty where that is unknown.
        at_s: When, in seconds since 1970.
        relevance: How well it answers, the best 1.
        cosine: Of its vector and the question's; 0 without vectors.
    """

    text: str
    speaker: str
    at_s: float
    relevance: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Linear:
    """A logistic model over named features: `1 / (1 + exp(-(bias + sum(weight x feature))))`.

    Attributes:
        weights: By the feature's name.
        bias: The constant.
    """

    weights: Mapping[str, float]
    bias: float


def asks_for_the_past(question: str) -> bool:
    """Tell whether a question is about how something was, so that the newest value is not what it wants."""
    return _PAST.search(question) is not None


def newer_first(question: str, said: Sequence[Said], cosines: NDArray[np.float32] | None = None) -> list[int]:
    """Order what a question found so that an outdated statement comes after the one that replaces it (P11, E-25).

    Only among the best twelve, and only where the same speaker later, with some likelihood, said the same thing with
    another value, the newer statement is put right before the older; everything else keeps its order. Nothing moves
    when the past is asked for.

    Args:
        question: The question as it was asked.
        said: What was found, best first.
        cosines: float [n, n], between the first twelve at least; None without vectors: words alone decide.

    Returns:
        Places in the new order.
    """
    order = list(range(len(said)))
    top = said[:LOOKED_AT]
    may = _may_replace(top)
    long = np.array([len(one.text) > _LONG for one in top], dtype=np.bool_)
    is_long = long[:, None] | long[None, :]
    if cosines is not None:
        may &= cosines[: len(top), : len(top)] >= np.where(is_long, _FARTHEST, _FAR)
    if not may.any() or asks_for_the_past(question):
        return order
    sure = _FAIRLY_SURE if read_statement(question).own else _RATHER_SURE
    least = np.where(is_long, sure, _LIKELY)
    table = features(question, top, cosines, may)
    if cosines is None:  # then only words can tell that the two have to do with each other
        may &= (table["shared"] + table["attribute"]) > 0
    replaced = may & ~is_of_another(table) & (chances(table, vectors=cosines is not None) > least)
    place = 0
    while place < len(top):
        old = order[place]
        newer = [new for new in order[place + 1 : LOOKED_AT] if replaced[old, new]]
        newer.sort(key=lambda row: -said[row].at_s)
        order = [*order[:place], *newer, old, *(row for row in order[place + 1 :] if row not in newer)]
        place += len(newer) + 1
    return order


def chances(table: Mapping[str, NDArray[np.float64]], *, vectors: bool) -> NDArray[np.float64]:
    """Return how likely it is that a statement is replaced by another: float64 [n, n], by [older, newer].

    Args:
        table: What `features` returned.
        vectors: Whether it was made with cosines.
    """
    model = read(vectors=vectors)
    total = sum((weight * table[name] for name, weight in model.weights.items()), start=np.float64(model.bias))
    odds: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(total, -30, 30)))
    return odds


def is_of_another(table: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Tell whether the newer statement speaks, in like words, of somebody or something else: bool [n, n].

    Args:
        table: What `features` returned.
    """
    missed = (table["number_missed"] + table["name_missed"] + table["other_person"] + table["other_attribute"]) > 0
    thing = (table["other_thing"] > 0) & (table["shared"] >= _SOME)
    speaker = (table["not_speaker"] > 0) & (table["shared"] >= _SEVERAL)
    found: NDArray[np.bool_] = missed | thing | speaker
    return found


@lru_cache(maxsize=2)
def read(*, vectors: bool) -> Linear:
    """Return the shipped model, made by `scripts/train_updates.py`; one for cosines, one for words alone."""
    raw = json.loads(resources.files("nola.memory").joinpath("updates.json").read_text(encoding="utf-8"))
    chosen = raw["vectors" if vectors else "words"]
    return Linear(chosen["weights"], chosen["bias"])


def features(
    question: str,
    said: Sequence[Said],
    cosines: NDArray[np.float32] | None,
    pairs: NDArray[np.bool_] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Return what speaks for and against a statement being replaced by another: name -> float64 [n, n].

    Args:
        question: The question as it was asked.
        said: What was found, best first.
        cosines: float [n, n], of each two of them; None without vectors.
        pairs: bool [n, n], which are of interest, the others may be left 0; None for all.
    """
    asked, read_ = read_statement(question), [read_statement(one.text) for one in said]
    count = len(said)
    old, new = (slice(None), None), (None, slice(None))
    one = np.ones((count, count))
    table = {**_of_words(asked, read_), **_of_subjects(asked, read_, pairs)}
    changes = np.array([s.changes for s in read_], dtype=np.float64)
    relevance = np.array([s.relevance for s in said]) / max((s.relevance for s in said), default=1.0)
    table |= {"change_old": changes[old] * one, "change_new": changes[new] * one, "relevance_new": relevance[new] * one}
    table["relevance_ratio"] = np.minimum(2.0, relevance[new] / np.maximum(relevance[old], 0.05))
    if cosines is not None:
        with_question = np.array([s.cosine for s in said], dtype=np.float64)
        between = np.asarray(cosines, dtype=np.float64)[:count, :count]
        table |= {
            "cosine": between,
            "cosine_of_change": between * changes[new],
            "cosine_question_old": with_question[old] * one,
            "cosine_question_new": with_question[new] * one,
        }
    return table


def _of_words(asked: Statement, read_: Sequence[Statement]) -> dict[str, NDArray[np.float64]]:
    """Compare which words of meaning the question, the older and the newer statement share."""
    number = {word: at for at, word in enumerate(dict.fromkeys(chain(asked.words, *(s.words for s in read_))))}
    there = np.zeros((len(read_), max(1, len(number))))
    for row, statement in enumerate(read_):
        there[row, [number[word] for word in statement.words]] = 1.0
    wanted = np.zeros(there.shape[1])
    wanted[[number[word] for word in asked.words]] = 1.0
    attribute = np.zeros(there.shape[1])
    attribute[[number[word] for word in asked.attribute_words]] = 1.0
    rarity = np.log1p(len(read_) / np.maximum(there.sum(axis=0), 1.0))
    size = np.maximum(there.sum(axis=1), 1.0)
    asks = max(1.0, float(wanted.sum()))
    shared = there @ there.T
    hit = there * wanted
    missed = hit[:, None, :] * (
        1 - there[None, :, :]
    )  # [older, newer, word]: asked for, in the older, not in the newer
    kept = hit[:, None, :] * there[None, :, :]
    miss, keep = missed.sum(axis=2), kept.sum(axis=2)
    one = np.ones_like(shared)
    fewer = np.minimum(size[:, None], size[None, :])
    union = size[:, None] + size[None, :] - shared
    rare_miss, rare_keep = (missed * rarity).max(axis=2), (kept * rarity).max(axis=2)
    new_alone = (1 - np.minimum(1.0, there[:, None, :] + wanted)) * there[None, :, :]
    return {
        "shared": shared / fewer,
        "alike": shared / np.maximum(union, 1.0),
        "asked_old": hit.sum(axis=1)[:, None] / asks * one,
        "asked_new": hit.sum(axis=1)[None, :] / asks * one,
        "asked_both": keep / asks,
        "missed": miss / asks,
        "missed_subject": (missed * (1 - attribute)).sum(axis=2) / asks,
        "missed_rare": (missed * rarity).sum(axis=2) / max(1e-9, float((wanted * rarity).sum())),
        "missed_in_part": ((miss > 0) & (keep > 0)).astype(np.float64),
        "missed_rarer": np.clip(rare_miss - rare_keep, -2, 2) * ((miss > 0) & (keep > 0)),
        "missed_same_form": (miss > 0) * shared / np.maximum(union, 1.0),
        "missed_alike": miss / asks * shared / fewer,
        "new_words": new_alone.sum(axis=2) / size[None, :],
    }


def _of_subjects(
    asked: Statement, read_: Sequence[Statement], wanted: NDArray[np.bool_] | None
) -> dict[str, NDArray[np.float64]]:
    """Compare whom and what the older and the newer statement speak of."""
    count = len(read_)
    where = np.nonzero(np.ones((count, count), dtype=np.bool_) if wanted is None else wanted)
    pairs = [(read_[old], read_[new]) for old, new in zip(*(places.tolist() for places in where), strict=True)]

    def told(test: Sequence[bool]) -> NDArray[np.float64]:
        table = np.zeros((count, count))
        table[where] = test
        return table

    return {
        "number_missed": told([bool((asked.numbers & old.numbers) - new.numbers) for old, new in pairs]),
        "name_missed": told([bool((asked.names & old.said) - new.said) for old, new in pairs]),
        "other_relative": told([bool(new.relations - old.relations - asked.relations) for old, new in pairs]),
        "other_name": told([bool(new.names - old.names - asked.names) for old, new in pairs]),
        "own_no_more": told([old.own and not new.own for old, new in pairs]),
        "attribute_missed": told([bool((old.attributes & asked.attributes) - new.attributes) for old, new in pairs]),
        "other_attribute": told([_is_other_attribute(asked, old, new) for old, new in pairs]),
        "attribute": told([bool(old.attributes & asked.attributes & new.attributes) for old, new in pairs]),
        "other_person": told([_is_other_person(asked, old, new) for old, new in pairs]),
        "other_thing": told([_is_other_thing(asked, old, new) for old, new in pairs]),
        "not_speaker": told([old.own and not new.own and _is_unnamed(asked, old, new) for old, new in pairs]),
        "same_subject": told([old.subject == new.subject for old, new in pairs]),
        "now": told([new.now for _, new in pairs]),
    }


def _is_other_attribute(asked: Statement, old: Statement, new: Statement) -> bool:
    """Tell whether the older statement touches what is asked for, and the newer one something else instead."""
    return bool(old.attributes & asked.attributes and new.attributes) and not new.attributes & asked.attributes


def _is_other_person(asked: Statement, old: Statement, new: Statement) -> bool:
    """Tell whether the newer statement speaks of somebody whom nothing joins to the speaker or the question."""
    return new.is_other and not new.own and not asked.is_who and new.subject not in asked.words | old.words


def _is_other_thing(asked: Statement, old: Statement, new: Statement) -> bool:
    """Tell whether the older statement speaks of what is asked for, and the newer one of something else."""
    return old.subject in asked.words and old.subject not in new.words and _is_unnamed(asked, old, new)


def _is_unnamed(asked: Statement, old: Statement, new: Statement) -> bool:
    """Tell whether the newer statement speaks of what neither the question nor the older one names."""
    return new.subject not in {"", "i"} and new.subject not in asked.words | old.words


def _may_replace(said: Sequence[Said]) -> NDArray[np.bool_]:
    """Return what the same speaker said later, not as a question and below: bool [n, n], by [older, newer]."""
    count = len(said)
    at_s = np.array([one.at_s for one in said])
    by = {speaker: number for number, speaker in enumerate(dict.fromkeys(one.speaker for one in said))}
    speaker = np.array([by[one.speaker] for one in said])
    states = np.array([bool(one.text) and not one.text.rstrip().endswith("?") for one in said], dtype=np.bool_)
    near = np.array([one.relevance for one in said]) >= _BESIDE * max((one.relevance for one in said), default=0.0)
    below: NDArray[np.bool_] = np.triu(np.ones((count, count), dtype=np.bool_), 1)
    later: NDArray[np.bool_] = (
        below & (at_s[None, :] > at_s[:, None]) & (speaker[None, :] == speaker[:, None]) & (states & near)[None, :]
    )
    return later
