"""The Assistant port: everything that an interface may ask of Nola, in process or over the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from nola.flow import Change, Conflict, ContextReport, Event, Problem, Receipt, Remembered, Stimulus
    from nola.types import ChangeId, ConversationId, Json, MessageId, Severity

__all__ = ["Assistant", "ConversationRow", "Finding", "StoredMessage"]


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One conversation in a list: its first words, when it was last used, how many turns it has."""

    id: ConversationId
    title: str
    channel: str
    started: datetime
    updated: datetime
    turns: int


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One stored turn of a conversation, with the context report it was answered from (as JSON)."""

    id: MessageId
    conversation: ConversationId
    at: datetime
    user: str
    reply: str
    level: int
    model: str
    complete: bool
    report: Json


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a health check: a stable id, how bad, what, and how to mend it."""

    id: str
    severity: Severity
    message: str
    fix: str = ""


class Assistant(Protocol):
    """What the faces speak to; the Agent implements it in process, a remote one over a socket."""

    def turn(self, stimulus: Stimulus) -> Iterator[Event]:
        """Answer a message; the last event is the TurnResult. Closing the iterator stops the model."""

    def context(self, stimulus: Stimulus) -> ContextReport:
        """Choose the context for a message and call no model."""

    def recall(self, query: str, *, limit: int = 10, budget: int | None = None) -> Sequence[Remembered]:
        """Return the memories that answer a question best, best first; their use is counted once."""

    def remember(self, content: str, **fields: object) -> str:
        """Store one memory and return its id; it is found by its words when this returns."""

    def get_state(self, path: str = "", *, reload: bool = True) -> Json:
        """Return a copy of what stands at a dotted path; all modules when it is empty."""

    def set_state(self, path: str, value: Json, *, who: str) -> Receipt:
        """Write a value at a dotted path."""

    def unset_state(self, path: str, *, who: str) -> Receipt:
        """Remove what stands at a dotted path."""

    def update_state(self, path: str, function: Callable[[Json], Json], *, who: str) -> Receipt:
        """Write what a function makes of the value at a path; no other write comes in between."""

    def undo(self, change: ChangeId, *, who: str) -> Receipt:
        """Take one change back, unless the value changed again since."""

    def changes(self, path: str = "", *, limit: int = 50) -> Sequence[Change]:
        """List changes below a path, newest first."""

    def state_at(self, at: datetime, path: str = "") -> Json:
        """Return what stood at a dotted path at an instant; all modules when it is empty."""

    def conflicts(self) -> Sequence[Conflict]:
        """List Nola's values that lost against the owner's own edits."""

    def settle_conflict(self, conflict: str, *, use: bool, who: str) -> Receipt | None:
        """End a conflict: put Nola's value in place of the owner's, or drop it."""

    def accept_state(self, name: str) -> None:
        """Take an emptied file, or the removal of all modules (`modules`), for what the owner wants."""

    def problems(self) -> Sequence[Problem]:
        """List what is wrong with the state's files."""

    def sync_state(self) -> Sequence[str]:
        """Pull every module upward now; return the paths of the nodes that were pulled."""

    def conversations(self, search: str = "", *, limit: int = 20) -> Sequence[ConversationRow]:
        """List conversations, newest first; with `search` only those that hold its words."""

    def conversation(self, conversation: ConversationId) -> Sequence[StoredMessage]:
        """Return a conversation's turns, oldest first."""

    def doctor(self) -> Sequence[Finding]:
        """Check the whole installation and change nothing."""

    def close(self) -> None:
        """Stop the model, close the files."""
