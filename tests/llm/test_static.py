"""Tests of the static vectors, over a table of a few words."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
import tokenizers

from nola.errors import DownloadError, ModelError
from nola.llm.models import ModelFiles
from nola.llm.static import StaticEmbedder

WORDS = ["<unk>", "my", "dog", "puppy", "tax"]


def table(path: Path, numbers: np.ndarray, name: str = "embedding.weight") -> Path:
    """Write a safetensors file with one matrix."""
    kind = {"float16": "F16", "float32": "F32"}[str(numbers.dtype)]
    tensor = {"dtype": kind, "shape": list(numbers.shape), "data_offsets": [0, numbers.nbytes]}
    head = json.dumps({name: tensor}).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + numbers.tobytes())
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A table of five words and a tokenizer that splits at spaces."""
    numbers = np.zeros((len(WORDS), 256), dtype=np.float16)
    numbers[1, 1], numbers[2, 2], numbers[3, 2], numbers[3, 3], numbers[4, 4] = 1, 3, 3, 1, 2
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))  # noqa: S106 -- a word
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return table(tmp_path / "weights.safetensors", numbers), tmp_path / "tokenizer.json"


def test_a_text_is_the_mean_of_its_tokens(files: tuple[Path, Path]) -> None:
    """Vectors are the means of the tokens' numbers, brought to unit length, in the order of the texts."""
    vectors = StaticEmbedder(*files).embed(["my dog", "", "my puppy", "tax tax"])
    assert vectors.shape == (4, 256)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert vectors[0, 1:3] == pytest.approx([1 / 10**0.5, 3 / 10**0.5])
    assert vectors[3, 4] == 1.0
    assert vectors[0] @ vectors[2] > 0.8
    assert vectors[0] @ vectors[3] == 0.0


def test_many_and_strange_texts(files: tuple[Path, Path]) -> None:
    """More texts than one batch, unknown words, long texts and halves of surrogate pairs all get a vector."""
    texts = ["tax"] * 130 + ["unknown", "\ud800", "dog " * 50_000]
    vectors = StaticEmbedder(*files).embed(texts)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (vectors[:130] == vectors[0]).all()
    assert vectors[132, 2] == pytest.approx(1.0)


def test_nothing_is_loaded_before_a_text_comes(tmp_path: Path) -> None:
    """Making it, its name and an empty list touch no file."""
    embedder = StaticEmbedder(tmp_path / "no.safetensors", tmp_path / "no.json")
    assert embedder.model_id == "wordllama/l2_supercat_256"
    assert embedder.embed([]).shape == (0, 256)
    with pytest.raises(ModelError, match="wordllama's vectors could not be loaded") as caught:
        embedder.embed(["x"])
    assert caught.value.fix == "run: nola model verify wordllama, and nola model verify wordllama-tokenizer"


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"\x02\x00\x00\x00\x00\x00\x00\x00{}"])
def test_a_damaged_table(files: tuple[Path, Path], content: bytes) -> None:
    """A file that is empty, or no safetensors file, is one sentence."""
    files[0].write_bytes(content)
    with pytest.raises(ModelError, match="could not be loaded") as caught:
        StaticEmbedder(*files).embed(["x"])
    assert "\n" not in str(caught.value)


def test_a_table_of_another_width(files: tuple[Path, Path]) -> None:
    """Vectors of another length than 256 are refused."""
    table(files[0], np.ones((5, 64), dtype=np.float32))
    with pytest.raises(ModelError, match="no matrix of 256 columns"):
        StaticEmbedder(*files).embed(["x"])


@pytest.mark.models
def test_the_real_vectors_know_what_words_mean(tmp_path: Path) -> None:
    """Fetched from their mirror, they bring a puppy near a dog; `NOLA_TEST_MODELS` names a folder that keeps them."""
    files = ModelFiles(Path(os.environ.get("NOLA_TEST_MODELS") or tmp_path))
    try:
        weights, tokenizer = files.fetch("wordllama"), files.fetch("wordllama-tokenizer")
    except DownloadError as error:
        pytest.skip(str(error))
    dog, puppy, tax = StaticEmbedder(weights, tokenizer).embed(["my dog", "a young puppy", "the tax return"])
    assert dog @ puppy > 2 * (dog @ tax)
