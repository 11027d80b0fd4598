"""What every chat model can do, and the values that it takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from nola.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nola.flow import Message, ModelRef, Usage

__all__ = ["CANCELLED", "ChatModel", "ChatOptions", "Chunk", "ModelInfo", "TooLongError"]

CANCELLED = "cancelled"
"""`Usage.stop_reason` of a reply that was cancelled."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How a reply is drawn.

    Attributes:
        reply_tokens: Longest reply, thinking included.
        temperature: Sampling temperature; 0 takes the likeliest token.
        top_p: Nucleus sampling.
        seed: Sampling seed; negative for a new one each time.
    """

    reply_tokens: int = 512
    temperature: float = 0.2
    top_p: float = 0.9
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a reply; the last one is `done` and alone carries the usage.

    Attributes:
        text: Piece of the answer, may be empty.
        thinking: Piece of the thoughts of a model that thinks aloud.
        done: This is the last piece.
        usage: What the model counted, in the last piece.
    """

    text: str
    thinking: str = ""
    done: bool = False
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A chat model that is there or could be, as `nola model list` shows it.

    Attributes:
        name: The name by which its provider knows it.
        provider: `ollama` or `embedded`.
        size_bytes: Size of its file; 0 when unknown.
        family: Architecture, for example `llama`; empty when unknown.
        parameters: Number of its parameters in thousand millions; 0.0 when unknown.
        window: Longest window it was trained for, in tokens; 0 when unknown.
        capabilities: What it can do: completion, tools, vision, thinking, embedding, insert; empty when unknown.
        loaded: It is in memory now.
        present: Its file is on this machine.
        remote: It runs on somebody else's machine.
        description: One sentence, or empty.
    """

    name: str
    provider: str
    size_bytes: int = 0
    family: str = ""
    parameters: float = 0.0
    window: int = 0
    capabilities: frozenset[str] = frozenset()
    loaded: bool = False
    present: bool = True
    remote: bool = False
    description: str = ""


class TooLongError(ModelError):
    """The prompt does not fit into the model's window: trim it and try once more.

    Attributes:
        prompt_tokens: The prompt's size as the model counted it, or None.
        window: The window it was held against, or None.
    """

    too_long = True

    def __init__(self, message: str, *, prompt_tokens: int | None = None, window: int | None = None) -> None:
        super().__init__(message, fix="shorten the message, or raise the model's window (nola config list)")
        self.prompt_tokens = prompt_tokens
        self.window = window


class ChatModel(Protocol):
    """A model that answers messages. One object may be used from any thread."""

    @property
    def ref(self) -> ModelRef:
        """Which model this is."""

    @property
    def capabilities(self) -> frozenset[str]:
        """What it can do, in Ollama's words (completion, tools, thinking ...).

        Raises:
            ModelError: It could not be asked.
        """

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about what is wrong with this model, empty when nothing is.

        Raises:
            ModelError: It could not be asked.
        """

    def window(self) -> int:
        """Return the window in tokens that prompt and reply share.

        Raises:
            ModelError: It could not be asked.
        """

    def chat(self, messages: Sequence[Message], *, options: ChatOptions) -> Iterator[Chunk]:
        """Answer, piece by piece. Closing the generator cancels the request within a second.

        Raises:
            TooLongError: The prompt does not fit; nothing was answered.
            ModelError: It failed; `partial` holds what had been received.
        """

    def cancel(self) -> None:
        """Break off every reply that is under way, from any thread; their last chunk's stop reason is CANCELLED."""

    def close(self) -> None:
        """Let go of what it holds; the next chat starts it anew."""
