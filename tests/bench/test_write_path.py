"""How long a durable save takes, beside the bare system calls of the same protocol on the same bytes."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from nola.files import Save, save_all

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.bench

MOST = 1.3
SIZES = {"1 kB": 1_000, "20 kB": 20_000, "200 kB": 200_000}
SLOW_S = 0.004
LINE = b'{"id":"01hq3v8k2","at":"2026-11-20T09:00:00Z","who":"owner","path":"user.name","old":"A","new":"B"}\n'
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def slow(fd: int) -> None:
    """Flush as an ordinary disk does, which takes some milliseconds."""
    os.fsync(fd)
    time.sleep(SLOW_S)


def bare(folder: Path, data: bytes, flush: Callable[[int], object]) -> None:
    """Temporary file, write, flush, rename, flush of the folder: what no durable save can do without."""
    temp, target = f"{folder}/a.tmp", f"{folder}/a.json"
    fd = os.open(temp, NEW, 0o600)
    os.write(fd, data)
    flush(fd)
    os.close(fd)
    os.rename(temp, target)  # noqa: PTH104 -- the bare call is what is measured
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    flush(fd)
    os.close(fd)


@dataclass(frozen=True)
class Measured:
    """Medians in microseconds."""

    bare: float
    saved: float
    logged: float


def took_us(work: Callable[[], object]) -> float:
    """How long some work takes, in microseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e6


def measured(size: int, flush: Callable[[int], object], rounds: int) -> Measured:
    """Save two contents in turns, each in the three ways, so that a busy machine slows all of them."""
    contents = bytes([65]) * size, bytes([66]) * size
    took: tuple[list[float], ...] = ([], [], [])
    with TemporaryDirectory(dir=Path.cwd()) as made:
        folders = [Path(made, name) for name in "abc"]
        for folder in folders:
            folder.mkdir()
            (folder / "a.json").write_bytes(contents[1])
        log = folders[2] / "changes.jsonl"
        for n in range(rounds):
            new, old = contents[n % 2], contents[1 - n % 2]
            saves = [[Save(folder / "a.json", new, old)] for folder in folders]
            works: list[Callable[[], object]] = [
                lambda new=new: bare(folders[0], new, flush),  # type: ignore[misc]
                lambda saves=saves: save_all(saves[1], flush=flush),  # type: ignore[misc]
                lambda saves=saves: save_all(saves[2], log=log, line=LINE, flush=flush),  # type: ignore[misc]
            ]
            for turn in range(3):
                which = (n + turn) % 3
                took[which].append(took_us(works[which]))
    return Measured(*(statistics.median(times[len(times) // 10 :]) for times in took))


@cache
def ratios(name: str) -> list[float]:
    """Measure all sizes on this disk or on an ordinary one, print them, and return what a save costs more."""
    flush, rounds = (slow, 40) if name == "ordinary" else (os.fsync, 400)
    found = []
    for label, size in SIZES.items():
        got = measured(size, flush, rounds)
        found.append(got.saved / got.bare)
        print(  # noqa: T201 -- the figures are the point
            f"{name} disk, {label}: bare {got.bare:.0f} us, save {got.saved:.0f} us ({found[-1]:.2f} x), "
            f"with a line of the log {got.logged:.0f} us ({got.logged / got.bare:.2f} x)"
        )
    return found


@pytest.mark.parametrize("name", ["this", "ordinary"])
def test_a_durable_save_costs_little_more_than_its_system_calls(name: str) -> None:
    """Comparing, keeping the previous version and checking take at most 0.3 of the bare protocol's time."""
    assert statistics.median(ratios(name)) <= MOST
