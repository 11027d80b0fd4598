"""Tests of reading: by id, as of an earlier time, by what changed, and how many there are."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.errors import UsageError
from nola.memory.axes import Kind, Status
from nola.memory.database import Database
from nola.memory.dynamics.base import counted
from nola.memory.filters import Filter
from nola.memory.finding import by_seq, by_seqs, highest, resolve, traits
from nola.memory.memories import Memories
from nola.memory.record import new_memory
from nola.testing import ManualClock
from tests.memory.making import contents, put

if TYPE_CHECKING:
    from datetime import datetime

EVERYTHING = Filter(statuses=frozenset(), expired=True)


def test_a_memory_is_found_by_the_beginning_of_its_id(memories: Memories, opened: Database) -> None:
    """In either case, when no other begins so; nothing else is an id."""
    memories.insert_many([new_memory(name, {}) for name in ("one", "two", "three")], ["abc", "abcd", "xyz"])
    assert [memories.get(id_).record.content for id_ in ("abc", " ABCD ", "x")] == ["one", "two", "three"]
    with pytest.raises(UsageError, match="several memories' ids begin with 'ab'"):
        memories.get("ab")
    for wrong in ("", "q", "%", "é", "abc\0", "\ud800", "a" * 100_000):
        with pytest.raises(UsageError, match=r"no memory's id begins with '.{0,40}'$"):
            memories.get(wrong)
    with opened.reading() as connection:
        assert by_seq(connection, 2).record.id == "abcd"


@pytest.mark.row("B01")
def test_the_kinds_are_counted_apart(memories: Memories) -> None:
    """Each of the six kinds and the summary is named, also where there is none."""
    for kind in (Kind.SENSORY, Kind.EPISODIC, Kind.EPISODIC, Kind.SEMANTIC):
        put(memories, f"a {kind}", kind=kind)
    put(memories, "core", memory_class="innate")
    memories.set_status(put(memories, "old"), Status.ARCHIVED)
    counted_ = memories.count(EVERYTHING)
    assert counted_["kind"] == {
        "sensory": 1, "working": 0, "episodic": 2, "semantic": 3, "procedural": 0, "prospective": 0, "summary": 0,
    }  # fmt: skip
    assert counted_["class"] == {"innate": 1, "learned": 5}
    assert counted_["status"] == {"active": 5, "superseded": 0, "archived": 1, "deleted": 0}
    assert counted_["namespace"] == {"default": 6}
    assert sum(memories.count(Filter())["kind"].values()) == 5


def test_traits_are_read_of_many_at_once(memories: Memories, opened: Database) -> None:
    """Kind, class, level and confidence of those that are there."""
    one = put(memories, "one", kind="procedural", level=3, confidence=0.5)
    core = put(memories, "core", memory_class="innate")
    with opened.reading() as connection:
        assert traits(connection, [core, one, "nowhere"]) == {
            one: (Kind.PROCEDURAL, False, 3, 0.5),
            core: (Kind.SEMANTIC, True, 2, 1.0),
        }
        assert set(traits(connection, [core, one], seen_by="ada")) == {core}


def test_many_are_read_by_their_numbers(memories: Memories, opened: Database) -> None:
    """In the order that is asked for, as far as they are there."""
    for n in range(4):
        put(memories, f"memory {n}")
    with opened.reading() as connection:
        assert contents(by_seqs(connection, [3, 1, 9, 4])) == ["memory 2", "memory 0", "memory 3"]
        assert by_seqs(connection, []) == []


def test_a_user_reads_what_is_theirs_or_innate_and_nobodys(memories: Memories, opened: Database) -> None:
    """Any other id is none, and the beginning of an id need be no other's among those alone."""
    mine, nobodys, theirs = (
        put(memories, text, user=user) for text, user in (("mine", "ada"), ("-", ""), ("x", "eve"))
    )
    with opened.reading() as connection:
        assert resolve(connection, mine[:3], seen_by="ada") == mine
        with pytest.raises(UsageError, match="several memories' ids begin with"):
            resolve(connection, mine[:3])
    core = put(memories, "core", memory_class="innate")
    assert contents([memories.get(id_, seen_by="ada") for id_ in (mine, core)]) == ["mine", "core"]
    for id_ in (theirs, nobodys):
        with pytest.raises(UsageError, match="no memory's id begins with"):
            memories.get(id_, seen_by="ada")


def test_the_highest_number_is_told(memories: Memories, opened: Database) -> None:
    """Of the rows that are there; 0 when there is none."""
    with opened.reading() as connection:
        assert highest(connection) == 0
    ids = [put(memories, text) for text in ("one", "two", "three")]
    memories.purge(ids[1:2])
    with opened.reading() as connection:
        assert highest(connection) == 3


