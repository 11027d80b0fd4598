"""What an Ollama server has: its models, what each can do, and which are loaded, asked through the official client."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nola.errors import ModelError
from nola.llm.base import ModelInfo
from nola.llm.ollama_call import Call
from nola.llm.ollama_host import answers, parse_host

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nola.settings import OllamaSettings

__all__ = ["OllamaServer", "Shown", "full_name", "refused"]

_NOT_FOUND = 404
_NO_VECTORS = "does not support embed"
_LEAST_MODEL_BYTES = 1_000_000
_EMBEDDING_FAMILIES = frozenset({"bert", "nomic-bert", "nomic-bert-moe", "xlm-roberta", "t5"})
_PARAMETERS = re.compile(r"([\d.]+)\s*([KMBT])", re.IGNORECASE)
_UNITS = {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}
_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d+)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model says about itself (Ollama API: /api/show).

    Attributes:
        trained: Longest window it was trained for in tokens; 0 when it does not say.
        num_ctx: Window that its Modelfile asks for; 0 when it does not.
        capabilities: For example completion, tools, vision, thinking, embedding; empty when it does not say.
        family: Architecture, for example `llama`.
        templated: Its template shows the system prompt to the model.
    """

    trained: int = 0
    num_ctx: int = 0
    capabilities: frozenset[str] = frozenset()
    family: str = ""
    templated: bool = True


