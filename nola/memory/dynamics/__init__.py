"""How strong a memory is: six strategies over the same statistics, and profiles that choose among them."""

from __future__ import annotations

__all__: list[str] = []
