"""Postings that are held in memory: a tail that grows by the document, and sorted segments that it is moved into."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from nola.memory.posting_blobs import TermPostings

__all__ = ["Segments"]

_Arrays: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]"

_TAIL = 2_048
"""Documents after which the tail becomes a segment."""
_MOST_COUNT = 255
_GROWTH = 2


@dataclass(frozen=True, slots=True)
class _Segment:
    """Postings sorted by term, then by document; those of `terms[i]` lie between `starts[i]` and `starts[i + 1]`."""

    terms: NDArray[np.int32]
    starts: NDArray[np.int64]
    documents: NDArray[np.int32]
    counts: NDArray[np.uint8]


class Segments:
    """The postings of the documents that were added since the index was opened or last saved.

    Adding costs the document's own words. Segments are merged when they have grown alike, so there are few.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._segments: list[_Segment] = []
        self._view: _Arrays | None = None
        self._start_tail()

    def __len__(self) -> int:
        return sum(len(segment.documents) for segment in self._segments) + len(self._tail_terms)

    def add(self, document: int, tokens: Sequence[str]) -> None:
        """Add a document; its number is higher than all before."""
        numbers = self._numbers
        counts: dict[int, int] = {}
        for token in tokens:
            number = numbers.get(token)
            if number is None:
                number = numbers[token] = len(numbers)
            counts[number] = counts.get(number, 0) + 1
        self._tail_terms.extend(counts)
        self._tail_documents.extend([document] * len(counts))
        try:
            self._tail_counts.extend(counts.values())
        except OverflowError:  # nothing was appended of the value that is too large, but of those before it
            del self._tail_counts[len(self._tail_terms) - len(counts) :]
            self._tail_counts.extend(min(count, _MOST_COUNT) for count in counts.values())
        self._view = None
        self._tail_size += 1
        if self._tail_size >= _TAIL:
            self._freeze()

    def find(self, term: str) -> Iterator[TermPostings]:
        """Yield the postings of a term, one part a segment."""
        number = self._numbers.get(term)
        if number is None:
            return
        for segment in self._segments:
            at = int(segment.terms.searchsorted(number))
            if at < len(segment.terms) and segment.terms[at] == number:
                begin, end = segment.starts[at : at + 2]
                yield segment.documents[begin:end], segment.counts[begin:end]
        terms, documents, counts = self._tail()
        where = np.flatnonzero(terms == number)
        if len(where):
            yield documents[where], counts[where]

    def by_term(self) -> Iterator[tuple[str, TermPostings]]:
        """Yield every term with its postings."""
        for term in self._numbers:
            parts = list(self.find(term))
            yield term, (np.concatenate([d for d, _ in parts]), np.concatenate([c for _, c in parts]))

    def _start_tail(self) -> None:
        self._tail_terms = array("i")
        self._tail_documents = array("i")
        self._tail_counts = array("B")
        self._tail_size = 0
        self._view = None

    def _tail(self) -> _Arrays:
        view = self._view
        if view is None:
            view = self._view = (
                np.array(self._tail_terms, dtype=np.int32),
                np.array(self._tail_documents, dtype=np.int32),
                np.array(self._tail_counts, dtype=np.uint8),
            )
        return view

    def _freeze(self) -> None:
        made = _sorted(*self._tail())
        self._start_tail()
        while self._segments and len(self._segments[-1].documents) < _GROWTH * len(made.documents):
            made = _merged(self._segments.pop(), made)
        self._segments.append(made)


def _sorted(terms: NDArray[np.int32], documents: NDArray[np.int32], counts: NDArray[np.uint8]) -> _Segment:
    order = np.argsort(terms, kind="stable")
    terms = terms[order]
    firsts = np.flatnonzero(np.diff(terms, prepend=-1))
    starts = np.append(firsts, len(terms)).astype(np.int64)
    return _Segment(terms[firsts], starts, documents[order], counts[order])


def _merged(one: _Segment, other: _Segment) -> _Segment:
    return _sorted(
        np.concatenate([np.repeat(s.terms, np.diff(s.starts)) for s in (one, other)]),
        np.concatenate([one.documents, other.documents]),
        np.concatenate([one.counts, other.counts]),
    )
