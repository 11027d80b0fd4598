"""Tests of the learned memory in an export: every line comes back, what is wrong is named, and only news is counted."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.errors import DocumentError
from nola.memory.axes import EdgeKind, Kind
from nola.memory.dynamics.base import counted
from nola.memory.filters import Filter
from nola.transfer.memories import MemoriesPlan, MemoryPlan, compared, lines_of, object_of, objects_of
from nola.transfer.writing import written
from tests.memory.making import put
from tests.transfer.fakes import Home

if TYPE_CHECKING:
    from pathlib import Path

    from nola.memory.memories import Memories

HEAD = {"format": "nola-memory", "version": 1}


@pytest.fixture
def full(tmp_path: Path) -> Home:
    """A home with memories of several sorts, used, linked and purged."""
    home = Home(tmp_path / "full")
    stored = home.memories
    walk = put(stored, "We walked 🐕", kind="episodic", metadata={"steps": 2**60, "ж": [1e-05, None]})
    fact = put(stored, "Biscuit walks", derives_from=[walk])
    put(stored, "a bark", kind="sensory", ttl=20)
    used = {id_: lambda stat: counted(stat, Kind.SEMANTIC, 1e9) for id_ in (walk, fact)}
    stored.record_access("r1", used, pairs=[(walk, fact)])
    stored.update(fact, {"importance": 0.7})
    stored.link(fact, EdgeKind.ASSOCIATED, walk, weight=0.3)
    stored.purge([put(stored, "a secret")])
    return home


@pytest.fixture
def empty(tmp_path: Path) -> Memories:
    """A memory with nothing in it."""
    return Home(tmp_path / "empty").memories


def returned(lines: list[str]) -> tuple[str, ...]:
    """Send lines through a file, as an export does."""
    return lines_of(orjson.loads(orjson.dumps(objects_of(lines), option=orjson.OPT_INDENT_2)))


def test_what_was_deleted_here_is_not_new(full: Home, empty: Memories) -> None:
    """Nor are its links; and the purge of what lives here is none."""
    before = full.memories.export_lines()
    empty.import_lines(before)
    fact = next(row.record.id for row in empty.find(Filter()) if row.record.content == "Biscuit walks")
    empty.purge([fact])
    assert compared(before, empty) == MemoriesPlan(known=2)
    assert compared(empty.export_lines(), full.memories) == MemoriesPlan(known=2)


@pytest.mark.row("E59")
def test_export_import_export_gives_the_same_bytes(full: Home, tmp_path: Path) -> None:
    """History, statistics, links, purges and counters come out of a new home as they came out of the old one."""
    other = Home(tmp_path / "other")
    export = written(None, None, full.memories.export_lines())
    assert other.take_in(export).memories == tuple(row.record.id for row in stored(full.memories))
    assert written(None, None, other.memories.export_lines()) == export
    assert other.plan(export).is_done


def stored(memories: Memories) -> list[Any]:
    """Return all memories, by id."""
    return sorted(memories.find(Filter(expired=True)), key=lambda row: row.record.id)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
        st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans(),
        max_size=4,
    )
)
def test_whatever_is_stored_comes_back(tmp_path_factory: pytest.TempPathFactory, metadata: dict[str, Any]) -> None:
    """Numbers that other readers of JSON would change travel as text."""
    one, two = (Home(tmp_path_factory.mktemp("home")).memories for _ in range(2))
    put(one, "x", metadata=metadata)
    lines = one.export_lines()
    two.import_lines(returned(lines))
    assert two.export_lines() == lines


def test_only_what_json_would_change_is_text(full: Home) -> None:
    """All other lines are objects, to be read; either way `object_of` tells what was said."""
    objects = objects_of(full.memories.export_lines())
    wrapped = [one for one in objects if isinstance(one, dict) and "nola:text" in one]
    assert len(wrapped) == 1
    assert object_of(wrapped[0])["memory"]["metadata"]["steps"] == 2**60
    assert [object_of(one) for one in objects] == [json.loads(line) for line in full.memories.export_lines()]
    assert object_of(5) == {}


def test_what_is_new_is_counted(full: Home, empty: Memories) -> None:
    """Into an empty memory everything comes; what is known is passed over, and of it only links are news."""
    lines = full.memories.export_lines()
    ids = [row.record.id for row in stored(full.memories)]
    new = (
        MemoryPlan(ids[0], "episodic", "We walked 🐕"),
        MemoryPlan(ids[1], "semantic", "Biscuit walks"),
        MemoryPlan(ids[2], "sensory", "a bark"),
    )
    assert compared(lines, empty) == MemoriesPlan(new=new, events=4, uses=2, edges=2, pairs=1, purged=1, counters=2)
    assert stored(empty) == []
    assert compared(lines, full.memories) == MemoriesPlan(known=3)
    assert compared([], empty) == MemoriesPlan()
    empty.import_lines([line for line in lines if '"edge"' not in line and '"pair"' not in line])
    assert compared(lines, empty) == MemoriesPlan(known=3, edges=2, pairs=1)


def test_ends_of_a_link_may_be_swapped_by_hand(full: Home) -> None:
    """What means the same from either end is the same from either end; a counter that is behind is no news."""
    lines = [json.loads(line) for line in full.memories.export_lines()]
    for line in lines:
        if "pair" in line:
            line["pair"][:2] = reversed(line["pair"][:2])
        if line.get("edge", {}).get("kind") == "associated":
            edge = line["edge"]
            edge["source"], edge["target"] = edge["target"], edge["source"]
    lines[-1]["counters"] = {name: number - 1 for name, number in lines[-1]["counters"].items()} | {"revision": 10**9}
    assert compared([json.dumps(line) for line in lines], full.memories).is_done


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({}, "memories is no list"),
        ([HEAD, "x"], "memories.1: it is no object"),
        ([{"nola:text": 5}], "memories.0: it holds 'nola:text', which is no JSON text of an object"),
        ([{"nola:text": "[]"}], "memories.0: it holds 'nola:text', which is no JSON text of an object"),
        ([{"nola:text": "{"}], "memories.0: it holds 'nola:text', which is no JSON text of an object"),
        ([{"nola:text": '{"a":' * 900 + "1" + "}" * 900}], "memories.0: it holds 'nola:text', which is no JSON"),
        ([{"nola:text": "{}", "a": 1}], "memories.0: it holds 'nola:text', which is no JSON text of an object"),
        ([{"nola:text": "{" * 100_000}], "memories.0: it holds 'nola:text', which is no JSON text of an object"),
    ],
)
def test_what_is_no_list_of_objects_is_named(value: Any, why: str) -> None:
    """One sentence says where."""
    with pytest.raises(DocumentError) as refused:
        lines_of(value)
    assert str(refused.value).startswith(f"the export: {why}")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([{}], "memories.0: it can't be used: 'format'"),
        ([{**HEAD, "version": 2}], "memories.0: it was written by a newer Nola (version 2); update Nola"),
        ([HEAD, {"photo": 1}], "memories.1: a line of this sort is not known: 'photo'"),
        ([HEAD, {"p" * 400: 1}], "memories.1: a line of this sort is not known: 'ppp"),
        ([HEAD, {"memory": {"id": "x"}}], "memories.1: content is missing"),
        ([HEAD, {"counters": [1]}], "memories.1: it can't be used: 'list' object has no attribute 'items'"),
        ([HEAD, {"counters": {"a": 1e300}}], "memories.1: a counter takes a whole number"),
        ([HEAD, {"pair": ["a", "b", 1, "2026-11-20T09:00:00+00:00"]}], "memories.1: it names a memory that is not"),
    ],
)
def test_a_damaged_object_is_named(empty: Memories, lines: list[Any], why: str) -> None:
    """Its place in the list and the reason stand in one short sentence, and nothing is stored."""
    with pytest.raises(DocumentError) as refused:
        compared(lines_of(lines), empty)
    assert str(refused.value).startswith(f"the export: {why}")
    assert len(str(refused.value)) < 350
    assert stored(empty) == []


def test_an_id_stands_once(full: Home, empty: Memories) -> None:
    """Two memories of one id are refused, whichever of them would have been stored."""
    lines = full.memories.export_lines()
    id_ = json.loads(lines[1])["memory"]["id"]
    with pytest.raises(DocumentError, match=f"the export: two memories have the id '{id_}'"):
        compared([*lines, lines[1]], empty)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_told_and_never_crashes(full: Home, empty: Memories, data: st.DataObject) -> None:
    """Whatever value is put in the place of another one, at any depth, could be stored or is refused."""
    lines = [json.loads(line) for line in full.memories.export_lines()]
    holder: Any = lines
    while True:
        key = data.draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
        if not (holder[key] and isinstance(holder[key], dict | list)) or data.draw(st.integers(0, 3)) == 0:
            break
        holder = holder[key]
    holder[key] = data.draw(
        st.sampled_from([None, True, -1, 1e300, "", "x", [], {}, [[]], [1, 2, 3, 4], {"a": 1}, "2026-11-20T09:00:00"])
    )
    with contextlib.suppress(DocumentError):
        assert compared(lines_of(lines), empty).known == 0
    assert stored(empty) == []
