"""The frozen values that travel through a turn, in travel order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from nola.types import Channel, Level, Place, Role, Tokens, Weight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from nola.types import ChangeId, ConversationId, Json, MessageId, StimuliType

__all__ = [
    "Candidate",
    "Change",
    "Conflict",
    "ContextReport",
    "Event",
    "Exchange",
    "Factors",
    "LeftOut",
    "LevelChoice",
    "Message",
    "ModelRef",
    "Notice",
    "Problem",
    "Prompt",
    "Proposal",
    "Receipt",
    "Remembered",
    "Seen",
    "Selected",
    "Stimulus",
    "Token",
    "TurnResult",
    "Usage",
]


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A message as it came in, with what its sender asked for."""

    text: str
    at: datetime
    channel: Channel = Channel.LIBRARY
    conversation: ConversationId | None = None
    level: Level | None = None
    stimuli_type: StimuliType | None = None
    model: str | None = None
    learn: bool = True


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier turn of the conversation: what was asked, its level, what was answered, and whether code did."""

    user: str
    level: Level
    assistant: str
    by_code: bool = False


@dataclass(frozen=True, slots=True)
class LevelChoice:
    """The context level of a message, and why (E03, E24-E26)."""

    level: Level
    why: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A leaf of the state that could go into the context.

    Attributes:
        path: Dotted path by which the owner reads and sets it, for example `user.pets.dog.name`.
        keys: The path's steps below its module; list items as decimal text.
        value: The leaf's value.
        place: The highest file of the hierarchy that holds it.
        level: The context level of its nearest node.
        updated: When its nearest node was last updated.
        source_file: The file that it was born in, relative to the state folder.
    """

    path: str
    keys: tuple[str, ...]
    value: Json
    place: Place
    level: Level
    updated: datetime
    source_file: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that a message brought to mind, as recall scored it.

    Attributes:
        id: Its id.
        content: What it says.
        kind: What sort of memory it is.
        score: What recall ranked it by: relevance and strength together, 0 to 1 and a little above with links.
        relevance: How well it answers, in [0, 1], 1 for the best memory.
        strength: Its strength under the profile, in [0, 1].
        tier: hot, warm or cold.
        tokens: What its content takes.
        parts: Each part of the relevance.
        why: The same in words.
        at: When it happened.
        speaker: Who said it; empty when that is not known.
        source: Where it came from.
        trust: How far its origin is trusted.
        level: The context level that it belongs to.
        innate: Experience can't change it.
        pinned: It is always at hand.
        cosine: Its plain cosine with the message, 0 without a vector.
        active: How active the message made it, 0 to 1, by which links grow.
    """

    id: str
    content: str
    kind: str
    score: float
    relevance: float
    strength: float
    tier: str
    tokens: Tokens
    parts: Mapping[str, float]
    why: str
    at: datetime
    speaker: str = ""
    source: str = ""
    trust: str = "owner"
    level: Level = Level.CONVERSATION
    innate: bool = False
    pinned: bool = False
    cosine: float = 0.0
    active: float = 1.0


@dataclass(frozen=True, slots=True)
class Factors:
    """The four factors of a weight, each in [0, 1]."""

    hierarchy: float
    level: float
    recency: float
    relevance: float


@dataclass(frozen=True, slots=True)
class Selected:
    """A fact that was injected; `memory` when it is no leaf of the state but was recalled."""

    path: str
    text: str
    tokens: Tokens
    weight: Weight
    factors: Factors
    source_file: str
    memory: Remembered | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A fact that was not injected, and why; `memory` when it was recalled."""

    path: str
    why: str
    tokens: Tokens
    weight: Weight
    factors: Factors
    memory: Remembered | None = None


