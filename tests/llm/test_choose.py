"""Tests of the choice of a model."""

from __future__ import annotations

import hashlib
import socket
from typing import TYPE_CHECKING, Any

import pytest

import nola.llm.choose
from nola.errors import ModelError, UsageError
from nola.llm.base import ChatOptions, ModelInfo
from nola.llm.choose import Chooser, NoModel, rank
from nola.llm.manifest import Entry, Manifest
from nola.llm.models import ModelFiles
from nola.settings import EmbeddedSettings, LlmSettings, OllamaSettings, Settings
from tests.llm.conftest import gguf_head
from tests.llm.fake_ollama import SHOWN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.llm.fake_ollama import FakeOllama

CONTENT = gguf_head()


def store(folder: Path, *present: str) -> ModelFiles:
    """A folder of model files in which the named ones are present."""
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    entries = [
        Entry(name, purpose, f"{name}.gguf", sha256, len(CONTENT), "MIT", 1024, 0.5, "", ())
        for name, purpose in (("default", "chat"), ("larger", "chat"), ("minilm", "embedding"))
    ]
    files = ModelFiles(folder / "models", manifest=Manifest(tuple(entries)))
    (folder / "models").mkdir(exist_ok=True)
    for name in present:
        files.path(name).write_bytes(CONTENT)
    return files


@pytest.fixture
def nowhere() -> str:
    """An address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def chooser(folder: Path, host: str, *present: str, model: str = "", embedded: str = "default") -> Chooser:
    """A chooser over one Ollama and one folder."""
    settings = Settings(
        llm=LlmSettings(model=model), ollama=OllamaSettings(host=host), embedded=EmbeddedSettings(model=embedded)
    )
    return Chooser(settings, store(folder, *present))


def tag(name: str, parameters: str, **more: Any) -> dict[str, Any]:
    """A model in Ollama's list."""
    return {"model": name, "size": 2_000_000_000, "details": {"family": "llama", "parameter_size": parameters}, **more}


def test_best_of_ollama(fake: FakeOllama, tmp_path: Path) -> None:
    """Without a wish, the best chat model of Ollama answers; one that can't complete is passed over."""
    fake.tags = [tag("llama3:70b", "70B"), tag("odd:7b", "7B"), tag("qwen:4b", "4B"), tag("mini:1b", "1B")]
    fake.shown = {"odd:7b": SHOWN | {"capabilities": ["embedding"]}, "qwen:4b": SHOWN}
    choice = chooser(tmp_path, fake.url, "default").choose()
    assert (choice.model.ref.provider, choice.model.ref.name) == ("ollama", "qwen:4b")
    assert choice.why == "it is the best chat model in Ollama"


def test_ollama_is_asked_once(fake: FakeOllama, tmp_path: Path) -> None:
    """The list is asked for once, until it is to be forgotten; the same choice gives the same object."""
    fake.tags = [tag("llama3.2:3b", "3.2B")]
    choose = chooser(tmp_path, fake.url)
    assert choose.choose().model is choose.choose("ollama:llama3.2:3b").model
    assert sum(path == "/api/tags" for path, _ in fake.requests) == 1
    choose.forget()
    choose.choose()
    assert sum(path == "/api/tags" for path, _ in fake.requests) == 2


def test_embedded_when_no_ollama(nowhere: str, tmp_path: Path) -> None:
    """When no Ollama answers, the embedded model does, if its file is here."""
    choice = chooser(tmp_path, nowhere, "default").choose()
    assert (choice.model.ref.provider, choice.model.ref.name) == ("embedded", "default")
    assert choice.why == f"no chat model answers at {nowhere}, so the embedded one does"
    assert choice.model.window() == 1024


def test_embedded_when_ollama_has_only_embedders(fake: FakeOllama, tmp_path: Path) -> None:
    """An Ollama without a chat model counts for nothing."""
    fake.tags = [tag("nomic-embed-text:latest", "137M")]
    assert chooser(tmp_path, fake.url, "default").choose().model.ref.provider == "embedded"


def test_no_model_at_all(nowhere: str, tmp_path: Path) -> None:
    """Without any model there is one sentence that says what to do, and a context can still be made."""
    model = chooser(tmp_path, nowhere).choose().model
    assert isinstance(model, NoModel)
    assert (model.ref.provider, model.ref.name, model.window()) == ("none", "none", 4096)
    assert model.capabilities == frozenset()
    with pytest.raises(ModelError, match="no model on this machine") as caught:
        model.chat([], options=ChatOptions())
    assert caught.value.fix == "fetch one: nola model get default, or with Ollama: ollama pull llama3.2:3b"
    model.cancel()
    model.close()


