"""Text to vectors: all-MiniLM-L6-v2 in onnxruntime, loaded on first use."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from nola.errors import ModelError
from nola.forks import in_children
from nola.llm.cores import thread_count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

__all__ = ["Embedder", "MiniLmEmbedder"]

_LONGEST_TEXT = 20_000
"""Characters that are looked at; more than `max_tokens` ever holds."""
_ERRORS_ONLY = 3


class Embedder(Protocol):
    """Turns texts into vectors of one space."""

    @property
    def model_id(self) -> str:
        """Names the space: vectors with different ids can't be compared."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text.

        Returns:
            float32 [n, dimensions], L2-normalised, in the order of the texts; [0, dimensions] for none.

        Raises:
            ModelError: The model could not be loaded.
        """


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 (384 dimensions): mean of the last hidden states under the mask, L2-normalised. Thread-safe."""

    dimensions = 384

    def __init__(
        self, model_path: Path, tokenizer_path: Path, *, threads: int = 0, batch: int = 32, max_tokens: int = 128
    ) -> None:
        """Name the files; nothing is loaded yet.

        Args:
            model_path: The ONNX file.
            tokenizer_path: Its `tokenizer.json`.
            threads: 0 for physical cores minus one, at least one.
            batch: Texts in one run.
            max_tokens: Longer texts are cut here.
        """
        self.model_id = f"{model_path.name}/{max_tokens}"
        self._model_path = model_path
        self._tokenizer_path = tokenizer_path
        self._threads = threads
        self._batch = batch
        self._max_tokens = max_tokens
        self._begin()
        in_children(self, MiniLmEmbedder._begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None  # a forked child has none of its threads

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text; see `Embedder.embed`."""
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        encodings = self._encode(texts)
        by_length = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        for start in range(0, len(texts), self._batch):
            rows = by_length[start : start + self._batch]
            states, mask = self._run([encodings[i] for i in rows])
            sums = (states * mask[..., None]).sum(axis=1)
            vectors[rows] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
        return vectors

    def _encode(self, texts: Sequence[str]) -> list[Any]:
        if not texts:
            return []
        _, tokenizer = self._load()
        encodings: list[Any] = tokenizer.encode_batch([text[:_LONGEST_TEXT] for text in texts])
        return encodings

    def _run(self, encodings: Sequence[Any]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Return the last hidden states [n, longest, dimensions] and the mask [n, longest]."""
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        session, _ = self._load()
        longest = max(len(e.ids) for e in encodings)
        ids = np.zeros((len(encodings), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return session.run(None, feed)[0], mask

    def _load(self) -> tuple[Any, Any]:
        """Return session and tokenizer; both may be used from several threads at once."""
        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = (self._session(), self._tokenizer())
                except ImportError as error:
                    fix = "run: pip install 'nola-assistant[embeddings]'"
                    raise ModelError(f"the embedder's packages are not installed ({error.name})", fix=fix) from error
                except Exception as error:  # onnxruntime and tokenizers raise classes of their own
                    fix = "fetch its files again: nola model get minilm"
                    raise ModelError(f"the embedder could not be loaded: {_first_line(error)}", fix=fix) from error
            return self._loaded

    def _session(self) -> Any:
        import onnxruntime  # noqa: PLC0415 -- keeps start-up fast

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = thread_count(self._threads)
        options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        for pool in ("intra_op", "inter_op"):  # a waiting thread must not burn a shared machine's cores
            options.add_session_config_entry(f"session.{pool}.allow_spinning", "0")
        return onnxruntime.InferenceSession(str(self._model_path), options, providers=["CPUExecutionProvider"])

    def _tokenizer(self) -> Any:
        import tokenizers  # noqa: PLC0415 -- keeps start-up fast

        tokenizer = tokenizers.Tokenizer.from_file(str(self._tokenizer_path))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)[:200]
