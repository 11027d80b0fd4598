"""Tests of what an Ollama server is asked about its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.llm.base import ModelInfo
from nola.llm.ollama_server import OllamaServer, full_name, refused
from nola.settings import OllamaSettings

if TYPE_CHECKING:
    from tests.llm.fake_ollama import FakeOllama


def test_models(fake: FakeOllama) -> None:
    """The list tells size, family, parameters, and which model is loaded, embeds only or runs elsewhere."""
    fake.tags = [
        {"model": "llama3.2:3b", "size": 2_000_000_000, "details": {"family": "llama", "parameter_size": "3.2B"}},
        {"model": "all-minilm:latest", "size": 46_000_000, "details": {"family": "bert", "parameter_size": "23M"}},
        {"model": "gpt-oss:120b-cloud", "size": 384, "details": {"parameter_size": "116.8B"}},
    ]
    fake.ps = [{"model": "llama3.2:3b", "context_length": 8192}]
    llama, minilm, cloud = OllamaServer(OllamaSettings(), environment_host=fake.url).models()
    assert llama == ModelInfo(
        "llama3.2:3b", "ollama", size_bytes=2_000_000_000, family="llama", parameters=3.2, loaded=True
    )
    assert minilm.capabilities == {"embedding"}
    assert minilm.parameters == pytest.approx(0.023)
    assert cloud.remote


def test_answers(fake: FakeOllama) -> None:
    """A server that listens answers."""
    assert OllamaServer(OllamaSettings(host=fake.url)).answers()
    assert OllamaServer(OllamaSettings(host=fake.url)).models() == []


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("llama3.2", "llama3.2:latest"),
        ("llama3.2:3b", "llama3.2:3b"),
        ("reg:5000/a/b", "reg:5000/a/b:latest"),
        ("", ""),
    ],
)
def test_full_name(name: str, full: str) -> None:
    """A name without a tag means the latest."""
    assert full_name(name) == full


def test_refused() -> None:
    """A refusal holds the status and the reason."""
    assert str(refused(418, "teapot", "m")) == "Ollama refused (418): teapot"
