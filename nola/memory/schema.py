"""The SQLite file: how it is opened, what it must be, and the numbered migrations of its tables (decision D5)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from nola.errors import ConflictError, NolaError, StorageError
from nola.files import append_bytes, locked, make_missing_dirs, remove, replace_from_chunks
from nola.memory.tables import CONVERSATIONS, MEMORIES, PROTECTION

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "APPLICATION_ID",
    "MIGRATIONS",
    "connect",
    "exists",
    "explained",
    "identity",
    "is_current",
    "journal_mode",
    "make_tables",
    "mark_replaced",
    "open_ready",
    "transaction",
]

APPLICATION_ID = int.from_bytes(b"Nola", "big")
_BUSY_MS = 5000
_PAGE = 4096
_LOG_PAGES = 4000
_PRIVATE = 0o600
_CHUNK = 1 << 20
_SAFE_WAL = (3, 51, 3)

MIGRATIONS = (CONVERSATIONS, MEMORIES, PROTECTION)
"""The SQL that leads from version n to n + 1; what was released is never edited, only followed by another."""


def open_ready(path: Path) -> apsw.Connection:
    """Open the file for use: made if it is missing, in WAL, migrated to the newest version, mode 0600.

    Args:
        path: The database; a symbolic link is followed once.

    Raises:
        NolaError: It is damaged, of another program, or of a newer Nola; it is left byte for byte as it was.
        StorageError: The disk refused.
        ConflictError: Another process held it for too long.
    """
    real = Path(os.path.realpath(path))
    make_missing_dirs(real.parent)  # anybody's folder may hold a memory
    if not exists(real):
        append_bytes(real, b"")
    connection = connect(real)
    with _closed_on_error(connection), explained(real):
        _prepare(connection, real)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        connection.wal_autocheckpoint(_LOG_PAGES)
    _make_private(real)
    return connection


def connect(path: Path) -> apsw.Connection:
    """Open a file that is there and change nothing in it, not even by closing.

    WAL with synchronous FULL makes a commit durable; a mapped file could be read half-written (reliability.md 0.10).

    Raises:
        NolaError: It is damaged, of another program, or of a newer Nola.
        StorageError: It can't be opened.
        ConflictError: Another process held it for too long.
    """
    with explained(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        with _closed_on_error(connection):
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.set_busy_timeout(_BUSY_MS)
            connection.pragma("synchronous", "full")
            connection.pragma("foreign_keys", 1)
            connection.pragma("trusted_schema", 0)
            connection.pragma("mmap_size", 0)
            _refuse_foreign(connection, path)
    return connection


def exists(path: Path) -> bool:
    """Tell whether the database is there; looks at sizes only, for opening it here would drop SQLite's locks.

    Raises:
        NolaError: It was cut short, or is gone while its write-ahead log still holds data.
        StorageError: The folder can't be looked into.
    """
    wal = _size(_beside(path, "-wal")) or 0  # before the other: a file that is just being made has no log yet
    size = _size(path)
    if wal and not size:
        raise _unreadable(path, f"it is gone or empty while {path.name}-wal holds data")
    if not wal and size and size % _PAGE:
        raise _unreadable(path, "it was cut short or is no database")
    return size is not None


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells the file from another one under its name; None when nothing stands there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_current(connection: apsw.Connection) -> bool:
    """Tell whether the tables are of the version that this Nola works with."""
    return bool(connection.pragma("user_version") == len(MIGRATIONS))


def make_tables(connection: apsw.Connection) -> None:
    """Bring the tables to the newest version, each step in a transaction of its own."""
    for number, script in enumerate(MIGRATIONS, 1):
        with transaction(connection):
            if connection.pragma("user_version") < number:
                connection.execute(script)
                connection.pragma("application_id", APPLICATION_ID)
                connection.pragma("user_version", number)


def mark_replaced(connection: apsw.Connection) -> None:
    """Let those who hold a part of the content in memory notice that another one was put in its place."""
    if connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").get:
        connection.execute("UPDATE meta SET value = lower(hex(randomblob(16))) WHERE key = 'epoch'")


def journal_mode(sqlite_version: str) -> str:
    """Return `wal`, or `delete` for an SQLite whose WAL can be corrupted by two writers (before 3.51.3; E3)."""
    return "wal" if tuple(int(part) for part in sqlite_version.split(".")) >= _SAFE_WAL else "delete"


@contextlib.contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Hold the write lock from the first statement on; commit at the end, roll back on any error.

    Inside another transaction it is a part of that one, which alone is rolled back on an error.
    """
    part = connection.in_transaction
    connection.execute("SAVEPOINT part" if part else "BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("RELEASE part" if part else "COMMIT")
    except BaseException:  # whatever breaks it off, Ctrl-C too, leaves nothing half done
        if connection.in_transaction:
            connection.execute("ROLLBACK TO part; RELEASE part" if part else "ROLLBACK")
        raise


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file into sentences; mistakes in our own SQL pass through.

    Raises:
        NolaError: The file is damaged or no database.
        StorageError: The disk is full, read-only, or failed.
        ConflictError: Another process held the file for too long.
    """
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError, apsw.FormatError, UnicodeDecodeError) as error:
        raise _unreadable(path, str(error)) from error
    except apsw.SQLError as error:
        if not str(error).startswith("no such "):
            raise
        raise _unreadable(path, str(error)) from error
    except apsw.FullError as error:
        raise StorageError(str(path), "the disk is full") from error
    except (apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise StorageError(str(path), "it is read-only") from error
    except (apsw.CantOpenError, apsw.IOError) as error:
        raise StorageError(str(path), str(error)) from error
    except (apsw.BusyError, apsw.LockedError, apsw.ProtocolError) as error:
        raise ConflictError(
            f"another process has held {path.name} for {_BUSY_MS // 1000} s", fix="try again, or stop that process"
        ) from error


def _prepare(connection: apsw.Connection, path: Path) -> None:
    wanted = journal_mode(apsw.sqlite_lib_version())
    if connection.readonly("main"):  # an older version can still be read
        return
    if connection.pragma("journal_mode") == wanted and is_current(connection):
        return
    with locked(path.with_suffix(".lock")):  # SQLite's own busy timeout does not cover the change to WAL
        connection.pragma("journal_mode", wanted)
        _keep_former(connection, path)
        make_tables(connection)


def _keep_former(connection: apsw.Connection, path: Path) -> None:
    """Copy a file of an earlier version to `NAME.vN` before its tables are changed, once."""
    version = connection.pragma("user_version")
    kept = path.with_name(f"{path.name}.v{version}")
    if not 0 < version < len(MIGRATIONS) or kept.exists():
        return
    part = path.with_name(f".{kept.name}.part")
    remove(part)  # what a crash left of an earlier try
    append_bytes(part, b"")
    connection.execute("VACUUM INTO ?", (str(part),))
    with part.open("rb") as file:
        replace_from_chunks(kept, iter(lambda: file.read(_CHUNK), b""))
    remove(part)


def _refuse_foreign(connection: apsw.Connection, path: Path) -> None:
    connection.execute("BEGIN")  # one snapshot, for another process may be making the tables now
    owner, version = connection.pragma("application_id"), connection.pragma("user_version")
    fresh = not (owner or version or connection.execute("SELECT count(*) FROM sqlite_schema").get)
    connection.execute("COMMIT")
    if owner != APPLICATION_ID and not fresh:
        raise _unreadable(path, "it belongs to another program")
    if version > len(MIGRATIONS):
        raise NolaError(
            f"{path} was written by a newer Nola (file version {version}, this one reads up to {len(MIGRATIONS)})",
            fix="update Nola; nothing in the file was changed",
        )


@contextlib.contextmanager
def _closed_on_error(connection: apsw.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:  # whatever it is, Ctrl-C too: nobody else knows this connection
        connection.close()
        raise


def _make_private(path: Path) -> None:
    for file in (path, _beside(path, "-wal"), _beside(path, "-shm")):
        with contextlib.suppress(OSError):  # somebody else's file, or a log that is not there
            if file.stat().st_mode & 0o777 != _PRIVATE:
                file.chmod(_PRIVATE)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def _unreadable(path: Path, why: str) -> NolaError:
    return NolaError(
        f"{path} can't be read as Nola's memory: {why}",
        fix="nothing was changed; restore a backup, or move it aside (with its -wal)",
    )
