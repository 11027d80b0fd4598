"""Tests of the readable export: taken in and given out again it is the same, byte for byte."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.errors import ConflictError, DocumentError
from nola.memory.axes import EdgeKind, Kind, Status
from nola.memory.database import Database
from nola.memory.dynamics.base import counted
from nola.memory.filters import Filter
from nola.memory.memories import Memories
from nola.memory.record import new_memory
from nola.testing import ManualClock
from tests.memory.making import contents, put

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Memories]:
    """An empty database."""
    database = Database(tmp_path / "other.db", clock=ManualClock())
    yield Memories(database)
    database.close()


@pytest.fixture
def full(memories: Memories, clock: ManualClock) -> Memories:
    """Memories of every sort, with a history, edges, pairs, a purge and counters."""
    episode = put(memories, "We walked 🐕", kind="episodic", speaker="Zoë", metadata={"ж": [1.5, None]}, tags=["é"])
    fact = put(memories, "Biscuit walks", derives_from=[episode], extraction_method="rules")
    clock.advance(0.123456)
    put(memories, "I am Nola", memory_class="innate", pinned=True)
    put(memories, "a bark", kind="sensory", ttl=20, raw_data={"loud": True})
    put(memories, "Walk", kind="procedural", steps=["go", "go"])
    used = {id_: lambda stat: counted(stat, Kind.SEMANTIC, clock.now().timestamp()) for id_ in (fact, episode)}
    memories.record_access("r1", used, pairs=[(fact, episode)])
    memories.update(fact, {"content": "Biscuit walks a lot", "importance": 0.7})
    put(memories, "Biscuit rests", supersedes=[fact])
    memories.link(fact, EdgeKind.ASSOCIATED, episode, weight=0.3)
    memories.adjust_heat(fact, -0.25)
    memories.purge([put(memories, "a secret")])
    return memories


@pytest.mark.row("E59")
def test_taken_in_and_given_out_again_it_is_the_same(full: Memories, other: Memories) -> None:
    """Memories, history, statistics, edges, pairs, tombstones and counters come back byte for byte."""
    text = full.export_lines()
    assert other.import_lines(text) == (6, 3, 0)
    assert other.export_lines() == text
    assert other.is_purged("default", "A Secret")
    assert contents(other.find(Filter(), oldest_first=True)) == contents(full.find(Filter(), oldest_first=True))
    assert other.database.check() == []


def test_it_can_be_gone_on_with(full: Memories, other: Memories) -> None:
    """What is stored after an import is counted on, found and revised as anything else."""
    other.import_lines(full.export_lines())
    after = other.get(put(other, "another bark", kind="sensory"))
    assert after.record.details["observation_order"] == 1
    changed, _ = other.changes(0)
    assert len(changed) == 7
    with other.database.reading() as connection:
        found = connection.execute("SELECT count(*) FROM memory_text WHERE memory_text MATCH 'walk'").get
    assert found == 3


def test_lines_are_readable_and_sorted(full: Memories) -> None:
    """Each line is one object in UTF-8; memories come first, by id, and their times can be read."""
    lines = [json.loads(line) for line in full.export_lines()]
    assert lines[0] == {"format": "nola-memory", "version": 1}
    ids = [line["memory"]["id"] for line in lines if "memory" in line]
    assert ids == sorted(ids)
    first = next(line for line in lines if "memory" in line)
    assert first["memory"]["content"] == "We walked 🐕"
    assert first["memory"]["created"] == "2026-11-20T09:00:00.000000+00:00"
    assert first["events"] == [["2026-11-20T09:00:00.000000+00:00", "stored", {}]]


def test_what_is_known_is_refused_or_passed_over(full: Memories) -> None:
    """Taking the same in again changes nothing, either way."""
    text = full.export_lines()
    with pytest.raises(ConflictError, match="is there already; nothing was stored"):
        full.import_lines(text)
    assert full.import_lines(text, skip_known=True) == (0, 0, 6)
    assert full.export_lines() == text


def test_a_dry_run_takes_everything_back(full: Memories, other: Memories) -> None:
    """It tells what would be stored, and stores nothing."""
    put(other, "mine")
    before = other.export_lines()
    assert other.import_lines(full.export_lines(), dry_run=True) == (6, 3, 0)
    assert other.export_lines() == before


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "Expecting property name"),
        ("[1]", "a line of this sort is not known: 1"),
        ('{"photo": 1}', "a line of this sort is not known: 'photo'"),
        ('{"memory": {"id": "x"}}', "is missing"),
        ('{"memory": 5, "events": [], "uses": []}', "can't be used"),
        ('{"pair": ["a", "b", 1, "2026-11-20T09:00:00+00:00"]}', "names a memory that is not there: 'a'"),
        ('{"pair": 5}', "can't be used"),
        ('{"edge": {"kind": "friend_of"}}', "friend_of"),
        ('{"tombstone": {"digest": "xyz"}}', "can't be used"),
        ('{"counters": {"observation_order/default/": "many"}}', "can't be used"),
        ('{"counters": [1]}', "can't be used: 'list' object has no attribute 'items'"),
        ('{"counters": {"observation_order/default/": 1e300}}', "can't be used: int too big"),
    ],
)
def test_a_line_that_is_wrong_is_named(other: Memories, line: str, sentence: str) -> None:
    """The number of the line and the reason are told, and nothing at all is stored."""
    good = json.dumps({"format": "nola-memory", "version": 1})
    with pytest.raises(DocumentError, match=f"line 3, column 1: .*{sentence}"):
        other.import_lines([good, "", line])
    assert other.find(Filter()) == []


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"format": "photo", "version": 1}', "no export of Nola's memory"),
        ('{"format": "nola-memory", "version": 2}', "written by a newer Nola"),
        ("{}", "can't be used: 'format'"),
    ],
)
def test_a_file_of_something_else_is_refused(other: Memories, line: str, sentence: str) -> None:
    """The first line says what it is."""
    with pytest.raises(DocumentError, match=sentence):
        other.import_lines([line])


@pytest.mark.parametrize(("target", "weight"), [("m1", 1), ("m2", 5)])
def test_what_the_tables_refuse_is_not_passed_over(other: Memories, target: str, weight: float) -> None:
    """A link of a memory to itself, or one that is stronger than 1, is told and not silently left out."""
    other.insert_many([new_memory("one", {}), new_memory("two", {})], ["m1", "m2"])
    at = "2026-11-20T09:00:00+00:00"
    edge = {"source": "m1", "kind": "cites", "count": 1, "created": at, "last": at, "properties": {}}
    head = json.dumps({"format": "nola-memory", "version": 1})
    for line in ({"edge": {**edge, "target": target, "weight": weight}}, {"pair": ["m1", "m1", 1, at]}):
        with pytest.raises(DocumentError, match="line 2, column 1: it can't be used: CHECK constraint failed"):
            other.import_lines([head, json.dumps(line)])


def test_a_purge_is_remembered_where_the_memory_only_went(full: Memories, other: Memories) -> None:
    """What had expired here, and was purged there, counts as purged from then on."""
    (gone,) = full.insert_many([new_memory("a creak", {"kind": "sensory", "ttl": 1})])
    other.import_lines(full.export_lines())
    full.purge([gone])
    other.prune(other.database.clock.now() + timedelta(seconds=10))
    assert not other.is_purged("default", "a creak")
    other.import_lines(full.export_lines(), skip_known=True)
    assert other.is_purged("default", "a creak")


_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40).filter(
    lambda text: bool(text.strip())
)
_SHARES = st.floats(min_value=0, max_value=1)


@pytest.mark.row("E59")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    some=st.lists(
        st.tuples(
            _TEXTS, st.sampled_from([Kind.SEMANTIC, Kind.EPISODIC, Kind.SENSORY]), _SHARES, st.sampled_from(Status)
        ),
        max_size=6,
    )
)
def test_whatever_is_stored_travels(
    some: list[tuple[str, Kind, float, Status]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Any text, kind, number and status goes out and in and out unchanged."""
    folder = tmp_path_factory.mktemp("travel")
    databases = [Database(folder / name, clock=ManualClock()) for name in ("a.db", "b.db")]
    one, two = (Memories(database) for database in databases)
    for text, kind, share, status in some:
        (id_,) = one.insert_many([new_memory(text, {"kind": kind, "importance": share})])
        one.set_status(id_, status)
    lines = one.export_lines()
    two.import_lines(lines)
    assert two.export_lines() == lines
    for database in databases:
        database.close()
