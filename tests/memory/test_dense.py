"""The vector index beside plain cosines: finding, masks, changes, and rows without vectors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from nola.memory.dense import DenseIndex, quantise

Vectors = NDArray[np.float32]


def unit(vectors: Vectors) -> Vectors:
    """Vectors of length 1."""
    lengths: Vectors = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


def clustered(count: int, dimensions: int = 384, seed: int = 1) -> Vectors:
    """Unit vectors around forty middles, as texts about forty things have them."""
    draw = np.random.default_rng(seed)
    middles = draw.standard_normal((40, dimensions))
    return unit((middles[draw.integers(0, 40, count)] + 0.7 * draw.standard_normal((count, dimensions))).astype("f4"))


def made(vectors: Vectors) -> DenseIndex:
    """An index over vectors, row by position."""
    index = DenseIndex(vectors.shape[1])
    index.add(np.arange(len(vectors), dtype=np.int32), vectors)
    return index


@pytest.mark.parametrize("dimensions", [3, 64, 256, 384, 1024])
def test_quantised_vectors_keep_their_direction(dimensions: int) -> None:
    """Whole numbers times their scale are the unit vector again, within a percent; zeros stay zeros."""
    vectors = clustered(50, dimensions) * 7
    vectors[3] = 0
    numbers, scales = quantise(vectors)
    back = numbers * scales[:, None]
    assert numbers.dtype == np.int8
    assert np.delete(np.einsum("ij,ij->i", back, unit(np.where(vectors, vectors, 1e-9))), 3).min() > 0.999
    assert not back[3].any()


def test_vectors_that_are_no_numbers_count_as_none() -> None:
    """Infinity and NaN become zeros."""
    numbers, scales = quantise(np.array([[np.nan, 1.0], [np.inf, 1.0], [0.0, 1.0]], dtype=np.float32))
    assert numbers.tolist() == [[0, 0], [0, 0], [0, 127]]
    assert scales[:2].tolist() == [0.0, 0.0]


@pytest.mark.row("A28")
def test_the_nearest_text_comes_first() -> None:
    """A vector is its own nearest, and the others follow by cosine."""
    vectors = clustered(500)
    rows, cosines = made(vectors).search(vectors[123], 10)
    assert rows[0] == 123
    assert cosines[0] == pytest.approx(1.0, abs=0.01)
    assert (np.diff(cosines) <= 0).all()


def test_the_ten_nearest_of_many() -> None:
    """Over blocks of vectors the ten nearest are those of plain cosines, nearly always."""
    vectors = clustered(40_000)
    index = made(vectors)
    found = 0
    noise = np.random.default_rng(2).standard_normal((30, 384)).astype(np.float32)
    for question in unit(vectors[::1_334][:30] + 0.03 * noise):
        exact = vectors @ question
        rows, cosines = index.search(question, 10)
        found += len(set(rows.tolist()) & set(np.argsort(-exact)[:10].tolist()))
        assert cosines == pytest.approx(exact[rows], abs=0.02)
    assert found >= 0.9 * 300


def test_a_mask_hides_rows() -> None:
    """Only rows inside the mask are found, as many as are wanted; nothing beyond its end."""
    vectors = clustered(20_000)
    mask = np.zeros(15_000, dtype=np.bool_)
    mask[5::100] = True
    rows, _ = made(vectors).search(vectors[7], 100, mask)
    assert len(rows) == 100
    assert (rows % 100 == 5).all()
    assert rows.max() < 15_000


def test_changed_and_removed_rows() -> None:
    """A row has its last vector, and one that was removed is not found."""
    vectors = clustered(300)
    index = made(vectors)
    index.remove(5)
    index.remove(5)
    index.add([7], vectors[8:9])
    assert len(index) == 299
    assert 5 not in index.search(vectors[5], 300)[0]
    assert set(index.search(vectors[8], 2)[0].tolist()) == {7, 8}
    assert index.cosines(vectors[8], np.array([5, 7, 8, 10_000], dtype=np.int32)) == pytest.approx(
        [0, 1, 1, 0], abs=0.01
    )
    assert index.has(np.array([5, 7, 10_000], dtype=np.int32)).tolist() == [False, True, False]


def test_the_cosine_of_two_rows() -> None:
    """Two rows are as close as their vectors; without one of these they are not close."""
    vectors = clustered(50)
    index = made(vectors)
    index.remove(3)
    assert index.between(1, 2) == pytest.approx(float(vectors[1] @ vectors[2]), abs=0.02)
    assert index.between(1, 1) == pytest.approx(1.0, abs=0.01)
    assert (index.between(1, 3), index.between(3, 1), index.between(1, 10_000)) == (0.0, 0.0, 0.0)


def test_the_closest_to_a_row() -> None:
    """The rows whose vectors are closest to a row's own, without itself, inside a mask; none without a vector."""
    vectors = clustered(500)
    index = made(vectors)
    cosines = vectors @ vectors[123]
    rows, found = index.closest(123, 5)
    assert rows.tolist() == np.argsort(-cosines)[1:6].tolist()
    assert found == pytest.approx(cosines[rows], abs=0.02)
    mask = np.ones(500, dtype=np.bool_)
    mask[rows] = False
    assert not set(rows.tolist()) & set(index.closest(123, 5, mask)[0].tolist())
    mask[123] = False
    assert len(index.closest(123, 5, mask)[0]) == 5
    index.remove(123)
    assert [len(index.closest(row, 5)[0]) for row in (123, 10_000)] == [0, 0]


def test_an_empty_mask_hides_everything() -> None:
    """A mask without entries lets nothing be found."""
    vectors = clustered(50)
    assert len(made(vectors).search(vectors[0], 5, np.zeros(0, dtype=np.bool_))[0]) == 0


def test_an_empty_index_finds_nothing() -> None:
    """No vectors: no rows, and every cosine is 0."""
    index = DenseIndex(8)
    rows, cosines = index.search(np.ones(8, dtype=np.float32), 5)
    assert (len(rows), len(cosines)) == (0, 0)
    assert index.cosines(np.ones(8, dtype=np.float32), np.array([0, 4], dtype=np.int32)).tolist() == [0.0, 0.0]
