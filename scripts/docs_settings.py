"""Makes docs/reference/settings.md from the table of settings; with --check only says whether it is current."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from nola.config import Described, describe, load  # noqa: E402 -- a script finds its own tree first
from nola.settings import GROUPS  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "settings.md"

HEAD = """# Settings

Every constant of Nola has a name, a default, a range and a source. This page is made by `scripts/docs_settings.py`.

Settings come from three places; the later one wins:

1. the default below;
2. `settings.toml` in Nola's folder (`nola where` prints it), one table per group:

   ```toml
   [context]
   budget_l2 = 80
   ```

3. the environment: `NOLA_<GROUP>_<NAME>`, for example `NOLA_CONTEXT_BUDGET_L2=80`.

Three variables stand for themselves: `NOLA_HOME` moves everything Nola keeps to another folder, `NOLA_NOW` starts her
clock at an ISO-8601 time, `NOLA_MODEL` is short for `NOLA_LLM_MODEL`. All of it is read once, at the start; a setting
that is unknown or out of range is refused with one sentence.
"""


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" in arguments:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/reference/settings.md is not current; run: python scripts/docs_settings.py", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    return 0


def page() -> str:
    """Return the whole page."""
    rows = {row.key: row for row in describe(load({"NOLA_HOME": "/nonexistent"}))}
    parts = [HEAD]
    for name, group in GROUPS.items():
        parts.append(f"## {name}\n\n{(group.__doc__ or '').strip()}\n")
        parts.append("| setting | default | takes | meaning | source |\n|---|---|---|---|---|")
        parts += [line(rows[f"{name}.{f.name}"]) for f in fields(group)]
        parts.append("")
    return "\n".join(parts)


def line(row: Described) -> str:
    """Return one setting as a line of its group's table."""
    cells = (f"`{row.key}`", shown(row.default, row.unit), span(row), row.doc, row.source)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def shown(value: object, unit: str) -> str:
    """Return a default as a person writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"`{value}`" if value else "empty"
    return f"{value:,} {unit}".strip() if isinstance(value, int) else f"{value:g} {unit}".strip()


def span(row: Described) -> str:
    """Return what a setting takes."""
    if row.choices:
        return ", ".join(f"`{choice}`" for choice in row.choices)
    if isinstance(row.default, bool):
        return "true, false"
    if isinstance(row.default, str):
        return "text"
    kind = "whole number" if isinstance(row.default, int) else "number"
    low, high = (None if edge is None else f"{edge:,.10g}" for edge in (row.low, row.high))
    return f"{kind}, {low} to {high}" if low is not None and high is not None else kind


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
