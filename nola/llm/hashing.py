"""Text to vectors without any model: texts that share words, or parts of words, are near each other."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

from nola.text import STOP_WORDS, stem, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

__all__ = ["HashingEmbedder"]

_DIMENSIONS = 256
_LONGEST_TEXT = 20_000
_LONGEST_WORD = 64
_STOP_SHARE = 0.1
_PARTS_SHARE = 0.6
"""What a word's parts weigh together beside its stem."""
_MIX = 0x9E3779B97F4A7C15
_ALL_BITS = (1 << 64) - 1


class HashingEmbedder:
    """Signed feature hashing (Weinberger et al. 2009) of stems and of words' three letters to 256 dimensions.

    It knows no meaning: `dog` and `puppy` share nothing. It is there so that search by vectors works on a machine that
    has no model yet (D37, P18). Thread-safe.
    """

    model_id = "hashing/256/1"
    lexical = True
    dimensions = _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text; see `nola.llm.embed.Embedder.embed`."""
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in words(text[:_LONGEST_TEXT]) or [text[:_LONGEST_WORD]]:
                for place, weight in _features(word[:_LONGEST_WORD]):
                    vectors[row, place] += weight
        lengths = np.linalg.norm(vectors, axis=1)
        vectors[lengths == 0.0, 0] = 1.0  # the features of a word may cancel each other
        lengths[lengths == 0.0] = 1.0
        vectors /= lengths[:, None]
        return vectors


@lru_cache(maxsize=65_536)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    """Return the places of a word's stem and of its parts, with their signed weights."""
    share = _STOP_SHARE if word in STOP_WORDS else 1.0
    framed = f"^{word}$"
    parts = [framed[start : start + 3] for start in range(len(framed) - 2)]
    each = _PARTS_SHARE * share / max(1, len(parts)) ** 0.5
    return (_hashed(f"s {stem(word)}", share), *(_hashed(f"p {part}", each) for part in parts))


def _hashed(feature: str, weight: float) -> tuple[int, float]:
    mixed = zlib.crc32(feature.encode("utf-8", "surrogatepass")) * _MIX & _ALL_BITS
    return mixed >> 56, weight if mixed >> 55 & 1 else -weight
