"""What the tests of memory share: a clock, a database, the memories in it, and a store of conversations."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from nola.memory.database import Database
from nola.memory.memories import Memories
from nola.memory.store import ConversationStore
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at 09:00 on 20 November 2026."""
    return ManualClock()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The path of a database in a folder that is not there yet."""
    return tmp_path / "home" / "memory.db"


@pytest.fixture
def opened(database: Path, clock: ManualClock) -> Iterator[Database]:
    """A database without a file; what a test left in it has to be sound (C28)."""
    made = Database(database, clock=clock)
    yield made
    made.close()
    if database.exists():
        with closing(sqlite3.connect(database)) as other:
            assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert other.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.fixture
def memories(opened: Database) -> Memories:
    """Its memories."""
    return Memories(opened)


@pytest.fixture
def store(database: Path, clock: ManualClock) -> Iterator[ConversationStore]:
    """A store without a file."""
    made = ConversationStore(database, clock=clock)
    yield made
    made.close()
