"""Tests of storing: what is given comes back, everything is counted and noted, and innate memories stay as they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import apsw
import pytest

from nola.errors import ConflictError, ProtectedError, UsageError
from nola.memory import storing
from nola.memory.axes import EdgeKind, Kind, MemoryClass, Status, Trust
from nola.memory.filters import Filter
from nola.memory.record import new_memory
from tests.memory.making import contents, put, rows

if TYPE_CHECKING:
    from nola.memory.database import Database
    from nola.memory.memories import Memories
    from nola.testing import ManualClock


@pytest.mark.row("A01", "A32")
def test_a_memory_has_its_defaults(memories: Memories, clock: ManualClock) -> None:
    """It is learned, active, of base importance 0.5, accessed at its making and never since."""
    record = memories.get(put(memories)).record
    assert (record.memory_class, record.status, record.kind) == (MemoryClass.LEARNED, Status.ACTIVE, Kind.SEMANTIC)
    assert (record.importance, record.statistics.importance, record.namespace) == (0.5, 0.5, "default")
    assert (record.at, record.created, record.updated) == (clock.now(),) * 3
    now_s = clock.now().timestamp()
    stat = record.statistics
    assert (stat.access_count, stat.last_access_s, stat.recent_s, stat.heat_bias) == (0, now_s, (now_s,), 0.0)


@pytest.mark.row("B23", "D01")
def test_every_field_comes_back(memories: Memories) -> None:
    """Texts, times, tags, nested metadata, empty lists and Unicode are stored as they were given."""
    at = datetime(2024, 5, 7, 13, 30, 0, 123456, tzinfo=UTC)
    given = {
        "kind": "semantic", "level": 1, "trust": "external", "namespace": "work", "agent": "a1", "user": "u1",
        "path": "user.pets", "origin": "import", "channel": "mail", "conversation": "c1", "message": "m1",
        "speaker": "Zoë 🐕", "source": "s1", "at": at, "valid_from": at, "valid_until": at + timedelta(days=1),
        "importance": 0.25, "confidence": 0.75, "pinned": True, "concept": "pets", "tags": ["é", "x"],
        "metadata": {"deep": [{"a": [], "b": {}}], "n": 1.5, "ж": None},
    }  # fmt: skip
    record = memories.get(put(memories, "Biscuit 🐕 é", **given)).record
    found = {name: getattr(record, "author" if name == "speaker" else name) for name in given}
    assert found == {**given, "tags": ("é", "x"), "kind": Kind.SEMANTIC, "trust": Trust.EXTERNAL}
    bare = memories.get(put(memories, "bare", tags=[], metadata={})).record
    assert (bare.tags, bare.metadata) == ((), {})


@pytest.mark.row("B03", "B17")
def test_observations_and_episodes_are_numbered(memories: Memories) -> None:
    """Each agent's count goes up by one, whatever was pruned; an index that is given is taken, and counted on from."""
    for kind, field in (("sensory", "observation_order"), ("episodic", "temporal_index")):
        first = [put(memories, f"{kind} {n}", kind=kind) for n in range(2)]
        given = put(memories, f"{kind} given", kind=kind, **{field: 7})
        memories.database.close()
        after = put(memories, f"{kind} after", kind=kind)
        other = put(memories, f"{kind} other", kind=kind, agent="b")
        numbers = [memories.get(id_).record.details[field] for id_ in (*first, given, after, other)]
        assert numbers == [0, 1, 7, 8, 0]


@pytest.mark.row("B03")
def test_the_order_of_observations_is_strict(memories: Memories) -> None:
    """One that would not come after the last of its agent is refused, alone and among others; nothing is stored."""
    put(memories, "first", kind="sensory", observation_order=7)
    for orders in ((7,), (0,), (8, 9, 9), (8, 3)):
        with pytest.raises(UsageError, match="does not come after"):
            memories.insert_many([new_memory("x", {"kind": "sensory", "observation_order": order}) for order in orders])
    put(memories, "another's", kind="sensory", observation_order=0, agent="b")
    put(memories, "counted", kind="sensory")
    assert [row.record.details["observation_order"] for row in memories.observations()] == [7, 8]


@pytest.mark.row("B08")
def test_a_slot_that_was_put_away_does_not_come_back(memories: Memories) -> None:
    """Its place in the task may be taken; what is no slot comes back."""
    slot, fact = put(memories, "slot", kind="working", task="t"), put(memories, "fact")
    for id_ in (slot, fact):
        memories.set_status(id_, Status.ARCHIVED)
    with pytest.raises(UsageError, match="is a slot that is archived, and slots don't come back: store it again"):
        memories.set_status(slot, Status.ACTIVE)
    assert memories.set_status(fact, Status.ACTIVE) is Status.ARCHIVED
    assert memories.slots("t") == []


