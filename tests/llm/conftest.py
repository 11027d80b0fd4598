"""What the tests of the model room share: a fake Ollama, a stub engine, and the real small model files."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.errors import NolaError
from nola.llm.models import ModelFiles
from tests.llm.fake_ollama import FakeOllama

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def fake() -> Iterator[FakeOllama]:
    """A running fake Ollama."""
    server = FakeOllama()
    yield server
    server.stop()


@pytest.fixture
def stub_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let worker processes import the stub engine instead of llama.cpp."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent / "stub_engine"))


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    """A file with the head of a GGUF model: llama, called Tiny, window 2048."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf_head())
    return path


def gguf_head() -> bytes:
    """The bytes of a small GGUF head, with an array before the window."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    entries = [
        text("general.architecture") + struct.pack("<I", 8) + text("llama"),
        text("general.name") + struct.pack("<I", 8) + text("Tiny"),
        text("general.tags") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"),
        text("general.scores") + struct.pack("<IIQ", 9, 6, 1) + struct.pack("<f", 0.5),
        text("llama.context_length") + struct.pack("<II", 4, 2048),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 150_000),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries)


@pytest.fixture(scope="session")
def real_files(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    """The real model files, fetched by Nola's own code."""
    return ModelFiles(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def small_model(real_files: ModelFiles) -> Path:
    """The manifest's model for tests, or a skip with the reason."""
    return _had(real_files, "tests")


@pytest.fixture(scope="session")
def minilm(real_files: ModelFiles) -> tuple[Path, Path]:
    """The embedder's model and tokenizer, or a skip with the reason."""
    return _had(real_files, "minilm"), _had(real_files, "minilm-tokenizer")


def _had(files: ModelFiles, name: str) -> Path:
    try:
        return files.fetch(name)
    except NolaError as error:
        pytest.skip(str(error))
