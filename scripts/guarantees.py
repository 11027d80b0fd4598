"""Writes the table of docs/guarantees.md from what the last fault tests counted.

./run.sh test faults          run them; pytest keeps the rows in its cache
python scripts/guarantees.py  put the rows into the page
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

__all__ = ["BEGIN", "CACHE", "END", "PAGE", "ids", "main", "replaced", "rows_of", "table"]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guarantees.md"
CACHE = ROOT / ".pytest_cache" / "v" / "nola" / "faults"
BEGIN = "<!-- results: written by scripts/guarantees.py -->"
END = "<!-- end of results -->"
HEAD = ("id", "what", "rounds or points", "failures", "control (the unsafe way)", "seconds", "result")


def main() -> None:
    """Put the rows of the cache into the page; what was not run this time keeps its row."""
    if not CACHE.exists():
        sys.exit("no results yet: ./run.sh test faults")
    rows = list(json.loads(CACHE.read_bytes()).values())
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    print(f"{len(rows)} rows in {PAGE.relative_to(ROOT)}")


def replaced(page: str, rows: list[dict[str, Any]]) -> str:
    """Return a page with these rows in the place of those of the same ids.

    Raises:
        ValueError: The page has no place for them.
    """
    before, found, rest = page.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise ValueError(f"the page lacks {BEGIN} or {END}")
    kept = {cells[0]: cells for cells in rows_of(page)} | {str(row["id"]): _cells(row) for row in rows}
    return f"{before}{BEGIN}\n{table(kept[name] for name in sorted(kept, key=_order))}{END}{after}"


def rows_of(page: str) -> list[list[str]]:
    """Return the cells of every row of the page's table."""
    inside = page.partition(BEGIN)[2].partition(END)[0]
    lines = [line for line in inside.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def ids(page: str) -> list[str]:
    """Return every id that the page names, in its table or outside of it."""
    return sorted(set(re.findall(r"\b[A-J]\d{1,2}\b", page)), key=_order)


def table(rows: Any) -> str:
    """Return rows of cells as a Markdown table."""
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    return "\n".join([*lines, *("| " + " | ".join(cells) + " |" for cells in rows)]) + "\n"


def _cells(row: dict[str, Any]) -> list[str]:
    verdict = f"{row['verdict']}, a tenth of the rounds" if row["quick"] else row["verdict"]
    cells = (row["id"], row["what"], row["count"], row["failures"], row["control"], f"{row['seconds']:.0f}", verdict)
    return [str(cell).replace("|", "/") or "-" for cell in cells]


def _order(name: str) -> tuple[str, int]:
    return name[:1], int(name[1:]) if name[1:].isdigit() else 0


if __name__ == "__main__":
    main()
