"""Fault tests of stored memories: processes that share a file, fork, and fill the disk, lose nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.errors import NolaError, StorageError
from nola.memory import schema
from nola.memory.database import Database
from nola.memory.filters import Filter
from nola.memory.memories import Memories
from nola.memory.record import new_memory
from tests.memory.making import contents, put, rows

if TYPE_CHECKING:
    from nola.testing import ManualClock

_ROOT = Path(schema.__file__).parents[2]
_WRITERS = ("one", "other")

_CHILD = """
import os, resource, sys
from pathlib import Path
from nola.clock import SystemClock
from nola.errors import NolaError
from nola.memory.axes import Status
from nola.memory.database import Database
from nola.memory.dynamics.base import counted
from nola.memory.filters import Filter
from nola.memory.memories import Memories
from nola.memory.record import new_memory

database = Database(Path(sys.argv[1]), clock=SystemClock())
memories = Memories(database)
name, times = sys.argv[2], int(sys.argv[3])

def store(n):
    return memories.insert_many([new_memory(f"{name} {n}", {"author": name})])[0]
"""
_WRITES = """
for n in range(times):
    id_ = store(n)
    if n % 4 == 1:
        memories.record_access(f"{name} {n}", {id_: lambda stat: counted(stat, "semantic", 1.0)})
    elif n % 4 == 2:
        memories.update(id_, {"importance": 0.9})
    elif n % 4 == 3:
        memories.set_status(id_, Status.ARCHIVED)
database.close()
"""
_READS = """
seen = 0
for n in range(times):
    found = memories.find(Filter(namespace=None, statuses=frozenset()), limit=5)
    revision = memories.revision()
    assert revision >= seen, (revision, seen)
    seen = revision
    for row in found:
        assert memories.get(row.record.id).record.author == row.record.author
    if n % 10 == 0:
        changed, _ = memories.changes(max(0, revision - 5))
        assert changed or not revision
database.close()
"""
_FORKS = """
store("parent")
with database.reading() as connection:
    connection.execute("SELECT 1").get
for n in range(times):
    if not (child := os.fork()):
        try:
            store(f"child {n}")
            assert memories.find(Filter(), limit=1)
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    if n % 10 == 0:
        store(f"parent {n}")
"""
_FULL_DISK = """
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
limit(3_000_000)
try:
    for n in range(times):
        memories.insert_many([new_memory(f"{name} {n} " + "x" * 4000, {})])
        print(n, flush=True)
except NolaError as error:
    print(error)
limit(resource.RLIM_INFINITY)
store("again")
"""


def _start(database: Database, name: str, script: str, times: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _CHILD + script, str(database.path), name, str(times)]
    return subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _finished(children: list[subprocess.Popen[str]]) -> list[str]:
    said = []
    for child in children:
        with child:
            out, err = child.communicate(timeout=500)
            assert child.returncode == 0, out + err
            said.append(out)
    return said


def _share(database: Database, memories: Memories, times: int) -> dict[str, tuple[list[str], int]]:
    """Let two processes write and four read in one file; return what each wrote, and how often it was used."""
    writers = [_start(database, name, _WRITES, times) for name in _WRITERS]
    readers = [_start(database, f"reader {n}", _READS, times) for n in range(4)]
    _finished(writers + readers)
    found = {name: memories.find(Filter(author=name, statuses=frozenset()), oldest_first=True) for name in _WRITERS}
    return {
        name: (contents(of_one), sum(row.record.statistics.access_count for row in of_one))
        for name, of_one in found.items()
    }


def _all_written(times: int) -> dict[str, tuple[list[str], int]]:
    """Return what there is when no write is lost: every memory of both, and each fourth used once."""
    return {name: ([f"{name} {n}" for n in range(times)], times // 4) for name in _WRITERS}


@pytest.mark.row("P24")
def test_two_writers_and_four_readers_share_a_file(opened: Database, memories: Memories) -> None:
    """Six processes use one new file at once, without an error, and every write is there."""
    assert _share(opened, memories, 40) == _all_written(40)
    assert opened.check() == []


@pytest.mark.faults
@pytest.mark.row("P24")
def test_two_writers_and_four_readers_share_a_file_for_long(opened: Database, memories: Memories) -> None:
    """The same for a thousand operations of each process."""
    assert _share(opened, memories, 1_000) == _all_written(1_000)
    assert opened.check() == []


def _fork(database: Database, memories: Memories, times: int) -> list[str]:
    """Let a process with the file open fork again and again; return what it and its children stored, sorted."""
    _finished([_start(database, "fork", _FORKS, times)])
    return sorted(contents(memories.find(Filter())))


def _all_forked(times: int) -> list[str]:
    """Return what there is when no memory is lost: one of each child, and those of the parent."""
    wanted = ["parent", *(f"child {n}" for n in range(times)), *(f"parent {n}" for n in range(0, times, 10))]
    return sorted(f"fork {name}" for name in wanted)


@pytest.mark.bar("E5")
def test_children_store_beside_their_parent(opened: Database, memories: Memories) -> None:
    """Each child that is forked with the file open stores its memory, and the parent goes on."""
    assert _fork(opened, memories, 20) == _all_forked(20)
    assert opened.check() == []


@pytest.mark.faults
@pytest.mark.bar("E5")
def test_a_thousand_children_store_beside_their_parent(opened: Database, memories: Memories) -> None:
    """A thousand forks with the file open: every child's memory is stored, and the file is whole."""
    assert _fork(opened, memories, 1_000) == _all_forked(1_000)
    assert opened.check() == []


