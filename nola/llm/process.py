"""A child process that speaks JSON lines over its stdin and stdout; its last words on stderr are kept."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import orjson

from nola.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["EndedError", "LineProcess"]

_READ_BYTES = 65_536
_KEPT_BYTES = 4_000


class EndedError(Exception):
    """The process ended, or closed its stdout.

    Attributes:
        code: Its exit code; negative for the signal that killed it.
        last_words: The end of what it wrote on stderr.
    """

    def __init__(self, code: int, last_words: str) -> None:
        super().__init__(f"exit code {code}")
        self.code = code
        self.last_words = last_words


class LineProcess:
    """A running child. One thread receives; any thread may send or kill."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it, in a session of its own, so that Ctrl-C does not reach it.

        Args:
            command: Program and arguments.

        Raises:
            OSError: It could not be started.
        """
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
        self._clock = SystemClock()
        self._send_lock = threading.Lock()
        self._rest = b""
        self._errors = b""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def alive(self) -> bool:
        """Tell whether it still runs."""
        return self._process.poll() is None

    def send(self, message: dict[str, Any]) -> None:
        """Write one line.

        Raises:
            EndedError: It does not listen any more.
        """
        data = memoryview(orjson.dumps(message) + b"\n")
        try:
            with self._send_lock:
                while data:
                    data = data[os.write(_fd(self._process.stdin), data) :]
        except (OSError, ValueError):
            raise self._ended() from None

    def receive(self, timeout_s: float) -> dict[str, Any]:
        """Return its next line.

        Raises:
            TimeoutError: None came within `timeout_s` seconds.
            EndedError: It ended, or said something that is no JSON object.
        """
        until = self._clock.monotonic() + timeout_s
        while b"\n" not in self._rest:
            self._wait(until - self._clock.monotonic())
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            message: dict[str, Any] = orjson.loads(line)
        except orjson.JSONDecodeError:
            self.kill()
            raise self._ended() from None
        return message

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def stop(self, patience_s: float = 1.0) -> None:
        """Close its stdin, which asks it to end; kill it when it does not, and wait until it is gone."""
        with contextlib.suppress(OSError), self._send_lock:
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream:
                stream.close()

    def _wait(self, timeout_s: float) -> None:
        out, err = _fd(self._process.stdout), _fd(self._process.stderr)
        ready, _, _ = select.select([out, err], [], [], max(0.0, timeout_s))
        if not ready:
            raise TimeoutError
        if out in ready:
            piece = os.read(out, _READ_BYTES)
            self._rest += piece
            if not piece:
                raise self._ended()
        else:
            self._errors = (self._errors + os.read(err, _READ_BYTES))[-_KEPT_BYTES:]

    def _ended(self) -> EndedError:
        """Read what is left on stderr and reap it."""
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        if self._process.stderr and not self._process.stderr.closed:
            while piece := self._process.stderr.read(_READ_BYTES):
                self._errors = (self._errors + piece)[-_KEPT_BYTES:]
        return EndedError(self._process.returncode, self._errors.decode("utf-8", "replace").strip())


def _fd(stream: Any) -> int:
    fd: int = stream.fileno()
    return fd
