"""The memory in backups."""

from __future__ import annotations

import stat
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import apsw
import pytest

from nola.backup import database
from nola.errors import ConflictError, NolaError, StorageError
from nola.memory import schema
from nola.memory.database import Database
from nola.memory.filters import Filter
from nola.memory.memories import Memories
from nola.memory.record import new_memory
from nola.memory.store import ConversationStore

if TYPE_CHECKING:
    from pathlib import Path

    from tests.backup.conftest import Home


@pytest.fixture
def spoken(home: Home) -> Home:
    """A home with two conversations."""
    home.say("hello", "my dog is Biscuit")
    return home


@pytest.fixture
def copy(spoken: Home) -> Path:
    """A snapshot of its database."""
    target = spoken.path / "copy"
    database.snapshot(spoken.places.database, target)
    return target


def test_a_snapshot_is_whole_and_private(spoken: Home, copy: Path) -> None:
    """It holds every row, is 0600, and leaves nothing beside it."""
    assert database.defects(copy) == []
    assert database.count(copy) == (2, 2) == database.count_live(spoken.places.database)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert [name for name in spoken.names() if name.startswith("copy")] == ["copy"]


def test_a_snapshot_has_what_was_committed_and_not_what_was_not(spoken: Home) -> None:
    """What still lies in the log is in it; an unfinished transaction of another connection is not."""
    with closing(schema.connect(spoken.places.database)) as writer:
        writer.execute("UPDATE message SET reply = 'committed' WHERE seq = 1")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE message SET reply = 'pending' WHERE seq = 2")
        database.snapshot(spoken.places.database, spoken.path / "copy")
        writer.execute("ROLLBACK")
    with closing(apsw.Connection(str(spoken.path / "copy"))) as found:
        assert list(found.execute("SELECT reply FROM message ORDER BY seq")) == [("committed",), ("Noted.",)]


def test_what_was_deleted_stays_behind(spoken: Home) -> None:
    """A row that was deleted is not in a snapshot's free pages either."""
    with closing(schema.connect(spoken.places.database)) as writer:
        writer.execute("DELETE FROM message WHERE user LIKE '%Biscuit%'")
        writer.execute("DELETE FROM conversation WHERE title LIKE '%Biscuit%'")
        writer.execute("INSERT INTO message_text (message_text) VALUES ('rebuild')")
    database.snapshot(spoken.places.database, spoken.path / "copy")
    assert b"Biscuit" not in (spoken.path / "copy").read_bytes()


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("PRAGMA application_id = 7", "another program"),
        ("PRAGMA user_version = 99", "a newer Nola"),
        (
            "PRAGMA foreign_keys = 0; DELETE FROM conversation",
            "2 rows refer to rows that are not there",
        ),
        (
            "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'message_conversation'",
            "malformed",
        ),
    ],
)
def test_defects_are_told(copy: Path, statement: str, why: str) -> None:
    """Another program's file, a newer one, rows that lost their other half, and a page that is used twice."""
    with closing(apsw.Connection(str(copy))) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.execute(statement)
    assert why in "; ".join(database.defects(copy))


@pytest.mark.parametrize("content", [b"", b"junk" * 2000, b"SQLite format 3\0" + bytes(4080)])
def test_what_is_no_database_is_a_defect(tmp_path: Path, content: bytes) -> None:
    """Whatever stands in the file, the answer is a sentence."""
    (tmp_path / "copy").write_bytes(content)
    assert len(database.defects(tmp_path / "copy")) == 1


def test_a_damaged_database_gives_no_snapshot(home: Home) -> None:
    """It is said, and is no disk that refused."""
    home.write("memory.db", b"junk" * 2000)
    with pytest.raises(NolaError, match="can't be read as Nola's memory") as caught:
        database.snapshot(home.places.database, home.path / "copy")
    assert not isinstance(caught.value, StorageError | ConflictError)
    assert database.count_live(home.places.database) is None
    assert not database.is_usable(home.places.database)


def test_a_database_that_is_not_there_is_empty(home: Home) -> None:
    """Looking for it makes none."""
    assert database.count_live(home.places.database) == (0, 0)
    assert not database.is_usable(home.places.database)
    assert home.names() == []


def test_who_has_it_open_sees_the_new_content(spoken: Home, copy: Path) -> None:
    """A store that was open all the time reads what was put back, and what it writes then is kept."""
    store = ConversationStore(spoken.places.database, clock=spoken.clock)
    spoken.say("something new")
    assert len(store.conversations()) == 3
    database.copy_over(copy, spoken.places.database)
    assert {row.title for row in store.conversations()} == {"my dog is Biscuit", "hello"}
    assert [row.title for row in store.conversations("biscuit")] == ["my dog is Biscuit"]
    spoken.say("and on")
    assert {row.title for row in store.conversations()} == {"my dog is Biscuit", "hello", "and on"}
    store.close()
    assert database.count_live(spoken.places.database) == (3, 3)
    assert store.check() == []


def test_memories_come_back_and_whoever_holds_them_can_tell(spoken: Home) -> None:
    """Memories travel with the conversations, and what stands in their place has another epoch."""
    opened = Database(spoken.places.database, clock=spoken.clock)
    memories = Memories(opened)
    memories.insert_many([new_memory("my dog is Biscuit", {})])
    database.snapshot(spoken.places.database, spoken.path / "with memories")
    epoch = memories.epoch()
    memories.insert_many([new_memory("forget this", {})])
    database.copy_over(spoken.path / "with memories", spoken.places.database)
    assert [row.record.content for row in memories.find(Filter())] == ["my dog is Biscuit"]
    assert memories.epoch() != epoch
    opened.close()


def test_an_empty_one_empties(spoken: Home) -> None:
    """What is put back may hold nothing."""
    database.make_empty(spoken.path / "empty.db")
    database.copy_over(spoken.path / "empty.db", spoken.places.database)
    assert database.count_live(spoken.places.database) == (0, 0)
    spoken.say("a new beginning")
    assert database.count_live(spoken.places.database) == (1, 1)


def test_a_waiting_writer_loses_nothing(spoken: Home, copy: Path) -> None:
    """Who waits for the lock while the content is replaced writes into the new content."""
    with closing(schema.connect(spoken.places.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        replacing = threading.Thread(target=database.copy_over, args=(copy, spoken.places.database))
        writing = threading.Thread(target=spoken.say, args=("while it was replaced",))
        replacing.start()
        writing.start()
        other.execute("COMMIT")
        replacing.join(20)
        writing.join(20)
    found = database.count_live(spoken.places.database)
    assert found in {(2, 2), (3, 3)}
    assert (found == (3, 3)) == any("while it was replaced" in row for row in spoken.rows())


def test_a_change_is_noticed(spoken: Home) -> None:
    """A commit of anybody else, or a database that came or went."""
    with database.watched(spoken.places.database) as changed:
        database.snapshot(spoken.places.database, spoken.path / "copy")
        assert not changed()
        spoken.say("three")
        assert changed()


def test_a_database_that_appears_is_noticed(home: Home) -> None:
    """Before, there was none."""
    with database.watched(home.places.database) as changed:
        assert not changed()
        home.say("the first")
        assert changed()
