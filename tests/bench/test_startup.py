"""How long the whole process of a small command takes, beside the start of Python alone."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import nola.cli
from nola.testing import make_agent

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.bench

ROOT = Path(__file__).resolve().parents[2]
NOLA = Path(sys.executable).with_name("nola")
ROUNDS = 15
PYTHON = [sys.executable, "-c", "pass"]

if not hasattr(nola.cli, "main"):
    pytest.skip("nola.cli.main does not exist yet", allow_module_level=True)
if not NOLA.exists():
    pytest.skip(f"{NOLA} is not installed", allow_module_level=True)


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a home whose state knows the owner's name."""
    agent = make_agent(tmp_path / "home")
    agent.set_state("user.name", "Mara", who="owner")
    agent.close()
    return {**os.environ, "NOLA_HOME": str(tmp_path / "home")}


def took_ms(command: list[str], environ: Mapping[str, str]) -> float:
    """How long one run of a command takes, from start to end, in milliseconds."""
    began = time.perf_counter()
    subprocess.run(command, env=environ, cwd=ROOT, capture_output=True, check=True, timeout=60)
    return (time.perf_counter() - began) * 1000


@pytest.mark.parametrize(
    ("arguments", "output", "most_ms"),
    [(["--version"], "nola ", 200.0), (["state", "get", "user.name"], "Mara\n", 300.0)],
    ids=["version", "state get"],
)
def test_a_small_command_is_quick(
    arguments: list[str], output: str, most_ms: float, environ: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The median of the whole process is within its limit; it is printed beside Python's own start."""
    command = [str(NOLA), *arguments]
    said = subprocess.run(command, env=environ, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith(output)
    whole, alone = [], []
    for _ in range(ROUNDS):
        whole.append(took_ms(command, environ))
        alone.append(took_ms(PYTHON, environ))
    ours, bare = statistics.median(whole), statistics.median(alone)
    with capsys.disabled():
        print(  # noqa: T201 -- a benchmark prints its figures
            f"\nnola {' '.join(arguments)}: median {ours:.0f} ms; python -c pass {bare:.0f} ms; ratio {ours / bare:.1f}"
        )
    assert ours <= most_ms
