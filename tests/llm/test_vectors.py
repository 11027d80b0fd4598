"""Tests of the cache of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import numpy as np
import pytest

from nola.llm.vectors import CachedEmbedder
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt


class Lengths:
    """Embeds a text as (its length, 1), takes a second a text, and remembers what it was asked."""

    dimensions = 2

    def __init__(self, clock: ManualClock, model_id: str = "lengths") -> None:
        self.model_id = model_id
        self.clock = clock
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector a text."""
        self.asked.extend(texts)
        self.clock.advance(len(texts))
        return np.array([[len(t), 1] for t in texts], dtype=np.float32).reshape(-1, 2)


@pytest.fixture
def inner() -> Lengths:
    """A slow embedder."""
    return Lengths(ManualClock())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the cache stands."""
    return tmp_path / "cache" / "vectors.db"


@pytest.fixture
def cache(inner: Lengths, file: Path) -> Iterator[CachedEmbedder]:
    """A cache before the slow embedder, two texts at a time."""
    embedder = CachedEmbedder(inner, file, inner.clock, batch=2)
    yield embedder
    embedder.close()


def test_a_text_is_embedded_once(cache: CachedEmbedder, inner: Lengths, file: Path) -> None:
    """Texts are embedded once, also when they stand twice in a list, and never again, in a later process too."""
    first = cache.embed(["aa", "b", "aa"])
    assert first.tolist() == [[2, 1], [1, 1], [2, 1]]
    assert inner.asked == ["aa", "b"]
    cache.close()
    again = CachedEmbedder(inner, file, inner.clock)
    assert again.embed(["b", "ccc"]).tolist() == [[1, 1], [3, 1]]
    assert inner.asked == ["aa", "b", "ccc"]
    assert file.stat().st_mode & 0o777 == 0o600
    again.close()


def test_nothing(cache: CachedEmbedder) -> None:
    """No texts give an empty matrix."""
    assert cache.embed([]).shape == (0, 2)
    assert cache.embed_within([], 0)[1].shape == (0,)


def test_cached(cache: CachedEmbedder, inner: Lengths) -> None:
    """A look-up embeds nothing and says what is known, over more texts than one query holds."""
    cache.embed(["aa", "\ud800 odd"])
    texts = ["zz", "aa", *(str(n) for n in range(1200)), "\ud800 odd"]
    matrix, mask = cache.cached(texts)
    assert mask.nonzero()[0].tolist() == [1, 1202]
    assert matrix[1].tolist() == [2, 1]
    assert matrix[0].tolist() == [0, 0]
    assert len(inner.asked) == 2


def test_time_budget(cache: CachedEmbedder, inner: Lengths) -> None:
    """The first texts are embedded until the time is up, and later calls go on from there."""
    texts = ["a", "bb", "ccc", "dddd", "eeeee"]
    matrix, mask = cache.embed_within(texts, 3.0)
    assert mask.tolist() == [True, True, True, True, False]
    assert matrix[:, 0].tolist() == [1, 2, 3, 4, 0]
    assert cache.embed_within(texts, 0.0)[1].tolist() == mask.tolist()
    assert cache.embed_within(texts, 3.0)[1].all()
    assert inner.asked == texts


def test_other_model(cache: CachedEmbedder, inner: Lengths, file: Path) -> None:
    """Another model's vectors are other vectors."""
    cache.embed(["aa"])
    other = CachedEmbedder(Lengths(inner.clock, "other"), file, inner.clock)
    assert not other.cached(["aa"])[1].any()
    assert (other.model_id, other.dimensions) == ("other", 2)
    other.close()


def test_damaged_cache(inner: Lengths, file: Path) -> None:
    """A damaged cache is made anew."""
    file.parent.mkdir()
    file.write_bytes(b"no database" * 1000)
    cache = CachedEmbedder(inner, file, inner.clock)
    assert cache.embed(["aa"]).tolist() == [[2, 1]]
    assert cache.cached(["aa"])[1].all()
    cache.close()


def test_cache_of_another_shape(inner: Lengths, file: Path) -> None:
    """A cache with another table is made anew, and a vector of another length is not believed."""
    file.parent.mkdir()
    with apsw.Connection(str(file)) as db:
        db.execute("create table vector (other)")
    db.close()
    cache = CachedEmbedder(inner, file, inner.clock)
    cache.embed(["aa"])
    cache.close()
    with apsw.Connection(str(file)) as db:
        db.execute("update vector set numbers = x'00'")
    db.close()
    assert cache.embed(["aa"]).tolist() == [[2, 1]]
    assert inner.asked == ["aa", "aa"]
    cache.close()


def test_cache_that_can_not_be_made(inner: Lengths, tmp_path: Path) -> None:
    """Without a place for the cache the embedder still answers."""
    (tmp_path / "file").touch()
    cache = CachedEmbedder(inner, tmp_path / "file" / "vectors.db", inner.clock)
    assert cache.embed(["aa"]).tolist() == [[2, 1]]
    assert cache.embed(["aa"]).tolist() == [[2, 1]]
    cache.close()


def test_busy_cache(cache: CachedEmbedder, inner: Lengths, file: Path) -> None:
    """While another process writes, the embedder answers without storing, and the cache stays."""
    cache.embed(["aa"])
    other = apsw.Connection(str(file))
    other.execute("begin immediate")
    assert cache.embed(["b"]).tolist() == [[1, 1]]
    other.execute("rollback")
    other.close()
    assert cache.cached(["aa", "b"])[1].tolist() == [True, False]
    assert inner.asked == ["aa", "b"]
