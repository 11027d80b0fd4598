"""Several processes at once on one home."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.journeys.machine import Machine

SETS = 20
# A process that keeps what it has read, as the chat does, and so could write back what another one changed meanwhile.
WRITER = """
import sys
from nola.app import get_agent
print("ready", flush=True)
sys.stdin.readline()
agent = get_agent()
for number in range(int(sys.argv[2])):
    agent.set_state(f"user.{sys.argv[1]}.n{number}", number, who="owner")
agent.close()
"""


@pytest.mark.row("E32")
def test_writers_at_the_same_time_lose_nothing(nola: Machine) -> None:
    """Two processes that set twenty values each, and commands beside them, all find their values afterwards."""
    nola("state", "sync")
    assert together(nola, SETS, commands=2) == [""] * 2
    user = nola("state", "get", "--json", "user").json
    whole = {f"n{number}": number for number in range(SETS)}
    assert user == {"left": whole, "right": whole, "command": {"n0": 0, "n1": 1}}
    assert len(nola("state", "history", "--json", "--limit", "100").json) == 2 * SETS + 2
    assert nola("state", "check").out == "all files are well\n"


def test_two_first_starts_at_the_same_time(nola: Machine) -> None:
    """Two processes that find an empty home at the same time both start, and lose nothing of each other."""
    assert together(nola, 1) == [""] * 2
    assert nola("state", "get", "--json", "user").json == {"left": {"n0": 0}, "right": {"n0": 0}}


def together(nola: Machine, sets: int, *, commands: int = 0) -> list[str]:
    """Let two writers begin at one moment, and some commands beside them; return what the writers said on stderr."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name, str(sets)],
            env=nola.environ(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("left", "right")
    ]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("\n")
            writer.stdin.flush()
        for number in range(commands):
            nola("state", "set", f"user.command.n{number}", str(number))
        return [writer.communicate(timeout=30)[1] for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
