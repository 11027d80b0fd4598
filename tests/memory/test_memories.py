"""Tests of the memories of a database as a whole: innate ones never change, and what is told survives a reopening."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from nola.errors import NolaError, ProtectedError
from nola.memory.axes import EdgeKind, Kind, MemoryClass, State, Status
from nola.memory.dynamics.base import Statistics, counted
from nola.memory.filters import Filter, where
from nola.memory.instants import seconds
from nola.memory.memories import Memories
from nola.memory.record import new_memory
from nola.testing import ManualClock
from tests.memory.making import put, rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from nola.memory.database import Database
    from nola.memory.record import NewMemory

NOW = ManualClock().now()


@pytest.mark.row("A02", "P28")
def test_a_thousand_calls_leave_innate_memories_as_they_are(memories: Memories, opened: Database) -> None:
    """What would change one is refused with the same error, what works beside them passes them over: no row changes."""
    chance = random.Random(4)  # noqa: S311 -- reproducible, not secret
    kinds = ["semantic", "procedural", "prospective", "episodic", "sensory", "working"]
    core = [
        put(memories, f"core {n}", memory_class="innate", kind=kinds[n % 6], **{"task": "t"} if n % 6 == 5 else {})
        for n in range(20)
    ]
    of_kind = {kind: core[number::6] for number, kind in enumerate(kinds)}
    other = put(memories, "learned", kind="summary")
    deeds: list[Callable[[str], object]] = [
        lambda id_: memories.update(id_, {"content": "other"}),
        lambda id_: memories.update(id_, {"importance": 0.1}),
        lambda id_: memories.set_status(id_, chance.choice([Status.ARCHIVED, Status.SUPERSEDED, Status.DELETED])),
        lambda id_: memories.adjust_heat(id_, chance.choice([0.2, -0.3])),
        lambda id_: memories.purge([id_]),
        memories.promote,
        lambda id_: put(memories, "newer", supersedes=[id_]),
        lambda id_: memories.link(other, EdgeKind.SUPERSEDES, id_),
        lambda id_: memories.move(id_, State.TRIGGERED),
        lambda _: memories.link(other, EdgeKind.CONSOLIDATES, chance.choice(of_kind["episodic"])),
        lambda _: put(memories, "ten in one", kind="summary", consolidates=[chance.choice(of_kind["episodic"])]),
    ]
    beside: list[Callable[[int], object]] = [
        lambda n: memories.record_access(f"r{n}", {chance.choice(core): lambda stat: counted(stat, Kind.SEMANTIC, 0)}),
        lambda n: memories.push(new_memory(f"slot {n}", {"kind": "working", "task": "t"}), most=5),
        lambda n: memories.push(new_memory(f"slot {n}", {"kind": "working", "task": "t"}), most=3),
        lambda n: (
            memories.push(new_memory(f"slot {n}", {"kind": "working", "task": "t"}), most=5),
            memories.complete("t"),
        ),
        lambda _: memories.attend(chance.choice(of_kind["sensory"]), "why"),
        lambda n: memories.prune(NOW + timedelta(days=n)),
    ]
    before = rows(opened, "SELECT * FROM memory WHERE class = 'innate' ORDER BY seq")
    refused = set()
    for n in range(1_000):
        if chance.random() < 0.3:
            chance.choice(beside)(n)
        else:
            with pytest.raises(ProtectedError) as caught:
                chance.choice(deeds)(chance.choice(core))
            refused.add(str(caught.value).replace(caught.value.memory, "ID"))
            assert caught.value.memory in core
    assert refused == {"the memory ID is innate and protected; nothing was changed"}
    assert rows(opened, "SELECT * FROM memory WHERE class = 'innate' ORDER BY seq") == before
    assert rows(opened, "SELECT count(*) FROM event WHERE number > 0") == [(0,)]
    assert set(of_kind["working"]) <= {row.record.id for row in memories.slots("t")}


@pytest.mark.row("P17", "P05")
def test_everything_survives_a_reopening(memories: Memories, clock: ManualClock) -> None:
    """After each changing call the file is closed, and what was told is what is read."""
    id_ = put(memories, "I live in Bergen")
    partner = put(memories, "Bergen is wet")
    told: list[tuple[Callable[[], object], Callable[[], object]]] = [
        (lambda: memories.set_status(id_, Status.ARCHIVED), lambda: memories.get(id_).record.status),
        (lambda: memories.adjust_heat(id_, 0.5), lambda: memories.get(id_).record.statistics.heat_bias),
        (lambda: memories.update(id_, {"tags": ["home"]}), lambda: memories.get(id_).record.tags),
        (lambda: memories.link(id_, EdgeKind.SIMILAR_TO, partner, weight=0.4), lambda: memories.edges(partner)),
        (
            lambda: memories.record_access("r", {id_: lambda stat: counted(stat, Kind.SEMANTIC, 9e9)}),
            lambda: memories.get(id_).record.statistics,
        ),
        (lambda: memories.note(id_, "tier", {"old": "hot", "new": "warm"}), lambda: memories.events(id_)),
        (lambda: memories.push(new_memory("slot", {"kind": "working", "task": "t"})), lambda: memories.slots("t")),
        (lambda: memories.complete("t"), lambda: memories.slots("t")),
        (lambda: memories.purge([partner]), lambda: memories.is_purged("default", "bergen is wet")),
    ]
    for change, read in told:
        before = read()
        clock.advance(1)
        change()
        after = read()
        memories.database.close()
        assert read() == after != before


def test_the_kind_may_decide_how_a_memory_begins(opened: Database) -> None:
    """Whoever opens the memories says with which statistics each begins."""

    def begin(new: NewMemory, now: datetime) -> Statistics:
        return Statistics.fresh(seconds(now), stability_days=10.0 if new.kind is Kind.PROCEDURAL else 1.0)

    memories = Memories(opened, begin=begin)
    ids = put(memories, "a fact"), put(memories, "how", kind="procedural")
    assert [memories.get(id_).record.statistics.stability_days for id_ in ids] == [1.0, 10.0]


def test_a_first_stability_that_is_given_is_taken(memories: Memories) -> None:
    """In days and as a share."""
    stat = memories.get(put(memories, stability_days=30, stability=0.8)).record.statistics
    assert (stat.stability_days, stat.stability) == (30.0, 0.8)


def test_the_present_is_the_clocks_unless_it_is_given(memories: Memories, clock: ManualClock) -> None:
    """Each call takes an instant of its own."""
    earlier = clock.now() - timedelta(days=400)
    (id_,) = memories.insert_many([new_memory("old", {})], now=earlier)
    assert memories.get(id_).record.created == earlier
    assert memories.get(put(memories)).record.created == clock.now()
    made = memories.new_ids(3)
    assert made == sorted(set(made))


@pytest.mark.row("A33")
@pytest.mark.parametrize(
    ("condition", "index"),
    [
        (where(Filter(classes=frozenset({MemoryClass.INNATE})), NOW), "memory_innate"),
        (where(Filter(statuses=frozenset({Status.ARCHIVED}), namespace=None), NOW), "memory_status"),
        (where(Filter(kinds=frozenset({Kind.SENSORY})), NOW), "memory_namespace"),
        (("m.expires_at <= ?", [5]), "memory_expires"),
        (("m.conversation = ? AND m.conversation <> ''", ["c"]), "memory_conversation"),
        (("m.kind = 'working' AND json_extract(m.details, '$.task') = ?", ["t"]), "memory_task"),
        (("m.revision > ?", [5]), "memory_revision"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_lists_come_through_an_index(
    memories: Memories, opened: Database, condition: tuple[str, list[Any]], index: str
) -> None:
    """Innate, archived and expired memories, a conversation's and a namespace's are found without reading every row."""
    put(memories)
    sql = f"EXPLAIN QUERY PLAN SELECT * FROM memory AS m WHERE {condition[0]}"  # noqa: S608 -- made by us
    assert f"USING INDEX {index}" in rows(opened, sql, *condition[1])[0][3]


def test_nothing_is_there_before_the_first_memory(memories: Memories, opened: Database) -> None:
    """Every way of reading an absent file finds nothing and makes none."""
    assert memories.find(Filter()) == []
    assert memories.changes(0) == ([], [])
    assert memories.revision() == 0
    assert memories.observations() == memories.slots("t") == []
    assert not memories.is_purged("default", "x")
    assert len(memories.export_lines()) == 2
    with pytest.raises(NolaError):
        memories.events("a")
    assert not opened.path.exists()
