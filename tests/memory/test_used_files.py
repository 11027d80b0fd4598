"""A file that was used in every way is a plain and sound SQLite database, for anybody's tools (C28)."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from nola.memory.axes import Kind, MemoryClass, Status
from tests.memory.engines import memory_of
from tests.memory.fakes import WordVectors

if TYPE_CHECKING:
    from pathlib import Path

    from nola.testing import ManualClock

WORDS = "dog cat ferry piano garden meeting Tuesday Bergen Oslo blue sister doctor bread boat letter cheese".split()


@pytest.fixture
def used(tmp_path: Path, clock: ManualClock) -> Path:
    """A file of a thousand memories of every kind that were asked for, changed, put away, purged and given out."""
    draw = random.Random(17)  # noqa: S311 -- the same memories each time
    path = tmp_path / "memory.db"
    with memory_of(path, clock, WordVectors()) as memory:
        ids = memory.store_many(
            {
                "content": " ".join(draw.choices(WORDS, k=7)), "kind": kind, "speaker": draw.choice(["", "Ada"]),
                "memory_class": "innate" if n % 50 == 0 else "learned", "tags": ["x"], "conversation": f"c{n % 9}",
                **({"task": f"{n}"} if kind is Kind.WORKING else {}),
            }
            for n, kind in zip(range(1_000), list(Kind) * 200, strict=False)
        )  # fmt: skip
        assert memory.wait_indexed(60)
        learned = [one.id for one in memory.find(memory_class=MemoryClass.LEARNED, kind=["semantic", "episodic"])]
        for _ in range(30):
            clock.advance(3_600)
            memory.recall(" ".join(draw.choices(WORDS, k=2)))
            memory.engine.memories.update(draw.choice(learned), {"content": " ".join(draw.choices(WORDS, k=6))})
            memory.engine.memories.set_status(draw.choice(learned), draw.choice([Status.ARCHIVED, Status.SUPERSEDED]))
        memory.engine.memories.purge(learned[:40])
        memory.store("The last one", supersedes=[learned[-1]])
        assert memory.wait_indexed(60)
        memory.export(tmp_path / "memory.jsonl")
        assert len(ids) == 1_000
    return path


@pytest.mark.row("C28")
def test_another_sqlite_finds_nothing_wrong(used: Path) -> None:
    """The interpreter's own reads it: every page, reference and index is sound; the full text agrees with the rows."""
    with closing(sqlite3.connect(used)) as other:
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert other.execute("PRAGMA foreign_key_check").fetchall() == []
        assert other.execute("SELECT count(*) FROM memory").fetchone() == (961,)
        other.execute("INSERT INTO memory_text (memory_text, rank) VALUES ('integrity-check', 1)")
        told = "SELECT m.content FROM memory_text AS t JOIN memory AS m ON m.seq = t.rowid WHERE memory_text MATCH ?"
        assert other.execute(told, ('"last one"',)).fetchall() == [("The last one",)]
        for table in ("edge", "pair", "event", "access", "vector", "tombstone"):
            assert other.execute(f"SELECT count(*) FROM {table}").fetchone()[0] > 0, table  # noqa: S608 -- from the list


@pytest.mark.row("C28")
def test_the_shell_of_sqlite_reads_it(used: Path) -> None:
    """Where there is one: it lists the tables, searches the text and finds nothing wrong."""
    shell = shutil.which("sqlite3")
    if shell is None:
        pytest.skip("there is no sqlite3 shell")

    def said(*words: str) -> str:
        return subprocess.run([shell, str(used), *words], capture_output=True, text=True, check=True).stdout

    assert {"memory", "memory_text", "edge"} <= set(said(".tables").split())
    assert said("PRAGMA integrity_check") == "ok\n"
    assert said("SELECT count(*) FROM memory_text WHERE memory_text MATCH 'last'") == "1\n"
