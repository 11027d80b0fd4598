"""Nola as other machines get her: from a wheel, and with a shell that completes her commands."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from typing import TYPE_CHECKING

import pytest

from tests.faults.harness import ROOT
from tests.journeys.machine import Machine

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = ("nola", "interfaces", "state", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture
def installed(tmp_path: Path) -> Machine:
    """A machine whose `nola` comes from a wheel, in an environment of its own; what she needs is lent to it."""
    pytest.importorskip("hatchling", reason="the build backend is not installed")
    pytest.importorskip("pip", reason="pip is not installed")
    sources, target = tmp_path / "sources", tmp_path / "venv"
    sources.mkdir()
    for name in SOURCES:
        source, copy = ROOT / name, sources / name
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, copy, ignore=ignored) if source.is_dir() else shutil.copy(source, copy)
    venv.create(target, with_pip=False)
    machine = Machine(tmp_path / "home", target / "bin" / "nola", NOLA_LLM_MODEL="none")
    offline = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    wheel = ["wheel", *offline, "--no-build-isolation", "-w", str(tmp_path / "dist"), str(sources)]
    _pip(machine, *wheel)
    (built,) = (tmp_path / "dist").glob("*.whl")
    _pip(machine, "--python", str(target / "bin" / "python"), "install", *offline, "--no-compile", str(built))
    # A .pth file inside a folder that a .pth file names is not read, so this checkout's editable install stays out.
    (site,) = (target / "lib").glob("python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return machine


def test_a_wheel_is_born_with_its_state(installed: Machine, tmp_path: Path) -> None:
    """Installed from a wheel, Nola finds what she is born with, keeps a fact, and knows it in the next process."""
    born = installed("state", "get", "Nola.manner").out
    assert born.startswith("warm")
    installed("state", "set", "user.pets.dog.name", '"Biscuit"')
    assert "Biscuit" in installed("chat", "What is my dog's name?").out
    probe = [str(tmp_path / "venv" / "bin" / "python"), "-c", "import nola; print(nola.__file__)"]
    where = subprocess.run(probe, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=30).stdout
    assert where.startswith(str(tmp_path / "venv")), where


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_learns_the_commands(nola: Machine, shell: str) -> None:
    """The completion script is printed for the shell that is named, and that shell's grammar takes it."""
    script = nola("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1").out
    assert f"complete_{shell}" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=10)


def test_a_shell_completes_a_command(nola: Machine) -> None:
    """Asked the way bash asks, Nola completes a noun and a verb below it."""
    said = nola(_NOLA_COMPLETE="complete_bash", COMP_CWORD="2", COMP_WORDS="nola state un")
    assert sorted(said.out.split()) == ["undo", "unset"]


def _pip(machine: Machine, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments],
        env=machine.environ(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
