"""Tests of use: counted once a request, in one transaction, with the pairs and the links that grow of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from nola.errors import ProtectedError, UsageError
from nola.memory import accesses
from nola.memory.axes import EdgeKind, Kind
from nola.memory.dynamics.base import Statistics, counted
from nola.memory.links import Link, pairs, used_together
from nola.settings_memory import LinkSettings
from tests.memory.making import put, rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.memory.database import Database
    from nola.memory.memories import Memories
    from nola.testing import ManualClock


def used(
    clock: ManualClock, ids: list[str], kind: Kind = Kind.SEMANTIC
) -> dict[str, Callable[[Statistics], Statistics]]:
    """Return for each id what one access changes."""
    at = clock.now().timestamp()
    return {id_: lambda stat: counted(stat, kind, at) for id_ in ids}


def counts(memories: Memories, ids: list[str]) -> list[int]:
    """Return how often memories were accessed."""
    return [memories.get(id_).record.statistics.access_count for id_ in ids]


@pytest.mark.row("A18", "A36")
def test_exactly_what_was_used_is_counted(memories: Memories, clock: ManualClock) -> None:
    """Of ten matches the three that were returned have one reference more; reading them counts nothing."""
    ids = [put(memories, f"memory {n}") for n in range(10)]
    clock.advance(60)
    assert memories.record_access("r1", used(clock, ids[:3])) == ids[:3]
    memories.database.close()
    assert counts(memories, ids) == [1, 1, 1] + [0] * 7
    stat = memories.get(ids[0]).record.statistics
    assert (stat.last_access_s, stat.recent_s) == (
        clock.now().timestamp(),
        (clock.now().timestamp(), clock.now().timestamp() - 60),
    )


@pytest.mark.row("X10")
def test_a_request_counts_once(memories: Memories, clock: ManualClock, opened: Database) -> None:
    """However often it is reported, a request is one access for each memory; the next one counts again."""
    ids = [put(memories, f"memory {n}") for n in range(3)]
    memories.record_access("r1", used(clock, ids[:2]), pairs=pairs(ids[:2], 10))
    assert memories.record_access("r1", used(clock, ids), pairs=pairs(ids, 10)) == ids[2:]
    assert counts(memories, ids) == [1, 1, 1]
    memories.record_access("r2", used(clock, ids[:1]))
    assert counts(memories, ids) == [2, 1, 1]
    assert rows(opened, "SELECT count(*) FROM access") == [(4,)]
    assert rows(opened, "SELECT low, high, count FROM pair") == [(1, 2, 1)]


@pytest.mark.row("A02")
def test_an_innate_memory_does_not_change_by_use(memories: Memories, clock: ManualClock, opened: Database) -> None:
    """It is counted in the log, and its row stays as it is."""
    core = put(memories, "I am Nola", memory_class="innate")
    before = rows(opened, "SELECT * FROM memory")
    assert memories.record_access("r1", used(clock, [core])) == [core]
    assert rows(opened, "SELECT * FROM memory") == before
    with pytest.raises(ProtectedError):
        memories.adjust_heat(core, 0.2)


@pytest.mark.row("B30")
def test_use_of_a_procedure_is_counted(memories: Memories, clock: ManualClock) -> None:
    """Three requests are three uses, of the procedure that was returned only."""
    ids = [put(memories, f"how {n}", kind="procedural", steps=["go"]) for n in range(2)]
    for n in range(3):
        memories.record_access(f"r{n}", used(clock, ids[:1], Kind.PROCEDURAL))
    assert [memories.get(id_).record.statistics.usage for id_ in ids] == [3, 0]


@pytest.mark.row("C11")
def test_pairs_are_counted(memories: Memories, clock: ManualClock, opened: Database) -> None:
    """A request that used four memories counts six pairs."""
    ids = [put(memories, f"memory {n}") for n in range(4)]
    memories.record_access("r1", used(clock, ids), pairs=pairs(ids, 10))
    assert rows(opened, "SELECT count, count(*) FROM pair GROUP BY 1") == [(1, 6)]
    assert memories.edges(ids[0]) == []


@pytest.mark.row("C12")
def test_a_link_forms_at_the_third_use(memories: Memories, clock: ManualClock) -> None:
    """None after one and two joint uses, one after three, stronger after more, at most 1."""
    ids = [put(memories, f"memory {n}") for n in range(2)]
    settings = LinkSettings()
    weights = []
    for n in range(40):
        now_s = clock.now().timestamp()
        grow = partial(_grown, now_s=now_s, settings=settings)
        memories.record_access(f"r{n}", used(clock, ids), pairs=pairs(ids, 10), grow=grow)
        weights.append([edge.weight for edge in memories.edges(ids[1], EdgeKind.ASSOCIATED)])
    assert weights[:3] == [[], [], [pytest.approx(0.3)]]
    assert weights[3][0] > weights[2][0]
    assert weights[-1] == [1.0]


@pytest.mark.row("D20", "D21")
def test_a_tenth_for_each_joint_retrieval(memories: Memories, clock: ManualClock) -> None:
    """Read from the pairs, one joint use gives 0.1 from either side, and ten give 1, never 0.2 at once."""
    ids = [put(memories, f"memory {n}") for n in range(2)]
    memories.link(ids[0], EdgeKind.CITES, ids[1])
    settings = LinkSettings()
    for n in range(1, 12):
        grow = partial(_grown, now_s=clock.now().timestamp(), settings=settings)
        memories.record_access(f"r{n}", used(clock, ids), pairs=pairs(ids, 10), grow=grow)
        strength = min(1.0, n / 10)
        with memories.database.reading() as connection:
            near = [accesses.joint(connection, seqs, settings) for seqs in ([1], [2], [1, 2], [3])]
            seen = [accesses.counted(connection, id_, memories.edges(id_), settings) for id_ in ids]
        assert [[(one.seq, one.other, one.weight) for one in each] for each in near] == [
            [(1, 2, strength)], [(2, 1, strength)], [(1, 2, strength), (2, 1, strength)], []
        ]  # fmt: skip
        assert [[(edge.kind, edge.weight) for edge in each] for each in seen] == [
            [(EdgeKind.CITES, 1.0), (EdgeKind.ASSOCIATED, strength)]
        ] * 2
        assert seen[0][1].other(ids[0]) == ids[1]
        assert (seen[0][1].count, seen[0][1].last) == (n, clock.now())


@pytest.mark.row("A30", "D44")
@pytest.mark.parametrize("name", ["namespace", "user"])
def test_memories_of_two_namespaces_or_users_are_no_pair(
    memories: Memories, clock: ManualClock, opened: Database, name: str
) -> None:
    """Whoever asks in all of them at once counts the accesses and joins nothing."""
    ids = [put(memories, "a", **{name: "a"}), put(memories, "b", **{name: "b"})]
    memories.record_access("r1", used(clock, ids), pairs=pairs(ids, 10))
    assert counts(memories, ids) == [1, 1]
    assert rows(opened, "SELECT * FROM pair") == []


def test_what_was_forgotten_meanwhile_is_passed_over(memories: Memories, clock: ManualClock) -> None:
    """A memory that is gone when its use is written down is no error."""
    ids = [put(memories, "stays"), put(memories, "goes")]
    memories.purge(ids[1:])
    assert memories.record_access("r1", used(clock, ids), pairs=pairs(ids, 10)) == ids[:1]


@pytest.mark.row("A40", "P05")
def test_heat_is_adjusted_for_good(memories: Memories, clock: ManualClock) -> None:
    """The amounts add up between -1 and 1, stay after the file was closed, and are events."""
    id_ = put(memories)
    assert memories.adjust_heat(id_, 0.2) == 0.2
    assert memories.adjust_heat(id_[:24], -0.3) == -0.1
    clock.advance(86_400)
    memories.database.close()
    assert memories.get(id_).record.statistics.heat_bias == -0.1
    assert memories.adjust_heat(id_, -5.0) == -1.0
    assert [dict(event.detail) for event in memories.events(id_)[1:]] == [
        {"old": 0.0, "new": 0.2},
        {"old": 0.2, "new": -0.1},
        {"old": -0.1, "new": -1.0},
    ]
    with pytest.raises(UsageError):
        memories.adjust_heat("nowhere", 0.1)


def test_a_pair_that_was_never_used_is_blank(memories: Memories, opened: Database) -> None:
    """Nothing is known of it."""
    put(memories)
    with opened.reading() as connection:
        assert accesses.pair(connection, 1, 2) == Link()


def _grown(_one: str, _other: str, link: Link, *, now_s: float, settings: LinkSettings) -> Link:
    return used_together(link, 1.0, 1.0, now_s, settings)
