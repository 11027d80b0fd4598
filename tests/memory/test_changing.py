"""Tests of changes: checked like a new memory, kept as events; promotion and purging are for good."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from nola.errors import ProtectedError, UsageError
from nola.memory.axes import MemoryClass, Trust
from nola.memory.filters import Filter
from nola.memory.instants import written
from tests.memory.making import put, rows

if TYPE_CHECKING:
    from nola.memory.database import Database
    from nola.memory.memories import Memories
    from nola.testing import ManualClock


@pytest.mark.row("P05", "P17")
def test_fields_get_other_values(memories: Memories, clock: ManualClock) -> None:
    """What is changed is there after the file was closed, with the time of the change; the rest stays."""
    id_ = put(memories, "Make tea", kind="procedural", steps=["boil"], tags=["a"], metadata={"n": 1})
    clock.advance(60)
    memories.update(id_, {"content": "Make green tea", "steps": ["boil", "wait"], "tags": [], "pinned": True})
    memories.database.close()
    record = memories.get(id_).record
    assert (record.content, record.details["steps"], record.tags, record.pinned, record.metadata) == (
        "Make green tea",
        ["boil", "wait"],
        (),
        True,
        {"n": 1},
    )
    assert (record.updated, record.created) == (clock.now(), clock.now() - timedelta(seconds=60))


def test_the_event_keeps_old_and_new(memories: Memories) -> None:
    """Only what changed is in it; the same values again are no change at all."""
    id_ = put(memories, "one", importance=0.5)
    memories.update(id_, {"content": "two", "importance": 0.5})
    before = memories.revision()
    memories.update(id_, {"content": "two"})
    assert memories.revision() == before
    assert [(event.what, dict(event.detail)) for event in memories.events(id_)[1:]] == [
        ("changed", {"old": {"content": "one"}, "new": {"content": "two"}})
    ]


def test_a_time_can_be_set_and_emptied(memories: Memories, clock: ManualClock) -> None:
    """An aware time is taken, None empties what may be empty."""
    id_ = put(memories)
    assert memories.update(id_, {"valid_until": clock.now()}).valid_until == clock.now()
    assert memories.update(id_, {"valid_until": None}).valid_until is None
    with pytest.raises(UsageError, match="at is missing"):
        memories.update(id_, {"at": None})
    with pytest.raises(UsageError, match="valid_until"):
        memories.update(id_, {"valid_until": clock.now().replace(tzinfo=None)})


def test_the_words_of_a_change_are_found(memories: Memories, opened: Database) -> None:
    """The full text follows the content, and only what it holds is indexed again."""
    id_ = put(memories, "Biscuit barks")
    memories.update(id_, {"content": "Biscuit sleeps"})
    memories.update(id_, {"importance": 0.9})
    match = "SELECT count(*) FROM memory_text WHERE memory_text MATCH ?"
    assert [rows(opened, match, word) for word in ("bark", "sleep", "biscuit")] == [[(0,)], [(1,)], [(1,)]]
    opened.write(lambda c: c.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"content": ""}, "content"),
        ({"importance": 1.5}, "importance"),
        ({"importance": float("nan")}, "importance"),
        ({"colour": "red"}, "a memory's colour can't be changed"),
        ({"id": "x"}, "a memory's id can't be changed"),
        ({"class": "innate"}, "a memory's class can't be changed"),
        ({"status": "deleted"}, "a memory's status can't be changed"),
        ({"namespace": "other"}, "a memory's namespace can't be changed"),
        ({"details": {}}, "a memory's details can't be changed"),
        ({"access_count": 9}, "a memory's access_count can't be changed"),
        ({"steps": ["a"]}, "steps is a field of procedural memories"),
        ({"trust": "owner"}, "trust can be lowered, not raised from external to owner"),
    ],
)
def test_a_wrong_change_is_refused(memories: Memories, given: dict[str, object], sentence: str) -> None:
    """One sentence names the field, and nothing is changed."""
    id_ = put(memories, trust="external")
    before = memories.export_lines()
    with pytest.raises(UsageError, match=sentence):
        memories.update(id_, given)
    assert memories.export_lines() == before


@pytest.mark.row("B03", "B08", "B17", "B34")
@pytest.mark.parametrize(
    ("kind", "given", "sentence"),
    [
        ("prospective", {"state": "pending"}, "an intention that is triggered can become resolved, not pending"),
        ("working", {"task": "other"}, "the task of working memories can't be changed: store a new one"),
        ("working", {"task_id": "other"}, "the task of working memories can't be changed"),
        ("working", {"agent": "other"}, "the agent of working memories can't be changed"),
        ("working", {"user": "other"}, "the user of working memories can't be changed"),
        ("sensory", {"observation_order": 0}, "the observation_order of sensory memories can't be changed"),
        ("sensory", {"observation_order": 99}, "the observation_order of sensory memories can't be changed"),
        ("sensory", {"agent_id": "other"}, "the agent of sensory memories can't be changed"),
        ("episodic", {"temporal_index": 0}, "the temporal_index of episodic memories can't be changed"),
    ],
)
def test_the_rules_of_a_kind_hold_for_changes(
    memories: Memories, kind: str, given: dict[str, object], sentence: str
) -> None:
    """What has its place in an order or a task stays there, and an intention goes one way."""
    put(memories, "first", kind=kind)
    id_ = put(memories, "second", kind=kind)
    if kind == "prospective":
        assert memories.update(id_, {"state": "triggered"}).details["state"] == "triggered"
    before = memories.export_lines()
    with pytest.raises(UsageError, match=sentence):
        memories.update(id_, given)
    assert memories.export_lines() == before
    same = memories.get(id_).record
    assert memories.update(id_, {"agent": "", **same.details}) == same


def test_trust_can_be_lowered(memories: Memories) -> None:
    """The other way is open."""
    assert memories.update(put(memories), {"trust": "external"}).trust is Trust.EXTERNAL


@pytest.mark.row("A02", "P28")
def test_promotion_is_for_good(memories: Memories, clock: ManualClock) -> None:
    """A learned memory becomes innate; afterwards every change is refused, and its row stays byte for byte."""
    id_ = put(memories)
    clock.advance(1)
    memories.promote(id_)
    assert memories.get(id_).record.memory_class is MemoryClass.INNATE
    before = rows(memories.database, "SELECT * FROM memory")
    for change in (
        lambda: memories.update(id_, {"content": "other"}),
        lambda: memories.promote(id_),
        lambda: memories.purge([id_]),
        lambda: memories.adjust_heat(id_, 0.1),
    ):
        with pytest.raises(ProtectedError, match=f"the memory {id_} is innate and protected"):
            change()
    assert rows(memories.database, "SELECT * FROM memory") == before


@pytest.mark.row("A03", "A21")
def test_what_becomes_innate_expires_no_more(memories: Memories, clock: ManualClock) -> None:
    """The time at which it would have been forgotten is taken off, and stands in the event."""
    id_ = put(memories, "a bark", kind="sensory")
    expires = memories.get(id_).record.expires_at
    assert expires is not None
    memories.promote(id_)
    clock.advance(301)
    assert [row.record.id for row in memories.find(Filter())] == [id_]
    (event,) = memories.events(id_)[1:]
    assert event.detail == {
        "old": {"class": "learned", "expires_at": written(expires)},
        "new": {"class": "innate", "expires_at": None},
    }


@pytest.mark.row("A54")
def test_a_purge_leaves_only_a_tombstone(memories: Memories, opened: Database) -> None:
    """Row, words, events and edges are gone from the file; a digest tells when the same comes again."""
    episode = put(memories, "We walked", kind="episodic")
    id_ = put(memories, "Biscuit has a   secret", derives_from=[episode])
    kept = put(memories, "Something else")
    assert memories.purge([id_, id_]) == 1
    assert sorted(row.record.id for row in memories.find(Filter())) == sorted([episode, kept])
    assert memories.edges(episode) == []
    assert memories.is_purged("default", "biscuit HAS a secret")
    assert not memories.is_purged("other", "Biscuit has a secret")
    assert not memories.is_purged("default", "Something else")
    opened.write(lambda c: c.execute("INSERT INTO memory_text (memory_text) VALUES ('optimize')"))
    opened.close()
    opened.write(lambda c: c.execute("SELECT 1"))
    with pytest.raises(UsageError, match="no memory's id begins with"):
        memories.purge([kept, id_])
    assert memories.get(kept).record.content == "Something else"
