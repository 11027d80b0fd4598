"""Tests of filters: each condition lets through what it says, alone and together."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.memory.axes import Kind, MemoryClass, Status, Trust
from nola.memory.database import Database
from nola.memory.filters import Filter, where
from nola.memory.memories import Memories
from nola.memory.record import new_memory
from nola.testing import ManualClock
from tests.memory.making import contents, put

NOW = ManualClock().now()


@pytest.fixture
def some(memories: Memories) -> Memories:
    """Memories that differ in everything."""
    put(memories, "one", kind="episodic", author="Ada", agent="a", user="u", conversation="c1", tags=["x", "y"])
    put(memories, "two", trust="external", concept="pets", tags=["x"], pinned=True, at=NOW - timedelta(days=2))
    put(memories, "three", memory_class="innate", valid_from=NOW - timedelta(days=9), valid_until=NOW)
    memories.set_status(put(memories, "four", kind="procedural", name="tea"), Status.ARCHIVED)
    put(memories, "five", namespace="other")
    put(memories, "six", namespace="global", level=1)
    put(memories, "seven", namespace="global", level=3, memory_class="innate", user="v")
    return memories


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(), ["one", "two", "three", "seven"]),
        (Filter(namespace=None), ["one", "two", "three", "five", "six", "seven"]),
        (Filter(namespace="other"), ["five", "seven"]),
        (Filter(namespace="global"), ["six", "seven"]),
        (Filter(levels=frozenset({1, 3}), namespace=None), ["six", "seven"]),
        (Filter(levels=frozenset({2})), ["one", "two", "three"]),
        (Filter(seen_by="u"), ["one", "three"]),
        (Filter(seen_by="v", namespace=None), ["three", "seven"]),
        (Filter(statuses=frozenset()), ["one", "two", "three", "four", "seven"]),
        (Filter(statuses=frozenset({Status.ARCHIVED})), ["four"]),
        (Filter(kinds=frozenset({Kind.EPISODIC, Kind.PROCEDURAL})), ["one"]),
        (Filter(classes=frozenset({MemoryClass.INNATE})), ["three", "seven"]),
        (Filter(classes=frozenset({MemoryClass.INNATE}), namespace=None), ["three", "seven"]),
        (Filter(classes=frozenset({MemoryClass.LEARNED}), namespace="global"), ["six"]),
        (Filter(trust=Trust.EXTERNAL), ["one", "two", "three", "seven"]),
        (Filter(trust=Trust.OWNER), ["one", "three", "seven"]),
        (Filter(author="Ada"), ["one"]),
        (Filter(agent="a", user="u", conversation="c1"), ["one"]),
        (Filter(agent="b"), []),
        (Filter(concept="pets"), ["two"]),
        (Filter(tags=frozenset({"x"})), ["one", "two"]),
        (Filter(tags=frozenset({"x", "y"})), ["one"]),
        (Filter(pinned=True), ["two"]),
        (Filter(pinned=False), ["one", "three", "seven"]),
        (Filter(since=NOW), ["one", "three", "seven"]),
        (Filter(until=NOW), ["two"]),
        (Filter(valid_at=NOW), ["one", "two", "seven"]),
        (Filter(valid_at=NOW - timedelta(days=9)), ["one", "two", "three", "seven"]),
        (Filter(statuses=frozenset(), details=(("name", "tea"),)), ["four"]),
        (Filter(statuses=frozenset(), details=(("name", None),)), []),
        (Filter(statuses=frozenset(), details=(("name", '["tea"]'),)), []),
    ],
    ids=str,
)
def test_a_condition_lets_through_what_it_says(some: Memories, wanted: Filter, found: list[str]) -> None:
    """Of memories that differ, those come that are meant."""
    assert contents(some.find(wanted, oldest_first=True)) == found


def test_pages_follow_one_another(some: Memories) -> None:
    """The last stored first, by limit and offset; nothing after the end."""
    assert contents(some.find(Filter(), limit=2)) == ["seven", "three"]
    assert contents(some.find(Filter(), limit=2, offset=2)) == contents(some.find(Filter(), offset=2)) == ["two", "one"]
    assert contents(some.find(Filter(), limit=2, oldest_first=True)) == ["one", "two"]
    assert some.find(Filter(), limit=0) == some.find(Filter(), limit=-1) == some.find(Filter(), offset=4) == []


def test_many_tags_and_values_of_every_sort(memories: Memories) -> None:
    """All tags have to be there, however many are asked for; a list or an object is compared as a whole."""
    tags = [str(number) for number in range(50_000)]
    put(memories, "many", kind="sensory", tags=tags, modality="text", raw_data={"a": ["boil é", {"d": 1, "c": True}]})
    put(memories, "few", kind="sensory", tags=tags[:9], modality="text", raw_data={"a": ["boil é"]})
    assert contents(memories.find(Filter(tags=frozenset(tags)))) == ["many"]
    assert contents(memories.find(Filter(tags=frozenset([*tags, "more"])))) == []
    assert contents(memories.find(Filter(details=(("raw_data", {"a": ["boil é"]}), ("modality", "text"))))) == ["few"]
    assert contents(memories.find(Filter(details=(("raw_data", {"a": ["boil é", {"c": True, "d": 1}]}),)))) == ["many"]


def test_a_value_is_never_sql() -> None:
    """Whatever is asked for stands in the values, not in the condition."""
    hostile = "'; DROP TABLE memory; --"
    wanted = Filter(namespace=hostile, tags=frozenset({hostile}), details=((hostile, 1),), seen_by=hostile)
    condition, values = where(wanted, NOW)
    assert hostile not in condition
    assert sum(hostile in value for value in values if isinstance(value, str)) == 5


@pytest.mark.row("A30", "D44")
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.randoms(use_true_random=False))
def test_a_namespace_never_leaks(seed: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of a thousand rows in several namespaces, listing and counting show only those of the one that is asked for."""
    names = ["a", "b", "A", "a b", "ä", "%", "default"]
    given_rows = [(seed.choice(names), f"memory {n}") for n in range(1_000)]
    database = Database(tmp_path_factory.mktemp("names") / "memory.db", clock=ManualClock())
    memories = Memories(database)
    memories.insert_many([new_memory(text, {"namespace": name}) for name, text in given_rows])
    for name in names:
        wanted = [text for other, text in given_rows if other == name]
        assert contents(memories.find(Filter(namespace=name), oldest_first=True)) == wanted
        assert memories.count(Filter(namespace=name))["namespace"] == ({name: len(wanted)} if wanted else {})
    database.close()
