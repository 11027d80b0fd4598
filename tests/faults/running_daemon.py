"""A real daemon that runs while a test looks on; it is gone at the end, whatever happened."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.harness import environ

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["running_daemon"]

_PATIENCE_S = 30.0
_COMMAND = Path(sys.executable).with_name("nola")


@contextlib.contextmanager
def running_daemon(home: Path, *, umask: int = 0o022, before: Sequence[str] = ()) -> Iterator[str]:
    """Run `nola daemon run` meanwhile; yield what it said up to its being ready, or its end.

    Args:
        home: Nola's folder.
        umask: The mask that it starts with.
        before: A command that runs it, such as strace with its options.
    """
    process = subprocess.Popen(
        [*before, sys.executable, str(_COMMAND), "daemon", "run"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environ(home),
        umask=umask,
    )
    assert process.stderr is not None
    said = ""
    try:
        until = time.monotonic() + _PATIENCE_S
        while "ready" not in said and time.monotonic() < until:
            if select.select([process.stderr], [], [], 0.1)[0]:
                more = os.read(process.stderr.fileno(), 65_536).decode()
                if not more:
                    break
                said += more
        yield said
        process.terminate()
        process.wait(_PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
