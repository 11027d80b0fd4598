"""Errors that nobody foresaw, told without what they carry: their texts may hold what the owner wrote."""

from __future__ import annotations

import traceback
from pathlib import PurePath

__all__ = ["describe_bug"]


def describe_bug(error: BaseException) -> str:
    """Say which error it is and where it was raised, for a log: `ZeroDivisionError at store.py:120`."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
