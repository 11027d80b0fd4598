"""Whole conversations out of the database and into it: every column as it is stored, with its id and times."""

from __future__ import annotations

import heapq
from dataclasses import astuple, dataclass, fields
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import apsw

from nola.errors import ConflictError
from nola.memory import schema

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

__all__ = ["MessageRow", "WholeConversation", "read_all", "write_all"]


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One stored turn, column by column; its number in the database is its place in the conversation.

    Attributes:
        id: Its id.
        conversation: The conversation that it belongs to.
        at: When it was stored, as the database writes it.
        user: The owner's words.
        reply: The model's words.
        quoted: What code added to the reply.
        level: The context level, 1 to 3.
        level_why: Why that level.
        model_provider: Who ran the model that answered.
        model_name: Its name.
        complete: 0 when the reply broke off, else 1.
        report: The context report, as JSON text.
        timings: Milliseconds of each step, as JSON text.
        receipts: Proofs of what was written, as JSON text.
        usage: Tokens as the model counted them, as JSON text.
    """

    id: str
    conversation: str
    at: str
    user: str
    reply: str
    quoted: str
    level: int
    level_why: str
    model_provider: str
    model_name: str
    complete: int
    report: str
    timings: str
    receipts: str
    usage: str


@dataclass(frozen=True, slots=True)
class WholeConversation:
    """A conversation with all of its turns, oldest first."""

    id: str
    title: str
    channel: str
    started: str
    updated: str
    messages: tuple[MessageRow, ...] = ()


_COLUMNS = ", ".join(field.name for field in fields(MessageRow))
_PLACES = ", ".join("?" for _ in fields(MessageRow))
_READ = "SELECT id, title, channel, started, updated FROM conversation ORDER BY id"
_READ_MESSAGES = f"SELECT {_COLUMNS} FROM message ORDER BY conversation, seq"  # noqa: S608 -- constants only
_PUT = "INSERT INTO conversation (id, title, channel, started, updated) VALUES (?, ?, ?, ?, ?)"
_PUT_MESSAGE = f"INSERT INTO message ({_COLUMNS}) VALUES ({_PLACES})"  # noqa: S608 -- constants only
_IS_THERE = "SELECT count(*) FROM conversation WHERE id = ?"
_DROP = ("DELETE FROM message WHERE conversation = ?", "DELETE FROM conversation WHERE id = ?")


def read_all(connection: apsw.Connection) -> list[WholeConversation]:
    """Return every conversation, by id, as they all stood at one moment."""
    with connection:
        heads = list(connection.execute(_READ))
        rows = (MessageRow(*row) for row in connection.execute(_READ_MESSAGES))
        messages = {id_: tuple(group) for id_, group in groupby(rows, attrgetter("conversation"))}
    return [
        WholeConversation(id_, title, channel, started, updated, messages.get(id_, ()))
        for id_, title, channel, started, updated in heads
    ]


def write_all(
    connection: apsw.Connection, conversations: Iterable[WholeConversation], *, replace: Collection[str] = ()
) -> None:
    """Place whole conversations, all or none.

    Turns of several conversations are numbered in the order of their ids, which is the order of time; they come after
    the turns that are there.

    Args:
        connection: The database.
        conversations: What to place.
        replace: Ids of those that take the place of what is stored under their id.

    Raises:
        ConflictError: One is there already and was not to be replaced, or a turn has the id of another conversation's;
            nothing was placed.
    """
    placed = list(conversations)
    with schema.transaction(connection):
        for conversation in placed:
            if conversation.id in replace:
                for drop in _DROP:
                    connection.execute(drop, (conversation.id,))
            elif connection.execute(_IS_THERE, (conversation.id,)).get:
                raise ConflictError(f"the conversation {conversation.id} is there already; nothing was placed")
            head = (conversation.id, conversation.title, conversation.channel, conversation.started)
            connection.execute(_PUT, (*head, conversation.updated))
        for message in _in_time(placed):
            try:
                connection.execute(_PUT_MESSAGE, astuple(message))
            except apsw.ConstraintError as error:
                raise ConflictError(
                    f"the turn {message.id} of the conversation {message.conversation} can't be placed: {error}"
                ) from error


def _in_time(conversations: Iterable[WholeConversation]) -> Iterator[MessageRow]:
    """Merge the turns by id; those of one conversation keep their order whatever their ids are."""
    return heapq.merge(*(conversation.messages for conversation in conversations), key=attrgetter("id"))
