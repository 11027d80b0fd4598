"""The memory in backups: copied as of one moment, checked, counted, and put back under the eyes of who uses it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING
from urllib.parse import quote

import apsw

from nola import files
from nola.errors import ConflictError, NolaError, StorageError
from nola.memory import schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["Counts", "copy_over", "count", "count_live", "defects", "is_usable", "make_empty", "snapshot", "watched"]

Counts = tuple[int, int]
"""Conversations and messages."""

_TABLES = "SELECT count(*) FROM sqlite_schema WHERE name IN ('conversation', 'message')"
_MOST_DEFECTS = 5


def snapshot(database: Path, target: Path) -> None:
    """Copy the database as it stands at one moment, whoever writes to it meanwhile; what was deleted stays behind.

    Args:
        database: The live file.
        target: A file that is not there yet; 0600.

    Raises:
        NolaError: The database is damaged, of another program, or of a newer Nola.
        StorageError: The disk refused.
        ConflictError: Another process held the file for too long.
    """
    files.append_bytes(target, b"")
    with contextlib.closing(schema.connect(database)) as connection, schema.explained(database):
        connection.execute("VACUUM INTO ?", (str(target),))
    found = defects(target)
    if found:
        raise NolaError(f"{database} is damaged: {found[0]}", fix="restore a backup")


def defects(path: Path) -> list[str]:
    """Say what is wrong with a copy of the database that nobody writes to; nothing beside it is made."""
    try:
        with schema.explained(path), _frozen(path) as connection:
            if connection.pragma("application_id") != schema.APPLICATION_ID:
                return ["it belongs to another program"]
            if connection.pragma("user_version") > len(schema.MIGRATIONS):
                return ["it was written by a newer Nola; update Nola"]
            answers = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
            broken = len(list(connection.execute("PRAGMA foreign_key_check")))
    except NolaError as error:
        return [str(error.__cause__ or error)]
    found = [] if answers == ["ok"] else answers[:_MOST_DEFECTS]
    return [*found, *([f"{broken} rows refer to rows that are not there"] if broken else [])]


def count(path: Path) -> Counts:
    """Count conversations and messages in a copy of the database."""
    with schema.explained(path), _frozen(path) as connection:
        return _counted(connection)


def count_live(database: Path) -> Counts | None:
    """Count conversations and messages in the live database; None when it can't be read."""
    try:
        if not schema.exists(database):
            return 0, 0
        with contextlib.closing(schema.connect(database)) as connection, schema.explained(database):
            return _counted(connection)
    except NolaError:
        return None


def is_usable(database: Path) -> bool:
    """Tell whether the live database is there and can be read.

    Raises:
        StorageError: The disk refused.
        ConflictError: Another process held the file for too long.
    """
    try:
        if not schema.exists(database):
            return False
        schema.connect(database).close()
    except (StorageError, ConflictError):
        raise
    except NolaError:
        return False
    return True


def copy_over(source: Path, database: Path) -> None:
    """Replace the content of the live database in one transaction, so that whoever has it open goes on with the new.

    Replacing the file instead would leave other processes with a file that nobody sees any more, and what they then
    write would be lost.

    Raises:
        StorageError: The disk refused; where only its last flush failed, the new content may stand at the next opening.
        ConflictError: Another process held the file for too long; the old content stands.
        NolaError: The database is damaged.
    """
    with contextlib.closing(schema.connect(database)) as connection, schema.explained(database):
        try:
            with _frozen(source) as copy, connection.backup("main", copy, "main") as backup:
                backup.step(-1)
        except apsw.IOError as error:  # its own message is that of the connection, which knows of no error
            raise StorageError(str(database), "the disk failed") from error
        with contextlib.suppress(apsw.Error):  # the new content is durable already; its log is emptied when it can be
            schema.mark_replaced(connection)
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def make_empty(path: Path) -> None:
    """Make a database without any conversation."""
    schema.open_ready(path).close()


@contextlib.contextmanager
def watched(database: Path) -> Iterator[Callable[[], bool]]:
    """Lend a function that tells whether somebody wrote to the database since the beginning."""
    if not is_usable(database):
        yield lambda: is_usable(database)
        return
    with contextlib.closing(schema.connect(database)) as connection:
        before = connection.pragma("data_version")
        yield lambda: connection.pragma("data_version") != before


@contextlib.contextmanager
def _frozen(path: Path) -> Iterator[apsw.Connection]:
    """Open a file that nobody writes to: no log is made beside it, and none is read."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"file:{quote(str(path))}?immutable=1", flags=flags)
    try:
        connection.pragma("trusted_schema", 0)
        yield connection
    finally:
        connection.close()


def _counted(connection: apsw.Connection) -> Counts:
    if connection.execute(_TABLES).get != len(("conversation", "message")):
        return 0, 0
    conversations, messages = connection.execute(
        "SELECT (SELECT count(*) FROM conversation), (SELECT count(*) FROM message)"
    ).get
    return int(conversations), int(messages)
