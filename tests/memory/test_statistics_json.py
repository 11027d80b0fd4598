"""Statistics come back from JSON as they went in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nola.errors import UsageError
from nola.memory.dynamics.base import Statistics
from nola.memory.statistics_json import read_statistics, statistics_json

STAT = Statistics(
    importance=0.7,
    created_s=1_790_000_000.5,
    last_access_s=1_800_000_000.123456,
    access_count=3,
    recent_s=(1_800_000_000.123456, 1_795_000_000.0, 1_790_000_000.5),
    heat_bias=-0.25,
    stability_days=6.1,
    stability=0.314286,
    r1=0.9,
    r2=0.1,
    chain_s=1_800_000_000.123456,
    usage=2,
)


def test_every_number_comes_back() -> None:
    """Through JSON text, exactly."""
    text = json.dumps(statistics_json(STAT))
    assert read_statistics(json.loads(text), importance=0.7) == STAT
    assert json.loads(text)["last_access"] == "2027-01-15T08:00:00.123456+00:00"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"r1": None}, "statistics.r1 takes a number"),
        ({"access_count": -1}, "statistics.access_count takes a whole number"),
        ({"recent": ["2026-01-01"]}, "recent takes a datetime with a time zone"),
        ({"recent": ["2026-01-01T00:00:00+00:00"] * 11}, "statistics.recent takes a list of at most 10 times"),
        ({"began": None}, "statistics.began is missing"),
        ({"heat": 1}, "statistics has no field 'heat'"),
    ],
)
def test_what_is_wrong_is_told(change: dict[str, Any], sentence: str) -> None:
    """One sentence names the field."""
    with pytest.raises(UsageError, match=sentence):
        read_statistics({**statistics_json(STAT), **change}, importance=0.7)


def test_a_missing_field_is_told() -> None:
    """So is an object that is none."""
    data = statistics_json(STAT)
    del data["stability"]
    with pytest.raises(UsageError, match="stability is missing"):
        read_statistics(data, importance=0.7)
    with pytest.raises(UsageError, match="statistics takes an object"):
        read_statistics([], importance=0.7)
