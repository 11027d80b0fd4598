"""What a durable change of the state costs beside the bare system calls, and what many writers gain by sharing one."""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.clock import SystemClock
from nola.settings import StateSettings
from nola.state.store import StateStore

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.bench

BORN = Path(__file__).resolve().parents[2] / "state"
ROUNDS = 200
SECONDS = 1.0
TIMES = 5
THREADS = 16
ORDINARY_DISK_S = 0.004


@pytest.fixture
def store(tmp_path: Path) -> StateStore:
    """A store on a real clock, with forty values in user.json."""
    store = StateStore(tmp_path / "state", clock=SystemClock(), settings=StateSettings(), born=BORN)
    store.bootstrap()
    store.set("user", {f"k{number}": f"value {number}" for number in range(40)}, who="owner")
    return store


def bare(folder: Path, data: bytes, number: int) -> None:
    """Replace a file by the protocol's system calls and nothing else."""
    temp = folder / f"bare-{number}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    temp.replace(folder / "bare")
    fd = os.open(folder, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def timed(action: Callable[[], object]) -> float:
    """Return how long something takes, in milliseconds."""
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1000


def tell(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Show a figure, whatever pytest does with what tests print."""
    with capsys.disabled():
        sys.stdout.write(f"\n{line}")


def test_a_set_beside_the_bare_system_calls(store: StateStore, capsys: pytest.CaptureFixture[str]) -> None:
    """Parsing, merging, the history's line and the check of what was written come on top of the flushes."""
    data = (store.folder / "user.json").read_bytes()
    costs: dict[str, list[float]] = {"bare": [], "set": []}
    for number in range(ROUNDS):
        costs["bare"].append(timed(partial(bare, store.folder.parent, data, number)))
        costs["set"].append(timed(partial(store.set, f"user.k{number % 40}", number, who="owner")))
    base, whole = (statistics.median(costs[name]) for name in ("bare", "set"))
    flushes = 2 * ORDINARY_DISK_S * 1000
    said = f"set: {whole:.2f} ms, bare calls {base:.2f} ms, x {whole / base:.2f}"
    tell(capsys, f"{said}; on a disk with flushes of 4 ms x {(whole + flushes) / (base + flushes):.2f}")
    assert (whole + flushes) / (base + flushes) <= 1.3


def test_writers_share_a_flush(store: StateStore, capsys: pytest.CaptureFixture[str]) -> None:
    """Sixteen threads write at least five times as much as one, in the middle of several rounds."""

    def write(name: str, until: float) -> int:
        for count in itertools.count():
            if time.perf_counter() > until:
                return count
            store.set(f"user.{name}", count, who="owner")
        return 0

    def together() -> int:
        counts: list[int] = []
        until = time.perf_counter() + SECONDS

        def work(number: int) -> None:
            counts.append(write(f"t{number}", until))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(counts)

    rounds = [(write("alone", time.perf_counter() + SECONDS), together()) for _ in range(TIMES)]
    gain = statistics.median(many / alone for alone, many in rounds)
    alone, many = (statistics.median(side) / SECONDS for side in zip(*rounds, strict=True))
    tell(capsys, f"{THREADS} writers: {many:.0f}/s, one {alone:.0f}/s, x {gain:.1f}")
    assert gain >= 5
