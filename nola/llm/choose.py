"""Chooses the model that answers: the one that was asked for, the configured one, or the best there is."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nola.errors import ModelError, UsageError
from nola.flow import ModelRef
from nola.llm.base import ModelInfo
from nola.llm.embedded import EmbeddedModel, can_run
from nola.llm.gguf import read_head
from nola.llm.ollama import OllamaModel
from nola.llm.ollama_server import OllamaServer, full_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nola.flow import Message
    from nola.llm.base import ChatModel, ChatOptions, Chunk
    from nola.llm.models import ModelFiles
    from nola.settings import Settings

__all__ = ["Choice", "Chooser", "NoModel", "rank"]

_LEAST_BILLIONS, _MOST_BILLIONS = 2.9, 8.9
_BASE_MARKS = ("base", "-text", ":text")
_CODE_MARKS = ("code", "math", "sql", "guard", "ocr", "rerank")
_MOST_ASKED = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """The model that answers, and why it was chosen; a `NoModel` when there is none."""

    model: ChatModel
    why: str


class NoModel:
    """Stands where no model is: every chat fails with one sentence that says what to do."""

    ref = ModelRef("none", "none")
    capabilities: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()

    def __init__(self, why: str, fix: str) -> None:
        """Keep why there is no model and what to do about it."""
        self.why = why
        self.fix = fix

    def window(self) -> int:
        """Return a common small model's window, so that a context can be made without a model."""
        return 4096

    def chat(self, messages: Sequence[Message], *, options: ChatOptions) -> Iterator[Chunk]:
        """Fail.

        Raises:
            ModelError: Always.
        """
        del messages, options
        raise ModelError(self.why, fix=self.fix)

    def cancel(self) -> None:
        """Do nothing: nothing is ever under way."""

    def close(self) -> None:
        """Do nothing: nothing is held."""