class OllamaServer:
    """One Ollama server. Nothing is sent before a method is called."""

    def __init__(self, settings: OllamaSettings, *, environment_host: str = "") -> None:
        """Work out the address.

        Args:
            settings: Address, timeouts.
            environment_host: The value of `OLLAMA_HOST`; the setting goes before it.

        Raises:
            ConfigError: The address is none.
        """
        self.settings = settings
        self.host = parse_host(settings.host, environment_host)

    def answers(self) -> bool:
        """Tell within the connect timeout whether anything listens."""
        return answers(self.host, timeout_s=self.settings.connect_timeout)

    def call(self) -> Call:
        """Prepare a chat request."""
        s = self.settings
        return Call(self.host, connect_timeout_s=s.connect_timeout, read_timeout_s=s.read_timeout)

    def models(self) -> list[ModelInfo]:
        """List the models that are installed, in the server's order.

        Raises:
            ModelError: The server could not be asked.
        """
        installed = self._ask(lambda client: client.list(), "").models
        loaded = self.loaded() if installed else {}
        return [_info(m, loaded) for m in installed if m.model]

    def loaded(self) -> dict[str, int]:
        """Return the loaded models and their actual windows in tokens, 0 when an old server does not tell.

        Raises:
            ModelError: The server could not be asked.
        """
        running = self._ask(lambda client: client.ps(), "").models
        return {full_name(m.model or m.name or ""): m.context_length or 0 for m in running}

    def show(self, name: str) -> Shown:
        """Ask what a model is; what an old server does not say stays at its default.

        Raises:
            ModelError: The server could not be asked, or has no such model.
        """
        try:
            return _shown(self._ask(lambda client: client.show(name), name))
        except _UnreadableError:
            return Shown()

    def digest(self, name: str) -> str:
        """Return the digest of an installed model; empty when an old server does not tell.

        Raises:
            ModelError: The server could not be asked, or has no such model.
        """
        installed = self._ask(lambda client: client.list(), "").models
        for model in installed:
            if full_name(model.model or "") == full_name(name):
                return str(model.digest or "")
        raise refused(_NOT_FOUND, "", name)

    def embed(self, name: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text by native /api/embed; texts that are too long for the model are cut.

        Raises:
            ModelError: The server could not be asked, has no such model, or the model makes no vectors.
        """

        def question(client: Any) -> Any:
            return client.embed(model=name, input=list(texts), truncate=True)

        vectors: Sequence[Sequence[float]] = self._ask(question, name, patience_s=self.settings.read_timeout).embeddings
        return vectors

    def no_connection(self, why: object = "") -> ModelError:
        """Make the error for a server that can't be reached."""
        reason = f" ({why})" if str(why) else ""
        return ModelError(f"no Ollama answers at {self.host.url}{reason}", fix="start it with: ollama serve")

    def _ask(self, question: Callable[[Any], Any], name: str, *, patience_s: float = 30.0) -> Any:
        import httpx  # noqa: PLC0415 -- keeps start-up fast
        import ollama  # noqa: PLC0415 -- keeps start-up fast

        s = self.settings
        patience = httpx.Timeout(min(s.read_timeout, patience_s), connect=s.connect_timeout)
        try:
            with ollama.Client(host=self.host.url, timeout=patience, trust_env=False) as client:
                return question(client)
        except ollama.ResponseError as error:
            raise refused(error.status_code, error.error, name) from error
        except (ConnectionError, httpx.TransportError) as error:
            raise self.no_connection(_cause(error)) from error
        except ValueError as error:
            raise _UnreadableError("Ollama answered something unreadable", fix="update Ollama") from error


class _UnreadableError(ModelError):
    """The answer has not the shape that the official client knows."""


def full_name(name: str) -> str:
    """Return a model's name with its tag: `llama3.2` is `llama3.2:latest`."""
    return name if ":" in name.rpartition("/")[2] or not name else f"{name}:latest"


def refused(status: int, text: str, name: str) -> ModelError:
    """Make the error for an answer with another status than 200 (Ollama API: errors)."""
    if status == _NOT_FOUND:
        return ModelError(f"Ollama has no model called {name!r}", fix=f"fetch it with: ollama pull {name}")
    if _NO_VECTORS in text:
        return ModelError(f"{name} makes no vectors", fix="choose an embedding model, for example: all-minilm")
    return ModelError(f"Ollama refused ({status}): {text or 'it gave no reason'}", fix="see the log of ollama serve")


def _cause(error: BaseException) -> str:
    cause = error.__context__ if isinstance(error, ConnectionError) and error.__context__ else error
    return type(cause).__name__ if "Timeout" in type(cause).__name__ else ""


def _info(model: Any, loaded: Mapping[str, int]) -> ModelInfo:
    details = model.details
    family = (details.family if details else "") or ""
    size = int(model.size or 0)
    embeds = family in _EMBEDDING_FAMILIES or "embed" in model.model
    return ModelInfo(
        name=model.model,
        provider="ollama",
        size_bytes=size,
        family=family,
        parameters=_thousand_millions((details.parameter_size if details else "") or ""),
        capabilities=frozenset({"embedding"}) if embeds else frozenset(),
        loaded=full_name(model.model) in loaded,
        remote=model.model.endswith(("-cloud", ":cloud")) or size < _LEAST_MODEL_BYTES,
    )


def _thousand_millions(text: str) -> float:
    found = _PARAMETERS.search(text)
    return float(found[1]) * _UNITS[found[2].upper()] if found else 0.0


def _shown(answer: Any) -> Shown:
    info: Mapping[str, Any] = answer.modelinfo or {}
    family = str(info.get("general.architecture") or (answer.details.family if answer.details else "") or "")
    trained = info.get(f"{family}.context_length")
    asked = _NUM_CTX.search(answer.parameters or "")
    return Shown(
        trained=trained if isinstance(trained, int) else 0,
        num_ctx=int(asked[1]) if asked else 0,
        capabilities=frozenset(answer.capabilities or ()),
        family=family,
        templated=_templated(answer.template or "", answer.modelfile or ""),
    )


def _templated(template: str, modelfile: str) -> bool:
    """A bare prompt as template drops the system prompt, unless Ollama renders this model by itself."""
    bare = re.sub(r"\s", "", template) in {"{{.Prompt}}", "{{-.Prompt}}", "{{.Prompt-}}"}
    return not bare or re.search(r"^RENDERER ", modelfile, re.MULTILINE) is not None
