"""How many threads a model may use."""

from __future__ import annotations

__all__ = ["thread_count"]


def thread_count(setting: int) -> int:
    """Return the number of threads for a setting: itself, or for 0 the physical cores minus one, at least one."""
    if setting > 0:
        return setting
    import psutil  # type: ignore[import-untyped]  # noqa: PLC0415 -- keeps start-up fast

    return max(1, (psutil.cpu_count(logical=False) or 1) - 1)
