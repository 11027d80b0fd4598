"""The real embedder, for the measurements that need it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.clock import SystemClock
from nola.errors import NolaError
from nola.llm.embed import MiniLmEmbedder
from nola.llm.models import ModelFiles
from nola.llm.vectors import CachedEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CachedEmbedder]:
    """The real embedder, fetched by Nola's own code, or a skip with the reason."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    folder = tmp_path_factory.mktemp("embedder")
    files = ModelFiles(folder / "models")
    try:
        inner = MiniLmEmbedder(files.fetch("minilm"), files.fetch("minilm-tokenizer"))
    except NolaError as error:
        pytest.skip(str(error))
    embedder = CachedEmbedder(inner, folder / "vectors.db", SystemClock())
    yield embedder
    embedder.close()
