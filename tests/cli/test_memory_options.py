"""Tests of what the memory commands share."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from nola.cli.memory_options import counts_document, counts_line, heat_cell, id_cells, moment, shortened
from nola.learned import Memory
from nola.memory.axes import Tier
from nola.memory.engine import Stats
from nola.testing import ManualClock
from tests.cli.terminal import seated

if TYPE_CHECKING:
    from pathlib import Path

STATS = Stats(
    total=10,
    innate=4,
    tiers={Tier.HOT: 3, Tier.WARM: 2, Tier.COLD: 1},
    kinds={"semantic": 10},
    statuses={"active": 10},
    namespaces={"default": 10},
)


def test_a_cell_of_heat_has_two_decimals() -> None:
    """The words are of one width, so that scores stand below each other."""
    assert heat_cell(0.999, Tier.HOT, plain=True) == "hot  1.00"
    assert heat_cell(0.4, Tier.WARM, plain=True) == "warm 0.40"
    assert heat_cell(0.1, Tier.COLD) == "🧊 cold 0.10"


def test_the_four_numbers_are_written_and_documented() -> None:
    """Innate, hot, warm, cold, and what they add up to."""
    assert counts_line(STATS) == (
        "Innate 4 (protected) · Hot 3 (in working memory) · Warm 2 (active cache) · Cold 1 (archive)"
    )
    assert counts_document(STATS) == {"innate": 4, "hot": 3, "warm": 2, "cold": 1, "total": 10}


def test_a_content_stays_on_its_line() -> None:
    """Line ends are spelled out, and what is long is cut."""
    assert shortened("a\nb") == "a\\nb"
    assert shortened("abcdef", most=4) == "abc…"


def test_a_moment_is_the_machines() -> None:
    """No time is an empty text."""
    assert moment(None) == ""
    at = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    assert moment(at) == f"{at.astimezone():%Y-%m-%d %H:%M:%S}"


@pytest.mark.parametrize(
    ("zone", "at", "shown"),
    [
        ("America/New_York", datetime(1, 1, 1, tzinfo=UTC), "0001-01-01 00:00:00 UTC"),
        ("Pacific/Kiritimati", datetime(9999, 12, 31, 23, tzinfo=UTC), "9999-12-31 23:00:00 UTC"),
        ("America/New_York", datetime(2026, 11, 20, 9, tzinfo=UTC), "2026-11-20 04:00:00"),
    ],
)
def test_a_moment_that_no_clock_here_shows(
    zone: str, at: datetime, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At either end of the calendar it is shown in UTC."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert moment(at) == shown
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_terminal_shows_the_beginnings_of_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As much as tells each from all others, and at least ten characters; a pipe gets whole ids."""
    with Memory.open(tmp_path / "m.db", embedder="none", clock=ManualClock()) as memory:
        ids = memory.store_many({"content": f"note {number}"} for number in range(50))
        assert list(id_cells(memory, ids).values()) == ids
        with seated(monkeypatch):
            short = id_cells(memory, ids)
        assert all(id_.startswith(short[id_]) and 10 <= len(short[id_]) < 26 for id_ in ids)
        assert [memory.get(short[id_]).id for id_ in ids] == ids
