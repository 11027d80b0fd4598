"""What the tests of stored memories share: a clock, a database and the memories in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.memory.database import Database
from nola.memory.memories import Memories
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at 09:00 on 20 November 2026."""
    return ManualClock()


@pytest.fixture
def opened(tmp_path: Path, clock: ManualClock) -> Iterator[Database]:
    """A database without a file."""
    made = Database(tmp_path / "home" / "memory.db", clock=clock)
    yield made
    made.close()


@pytest.fixture
def memories(opened: Database) -> Memories:
    """Its memories."""
    return Memories(opened)
