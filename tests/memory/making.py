"""Makes memories and stores them, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nola.memory.record import new_memory

if TYPE_CHECKING:
    import apsw

    from nola.memory.database import Database
    from nola.memory.memories import Memories
    from nola.memory.memory_rows import StoredRow

__all__ = ["contents", "dump", "put", "rows"]


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
