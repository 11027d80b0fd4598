"""Tests of the database file: what it is made as, and what happens to one that can't be used."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

import apsw
import pytest

from nola.errors import ConflictError, NolaError, StorageError
from nola.memory import schema
from nola.memory.axes import Kind
from nola.memory.kinds import COUNTED, details_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.table import BarResult


@pytest.fixture
def made(database: Path) -> Path:
    """A database with one conversation in it, closed."""
    connection = schema.open_ready(database)
    connection.execute("INSERT INTO conversation VALUES ('a', 'Biscuit', 'web', '2026', '2026')")
    connection.close()
    return database


@pytest.fixture
def no_umask() -> Iterator[None]:
    """A process that makes its files readable by everybody unless it takes care."""
    before = os.umask(0)
    yield
    os.umask(before)


def _raw(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path))
    rows = list(connection.execute(sql))
    connection.close()
    return rows


def test_a_connection_is_durable_and_distrustful(database: Path) -> None:
    """The pragmas of decision D5 hold on every connection."""
    connection = schema.open_ready(database)
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "trusted_schema", "mmap_size")
    assert [connection.pragma(name) for name in names] == ["wal", 2, 1, 5000, 0, 0]
    connection.close()


def test_a_new_file_says_whose_it_is(database: Path) -> None:
    """The header holds Nola's application id and the number of the last migration."""
    schema.open_ready(database).close()
    header = database.read_bytes()[:100]
    assert header[68:72] == b"Nola"
    assert int.from_bytes(header[60:64], "big") == len(schema.MIGRATIONS)


def test_opening_again_changes_nothing(made: Path) -> None:
    """A file of the newest version is opened and closed without a byte changing."""
    before = made.read_bytes()
    schema.open_ready(made).close()
    assert made.read_bytes() == before


@pytest.mark.usefixtures("no_umask")
def test_everything_made_is_private(database: Path) -> None:
    """The folder is 0700; the file, its log, its index and the lock are 0600, whatever the umask."""
    connection = schema.open_ready(database)
    connection.execute("INSERT INTO conversation VALUES ('a', 'Biscuit', 'web', '2026', '2026')")
    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in (database.parent, *database.parent.iterdir())}
    connection.close()
    assert modes == {
        "home": "0o700",
        "memory.db": "0o600",
        "memory.db-shm": "0o600",
        "memory.db-wal": "0o600",
        "memory.lock": "0o600",
    }


def test_a_readable_file_is_made_private_again(made: Path) -> None:
    """A file that came back from a backup with mode 0644 is 0600 once it is open."""
    made.chmod(0o644)
    schema.open_ready(made).close()
    assert made.stat().st_mode & 0o777 == 0o600


def test_a_symbolic_link_is_followed(tmp_path: Path, made: Path) -> None:
    """A link to the file opens the file, and its log lies beside the file."""
    link = tmp_path / "link.db"
    link.symlink_to(made)
    connection = schema.open_ready(link)
    assert connection.execute("SELECT title FROM conversation").get == "Biscuit"
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("link")] == ["link.db"]
    connection.close()


@pytest.mark.bar("E4")
def test_an_empty_file_is_a_fresh_one(database: Path, bar_result: BarResult) -> None:
    """A file of zero length gets the tables."""
    database.parent.mkdir()
    database.touch()
    schema.open_ready(database).close()
    assert _raw(database, "SELECT count(*) FROM message") == [(0,)]
    bar_result(1, "bad files")


def test_a_file_whose_making_was_interrupted_is_finished(database: Path) -> None:
    """A file that was killed after the change to WAL and before the first migration gets the tables."""
    database.parent.mkdir()
    _raw(database, "PRAGMA journal_mode = wal")
    assert database.stat().st_size == 4096
    schema.open_ready(database).close()
    assert _raw(database, "SELECT count(*) FROM message") == [(0,)]


@pytest.mark.bar("E4")
@pytest.mark.parametrize("content", [b"x", b"garbage " * 512, b"\0" * 4096, b"SQLite format 3\0", b"{}\n"])
def test_what_is_no_database_is_refused_and_kept(database: Path, content: bytes, bar_result: BarResult) -> None:
    """A file of other content is named in one sentence and left byte for byte."""
    database.parent.mkdir()
    database.write_bytes(content)
    with pytest.raises(NolaError, match=r"memory\.db can't be read as Nola's memory") as caught:
        schema.open_ready(database)
    assert caught.value.fix == "nothing was changed; restore a backup, or move it aside (with its -wal)"
    assert database.read_bytes() == content
    bar_result(1, "bad files")


