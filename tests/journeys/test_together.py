"""Several processes at once on one home."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

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


def test_writers_at_the_same_time_lose_nothing(nola: Machine) -> None:
    """Two processes that set twenty values each, and commands beside them, all find their values afterwards."""
    command = [sys.executable, "-c", WRITER]
    writers = [
        subprocess.Popen(
            [*command, name, str(SETS)],
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
            assert writer.stdin is not None
            assert writer.stdout.readline() == "ready\n"
            writer.stdin.write("\n")
            writer.stdin.flush()
        for number in range(2):
            nola("state", "set", f"user.command.n{number}", str(number))
        ended = [(writer.communicate(timeout=30), writer.returncode) for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    assert ended == [(("", ""), 0)] * 2
    user = nola("state", "get", "--json", "user").json
    whole = {f"n{number}": number for number in range(SETS)}
    assert user == {"left": whole, "right": whole, "command": {"n0": 0, "n1": 1}}
    assert len(nola("state", "history", "--json", "--limit", "100").json) == 2 * SETS + 2
    assert nola("state", "check").out == "all files are well\n"