@dataclass(frozen=True, slots=True)
class ContextReport:
    """What was chosen for a message, what not, and why.

    Attributes:
        choice: The level and why.
        budget: Hard limit in tokens for the selected facts of the state.
        tokens: What these facts take.
        selected: Injected facts and memories, heaviest first.
        left_out: The others, heaviest first; may be made on demand.
        unknown: What the message asks about the owner that nothing known answers.
        notices: Things a person should know: a problem with a file, a missing embedder.
        memory_budget: Hard limit in tokens for the selected memories.
        memory_tokens: What these memories take.
    """

    choice: LevelChoice
    budget: Tokens
    tokens: Tokens
    selected: tuple[Selected, ...]
    left_out: Sequence[LeftOut]
    unknown: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    memory_budget: Tokens = Tokens(0)  # noqa: RUF009 -- a plain number
    memory_tokens: Tokens = Tokens(0)  # noqa: RUF009 -- a plain number

    @property
    def memories(self) -> tuple[Remembered, ...]:
        """The injected memories, heaviest first."""
        return tuple(fact.memory for fact in self.selected if fact.memory is not None)


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What goes to the model.

    Attributes:
        messages: System first, the owner's text last and unchanged unless it was trimmed.
        tokens: Estimated size of all messages.
        trimmed: Sentences that say what was cut, empty when nothing was.
    """

    messages: tuple[Message, ...]
    tokens: Tokens
    trimmed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelRef:
    """Which model answered: provider `ollama`, `embedded`, `none` or `code`, and its name."""

    provider: str
    name: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the model counted them; None where it did not say."""

    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    stop_reason: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of the state that a statement asks for, before anything is written.

    Attributes:
        path: Dotted path, for example `user.pets.dog.name`.
        value: What is to stand there; None together with `remove` deletes it.
        remove: The path is to be deleted.
        append: The value is added to the list at the path instead of replacing it.
        rule: Name of the rule that recognised the statement.
        evidence: The words that say so.
    """

    path: str
    value: Json
    rule: str
    evidence: str
    remove: bool = False
    append: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a module as history keeps it; `*_present` tells a missing value from null.

    Attributes:
        id: What undoes it.
        at: When.
        who: The owner, or Nola herself.
        path: What changed; a module's name alone when the whole file came, went or was replaced.
        old: What stood there.
        new: What stands there since.
        old_present: Something stood there.
        new_present: Something stands there.
        undoes: The change that it takes back.
        via: The interface that it came through: `command line`, `chat`, `editor` ...
        patch: The change of the whole file, as JSON Patch operations (RFC 6902) with tests, so that it can be inverted.
    """

    id: ChangeId
    at: datetime
    who: str
    path: str
    old: Json
    new: Json
    old_present: bool
    new_present: bool
    undoes: ChangeId | None = None
    via: str = ""
    patch: tuple[dict[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """A value of Nola's that lost against the owner's own edit of the same place; it waits to be used or dropped.

    Attributes:
        id: What names it.
        at: When both wrote.
        who: Who wanted the value that lost.
        file: The file that both wrote, relative to the state folder.
        path: The place.
        base: What stood there before either wrote; None when nothing did.
        ours: The value that lost; None when it was to be removed.
        theirs: The owner's value, which stands; None when the owner removed it.
        removes: Nola's change was a removal.
    """

    id: str
    at: datetime
    who: str
    file: str
    path: str
    base: Json
    ours: Json
    theirs: Json
    removes: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at the state's files found: modules whose content changed behind Nola's back, and all problems."""

    changed: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of a write, made by code: where, old -> new, and the id that undoes it."""

    path: str
    old: Json
    new: Json
    undo: ChangeId
    what: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file; line and column count from 1, 0 when unknown."""

    file: str
    line: int
    column: int
    message: str
    severity: str = "error"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the reply as it streams; `quoted` when code added it rather than the model."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the person, beside the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnResult:
    """The whole of a finished turn; the last event of its stream."""

    conversation: ConversationId
    message: MessageId
    reply: str
    quoted: str
    report: ContextReport
    model: ModelRef
    usage: Usage
    context_tokens: Tokens
    receipts: tuple[Receipt, ...] = ()
    notices: tuple[str, ...] = ()
    complete: bool = True
    timings_ms: dict[str, float] = field(default_factory=dict)


Event: TypeAlias = LevelChoice | ContextReport | Receipt | Token | Notice | TurnResult
