"""What all journeys share: a machine without a model, and one whose Ollama is a fake on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.journeys.machine import MODEL, Machine
from tests.llm.fake_ollama import FakeOllama

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module", autouse=True)
def _bytecode(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the processes share compiled modules, as on any machine, without leaving them in this checkout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.getbasetemp() / "bytecode"))
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture
def nola(tmp_path: Path) -> Machine:
    """A machine of its own on which no model is, and none is to be fetched."""
    return Machine(tmp_path / "home", NOLA_LLM_MODEL="none")


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    """A running fake Ollama that has one chat model."""
    server = FakeOllama()
    server.tags = [MODEL]
    yield server
    server.stop()


@pytest.fixture
def served(tmp_path: Path, ollama: FakeOllama) -> Machine:
    """A machine of its own whose Ollama is the fake."""
    return Machine(tmp_path / "home", OLLAMA_HOST=ollama.url)
