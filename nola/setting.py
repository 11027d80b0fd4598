"""How one setting is declared: its default, meaning, source, range and unit in one line (X11)."""

from __future__ import annotations

from dataclasses import field
from typing import Any

__all__ = ["setting"]


def setting(
    default: Any,
    doc: str,
    source: str,
    *,
    low: float | None = None,
    high: float | None = None,
    unit: str = "",
    choices: tuple[str, ...] = (),
) -> Any:
    """Return the dataclass field of one setting.

    Args:
        default: What it is when nobody sets it.
        doc: What it means.
        source: Where it comes from: a row of the requirements or decisions, or a document.
        low: Least value, for a number.
        high: Greatest value, for a number.
        unit: Unit of the number.
        choices: The texts that it takes; none for any text.
    """
    meta = {"doc": doc, "source": source, "low": low, "high": high, "unit": unit, "choices": choices}
    return field(default=default, metadata=meta)