@pytest.mark.row("P25")
def test_a_full_disk_loses_nothing_and_passes(opened: Database, memories: Memories) -> None:
    """What was acknowledged before the disk was full is there, the refused memory is not, and space lets it go on."""
    (said,) = _finished([_start(opened, "full", _FULL_DISK, 10_000)])
    *acknowledged, sentence = said.splitlines()
    assert sentence.startswith(f"could not write {opened.path}: ")
    assert len(acknowledged) > 10
    found = [content.rstrip("x ") for content in contents(memories.find(Filter(), oldest_first=True))]
    assert found == [*(f"full {n}" for n in acknowledged), "full again"]
    assert opened.check() == []


@pytest.mark.bar("E4")
@pytest.mark.row("P25")
def test_a_damaged_file_never_looks_empty(opened: Database, memories: Memories) -> None:
    """With garbage below its header, cut short or gone without its log, it is refused and kept, never begun anew."""
    memories.insert_many([new_memory("word " * 500 + str(n), {}) for n in range(200)])
    opened.close()
    whole = opened.path.read_bytes()
    for damaged in (whole[:8192] + b"\xff" * (len(whole) - 8192), whole[: len(whole) // 2 + 7], whole[:-1], b"SQLite"):
        opened.path.write_bytes(damaged)
        for use in (lambda: memories.find(Filter()), lambda: put(memories), memories.export_lines):
            with pytest.raises(NolaError, match="can't be read as Nola's memory"):
                use()
        opened.close()
        assert opened.path.read_bytes() == damaged
    opened.path.write_bytes(whole)
    assert len(memories.find(Filter())) == 200


def test_a_read_only_file_is_read_and_not_written(
    opened: Database, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the right to write, everything is shown and a new memory is refused in one sentence."""
    id_ = put(memories)
    opened.close()
    connect = schema.connect

    def read_only(path: Path) -> object:
        connection = connect(path)
        connection.pragma("query_only", 1)
        return connection

    monkeypatch.setattr(schema, "connect", read_only)
    assert memories.get(id_).record.content == "My dog is called Biscuit"
    with pytest.raises(StorageError, match="it is read-only"):
        put(memories, "another")
    assert len(memories.find(Filter())) == 1


@pytest.mark.faults
@pytest.mark.row("P01")
def test_a_million_ids_never_collide(tmp_path: Path, clock: ManualClock) -> None:
    """Two makers of ids, in one millisecond that never ends, store a million memories, each under an id of its own."""
    databases = [Database(tmp_path / "memory.db", clock=clock) for _ in range(2)]
    makers = [Memories(database) for database in databases]
    news = [new_memory(f"memory {n}", {}) for n in range(10_000)]
    for n in range(100):
        makers[n % 2].insert_many(news)
    assert rows(databases[0], "SELECT count(DISTINCT id), count(*) FROM memory") == [(1_000_000, 1_000_000)]
    for database in databases:
        database.close()
