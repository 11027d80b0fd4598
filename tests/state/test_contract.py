"""Tests of the metadata contract."""

from __future__ import annotations

import copy
import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.state import contract, paths

if TYPE_CHECKING:
    from nola.types import Json

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
GOLDEN = json.loads((Path(__file__).parent / "golden_004.json").read_text(encoding="utf-8"))


@pytest.mark.row("E60")
def test_new_metadata_has_the_documented_defaults() -> None:
    """A new node is level 1, not flagged, and stale after 600 seconds."""
    assert contract.create_metadata(now=NOW) == {
        "last_updated": "2026-11-20T09:00:00+00:00",
        "context_level": 1,
        "needs_sync": False,
        "stale_threshold_seconds": 600,
        "source_file": None,
        "version": 1,
    }


def test_new_metadata_refuses_an_unknown_level() -> None:
    """A level other than 1, 2 or 3 is a programming error."""
    with pytest.raises(ValueError, match="1, 2 or 3, not 4"):
        contract.create_metadata(4, now=NOW)


@pytest.mark.row("E60")
@pytest.mark.parametrize("row", GOLDEN["004.is_stale"], ids=lambda row: f"{row['age_s']} s")
def test_staleness_counts_total_seconds(row: dict[str, int]) -> None:
    """The golden vectors hold, days included."""
    metadata = contract.create_metadata(
        now=NOW - timedelta(seconds=row["age_s"]), stale_threshold_seconds=row["threshold"]
    )
    assert contract.is_stale(metadata, NOW) is row["correct"]


@pytest.mark.row("E60")
def test_staleness_tolerates_what_an_owner_may_write() -> None:
    """A naive time is UTC, an unreadable one stale, an unreadable threshold 600, a future time fresh."""
    assert contract.is_stale({"last_updated": "2026-11-20T08:55:00"}, NOW) is False
    assert contract.is_stale({"last_updated": "2026-11-20T10:55:00+02:00"}, NOW) is False
    assert contract.is_stale({"last_updated": "last week"}, NOW) is True
    assert contract.is_stale({"last_updated": 12}, NOW) is True
    assert contract.is_stale({"last_updated": "0001-01-01T00:00:00+14:00"}, NOW) is True
    assert contract.is_stale({}, NOW) is True
    assert contract.is_stale({"last_updated": "2026-11-20T08:45:00Z", "stale_threshold_seconds": "soon"}, NOW) is True
    assert contract.is_stale({"last_updated": "2026-11-20T08:55:00Z", "stale_threshold_seconds": True}, NOW) is False
    assert contract.is_stale({"last_updated": "2030-01-01T00:00:00Z"}, NOW) is False


@pytest.mark.row("E60")
def test_a_node_asks_for_sync_when_flagged_or_stale() -> None:
    """E-40: the seed's should_sync ignored staleness."""
    fresh = contract.create_metadata(now=NOW)
    assert contract.should_sync(fresh, NOW) is False
    assert contract.should_sync(contract.request_sync(fresh), NOW) is True
    assert contract.should_sync(fresh, NOW + timedelta(seconds=601)) is True
    assert contract.should_sync({**fresh, "needs_sync": "yes"}, NOW) is False


@pytest.mark.row("E60")
def test_signals_return_new_metadata() -> None:
    """Raising and lowering the flag mutates nothing."""
    fresh = contract.create_metadata(now=NOW)
    flagged = contract.request_sync(fresh)
    synced = contract.mark_synced(flagged, NOW + timedelta(seconds=5))
    assert fresh["needs_sync"] is False
    assert flagged["needs_sync"] is True
    assert synced["needs_sync"] is False
    assert synced["last_updated"] == "2026-11-20T09:00:05+00:00"
    assert flagged["last_updated"] == "2026-11-20T09:00:00+00:00"


def test_touched_raises_the_version() -> None:
    """Every save counts; a version that can't be read starts again."""
    assert contract.touched({"version": 3}, NOW)["version"] == 4
    assert contract.touched({"version": "new"}, NOW)["version"] == 1
    assert contract.touched({"version": True}, NOW)["version"] == 1


def test_a_node_has_metadata_and_data() -> None:
    """An object with one of the two is plain data."""
    assert contract.is_node({"metadata": {}, "data": 1}) is True
    assert contract.is_node({"metadata": {}}) is False
    assert contract.is_node({"metadata": 3, "data": 1}) is False
    assert contract.is_node([1]) is False


