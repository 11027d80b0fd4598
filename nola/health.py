"""The checks of `nola doctor`: each has a stable id, a severity, a sentence, and what to do."""

from __future__ import annotations

import shutil
import stat
from typing import TYPE_CHECKING

from nola.errors import NolaError
from nola.keeping import problem_sentence
from nola.port import Finding
from nola.types import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nola.config import Config
    from nola.llm.choose import Chooser
    from nola.memory.store import ConversationStore
    from nola.state.store import StateStore

__all__ = ["check_health"]

_LEAST_FREE = 1_000_000_000
_OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_health(
    config: Config, state: StateStore, conversations: ConversationStore, chooser: Chooser, *, vectors: bool
) -> list[Finding]:
    """Run every check; a check that itself fails is a finding too.

    Args:
        config: Where everything lies.
        state: The JSON modules.
        conversations: The stored turns.
        chooser: What chooses the model.
        vectors: There is an embedder.
    """
    checks: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        ("home", lambda: _home(config.home)),
        ("state", lambda: _state(state)),
        ("memory", lambda: _memory(conversations)),
        ("ollama", lambda: _ollama(chooser, config.settings.ollama.default_model)),
        ("model", lambda: _model(chooser)),
        ("vectors", lambda: _vectors(config, present=vectors)),
    ]
    found: list[Finding] = []
    for name, check in checks:
        try:
            found.extend(check())
        except (NolaError, OSError) as error:
            found.append(Finding(f"{name}.failed", Severity.ERROR, str(error), getattr(error, "fix", "")))
    return found


def _home(home: Path) -> Iterator[Finding]:
    mode = home.stat().st_mode
    if mode & _OPEN_TO_OTHERS:
        yield Finding("home.permissions", Severity.WARNING, f"{home} can be read by others", f"chmod 700 {home}")
    else:
        yield Finding("home.permissions", Severity.OK, f"{home} is yours alone")
    free = shutil.disk_usage(home).free
    if free < _LEAST_FREE:
        yield Finding("home.space", Severity.WARNING, f"{free / 1e9:.1f} GB are free", "free some space")
    else:
        yield Finding("home.space", Severity.OK, f"{free / 1e9:.0f} GB are free")


def _state(state: StateStore) -> Iterator[Finding]:
    problems = state.problems()
    for problem in problems:
        severity = Severity.ERROR if problem.severity == "error" else Severity.WARNING
        yield Finding("state.file", severity, problem_sentence(problem), "open the file there and mend it")
    if not problems:
        count = len(state.candidates())
        yield Finding("state.files", Severity.OK, f"{len(state.module_names())} modules with {count} facts can be read")


def _memory(conversations: ConversationStore) -> Iterator[Finding]:
    problems = conversations.check()
    for problem in problems:
        yield Finding("memory.file", Severity.ERROR, problem_sentence(problem), "keep the file and restore a copy")
    if not problems:
        yield Finding("memory.file", Severity.OK, "the conversations can be read")


def _ollama(chooser: Chooser, proposed: str) -> Iterator[Finding]:
    host = chooser.server.host.url
    if not chooser.server.answers():
        yield Finding("ollama.answers", Severity.OK, f"no Ollama answers at {host}; the embedded model is used")
        return
    names = [m.name for m in chooser.installed()]
    if names:
        yield Finding("ollama.answers", Severity.OK, f"Ollama at {host} has {len(names)} models")
    else:
        yield Finding("ollama.models", Severity.WARNING, f"Ollama at {host} has no model", f"ollama pull {proposed}")


def _model(chooser: Chooser) -> Iterator[Finding]:
    choice = chooser.choose()
    model = choice.model
    if model.ref.provider == "none":
        fix = getattr(model, "fix", "")
        yield Finding(
            "model.chosen", Severity.ERROR, f"no model can answer: {choice.why}", fix or "nola model get default"
        )
        return
    window = model.window()
    yield Finding(
        "model.chosen",
        Severity.OK,
        f"{model.ref.provider}:{model.ref.name} answers ({choice.why}), window {window:,} tokens",
    )
    for warning in model.warnings:
        yield Finding("model.warning", Severity.WARNING, warning)


def _vectors(config: Config, *, present: bool) -> Iterator[Finding]:
    if present:
        yield Finding("vectors.embedder", Severity.OK, "facts are found by words and by meaning")
    elif config.settings.embed.provider == "none":
        yield Finding(
            "vectors.off", Severity.OK, "facts are found by words and synonyms alone, as set (embed.provider)"
        )
    else:
        yield Finding(
            "vectors.missing",
            Severity.WARNING,
            "no embedder: a question in words that differ from your notes finds fewer facts "
            "(by measure 79 of 100, not 97)",
            "nola model get minilm && nola model get minilm-tokenizer",
        )
