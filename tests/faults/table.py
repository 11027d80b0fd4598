"""The table of results: what every test of the bar did, counted, in one row for each id."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "CACHE_KEY",
    "IDS",
    "PROPERTY",
    "TESTS",
    "WHAT",
    "BarResult",
    "Row",
    "collect",
    "plain",
    "to_json",
]

CACHE_KEY = "nola/faults"
"""Where pytest's cache keeps the rows of the last runs, for scripts/guarantees.py."""
PROPERTY = "bar"
"""A test adds what it counted under this name; see `BarResult`."""
IDS = "bar ids"
"""The property that says which ids a test carries; put there for every test when it is collected."""
TESTS = "bar docstring"
"""The property that holds the first line of a test's docstring."""

WHAT = {
    "A1": "kill -9 at random during saves of 1 kB to 1 MB",
    "A2": "kill -9 at every system call of a save, creation, deletion, second save, undo and start",
    "A3": "an error of the disk at every system call of a save",
    "A4": "a disk that is really full, and has space again",
    "A5": "power cuts during saves, on a file system of its own",
    "A6": "a flush that fails once",
    "A7": "a folder that is read-only at the start, or becomes so",
    "A8": "left-over temporary files after all those kills",
    "A9": "starts of the daemon, each killed within two seconds",
    "A10": "kill -9 at every system call of a start with a migration",
    "A11": "backup, wipe, restore",
    "B1": "eight processes that add to one number",
    "B2": "eight threads, two objects, one path, locks within locks",
    "B3": "random reads and writes of six processes that are stopped and killed",
    "B4": "a writer that sleeps past the lock's time-out",
    "B5": "locks whose holder is killed, forks, loses the file, or finds a link",
    "B6": "two daemons that start together",
    "B7": "an editor and Nola write the same file at the same time",
    "C1": "real editors and tools change a file",
    "C2": "kinds of broken files, saved by the owner",
    "C3": "a storm of writes and of junk files",
    "C4": "a watcher that loses its folder, its thread, or its events",
    "C5": "Nola's own saves, seen by her own watcher",
    "D1": "hostile JSON against the table of verdicts",
    "D2": "documents that are loaded, saved and loaded",
    "D3": "noise and nearly sound documents for the loader",
    "D4": "what the owner wrote, after Nola saved beside it",
    "E1": "kill -9 of two writers to the memory",
    "E2": "power cuts of a process that writes to the memory",
    "E3": "versions of SQLite that can corrupt a log",
    "E4": "a memory that is garbage, cut short, empty or read-only",
    "E5": "processes that are forked with the memory open",
    "F1": "a wall clock that jumps",
    "F2": "durations longer than a day, or negative",
    "F3": "time stamps of every shape",
    "J1": "permissions after every kind of operation, whatever the umask",
    "J2": "links planted where Nola writes",
}


class BarResult(Protocol):
    """The fixture `bar_result`: reports what a test counted; may be called several times."""

    def __call__(self, count: int, unit: str, *, failures: int = 0, control: str = "") -> None:
        """Add to the row of the test's ids.

        Args:
            count: How many rounds or points there were.
            unit: What was counted, in the plural.
            failures: How many of them went wrong.
            control: What the unsafe variant did.
        """


@dataclass
class Row:
    """One line of the table.

    Attributes:
        id: The id of reliability.md.
        what: What is done.
        count: How often, with the unit; how many tests passed when none of them counted anything.
        failures: How many of them went wrong.
        control: What the unsafe variant did.
        seconds: How long it took.
        verdict: `passed`, `skipped (reason)` or `FAILED`.
        quick: Whether only a tenth of the rounds was run.
        tests: The tests, by their pytest ids.
    """

    id: str
    what: str
    count: str = ""
    failures: int = 0
    control: str = ""
    seconds: float = 0.0
    verdict: str = ""
    quick: bool = False
    tests: list[str] = field(default_factory=list)


@dataclass
class _Gathered:
    """What the reports of one id's tests said."""

    counts: dict[str, int] = field(default_factory=dict)
    controls: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    docstring: str = ""
    failures: int = 0
    seconds: float = 0.0
    passed: int = 0
    failed: int = 0
    tests: list[str] = field(default_factory=list)


def collect(reports: Iterable[Any], *, quick: bool) -> list[Row]:
    """Make the rows out of pytest's reports, in the order of their ids."""
    found: dict[str, _Gathered] = {}
    for report in reports:
        properties = list(report.user_properties)
        for name in [name for key, names in properties if key == IDS for name in names]:
            _gather(found.setdefault(name, _Gathered()), report, properties)
    return [_row(name, found[name], quick=quick) for name in sorted(found, key=_order)]


def _gather(into: _Gathered, report: Any, properties: Sequence[tuple[str, Any]]) -> None:
    into.seconds += report.duration
    if report.nodeid not in into.tests:
        into.tests.append(report.nodeid)
    into.docstring = into.docstring or next((str(value) for key, value in properties if key == TESTS), "")
    if report.failed:
        into.failed += 1
    elif report.skipped:
        into.reasons.append(_reason(report))
    if report.when != "call":
        return
    into.passed += report.passed
    for value in [value for key, value in properties if key == PROPERTY]:
        unit = str(value.get("unit", "rounds"))
        into.counts[unit] = into.counts.get(unit, 0) + int(value.get("count", 0))
        into.failures += int(value.get("failures", 0))
        if value.get("control"):
            into.controls.append(str(value["control"]))


def _reason(report: Any) -> str:
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return str(said).removeprefix("Skipped: ")


def _row(name: str, gathered: _Gathered, *, quick: bool) -> Row:
    reasons = "; ".join(dict.fromkeys(gathered.reasons))
    if gathered.failed:
        verdict = "FAILED"
    elif gathered.passed:
        verdict = f"passed, in part skipped ({reasons})" if reasons else "passed"
    else:
        verdict = f"skipped ({reasons})"
    counts = ", ".join(f"{count:,} {unit}" for unit, count in gathered.counts.items() if count)
    return Row(
        id=name,
        what=WHAT.get(name, gathered.docstring.rstrip(".")),
        count=counts or (f"{gathered.passed:,} test{'s' if gathered.passed > 1 else ''}" if gathered.passed else ""),
        failures=gathered.failures,
        control="; ".join(dict.fromkeys(gathered.controls)),
        seconds=round(gathered.seconds, 1),
        verdict=verdict,
        quick=quick,
        tests=sorted({test.partition("[")[0] for test in gathered.tests}),
    )


def _order(name: str) -> tuple[str, int, str]:
    parts = re.fullmatch(r"([A-Z]+)(\d+)(.*)", name)
    return (parts[1], int(parts[2]), parts[3]) if parts else (name, 0, "")


def plain(rows: Sequence[Row]) -> list[str]:
    """Lay the rows out for a terminal."""
    head = ("id", "what", "rounds or points", "failures", "control (the unsafe way)", "seconds", "result")
    cells = [
        head,
        *((r.id, r.what, r.count, str(r.failures), r.control or "-", f"{r.seconds:.1f}", r.verdict) for r in rows),
    ]
    widths = [max(len(row[at]) for row in cells) for at in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines.insert(1, "-" * len(lines[0]))
    return lines


def to_json(rows: Iterable[Row]) -> dict[str, Any]:
    """Return what the cache keeps."""
    return {row.id: asdict(row) for row in rows}
