"""Files that earlier versions wrote: each opens, keeps all that was in it, and can be gone on with."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from nola.memory import schema
from nola.memory.database import Database
from nola.memory.filters import Filter
from nola.memory.memories import Memories
from nola.memory.record import new_memory
from nola.memory.store import ConversationStore
from nola.testing import ManualClock
from nola.types import Channel
from tests.memory.making import add_turn, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

FROZEN = Path(__file__).parent
VERSIONS = range(1, len(schema.MIGRATIONS))


@pytest.fixture(params=VERSIONS, ids=lambda version: f"version {version}")
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database as an earlier version left it: three turns of two conversations."""
    path = tmp_path / "memory.db"
    path.write_bytes(gzip.decompress((FROZEN / f"memory-{request.param}.db.gz").read_bytes()))
    database = Database(path, clock=ManualClock())
    yield database
    database.close()


def tables(path: Path) -> list[tuple[object, ...]]:
    """Return what the tables, indexes and triggers are made of."""
    connection = apsw.Connection(str(path))
    found = [
        row for row in connection.execute("SELECT type, name, sql FROM sqlite_schema") if "_text_" not in str(row[1])
    ]
    connection.close()
    return sorted(found, key=str)


def test_every_earlier_version_is_frozen() -> None:
    """For each version that was released there is a file; a new migration needs one more."""
    assert sorted(path.name for path in FROZEN.glob("memory-*.db.gz")) == [f"memory-{n}.db.gz" for n in VERSIONS]


def test_what_was_said_is_still_there(old: Database) -> None:
    """Conversations are listed, found by their words, read back and gone on with."""
    store = ConversationStore(old, clock=old.clock)
    assert [(row.title, row.channel, row.turns) for row in store.conversations()] == [
        ("Où est le café de Łódź?", "web", 2),
        ("My dog is called Biscuit 🐕", "terminal", 1),
    ]
    assert texts(store, "cafe") == ["Où est le café de Łódź?", "And on Tuesdays?"]
    assert [row.id for row in store.conversations("monday")] == ["cafe"]
    add_turn(store, "Thanks", conversation=store.resolve("cafe"), channel=Channel.WEB)
    assert texts(store, "cafe") == ["Où est le café de Łódź?", "And on Tuesdays?", "Thanks"]
    assert store.check() == []


def test_what_was_remembered_is_still_there(old: Database, request: pytest.FixtureRequest) -> None:
    """Memories, their links, what happened to them and how often they were used stay as they were."""
    memories = Memories(old)
    found = {row.record.content: row.record for row in memories.find(Filter())}
    if request.node.callspec.params["old"] == 1:  # which had no memories yet
        assert found == {}
        return
    dog, cheese = found["My dog is called Biscuit"], found["My dog is called Biscuit and likes cheese"]
    assert found["Never tell a password"].is_innate
    assert (dog.author, dog.importance, dog.tags, dog.statistics.access_count) == ("Mara", 0.8, ("dog",), 1)
    assert [edge.target for edge in memories.edges(dog.id)] == [cheese.id]
    assert [event.what for event in memories.events(dog.id)] == ["stored"]


def test_the_former_file_is_kept(old: Database) -> None:
    """Before its tables are changed, a copy is put beside it; it is not made again, and holds what there was."""
    before = schema.connect(old.path)
    version, said = before.pragma("user_version"), before.execute("SELECT count(*) FROM message").get
    before.close()
    Memories(old).revision()
    kept = old.path.with_name(f"{old.path.name}.v{version}")
    assert kept.stat().st_mode & 0o777 == 0o600
    copy = apsw.Connection(str(kept), flags=apsw.SQLITE_OPEN_READONLY)
    assert copy.pragma("user_version") == version
    assert copy.execute("SELECT count(*) FROM message").get == said
    copy.close()
    assert [path.name for path in old.path.parent.glob("*.part")] == []


def test_it_can_remember_like_a_new_one(old: Database) -> None:
    """Memories are stored in it, and its tables are those of a new file."""
    memories = Memories(old)
    (id_,) = memories.insert_many([new_memory("My dog is called Biscuit", {})])
    assert memories.get(id_).record.content == "My dog is called Biscuit"
    old.close()
    fresh = old.path.with_name("fresh.db")
    schema.open_ready(fresh).close()
    assert tables(old.path) == tables(fresh)
    assert old.check() == []


def test_reading_brings_it_up_to_date_in_place(old: Database) -> None:
    """The file stays the same file, with the header of the newest version."""
    before = old.path.stat().st_ino
    assert Memories(old).revision() >= 0
    old.close()
    assert old.path.stat().st_ino == before
    assert int.from_bytes(old.path.read_bytes()[60:64], "big") == len(schema.MIGRATIONS)


def test_an_upgrade_that_fails_leaves_the_old_file(old: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration is one transaction: when it breaks off, the step before it stands, and it can be tried again."""
    good = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", good[:-1])
    Memories(old).revision()
    old.close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*good[:-1], good[-1] + "CREATE TABLE meta (again);"))
    before = tables(old.path)
    with pytest.raises(apsw.SQLError, match="already exists"):
        Memories(old).revision()
    old.close()
    assert tables(old.path) == before
    monkeypatch.setattr(schema, "MIGRATIONS", good)
    assert Memories(old).revision() >= 0
    old.close()
    assert tables(old.path) != before
