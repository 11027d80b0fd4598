"""Whether another process still lives."""

from __future__ import annotations

import os

__all__ = ["lives"]


def lives(pid: int) -> bool:
    """Tell whether a process is there and has not ended; one that waits to be buried has."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    import psutil  # type: ignore[import-untyped]  # noqa: PLC0415 -- it ships no types; keeps start-up fast

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
