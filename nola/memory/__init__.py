"""The memory room: what was said and, later, what was learned, in one SQLite file."""

from __future__ import annotations

__all__: list[str] = []
