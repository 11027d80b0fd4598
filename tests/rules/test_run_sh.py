"""The starter runs from anywhere, adds next to nothing to a start, and keeps stdout clean; no network is touched."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("run.sh", ".ci/run", "scripts/lock.sh")
FILES = ("run.sh", "pyproject.toml", "requirements.lock", "requirements-test.lock")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a tree whose environment is current, with a `nola` that repeats its arguments."""
    root = tmp_path / "a folder with spaces"
    (root / ".venv" / "bin").mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / name, root)
    (root / ".venv" / "bin" / "python").symlink_to(sys.executable)
    nola = root / ".venv" / "bin" / "nola"
    nola.write_text('#!/bin/sh\nprintf "%s|" "$@"\n', encoding="utf-8")
    nola.chmod(0o755)
    sums = _run("cksum", root / "pyproject.toml", root / "requirements.lock").stdout
    (root / ".venv" / ".stamp-requirements.lock").write_text(sums, encoding="utf-8")
    return root


def _run(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_scripts_are_executable_bash(script: str) -> None:
    """Every script parses and may be executed."""
    assert _run("bash", "-n", ROOT / script).stderr == ""
    assert (ROOT / script).stat().st_mode & 0o111


def test_arguments_reach_nola_and_stdout_is_hers(installed: Path, tmp_path: Path) -> None:
    """A current installation hands over its arguments, from any folder, through a symbolic link, without a word."""
    link = tmp_path / "link"
    link.symlink_to(Path(installed.name) / "run.sh")
    for start in (installed / "run.sh", link):
        said = _run(start, "chat", "two words", cwd=Path("/"))
        assert (said.stdout, said.stderr, said.returncode) == ("chat|two words|", "", 0)


def test_a_second_start_takes_well_under_a_tenth_of_a_second(installed: Path) -> None:
    """What run.sh adds before Nola starts is at most 100 ms, median of nine."""
    took = []
    for _ in range(9):
        began = time.perf_counter()
        _run(installed / "run.sh")
        took.append(time.perf_counter() - began)
    assert statistics.median(took) < 0.1


def test_an_unknown_tier_is_refused(installed: Path) -> None:
    """A tier that does not exist is wrong usage, said before anything is installed."""
    said = _run(installed / "run.sh", "test", "everything")
    assert said.returncode == 2
    assert said.stderr == "usage: ./run.sh test [faults|bench|soak|models]\n"


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-test.lock"])
def test_a_lock_has_hashes_and_no_addresses(name: str) -> None:
    """A lock file names packages, versions, hashes and nothing else, and binds both files to the same versions."""
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = text.replace("\\\n", "").splitlines()
    assert entries
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []
    assert "//" not in text
    base = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    tested = (ROOT / "requirements-test.lock").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    assert [entry for entry in base if entry not in tested] == []
