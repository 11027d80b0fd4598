"""Tests of nola.memory.selection: the index and the database let the same rows through."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nola.memory.asking import filtered
from nola.memory.axes import Kind, Status
from nola.memory.dynamics.base import counted
from nola.memory.index import Index
from nola.memory.postings import Postings
from nola.memory.selection import changed_since, needs_database, stored_mask, visible
from tests.memory.making import put

if TYPE_CHECKING:
    from nola.memory.memories import Memories
    from nola.testing import ManualClock


def indexed(memories: Memories) -> Index:
    """An index of everything."""
    index = Index(Postings())
    index.apply(memories.changes(0)[0])
    return index


@pytest.mark.row("A30")
def test_both_ways_are_one(memories: Memories, clock: ManualClock) -> None:
    """Two hundred memories of every sort under three hundred filters: the mask equals what SQL says."""
    draw = random.Random(1)  # noqa: S311 -- the same memories each time
    now = clock.now()

    def one_of(*values: Any) -> Any:
        return draw.choice(values)

    def yes_or_no() -> bool:
        return draw.random() < 0.5

    for n in range(200):
        fields: dict[str, Any] = {
            "kind": one_of("semantic", "episodic", "summary"), "namespace": one_of("default", "work", "global"),
            "agent": one_of("", "a", "b"), "user": one_of("", "u"), "author": one_of("", "Ada", "Eve"),
            "conversation": one_of("", "c", "d"), "trust": one_of("untrusted", "external", "owner"),
            "level": one_of(1, 2, 3), "pinned": yes_or_no(), "at": now + timedelta(hours=draw.randint(-9, 9)),
            "memory_class": one_of("learned", "learned", "innate"),
            "expires_at": one_of(None, now - timedelta(hours=1), now, now + timedelta(hours=1)),
            "valid_from": one_of(None, now - timedelta(days=1)), "valid_until": one_of(None, now, now + timedelta(1)),
        }  # fmt: skip
        if fields["memory_class"] == "innate":  # which never expires
            del fields["expires_at"]
        id_ = put(memories, f"text {n}", **fields)
        if fields["memory_class"] == "learned":
            memories.set_status(id_, draw.choice(list(Status)))
    index = indexed(memories)
    for _ in range(300):
        given: dict[str, Any] = {
            "kind": one_of(None, None, "episodic", ["semantic", Kind.SUMMARY]),
            "namespace": one_of("default", None, "x", "global"),
            "agent": one_of(None, None, "", "a", "z"), "user": one_of(None, None, "u"),
            "author": one_of(None, None, "", "Ada", "Zoe"), "conversation": one_of(None, None, "", "c", "z"),
            "trust": one_of(None, None, "external"), "pinned": one_of(None, None, yes_or_no()),
            "since": one_of(None, None, now), "until": one_of(None, None, now), "valid_at": one_of(None, None, now),
            "memory_class": one_of(None, None, "innate", ["innate", "learned"]), "expired": yes_or_no(),
            "status": one_of("active", ["archived", "superseded"], list(Status)),
            "level": one_of(None, None, 1, [2, 3]),
        }  # fmt: skip
        wanted = filtered({name: value for name, value in given.items() if value is not None or name == "namespace"})
        wanted = replace(wanted, seen_by=one_of(None, None, "u", "nobody"))
        at = now + timedelta(minutes=draw.choice([-90, 0, 90]))
        with memories.database.reading() as connection:
            expected = stored_mask(connection, len(index), wanted, at)
        assert np.array_equal(visible(index, wanted, at), expected), wanted
        assert np.array_equal(visible(index, wanted, at), expected)


def test_an_answer_is_kept_until_something_expires(memories: Memories, clock: ManualClock) -> None:
    """The same mask serves until the first of its rows expires or anything changes; nobody can write into it."""
    put(memories, "soon gone", kind="sensory", ttl=60)
    put(memories, "stays")
    index, wanted, now = indexed(memories), filtered({}), clock.now()
    first = visible(index, wanted, now)
    assert visible(index, wanted, now + timedelta(seconds=59)) is first
    assert visible(index, wanted, now + timedelta(seconds=60)).tolist() == [False, True]
    assert visible(index, wanted, now).tolist() == [True, True]
    with pytest.raises(ValueError, match="read-only"):
        first[0] = False
    put(memories, "new")
    index.apply(memories.changes(index.revision)[0])
    assert visible(index, wanted, now).tolist() == [True, True, True]


def test_what_only_the_database_knows(memories: Memories, clock: ManualClock) -> None:
    """Tags, fields of the kind, concepts and the past are asked for in the file."""
    put(memories, "one", tags=["a", "b"])
    put(memories, "two", concept="pets")
    put(memories, "three", kind="procedural", name="cake", steps=["mix"])
    for given, mask in (
        ({"tags": ["a"]}, [True, False, False]), ({"concept": "pets"}, [False, True, False]),
        ({"details": {"name": "cake"}}, [False, False, True]),
    ):  # fmt: skip
        wanted = filtered(given)
        assert needs_database(wanted)
        with memories.database.reading() as connection:
            assert stored_mask(connection, 3, wanted, clock.now()).tolist() == mask
            assert stored_mask(connection, 1, wanted, clock.now()).tolist() == mask[:1]
    assert needs_database(filtered({}, as_of=clock.now()))
    assert not needs_database(filtered({"kind": "episodic", "speaker": "Ada"}))


@pytest.mark.row("P15")
def test_what_was_touched_since_is_told(memories: Memories, clock: ManualClock) -> None:
    """Changed, superseded or used after a time: of those the columns don't know how they were then."""
    ids = [put(memories, f"text {n}") for n in range(5)]
    clock.advance(60)
    memories.update(ids[0], {"content": "other"})
    then = clock.now()
    clock.advance(60)
    memories.update(ids[1], {"importance": 0.9})
    memories.set_status(ids[2], Status.ARCHIVED)
    memories.record_access("r", {ids[3]: lambda stat: counted(stat, Kind.SEMANTIC, clock.now().timestamp())})
    index = indexed(memories)
    with memories.database.reading() as connection:
        assert changed_since(connection, index, then).tolist() == [False, True, True, True, False]
        assert not changed_since(connection, index, clock.now()).any()
        assert changed_since(connection, index, then - timedelta(days=1)).all()
