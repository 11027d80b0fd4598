"""Which embedder makes the vectors of the learned memory: the best one that this machine has."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from nola.errors import ModelError, NolaError, UsageError
from nola.llm.models import ModelFiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from nola.config import Config
    from nola.llm.embed import Embedder

__all__ = ["EMBEDDERS", "embedder_here", "embedder_named", "embedder_of", "minilm_can_run"]

EMBEDDERS = ("default", "minilm", "wordllama", "ollama", "hashing", "none")
"""The names that `embedder_named` knows; `ollama:MODEL` names a model too."""

_MINILM = ("minilm", "minilm-tokenizer")
_MINILM_PACKAGES = ("onnxruntime", "tokenizers")
_STATIC = ("wordllama", "wordllama-tokenizer")
_STATIC_PACKAGES = ("tokenizers",)
_OLLAMA_MODEL = "all-minilm"
_OLLAMA = "ollama/"


def minilm_can_run() -> bool:
    """Say whether the packages are installed with which MiniLM runs."""
    return _are_installed(_MINILM_PACKAGES)


def embedder_named(name: str, config: Config) -> Embedder | None:
    """Return an embedder; nothing is loaded before its first use.

    `default` is MiniLM, with its files fetched if they are missing; where its packages can't run, wordllama's static
    vectors; where neither can be had, hashing.

    Args:
        name: One of `EMBEDDERS`, or `ollama:MODEL`.
        config: Where model files stand, and which Ollama.

    Returns:
        The embedder; None for `none`.

    Raises:
        UsageError: There is no such embedder.
        ModelError: It is not installed.
        DownloadError: Its files could not be fetched.
    """
    kind, _, model = name.partition(":")
    if kind not in EMBEDDERS or (model and kind != "ollama"):
        raise UsageError(f"embedder is one of {', '.join(EMBEDDERS)} or ollama:MODEL, not {name!r}")
    if kind == "none":
        return None
    if kind == "ollama":
        return _ollama(model or _OLLAMA_MODEL, config)
    if kind == "hashing":
        return _hashing()
    if kind == "wordllama":
        return _static(config)
    return _minilm(config) if kind == "minilm" else _best(config)


def embedder_here(config: Config) -> Embedder | None:
    """Return the best embedder of which everything is on this machine already; nothing is fetched.

    Args:
        config: Where model files stand; `embed.provider` none means none.

    Returns:
        MiniLM, else wordllama's static vectors, else hashing.
    """
    if config.settings.embed.provider == "none":
        return None
    files = ModelFiles(config.models_dir)
    if minilm_can_run() and all(map(files.is_present, _MINILM)):
        return _minilm(config)
    return _static(config) if _static_is_here(config) else _hashing()


def embedder_of(model_id: str, config: Config) -> Embedder | None:
    """Return the embedder that made vectors of this model; None where it can't be had without fetching anything.

    Args:
        model_id: As `Embedder.model_id` tells it.
        config: Where model files stand, and which Ollama.
    """
    made: Embedder | None = None
    if model_id.startswith(_OLLAMA):
        made = _ollama(model_id.removeprefix(_OLLAMA).partition("@")[0], config)
    elif model_id == _hashing().model_id:
        made = _hashing()
    elif model_id.startswith(_STATIC[0]):
        made = _static(config) if _static_is_here(config) else None
    elif minilm_can_run():
        made = _minilm(config) if all(map(ModelFiles(config.models_dir).is_present, _MINILM)) else None
    try:
        return made if made is not None and made.model_id == model_id else None
    except NolaError:
        return None


def _best(config: Config) -> Embedder | None:
    if config.settings.embed.provider == "none":
        return None
    try:
        return _minilm(config) if minilm_can_run() else _static(config)
    except NolaError:  # what can't be fetched now is not tried twice
        return _static(config) if _static_is_here(config) else _hashing()


def _static_is_here(config: Config) -> bool:
    return _are_installed(_STATIC_PACKAGES) and all(map(ModelFiles(config.models_dir).is_present, _STATIC))


def _are_installed(packages: Sequence[str]) -> bool:
    return all(find_spec(name) is not None for name in packages)


def _files(config: Config, names: Sequence[str], packages: Sequence[str]) -> Iterator[Path]:
    """Return the files of an embedder whose packages are installed, fetched if they are missing."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        fix = "run: pip install 'nola-assistant[embeddings]'"
        raise ModelError(f"the embedder's packages are not installed ({missing[0]})", fix=fix)
    files = ModelFiles(config.models_dir)
    return (files.fetch(name) for name in names)


def _minilm(config: Config) -> Embedder:
    from nola.llm.embed import MiniLmEmbedder  # noqa: PLC0415 -- keeps start-up fast

    embed = config.settings.embed
    model, tokenizer = _files(config, _MINILM, _MINILM_PACKAGES)
    return MiniLmEmbedder(model, tokenizer, threads=embed.threads, batch=embed.batch, max_tokens=embed.max_tokens)


def _static(config: Config) -> Embedder:
    from nola.llm.static import StaticEmbedder  # noqa: PLC0415 -- keeps start-up fast

    return StaticEmbedder(*_files(config, _STATIC, _STATIC_PACKAGES))


def _hashing() -> Embedder:
    from nola.llm.hashing import HashingEmbedder  # noqa: PLC0415 -- keeps start-up fast

    return HashingEmbedder()


def _ollama(model: str, config: Config) -> Embedder:
    from nola.llm.ollama_embed import OllamaEmbedder  # noqa: PLC0415 -- keeps start-up fast
    from nola.llm.ollama_server import OllamaServer  # noqa: PLC0415 -- keeps start-up fast

    return OllamaEmbedder(OllamaServer(config.settings.ollama), model)
