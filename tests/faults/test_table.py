"""The table of results counts what was tried, and tells tests apart from it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults import table

pytestmark = pytest.mark.faults


def report(nodeid: str, *counted: dict[str, Any], of: str = "D1", **more: Any) -> pytest.TestReport:
    """Make the report of a test."""
    properties = [(table.IDS, [of]), (table.TESTS, "What it does."), *((table.PROPERTY, one) for one in counted)]
    outcome: Any = {"outcome": "passed", "when": "call", "longrepr": None, "duration": 0.26, **more}
    return pytest.TestReport(nodeid, (nodeid, 0, nodeid), {}, user_properties=properties, **outcome)


def test_tests_are_counted_where_nothing_else_was() -> None:
    """A row says how many tests passed only as long as none of them counted anything."""
    plain = [report("a"), report("b[1]"), report("b[2]")]
    (row,) = table.collect(plain, quick=False)
    assert (row.count, row.verdict, row.tests) == ("3 tests", "passed", ["a", "b"])
    control = report("c", {"count": 0, "unit": "kinds", "control": "bare: 3 lost"})
    (row,) = table.collect([*plain, control], quick=False)
    assert (row.count, row.control) == ("4 tests", "bare: 3 lost")
    kinds = [report("d", {"count": 1_200, "unit": "kinds"}), report("e", {"count": 34, "unit": "kinds", "failures": 1})]
    (row,) = table.collect([*plain, control, *kinds], quick=False)
    assert (row.count, row.failures, row.control) == ("1,234 kinds", 1, "bare: 3 lost")
    (row,) = table.collect(plain[:1], quick=False)
    assert row.count == "1 test"


def test_what_was_not_run_passed_nothing() -> None:
    """A skipped test gives its reason and counts as none, and one that failed spoils its row."""
    skipped = report("a", outcome="skipped", longrepr=("file", 1, "Skipped: no root"))
    (row,) = table.collect([skipped], quick=True)
    assert (row.count, row.verdict, row.quick) == ("", "skipped (no root)", True)
    (row,) = table.collect([skipped, report("b")], quick=False)
    assert (row.count, row.verdict) == ("1 test", "passed, in part skipped (no root)")
    (row,) = table.collect([report("b"), report("c", outcome="failed", longrepr="why")], quick=False)
    assert (row.count, row.verdict, row.seconds) == ("1 test", "FAILED", 0.5)


def test_the_plain_table_has_a_line_for_each_id_in_order() -> None:
    """D2 stands before D10, and every cell below its heading."""
    rows = table.collect([report(name, of=name) for name in ("D10", "D2")], quick=False)
    head, rule, *lines = table.plain(rows)
    assert [line.split()[0] for line in lines] == ["D2", "D10"]
    assert set(rule) == {"-"}
    assert [line.index("passed") for line in lines] == [head.index("result")] * 2
    assert list(table.to_json(rows)) == ["D2", "D10"]
