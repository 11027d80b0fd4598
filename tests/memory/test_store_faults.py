"""Fault tests of stored conversations: acknowledged turns outlive kills, forks, full disks and other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from nola.memory import schema
from nola.memory.store import ConversationStore
from tests.faults.harness import SEED, chance, in_lanes, rounds
from tests.memory.making import texts

if TYPE_CHECKING:
    from nola.testing import ManualClock
    from tests.faults.table import BarResult

_ROOT = Path(schema.__file__).parents[2]
_KILLS, _FILES = 500, 5

# What a child process runs: turns named "NAME 0", "NAME 1" ..., each acknowledged by a line on stdout.
_CHILD = """
import itertools, os, resource, sys, threading
from pathlib import Path
from nola.clock import SystemClock
from nola.errors import StorageError
from nola.flow import ModelRef
from nola.memory.database import Database
from nola.memory.store import ConversationStore
from nola.types import Channel, Level

store = ConversationStore(Path(sys.argv[1]), clock=SystemClock())
name = sys.argv[2]

def add(text):
    store.add_turn(conversation=name, channel=Channel.TERMINAL, user=text, reply="", quoted="", level=Level.QUICK,
        level_why="", model=ModelRef("none", ""), complete=True, report=None, receipts=[], usage={}, timings={})

def ack(n):
    print(f"{name} {n}\\n", end="", flush=True)
"""
_ON_REQUEST = "for n, _ in enumerate(sys.stdin): add(f'{name} {n}'); ack(n)"
_AT_ONCE = "for n in itertools.count(): add(f'{name} {n}'); ack(n)"
_TOO_EARLY = """
for n in itertools.count():
    ack(n)
    if n % 50 == 49:
        [add(f'{name} {m}') for m in range(n - 49, n + 1)]
"""
_FORKS = """
add('parent 0')
turns = threading.Semaphore(0)

def write():
    for n in range(100):
        turns.acquire()
        add(f'thread {n}')

thread = threading.Thread(target=write, daemon=True)
thread.start()
for n in range(20):
    turns.release(5)
    if not (child := os.fork()):
        add(f'child {n}')
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
thread.join()
"""
_FORK_AND_CLOSE = """
add('parent 0')
mine, its = os.pipe()
if not (child := os.fork()):
    os.read(mine, 1)
    add('child 0')
    os._exit(0)
store.close()
os.write(its, b'.')
assert os.waitpid(child, 0)[1] == 0
add('parent 1')
"""
# What E5 forbids: the child puts the inherited connection aside and opens its own, as a mere check of the pid would.
_FORK_CARELESSLY = """
os.register_at_fork = lambda **hooks: None
store = ConversationStore(Path(sys.argv[1]), clock=SystemClock())
add('parent 0')
mine, its = os.pipe()
written, opened = os.pipe()
if not (child := os.fork()):
    inherited, store._database = store._database, Database(Path(sys.argv[1]), clock=SystemClock())
    add('child 0')
    os.write(opened, b'.')
    os.read(mine, 1)
    add('child 1')
    os._exit(0)
os.read(written, 1)
store.close()
os.write(its, b'.')
assert os.waitpid(child, 0)[1] == 0
add('parent 1')
"""
_FULL_DISK = """
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
limit(2_000_000)
try:
    for n in itertools.count(): add(f'{name} {n} ' + 'x' * 4000); ack(n)
except StorageError as error:
    print(error)
limit(resource.RLIM_INFINITY)
add('again')
"""


def _child(database: Path, name: str, script: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _CHILD + script, str(database), name]
    return subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=stdout, text=True)


def _output(database: Path, name: str, script: str) -> list[str]:
    command = [sys.executable, "-c", _CHILD + script, str(database), name]
    done = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def _pipes(child: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert child.stdin is not None
    assert child.stdout is not None
    return child.stdin, child.stdout


def test_a_full_disk_loses_nothing_and_passes(database: Path, store: ConversationStore) -> None:
    """When the file can't grow the turn is refused, what was acknowledged stays, and space lets it go on."""
    *acknowledged, sentence = _output(database, "full", _FULL_DISK)
    assert sentence.startswith(f"could not write {database}: ")
    assert len(acknowledged) > 10
    assert [text.rstrip("x ") for text in texts(store, "full")] == [*acknowledged, "again"]
    assert store.check() == []


def test_two_processes_write_in_turns(database: Path, store: ConversationStore) -> None:
    """Turns of two processes that alternate are all there, in the order of their acknowledgements."""
    with _child(database, "a", _ON_REQUEST) as one, _child(database, "b", _ON_REQUEST) as other:
        acknowledged = []
        for _ in range(20):
            for child in (one, other):
                to_child, from_child = _pipes(child)
                print("go", file=to_child, flush=True)
                acknowledged.append(from_child.readline().strip())
        for child in (one, other):
            _pipes(child)[0].close()
    assert acknowledged == [f"{name} {n}" for n in range(20) for name in ("a", "b")]
    assert texts(store, "a") + texts(store, "b") == [f"{name} {n}" for name in ("a", "b") for n in range(20)]
    store.close()
    connection = schema.connect(database)
    stored = [row[0] for row in connection.execute("SELECT user FROM message ORDER BY seq")]
    connection.close()
    assert stored == acknowledged


