"""Text to vectors by an embedding model that Ollama runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from nola.errors import ModelError
from nola.llm.ollama_server import full_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from nola.llm.ollama_server import OllamaServer

__all__ = ["OllamaEmbedder"]

_LONGEST_TEXT = 20_000
_DIGEST_CHARACTERS = 12
_UPDATE = "update Ollama, or choose another embedding model"


class OllamaEmbedder:
    """Vectors by Ollama's /api/embed, L2-normalised. Nothing is asked before the first use. Thread-safe."""

    def __init__(self, server: OllamaServer, name: str, *, batch: int = 32) -> None:
        """Name the model.

        Args:
            server: Where it runs.
            name: For example `all-minilm` or `embeddinggemma`.
            batch: Texts in one request.
        """
        self._server = server
        self._name = name
        self._batch = batch
        self._lock = threading.Lock()
        self._id = ""
        self._dimensions = 0

    @property
    def model_id(self) -> str:
        """Names the space: a model that is pulled anew under its name is another one.

        Raises:
            ModelError: The server could not be asked, or has no such model.
        """
        with self._lock:
            if not self._id:
                digest = self._server.digest(self._name)
                mark = f"@{digest.removeprefix('sha256:')[:_DIGEST_CHARACTERS]}" if digest else ""
                self._id = f"ollama/{full_name(self._name)}{mark}"
            return self._id

    @property
    def dimensions(self) -> int:
        """Length of a vector, found by embedding a word.

        Raises:
            ModelError: The server could not be asked, or has no such model.
        """
        if not self._dimensions:
            self._embedded(["dimensions"])
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text; see `nola.llm.embed.Embedder.embed`.

        Raises:
            ModelError: The server could not be asked, has no such model, or the model makes no vectors.
        """
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        vectors = [self._embedded(texts[start : start + self._batch]) for start in range(0, len(texts), self._batch)]
        return np.concatenate(vectors) if vectors else np.zeros((0, self.dimensions), dtype=np.float32)

    def _embedded(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed one request's texts."""
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        # An empty text has no tokens at all in some models, and UTF-8 has no place for half a surrogate pair.
        sent = [text[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        try:
            vectors = np.array(self._server.embed(self._name, sent), dtype=np.float32)
        except ValueError as error:
            raise ModelError(f"{self._name} made vectors of different lengths", fix=_UPDATE) from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.size:  # noqa: PLR2004 -- a matrix
            raise ModelError(f"{self._name} did not make one vector for each text", fix=_UPDATE)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ModelError(f"{self._name} made a vector that has no direction", fix=_UPDATE)
        with self._lock:
            known = self._dimensions or vectors.shape[1]
            if vectors.shape[1] != known:
                raise ModelError(f"{self._name} now makes vectors of another length", fix="start Nola again")
            self._dimensions = known
        unit: npt.NDArray[np.float32] = vectors / lengths
        return unit
