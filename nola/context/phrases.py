"""What the words of an input stand for: weighted stems, everyday synonyms and idioms."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from nola.text import content_words, stem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.settings import RelevanceSettings

__all__ = ["QueryTerms", "meant_words", "near_words", "plainly", "query_terms"]


_DOES_DO = re.compile(
    r"\bwhat (?:does|do|did) ((?:[\w']+ ){0,4}?[\w']+) do(?: for (?:a living|work))?(?=\W*$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A question's stems with their weights: 1 for its own words, less for synonyms and generic words."""

    own: Mapping[str, float]
    expanded: Mapping[str, float]


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    raw = json.loads(resources.files("nola.context").joinpath("synonyms.json").read_text(encoding="utf-8"))
    near: dict[str, set[str]] = {}
    for group in raw["synonyms"]:
        stemmed = [stem(w) for w in group]
        for word in stemmed:
            near.setdefault(word, set()).update(w for w in stemmed if w != word)
    return {k: tuple(sorted(v)) for k, v in near.items()}, frozenset(stem(w) for w in raw["generic"])


@lru_cache(maxsize=1)
def _idioms() -> tuple[tuple[re.Pattern[str], str], ...]:
    raw = json.loads(resources.files("nola.context").joinpath("idioms.json").read_text(encoding="utf-8"))
    return tuple((re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), words_) for pattern, words_ in raw["idioms"])


def meant_words(text: str) -> str:
    """Return the plain words that the everyday phrases of a text stand for: `for a living` means `job`."""
    return " ".join(words_ for pattern, words_ in _idioms() if pattern.search(text))


def plainly(text: str) -> str:
    """Put the first plain word in the place of each everyday phrase: `what does Ana do for work` asks for a `job`."""
    text = _DOES_DO.sub(r"what job \1 has", text)
    for pattern, words_ in _idioms():
        text = pattern.sub(words_.split()[0], text)
    return text


def near_words(root: str) -> tuple[str, ...]:
    """Return the stems that the table of everyday synonyms holds beside a stem."""
    return _tables()[0].get(root, ())


def query_terms(text: str, settings: RelevanceSettings) -> QueryTerms:
    """Turn an input into weighted stems.

    Args:
        text: What the owner typed.
        settings: Weights of synonyms and generic words.
    """
    near, generic = _tables()
    own: dict[str, float] = {}
    for word in content_words(text):
        root = stem(word)
        own[root] = settings.generic_weight if root in generic else 1.0
    expanded = dict(own)
    for word in meant_words(text).split():
        expanded[stem(word)] = max(expanded.get(stem(word), 0.0), settings.synonym_weight)
    for root, weight in own.items():
        for other in near.get(root, ()):
            expanded[other] = max(expanded.get(other, 0.0), weight * settings.synonym_weight)
    return QueryTerms(own, expanded)
