"""The lexical index: BM25 over an inverted index in compact arrays, kept up to date document by document."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from nola.memory.posting_blobs import (
    DOCUMENTS,
    NO_POSTINGS,
    decode,
    decode_documents,
    encode,
    encode_documents,
)
from nola.memory.segments import Segments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from nola.memory.posting_blobs import TermPostings
    from nola.settings import RecallSettings

__all__ = ["LexicalHits", "Postings"]

_Number = TypeVar("_Number", bound=np.generic)

_LONGEST = 65_535
_SMALLEST = 1_024
_CACHE_BYTES = 8_000_000
_SHORT_LIST = 2_000
"""A term of so few documents is looked for however large a share of all they are."""


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """What a search by words found.

    Attributes:
        rows: int32 [k], best first; equal scores in the order of rows.
        scores: float32 [k], BM25.
    """

    rows: NDArray[np.int32]
    scores: NDArray[np.float32]
    _of_document: NDArray[np.float32]
    _document_of: NDArray[np.int32]

    def of(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the BM25 score of any rows, found or not: float32 [n]."""
        scores = np.zeros(len(rows), dtype=np.float32)
        known = np.flatnonzero(rows < len(self._document_of))
        documents = self._document_of[rows[known]]
        there = documents >= 0
        scores[known[there]] = self._of_document[documents[there]]
        return scores


class _Seen(NamedTuple):
    """The documents that a search sees: what is rare, and how long texts are, is told of them alone.

    Attributes:
        lengths: uint16 [documents], 0 for one that is not seen.
        live: How many are.
        total: The sum of their lengths.
        whole: Whether there are no others.
    """

    lengths: NDArray[np.uint16]
    live: int
    total: int
    whole: bool


class _Found(NamedTuple):
    """The postings of one term, as far as they are seen, with the lengths of the documents."""

    weight: float
    documents: NDArray[np.int32]
    counts: NDArray[np.uint8]
    lengths: NDArray[np.uint16]


