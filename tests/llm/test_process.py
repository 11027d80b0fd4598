"""Tests of the child process that speaks JSON lines."""

from __future__ import annotations

import sys

import pytest

from nola.llm.process import EndedError, LineProcess

ECHO = "import sys\nfor line in sys.stdin: print(line.strip(), flush=True)"


def child(code: str) -> LineProcess:
    """A Python child that runs this code."""
    return LineProcess([sys.executable, "-c", code])


def test_echo() -> None:
    """What is sent comes back, and the child ends when its stdin closes."""
    process = child(ECHO)
    process.send({"a": 1})
    process.send({"b": "x" * 300_000})
    assert process.receive(5.0) == {"a": 1}
    assert len(process.receive(5.0)["b"]) == 300_000
    assert process.alive()
    process.stop()
    assert not process.alive()


def test_silence() -> None:
    """A child that says nothing in time is told by TimeoutError, and goes on living."""
    process = child(ECHO)
    with pytest.raises(TimeoutError):
        process.receive(0.01)
    assert process.alive()
    process.stop()


def test_last_words() -> None:
    """A child that ends leaves its code and the end of its stderr."""
    process = child("import sys; sys.stderr.write('x' * 9000 + ' out of memory'); sys.exit(7)")
    with pytest.raises(EndedError) as caught:
        process.receive(5.0)
    assert caught.value.code == 7
    assert caught.value.last_words.endswith("out of memory")
    assert len(caught.value.last_words) <= 4000
    with pytest.raises(EndedError):
        process.send({})
    process.stop()
    with pytest.raises(EndedError):
        process.send({})


def test_stubborn() -> None:
    """A child that does not end when it is asked to is killed."""
    process = child("import signal, time\nprint('{}', flush=True)\nwhile True: signal.pause()")
    process.receive(5.0)
    process.stop(patience_s=0.05)
    assert not process.alive()


def test_garbage() -> None:
    """A child that says something else than JSON is ended."""
    process = child("print('hello', flush=True); input()")
    with pytest.raises(EndedError):
        process.receive(5.0)
    process.stop()
