"""One conversation at the terminal: sends messages with what their sender asked for, and remembers the last turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.cli import output
from nola.errors import NolaError
from nola.flow import Receipt, Stimulus
from nola.types import ChangeId, Channel, ConversationId, Level, StimuliType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.cli.desk import Desk
    from nola.cli.reply import Teller
    from nola.flow import ContextReport, Event, TurnResult

__all__ = ["Talk", "Wishes", "stimulus"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of a command ask for."""

    level: int | None = None
    stimuli_type: StimuliType | None = None
    model: str | None = None
    learn: bool = True


class Talk:
    """A conversation.

    Args:
        desk: The desk.
        wishes: What every message asks for.
        conversation: The one to go on with, or None for a new one.
    """

    def __init__(self, desk: Desk, wishes: Wishes, conversation: ConversationId | None = None) -> None:
        self._desk = desk
        self.wishes = wishes
        self._conversation = conversation
        self._undoable: list[ChangeId] = []
        self.report: ContextReport | None = None

    def send(self, text: str, teller: Teller) -> TurnResult:
        """Send a message and print the turn."""
        asked = stimulus(self._desk, text, self.wishes, self._conversation)
        try:
            result = teller.tell(self._noting_writes(self._desk.assistant.turn(asked)))
        except KeyboardInterrupt:
            self._conversation = self._conversation or self._stored(asked)
            raise
        self._conversation = result.conversation
        self.report = result.report
        return result

    def _noting_writes(self, events: Iterator[Event]) -> Iterator[Event]:
        """Pass a turn's events on, and note what was saved at once: a turn that is stopped can be undone too."""
        try:
            for event in events:
                if isinstance(event, Receipt):
                    self._undoable.append(event.undo)
                yield event
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()

    def _stored(self, asked: Stimulus) -> ConversationId | None:
        """Return the conversation that a first turn, stopped before its end, was stored in."""
        try:
            latest = self._desk.assistant.latest_conversation()
            turns = self._desk.assistant.conversation(latest) if latest else ()
        except NolaError:
            return None
        # Another Nola may have spoken meanwhile; then the next message starts a conversation of its own.
        return latest if len(turns) == 1 and turns[0].user == asked.text else None

    def begin_anew(self) -> None:
        """Start a new conversation with the next message."""
        self._conversation = None
        self.report = None

    def undo(self) -> str:
        """Take the last change of this conversation back; say what was done.

        Raises:
            NolaError: There is none, or the value changed again since.
        """
        if not self._undoable:
            raise NolaError("nothing was saved in this conversation", fix="see all changes: nola state history")
        receipt = self._desk.assistant.undo(self._undoable[-1], who="owner")
        self._undoable.pop()
        return output.receipt_line(receipt)


def stimulus(desk: Desk, text: str, wishes: Wishes, conversation: ConversationId | None = None) -> Stimulus:
    """Make a message out of text and wishes."""
    return Stimulus(
        text=text,
        at=desk.clock.now(),
        channel=Channel.TERMINAL,
        conversation=conversation,
        level=Level(wishes.level) if wishes.level else None,
        stimuli_type=wishes.stimuli_type,
        model=wishes.model,
        learn=wishes.learn,
    )
