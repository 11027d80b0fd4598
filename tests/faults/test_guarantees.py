"""The page of guarantees says nothing that no test shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts import guarantees
from tests.faults import table

pytestmark = pytest.mark.faults

ROOT = Path(__file__).resolve().parents[2]
PAGE = guarantees.PAGE.read_text(encoding="utf-8")
ROW = {
    "id": "A2",
    "what": "new",
    "count": "5 points",
    "failures": 0,
    "control": "",
    "seconds": 1.26,
    "verdict": "passed",
    "quick": True,
    "tests": [],
}


def marked() -> set[str]:
    """Return every id that a test carries."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in sources for name in re.findall(r'mark\.bar\("([A-J]\d+)"\)', text)}


def test_every_id_on_the_page_is_a_test() -> None:
    """Whatever id the page names, a test is marked with it."""
    assert [name for name in guarantees.ids(PAGE) if name not in marked()] == []


def test_every_promise_has_a_row() -> None:
    """Whatever id a promise names stands in the table of results."""
    rows = {cells[0] for cells in guarantees.rows_of(PAGE)}
    assert [name for name in guarantees.ids(PAGE) if name not in rows] == []


def test_nothing_passed_without_a_count() -> None:
    """A row that says passed tells how often; one that was skipped tells why; no row failed."""
    for cells in guarantees.rows_of(PAGE):
        name, _, count, failures, _, _, verdict = cells
        if verdict.startswith("passed"):
            assert re.search(r"[1-9]", count), name
            assert failures == "0", name
        else:
            assert re.fullmatch(r"skipped \(.+\)", verdict), (name, verdict)


def test_every_test_that_the_page_names_is_there() -> None:
    """The files of tests that the page names exist."""
    named = re.findall(r"`(tests/[\w/.]+)`", PAGE)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_a_new_row_takes_the_place_of_the_old_one() -> None:
    """The script replaces the rows that were run, keeps the others, and says what was a short run."""
    rows = guarantees.table([["A1", *"abcdef"], ["A2", *"abcdef"]])
    page = f"before A1\n{guarantees.BEGIN}\n{rows}{guarantees.END}\nafter"
    after = guarantees.replaced(page, [ROW])
    assert guarantees.rows_of(after) == [
        ["A1", *"abcdef"],
        ["A2", "new", "5 points", "0", "-", "1", "passed, a tenth of the rounds"],
    ]
    assert after.startswith("before A1\n")
    assert after.endswith("\nafter")


def test_the_script_reads_what_pytest_keeps() -> None:
    """The rows lie where pytest's cache puts them."""
    assert guarantees.CACHE.parts[-2:] == tuple(table.CACHE_KEY.split("/"))
