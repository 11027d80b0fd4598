"""Embedders without a model, for tests."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from nola.errors import ModelError
from nola.memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["WordVectors"]


class WordVectors:
    """Texts that share words are near each other; words may be made to mean the same.

    Args:
        model_id: Names the space; another one gives other vectors.
        dimensions: Length of a vector.
        same: Words that count as another word.
    """

    def __init__(self, model_id: str = "words", dimensions: int = 64, same: dict[str, str] | None = None) -> None:
        self.model_id = model_id
        self.dimensions = dimensions
        self.failing = False
        self.asked: list[str] = []
        self.go_on = threading.Event()
        self.go_on.set()
        self._same = same or {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text.

        Raises:
            ModelError: It was told to fail.
        """
        self.go_on.wait(30)
        if self.failing:
            raise ModelError("the embedder is away")
        self.asked += texts
        vectors = np.stack([self._vector(text) for text in texts])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _vector(self, text: str) -> NDArray[np.float32]:
        total = np.full(self.dimensions, 1e-3, dtype=np.float32)
        for word in tokens(text):
            seed = crc32(f"{self.model_id} {self._same.get(word, word)}".encode())
            total += np.random.default_rng(seed).standard_normal(self.dimensions, dtype=np.float32)
        return total