class Postings:
    """An inverted index over rows. Not thread-safe: whoever shares it holds a lock.

    Inside, each text that was added is a document with a number of its own, so a row whose text changes is a new
    document and the old one is dead; blobs that were written stay true.

    Args:
        loader: Reads the saved blobs of a term, or of `DOCUMENTS`; without one everything is held in memory.
    """

    def __init__(self, loader: Callable[[str], Sequence[bytes]] | None = None) -> None:
        self._loader = loader
        self._lengths = np.zeros(_SMALLEST, dtype=np.uint16)  # 0 is a dead document
        self._row_of = np.zeros(_SMALLEST, dtype=np.int32)
        self._document_of = np.full(_SMALLEST, -1, dtype=np.int32)
        self._documents = 0
        self._saved = 0
        self._live = 0
        self._total = 0
        self._fresh = Segments()
        self._loaded: dict[str, TermPostings] = {}
        self._loaded_bytes = 0
        self._seen_by: tuple[NDArray[np.bool_], _Seen] | None = None
        if loader is not None:
            for first, rows, lengths in sorted(decode_documents(loader(DOCUMENTS)), key=lambda part: part[0]):
                self._open(first, rows, lengths)

    @classmethod
    def from_blobs(cls, blobs: Mapping[str, bytes]) -> Postings:
        """Return an index over blobs that are held in memory."""
        return cls(lambda term: [blobs[term]] if term in blobs else [])

    def __len__(self) -> int:
        return self._live

    @property
    def unsaved(self) -> int:
        """How many documents no blob holds yet, dead ones included."""
        return self._documents - self._saved

    @property
    def saved_documents(self) -> int:
        """How many documents the blobs hold."""
        return self._saved

    def has(self, row: int) -> bool:
        """Say whether a row's text is in the index."""
        return row < len(self._document_of) and int(self._document_of[row]) >= 0

    def add(self, rows: Sequence[int] | NDArray[np.int32], docs: Iterable[Sequence[str]]) -> None:
        """Add texts; a row that is there already gets the new text.

        Args:
            rows: Row numbers, from 0.
            docs: For each row, its tokens (`document_tokens`).
        """
        for row, tokens in zip(rows, docs, strict=True):
            document = self._documents
            self._seen_by = None
            self._lengths = _room(self._lengths, document, 0)
            self._row_of = _room(self._row_of, document, 0)
            self._document_of = _room(self._document_of, int(row), -1)
            self.remove(int(row))
            length = min(max(len(tokens), 1), _LONGEST)
            self._lengths[document] = length
            self._row_of[document] = row
            self._document_of[row] = document
            self._fresh.add(document, tokens)
            self._documents += 1
            self._live += 1
            self._total += length

    def remove(self, row: int) -> None:
        """Forget a row; one that is not there is none to forget."""
        if row >= len(self._document_of) or (document := int(self._document_of[row])) < 0:
            return
        self._seen_by = None
        self._total -= int(self._lengths[document])
        self._live -= 1
        self._lengths[document] = 0
        self._document_of[row] = -1

    def search(
        self,
        terms: Mapping[str, float],
        k: int,
        settings: RecallSettings,
        mask: NDArray[np.bool_] | None = None,
    ) -> LexicalHits:
        """Find the rows whose text answers a question best by its words.

        Args:
            terms: Stems with their weights.
            k: How many rows.
            settings: Constants of BM25, and which terms are too frequent to look at.
            mask: bool [rows], true where a row may be found; a row beyond its end may not, and those that may not count
                for nothing. One that can't be written to is remembered with what it gave.
        """
        scores = np.zeros(self._documents, dtype=np.float32)
        k1, b = settings.bm25_k1, settings.bm25_b
        seen = self._seen(mask)
        steepness = k1 * b / max(seen.total / max(seen.live, 1), 1e-9)
        found = self._wanted(terms, settings, seen)
        for weight, documents, counts, lengths in found:
            rarity = math.log(1 + (seen.live - len(documents) + 0.5) / (len(documents) + 0.5))
            part = lengths * np.float32(steepness)
            part += np.float32(k1 * (1 - b))
            part += counts
            np.divide(counts, part, out=part)
            part *= np.float32(weight * rarity * (k1 + 1))
            scores[documents] += part
        best = self._best(scores, [one.documents for one in found], k)
        return LexicalHits(self._row_of[best], scores[best], scores, self._document_of)

    def to_blobs(self) -> dict[str, bytes]:
        """Write the documents that no blob holds yet: for each term a blob, and under `DOCUMENTS` what they are."""
        if not self.unsaved:
            return {}
        some = slice(self._saved, self._documents)
        blobs = {term: encode(*postings) for term, postings in self._fresh.by_term()}
        blobs[DOCUMENTS] = encode_documents(self._saved, self._row_of[some], self._lengths[some])
        return blobs

    def saved(self) -> None:
        """Take note that the blobs of the last `to_blobs` are where the loader finds them; nothing was added since."""
        self._saved = self._documents
        self._fresh = Segments()
        self._loaded.clear()
        self._loaded_bytes = 0

    def _open(self, first: int, rows: NDArray[np.int32], lengths: NDArray[np.uint16]) -> None:
        end = first + len(rows)
        self._lengths = _room(self._lengths, end, 0)
        self._row_of = _room(self._row_of, end, 0)
        if len(rows):
            self._document_of = _room(self._document_of, int(rows.max()), -1)
        self._row_of[first:end] = rows
        self._lengths[first:end] = lengths
        alive = lengths > 0
        self._live += int(alive.sum())
        self._total += int(lengths.sum())
        self._documents = self._saved = max(self._documents, end)
        for document in first + np.flatnonzero(alive):
            row = int(self._row_of[document])
            self.remove(row)
            self._document_of[row] = document

    def _seen(self, mask: NDArray[np.bool_] | None) -> _Seen:
        """Return the documents that live and that a mask lets through."""
        if mask is None:
            return _Seen(self._lengths, self._live, self._total, self._live == self._documents)
        if self._seen_by is not None and self._seen_by[0] is mask:
            return self._seen_by[1]
        lengths, rows = self._lengths[: self._documents], self._row_of[: self._documents]
        if len(mask):
            lengths = lengths * mask.take(rows, mode="clip")
            lengths[rows >= len(mask)] = 0
        else:
            lengths = np.zeros_like(lengths)
        live = int(np.count_nonzero(lengths))
        seen = _Seen(lengths, live, int(lengths.sum(dtype=np.int64)), live == self._documents)
        if not mask.flags.writeable:
            self._seen_by = mask, seen
        return seen

    def _wanted(self, terms: Mapping[str, float], settings: RecallSettings, seen: _Seen) -> list[_Found]:
        """Return the postings to look at, the rarest first: not the frequent ones as long as there are others."""
        found = [
            (weight, *postings)
            for term, weight in terms.items()
            if len((postings := self._within(self._postings(term), seen))[0])
        ]
        found.sort(key=lambda one: len(one[1]))
        most = max(settings.rare_df * seen.live, _SHORT_LIST)
        kept = [one for one in found if len(one[1]) <= most] or found
        total = 0
        for n, (_, documents, _) in enumerate(kept):
            total += len(documents)
            if n and total > settings.postings_most:
                kept = kept[:n]
                break
        return [_Found(*one, seen.lengths[one[1]]) for one in kept]

    def _within(self, postings: TermPostings, seen: _Seen) -> TermPostings:
        """Return the postings of documents that are seen."""
        if seen.whole:
            return postings
        documents, counts = postings
        there = np.flatnonzero(seen.lengths.take(documents))
        return (documents, counts) if len(there) == len(documents) else (documents.take(there), counts.take(there))

    def _postings(self, term: str) -> TermPostings:
        parts = [self._load(term)] if self._loader is not None and term != DOCUMENTS else []
        parts += self._fresh.find(term)
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return NO_POSTINGS
        return np.concatenate([d for d, _ in parts]), np.concatenate([c for _, c in parts])

    def _load(self, term: str) -> TermPostings:
        known = self._loaded.pop(term, None)
        if known is None:
            known = decode(self._loader(term) if self._loader else ())
            self._loaded_bytes += known[0].nbytes + known[1].nbytes
            while self._loaded and self._loaded_bytes > _CACHE_BYTES:
                oldest = self._loaded.pop(next(iter(self._loaded)))
                self._loaded_bytes -= oldest[0].nbytes + oldest[1].nbytes
        self._loaded[term] = known
        return known

    def _best(self, scores: NDArray[np.float32], found: Sequence[NDArray[np.int32]], k: int) -> NDArray[np.int64]:
        """Return the k best documents, best first.

        The documents of the rarest terms give a bound that the k best reach at least; few others do.
        """
        if not found or k <= 0:
            return np.zeros(0, dtype=np.int64)
        bound = np.float32(0)
        for documents in found:
            if len(documents) >= k:
                values = scores[documents]
                bound = np.partition(values, len(values) - k)[len(values) - k]
                break
        best = np.flatnonzero(scores >= bound if bound > 0 else scores > 0)
        if len(best) > k:
            values = scores[best]
            least = np.partition(values, len(values) - k)[len(values) - k]
            best = best[values >= least]
        order = np.lexsort((self._row_of[best], -scores[best]))
        return best[order[:k]]


def _room(values: NDArray[_Number], place: int, fill: int) -> NDArray[_Number]:
    """Return the array, at least twice as long when it has no such place."""
    if place < len(values):
        return values
    grown = np.full(max(place + 1, 2 * len(values)), fill, dtype=values.dtype)
    grown[: len(values)] = values
    return grown
