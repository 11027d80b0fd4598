"""Which texts are much alike: the exact search for every text whose Jaccard similarity is above a threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nola.memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from nola.settings_memory import LinkSettings

    Ints = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.int32]
    Keys = npt.NDArray[np.uint32]

__all__ = ["SimilarIndex"]

_TAIL = 256
"""Newest texts that are compared one by one before they get their place in the inverted index."""
_MERGE = 8
"""A segment joins a newer one that is no smaller than one part in so many of it."""
_ROWS = 4_096
"""Texts that are put in order at a time, so that it takes little memory."""
_SIZE_BITS = 6
_LARGEST_SIZE = (1 << _SIZE_BITS) - 1
_LONGEST_REST = 65_535
_MIX = 0x9E3779B97F4A7C15
_ALL_BITS = (1 << 64) - 1
_NEAR = 1e-9
"""Filters leave room for rounding; the last comparison is exact."""


@dataclass(frozen=True, slots=True)
class _Segment:
    """The inverted index of the rows from `first` up to `end`, over the prefixes of their sets.

    Attributes:
        first: First row.
        end: Row after the last.
        keys: Ascending: word's number, then size of the set in the lowest bits.
        rows: Row of each entry.
        rest: Words of the set from this one on, in the order of rarity; at most 65,535.
    """

    first: int
    end: int
    keys: Keys
    rows: Numbers
    rest: npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class _Question:
    """What is searched for: the size of its set, words that its sign does not tell apart, and the sign's halves."""

    size: int
    slack: int
    left: np.uint64
    right: np.uint64


