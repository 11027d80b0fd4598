"""A chat model that Ollama runs: one explicit window, no silent truncation, errors as sentences."""

from __future__ import annotations

import contextlib
import http.client
import threading
from typing import TYPE_CHECKING, Any

import orjson

from nola.errors import ModelError
from nola.flow import ModelRef, Usage
from nola.llm.base import CANCELLED, Chunk, TooLongError
from nola.llm.ollama_call import BadStatusError, GarbageError
from nola.llm.ollama_server import full_name, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nola.flow import Message
    from nola.llm.base import ChatOptions
    from nola.llm.ollama_call import Call
    from nola.llm.ollama_server import OllamaServer, Shown

__all__ = ["OllamaModel"]

_TOO_LONG = ("context length", "context size", "context window")
_SERVER_ERROR = 500
_BUSY = 503


class OllamaModel:
    """A model of an Ollama server.

    Every request carries the same `num_ctx`, so that the server never reloads the model for Nola's sake, and
    `truncate: false, shift: false`, so that a prompt that does not fit is an error instead of a silent cut.
    """

    def __init__(self, server: OllamaServer, name: str) -> None:
        """Name the model; nothing is asked yet."""
        self.ref = ModelRef("ollama", name)
        self._server = server
        self._lock = threading.Lock()
        self._calls: set[Call] = set()
        self._known: Shown | None = None
        self._actual: int | None = None
        self._answered = False

    @property
    def capabilities(self) -> frozenset[str]:
        """What it can do; an old server that does not say is taken for one that completes."""
        return self._shown().capabilities or frozenset({"completion"})

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence when the model has no template, and so never sees the system prompt."""
        if self._shown().templated:
            return ()
        name = self.ref.name
        return (f"{name} has no chat template: Ollama drops the system prompt, and so all of Nola's context",)

    def window(self) -> int:
        """Return the least window of the setting, the training, the Modelfile and, once it is loaded, the server."""
        if self._answered and self._actual is None:
            self._actual = self._ask_actual()
        limit = self._num_ctx()
        return min(limit, self._actual) if self._actual else limit

    def chat(self, messages: Sequence[Message], *, options: ChatOptions) -> Iterator[Chunk]:
        """Answer by native /api/chat; see `ChatModel.chat`."""
        body = orjson.dumps(self._request(messages, options))
        call = self._server.call()
        with self._lock:
            self._calls.add(call)
        received: list[str] = []
        try:
            with contextlib.closing(call.lines(body)) as lines:
                for line in lines:
                    chunk = self._chunk(line)
                    received.append(chunk.text)
                    yield chunk
                    if chunk.done:
                        return
            error: Exception | None = None
        except (OSError, http.client.HTTPException, BadStatusError, GarbageError, _MidStreamError) as caught:
            error = caught
        finally:
            with self._lock:
                self._calls.discard(call)
        if not call.cancelled:
            raise self._told(error, call, "".join(received)) from error
        yield Chunk("", done=True, usage=Usage(stop_reason=CANCELLED))

    def cancel(self) -> None:
        """Close the connections of all replies under way."""
        with self._lock:
            calls = list(self._calls)
        for call in calls:
            call.cancel()

    def close(self) -> None:
        """Break off what is under way; the server keeps the model for `keep_alive`."""
        self.cancel()

    def _shown(self) -> Shown:
        if self._known is None:
            self._known = self._server.show(self.ref.name)
        return self._known

    def _num_ctx(self) -> int:
        shown = self._shown()
        return min(n for n in (self._server.settings.num_ctx, shown.trained, shown.num_ctx) if n > 0)

    def _ask_actual(self) -> int:
        try:
            return self._server.loaded().get(full_name(self.ref.name), 0)
        except ModelError:
            return 0

    def _request(self, messages: Sequence[Message], options: ChatOptions) -> dict[str, Any]:
        settings = self._server.settings
        request: dict[str, Any] = {
            "model": self.ref.name,
            "messages": [{"role": m.role.value, "content": m.content} for m in messages],
            "stream": True,
            "truncate": False,
            "shift": False,
            "keep_alive": _duration(settings.keep_alive),
            "options": {
                "num_ctx": self._num_ctx(),
                "num_predict": options.reply_tokens,
                "temperature": options.temperature,
                "top_p": options.top_p,
            },
        }
        if options.seed >= 0:
            request["options"]["seed"] = options.seed
        if "thinking" in self.capabilities:
            request["think"] = self._think(wanted=settings.think)
        return request

    def _think(self, *, wanted: bool) -> bool | str:
        if self._shown().family in {"gptoss", "gpt-oss"}:  # takes levels only and can't be silenced
            return "medium" if wanted else "low"
        return wanted

    def _chunk(self, line: dict[str, Any]) -> Chunk:
        if "error" in line:
            raise _MidStreamError(str(line["error"]))
        message = line.get("message")
        if not isinstance(message, dict):
            message = {}
        text, thinking = str(message.get("content") or ""), str(message.get("thinking") or "")
        if not line.get("done"):
            return Chunk(text, thinking)
        self._answered = True
        return Chunk(text, thinking, done=True, usage=_usage(line))

    def _told(self, error: Exception | None, call: Call, partial: str) -> ModelError:
        """Turn a failure into one sentence and a fix."""
        name, log = self.ref.name, "try again, or see the log of ollama serve"
        if isinstance(error, BadStatusError | _MidStreamError):
            if any(words in error.text for words in _TOO_LONG) and not partial:
                return TooLongError(f"the prompt is longer than the window of {name}", window=self._num_ctx())
            if isinstance(error, BadStatusError):
                return _status(error, name)
            return ModelError(f"{name} broke off: {error.text}", fix=log, partial=partial)
        if not call.connected:
            return self._server.no_connection("no connection in time" if isinstance(error, TimeoutError) else "")
        if isinstance(error, GarbageError):
            why, fix = f"Ollama sent something unreadable: {error}", "check the address in ollama.host"
        elif isinstance(error, TimeoutError):
            silence = self._server.settings.read_timeout
            why, fix = f"{name} was silent for {silence:g} s", "raise ollama.read_timeout, or choose a smaller model"
        else:
            why, fix = f"Ollama broke off {'in mid-answer' if partial else 'before any answer'}", log
        return ModelError(why, fix=fix, partial=partial)


class _MidStreamError(Exception):
    """A line `{"error": ...}` inside a reply."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def _status(error: BadStatusError, name: str) -> ModelError:
    if error.status == _BUSY:
        return ModelError("Ollama is busy: its queue is full", fix="try again in a moment")
    if error.status >= _SERVER_ERROR:
        return ModelError(
            f"Ollama failed to run {name}: {error.text}", fix="choose a smaller model, or see the log of ollama serve"
        )
    return refused(error.status, error.text, name)


def _usage(line: dict[str, Any]) -> Usage:
    return Usage(_count(line, "prompt_eval_count"), _count(line, "eval_count"), str(line.get("done_reason") or ""))


def _count(line: dict[str, Any], key: str) -> int | None:
    value = line.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _duration(text: str) -> str | float:
    """Ollama takes a duration such as `5m`, or a bare number of seconds as a number."""
    try:
        return float(text)
    except ValueError:
        return text
