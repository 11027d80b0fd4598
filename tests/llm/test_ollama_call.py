"""Tests of one streaming call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.llm.ollama_call import BadStatusError, Call, GarbageError
from nola.llm.ollama_host import parse_host

if TYPE_CHECKING:
    from tests.llm.fake_ollama import FakeOllama, Wire


def call(fake: FakeOllama) -> Call:
    """A call of the fake server."""
    return Call(parse_host(fake.url), connect_timeout_s=1.0, read_timeout_s=5.0)


def test_lines(fake: FakeOllama) -> None:
    """The lines of an answer are yielded as objects."""
    c = call(fake)
    assert [line.get("done") for line in c.lines(b'{"model": "m"}')] == [False, False, False, True]
    assert c.connected
    assert not c.cancelled


def test_cancelled_before(fake: FakeOllama) -> None:
    """A call that was cancelled before it began sends nothing."""
    c = call(fake)
    c.cancel()
    assert list(c.lines(b"{}")) == []
    assert fake.requests == []


def test_bad_status(fake: FakeOllama) -> None:
    """Another status than 200 is an error with the server's own words."""
    fake.chat = lambda wire: wire.error(500, "out of memory")
    with pytest.raises(BadStatusError, match="out of memory") as caught:
        list(call(fake).lines(b'{"model": "m"}'))
    assert caught.value.status == 500


def test_endless_line(fake: FakeOllama) -> None:
    """A line that never ends is given up instead of filling the memory."""

    def chat(wire: Wire) -> None:
        wire.start()
        for _ in range(9):
            wire.raw(b"x" * 1_000_000)
        wire.end()

    fake.chat = chat
    with pytest.raises(GarbageError, match="without end"):
        list(call(fake).lines(b'{"model": "m"}'))