@pytest.mark.bar("E4")
@pytest.mark.parametrize("kept", [1, 99, 512, 4095, 4096, 8192, 20_000, -4096, -100, -1])
def test_a_truncated_file_is_refused_and_kept(made: Path, kept: int, bar_result: BarResult) -> None:
    """A file that lost its end, by a byte or by nearly all, is refused and left byte for byte."""
    content = made.read_bytes()[:kept]
    made.write_bytes(content)
    with pytest.raises(NolaError, match=r"memory\.db can't be read as Nola's memory"):
        schema.open_ready(made)
    assert made.read_bytes() == content
    bar_result(1, "bad files")


@pytest.mark.parametrize("change", ["delete", "empty"])
def test_a_log_without_its_file_is_refused_and_kept(made: Path, change: str) -> None:
    """SQLite would throw away a log whose file is gone; we say so and keep it."""
    made.with_name("memory.db-wal").write_bytes(b"pages")
    made.unlink() if change == "delete" else made.write_bytes(b"")
    with pytest.raises(NolaError, match=r"it is gone or empty while memory\.db-wal holds data"):
        schema.open_ready(made)
    assert made.with_name("memory.db-wal").read_bytes() == b"pages"
    assert made.exists() is (change == "empty")


def test_a_newer_file_is_refused_and_kept(made: Path) -> None:
    """A file of a version to come is named in one sentence and left byte for byte."""
    _raw(made, "PRAGMA user_version = 99")
    before = made.read_bytes()
    with pytest.raises(NolaError, match=f"newer Nola .file version 99, .* up to {len(schema.MIGRATIONS)}.$"):
        schema.open_ready(made)
    assert made.read_bytes() == before


def test_a_newer_file_that_crashed_keeps_its_log(made: Path) -> None:
    """Refusing a newer file does not fold its log into it, which only its own Nola should do."""
    writer = apsw.Connection(str(made))
    writer.execute("PRAGMA user_version = 99")
    wal = made.with_name("memory.db-wal")
    crashed = made.read_bytes(), wal.read_bytes()
    writer.close()
    made.write_bytes(crashed[0])
    wal.write_bytes(crashed[1])
    with pytest.raises(NolaError, match="file version 99"):
        schema.open_ready(made)
    assert (made.read_bytes(), wal.read_bytes()) == crashed


@pytest.mark.parametrize("sql", ["CREATE TABLE photo (id)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"])
def test_another_programs_database_is_refused_and_kept(database: Path, sql: str) -> None:
    """A database of somebody else never gets our tables."""
    database.parent.mkdir()
    _raw(database, sql)
    before = database.read_bytes()
    with pytest.raises(NolaError, match="it belongs to another program"):
        schema.open_ready(database)
    assert database.read_bytes() == before


def test_a_folder_in_the_place_of_the_file_is_an_error(database: Path) -> None:
    """A folder of that name is one sentence, not a trace."""
    database.mkdir(parents=True)
    with pytest.raises(StorageError, match=r"could not write .*memory\.db: "):
        schema.open_ready(database)


def test_a_file_in_the_place_of_the_folder_is_an_error(database: Path) -> None:
    """A file where the folder should be is one sentence, and is kept."""
    database.parent.write_bytes(b"mine")
    with pytest.raises(StorageError, match="could not write"):
        schema.open_ready(database)
    assert database.parent.read_bytes() == b"mine"


def test_a_failed_transaction_leaves_nothing(made: Path) -> None:
    """What was written before an error inside a transaction is taken back, and the next one works."""
    connection = schema.open_ready(made)
    with pytest.raises(apsw.ConstraintError), schema.transaction(connection):
        connection.execute("DELETE FROM conversation; INSERT INTO conversation (id) VALUES ('b')")
    with schema.transaction(connection):
        connection.execute("INSERT INTO conversation VALUES ('b', 'Porto', 'web', '2026', '2026')")
    assert connection.execute("SELECT group_concat(id) FROM conversation").get == "a,b"
    connection.close()


@pytest.mark.parametrize(
    ("error", "leaf", "sentence"),
    [
        (apsw.FullError(), StorageError, "could not write memory.db: the disk is full"),
        (apsw.ReadOnlyError(), StorageError, "could not write memory.db: it is read-only"),
        (apsw.IOError("disk I/O error"), StorageError, "could not write memory.db: disk I/O error"),
        (apsw.BusyError(), ConflictError, "another process has held memory.db for 5 s"),
        (apsw.CorruptError("malformed"), NolaError, "memory.db can't be read as Nola's memory: malformed"),
    ],
)
def test_errors_of_the_file_become_sentences(
    tmp_path: Path, error: apsw.Error, leaf: type[NolaError], sentence: str
) -> None:
    """Each way in which SQLite says that the file failed has its own sentence."""
    with pytest.raises(leaf) as caught, schema.explained(tmp_path / "memory.db"):
        raise error
    assert str(caught.value).replace(f"{tmp_path}/", "") == sentence
    assert caught.value.fix


