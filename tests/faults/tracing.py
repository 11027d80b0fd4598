"""strace around one order: which system calls it makes, and what happens when one of them kills or fails."""

from __future__ import annotations

import contextlib
import re
import select
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.faults.harness import environ

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.harness import Child

__all__ = [
    "Call",
    "attached",
    "calls_of",
    "opened_for_writing",
    "parse",
    "paths_of",
    "saw",
    "threads",
    "traced",
    "why_no_strace",
]

_LINE = re.compile(r"^(?:(\d+)\s+)?(\w+)\((.*)$")
_WRITING = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")
_PATIENCE_S = 20.0


@dataclass(frozen=True)
class Call:
    """One system call of a trace.

    Attributes:
        thread: Who made it.
        name: For example `openat`.
        nth: The how-manieth call of this name it was in its thread, from 1; strace counts in the same way.
        text: Its arguments and result as strace shows them, with the paths of file descriptors.
    """

    thread: int
    name: str
    nth: int
    text: str

    def touches(self, home: Path) -> bool:
        """Tell whether it is about a file below a folder."""
        return str(home) in self.text


@cache
def why_no_strace() -> str:
    """Say why processes can't be traced here; empty when they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(
        ["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False, env=environ()
    )
    return "" if done.returncode == 0 else f"strace may not trace here: {done.stderr.strip()[:80]}"


def threads(pid: int) -> list[int]:
    """Return the numbers of a process's threads: its first one, then those that flush files, in the order of birth."""
    return sorted(int(path.name) for path in Path(f"/proc/{pid}/task").iterdir())


@contextlib.contextmanager
def attached(child: Child, log: Path, *options: str, thread: int | None = None) -> Iterator[None]:
    """Trace a running child meanwhile; what strace saw stands in `log` afterwards.

    Args:
        child: Who is traced.
        log: Where strace writes.
        options: More options; strace counts `when=` for each thread by itself.
        thread: Only the how-manieth of its threads, from 0; None for all of them.
    """
    whom = ["-f", "-p", str(child.pid)] if thread is None else ["-p", str(threads(child.pid)[thread])]
    command = ["strace", "-y", "-s", "0", "-o", str(log), *whom, *options]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ())
    try:
        assert tracer.stderr is not None
        assert select.select([tracer.stderr], [], [], _PATIENCE_S)[0], "strace does not attach"
        said = tracer.stderr.readline()
        assert "attached" in said, said
        yield
    finally:
        tracer.send_signal(signal.SIGINT)  # it lets the child go on
        try:
            tracer.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            tracer.kill()
            tracer.communicate()


def saw(log: Path, text: str, *, within_s: float = _PATIENCE_S) -> bool:
    """Wait until a text stands in the log of a tracer that runs; return whether it came."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        if log.exists() and text in log.read_text(encoding="utf-8", errors="replace"):
            return True
        time.sleep(0.002)
    return False


def traced(child: Child, log: Path, do: str, **order: Any) -> list[list[Call]]:
    """Have a child carry out one order under strace; return the calls of each of its threads up to the answer."""
    known = threads(child.pid)
    with attached(child, log):
        answer = child.ask(do, **order)
        assert answer["ok"], answer
        assert saw(log, "sendto(0<"), "strace did not see the answer"
    calls = calls_of(log.read_text(encoding="utf-8", errors="replace"))
    return [[call for call in calls if call.thread == thread] for thread in known]


def calls_of(log: str) -> list[Call]:
    """Return the calls of a log up to the first one that sends on the line, which is the answer."""
    found = parse(log)
    end = next(
        (at for at, call in enumerate(found) if call.name == "sendto" and call.text.startswith("0<")), len(found)
    )
    return found[: end + 1]


def parse(log: str) -> list[Call]:
    """Return all calls of a log; the second halves of interrupted ones are left out."""
    found: list[Call] = []
    counts: dict[tuple[int, str], int] = {}
    for line in log.splitlines():
        match = _LINE.match(line)
        if match:
            key = (int(match[1] or 0), match[2])
            counts[key] = counts.get(key, 0) + 1
            found.append(Call(key[0], match[2], counts[key], match[3]))
    return found


def opened_for_writing(calls: list[Call]) -> list[str]:
    """Return the real paths of every file that was opened for writing, or made."""
    found = []
    for call in calls:
        if " = -1 " in call.text:
            continue
        if call.name in {"open", "openat", "openat2", "creat"} and _WRITING.search(call.text):
            found += re.findall(r"= \d+<([^>]*)>", call.text)
    return found


def paths_of(call: Call) -> list[str]:
    """Return the paths that a call names, each below the folder that its descriptor is open on."""
    found = []
    for folder, name in re.findall(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"', call.text):
        found.append(name if name.startswith("/") else f"{folder}/{name}")
    return found
