"""Tests of nola.memory.index: the rows in memory are what the file says, after whatever changes."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.memory.axes import Kind, Status
from nola.memory.columns import NONE
from nola.memory.index import KIND_CODES, STATUS_CODES, Index, Names
from nola.memory.postings import Postings
from nola.memory.record import new_memory
from tests.memory.making import put

if TYPE_CHECKING:
    from nola.memory.memories import Memories
    from nola.testing import ManualClock


def caught_up(memories: Memories, index: Index) -> Index:
    """Take in what changed since."""
    changes, gone = memories.changes(index.revision)
    index.apply(changes)
    for seq in gone:
        index.remove(seq - 1)
    index.revision = memories.revision()
    return index


def fresh(memories: Memories) -> Index:
    """An index of everything."""
    return caught_up(memories, Index(Postings()))


def test_names_have_numbers() -> None:
    """In the order in which they come up; one that never came has a number that no row has."""
    names = Names()
    assert [names.number(name) for name in ("a", "b", "a")] == [0, 1, 0]
    assert (names.find("b"), names.find("z") < 0, list(names)) == (1, True, ["a", "b"])


def test_a_row_has_all_that_ranking_needs(memories: Memories, clock: ManualClock) -> None:
    """Kind, status, times, names and statistics stand in the arrays."""
    until = clock.now() + timedelta(days=1)
    put(memories, kind="sensory", ttl=60, author="Ada", conversation="c", pinned=True, valid_until=until, level=3)
    index = fresh(memories)
    facets, now_s = index.facets, clock.now().timestamp()
    assert len(index) == 1
    assert (facets.kind[0], facets.status[0]) == (KIND_CODES[Kind.SENSORY], STATUS_CODES[Status.ACTIVE])
    assert (facets.expires_s[0], facets.valid_until_s[0]) == (now_s + 60, until.timestamp())
    assert facets.valid_from_s[0] == -np.inf
    assert (facets.pinned[0], facets.level[0], facets.innate[0]) == (True, 3, False)
    assert index.columns.speakers == ["Ada"]
    assert index.pool.recent_s[0, 0] == index.pool.created_s[0] == now_s
    assert np.isnan(index.pool.recent_s[0, 1:]).all()
    assert index.postings.has(0)


def test_room_is_made_before_it_is_needed(memories: Memories) -> None:
    """As much as was asked for and no more; what is there stays, and more comes by itself."""
    put(memories)
    index = fresh(memories)
    index.reserve(2_000)
    index.reserve(500)
    assert {len(index.facets.kind), len(index.pool), len(index.columns.session)} == {2_000}
    memories.insert_many([new_memory(f"fact {n}", {"importance": 0.25}) for n in range(2_000)])
    caught_up(memories, index)
    assert (len(index), len(index.pool)) == (2_001, 2_500)
    assert index.facets.status[:2_001].tolist() == [0] * 2_001
    assert index.pool.importance[:2_001].tolist() == [0.5] + [0.25] * 2_000


def test_only_what_is_reworded_is_read_again(memories: Memories) -> None:
    """A change of status leaves the words alone; another text, speaker or user does not."""
    id_ = put(memories)
    index = fresh(memories)
    for act, again in (
        (lambda: memories.set_status(id_, Status.ARCHIVED), []),
        (lambda: memories.update(id_, {"content": "My cat is called Tiger"}), [0]),
        (lambda: memories.update(id_, {"author": "Eve"}), [0]),
        (lambda: memories.update(id_, {"user": "eve"}), [0]),
    ):
        act()
        changes, _ = memories.changes(index.revision)
        assert index.apply(changes) == again
    assert index.facets.status[0] == STATUS_CODES[Status.ARCHIVED]
    assert index.columns.speakers[index.columns.speaker[0]] == "Eve"


def test_what_is_purged_is_gone(memories: Memories) -> None:
    """Its row stays empty, here and in an index that never saw it; later rows keep their numbers."""
    ids = [put(memories, name) for name in ("one", "two", "three")]
    index = fresh(memories)
    memories.purge(ids[1:2])
    put(memories, "four")
    for known in (caught_up(memories, index), fresh(memories)):
        assert len(known) == 4
        assert known.facets.status[:4].tolist() == [0, -1, 0, 0]
        assert [known.postings.has(row) for row in range(4)] == [True, False, True, True]
        assert known.columns.line().beside(np.array([0], dtype=np.int32))[1].tolist() == [2]
    index.remove(1)
    index.remove(77)
    assert len(index.postings) == 3


@pytest.mark.parametrize("seed", range(3))
def test_step_by_step_is_as_at_once(memories: Memories, clock: ManualClock, seed: int) -> None:
    """After two hundred changes, an index that took in each equals one that reads everything now."""
    draw = random.Random(seed)  # noqa: S311 -- the same changes each time
    index, ids = fresh(memories), [put(memories, f"start {n}") for n in range(5)]
    for _ in range(200):
        clock.advance(draw.choice([0, 0, 1, 5_000]))
        id_ = draw.choice(ids)
        deed = draw.randrange(6)
        if deed == 0 or len(ids) < 3:
            ids.append(put(memories, f"text {draw.random()}", author=draw.choice(["", "Ada"]), conversation="c"))
        elif deed == 1:
            memories.update(id_, {"content": f"other {draw.random()}", "author": draw.choice(["Eve", "Ada"])})
        elif deed == 2:
            memories.set_status(id_, draw.choice(list(Status)))
        elif deed == 3:
            memories.purge([ids.pop(ids.index(id_))])
        elif deed == 4:
            memories.update(id_, {"conversation": draw.choice(["", "c", "d"]), "pinned": draw.random() < 0.5})
        else:
            memories.adjust_heat(id_, 0.1)
        caught_up(memories, index)
    whole, size = fresh(memories), len(index)
    live = np.flatnonzero(whole.facets.status[: len(whole)] >= 0)
    assert np.array_equal(live, np.flatnonzero(index.facets.status[:size] >= 0))
    for name in ("kind", "status", "innate", "trust", "level", "pinned", "created_s", "expires_s"):
        assert np.array_equal(getattr(whole.facets, name)[live], getattr(index.facets, name)[live]), name
    for name in ("at_s", "traits"):
        assert np.array_equal(getattr(whole.columns, name)[live], getattr(index.columns, name)[live]), name
    rows = live.astype(np.int32)
    assert np.array_equal(whole.columns.line().beside(rows), index.columns.line().beside(rows))
    assert np.array_equal(whole.columns.session[live] == NONE, index.columns.session[live] == NONE)
    for name in ("importance", "heat_bias", "last_access_s", "recent_s", "stability"):
        assert np.array_equal(getattr(whole.pool, name)[live], getattr(index.pool, name)[live], equal_nan=True), name
    assert len(whole.postings) == len(index.postings) == len(live)
