"""Tests of whether a process lives."""

from __future__ import annotations

import os
import subprocess
import sys

from nola.daemon.processes import lives


def test_this_process_lives() -> None:
    """And so does one of another user."""
    assert lives(os.getpid())
    assert lives(1)


def test_what_is_no_process_does_not_live() -> None:
    """Numbers that no process has, and the kernel's words for several at once."""
    assert not any(map(lives, (0, -1, 2**22 + 1, 2**70)))


def test_a_process_that_waits_to_be_buried_does_not_live() -> None:
    """Ended, and not yet asked for its exit code."""
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not lives(process.pid)
    process.communicate()
    assert not lives(process.pid)