def test_an_id_is_taken_once(memories: Memories) -> None:
    """A second memory of the same id is refused with all that came with it."""
    memories.insert_many([new_memory("one", {})], ["same"])
    with pytest.raises(ConflictError, match="can't be stored"):
        memories.insert_many([new_memory("two", {}), new_memory("three", {})], ["other", "same"])
    assert contents(memories.find(Filter())) == ["one"]


@pytest.mark.row("B26", "B33")
def test_edges_that_are_named_are_made(memories: Memories) -> None:
    """A fact and a procedure lead to the episode that they derive from, with how that was found out."""
    episode = put(memories, "We walked Biscuit", kind="episodic")
    fact = put(memories, "Biscuit is a dog", derives_from=[episode], extraction_method="rules", confidence=0.9)
    how = put(memories, "Walk", kind="procedural", steps=["go"], derives_from=[episode], extraction_method="rules")
    made = {edge.source: (edge.kind, edge.properties) for edge in memories.edges(episode)}
    assert made == {
        fact: (EdgeKind.DERIVES_FROM, {"extraction_method": "rules", "confidence": 0.9}),
        how: (EdgeKind.PROCEDURE_DERIVES_FROM, {"extraction_method": "rules"}),
    }


def test_what_is_derived_is_trusted_no_further_than_its_source(memories: Memories) -> None:
    """The least trusted source decides, and nothing raises it."""
    mail = put(memories, "A mail said so", kind="episodic", trust="untrusted")
    said = put(memories, "I said so", kind="episodic")
    fact = put(memories, "So it is", derives_from=[said, mail])
    assert memories.get(fact).record.trust is Trust.UNTRUSTED
    short = put(memories, "Biscuit eats, so it says", derives_from=[mail[:-1].upper()])
    assert memories.get(short).record.trust is Trust.UNTRUSTED


def test_a_link_may_name_the_beginning_of_an_id(memories: Memories) -> None:
    """It has to be that of one memory alone, and of one that the user may see."""
    (mine, other) = memories.insert_many([new_memory(text, {"user": "ada"}) for text in ("one", "two")], ["ab1", "ab2"])
    linked = put(memories, "three", user="ada", cites=["AB1"])
    assert [edge.target for edge in memories.edges(linked)] == [mine]
    for user, beginning, sentence in (("ada", "ab", "several memories' ids"), ("bob", other[:2], "no memory's id")):
        with pytest.raises(UsageError, match=sentence):
            put(memories, "four", user=user, cites=[beginning])


def test_an_edge_to_nothing_stores_nothing(memories: Memories) -> None:
    """A memory whose source is not there is refused."""
    with pytest.raises(UsageError, match="no memory's id begins with 'nowhere'"):
        put(memories, "So it is", derives_from=["nowhere"])
    assert memories.find(Filter()) == []


def test_what_is_superseded_is_marked(memories: Memories, clock: ManualClock) -> None:
    """The old value is superseded by an event with the old and the new status, and joined by an edge."""
    old = put(memories, "I live in Bergen")
    clock.advance(60)
    new = put(memories, "I live in Oslo", supersedes=[old])
    assert memories.get(old).record.status is Status.SUPERSEDED
    assert [(event.what, dict(event.detail)) for event in memories.events(old)] == [
        ("stored", {}),
        ("status", {"old": "active", "new": "superseded"}),
    ]
    assert [(edge.source, edge.target, edge.kind) for edge in memories.edges(old)] == [(new, old, EdgeKind.SUPERSEDES)]


@pytest.mark.row("A02")
def test_an_innate_memory_is_not_superseded(memories: Memories) -> None:
    """Neither by a new memory nor by an edge; the new memory is not stored."""
    core = put(memories, "I am Nola", memory_class="innate")
    with pytest.raises(ProtectedError, match="is innate and protected; nothing was changed"):
        put(memories, "I am somebody else", supersedes=[core])
    other = put(memories, "Somebody else")
    with pytest.raises(ProtectedError):
        memories.link(other, EdgeKind.SUPERSEDES, core)
    assert memories.edges(core) == []
    assert memories.get(core).record.status is Status.ACTIVE


def test_a_status_changes_once(memories: Memories, opened: Database) -> None:
    """The same status again is no event and no revision."""
    id_ = put(memories)
    assert memories.set_status(id_, Status.ARCHIVED, why="cold") is Status.ACTIVE
    before = memories.revision()
    assert memories.set_status(id_, Status.ARCHIVED) is Status.ARCHIVED
    assert memories.revision() == before
    assert rows(opened, "SELECT what, detail FROM event WHERE number > 0") == [
        ("status", '{"new":"archived","old":"active","why":"cold"}')
    ]