def test_changes_are_what_came_after(memories: Memories) -> None:
    """The feed has every row once, the last state of it, and the numbers of those that went."""
    ids = [put(memories, f"memory {n}", author="Ada", conversation="c") for n in range(3)]
    first, gone = memories.changes(0)
    assert [(change.seq, change.id, change.content, change.author) for change in first] == [
        (n + 1, id_, f"memory {n}", "Ada") for n, id_ in enumerate(ids)
    ]
    assert gone == []
    known = memories.revision()
    memories.update(ids[1], {"content": "other", "importance": 0.9})
    memories.purge([ids[2]])
    changed, gone = memories.changes(known)
    assert [(change.id, change.content, change.importance) for change in changed] == [(ids[1], "other", 0.9)]
    assert gone == [3]
    assert memories.changes(memories.revision()) == ([], [])
    assert len({memories.epoch() for _ in range(3)}) == 1


@pytest.mark.row("P15")
def test_the_past_is_seen_as_it_was(memories: Memories, clock: ManualClock) -> None:
    """What was stored, changed, superseded, promoted or used later is not seen in an earlier state."""
    old = put(memories, "I live in Bergen", importance=0.3)
    core = put(memories, "I am Nola")
    then, uses = clock.now(), clock.now().timestamp()
    clock.advance(60)
    memories.record_access("r", {old: lambda stat: counted(stat, Kind.SEMANTIC, clock.now().timestamp())})
    memories.update(old, {"content": "I lived in Bergen", "importance": 0.8, "tags": ["past"]})
    memories.update(old, {"content": "I lived in Bergen once"})
    memories.promote(core)
    put(memories, "I live in Oslo", supersedes=[old])
    seen = {row.record.id: row.record for row in memories.find(Filter(as_of=then))}
    assert sorted(seen) == sorted([old, core])
    was = seen[old]
    assert (was.content, was.importance, was.tags, was.status) == ("I live in Bergen", 0.3, (), Status.ACTIVE)
    assert (was.statistics.access_count, was.statistics.recent_s, was.statistics.importance) == (0, (uses,), 0.3)
    assert not seen[core].is_innate
    assert contents(memories.find(Filter(), oldest_first=True)) == ["I am Nola", "I live in Oslo"]
    assert memories.find(Filter(as_of=then - timedelta(seconds=1))) == []


_MOVES = st.lists(st.tuples(st.sampled_from(["store", "status", "reword"]), st.integers(0, 9)), max_size=25)


@pytest.mark.row("P15")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(moves=_MOVES)
def test_every_earlier_state_can_be_read(
    moves: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever is stored and changed, what was listed at some time is what is listed as of it later."""
    clock = ManualClock()
    database = Database(tmp_path_factory.mktemp("past") / "memory.db", clock=clock)
    memories = Memories(database)
    ids: list[str] = []
    listed: list[tuple[datetime, list[tuple[str, str]]]] = []
    for what, n in moves:
        clock.advance(1)
        act = {
            "store": partial(_store, memories, ids),
            "status": partial(_set_status, memories, ids),
            "reword": partial(_reword, memories, ids),
        }[what]
        act(n)
        listed.append((clock.now(), _listed(memories, Filter())))
    for at, found in listed:
        assert _listed(memories, Filter(as_of=at)) == found
    database.close()


def _store(memories: Memories, ids: list[str], n: int) -> None:
    ids.append(put(memories, f"memory {n}"))


def _set_status(memories: Memories, ids: list[str], n: int) -> None:
    if ids:
        memories.set_status(ids[n % len(ids)], list(Status)[n % 4])


def _reword(memories: Memories, ids: list[str], n: int) -> None:
    if ids:
        memories.update(ids[n % len(ids)], {"content": f"other {n}", "tags": [f"t{n}"]})


def _listed(memories: Memories, wanted: Filter) -> list[tuple[str, str]]:
    return [(row.record.id, row.record.content) for row in memories.find(wanted)]


@pytest.mark.row("A18", "A22")
def test_reading_writes_nothing(memories: Memories, clock: ManualClock) -> None:
    """Neither getting nor listing nor a year that passes changes a byte of what is stored."""
    id_ = put(memories)
    before = memories.export_lines(), memories.revision()
    clock.advance(365 * 86_400)
    memories.get(id_)
    memories.find(EVERYTHING)
    assert (memories.export_lines(), memories.revision()) == before
    memories.note(id_, "tier", {"old": "warm", "new": "cold", "from": 0.5, "to": 0.1})
    event = memories.events(id_)[-1]
    assert (event.what, event.at, event.detail["new"]) == ("tier", clock.now(), "cold")
