"""Relevance of facts to an input: BM25 over path and text, and vectors, fused by normalised score (retrieval.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nola.text import stem, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nola.context.facts import Fact
    from nola.context.phrases import QueryTerms
    from nola.settings import RelevanceSettings

__all__ = ["Relevance", "RelevanceIndex"]


_FEWEST = 50
"""Facts that the words of a memory are at least measured against: beside three facts no word would be rare."""


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
        self._mean = max(float(lengths.mean()) if self.size else 1.0, 1e-9)
        k1, b = settings.bm25_k1, settings.bm25_b
        norm = k1 * (1 - b + b * lengths / self._mean)
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
        others: Sequence[Fact] = (),
    ) -> Relevance:
        """Score every fact, and after them some that the index does not hold, on the same scale.

        Args:
            terms: The input's stems and weights.
            vectors: One or more forms of the facts, each float32 [n, d] of unit rows, zero rows where a fact has none
                yet; None without an embedder. A fact counts by its closest form.
            question: float32 [d], the input's unit vector.
            others: Recalled memories, each with its own cosine.
        """
        s = self._settings
        lexical = np.zeros(self.size + len(others))
        for term, weight in terms.expanded.items():
            if (found := self._postings.get(term)) is not None:
                lexical[found[0]] += weight * found[1]
        lexical[self.size :] = self._lexical_of(others, terms)
        words_part = lexical / max(float(lexical.max(initial=0.0)), s.bm25_floor)
        if vectors is None or question is None:
            return Relevance(words_part, lexical, None)
        # einsum, not a matrix product: the threads of BLAS cost more than they bring, and wait for busy cores.
        own = np.max([np.einsum("ij,j->i", form, question) for form in vectors], axis=0).astype(np.float64)
        cosine = np.concatenate([own, [fact.memory.cosine if fact.memory else 0.0 for fact in others]])
        best = max(float(cosine.max(initial=0.0)), s.cosine_floor)
        meaning = np.clip((cosine + s.cosine_offset) / (best + s.cosine_offset), 0.0, 1.0)
        fresh = np.zeros(len(cosine), dtype=np.bool_)  # memories whose vector is still being made: words alone count
        fresh[self.size :] = cosine[self.size :] == 0
        meaning = np.where(fresh, words_part, meaning)
        fused = s.lexical_share * words_part + (1 - s.lexical_share) * meaning
        return Relevance(fused, lexical, cosine)

    def _lexical_of(self, facts: Sequence[Fact], terms: QueryTerms) -> list[float]:
        """Score facts that the index does not hold by BM25, each as if it were added; their own mean length counts."""
        k1, b = self._settings.bm25_k1, self._settings.bm25_b
        told = [[stem(w) for w in words(f"{fact.topic} {fact.value}")] for fact in facts]
        mean = max(sum(map(len, told)) / max(len(told), 1), self._mean)
        size = 1 + max(self.size, _FEWEST)
        idf = {}
        for term in terms.expanded:
            there = 1 + (len(self._postings[term][0]) if term in self._postings else 0)
            idf[term] = math.log(1 + (size - there + 0.5) / (there + 0.5))
        scores = []
        for roots in told:
            norm = k1 * (1 - b + b * len(roots) / mean)
            counts = {term: roots.count(term) for term in terms.expanded}
            scores.append(
                sum(terms.expanded[t] * idf[t] * tf * (k1 + 1) / (tf + norm) for t, tf in counts.items() if tf)
            )
        return scores
