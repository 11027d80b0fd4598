"""A process that does not end in its time leaves a trace of why."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.faults.harness import Running, environ, eventually

pytestmark = pytest.mark.faults

STUCK = """
import sys, threading
def waits_for_ever():
    print("there", file=sys.stderr, flush=True)
    threading.Event().wait()
thread = threading.Thread(target=waits_for_ever)
thread.start()
thread.join()
"""


def test_a_process_that_goes_on_tells_where() -> None:
    """The stack of each thread stands in the error, and the process is gone."""
    with Running([sys.executable, "-c", STUCK], environ()) as running:
        with pytest.raises(AssertionError, match="it goes on after 1") as caught:
            running.finish(1.0)
        assert running.process.returncode == -signal.SIGABRT
    assert str(caught.value).count("(most recent call first)") == 2
    assert "there\n" in str(caught.value)
    assert "in waits_for_ever" in str(caught.value)


def test_a_process_whose_child_holds_its_pipes_is_told_apart() -> None:
    """It has ended, and nobody would see that by waiting for the end of what it says."""
    with (
        Running(["sh", "-c", "echo said >&2; sleep 3 & exit 7"], environ()) as running,
        pytest.raises(AssertionError, match="it ended with 7, and a child of it holds its pipes:\nsaid"),
    ):
        running.finish(1.0)


def test_what_comes_true_is_noticed_and_what_does_not_is_told() -> None:
    """The seconds that it took, or None."""
    left = iter([False, False, True])
    took = eventually(lambda: next(left))
    assert took is not None
    assert took < 30
    assert eventually(lambda: False, 0.1) is None