def test_four_processes_make_the_file_at_once(tmp_path: Path, clock: ManualClock) -> None:
    """Processes that race to make a new file and to write into it lose nothing."""
    for attempt in range(3):
        database = tmp_path / str(attempt) / "memory.db"
        children = [_child(database, name, _ON_REQUEST) for name in "abcd"]
        for child in children:
            _pipes(child)[0].write("go\n" * 25)
            _pipes(child)[0].flush()
        for child in children:
            with child:
                assert len(child.communicate(timeout=60)[0].splitlines()) == 25
        store = ConversationStore(database, clock=clock)
        assert {row.title: row.turns for row in store.conversations()} == {f"{name} 0": 25 for name in "abcd"}
        assert store.check() == []
        store.close()


def _acknowledged_then_killed(database: Path, script: str, n: int, lines: int) -> set[str]:
    """Kill two writers -9 once they have acknowledged so many turns together; return all that they acknowledged."""
    reading, writing = os.pipe()
    children = [_child(database, f"{name}{n}", script, stdout=writing) for name in "ab"]
    os.close(writing)
    with os.fdopen(reading) as output:
        acknowledged = {output.readline().strip() for _ in range(lines)}
        for child in children:
            child.kill()
        acknowledged |= set(output.read().splitlines())
    for child in children:
        with child:
            child.wait(timeout=60)
    return acknowledged


def _stored(database: Path) -> set[str]:
    connection = schema.open_ready(database)
    found = {row[0] for row in connection.execute("SELECT user FROM message")}
    assert list(connection.execute("PRAGMA integrity_check")) == [("ok",)]
    assert list(connection.execute("PRAGMA foreign_key_check")) == []
    connection.close()
    return found


def _killed(database: Path, times: int, seed: object) -> tuple[int, list[str]]:
    """Kill two writers -9 again and again; return how many turns they acknowledged, and which of these are gone."""
    draw = chance(seed)
    acknowledged: set[str] = set()
    lost: set[str] = set()
    for n in range(times):
        acknowledged |= _acknowledged_then_killed(database, _AT_ONCE, n, lines=draw.randint(1, 60))
        lost |= acknowledged - _stored(database)
    return len(acknowledged), sorted(lost)


@pytest.mark.bar("E1")
def test_kills_lose_no_acknowledged_turn(database: Path) -> None:
    """Thirty times two writers are killed -9 in mid-write; every acknowledged turn is there, the file is whole."""
    acknowledged, lost = _killed(database, 30, 1)
    assert lost == []
    assert acknowledged > 300


@pytest.mark.faults
@pytest.mark.bar("E1")
@pytest.mark.row("P25")
@pytest.mark.parametrize("part", [1, 2])
def test_five_hundred_kills_lose_no_acknowledged_turn(tmp_path: Path, bar_result: BarResult, part: int) -> None:
    """The same five hundred times, in two parts of five files each."""
    times = rounds(_KILLS) // 2 // _FILES
    found = in_lanes(lambda n: _killed(tmp_path / str(n) / "memory.db", times, (SEED, part, n)), range(_FILES))
    lost = [text for _, of_file in found for text in of_file]
    bar_result(times * len(found), "kills of both writers", failures=len(lost))
    assert lost == []
    assert sum(acknowledged for acknowledged, _ in found) > 10 * times * len(found)


@pytest.mark.bar("E1")
def test_kills_are_noticed_when_turns_are_acknowledged_too_early(database: Path, bar_result: BarResult) -> None:
    """The control: a writer that acknowledges before it commits does lose turns, so the test above can fail."""
    acknowledged = _acknowledged_then_killed(database, _TOO_EARLY, 0, lines=50)
    lost = acknowledged - _stored(database)
    control = f"acknowledged too early: {len(lost)} of {len(acknowledged)} turns lost"
    bar_result(0, "kills of both writers", control=control)
    assert lost


@pytest.mark.bar("E5")
def test_forked_children_write_beside_their_parent(
    database: Path, store: ConversationStore, bar_result: BarResult
) -> None:
    """Twenty children that are forked while a thread writes each store a turn, and nobody's is lost."""
    _output(database, "fork", _FORKS)
    wanted = ["parent 0", *(f"child {n}" for n in range(20)), *(f"thread {n}" for n in range(100))]
    found = texts(store, "fork")
    assert sorted(found) == sorted(wanted)
    assert store.check() == []
    bar_result(sum(text.startswith("child") for text in found), "forks")


@pytest.mark.bar("E5")
def test_a_child_that_outlives_its_parents_connection_loses_nothing(
    database: Path, store: ConversationStore, bar_result: BarResult
) -> None:
    """A child writes after the parent has closed the file, which removes the log that an inherited handle would use."""
    _output(database, "fork", _FORK_AND_CLOSE)
    assert texts(store, "fork") == ["parent 0", "child 0", "parent 1"]
    assert store.check() == []
    bar_result(1, "forks")


@pytest.mark.bar("E5")
def test_a_careless_fork_is_noticed(database: Path, store: ConversationStore, bar_result: BarResult) -> None:
    """The control: a child that only opens its own connection beside the inherited one does lose turns."""
    _output(database, "fork", _FORK_CARELESSLY)
    lost = {"child 0", "child 1"} - set(texts(store, "fork"))
    bar_result(0, "forks", control=f"the inherited connection put aside: {len(lost)} of 2 turns of the child lost")
    assert "child 1" in lost
