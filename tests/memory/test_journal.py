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
    assert other.import_lines(text) == (6, 3, 0, ())
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
    assert full.import_lines(text, skip_known=True) == (0, 0, 6, ())
    assert full.export_lines() == text


def test_a_dry_run_takes_everything_back(full: Memories, other: Memories) -> None:
    """It tells what would be stored, and stores nothing."""
    put(other, "mine")
    before = other.export_lines()
    assert other.import_lines(full.export_lines(), dry_run=True) == (6, 3, 0, ())
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
        ('{"counters": {"observation_order/default/": "many"}}', "a counter takes a whole number"),
        ('{"counters": [1]}', "can't be used: 'list' object has no attribute 'items'"),
        ('{"counters": {"observation_order/default/": 1e300}}', "a counter takes a whole number"),
        ('{"counters": {"observation_order/default/": 1180591620717411303424}}', "a counter takes a whole number"),
        ('{"counters": {"observation_order/default/": Infinity}}', "a counter takes a whole number"),
        ("[" * 200_000, "it is nested too deep"),
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


@pytest.mark.parametrize("text", [[], [""], ["", ""], ['{"format": "nola-memory", "version": 1}']])
def test_a_file_that_was_cut_is_refused(full: Memories, other: Memories, text: list[str]) -> None:
    """Where the last line is missing others may be too, even if it was cut at the end of a line, or is empty."""
    for cut in (text, full.export_lines()[:-1]):
        with pytest.raises(DocumentError, match="its last line, that with the counters, is missing"):
            other.import_lines(cut)
    assert other.find(Filter()) == []


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("weight", 5, "weight takes 0 to 1, not 5"),
        ("count", 1e300, "count takes a whole number"),
        ("properties", [1], "what an event or an edge tells is no object"),
        ("target", "m3", "it joins memories of two namespaces: 'default' and 'work'"),
    ],
)
def test_an_edge_that_was_altered_is_refused(other: Memories, name: str, value: object, sentence: str) -> None:
    """Its numbers are of the right size, and both its ends are in one namespace."""
    made = [new_memory("one", {}), new_memory("two", {}), new_memory("three", {"namespace": "work"})]
    other.insert_many(made, ["m1", "m2", "m3"])
    at = "2026-11-20T09:00:00+00:00"
    edge = {"source": "m1", "target": "m2", "kind": "cites", "weight": 1, "count": 1, "created": at, "last": at}
    head = json.dumps({"format": "nola-memory", "version": 1})
    with pytest.raises(DocumentError, match=f"line 2, column 1: {sentence}"):
        other.import_lines([head, json.dumps({"edge": {**edge, "properties": {}, name: value}})])


@pytest.mark.parametrize(
    ("what", "detail", "sentence"),
    [
        ("status", [1], "what an event or an edge tells is no object"),
        ("status", {"old": "asleep"}, "the old status is one of"),
        ("changed", {"new": {}}, "what an event or an edge tells is no object"),
        ("changed", {"old": {"importance": 7}}, "importance takes 0 to 1, not 7"),
        ("", {}, "what an event is is empty"),
    ],
)
def test_a_history_that_can_t_be_undone_is_refused(
    other: Memories, memories: Memories, what: str, detail: object, sentence: str
) -> None:
    """A later look at the memory as it was would stumble over it."""
    put(memories, "Biscuit walks")
    text = memories.export_lines()
    line = json.loads(text[1])
    line["events"].append(["2040-01-01T00:00:00+00:00", what, detail])
    with pytest.raises(DocumentError, match=f"line 2, column 1: {sentence}"):
        other.import_lines([text[0], json.dumps(line), *text[2:]])
    assert other.find(Filter()) == []


def test_what_was_purged_here_does_not_come_back(full: Memories, other: Memories) -> None:
    """It is passed over with its edges and uses, and told; what comes can be purged as anything else."""
    text = full.export_lines()
    other.import_lines(text)
    fact = next(row.record.id for row in other.find(Filter()) if row.record.content == "Biscuit rests")
    other.purge([fact])
    taken = other.import_lines(text, skip_known=True)
    assert taken == (0, 0, 5, (fact,))
    assert other.import_lines(text, skip_known=True, dry_run=True).gone == (fact,)
    assert other.is_purged("default", "Biscuit rests")


def test_an_observation_that_was_pruned_here_does_not_come_back(memories: Memories, other: Memories) -> None:
    """Pruning goes on working after the observation was imported again."""
    gone = put(memories, "a bark", kind="sensory", ttl=1)
    text = memories.export_lines()
    other.import_lines(text)
    later = other.database.clock.now() + timedelta(seconds=10)
    assert other.prune(later) == 1
    assert other.import_lines(text).gone == (gone,)
    assert other.prune(later) == 0


def test_a_purge_elsewhere_deletes_nothing_here(memories: Memories, other: Memories) -> None:
    """What lives here lives on, and can be purged here later."""
    kept = put(memories, "a secret")
    other.import_lines(memories.export_lines())
    memories.purge([kept])
    other.import_lines(memories.export_lines())
    assert contents(other.find(Filter())) == ["a secret"]
    assert not other.is_purged("default", "a secret")
    assert other.purge([kept]) == 1
    assert other.is_purged("default", "a secret")


def test_what_the_tables_refuse_is_not_passed_over(other: Memories) -> None:
    """A link of a memory to itself is told and not silently left out."""
    other.insert_many([new_memory("one", {}), new_memory("two", {})], ["m1", "m2"])
    at = "2026-11-20T09:00:00+00:00"
    edge = {
        "source": "m1",
        "target": "m1",
        "kind": "cites",
        "weight": 1,
        "count": 1,
        "created": at,
        "last": at,
        "properties": {},
    }
    head = json.dumps({"format": "nola-memory", "version": 1})
    for line in ({"edge": edge}, {"pair": ["m1", "m1", 1, at]}):
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
