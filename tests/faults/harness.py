"""What the fault tests share: Nola in processes that can be killed, and the question whether a home is whole."""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType

__all__ = [
    "LANES",
    "QUICK",
    "ROOT",
    "SEED",
    "Child",
    "Running",
    "Said",
    "Zygote",
    "chance",
    "environ",
    "eventually",
    "in_lanes",
    "nola",
    "nothing_is",
    "rounds",
    "shown",
    "some",
    "spawn",
]

ROOT = Path(__file__).resolve().parents[2]
LANES = min(2, os.cpu_count() or 1)
QUICK = os.environ.get("NOLA_FAULTS") == "quick"
"""A tenth of the rounds, for development; the table of results says so."""

SEED = int(os.environ.get("NOLA_FAULTS_SEED") or secrets.randbits(32))
"""Where all randomness begins; NOLA_FAULTS_SEED repeats a run."""

_PATIENCE_S = 60.0
_LAST_WORDS_S = 5.0
_TENTH = 10
_SHOWN = 25
_NOLA = Path(sys.executable).with_name("nola")
_FOREIGN = ("NOLA_", "OLLAMA_", "PIP_", "_TYPER_", "PYTEST_")

T = TypeVar("T")
R = TypeVar("R")


def rounds(full: int) -> int:
    """Return how many rounds to run: all of them, or a tenth."""
    return max(1, full // _TENTH) if QUICK else full


def some(points: Sequence[T]) -> Sequence[T]:
    """Return all of these points, or every tenth of them."""
    return points[::_TENTH] if QUICK else points


def chance(seed: object, *more: object) -> random.Random:
    """Return randomness that the seed of the run repeats."""
    return random.Random(f"{seed} {more}")  # noqa: S311 -- reproducible, not secret


def environ(home: Path | None = None, **more: str) -> dict[str, str]:
    """Return an environment without network, other settings or an embedder, in which this tree's Nola runs."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN) and not k.lower().endswith("_proxy")}
    own = {
        "NOLA_EMBED_PROVIDER": "none",
        "NOLA_LLM_MODEL": "none",
        "OLLAMA_HOST": "http://127.0.0.1:9",
        "PIP_NO_INDEX": "1",
        "NO_COLOR": "1",
        "TERM": "xterm",
        "PYTHONPATH": str(ROOT),
    }
    return {**kept, **own, **({"NOLA_HOME": str(home)} if home else {}), **more}


def in_lanes(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Do independent pieces of work, two at a time; return what came of them in their order."""
    with ThreadPoolExecutor(LANES) as pool:
        return list(pool.map(work, items))


def eventually(holds: Callable[[], object], within_s: float = 30.0) -> float | None:
    """Ask again and again; return after how many seconds it came true, or None."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > within_s:
            return None
        time.sleep(0.02)
    return time.monotonic() - began


def shown(wrong: Sequence[str]) -> str:
    """Say how many promises were broken, and show the first of them."""
    return "\n".join([f"{len(wrong)} broken promises:", *wrong[:_SHOWN]])


def nothing_is(wrong: Sequence[str]) -> None:
    """Fail when anything is wrong, and show the first of it.

    Raises:
        AssertionError: Something is.
    """
    assert not wrong, shown(wrong)


@dataclass(frozen=True)
class Said:
    """What one run of a command printed, and its exit code."""

    out: str
    err: str
    code: int

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)

    @property
    def undo(self) -> str:
        """The id in the receipt."""
        return (self.out + self.err).partition("nola state undo ")[2].partition(")")[0]


def nola(
    arguments: Sequence[str],
    home: Path,
    *,
    before: Sequence[str] = (),
    umask: int = 0o022,
    text: str = "",
    patience_s: float = _PATIENCE_S,
    more: Mapping[str, str] | None = None,
) -> Said:
    """Run the real command to its end; `before` is a command that runs it, such as strace with its options."""
    done = subprocess.run(
        [*before, sys.executable, str(_NOLA), *arguments],
        input=text,
        env=environ(home, **(more or {})),
        capture_output=True,
        text=True,
        check=False,
        timeout=patience_s,
        umask=umask,
    )
    return Said(done.stdout, done.stderr, done.returncode)


class Running:
    """A command under way; as a context manager it is gone at the end.

    Args:
        command: The command.
        env: Its environment.
        umask: The mask that it starts with; that of the tests by default.

    Attributes:
        process: Its process.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str], *, umask: int = -1) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**env, "PYTHONFAULTHANDLER": "1"},
            umask=umask,
        )

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill it, whatever happened."""
        with self.process:
            self.process.kill()

    def finish(self, within_s: float) -> tuple[str, str]:
        """Wait for its end; return what it said on stdout and on stderr.

        Raises:
            AssertionError: It goes on, and the stacks of its threads are told; or a child of it holds its pipes.
        """
        try:
            out, err = self.process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired as late:
            code = self.process.poll()
            if code is None:
                raise AssertionError(f"it goes on after {within_s} s:\n{self._stacks()}") from None
            said = (late.stderr or b"").decode()
            raise AssertionError(f"it ended with {code}, and a child of it holds its pipes:\n{said}") from None
        return out.decode(), err.decode()

    def _stacks(self) -> str:
        """Let it abort, at which Python writes where each thread is; return all that stands on stderr."""
        self.process.send_signal(signal.SIGABRT)
        try:
            err = self.process.communicate(timeout=_LAST_WORDS_S)[1]
        except subprocess.TimeoutExpired as late:  # it is stopped
            err = late.stderr or b""
        return err.decode()


class Child:
    """A driver that runs; orders and answers are JSON objects, one a line.

    Args:
        pid: Its number.
        line: The test's end of the line.
        end: Waits for its end and returns its exit code.
    """

    def __init__(self, pid: int, line: socket.socket, end: Callable[[], int]) -> None:
        self.pid = pid
        self._line = line
        self._end = end
        self._code: int | None = None
        self._pidfd = os.pidfd_open(pid)
        self._alive = threading.Lock()
        self._rest = b""

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill it, whatever happened."""
        self.kill()
        self.wait()
        self._line.close()
        with self._alive:  # the number of a closed descriptor may be the next child's
            pidfd, self._pidfd = self._pidfd, -1
            os.close(pidfd)

    def send(self, do: str, **order: object) -> None:
        """Give an order, and don't wait for the answer; a child that has gone hears nothing."""
        try:
            self._line.sendall(json.dumps({"do": do, **order}).encode() + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            return

    def ask(self, do: str, *, patience_s: float = _PATIENCE_S, **order: object) -> dict[str, Any]:
        """Give an order and return the answer.

        Raises:
            AssertionError: None came.
        """
        self.send(do, **order)
        answer = self.read(patience_s)
        assert answer is not None, f"no answer to {do} {str(order)[:200]}"
        return answer

    def read(self, patience_s: float = _PATIENCE_S) -> dict[str, Any] | None:
        """Return the next answer, or None when none came in time or the child has ended."""
        until = time.monotonic() + patience_s
        while b"\n" not in self._rest:
            if not select.select([self._line], [], [], max(0.0, until - time.monotonic()))[0]:
                return None
            try:
                data = self._line.recv(1 << 20)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def read_all(self) -> list[dict[str, Any]]:
        """Return every answer up to the end of the child."""
        found = []
        while (answer := self.read()) is not None:
            found.append(answer)
        return found

    def hang_up(self) -> None:
        """Give no more orders, at which a driver ends."""
        self._line.shutdown(socket.SHUT_WR)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; a child that has gone gets none."""
        with self._alive, contextlib.suppress(ProcessLookupError):
            if self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, number)

    def kill(self) -> None:
        """End it with kill -9."""
        self.signal(signal.SIGKILL)

    def wait(self, patience_s: float = _PATIENCE_S) -> int:
        """Wait for its end and return its exit code, negative for a signal.

        Raises:
            AssertionError: It goes on.
        """
        if self._code is None:
            assert select.select([self._pidfd], [], [], patience_s)[0], "the child does not end"
            self._code = self._end()
        return self._code


class Zygote:
    """Makes children that have Nola loaded already, each a process of its own that can be killed."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.drivers.zygote", str(theirs.fileno())],
            env=environ(),
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self._one_at_a_time = threading.Lock()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it and every child that is left."""
        self._line.close()
        self._process.kill()
        self._process.wait()

    def child(self, driver: str, *arguments: str, umask: int = 0o022) -> Child:
        """Start a driver; what it prints is shown when a test fails."""
        line, theirs = socket.socketpair()
        request = {"driver": driver, "arguments": arguments, "umask": umask}
        with self._one_at_a_time:
            socket.send_fds(self._line, [json.dumps(request).encode()], [theirs.fileno()])
            pid = self._answer()
        theirs.close()
        return Child(pid, line, lambda: self._wait(pid))

    def desk(self, home: Path, *, settings: Mapping[str, str] | None = None, umask: int = 0o022) -> Child:
        """Start a process that has Nola open in a home and waits for orders."""
        child = self.child("desk", str(home), json.dumps(settings or {}), umask=umask)
        assert child.read() == {"ok": True}
        return child

    def _wait(self, pid: int) -> int:
        with self._one_at_a_time:
            self._line.sendall(json.dumps({"wait": pid}).encode())
            return self._answer()

    def _answer(self) -> int:
        data = b""
        while not data.endswith(b"\n"):
            assert select.select([self._line], [], [], _PATIENCE_S)[0], "the zygote does not answer"
            more = self._line.recv(64)
            assert more, "the zygote has ended"
            data += more
        return int(data)


def spawn(command: Sequence[str], env: Mapping[str, str] | None = None) -> Child:
    """Start any driver by its command line, for example one that `unshare` wraps."""
    line, theirs = socket.socketpair()
    process = subprocess.Popen(command, stdin=theirs.fileno(), stdout=2, env=env or environ())
    theirs.close()
    return Child(process.pid, line, process.wait)
