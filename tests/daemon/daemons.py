"""Real daemons in processes of their own."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tests.faults.harness import environ

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Daemon", "eventually", "logged", "status"]

_NOLA = Path(sys.executable).with_name("nola")
_PATIENCE_S = 30.0


class Daemon:
    """A process that runs `nola daemon run`; as a context manager it is gone at the end.

    Args:
        home: Its home.
        more: Variables of its environment.

    Attributes:
        process: The process.
        said: What it said when it was ready, or None.
    """

    def __init__(self, home: Path, *arguments: str, **more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(_NOLA), "daemon", "run", "--json", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ(home, **more),
        )
        self.said: dict[str, Any] | None = None
        self._out = b""

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill it, whatever happened."""
        self.process.kill()
        self.process.communicate()

    def ready(self, within_s: float = _PATIENCE_S) -> bool:
        """Wait until it says that it is ready; False when it ends or stays silent."""
        assert self.process.stdout is not None
        until = time.monotonic() + within_s
        number = self.process.stdout.fileno()
        while b"\n" not in self._out:
            if not select.select([number], [], [], max(0.0, until - time.monotonic()))[0]:
                return False
            data = os.read(number, 4096)
            if not data:
                return False
            self._out += data
        self.said = json.loads(self._out)
        return True

    def end(self, within_s: float = _PATIENCE_S) -> tuple[int, str]:
        """Wait for its end; return its exit code and what it said on stderr."""
        out, err = self.process.communicate(timeout=within_s)
        if not self._out and out.strip():
            self.said = json.loads(out)
        return self.process.returncode, err.decode()

    def stop(self, within_s: float = _PATIENCE_S) -> tuple[int, str]:
        """Ask it to end, and wait for that."""
        self.process.terminate()
        return self.end(within_s)


def status(home: Path) -> dict[str, Any]:
    """Ask, as a person does, how the daemon of a home is."""
    done = subprocess.run(
        [sys.executable, str(_NOLA), "daemon", "status", "--json"],
        env=environ(home),
        capture_output=True,
        check=False,
        timeout=_PATIENCE_S,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def logged(home: Path, event: str = "") -> list[dict[str, Any]]:
    """Return the lines of a home's log, or those of one event."""
    path = home / "logs" / "nola.log"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [line for line in lines if event in {"", line["event"]}]


def eventually(holds: Any, within_s: float = _PATIENCE_S) -> float | None:
    """Ask again and again; return after how many seconds it came true, or None."""
    began = time.monotonic()
    while True:
        if holds():
            return time.monotonic() - began
        if time.monotonic() - began > within_s:
            return None
        time.sleep(0.02)
