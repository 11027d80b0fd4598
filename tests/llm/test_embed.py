"""Tests of the embedder."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from nola.errors import ModelError
from nola.llm.embed import MiniLmEmbedder


def test_nothing_is_loaded_for_no_text(tmp_path: Path) -> None:
    """No text gives an empty matrix, without loading the model."""
    embedder = MiniLmEmbedder(tmp_path / "no.onnx", tmp_path / "no.json")
    assert embedder.embed([]).shape == (0, 384)
    assert embedder.embed([]).dtype == np.float32


def test_missing_files(tmp_path: Path) -> None:
    """Missing files are one sentence with the command that fetches them."""
    embedder = MiniLmEmbedder(tmp_path / "no.onnx", tmp_path / "no.json")
    with pytest.raises(ModelError, match="the embedder could not be loaded") as caught:
        embedder.embed(["x"])
    assert caught.value.fix == "fetch its files again: nola model get minilm"
    assert "\n" not in str(caught.value)


def test_model_id() -> None:
    """Vectors of another file or another cut are of another space."""
    paths = Path("a-m.onnx"), Path("t.json")
    ids = {MiniLmEmbedder(*paths, max_tokens=n).model_id for n in (64, 128)}
    assert ids == {"a-m.onnx/64", "a-m.onnx/128"}


@pytest.fixture(scope="module")
def real(minilm: tuple[Path, Path]) -> MiniLmEmbedder:
    """The real embedder."""
    return MiniLmEmbedder(*minilm, threads=1, batch=4, max_tokens=32)


TEXTS = ["My dog is called Biscuit.", "", "my puppy's name", "quarterly tax report", "long " * 500, "x", "名前"]


@pytest.mark.models
def test_real_vectors(real: MiniLmEmbedder) -> None:
    """Vectors are unit length and in the order of the texts, whatever the batch; what means alike is near."""
    vectors = real.embed(TEXTS)
    assert vectors.shape == (7, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    alone = np.vstack([real.embed([text]) for text in TEXTS])
    assert np.abs(alone - vectors).max() < 1e-4
    dog, _, puppy, tax, *_ = vectors
    assert dog @ puppy > dog @ tax + 0.3


@pytest.mark.models
def test_real_from_many_threads(minilm: tuple[Path, Path]) -> None:
    """Threads that use a fresh embedder at once all get the right vectors."""
    embedder = MiniLmEmbedder(*minilm, threads=1)
    got: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: got.append(embedder.embed(TEXTS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 4
    assert all(np.allclose(got[0], other, atol=1e-5) for other in got)
