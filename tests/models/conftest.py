"""Real model files for this tier, fetched once a session by Nola's own downloader."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nola.errors import DownloadError
from nola.llm.embedded import can_run
from nola.llm.models import ModelFiles


@pytest.fixture(scope="session")
def model_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the default chat model and the embedder; `NOLA_TEST_MODELS` names one to keep."""
    kept = os.environ.get("NOLA_TEST_MODELS")
    folder = Path(kept) if kept else tmp_path_factory.mktemp("models")
    if not can_run():
        pytest.skip("xllamacpp is not installed, so no embedded model can run")
    files = ModelFiles(folder)
    try:
        for name in ("default", "minilm", "minilm-tokenizer"):
            if not files.is_present(name):
                files.fetch(name)
    except DownloadError as error:
        pytest.skip(f"the models can't be had: {error}")
    return folder