def test_removed_rows_take_all_with_them(memories: Memories, opened: Database) -> None:
    """Events, edges, words and vectors of a row go with it."""
    episode = put(memories, "We walked", kind="episodic")
    put(memories, "Biscuit walks", derives_from=[episode])
    seq = memories.get(episode).seq
    assert opened.write(lambda c: storing.remove(c, [seq, seq, 99])) == 1
    assert rows(opened, "SELECT count(*) FROM edge") == [(0,)]
    assert rows(opened, "SELECT count(*) FROM event WHERE memory = ?", seq) == [(0,)]
    assert rows(opened, "SELECT rowid FROM memory_text WHERE memory_text MATCH 'walked'") == [(2,)]


def test_every_change_has_a_greater_revision(memories: Memories, opened: Database) -> None:
    """Storing, changing and deleting each raise it; the rows of one call share one."""
    memories.insert_many([new_memory(name, {}) for name in "ab"])
    one = memories.revision()
    assert rows(opened, "SELECT DISTINCT revision FROM memory") == [(one,)]
    id_ = put(memories, "c")
    two = memories.revision()
    memories.set_status(id_, Status.DELETED)
    three = memories.revision()
    memories.purge([id_])
    assert one < two < three < memories.revision()


@pytest.mark.row("A02", "P28")
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE memory SET content = 'x' WHERE id = ?1",
        "UPDATE memory SET class = 'learned' WHERE id = ?1",
        "UPDATE memory SET importance = 0.1, status = 'deleted' WHERE id = ?1",
        "UPDATE memory SET heat_bias = 0.5, access_count = 9 WHERE id = ?1",
        "DELETE FROM memory WHERE id = ?1",
        "REPLACE INTO memory (id, content, at, created, updated, began, last_access) VALUES (?1, 'x', 1, 1, 1, 1, 1)",
        (
            "INSERT OR REPLACE INTO memory (seq, id, content, at, created, updated, began, last_access) "
            "SELECT seq, 'other', 'x', 1, 1, 1, 1, 1 FROM memory WHERE id = ?1"
        ),
        "UPDATE OR REPLACE memory SET id = ?1 WHERE id <> ?1",
        "UPDATE OR REPLACE memory SET rowid = (SELECT seq FROM memory WHERE id = ?1) WHERE id <> ?1",
        "UPDATE memory SET _rowid_ = 999 WHERE id = ?1",
        "UPDATE memory SET oid = 999 WHERE id = ?1",
        (
            "INSERT INTO edge (source, target, kind, created, last) "
            "SELECT o.seq, i.seq, 'supersedes', 1, 1 FROM memory AS o, memory AS i WHERE i.id = ?1 AND o.id <> ?1"
        ),
    ],
)
def test_raw_sql_can_not_change_an_innate_memory(memories: Memories, opened: Database, sql: str) -> None:
    """The file itself refuses, whoever opens it."""
    core = put(memories, "I am Nola", memory_class="innate")
    put(memories, "learned")
    before = rows(opened, "SELECT * FROM memory ORDER BY seq")
    opened.close()
    shell = apsw.Connection(str(opened.path))
    with pytest.raises(apsw.ConstraintError, match=r"protected|an id never changes"):
        shell.execute(sql, (core,) if "?1" in sql else ())
    shell.close()
    assert rows(opened, "SELECT * FROM memory ORDER BY seq") == before


def test_rows_of_a_shell_get_a_revision_and_words(memories: Memories, opened: Database) -> None:
    """A row that was put in, changed or taken out by plain SQL is in the change feed and in the search."""
    put(memories)
    shell = apsw.Connection(str(opened.path))
    shell.execute(
        "INSERT INTO memory (id, content, at, created, updated, began, last_access, class) "
        "VALUES ('raw', 'by hand', 1, 1, 1, 1, 1, 'innate'), ('raw2', 'second', 1, 1, 1, 1, 1, 'learned')"
    )
    first, _ = memories.changes(1)
    shell.execute("UPDATE memory SET content = 'third' WHERE id = 'raw2'")
    second, _ = memories.changes(3)
    shell.execute("DELETE FROM memory WHERE id = 'raw2'")
    shell.close()
    assert [change.content for change in first] == ["by hand", "second"]
    assert [(change.content, change.revision) for change in second] == [("third", 4)]
    assert memories.changes(4) == ([], [3])
    assert rows(opened, "SELECT rowid FROM memory_text WHERE memory_text MATCH 'hand'") == [(2,)]
    assert rows(opened, "SELECT rowid FROM memory_text WHERE memory_text MATCH 'third OR second'") == []
