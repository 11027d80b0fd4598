"""Tests of opening what is no memory file: one sentence, and the file stays as it is (E4, P25)."""

from __future__ import annotations

import os
import random
import stat
from typing import TYPE_CHECKING

import apsw
import pytest

from nola.errors import NolaError
from tests.memory.engines import contents, memory_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.learned import Memory
    from nola.testing import ManualClock

pytestmark = pytest.mark.faults


def made(path: Path, clock: ManualClock) -> bytes:
    """Store three hundred memories and return the file."""
    with memory_of(path, clock) as memory:
        memory.store_many([{"content": f"fact {n} about the dog and its {n % 9} habits"} for n in range(300)])
        memory.wait_indexed(30)
    return path.read_bytes()


def uses(memory: Memory) -> list[Callable[[], object]]:
    """Every way to use a memory."""
    return [
        lambda: memory.recall("dog"), lambda: memory.store("cat"), lambda: memory.find(limit=1), memory.stats,
        lambda: memory.get("01"), memory.reindex,
    ]  # fmt: skip


@pytest.mark.bar("E4")
@pytest.mark.row("P25")
@pytest.mark.parametrize("name", ["text", "garbage", "truncated", "torn", "newer", "other"])
def test_what_is_no_memory_is_left_alone(tmp_path: Path, clock: ManualClock, name: str) -> None:
    """Each use says so in one sentence, and not a byte changes."""
    path = tmp_path / "memory.db"
    whole = made(path, clock)
    draw = random.Random(1)  # noqa: S311 -- the same bytes each time
    damaged = {
        "text": b"these are my notes\n" * 400, "garbage": draw.randbytes(8_192), "truncated": whole[: len(whole) // 3],
        "torn": whole[:100] + draw.randbytes(4_096) + whole[4_196:],
    }  # fmt: skip
    if name in damaged:
        path.write_bytes(damaged[name])
    else:
        if name == "other":
            path.unlink()
        with apsw.Connection(str(path)) as connection:
            connection.execute("PRAGMA user_version = 999" if name == "newer" else "CREATE TABLE mine (x)")
        connection.close()
    before = path.read_bytes()
    memory = memory_of(path, clock)
    for use in uses(memory):
        with pytest.raises(NolaError) as error:
            use()
        assert "\n" not in str(error.value)
    memory.close()
    assert path.read_bytes() == before


@pytest.mark.bar("E4")
def test_a_file_of_no_length_is_an_empty_memory(tmp_path: Path, clock: ManualClock) -> None:
    """Nothing was in it, so nothing is lost by beginning with it."""
    path = tmp_path / "memory.db"
    path.touch()
    with memory_of(path, clock) as memory:
        assert memory.recall("dog") == []
        memory.store("The dog barks")
        assert contents(memory.recall("dog")) == ["The dog barks"]


@pytest.mark.bar("E4")
def test_a_folder_in_its_place(tmp_path: Path, clock: ManualClock) -> None:
    """One sentence, and the folder stays."""
    path = tmp_path / "memory.db"
    path.mkdir()
    memory = memory_of(path, clock)
    for use in uses(memory)[:3]:
        with pytest.raises(NolaError):
            use()
    memory.close()
    assert path.is_dir()


@pytest.mark.bar("E4")
@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_file_that_may_only_be_read(tmp_path: Path, clock: ManualClock) -> None:
    """It is read, and storing says why not."""
    path = tmp_path / "memory.db"
    made(path, clock)
    path.chmod(stat.S_IRUSR)
    with memory_of(path, clock) as memory:
        assert len(memory.recall("dog", count=False)) == 10
        with pytest.raises(NolaError):
            memory.store("cat")


@pytest.mark.bar("E4")
def test_a_file_that_was_put_in_its_place(tmp_path: Path, clock: ManualClock) -> None:
    """A memory that is open sees the other file, and the memories of both never mix."""
    path, other = tmp_path / "memory.db", tmp_path / "other.db"
    with memory_of(other, clock) as memory:
        memory.store("The cat purrs")
    with memory_of(path, clock) as memory:
        memory.store("The dog barks")
        assert contents(memory.recall("dog cat", count=False)) == ["The dog barks"]
        other.replace(path)
        assert contents(memory.recall("dog cat", count=False)) == ["The cat purrs"]
