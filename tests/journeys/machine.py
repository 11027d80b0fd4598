"""One person's machine: a home of its own, the real `nola` command, a terminal that can be closed, and no network."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import psutil  # type: ignore[import-untyped]  # the package ships no types

from tests.faults.harness import ROOT, Running, Said

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

__all__ = ["CLOSED", "MODEL", "Machine", "Seat", "Started"]

CLOSED = "http://127.0.0.1:9"
"""An address where nothing listens: no Ollama, and no way to another machine."""
MODEL: dict[str, Any] = {
    "name": "llama3.2:3b",
    "model": "llama3.2:3b",
    "size": 2_000_000_000,
    "details": {"family": "llama", "parameter_size": "3.2B"},
}
"""A model as the fake Ollama lists it."""

_NOLA = Path(sys.executable).with_name("nola")
_PATIENCE_S = 30.0
_FOREIGN = ("NOLA_", "OLLAMA_", "PIP_", "_TYPER_")
# The new session's first process takes the terminal on its stdin as its own, so that closing it hangs up on Nola.
_SIT_DOWN = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


class Machine:
    """A home folder, and an environment in which the real command runs.

    Args:
        home: Nola's folder; made when she first runs.
        command: The command; the one of the environment that the tests run in by default.
        environ: Variables of this machine alone.
    """

    def __init__(self, home: Path, command: Path = _NOLA, /, **environ: str) -> None:
        self.home = home
        self._command = str(command)
        self._environ = environ

    def environ(self, **more: str) -> Mapping[str, str]:
        """Return the environment: without network, other settings, a package index or an embedder."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN) and not k.lower().endswith("_proxy")}
        own = {
            "NOLA_HOME": str(self.home),
            "NOLA_EMBED_PROVIDER": "none",
            "OLLAMA_HOST": CLOSED,
            "HTTPS_PROXY": CLOSED,
            "PIP_NO_INDEX": "1",
            "PIP_CONFIG_FILE": os.devnull,
            "NO_COLOR": "1",
            "TERM": "xterm",
        }
        return {**kept, **own, **self._environ, **more}

    def __call__(
        self,
        *arguments: str,
        text: str | bytes = b"",
        code: int | None = 0,
        umask: int = -1,
        patience_s: float = _PATIENCE_S,
        **environ: str,
    ) -> Said:
        """Run `nola` to its end, with this on stdin; it ends with this code (None: any), never with a traceback."""
        done = subprocess.run(
            [self._command, *arguments],
            input=text.encode() if isinstance(text, str) else text,
            env=self.environ(**environ),
            capture_output=True,
            check=False,
            timeout=patience_s,
            umask=umask,
        )
        said = Said(done.stdout.decode(), done.stderr.decode(), done.returncode)
        assert "Traceback" not in said.out + said.err, said
        assert code is None or said.code == code, said
        return said

    def start(self, *arguments: str, **environ: str) -> Started:
        """Start `nola` without a terminal."""
        return Started([self._command, *arguments], self.environ(**environ))

    def sit(self, *arguments: str, **environ: str) -> Seat:
        """Start `nola` at a terminal of its own."""
        return Seat([self._command, *arguments], self.environ(**environ))

    def knows(self, **facts: object) -> None:
        """Write user.json the way an editor does."""
        born = json.loads((ROOT / "state" / "user.json").read_text(encoding="utf-8"))
        folder = self.home / "state"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "user.json").write_text(json.dumps({**born, "data": facts}, indent=2), encoding="utf-8")

    def copy_to(self, home: Path) -> Machine:
        """Return a second machine with a copy of this one's home."""
        shutil.copytree(self.home, home)
        return Machine(home, Path(self._command), **self._environ)

    def processes(self) -> list[str]:
        """List the processes that were started on this machine and still run, whoever their parent is."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("NOLA_HOME") == str(self.home) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(" ".join(process.cmdline()))
            except psutil.Error:  # somebody else's, or gone meanwhile
                continue
        return found


class Started(Running):
    """A command under way; as a context manager it is gone at the end."""

    def end(self) -> Said:
        """Wait for its end; return what it said."""
        out, err = self.finish(_PATIENCE_S)
        said = Said(out, err, self.process.returncode)
        assert "Traceback" not in said.out + said.err, said
        return said


class Seat:
    """A person at a terminal, on which a command runs as its first process; as a context manager it is gone at the end.

    Args:
        command: What runs.
        environ: Its environment.
    """

    def __init__(self, command: list[str], environ: Mapping[str, str]) -> None:
        self._screen, terminal = pty.openpty()
        self._open = True
        self._seen = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SIT_DOWN, *command],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environ,
            start_new_session=True,
        )
        os.close(terminal)

    def __enter__(self) -> Self:
        """Sit down."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave, whatever happened."""
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def read_until(self, text: str) -> str:
        """Read the screen until this stands on it; return what came since the last time."""
        until = time.monotonic() + _PATIENCE_S
        while text not in self._seen:
            left = until - time.monotonic()
            assert left > 0, f"{text!r} never came: {self._seen!r}"
            if select.select([self._screen], [], [], left)[0]:
                self._seen += self._read()
        before, _, self._seen = self._seen.partition(text)
        assert "Traceback" not in before, before
        return before + text

    def _read(self) -> str:
        try:
            return os.read(self._screen, 65_536).decode()
        except OSError:  # nobody is left at the other end
            raise AssertionError(f"it ended: {self._seen!r}") from None

    def type(self, line: str) -> None:
        """Type a line."""
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        """Press keys, and no Enter."""
        os.write(self._screen, keys.encode())

    def hang_up(self) -> None:
        """Close the terminal."""
        if self._open:
            os.close(self._screen)
        self._open = False
