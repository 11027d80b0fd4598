"""Real daemons in processes of their own."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.faults.harness import Running, environ, nola

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Daemon", "logged", "status"]

_NOLA = Path(sys.executable).with_name("nola")
_PATIENCE_S = 30.0


class Daemon(Running):
    """A process that runs `nola daemon run`; as a context manager it is gone at the end.

    Args:
        home: Its home.
        arguments: More arguments.
        umask: The mask that it starts with; that of the tests by default.
        more: More variables of its environment.

    Attributes:
        said: What it said when it was ready, or None.
    """

    def __init__(self, home: Path, *arguments: str, umask: int = -1, more: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, str(_NOLA), "daemon", "run", "--json", *arguments]
        super().__init__(command, environ(home, **(more or {})), umask=umask)
        self.said: dict[str, Any] | None = None
        self._out = b""

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
        out, err = self.finish(within_s)
        if not self._out and out.strip():
            self.said = json.loads(out)
        return self.process.returncode, err

    def stop(self, within_s: float = _PATIENCE_S) -> tuple[int, str]:
        """Ask it to end, and wait for that."""
        self.process.terminate()
        return self.end(within_s)


def status(home: Path) -> dict[str, Any]:
    """Ask, as a person does, how the daemon of a home is."""
    told: dict[str, Any] = nola(["daemon", "status", "--json"], home).json
    return told


def logged(home: Path, event: str = "") -> list[dict[str, Any]]:
    """Return the lines of a home's log, or those of one event."""
    path = home / "logs" / "nola.log"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [line for line in lines if event in {"", line["event"]}]
