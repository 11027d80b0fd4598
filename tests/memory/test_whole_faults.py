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


def readings(memory: Memory, ids: list[str], folder: Path) -> list[Callable[[], object]]:
    """More ways to read a memory."""
    now = memory.engine.database.clock.now()
    return [
        lambda: memory.recall("dog", as_of=now), lambda: memory.find(order="heat"), memory.find,
        lambda: [memory.get(id_) for id_ in ids], lambda: memory.export(folder / "out.jsonl"),
        lambda: memory.events(ids[3]), lambda: memory.edges(ids[0]),
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


@pytest.mark.bar("E4")
@pytest.mark.parametrize("seed", range(0, 60, 10))
def test_bits_that_flipped(tmp_path: Path, clock: ManualClock, seed: int) -> None:
    """Each use answers or says in one sentence that it can't, never anything else."""
    path = tmp_path / "memory.db"
    with memory_of(path, clock) as memory:
        fields = {"tags": ["a", "b"], "metadata": {"x": [1, "y"]}, "speaker": "Ada"}
        kinds = ("semantic", "episodic", "procedural")
        ids = memory.store_many([{"content": f"dog {n}", "kind": kinds[n % 3], **fields} for n in range(60)])
        memory.recall("dog")
        memory.engine.memories.update(ids[3], {"content": "cat", "importance": 0.9})
    whole, said = path.read_bytes(), list[str]()
    for number in range(seed, seed + 10):
        draw = random.Random(number)  # noqa: S311 -- the same bytes each time
        damaged = bytearray(whole)
        for _ in range(draw.choice([1, 3, 10, 40])):
            damaged[draw.randrange(100, len(damaged))] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        memory = memory_of(path, clock)
        for use in [*uses(memory), *readings(memory, ids, tmp_path), memory.close]:
            try:
                use()
            except NolaError as error:
                said.append(str(error))
        for beside in tmp_path.glob("memory.db-*"):
            beside.unlink()
    assert any("can't be read as Nola's memory" in one for one in said)
    assert not [one for one in said if "\n" in one]
