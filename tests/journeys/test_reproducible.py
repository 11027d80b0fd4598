"""The same question of the same state at the same time gives the same context, in whatever process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.journeys.machine import Machine

NOW = "2026-11-20T09:00:00+00:00"
QUESTION = "How has my sleep changed since spring?"


@pytest.mark.row("E02")
@pytest.mark.row("X08")
def test_one_time_one_context(nola: Machine, tmp_path: Path) -> None:
    """Two runs with one NOLA_NOW on one state are byte-identical; another time weighs otherwise."""
    nola.knows(sleep={"spring": "eight hours", "autumn": "six hours"}, pets={"dog": "Biscuit"}, home="Porto")
    nola("state", "sync", NOLA_NOW=NOW)
    twin = nola.copy_to(tmp_path / "twin")
    first = nola("context", "--json", QUESTION, NOLA_NOW=NOW)
    second = twin("context", "--json", QUESTION, NOLA_NOW=NOW, PYTHONHASHSEED="7")
    assert first.out == second.out
    assert first.json["context"]
    later = nola("context", "--json", QUESTION, NOLA_NOW="2027-11-20T09:00:00+00:00").json
    assert later["context"][0]["factors"]["recency"] < first.json["context"][0]["factors"]["recency"]
