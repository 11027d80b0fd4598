"""How much resident memory a hundred thousand memories take, in a process that does nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from tests.bench.filling import filled
from tests.bench.natural import questions

pytestmark = pytest.mark.bench

COUNT = 100_000
MOST_MB = 150
BARE = "print('ready', flush=True); input()"
OPENED = """
import sys
import numpy as np
from nola.learned import Memory
from nola.settings import Settings

class RandomVectors:
    model_id, dimensions = "random", 384

    def embed(self, texts):
        made = np.random.default_rng(len(texts)).standard_normal((len(texts), 384), dtype=np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

memory = Memory.open(sys.argv[1], embedder=RandomVectors(), settings=Settings())
for text in sys.argv[2:]:
    assert memory.recall(text, count=False)
print("ready", flush=True)
input()
print(memory.stats().vectors)
memory.close()
"""
"""The embedder makes numbers out of nothing, so that only what Nola holds is seen."""


def resident_mb(source: str, *arguments: str) -> tuple[float, str]:
    """Run a program in a fresh process until it is ready; return its resident megabytes, and what it says then."""
    command = [sys.executable, "-c", source, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        held = float(psutil.Process(child.pid).memory_info().rss) / 1e6
        said, _ = child.communicate("\n", timeout=60)
    assert child.returncode == 0
    return held, said.strip()


@pytest.mark.row("P26")
def test_a_hundred_thousand_memories_take_at_most_150_mb(capsys: pytest.CaptureFixture[str]) -> None:
    """Opened with their vectors and asked twenty questions, in a process of their own, beside a bare Python."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "memory.db")
        filled(path, COUNT)
        whole, vectors = resident_mb(OPENED, str(path), *questions(20))
    bare, _ = resident_mb(BARE)
    with capsys.disabled():
        print(  # noqa: T201 -- a benchmark prints its figures
            f"\n{COUNT:,} memories hold {whole - bare:.0f} MB: {whole:.0f} MB, a bare Python {bare:.0f} MB"
        )
    assert vectors == str(COUNT)
    assert whole - bare <= MOST_MB, f"{whole - bare:.0f} MB"