def test_split_node_leaves_plain_values_alone() -> None:
    """A value that is no node is its own data."""
    assert contract.split_node({"metadata": {"version": 1}, "data": [1]}) == ({"version": 1}, [1])
    assert contract.split_node({"a": 1}) == ({}, {"a": 1})


def test_split_root_reads_what_an_owner_laid_out() -> None:
    """A file without metadata or without data means what it plainly says."""
    assert contract.split_root({"metadata": {"version": 2}, "data": {"a": 1}}) == ({"version": 2}, {"a": 1})
    assert contract.split_root({"data": {"a": 1}}) == ({}, {"a": 1})
    assert contract.split_root({"a": 1, "data": 2}) == ({}, {"a": 1, "data": 2})
    assert contract.split_root({"metadata": {"version": 2}, "a": 1}) == ({"version": 2}, {"a": 1})


def test_join_root_keeps_what_stands_beside() -> None:
    """An unknown key beside metadata and data, and the order, survive."""
    raw: contract.Metadata = {"$schema": "x", "data": {"a": 1}, "metadata": {}}
    joined = contract.join_root(raw, {"version": 1}, {"a": 2})
    assert joined == {"$schema": "x", "data": {"a": 2}, "metadata": {"version": 1}}
    assert list(joined) == ["$schema", "data", "metadata"]
    assert contract.join_root({"a": 1}, {"version": 1}, {"a": 2}) == {"metadata": {"version": 1}, "data": {"a": 2}}


def test_plain_strips_every_wrapper() -> None:
    """Nested nodes read as their data, in lists too."""
    value: contract.Metadata = {"a": {"metadata": {}, "data": {"b": [{"metadata": {}, "data": 1}, 2]}}}
    assert contract.plain(value) == {"a": {"b": [1, 2]}}


def test_levels_out_of_range_are_inherited() -> None:
    """Only 1, 2 and 3 are levels."""
    assert contract.level_of({"context_level": 3}, 1) == 3
    assert contract.level_of({"context_level": 7}, 1) == 1
    assert contract.level_of({"context_level": True}, 2) == 2
    assert contract.level_of({}) == 2


@pytest.mark.row("E13")
def test_violations_name_the_field() -> None:
    """A field of the wrong kind is told; a missing one is inherited and fine."""
    assert contract.violations({}) == []
    assert contract.violations(contract.create_metadata(2, "user.json", now=NOW)) == []
    assert contract.violations(
        {
            "last_updated": "x",
            "context_level": 4,
            "needs_sync": 1,
            "stale_threshold_seconds": -1,
            "source_file": 3,
            "version": -1,
        }
    ) == [
        "last_updated is no ISO-8601 time: 'x'",
        "context_level is 1, 2 or 3, not 4",
        "needs_sync is true or false, not 1",
        "stale_threshold_seconds is a number of seconds, not -1",
        "source_file is a file's name, not 3",
        "version is a whole number from 0 on, not -1",
    ]


@pytest.mark.row("E13")
def test_all_violations_name_the_node_too() -> None:
    """Nested nodes, in lists too, are told with the path by which the owner reads them."""
    wrong: contract.Metadata = {
        "metadata": {"context_level": 7},
        "data": {"x": {"metadata": {"version": "a"}, "data": 1}},
    }
    data: Json = {
        "pets": {"metadata": {}, "data": {"dog": wrong, "no. 1": [0, {"metadata": {"needs_sync": 1}, "data": []}]}},
        "plain": {"metadata": "mine", "data": 1},
        'a "b"\\': {"metadata": {"source_file": 1}, "data": 1},
    }
    assert contract.all_violations({"version": 1.0}, data) == [
        "version is a whole number from 0 on, not 1.0",
        "pets.dog: context_level is 1, 2 or 3, not 7",
        "pets.dog.x: version is a whole number from 0 on, not 'a'",
        'pets."no. 1".1: needs_sync is true or false, not 1',
        paths.render(['a "b"\\']) + ": source_file is a file's name, not 1",
    ]
    assert contract.all_violations({}, 3) == []


@pytest.mark.bench
def test_all_violations_are_found_fast() -> None:
    """Ten thousand leaves take ten milliseconds."""
    node: contract.Metadata = {"metadata": contract.create_metadata(now=NOW), "data": {"a": 1, "b": [1, 2]}}
    data: Json = {f"key {number}": copy.deepcopy(node) for number in range(3_333)}
    took = []
    for _ in range(20):
        start = time.process_time()
        assert contract.all_violations({}, data) == []
        took.append(time.process_time() - start)
    assert min(took) <= 0.01
