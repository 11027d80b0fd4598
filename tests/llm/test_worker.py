"""Tests of the worker process by itself, with a stub engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nola.llm.embedded import WORKER
from nola.llm.process import EndedError, LineProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def worker(stub_engine: None) -> Iterator[LineProcess]:
    """A worker that was started and told nothing yet."""
    del stub_engine
    process = LineProcess(WORKER)
    yield process
    process.stop()


def load(gguf: Path, tmp_path: Path, idle_seconds: float = 0) -> dict[str, Any]:
    """The first line for a worker."""
    folder = tmp_path / "worker"
    folder.mkdir()
    setup = {"path": str(gguf), "window": 512, "threads": 1, "idle_seconds": idle_seconds, "folder": str(folder)}
    return {"load": setup}


def ask(number: int, text: str) -> dict[str, Any]:
    """A chat request."""
    return {"id": number, "chat": {"messages": [{"role": "user", "content": text}]}}


def test_protocol(worker: LineProcess, gguf: Path, tmp_path: Path) -> None:
    """A worker loads, answers in pieces, ends on `quit` and removes its folder."""
    worker.send(load(gguf, tmp_path))
    assert worker.receive(10.0) == {"ready": True}
    worker.send(ask(1, "say one"))
    assert worker.receive(10.0) == {"id": 1, "text": "one "}
    assert worker.receive(10.0) == {"id": 1, "done": {"prompt_tokens": 7, "reply_tokens": 3, "stop": "stop"}}
    worker.send({"quit": True})
    with pytest.raises(EndedError) as caught:
        worker.receive(10.0)
    assert caught.value.code == 0
    assert not (tmp_path / "worker").exists()


def test_ends_with_its_parent_in_mid_answer(worker: LineProcess, gguf: Path, tmp_path: Path) -> None:
    """A worker whose stdin closes ends within a second, also while the engine is busy and deaf."""
    worker.send(load(gguf, tmp_path))
    worker.send(ask(1, "deaf one"))
    assert worker.receive(10.0) == {"ready": True}
    assert worker.receive(10.0) == {"id": 1, "text": "one "}
    assert worker._process.stdin
    worker._process.stdin.close()
    assert worker._process.wait(1.0) == 0


def test_cancel_before_its_turn(worker: LineProcess, gguf: Path, tmp_path: Path) -> None:
    """A request that was cancelled before its turn is answered without asking the engine."""
    worker.send(load(gguf, tmp_path))
    worker.send(ask(1, "forever"))
    worker.send(ask(2, "forever"))
    worker.send({"cancel": 2})
    worker.send({"cancel": 1})
    worker.receive(10.0)
    stops = {(a := worker.receive(10.0))["id"]: a["done"]["stop"] for _ in range(2) if True}
    assert stops == {1: "cancelled", 2: "cancelled"}


def test_idle_time_does_not_end_a_busy_worker(worker: LineProcess, gguf: Path, tmp_path: Path) -> None:
    """The idle time runs only while nothing is being answered."""
    worker.send(load(gguf, tmp_path, idle_seconds=0.02))
    worker.send(ask(1, "forever one"))
    worker.receive(10.0)
    worker.receive(10.0)
    with pytest.raises(TimeoutError):
        worker.receive(0.2)
    worker.send({"cancel": 1})
    assert worker.receive(10.0)["done"]["stop"] == "cancelled"
    with pytest.raises(EndedError):
        worker.receive(10.0)


def test_ends_when_told_nothing(worker: LineProcess) -> None:
    """A worker whose stdin closes before the first line ends."""
    assert worker._process.stdin
    worker._process.stdin.close()
    assert worker._process.wait(5.0) == 0