@pytest.mark.parametrize(
    ("asked", "provider", "name"),
    [
        ("none", "none", "none"),
        ("ollama:anything", "ollama", "anything"),
        ("ollama:llama3.2:3b", "ollama", "llama3.2:3b"),
        ("embedded:larger", "embedded", "larger"),
        ("embedded:default", "none", "none"),
        ("larger", "embedded", "larger"),
        ("mistral", "ollama", "mistral"),
        ("mistral:latest", "ollama", "mistral:latest"),
    ],
)
def test_named(fake: FakeOllama, tmp_path: Path, asked: str, provider: str, name: str) -> None:
    """A name is taken at its word; a bare one is Ollama's if Ollama has it, else the manifest's."""
    fake.tags = [tag("mistral:latest", "7B")]
    choice = chooser(tmp_path, fake.url, "larger").choose(asked)
    assert (choice.model.ref.provider, choice.model.ref.name) == (provider, name)
    assert choice.why.startswith("it was asked for")


@pytest.mark.parametrize("asked", ["nothing-like-it", "embedded:nothing-like-it", "minilm", "ollama:"])
def test_unknown(nowhere: str, tmp_path: Path, asked: str) -> None:
    """A name that nothing has is a usage error."""
    with pytest.raises(UsageError, match="is called"):
        chooser(tmp_path, nowhere, "minilm").choose(asked)


def test_configured(nowhere: str, tmp_path: Path) -> None:
    """The configured model goes before the best, and what is asked for before the configured."""
    choose = chooser(tmp_path, nowhere, "default", "larger", model="embedded:larger")
    assert choose.choose().model.ref.name == "larger"
    assert choose.choose().why == "it is configured"
    assert choose.choose("default").model.ref.name == "default"


def test_own_file(nowhere: str, tmp_path: Path, gguf: Path) -> None:
    """A file of the owner's works by path, asked for or as the embedded model."""
    choice = chooser(tmp_path, nowhere).choose(str(gguf))
    assert (choice.model.ref.provider, choice.model.ref.name) == ("embedded", str(gguf))
    assert choice.model.window() == 2048
    assert chooser(tmp_path, nowhere, embedded=str(gguf)).choose().model.ref.name == str(gguf)


def test_own_file_that_is_none(nowhere: str, tmp_path: Path) -> None:
    """A path that holds no GGUF model is refused when it is asked for, and says so when it is configured."""
    bad = tmp_path / "bad.gguf"
    bad.write_text("hello", encoding="utf-8")
    with pytest.raises(UsageError, match="is no GGUF model file"):
        chooser(tmp_path, nowhere).choose(str(bad))
    model = chooser(tmp_path, nowhere, embedded=str(bad)).choose().model
    with pytest.raises(ModelError, match="is no GGUF model file"):
        model.chat([], options=ChatOptions())


def test_engine_not_installed(nowhere: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without llama.cpp's binding the sentence says what to install."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    model = chooser(tmp_path, nowhere, "default").choose().model
    with pytest.raises(ModelError, match="engine is not installed"):
        model.chat([], options=ChatOptions())


def test_known(fake: FakeOllama, tmp_path: Path) -> None:
    """The list holds Ollama's models and the manifest's chat models, and says which are here."""
    fake.tags = [tag("mistral:latest", "7B")]
    choose = chooser(tmp_path, fake.url, "default")
    assert [(m.name, m.present) for m in choose.known()] == [
        ("mistral:latest", True),
        ("default", True),
        ("larger", False),
    ]
    choose.close()


def test_broken_ollama(fake: FakeOllama, tmp_path: Path) -> None:
    """An Ollama that answers nonsense counts for nothing."""
    fake.tags = [{"model": 5, "size": "many"}]
    assert chooser(tmp_path, fake.url).installed() == []


def info(name: str, parameters: float, **more: Any) -> ModelInfo:
    """A model in Ollama."""
    return ModelInfo(name, "ollama", parameters=parameters, **more)


def test_rank() -> None:
    """Three to eight thousand million first, then smaller, larger and unknown; talk before code; never elsewhere."""
    models = [
        info("unknown", 0),
        info("llama3:70b", 70),
        info("gemma:27b", 27),
        info("qwen2.5-coder:7b", 7),
        info("tiny:1b", 1),
        info("llama3.2:3b", 3.2),
        info("mistral:7b", 7),
        info("mistral:7b-text", 7),
        info("bert", 0.3, capabilities=frozenset({"embedding"})),
        info("gpt-oss:120b-cloud", 5, remote=True),
    ]
    ranked = [m.name for m in rank(models)]
    assert ranked == [
        "mistral:7b",
        "llama3.2:3b",
        "qwen2.5-coder:7b",
        "tiny:1b",
        "gemma:27b",
        "llama3:70b",
        "mistral:7b-text",
        "unknown",
    ]
    assert rank(models, preferred="llama3.2:3b")[0].name == "llama3.2:3b"


def test_public_names() -> None:
    """The module's public names are what callers rely on."""
    assert nola.llm.choose.__all__ == ["Choice", "Chooser", "NoModel", "rank"]
