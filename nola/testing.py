"""The public test kit: stand-ins that make Nola's tests, and an add-on's, exact and fast."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from nola import config as configuration
from nola.app import open_assistant
from nola.flow import Message, ModelRef, Usage
from nola.llm.base import CANCELLED, Chunk
from nola.llm.choose import NoModel
from nola.llm.tokens import estimate
from nola.types import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from nola.agent import Agent
    from nola.clock import Clock
    from nola.context.select import Vectoriser
    from nola.llm.base import ChatModel, ChatOptions
    from nola.llm.embed import Embedder

__all__ = ["ManualClock", "Reply", "ScriptedModel", "echo", "make_agent"]

Reply: TypeAlias = str | Exception | Sequence[str | Exception] | Callable[[Sequence[Message]], str]
"""What a ScriptedModel says once: a text, its pieces, an error in place of a piece, or what it makes of the prompt."""

_START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
_NO_OLLAMA = "http://127.0.0.1:9"


class ManualClock:
    """A clock that moves only when it is told to.

    Args:
        start: The instant that it shows first; a naive one is UTC.
    """

    def __init__(self, start: datetime = _START) -> None:
        self._now = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
        self._monotonic = 0.0

    def now(self) -> datetime:
        """Return the instant that was set, aware, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds that were advanced so far; setting the clock back does not lower it."""
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Move the clock; negative seconds set the wall clock back, as a person may."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += max(0.0, seconds)


class ScriptedModel:
    """A chat model that says what it is told to, and keeps what it was asked.

    Args:
        replies: What it says, one for each chat; the last one again and again, `Noted.` when there is none.
        name: Its name; its provider is `scripted`.
        window: Its window in tokens.

    Attributes:
        prompts: The messages of every chat.
        options: The options of every chat.
        closed: How many replies were closed before they had ended.
    """

    capabilities: frozenset[str] = frozenset({"completion"})
    warnings: tuple[str, ...] = ()

    def __init__(self, *replies: Reply, name: str = "scripted", window: int = 4096) -> None:
        self.ref = ModelRef("scripted", name)
        self.prompts: list[tuple[Message, ...]] = []
        self.options: list[ChatOptions] = []
        self.closed = 0
        self._replies = replies
        self._window = window
        self._lock = threading.Lock()
        self._cancelled = threading.Event()

    def window(self) -> int:
        """Return the window that was set."""
        return self._window

    def chat(self, messages: Sequence[Message], *, options: ChatOptions) -> Iterator[Chunk]:
        """Say the next reply, piece by piece; an error among the pieces is raised where it stands."""
        with self._lock:
            turn = len(self.prompts)
            self.prompts.append(tuple(messages))
            self.options.append(options)
            self._cancelled.clear()
        reply = self._replies[min(turn, len(self._replies) - 1)] if self._replies else "Noted."
        said = reply(messages) if callable(reply) else reply
        return self._spoken([said] if isinstance(said, str | Exception) else said, messages)

    def cancel(self) -> None:
        """End every reply before its next piece."""
        self._cancelled.set()

    def close(self) -> None:
        """Do nothing: nothing is held."""

    def _spoken(self, pieces: Sequence[str | Exception], messages: Sequence[Message]) -> Iterator[Chunk]:
        ended = False
        count = 0
        try:
            for piece in pieces:
                if self._cancelled.is_set():
                    break
                if isinstance(piece, Exception):
                    ended = True
                    raise piece
                count += 1
                yield Chunk(piece)
            ended = True
            asked = sum(estimate(message.content) for message in messages)
            stopped = CANCELLED if self._cancelled.is_set() else "stop"
            yield Chunk("", done=True, usage=Usage(asked, count, stopped))
        finally:
            with self._lock:
                self.closed += not ended


def echo(messages: Sequence[Message]) -> str:
    """Say what stands in the system messages: a `Reply` that shows what reached the model."""
    return "\n".join(message.content for message in messages if message.role is Role.SYSTEM)


def make_agent(
    home: Path,
    *,
    model: ChatModel | None = None,
    clock: Clock | None = None,
    vectoriser: Vectoriser | None = None,
    embedder: Embedder | None = None,
    settings: Mapping[str, str] | None = None,
) -> Agent:
    """Build a real agent over a folder, which asks no Ollama and loads no model file.

    Args:
        home: Its folder, which need not exist.
        model: What answers every message, save where `none` is asked for; None for no model at all.
        clock: Tells the time; None for a ManualClock.
        vectoriser: The embedder of facts; None for words alone.
        embedder: The embedder of memories; None for words alone.
        settings: Settings by their keys, as text, for example `{"learn.policy": "off"}`.
    """
    chosen = {"ollama.host": _NO_OLLAMA, "embed.provider": "none", **(settings or {})}
    environ = {f"NOLA_{key.replace('.', '_').upper()}": value for key, value in chosen.items()}
    config = configuration.load({**environ, "NOLA_HOME": str(home)})

    def choose(name: str | None) -> ChatModel:
        if model is None or name == "none":
            return NoModel("no model was asked for", "choose one with --model")
        return model

    return open_assistant(config, choose=choose, clock=clock or ManualClock(), vectoriser=vectoriser, embedder=embedder)
