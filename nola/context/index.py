"""Relevance of facts to an input: BM25 over path and text, and vectors, fused by normalised score (retrieval.md)."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from nola.text import content_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from nola.context.facts import Fact
    from nola.settings import RelevanceSettings

__all__ = ["QueryTerms", "Relevance", "RelevanceIndex", "meant_words", "near_words", "query_terms"]


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A question's stems with their weights: 1 for its own words, less for synonyms and generic words."""

    own: Mapping[str, float]
    expanded: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well each fact answers an input.

    Attributes:
        fused: float64 [n] in [0, 1].
        lexical: float64 [n], BM25 scores.
        cosine: float64 [n], or None without vectors.
    """

    fused: NDArray[np.float64]
    lexical: NDArray[np.float64]
    cosine: NDArray[np.float64] | None


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


class RelevanceIndex:
    """An inverted index in numpy over the facts of one state revision.

    Build it once per revision; a query costs the postings of its words and one matrix product.
    """

    def __init__(self, facts: Sequence[Fact], settings: RelevanceSettings) -> None:
        self._settings = settings
        self.size = len(facts)
        postings: dict[str, dict[int, int]] = {}
        lengths = np.zeros(self.size)
        for row, fact in enumerate(facts):
            terms = [stem(w) for w in words(f"{fact.topic} {fact.value}")]
            lengths[row] = len(terms)
            for term in terms:
                counts = postings.setdefault(term, {})
                counts[row] = counts.get(row, 0) + 1
        mean = float(lengths.mean()) if self.size else 1.0
        k1, b = settings.bm25_k1, settings.bm25_b
        norm = k1 * (1 - b + b * lengths / max(mean, 1e-9))
        self._postings: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
        for term, counts in postings.items():
            rows = np.fromiter(counts.keys(), dtype=np.int64, count=len(counts))
            tf = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))
            idf = math.log(1 + (self.size - len(counts) + 0.5) / (len(counts) + 0.5))
            self._postings[term] = (rows, idf * tf * (k1 + 1) / (tf + norm[rows]))

    def query(
        self,
        terms: QueryTerms,
        vectors: Sequence[NDArray[np.float32]] | None,
        question: NDArray[np.float32] | None,
    ) -> Relevance:
        """Score every fact.

        Args:
            terms: The input's stems and weights.
            vectors: One or more forms of the facts, each float32 [n, d] of unit rows, zero rows where a fact has none
                yet; None without an embedder. A fact counts by its closest form.
            question: float32 [d], the input's unit vector.
        """
        s = self._settings
        lexical = np.zeros(self.size)
        for term, weight in terms.expanded.items():
            if (found := self._postings.get(term)) is not None:
                lexical[found[0]] += weight * found[1]
        words_part = lexical / max(float(lexical.max(initial=0.0)), s.bm25_floor)
        if vectors is None or question is None:
            return Relevance(words_part, lexical, None)
        # einsum, not a matrix product: the threads of BLAS cost more than they bring, and wait for busy cores.
        cosine = np.max([np.einsum("ij,j->i", form, question) for form in vectors], axis=0).astype(np.float64)
        best = max(float(cosine.max(initial=0.0)), s.cosine_floor)
        meaning = np.clip((cosine + s.cosine_offset) / (best + s.cosine_offset), 0.0, 1.0)
        fused = s.lexical_share * words_part + (1 - s.lexical_share) * meaning
        return Relevance(fused, lexical, cosine)
