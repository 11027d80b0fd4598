"""Statistics, pools in columns, and what one access counts."""

from __future__ import annotations

import timeit
from dataclasses import fields, replace

import numpy as np
import pytest

from nola.memory.axes import Kind
from nola.memory.dynamics.base import (
    DAY,
    KEPT,
    KIND_CODES,
    Pool,
    Row,
    Statistics,
    counted,
    days_since,
    key_of,
    seconds_since,
)
from tests.memory.dynamics.samples import NOW, accessed_at, aged

ROWS = [
    Row(aged(1, importance=0.9), Kind.EPISODIC, level=1, confidence=0.5, id="01a"),
    Row(accessed_at(5, 60, 3600, heat_bias=0.1, stability=0.7, r2=0.4), Kind.PROCEDURAL, level=3),
    Row(aged(3, stability_days=9.0, usage=4), Kind.SUMMARY, innate=True, updated_s=7.0),
]


def column(pool: Pool, name: str) -> list[object]:
    """Return one column as a list."""
    found: list[object] = getattr(pool, name).tolist()
    return found


def test_a_pool_holds_every_number_of_its_rows() -> None:
    """Each column has the rows' values in their order, and missing times are NaN."""
    pool = Pool.of(ROWS)
    assert len(pool) == 3
    assert column(pool, "kind") == [KIND_CODES[row.kind] for row in ROWS]
    assert column(pool, "innate") == [False, False, True]
    assert column(pool, "level") == [1, 3, 2]
    assert column(pool, "confidence") == [0.5, 1.0, 1.0]
    assert column(pool, "updated_s") == [NOW - DAY, NOW - 3600, 7.0]
    assert column(pool, "key") == [key_of("01a"), 0, 0]
    for field in fields(Statistics):
        if field.name != "recent_s":
            assert column(pool, field.name) == [getattr(row.statistics, field.name) for row in ROWS]
    assert pool.recent_s.shape == (3, KEPT)
    assert pool.recent_s[1, :3].tolist() == [NOW - 5, NOW - 60, NOW - 3600]
    assert np.isnan(pool.recent_s[1, 3:]).all()


def test_rows_can_be_taken_and_replaced() -> None:
    """What is taken has its own memory; a row that is put anew leaves nothing of the old one."""
    pool = Pool.of(ROWS)
    taken = pool.take(np.array([2, 0]))
    assert column(taken, "usage") == [4.0, 0.0]
    pool.put(1, Row(aged(0)))
    assert np.isnan(pool.recent_s[1, 1:]).all()
    assert column(taken, "importance") == [0.5, 0.9]


def test_a_pool_grows_and_keeps_its_rows() -> None:
    """New places come behind the old ones; it never shrinks."""
    grown = Pool.of(ROWS).grown(10)
    assert len(grown) == 10
    assert column(grown.take(np.arange(3)), "importance") == [0.9, 0.5, 0.5]
    assert len(Pool.of(ROWS).grown(1)) == 3


def test_an_empty_pool_is_a_pool() -> None:
    """Nothing to look at is no error."""
    assert len(Pool.of([])) == 0


@pytest.mark.row("B30")
def test_use_counts_for_procedures_alone() -> None:
    """Three accesses of a procedure are three uses; a fact has none."""
    stats = {Kind.PROCEDURAL: aged(1), Kind.SEMANTIC: aged(1)}
    for _ in range(3):
        stats = {kind: counted(stat, kind, NOW) for kind, stat in stats.items()}
    assert stats[Kind.PROCEDURAL].usage == 3
    assert stats[Kind.SEMANTIC].usage == 0
    assert {stat.access_count for stat in stats.values()} == {3}


def test_an_access_from_before_the_last_one_turns_nothing_back() -> None:
    """Times stay newest first, and the last access stays the newest."""
    after = counted(accessed_at(10, 100), Kind.SEMANTIC, NOW - 50)
    assert after.last_access_s == NOW - 10
    assert after.recent_s == (NOW - 10, NOW - 50, NOW - 100)


def test_ages_are_never_negative() -> None:
    """What lies ahead has age 0 (E-09)."""
    then = np.array([NOW - DAY, NOW, NOW + DAY])
    assert seconds_since(then, NOW).tolist() == [DAY, 0.0, 0.0]
    assert days_since(then, NOW).tolist() == [1.0, 0.0, 0.0]


def test_an_id_gives_a_number_that_a_column_can_hold() -> None:
    """Ids that differ in their last sign have different numbers, whatever signs they have."""
    numbers = [key_of(id_) for id_ in ("01kab", "01kac", "é" * 8, "", "\U0010ffff" * 8)]
    assert len(set(numbers)) == 5
    assert all(0 <= number < 2**63 for number in numbers)


def test_statistics_do_not_change_in_place() -> None:
    """An access makes new statistics."""
    stat = aged(1)
    copy = replace(stat)
    counted(stat, Kind.SEMANTIC, NOW)
    assert stat == copy


@pytest.mark.row("C42")
def test_a_pool_of_600_is_taken_within_a_millisecond() -> None:
    """Taking 600 rows out of 20,000 costs a fraction of what recall may cost."""
    pool = Pool.blank(20_000)
    places = np.arange(0, 18_000, 30)
    assert min(timeit.repeat(lambda: pool.take(places), number=5, repeat=5)) / 5 < 0.001
