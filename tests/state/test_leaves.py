"""Tests of flattening documents into candidates."""

from __future__ import annotations

from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

import pytest

from nola.state import leaves, paths
from nola.state.sync import Levels
from nola.types import Level, Place

if TYPE_CHECKING:
    from nola.flow import Candidate
    from nola.state.contract import Metadata
    from nola.types import Json

UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
ROOT: Metadata = {"context_level": 2, "last_updated": "2026-06-21T07:45:00+00:00"}


def flat(data: Json, metadata: Metadata = ROOT) -> list[Candidate]:
    """Flatten the data of modules/work.json."""
    return leaves.flatten("work", metadata, data, source_file="modules/work.json", undated=UNDATED, levels=Levels())


def test_scalars_are_leaves_with_paths_and_keys() -> None:
    """Nulls and empty containers are skipped; false and zero are facts."""
    found = flat({"a": {"b c": "x", "d.e": 0}, "f": False, "g": None, "h": {}, "i": [], "j": [None]})
    assert [(leaf.path, leaf.keys, leaf.value) for leaf in found] == [
        ('work.a."b c"', ("a", "b c"), "x"),
        ('work.a."d.e"', ("a", "d.e"), 0),
        ("work.f", ("f",), False),
    ]
    assert found[0].source_file == "modules/work.json"


def test_a_short_list_of_scalars_is_one_leaf() -> None:
    """Up to twelve items stand together, more stand alone, objects by number."""
    found = flat({"tags": ["a", "b"], "long": list(range(13)), "people": [{"name": "Ana"}, {"name": "Bor"}]})
    assert (found[0].path, found[0].value) == ("work.tags", ["a", "b"])
    assert [leaf.path for leaf in found[1:14]] == [f"work.long.{number}" for number in range(13)]
    assert [(leaf.path, leaf.keys) for leaf in found[14:]] == [
        ("work.people.0.name", ("people", "0", "name")),
        ("work.people.1.name", ("people", "1", "name")),
    ]


@pytest.mark.row("E01")
def test_a_leaf_inherits_from_its_nearest_node() -> None:
    """Level, time and with them the depth come from the nearest metadata."""
    found = flat(
        {
            "job": "x",
            "pay": {"metadata": {"context_level": 3, "last_updated": "2026-01-01T00:00:00Z"}, "data": {"hour": 31}},
            "card": {"metadata": {"context_level": 1}, "data": ["a"]},
        }
    )
    assert [(leaf.path, leaf.level, leaf.place) for leaf in found] == [
        ("work.job", Level.CONVERSATION, Place.AGGREGATOR),
        ("work.pay.hour", Level.DEEP, Place.MODULE),
        ("work.card", Level.QUICK, Place.GLOBAL),
    ]
    assert [leaf.updated for leaf in found] == [
        datetime(2026, 6, 21, 7, 45, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 6, 21, 7, 45, tzinfo=UTC),
    ]


def test_without_readable_metadata_the_file_itself_speaks() -> None:
    """Level 2 and the file's time stand in."""
    (leaf,) = flat({"a": 1}, {"last_updated": "yesterday", "context_level": "high"})
    assert (leaf.level, leaf.updated) == (Level.CONVERSATION, UNDATED)


def test_a_parents_own_leaves_stand_where_it_stands() -> None:
    """Nola.json is global whatever the level."""
    found = leaves.flatten(
        "Nola",
        {"context_level": 3},
        {"name": "Nola"},
        source_file="Nola.json",
        undated=UNDATED,
        levels=None,
        place=Place.GLOBAL,
    )
    assert [(leaf.path, leaf.place, leaf.level) for leaf in found] == [("Nola.name", Place.GLOBAL, Level.DEEP)]


@pytest.mark.row("E14")
def test_odd_keys_are_only_places() -> None:
    """Keys in any script, with dots, quotes and blanks, and very many of them; each path leads back to its value."""
    data: Json = {"žoga.1": {"": {'say "hi"': 1}}, "метро": {"駅 名": "新宿", "\\": 2, "0": 3}}
    for leaf in flat(data):
        assert paths.get(data, paths.parse(leaf.path)) == leaf.value
    wide: Json = {f"ключ {number}.x": number for number in range(2000)}
    assert len(flat(wide)) == 2000


def test_a_hundred_thousand_leaves_are_flat_in_a_second() -> None:
    """A large state costs a fraction of a second."""
    data: Json = {f"k{i}": {f"x{j}": {"a": 1, "b": "t"} for j in range(50)} for i in range(1000)}
    start = perf_counter()
    found = flat(data)
    assert len(found) == 100_000
    assert perf_counter() - start < 2