class SimilarIndex:
    """Texts as sets of words, searchable for those above a Jaccard similarity. One thread at a time.

    The words of a set are ordered from rare to common. Two sets of n and m words that are similar enough share at least
    `t (n + m) / (1 + t)` words, so the first word that they share stands early in both (Chaudhuri, Ganti and Kaushik
    2006; Xiao et al. 2008, positional filter); only those early words are in the inverted index. A sign of 128 bits for
    each set then bounds what the two can share, and what is left is counted. Nothing similar is ever missed.
    """

    def __init__(self, settings: LinkSettings) -> None:
        """Make an empty index.

        Args:
            settings: `jaccard`, above which texts are similar, and `similar_most`, how many of them are returned.
        """
        self._least = settings.jaccard
        self._most = settings.similar_most
        self._share = settings.jaccard / (1.0 + settings.jaccard)
        self._limits = np.zeros(0, dtype=np.int32)
        self._numbers: dict[str, int] = {}
        self._bits: list[int] = []
        self._row_of: dict[int, int] = {}
        self._empty()

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, key: object) -> bool:
        return key in self._row_of

    def add(self, key: int, text: str) -> None:
        """Put a text into the index; one that had this key before is replaced."""
        self._put(key, _distinct(text))

    def add_many(self, texts: Iterable[tuple[int, str]]) -> None:
        """Put many texts into the index."""
        for key, text in texts:
            self._put(key, _distinct(text))

    def remove(self, key: int) -> bool:
        """Take a text out; False when there is none of this key."""
        row = self._row_of.pop(key, None)
        if row is None:
            return False
        self._alive[row] = False
        if len(self._row_of) * 2 + _TAIL < self._count:
            self._compact()
        return True

    def similar(self, text: str) -> list[tuple[int, float]]:
        """Return the keys of the texts that are similar to this one, with the similarity.

        Returns:
            The most similar first, of equal ones the smaller key first; at most `similar_most`.
        """
        return self._search(_distinct(text))

    def join(self, key: int, text: str) -> list[tuple[int, float]]:
        """Search for a text and then put it into the index; it does not find itself or what had its key."""
        found = _distinct(text)
        self.remove(key)
        similar = self._search(found)
        self._put(key, found)
        return similar

    # --- search -------------------------------------------------------------------------------------------------------
    def _search(self, distinct: list[str]) -> list[tuple[int, float]]:
        size = len(distinct)
        numbers = self._numbers
        known = [numbers[word] for word in distinct if word in numbers]
        if not known or not self._row_of:
            return []
        known.sort(key=self._rank.__getitem__)
        rows = self._candidates(known, size)
        if not rows.size:
            return []
        shared = self._shared(rows, known)
        scores = shared / (size + self._sizes[rows] - shared)
        good = scores > self._least
        keys, scores = self._keys[rows[good]], scores[good]
        order = np.lexsort((keys, -scores))[: self._most]
        return list(zip(keys[order].tolist(), scores[order].tolist(), strict=True))

    def _candidates(self, known: list[int], size: int) -> Numbers:
        """Return the rows, each once, whose sets may be similar: of the tail, and those that share an early word."""
        sign = 0
        for word in known:
            sign |= self._bits[word]
        slack = len(known) - sign.bit_count()
        question = _Question(size, slack, np.uint64(sign & _ALL_BITS), np.uint64(sign >> 64))
        tail = slice(self._tail_start, self._count)
        found = [np.flatnonzero(self._may_fit(tail, question)) + self._tail_start]
        low, high = self._prefix(known, size)
        probes = [_probe(segment, low, high) for segment in self._segments] if low.size else []
        if probes:
            rows = np.concatenate([rows for rows, _ in probes])
            rests = np.concatenate([rests for _, rests in probes])
            found.append(rows[self._may_fit(rows, question, rests)])
        rows = np.sort(np.concatenate(found))
        once = self._alive[rows]
        once[1:] &= rows[1:] != rows[:-1]
        alone: Numbers = rows[once]
        return alone

    def _prefix(self, known: list[int], size: int) -> tuple[Keys, Keys]:
        """Return the smallest and the largest keys of the early words of a set: word, and sizes that fit to it."""
        least, share = self._least, self._share
        smallest = max(1, math.ceil(least * size - _NEAR))
        keys: list[tuple[int, int]] = []
        for place, word in enumerate(known):
            # When this is the first word that is shared, then no more than what follows it is shared.
            largest = math.floor((len(known) - place) / share - size + _NEAR) if share else _LARGEST_SIZE
            if largest < smallest:
                break
            key = word << _SIZE_BITS
            keys.append((key | min(smallest, _LARGEST_SIZE), key | min(largest, _LARGEST_SIZE)))
        both = np.array(keys, dtype=np.uint32).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def _may_fit(self, where: Numbers | slice, question: _Question, rests: npt.NDArray[np.uint16] | None = None) -> Any:
        """Tell for each row whether its size, its sign and what follows the shared word allow it to be similar."""
        columns: tuple[npt.NDArray[Any], ...] = (self._sizes, self._left, self._right, self._slack)
        sizes, left, right, slack = (c[where] if isinstance(where, slice) else c.take(where) for c in columns)
        too_few = self._too_few(sizes + question.size)
        both = np.bitwise_count(left & question.left)
        both += np.bitwise_count(right & question.right)
        fits = both + slack > too_few
        fits &= both > too_few - question.slack
        if rests is not None:
            fits &= rests > too_few
        return fits

    def _too_few(self, sizes: Numbers) -> Numbers:
        """Return how many shared words are still too few for two sets of so many words together."""
        try:
            return self._limits.take(sizes)
        except IndexError:
            largest = 2 * int(sizes.max())
            limits = np.floor(self._share * np.arange(largest + 1) - _NEAR)
            self._limits = np.minimum(limits, _LONGEST_REST - 1).astype(np.int32)
            return self._limits[sizes]

    def _shared(self, rows: Numbers, known: list[int]) -> Ints:
        """Count the words that each row's set shares with a set."""
        sizes = self._sizes.take(rows).astype(np.int64)
        marks = np.zeros(len(self._bits), dtype=np.int32)
        marks[known] = 1
        hits = marks.take(self._flat.take(_ranges(self._starts.take(rows), sizes)))
        counted: Ints = np.add.reduceat(hits, sizes.cumsum() - sizes, dtype=np.int64)
        return counted

    # --- growth -------------------------------------------------------------------------------------------------------
    def _empty(self) -> None:
        self._count = self._used = self._tail_start = 0
        self._segments: list[_Segment] = []
        self._rank: list[int] = [0] * len(self._bits)
        self._flat = np.zeros(_TAIL, dtype=np.int32)
        self._starts = np.zeros(_TAIL, dtype=np.int64)
        self._sizes = np.zeros(_TAIL, dtype=np.int32)
        self._left = np.zeros(_TAIL, dtype=np.uint64)
        self._right = np.zeros(_TAIL, dtype=np.uint64)
        self._slack = np.zeros(_TAIL, dtype=np.int32)
        self._keys = np.zeros(_TAIL, dtype=np.int64)
        self._alive = np.zeros(_TAIL, dtype=np.bool_)

    def _put(self, key: int, distinct: list[str]) -> None:
        self.remove(key)
        if not distinct:
            return
        row, words, sign = self._count, [], 0
        for word in distinct:
            number = self._numbers.get(word)
            if number is None:
                number = self._new_word(word)
            words.append(number)
            sign |= self._bits[number]
        self._make_room(len(words))
        end = self._used + len(words)
        self._flat[self._used : end] = words
        self._starts[row], self._sizes[row] = self._used, len(words)
        self._left[row], self._right[row] = sign & _ALL_BITS, sign >> 64
        self._slack[row] = len(words) - sign.bit_count()
        self._keys[row], self._alive[row] = key, True
        self._row_of[key] = row
        self._count, self._used = row + 1, end
        if self._count - self._tail_start >= _TAIL:
            self._index_tail()

    def _new_word(self, word: str) -> int:
        number = len(self._bits)
        self._numbers[word] = number
        self._bits.append(1 << (((number + 1) * _MIX & _ALL_BITS) >> 57))
        self._rank.append(-number)  # a word not seen before is the rarest of all
        return number

    def _make_room(self, words: int) -> None:
        while self._used + words > len(self._flat):
            self._flat = _grown(self._flat)
        if self._count == len(self._keys):
            self._grow()

    def _grow(self) -> None:
        self._starts, self._sizes = _grown(self._starts), _grown(self._sizes)
        self._left, self._right = _grown(self._left), _grown(self._right)
        self._slack, self._keys, self._alive = _grown(self._slack), _grown(self._keys), _grown(self._alive)

    def _index_tail(self) -> None:
        """Give the tail its segment, together with earlier segments that are not much larger."""
        first, end = self._tail_start, self._count
        while self._segments and self._segments[-1].end - self._segments[-1].first <= _MERGE * (end - first):
            first = self._segments.pop().first
        if not first:  # everything is indexed anew: time to count again which words are rare
            counts = np.bincount(self._flat[: self._used], minlength=len(self._bits))
            ranks = np.empty(len(counts), dtype=np.int64)
            ranks[np.argsort(counts, kind="stable")] = np.arange(len(counts))
            self._rank = ranks.tolist()
        self._segments.append(self._segment(first, end))
        self._tail_start = end

    def _segment(self, first: int, end: int) -> _Segment:
        ranks = np.array(self._rank, dtype=np.int64)
        parts = [self._early(start, min(start + _ROWS, end), ranks) for start in range(first, end, _ROWS)]
        keys, rows, rest = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(keys, kind="stable")
        return _Segment(first, end, keys[order], rows[order], rest[order])

    def _early(self, first: int, end: int, ranks: Ints) -> tuple[Keys, Numbers, npt.NDArray[np.uint16]]:
        """Return keys, rows and rests of the words that stand early in the sets of some rows."""
        start = int(self._starts[first])
        stop = int(self._starts[end - 1] + self._sizes[end - 1])
        sizes = self._sizes[first:end]
        words = self._flat[start:stop]
        rows = np.repeat(np.arange(first, end, dtype=np.int32), sizes)
        words = words[np.argsort((rows.astype(np.int64) << 32) + ranks[words])]
        ends = np.repeat(self._starts[first:end] - start + sizes, sizes)
        rest = ends - np.arange(stop - start)
        early = rest > self._least * self._sizes[rows] - _NEAR
        words, rows, rest = words[early], rows[early], rest[early]
        sizes = np.minimum(self._sizes[rows], _LARGEST_SIZE)
        keys: Keys = ((words.astype(np.int64) << _SIZE_BITS) + sizes).astype(np.uint32)
        return keys, rows, np.minimum(rest, _LONGEST_REST).astype(np.uint16)

    def _compact(self) -> None:
        """Give the texts that are left new places, close together."""
        rows = np.flatnonzero(self._alive[: self._count])
        sizes = self._sizes[rows].astype(np.int64)
        flat = self._flat[_ranges(self._starts[rows], sizes)]
        kept = (self._left[rows], self._right[rows], self._slack[rows], self._keys[rows])
        self._empty()
        count, used = len(rows), len(flat)
        while len(self._keys) < count:
            self._grow()
        while len(self._flat) < used:
            self._flat = _grown(self._flat)
        self._flat[:used] = flat
        self._starts[:count], self._sizes[:count] = np.cumsum(sizes) - sizes, sizes
        self._left[:count], self._right[:count], self._slack[:count], self._keys[:count] = kept
        self._alive[:count] = True
        self._count, self._used = count, used
        self._row_of = dict(zip(self._keys[:count].tolist(), range(count), strict=True))
        if count >= _TAIL:
            self._index_tail()


def _probe(segment: _Segment, low: Keys, high: Keys) -> tuple[Numbers, npt.NDArray[np.uint16]]:
    """Return the rows, and what follows in them, of all entries between two keys of each pair."""
    left = segment.keys.searchsorted(low, "left")
    places = _ranges(left, segment.keys.searchsorted(high, "right") - left)
    return segment.rows.take(places), segment.rest.take(places)


def _distinct(text: str) -> list[str]:
    return list(dict.fromkeys(tokens(text)))


def _ranges(starts: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> Ints:
    """Return the numbers from each start on, as many as its length, one after the other."""
    ends = lengths.cumsum()
    before = ends - lengths
    places: Ints = np.arange(ends[-1] if ends.size else 0, dtype=np.int64) + (starts - before).repeat(lengths)
    return places


def _grown(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    grown = np.zeros(len(array) + len(array) // 2, dtype=array.dtype)
    grown[: len(array)] = array
    return grown