class Chooser:
    """Chooses among Ollama's models, the embedded one, and a file of the owner's. Thread-safe.

    Ollama is asked once in the life of this object; `forget` makes it ask again.
    """

    def __init__(self, settings: Settings, files: ModelFiles, *, ollama_host: str = "") -> None:
        """Keep what is chosen among; nothing is asked yet.

        Args:
            settings: Which model is configured, and how each kind is run.
            files: The model files on this machine.
            ollama_host: The value of `OLLAMA_HOST`.

        """
        self._settings = settings
        self._files = files
        self._ollama_host = ollama_host
        self._lock = threading.RLock()
        self._installed: list[ModelInfo] | None = None
        self._models: dict[str, ChatModel] = {}

    @cached_property
    def server(self) -> OllamaServer:
        """Ollama, wherever it is said to be.

        Raises:
            ConfigError: Its address is none.
        """
        return OllamaServer(self._settings.ollama, environment_host=self._ollama_host)

    def choose(self, asked: str | None = None) -> Choice:
        """Choose a model; the same name gives the same object again.

        Args:
            asked: `ollama:NAME`, `embedded:NAME`, the path of a `.gguf`, a bare name, `none`; None or empty for the
                configured one, else the best there is.

        Raises:
            UsageError: Nothing is called so.
        """
        with self._lock:
            if asked and asked.strip():
                return self._named(asked.strip(), "it was asked for")
            if configured := self._settings.llm.model.strip():
                return self._named(configured, "it is configured")
            return self._best()

    def installed(self) -> list[ModelInfo]:
        """List the models in Ollama; none when no Ollama answers."""
        with self._lock:
            if self._installed is None:
                try:
                    self._installed = self.server.models() if self.server.answers() else []
                except ModelError:
                    self._installed = []
            return self._installed

    def known(self) -> list[ModelInfo]:
        """List every chat model that is here or in the manifest, Ollama's first."""
        embedded = [
            ModelInfo(
                name=entry.name,
                provider="embedded",
                size_bytes=entry.size,
                parameters=entry.parameters,
                window=entry.window,
                capabilities=frozenset({"completion"}),
                present=self._files.is_present(entry.name),
                description=entry.description,
            )
            for entry in self._files.manifest.entries
            if entry.purpose == "chat"
        ]
        return [*self.installed(), *embedded]

    def forget(self) -> None:
        """Ask Ollama again next time."""
        with self._lock:
            self._installed = None

    def close(self) -> None:
        """Close every model that was given out."""
        with self._lock:
            models, self._models = list(self._models.values()), {}
        for model in models:
            model.close()

    def _named(self, name: str, why: str) -> Choice:
        provider, colon, rest = name.partition(":")
        if name == "none":
            return Choice(NoModel("no model was asked for", "choose one with --model"), why)
        if colon and provider == "ollama" and rest:
            return Choice(self._ollama(rest), why)
        if colon and provider == "embedded" and rest:
            return Choice(self._embedded(rest), why)
        if name.endswith(".gguf"):
            model = self._from_path(name)
            if isinstance(model, NoModel) and can_run():
                raise UsageError(model.why, fix=model.fix)
            return Choice(model, why)
        if full_name(name) in {full_name(m.name) for m in self.installed()}:
            return Choice(self._ollama(name), f"{why} and Ollama has it")
        if any(e.name == name and e.purpose == "chat" for e in self._files.manifest.entries):
            return Choice(self._embedded(name), f"{why} and it is one of Nola's own")
        raise UsageError(f"no model is called {name!r}", fix=f"see nola model list, or fetch it: ollama pull {name}")

    def _best(self) -> Choice:
        candidates = rank(self.installed(), preferred=self._settings.ollama.default_model)
        for info in candidates[:_MOST_ASKED]:
            model = self._ollama(info.name)
            try:
                completes = "completion" in model.capabilities
            except ModelError:
                continue
            if completes:
                return Choice(model, "it is the best chat model in Ollama")
        name = self._settings.embedded.model
        model = self._embedded(name)
        where = f"no chat model answers at {self.server.host.url}"
        return Choice(model, where if isinstance(model, NoModel) else f"{where}, so the embedded one does")

    def _ollama(self, name: str) -> ChatModel:
        return self._models.setdefault(f"ollama:{name}", OllamaModel(self.server, name))

    def _embedded(self, name: str) -> ChatModel:
        if name.endswith(".gguf"):
            return self._from_path(name)
        entry = self._files.manifest.entry(name)
        if not self._files.is_present(name):
            pull = self._settings.ollama.default_model
            fix = f"fetch one: nola model get {name}, or with Ollama: ollama pull {pull}"
            return NoModel("there is no model on this machine that could answer", fix)
        return self._runnable(name, self._files.path(name), entry.window)

    def _from_path(self, text: str) -> ChatModel:
        path = Path(text).expanduser().absolute()
        try:
            head = read_head(path)
        except ModelError as error:
            return NoModel(str(error), error.fix)
        return self._runnable(str(path), path, head.window)

    def _runnable(self, name: str, path: Path, window: int) -> ChatModel:
        if not can_run():
            return NoModel("the embedded engine is not installed", "run: pip install 'nola-assistant[embedded]'")
        model = EmbeddedModel(name, path, self._settings.embedded, trained_window=window)
        return self._models.setdefault(f"embedded:{name}", model)


def rank(models: Sequence[ModelInfo], *, preferred: str = "") -> list[ModelInfo]:
    """Order Ollama's models from the best to chat with on a home machine to the worst.

    First those of 3 to 8 thousand million parameters, then smaller ones, then larger ones, then those of unknown size;
    among equals the preferred one, those made for talk before those made for code, and then the larger (the smaller
    among those beyond 8). Models that only embed are left out, and so are models that run on somebody else's machine:
    what Nola knows leaves this machine only when its owner names such a model.
    """
    chat = [m for m in models if not m.remote and "embedding" not in m.capabilities]
    return sorted(chat, key=lambda m: _order(m, preferred))


def _order(model: ModelInfo, preferred: str) -> tuple[int, bool, bool, float, str]:
    name, size = model.name.lower(), model.parameters
    base = any(mark in name for mark in _BASE_MARKS)
    if size == 0 or base:
        group = 3
    elif size < _LEAST_BILLIONS:
        group = 1
    else:
        group = 0 if size < _MOST_BILLIONS else 2
    special = any(mark in name for mark in _CODE_MARKS)
    larger_first = size if size >= _MOST_BILLIONS else -size
    return group, full_name(name) != full_name(preferred.lower()), special, larger_first, name
