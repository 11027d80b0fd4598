"""Tests of rows: what goes into the columns comes out again, to the microsecond."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.memory import schema
from nola.memory.axes import Kind, Status, Trust
from nola.memory.dynamics.base import Statistics
from nola.memory.instants import seconds
from nola.memory.memory_rows import (
    COLUMNS,
    INSERT,
    SELECT,
    STATISTICS,
    dumped,
    row_of_new,
    row_of_record,
    statistics_of,
    statistics_values,
    stored_row,
)
from nola.memory.record import new_memory

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
_TIMES = st.integers(min_value=-(10**15), max_value=4 * 10**15).map(lambda number: number / 1_000_000)
_FLOATS = st.floats(min_value=0, max_value=1e6)


def connection() -> apsw.Connection:
    """Make a database in memory."""
    made = apsw.Connection(":memory:")
    schema.make_tables(made)
    return made


def test_every_column_is_written_and_read() -> None:
    """A column that a migration adds has to be added here: nothing is silently left behind."""
    with connection() as made:
        columns = {name for _, name, *_ in made.execute("PRAGMA table_info(memory)")}
    assert set(COLUMNS) == columns
    assert set(STATISTICS) < columns
    assert len(COLUMNS) == len(set(COLUMNS))


def test_a_record_goes_through_the_database_unchanged() -> None:
    """A new memory, its row, its record, that record's row and its record again are the same."""
    given_fields = {
        "kind": "procedural", "steps": ["a", "b", "a"], "name": "tea", "tags": ["x"], "metadata": {"ж": [1.5]},
        "at": NOW - timedelta(days=3, microseconds=1), "valid_until": NOW, "ttl": 2.5, "pinned": True,
    }  # fmt: skip
    new = new_memory("Make tea", given_fields)
    stat = Statistics.fresh(seconds(NOW))
    row = row_of_new(
        new, seq=3, id_="i", revision=7, now=NOW, trust=Trust.ASSISTANT, details=new.details, statistics=stat
    )
    with connection() as made:
        made.execute(INSERT, row)
        found = stored_row(next(made.execute(SELECT)))
    assert (found.seq, found.revision, found.record.trust) == (3, 7, Trust.ASSISTANT)
    assert found.record.expires_at == new.at + timedelta(seconds=2.5) if new.at else None
    assert found.record.statistics == stat
    archived = replace(found.record, status=Status.ARCHIVED)
    with connection() as made:
        made.execute(INSERT, row_of_record(archived, seq=4, revision=8))
        assert stored_row(next(made.execute(SELECT))).record == archived


@pytest.mark.row("B29")
def test_fifty_steps_keep_their_order() -> None:
    """Steps with duplicates come back in their order."""
    steps = [f"step {n % 20}" for n in range(50)]
    new = new_memory("Long", {"kind": "procedural", "steps": steps})
    stat = Statistics.fresh(seconds(NOW))
    row = row_of_new(new, seq=1, id_="i", revision=1, now=NOW, trust=new.trust, details=new.details, statistics=stat)
    record = stored_row(row).record
    assert (record.kind, record.details["steps"]) == (Kind.PROCEDURAL, steps)


@given(
    recent=st.lists(_TIMES, min_size=0, max_size=10),
    times=st.tuples(_TIMES, _TIMES, _TIMES),
    floats=st.tuples(_FLOATS, _FLOATS, _FLOATS),
)
def test_statistics_come_back_exactly(
    recent: list[float], times: tuple[float, float, float], floats: tuple[float, float, float]
) -> None:
    """Times are whole microseconds and numbers are kept as they are."""
    stat = Statistics(
        0.5, times[0], times[1], 3, tuple(recent), -0.25, floats[0], 0.3, floats[1], floats[2], times[2], 2
    )
    assert statistics_of(0.5, statistics_values(stat)) == stat


@pytest.mark.parametrize(
    ("value", "text"),
    [([], "[]"), ({}, "{}"), ({"b": 1, "a": ["é"]}, '{"a":["é"],"b":1}'), ([1.0, None, True], "[1.0,null,true]")],
)
def test_json_is_compact_and_sorted(value: object, text: str) -> None:
    """The same value is always the same text."""
    assert dumped(value) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [("kind", "semantiC"), ("tags", "[5]"), ("tags", "{"), ("details", "[]"), ("metadata", "5"), ("recent", b"12345"),
     ("began", None), ("trust", 7)],
)  # fmt: skip
def test_a_damaged_row_is_told_as_damage(name: str, value: object) -> None:
    """What Nola never writes is SQLite's own error for a damaged file."""
    new = new_memory("My dog is called Biscuit", {})
    row = row_of_new(
        new, seq=1, id_="m1", revision=1, now=NOW, trust=Trust.OWNER, details={},
        statistics=Statistics.fresh(seconds(NOW), importance=0.5),
    )  # fmt: skip
    assert stored_row(row).record.content == "My dog is called Biscuit"
    damaged = dict(zip(COLUMNS, row, strict=True)) | {name: value}
    with pytest.raises(apsw.CorruptError, match="a row is damaged"):
        stored_row(tuple(damaged.values()))
