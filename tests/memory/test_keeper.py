"""Tests of nola.memory.keeper: an index that is never behind, whoever stored and whatever fails."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import nola
from nola.errors import ModelError
from nola.memory import derived, keeper
from nola.memory.axes import EdgeKind
from tests.memory.engines import contents, memory_of
from tests.memory.fakes import WordVectors
from tests.memory.making import rows

if TYPE_CHECKING:
    from nola.learned import Memory
    from nola.testing import ManualClock

ROOT = Path(nola.__file__).parent.parent
STORE = """
import sys
from nola import Memory
with Memory.open(sys.argv[1], embedder=None) as memory:
    for n in range(int(sys.argv[2])):
        memory.store(f"{sys.argv[3]}{n} was stored by another process")
"""


def store_elsewhere(path: Path, count: int, word: str) -> subprocess.Popen[bytes]:
    """Begin to store memories in another process."""
    command = [sys.executable, "-c", STORE, str(path), str(count), word]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE)


def asked(memory: Memory, text: str, limit: int = 3) -> list[str]:
    """What a question finds, without counting."""
    return contents(memory.recall(text, limit=limit, count=False))


def scores(memory: Memory, text: str) -> list[tuple[str, float, Any]]:
    """What a question finds, with every figure."""
    return [(one.id, one.score, one.parts) for one in memory.recall(text, count=False)]


@pytest.mark.row("P24")
def test_another_process_writes_while_this_one_reads(tmp_path: Path, clock: ManualClock) -> None:
    """Each memory is found as soon as the other process's store returned, and neither of the two fails."""
    path = tmp_path / "memory.db"
    with memory_of(path, clock, WordVectors()) as memory:
        memory.store("mine0 was stored here")
        other = store_elsewhere(path, 60, "theirs")
        n = 0
        while other.poll() is None:
            n += 1
            memory.store(f"mine{n} was stored here")
            assert asked(memory, f"mine{n}", 1) == [f"mine{n} was stored here"]
        assert other.communicate()[1] == b""
        assert asked(memory, "theirs59", 1) == ["theirs59 was stored by another process"]
        assert memory.wait_indexed(60)
        assert memory.stats().vectors == memory.stats().total == 61 + n


