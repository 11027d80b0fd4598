"""The vector index: sign bits by column find candidates, int8 rows score them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["DenseIndex", "quantise"]

_WORD = 64
_BLOCK = 16_384
"""Vectors in one block; a block of sign bits stays in the processor's cache while it is compared."""
_OVERSAMPLE = 5
_LEAST_CANDIDATES = 800
_STEPS = 127
_WORDS_IN_BYTE = 3
"""Words of sign bits whose differences, summed, fit into a byte."""
_FAR = 65_535
_SMALLEST = 1_024


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Turn vectors into small whole numbers.

    Args:
        vectors: float32 [n, d].

    Returns:
        int8 [n, d], and float32 [n], by which a row is multiplied to get its unit vector back; 0 for a row of zeros.
    """
    norms = np.linalg.norm(vectors, axis=1)
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    there = (largest > 0) & np.isfinite(norms)
    steps = np.divide(_STEPS, largest, out=np.zeros_like(largest), where=there)
    numbers = np.rint(np.where(there[:, None], vectors, 0.0) * steps[:, None]).astype(np.int8)
    lengths = np.linalg.norm(numbers.astype(np.float32), axis=1)
    return numbers, np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0).astype(np.float32)


class _Block:
    """Up to `_BLOCK` vectors; memory that is not used yet is not taken from the machine."""

    def __init__(self, dimensions: int, words: int) -> None:
        self.size = 0
        self.dead = 0
        self.bits = np.zeros((words, _BLOCK), dtype=np.uint64)
        self.numbers = np.zeros((_BLOCK, dimensions), dtype=np.int8)
        self.scales = np.zeros(_BLOCK, dtype=np.float32)
        self.rows = np.full(_BLOCK, -1, dtype=np.int32)

    def distances(self, asked: NDArray[np.uint64], mask: NDArray[np.bool_] | None) -> NDArray[np.uint16]:
        """Return by how many sign bits each vector differs from the question's; `_FAR` for what may not be found."""
        words, size = len(asked), self.size
        differing = np.bitwise_count(self.bits[:, :size] ^ asked[:, None])
        distances = np.zeros(size, dtype=np.uint16)
        for word in range(0, words, _WORDS_IN_BYTE):
            distances += np.add.reduce(differing[word : word + _WORDS_IN_BYTE], axis=0, dtype=np.uint8)
        rows = self.rows[:size]
        if self.dead:
            np.copyto(distances, _FAR, where=rows < 0)
        if mask is not None:
            hidden = ~mask.take(rows, mode="clip") if len(mask) else np.ones(size, dtype=np.bool_)
            hidden |= rows >= len(mask)
            np.copyto(distances, _FAR, where=hidden)
        return distances

    def score(self, question: NDArray[np.float32], places: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the cosines of some of the vectors with a question's."""
        some = self.numbers.take(places, axis=0).astype(np.float32)
        # einsum, not a matrix product: the threads of BLAS cost more than they bring, and wait for busy cores.
        cosines: NDArray[np.float32] = np.einsum("ij,j->i", some, question)
        cosines *= self.scales[places]
        return cosines


class DenseIndex:
    """Exact enough search for the closest vectors. Not thread-safe: whoever shares it holds a lock.

    Args:
        dimensions: Length of a vector.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._words = -(-dimensions // _WORD)
        self._blocks: list[_Block] = []
        self._slot_of = np.full(_SMALLEST, -1, dtype=np.int32)
        self._live = 0

    def __len__(self) -> int:
        return self._live

    def add(self, rows: Sequence[int] | NDArray[np.int32], vectors: NDArray[np.float32]) -> None:
        """Add vectors; a row that has one gets the new one.

        Args:
            rows: Row numbers, from 0.
            vectors: float32 [m, d].
        """
        self.add_quantised(rows, *quantise(np.asarray(vectors, dtype=np.float32)))

    def add_quantised(
        self, rows: Sequence[int] | NDArray[np.int32], numbers: NDArray[np.int8], scales: NDArray[np.float32]
    ) -> None:
        """Add vectors as `quantise` returns them."""
        where = np.asarray(rows, dtype=np.int32)
        if not len(where):
            return
        highest = int(where.max())
        if highest >= len(self._slot_of):
            grown = np.full(max(highest + 1, 2 * len(self._slot_of)), -1, dtype=np.int32)
            grown[: len(self._slot_of)] = self._slot_of
            self._slot_of = grown
        for row in where[self._slot_of[where] >= 0].tolist():
            self.remove(row)
        bits = self._sign_bits(numbers)
        done = 0
        while done < len(where):
            if not self._blocks or self._blocks[-1].size == _BLOCK:
                self._blocks.append(_Block(self.dimensions, self._words))
            block = self._blocks[-1]
            count = min(_BLOCK - block.size, len(where) - done)
            some, there = slice(done, done + count), slice(block.size, block.size + count)
            block.bits[:, there] = bits[some].T
            block.numbers[there] = numbers[some]
            block.scales[there] = scales[some]
            block.rows[there] = where[some]
            first = (len(self._blocks) - 1) * _BLOCK + block.size
            self._slot_of[where[some]] = np.arange(first, first + count, dtype=np.int32)
            block.size += count
            done += count
        self._live += len(where)

    def remove(self, row: int) -> None:
        """Forget the vector of a row; one without is none to forget."""
        if row >= len(self._slot_of) or (slot := int(self._slot_of[row])) < 0:
            return
        self._slot_of[row] = -1
        block = self._blocks[slot // _BLOCK]
        block.rows[slot % _BLOCK] = -1
        block.scales[slot % _BLOCK] = 0.0
        block.dead += 1
        self._live -= 1

    def search(
        self, q: NDArray[np.float32], k: int, mask: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Find the rows whose vectors are closest to a question's.

        Args:
            q: float32 [d], a unit vector.
            k: How many rows.
            mask: bool [rows], true where a row may be found; a row beyond its end may not.

        Returns:
            int32 [k] rows, best first, and float32 [k] cosines.
        """
        asked = np.asarray(q, dtype=np.float32)
        slots = self._candidates(self._sign_bits(asked[None])[0], max(_OVERSAMPLE * k, _LEAST_CANDIDATES), mask)
        rows, cosines = self._scored(asked, slots)
        order = np.lexsort((rows, -cosines))[:k]
        return rows[order], cosines[order]

    def cosines(self, q: NDArray[np.float32], rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the cosine of each of these rows with a question's unit vector: float32 [n], 0 without a vector."""
        found = np.zeros(len(rows), dtype=np.float32)
        known = np.flatnonzero(rows < len(self._slot_of))
        slots = self._slot_of[rows[known]]
        there = slots >= 0
        found[known[there]] = self._scored(np.asarray(q, dtype=np.float32), slots[there])[1]
        return found

    def similarities(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the cosine of each two of these rows' vectors, 0 where one has none: float32 [n, n]."""
        vectors = np.zeros((len(rows), self.dimensions), dtype=np.float32)
        for place in np.flatnonzero(self.has(rows)).tolist():
            slot = int(self._slot_of[rows[place]])
            block = self._blocks[slot // _BLOCK]
            vectors[place] = block.numbers[slot % _BLOCK].astype(np.float32) * block.scales[slot % _BLOCK]
        cosines: NDArray[np.float32] = np.einsum("id,jd->ij", vectors, vectors)
        return cosines

    def between(self, one: int, other: int) -> float:
        """Return the cosine of two rows' vectors, 0 when one has none."""
        return float(self.similarities(np.array([one, other], dtype=np.int32))[0, 1])

    def closest(
        self, row: int, k: int, mask: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Find the rows whose vectors are closest to the vector of a row, as `search` does; it does not find itself."""
        if not self.has(np.array([row], dtype=np.int32))[0]:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
        block, place = divmod(int(self._slot_of[row]), _BLOCK)
        own = self._blocks[block].numbers[place].astype(np.float32) * self._blocks[block].scales[place]
        rows, cosines = self.search(own, k + 1, mask)
        others = rows != row
        return rows[others][:k], cosines[others][:k]

    def has(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of these rows have a vector: bool [n]."""
        found = np.zeros(len(rows), dtype=np.bool_)
        known = np.flatnonzero(rows < len(self._slot_of))
        found[known] = self._slot_of[rows[known]] >= 0
        return found

    def _sign_bits(self, vectors: NDArray) -> NDArray[np.uint64]:  # type: ignore[type-arg]
        """Return uint64 [n, words]: a bit for each coordinate, set where it is above zero."""
        packed = np.packbits(vectors > 0, axis=1)
        padded = np.zeros((len(vectors), self._words * 8), dtype=np.uint8)
        padded[:, : packed.shape[1]] = packed
        return padded.view(np.uint64)

    def _candidates(self, asked: NDArray[np.uint64], wanted: int, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return the slots whose sign bits differ least from the question's: `wanted` and what is as close."""
        found: list[NDArray[np.int64]] = []
        far: list[NDArray[np.uint16]] = []
        held, limit = 0, _FAR - 1
        for number, block in enumerate(self._blocks):
            distances = block.distances(asked, mask)
            places = np.flatnonzero(distances <= limit)
            found.append(places + number * _BLOCK)
            far.append(distances[places])
            held += len(places)
            if held > wanted:
                slots, near = np.concatenate(found), np.concatenate(far)
                limit = int(np.partition(near, wanted - 1)[wanted - 1])
                kept = near <= limit
                found, far = [slots[kept]], [near[kept]]
                held = len(found[0])
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def _scored(
        self, question: NDArray[np.float32], slots: NDArray[np.int64] | NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the rows of slots in any order, and their cosines."""
        rows = np.zeros(len(slots), dtype=np.int32)
        cosines = np.zeros(len(slots), dtype=np.float32)
        numbers, places = slots // _BLOCK, (slots % _BLOCK).astype(np.int64)
        for number, block in enumerate(self._blocks):
            here = np.flatnonzero(numbers == number)
            if len(here):
                rows[here] = block.rows[places[here]]
                cosines[here] = block.score(question, places[here])
        return rows, cosines
