"""Tests of vectors that Ollama makes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.errors import ModelError
from nola.llm.ollama_embed import OllamaEmbedder
from nola.llm.ollama_server import OllamaServer
from nola.settings import OllamaSettings
from tests.llm.fake_ollama import SHOWN

if TYPE_CHECKING:
    from tests.llm.fake_ollama import FakeOllama, Wire


@pytest.fixture
def embedder(fake: FakeOllama) -> OllamaEmbedder:
    """An embedder over the fake server, two texts a request."""
    fake.shown = {"all-minilm": SHOWN}
    fake.tags = [{"model": "all-minilm:latest", "digest": "sha256:" + "1b226e2802db" * 5, "size": 46_000_000}]
    return OllamaEmbedder(OllamaServer(OllamaSettings(host=fake.url)), "all-minilm", batch=2)


def test_vectors_come_in_batches(embedder: OllamaEmbedder, fake: FakeOllama) -> None:
    """Texts go out a few at a time, may be cut by the server, and the vectors come back in their order."""
    vectors = embedder.embed(["a", "bbb", "cc", "", "x" * 50_000])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0)
    assert (vectors[:, 0] / vectors[:, 1]).round(2).tolist() == [1, 3, 2, 1, 20_000]
    sent = fake.sent("/api/embed")
    assert [body["input"] for body in sent[:2]] == [["a", "bbb"], ["cc", " "]]
    assert [len(body["input"]) for body in sent] == [2, 2, 1]
    assert all(body["truncate"] is True and body["model"] == "all-minilm" for body in sent)
    assert embedder.dimensions == 2
    assert len(fake.sent("/api/embed")) == 3


def test_the_space_is_named_by_the_models_digest(embedder: OllamaEmbedder, fake: FakeOllama) -> None:
    """The id holds name, tag and digest, and is asked for once; without a digest the name stands alone."""
    assert fake.requests == []
    assert embedder.model_id == embedder.model_id == "ollama/all-minilm:latest@1b226e2802db"
    assert fake.requests == [("/api/tags", {})]
    fake.tags = [{"model": "all-minilm:latest"}]
    other = OllamaEmbedder(OllamaServer(OllamaSettings(host=fake.url)), "all-minilm:latest")
    assert other.model_id == "ollama/all-minilm:latest"


def test_dimensions_are_asked_for_once(embedder: OllamaEmbedder, fake: FakeOllama) -> None:
    """The length of a vector is found by embedding one word; no text then needs no further request."""
    assert embedder.dimensions == 2
    assert embedder.embed([]).shape == (0, 2)
    assert len(fake.sent("/api/embed")) == 1


def test_a_model_that_is_missing(embedder: OllamaEmbedder, fake: FakeOllama) -> None:
    """A model that is not installed is named with the command that fetches it."""
    fake.shown, fake.tags = {}, []
    for ask in (lambda: embedder.embed(["x"]), lambda: embedder.model_id, lambda: embedder.dimensions):
        with pytest.raises(ModelError, match="Ollama has no model called 'all-minilm'") as caught:
            ask()
        assert caught.value.fix == "fetch it with: ollama pull all-minilm"


def test_a_chat_model(embedder: OllamaEmbedder, fake: FakeOllama) -> None:
    """A model that makes no vectors is refused with what to choose instead."""
    fake.embed = lambda wire, _: wire.error(400, "this model does not support embeddings")
    with pytest.raises(ModelError, match="all-minilm makes no vectors") as caught:
        embedder.embed(["x"])
    assert "choose an embedding model" in caught.value.fix


def test_no_server(embedder: OllamaEmbedder, fake: FakeOllama) -> None:
    """A server that is gone is one sentence with what starts it."""
    fake.stop()
    with pytest.raises(ModelError, match="no Ollama answers at") as caught:
        embedder.embed(["x"])
    assert caught.value.fix == "start it with: ollama serve"


@pytest.mark.parametrize(
    ("vectors", "why"),
    [
        ([[1.0, 0.0]], "did not make one vector for each text"),
        ([], "did not make one vector for each text"),
        ([[], []], "did not make one vector for each text"),
        ([[1.0, 0.0], [1.0]], "made vectors of different lengths"),
        ([[1.0, 0.0], [0.0, 0.0]], "made a vector that has no direction"),
    ],
)
def test_unusable_vectors(embedder: OllamaEmbedder, fake: FakeOllama, vectors: list[list[float]], why: str) -> None:
    """Too few vectors, uneven ones and empty ones are never stored."""

    def answer(wire: Wire, _: list[str]) -> None:
        wire.whole(200, json.dumps({"embeddings": vectors}).encode())

    fake.embed = answer
    with pytest.raises(ModelError, match=why):
        embedder.embed(["x", "y"])


def test_a_length_that_changes(embedder: OllamaEmbedder, fake: FakeOllama) -> None:
    """Vectors of another length than before are refused: they are of another space."""
    assert embedder.dimensions == 2
    fake.embed = lambda wire, _: wire.whole(200, b'{"embeddings": [[1, 0, 0]]}')
    with pytest.raises(ModelError, match="another length"):
        embedder.embed(["x"])


def test_an_answer_that_is_none(embedder: OllamaEmbedder, fake: FakeOllama) -> None:
    """What is no JSON of the known shape is one sentence."""
    fake.embed = lambda wire, _: wire.whole(200, b"<html>")
    with pytest.raises(ModelError, match="unreadable"):
        embedder.embed(["x"])
