"""Text to vectors by looking words up: wordllama's static vectors, the light tier between hashing and MiniLM."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import orjson

from nola.errors import ModelError
from nola.forks import in_children

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

__all__ = ["StaticEmbedder"]

_DIMENSIONS = 256
_TENSOR = "embedding.weight"
_TYPES = {"F16": "<f2", "F32": "<f4"}
_LONGEST_TEXT = 20_000
_LONGEST_HEAD = 1_000_000
_AT_ONCE = 64


class StaticEmbedder:
    """wordllama `l2_supercat` (256 dimensions): the mean of the tokens' vectors, L2-normalised. Thread-safe.

    Its two files are read here: the package that holds them is never installed, since it also brings an HTTP client,
    pydantic and its own logging, none of which is needed to look numbers up in a table.
    """

    dimensions = _DIMENSIONS
    model_id = "wordllama/l2_supercat_256"

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        """Name the files; nothing is loaded yet.

        Args:
            weights: The matrix of all tokens' vectors, in safetensors format.
            tokenizer: Its tokenizer, in the format of the package `tokenizers`.
        """
        self._files = weights, tokenizer
        self._loaded: tuple[npt.NDArray[Any], Any] | None = None
        self._begin()
        in_children(self, StaticEmbedder._begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text; see `nola.llm.embed.Embedder.embed`."""
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            vectors[start : start + len(some)] = self._sums(some)
        lengths = np.linalg.norm(vectors, axis=1)
        vectors[lengths == 0.0, 0] = 1.0  # a text without tokens
        lengths[lengths == 0.0] = 1.0
        vectors /= lengths[:, None]
        return vectors

    def _sums(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the sum of each text's token vectors; its direction is that of the mean."""
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        table, tokenizer = self._load()
        encodings = tokenizer.encode_batch([_sound(text) for text in texts], add_special_tokens=False)
        lengths = np.array([len(encoding.ids) for encoding in encodings])
        ids = np.array([id_ for encoding in encodings for id_ in encoding.ids], dtype=np.int64)
        sums = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        if ids.size:
            full = lengths > 0
            starts = (np.cumsum(lengths) - lengths)[full]
            numbers = table[np.minimum(ids, len(table) - 1)].astype(np.float32)
            sums[full] = np.add.reduceat(numbers, starts, axis=0)
        return sums

    def _load(self) -> tuple[npt.NDArray[Any], Any]:
        with self._lock:
            if self._loaded is None:
                weights, tokenizer = self._files
                try:
                    self._loaded = (_table(weights), _tokenizer(tokenizer))
                except ImportError as error:
                    fix = "run: pip install 'nola-assistant[embeddings]'"
                    raise ModelError(f"the embedder's packages are not installed ({error.name})", fix=fix) from error
                except Exception as error:  # tokenizers raises a class of its own
                    why = next(iter(str(error).splitlines()), type(error).__name__)[:200]
                    fix = "run: nola model verify wordllama, and nola model verify wordllama-tokenizer"
                    raise ModelError(f"wordllama's vectors could not be loaded: {why}", fix=fix) from error
            return self._loaded


def _table(path: Path) -> npt.NDArray[Any]:
    """Map the matrix [words, 256] of a safetensors file: 8 bytes of length, a head in JSON, the numbers."""
    import numpy as np  # noqa: PLC0415 -- keeps start-up fast

    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > _LONGEST_HEAD:
            raise ValueError(f"{path.name} is no safetensors file")
        tensor = orjson.loads(file.read(length))[_TENSOR]
    shape, offset = tuple(tensor["shape"]), 8 + length + tensor["data_offsets"][0]
    if len(shape) != 2 or shape[1] != _DIMENSIONS or math.prod(shape) == 0:  # noqa: PLR2004 -- a matrix
        raise ValueError(f"{path.name} holds no matrix of {_DIMENSIONS} columns")
    return np.memmap(path, dtype=_TYPES[tensor["dtype"]], mode="r", offset=offset, shape=shape)


def _tokenizer(path: Path) -> Any:
    import tokenizers  # noqa: PLC0415 -- keeps start-up fast

    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _sound(text: str) -> str:
    """Cut a text, and replace what UTF-8 can't hold: the tokenizer refuses it."""
    return text[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8")
