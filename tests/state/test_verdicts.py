"""Tests of the table of verdicts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nola.state.verdicts import LOADS, REFUSED, VERDICTS, WARNED, Verdict, sentence

ROOT = Path(__file__).parents[2]
BROKEN = json.loads((ROOT / "tests" / "faults" / "corpus" / "broken.json").read_text(encoding="utf-8"))


def printed(row: Verdict) -> str:
    """Write a row the way the page has it."""
    said = re.sub(r"\{[^}]*\}", "…", row.sentence)
    said = said if row.verdict == LOADS else f"`{said}`"
    return f"| {row.what} | {row.verdict} | {said} | {'yes' if row.placed else 'no'} |"


@pytest.mark.bar("D1")
def test_the_page_prints_the_table() -> None:
    """docs/reference/json.md has every row, in the table's order, and no other."""
    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in page if line.startswith("| ") and not line.startswith("| text | verdict |")]
    assert rows == [printed(row) for row in VERDICTS]


@pytest.mark.bar("D1")
def test_every_verdict_has_one_name() -> None:
    """No row stands twice, and each verdict is one of three."""
    assert len({row.name for row in VERDICTS}) == len({row.what for row in VERDICTS}) == len(VERDICTS)
    assert {row.verdict for row in VERDICTS} == {LOADS, WARNED, REFUSED}


@pytest.mark.bar("D1")
def test_every_refusal_has_an_example() -> None:
    """Each kind of text that is refused with a place stands in the corpus, which has more than fifty files."""
    assert {row[0] for row in BROKEN} == {row.name for row in VERDICTS if row.verdict == REFUSED and row.placed}
    assert len({row[1] for row in BROKEN}) == len(BROKEN) > 50


def test_a_sentence_is_filled_in() -> None:
    """Numbers are grouped, words stand where the sentence wants them."""
    assert sentence("bytes", 12345678, 5000000) == "12,345,678 bytes are more than the limit of 5,000,000"
    assert sentence("word", "True", "true") == "JSON writes true, not True"
    assert sentence("break") == 'this line ends inside a text: a " is missing, or write the break as \\n'