def test_two_over_one_file(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them saves, drops, rewords or embeds does not mislead the other."""
    monkeypatch.setattr(keeper, "_SEGMENT", 8)
    path = tmp_path / "memory.db"
    with memory_of(path, clock, WordVectors()) as one, memory_of(path, clock, WordVectors()) as two:
        ids = one.store_many([{"content": f"fact{n} about dogs"} for n in range(30)])
        assert asked(two, "fact7", 1) == ["fact7 about dogs"]
        assert one.wait_indexed(30)
        assert len(rows(one.engine.database, "SELECT id FROM segment")) == 1
        one.engine.memories.update(ids[3], {"content": "fact3 about cats"})
        two.store("fact99 about dogs")
        assert one.wait_indexed(30)
        for memory in (one, two):
            assert asked(memory, "cats", 1) == ["fact3 about cats"]
        assert scores(one, "fact7 dogs") == scores(two, "fact7 dogs")
        assert two.stats().vectors == 31
        one.reindex()
        assert asked(two, "fact8", 1) == ["fact8 about dogs"]
        assert scores(one, "fact7 dogs") == scores(two, "fact7 dogs")
        one.engine.memories.purge(ids[5:7])
        assert not {"fact5 about dogs", "fact6 about dogs"} & set(asked(two, "fact5 fact6 dogs", 40))


def test_a_new_start_reads_the_saved_index(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was saved is not made again, what was purged or reworded since is seen, and results are the same."""
    monkeypatch.setattr(keeper, "_SEGMENT", 8)
    path = tmp_path / "memory.db"
    with memory_of(path, clock, WordVectors()) as memory:
        ids = memory.store_many([{"content": f"fact{n} about dogs", "speaker": f"P{n % 3}"} for n in range(30)])
        assert memory.wait_indexed(30)
        memory.engine.memories.purge([ids[29], ids[4]])
        memory.engine.memories.update(ids[3], {"content": "fact3 about cats", "author": "Eve"})
        assert memory.wait_indexed(30)
        before = asked(memory, "What did Eve say about cats?"), asked(memory, "fact7 dogs")
    with memory_of(path, clock, WordVectors()) as memory:
        assert (asked(memory, "What did Eve say about cats?"), asked(memory, "fact7 dogs")) == before
        with memory.engine.keeper.index() as index:
            assert index.postings.saved_documents >= 30
            assert index.postings.unsaved <= 1
        assert "speaker" in memory.recall("What did Eve say about cats?", count=False)[0].parts


def test_saving_does_not_grow_without_end(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that change again and again leave no heap of dead entries behind."""
    monkeypatch.setattr(keeper, "_SEGMENT", 8)
    with memory_of(tmp_path / "memory.db", clock) as memory:
        ids = memory.store_many([{"content": f"fact{n} about dogs"} for n in range(10)])
        for turn in range(12):
            for n, id_ in enumerate(ids):
                memory.engine.memories.update(id_, {"content": f"fact{n} about dogs, turn{turn}"})
            memory.engine.keeper.notice()
            assert memory.wait_indexed(30)
        assert asked(memory, "turn11 fact3", 1) == ["fact3 about dogs, turn11"]
        assert asked(memory, "turn10", 1) == []
        with memory.engine.database.reading() as connection:
            assert sum(segment.documents for segment in derived.segments(connection)) < 60


@pytest.mark.row("E56")
def test_everything_derived_can_be_dropped(tmp_path: Path, clock: ManualClock) -> None:
    """All vectors and words dropped by hand and made again: the same search, the same texts."""
    with memory_of(tmp_path / "memory.db", clock, WordVectors()) as memory:
        memory.store_many([{"content": f"fact{n} about dogs and their {n % 7} habits"} for n in range(60)])
        assert memory.wait_indexed(30)
        before, records = scores(memory, "habits of dogs, fact7"), memory.find()
        memory.engine.database.write(derived.drop_vectors)
        memory.engine.database.write(derived.drop_postings)
        told: list[tuple[str, int, int]] = []
        assert memory.reindex(lambda *step: told.append(step)) == {"memories": 60, "vectors": 60}
        assert scores(memory, "habits of dogs, fact7") == before
        assert memory.find() == records
        assert told[0] == ("words", 60, 60)
        assert told[-1] == ("vectors", 60, 60)


def test_a_failing_embedder_stops_nobody(tmp_path: Path, clock: ManualClock) -> None:
    """Words find what has no vector yet, the trouble is told, and the next store tries again."""
    embedder = WordVectors()
    embedder.failing = True
    with memory_of(tmp_path / "memory.db", clock, embedder) as memory:
        one = memory.store("Ada won 9 gold medals in Rome")
        memory.store("Ada won 10 gold medals in Rome")
        assert not memory.wait_indexed(30)
        assert memory.stats().trouble == "the embedder is away"
        assert asked(memory, "gold medals")
        assert len(memory.edges(one, EdgeKind.SIMILAR_TO)) == 1
        with pytest.raises(ModelError):
            memory.reindex()
        embedder.failing = False
        memory.store("A dog")
        assert memory.wait_indexed(30)
        assert (memory.stats().vectors, memory.stats().trouble) == (3, "")
        embedder.failing = True
        assert asked(memory, "gold medals")


def test_waiting_ends_when_told(tmp_path: Path, clock: ManualClock) -> None:
    """An embedder that hangs holds up neither words nor whoever waits with a limit."""
    embedder = WordVectors()
    embedder.go_on.clear()
    memory = memory_of(tmp_path / "memory.db", clock, embedder)
    memory.store("A dog barks")
    assert not memory.wait_indexed(0.05)
    assert asked(memory, "dog") == ["A dog barks"]
    embedder.go_on.set()
    assert memory.wait_indexed(30)
    memory.close()


def test_a_memory_without_vectors_comes_first_by_its_words(tmp_path: Path, clock: ManualClock) -> None:
    """What was stored a moment ago is not outranked by what is near it by chance."""
    embedder = WordVectors()
    with memory_of(tmp_path / "memory.db", clock, embedder) as memory:
        memory.store_many([{"content": f"The ferry number {n} is mine"} for n in range(50)])
        assert memory.wait_indexed(30)
        embedder.go_on.clear()
        memory.store("The zeppelin is mine")
        embedder.go_on.set()
        assert asked(memory, "zeppelin", 1) == ["The zeppelin is mine"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_has_an_index_of_its_own(tmp_path: Path, clock: ManualClock) -> None:
    """It reads and writes whatever the parent's threads held when it came to be."""
    memory = memory_of(tmp_path / "memory.db", clock, WordVectors())
    memory.store("The parent's dog")
    held = threading.Event()
    free = threading.Event()

    def hold() -> None:
        with memory.engine.keeper.index():
            held.set()
            free.wait(0.2)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(5)
    child = os.fork()
    if not child:
        memory.store("The child's cat")
        os._exit(0 if asked(memory, "dog", 1) == ["The parent's dog"] and memory.wait_indexed(20) else 1)
    free.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert asked(memory, "cat", 1) == ["The child's cat"]
    memory.close()