def test_errors_of_our_own_sql_are_not_hidden(made: Path) -> None:
    """A mistake in a statement stays what it is."""
    connection = schema.connect(made)
    with pytest.raises(apsw.SQLError, match="incomplete input"), schema.explained(made):
        connection.execute("SELECT * FROM")
    with pytest.raises(NolaError, match="as Nola's memory: no such table: absent"), schema.explained(made):
        connection.execute("SELECT * FROM absent")
    connection.close()


@pytest.mark.bar("E3")
@pytest.mark.parametrize(
    ("version", "mode"),
    [("3.40.1", "delete"), ("3.51.2", "delete"), ("3.51.3", "wal"), ("3.54.1", "wal"), ("3.100.0", "wal")],
)
def test_an_sqlite_with_the_wal_reset_bug_gets_no_wal(version: str, mode: str, bar_result: BarResult) -> None:
    """Versions before 3.51.3 can corrupt a log that two connections write."""
    assert schema.journal_mode(version) == mode
    bar_result(1, "versions")


@pytest.mark.row("C28")
def test_any_sqlite_can_read_the_file(database: Path) -> None:
    """The interpreter's own SQLite opens it, sees the full text, and finds nothing wrong; so does ours."""
    connection = schema.open_ready(database)
    connection.execute(
        "INSERT INTO memory (id, content, at, created, updated, began, last_access) VALUES ('a', 'x', 1, 1, 1, 1, 1)"
    )
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()
    shell = sqlite3.connect(database)
    names = {name for (name,) in shell.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert names >= {"memory", "edge", "event", "access", "pair", "memory_text", "vector", "posting", "segment", "meta"}
    assert shell.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert shell.execute("SELECT content FROM memory").fetchall() == [("x",)]
    shell.close()


@pytest.mark.row("B53")
def test_every_column_of_the_document_has_its_place(database: Path) -> None:
    """The seven kinds of nodes of the seed map to columns of one table, or to fields of the kind in `details`."""
    connection = schema.open_ready(database)
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(memory)")}
    connection.close()
    own = {name for kind in ("sensory", "working", "episodic", "procedural", "prospective", "summary")
           for name in details_of(Kind(kind), {})} | set(COUNTED.values())  # fmt: skip
    mapped = {
        "memory_id": "id", "agent_id": "agent", "created_at": "created", "expires_at": "expires_at",
        "content": "content", "metadata": "metadata", "concept": "concept", "confidence": "confidence",
        "source_id": "source", "tags": "tags", "usage_count": "usage", "description": "content", "summary": "content",
    }  # fmt: skip
    in_details = {
        "modality": "modality", "raw_data": "raw_data", "observation_order": "observation_order", "slot_type": "slot",
        "relevance": "relevance", "task_id": "task", "source_label": "source_label",
        "temporal_index": "temporal_index", "name": "name", "steps": "steps", "prerequisites": "prerequisites",
        "trigger_condition": "trigger", "action_on_trigger": "action", "status": "state", "priority": "priority",
        "original_count": "original_count", "compressed": "compressed",
    }  # fmt: skip
    assert set(mapped.values()) <= columns
    assert set(in_details.values()) <= own


def test_a_part_of_a_transaction_fails_alone(made: Path) -> None:
    """Inside another transaction only what was done in the part is taken back."""
    connection = schema.open_ready(made)
    put = "INSERT INTO conversation VALUES (?, 't', 'web', '2026', '2026')"
    with schema.transaction(connection):
        connection.execute(put, ("b",))
        with pytest.raises(apsw.ConstraintError), schema.transaction(connection):
            connection.executemany(put, [("c",), ("b",)])
        with schema.transaction(connection):
            connection.execute(put, ("d",))
    assert connection.execute("SELECT group_concat(id) FROM conversation").get == "a,b,d"
    connection.close()


def test_content_that_was_put_in_place_is_told_apart(database: Path, tmp_path: Path) -> None:
    """Marking gives another epoch; a file of version 1, which has none, is left alone."""
    connection = schema.open_ready(database)
    epoch = "SELECT value FROM meta WHERE key = 'epoch'"
    before = connection.execute(epoch).get
    schema.mark_replaced(connection)
    assert connection.execute(epoch).get != before
    connection.close()
    old = apsw.Connection(str(tmp_path / "old.db"))
    old.execute(schema.MIGRATIONS[0])
    schema.mark_replaced(old)
    assert old.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").get == 0
    old.close()


def test_a_file_is_told_from_another_under_its_name(made: Path) -> None:
    """Replacing a file changes what `identity` returns; a missing one has none."""
    before = schema.identity(made)
    assert before == schema.identity(made) is not None
    made.rename(made.with_name("other"))
    assert schema.identity(made) is None
    schema.open_ready(made).close()
    assert schema.identity(made) not in {before, None}
