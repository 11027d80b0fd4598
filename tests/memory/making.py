"""Makes memories and turns and stores them, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nola.flow import ModelRef
from nola.memory.record import new_memory
from nola.types import Channel, Level

if TYPE_CHECKING:
    import apsw

    from nola.memory.database import Database
    from nola.memory.memories import Memories
    from nola.memory.memory_rows import StoredRow
    from nola.memory.store import ConversationStore
    from nola.types import ConversationId, Json

__all__ = ["add_turn", "contents", "dump", "put", "rows", "texts"]


def put(memories: Memories, content: str = "My dog is called Biscuit", **fields: Any) -> str:
    """Store one memory and return its id."""
    return memories.insert_many([new_memory(content, fields)])[0]


def contents(found: list[StoredRow]) -> list[str]:
    """Return what is remembered, in order."""
    return [row.record.content for row in found]


def rows(database: Database, sql: str, *values: Any) -> list[Any]:
    """Read with plain SQL."""
    with database.reading() as connection:
        return list(connection.execute(sql, values))


def dump(connection: apsw.Connection, table: str) -> list[Any]:
    """Return all rows of a table, in the order of their keys."""
    return sorted(connection.execute(f"SELECT * FROM {table}"), key=repr)  # noqa: S608 -- a test's own name


def add_turn(
    store: ConversationStore,
    user: str,
    reply: str = "",
    *,
    conversation: ConversationId | None = None,
    channel: Channel = Channel.TERMINAL,
    report: Json = None,
) -> ConversationId:
    """Store one turn and return the id of its conversation."""
    return store.add_turn(
        conversation=conversation,
        channel=channel,
        user=user,
        reply=reply,
        quoted="",
        level=Level.CONVERSATION,
        level_why="a look-up",
        model=ModelRef("ollama", "llama3.2:3b"),
        complete=True,
        report=report,
        receipts=[],
        usage={},
        timings={},
    )[0]


def texts(store: ConversationStore, conversation: str) -> list[str]:
    """Return what was said in a conversation, in order."""
    return [message.user for message in store.messages(conversation)]
