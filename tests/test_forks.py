"""Tests of nola.forks: what begins anew in a forked child."""

from __future__ import annotations

import gc
import os
import threading

from nola.forks import in_children


class Held:
    """Something with a lock."""

    begun = 0

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def begin(self) -> None:
        """Make a new lock."""
        self.lock = threading.Lock()
        type(self).begun += 1


def answered(ask: str) -> str:
    """Return what a forked child says."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, str(eval(ask)).encode())  # noqa: S307 -- a test's own words
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as file:
        return file.read()


def test_a_held_lock_is_free_in_the_child() -> None:
    """The parent keeps its own; what is gone is not called any more."""
    held = Held()
    globals()["HELD"] = held
    in_children(held, Held.begin)
    with held.lock:
        assert answered("HELD.lock.locked()") == "False"
        assert held.lock.locked()
    gone = Held()
    in_children(gone, Held.begin)
    assert answered("Held.begun") == "2"
    del gone
    gc.collect()
    assert answered("Held.begun") == "1"
