"""The expected values that were computed from the documents' formulas, by section."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["GOLDEN", "golden"]

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "memory" / "golden.json").read_text(encoding="utf-8")
)


def golden(section: str) -> list[dict[str, Any]]:
    """Return the rows of a section."""
    return list(GOLDEN[section])
