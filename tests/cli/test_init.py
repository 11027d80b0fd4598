"""Tests of the start of the command line, as a process, and of `nola init`."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer.main import get_command

from nola import __version__
from nola.cli.init import init
from nola.cli.root import app
from tests.cli.terminal import seated

if TYPE_CHECKING:
    import pytest

    from tests.cli.conftest import CommandLine

ROOT = Path(__file__).resolve().parents[2]
START = [sys.executable, "-c", "import sys; sys.argv[0] = 'nola'; from nola.cli import main; main()"]


def start(*arguments: str, home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `nola` as a process."""
    environ = {**os.environ, "NOLA_HOME": str(home), "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}", **more}
    return subprocess.run([*START, *arguments], env=environ, capture_output=True, text=True, check=False, timeout=60)


def test_version(tmp_path: Path) -> None:
    """It is printed without loading anything, and no folder is made."""
    said = start("--version", home=tmp_path / "home")
    assert (said.stdout, said.stderr, said.returncode) == (f"nola {__version__}\n", "", 0)
    assert not (tmp_path / "home").exists()


def test_version_within_200_ms(tmp_path: Path) -> None:
    """Median of five."""
    took = []
    for _ in range(5):
        began = time.perf_counter()
        start("--version", home=tmp_path)
        took.append(time.perf_counter() - began)
    assert statistics.median(took) < 0.2


def test_a_broken_setting_is_a_sentence(tmp_path: Path) -> None:
    """Exit 2 and no traceback, whatever the command."""
    for command in (["state", "get", "user"], ["where"], ["chat", "hello"]):
        said = start(*command, home=tmp_path, NOLA_CONTEXT_BUDGET_L2="many")
        assert (said.returncode, said.stdout) == (2, "")
        assert said.stderr == "nola: context.budget_l2 takes a whole number, not 'many'\n"


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    """A reader that leaves early gets no traceback."""
    environ = {**os.environ, "NOLA_HOME": str(tmp_path), "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    with subprocess.Popen(
        [*START, "config", "list", "--json"], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_options_answer_the_questions(nola: CommandLine) -> None:
    """Each becomes a write with a receipt, and nothing is asked."""
    said = nola("init", "--name", "Mara", "--city", "Porto", "--work", "mechanic", "--likes", "tea", "--likes", "walks")
    assert said.exit_code == 0
    assert nola.assistant.written == [
        ("user.name", "Mara"),
        ("user.home.city", "Porto"),
        ("user.work.job", "mechanic"),
        ("user.likes", ["tea", "walks"]),
    ]
    assert said.stdout.count("undo: nola state undo") == 4


def test_what_is_known_stays(nola: CommandLine) -> None:
    """Items are added to a list, a value goes where the owner keeps it, and what is the same is not written."""
    nola.assistant.state["user"] = {"name": "Mara", "city": "Lyon", "likes": ["tea"]}
    said = nola("init", "--name", "Mara", "--city", "Porto", "--likes", "walks", "--json")
    assert nola.assistant.written == [("user.city", "Porto"), ("user.likes", ["tea", "walks"])]
    assert [told["path"] for told in json.loads(said.stdout)] == ["user.city", "user.likes"]


def test_without_terminal_and_options_it_says_what_to_do(nola: CommandLine) -> None:
    """Exit 2."""
    said = nola("init", text="Mara\n")
    assert said.exit_code == 2
    assert "nola init --name" in said.stderr


def test_questions_can_be_skipped(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter skips one, the end of input skips the rest, and what is known is shown."""
    nola.assistant.state["user"] = {"home": {"city": "Lyon"}}
    context = typer.Context(get_command(app), obj=nola.desk())
    with seated(monkeypatch, "Mara\n\nPortuguese\n") as screen:
        init(context)
    assert nola.assistant.written == [("user.name", "Mara"), ("user.language", "Portuguese")]
    assert "In which town or city do you live? [Lyon] " in screen.err.getvalue()
