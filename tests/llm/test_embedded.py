"""Tests of the embedded model: the worker process with a stub engine, and the real small model."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nola.errors import ModelError
from nola.flow import Message, ModelRef, Usage
from nola.llm.base import CANCELLED, ChatOptions, Chunk, TooLongError
from nola.llm.embedded import WORKER, EmbeddedModel, can_run
from nola.settings import EmbeddedSettings
from nola.types import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SETTINGS: dict[str, Any] = {"threads": 1, "start_timeout": 30.0, "read_timeout": 30.0}
SILENT = "import sys; print('{\"ready\": true}', flush=True); sys.stdin.read()"


@pytest.fixture
def make() -> Iterator[Callable[..., EmbeddedModel]]:
    """Makes embedded models and closes them at the end."""
    made: list[EmbeddedModel] = []

    def maker(path: Path, command: Sequence[str] = WORKER, **settings: Any) -> EmbeddedModel:
        model = EmbeddedModel("tiny", path, EmbeddedSettings(**(SETTINGS | settings)), command=command)
        made.append(model)
        return model

    yield maker
    for model in made:
        model.close()


@pytest.fixture
def tiny(make: Callable[..., EmbeddedModel], gguf: Path, stub_engine: None) -> EmbeddedModel:
    """A model on the stub engine."""
    del stub_engine
    return make(gguf)


def chat(model: EmbeddedModel, text: str) -> Iterator[Chunk]:
    """A reply to one message."""
    return model.chat([Message(Role.USER, text)], options=ChatOptions())


def pid(model: EmbeddedModel) -> int:
    """The worker's process id."""
    assert model._worker
    return model._worker.pid


def test_stream(tiny: EmbeddedModel) -> None:
    """A reply arrives piece by piece and ends with what the model counted; a second uses the same worker."""
    assert list(chat(tiny, "say one two")) == [
        Chunk("one "),
        Chunk("two "),
        Chunk("", done=True, usage=Usage(7, 3, "stop")),
    ]
    first = pid(tiny)
    assert len(list(chat(tiny, "again"))) == 2
    assert pid(tiny) == first
    assert tiny.ref == ModelRef("embedded", "tiny")


def test_window(make: Callable[..., EmbeddedModel], gguf: Path) -> None:
    """The window is the setting's, at most the trained one."""
    assert make(gguf).window() == 2048
    assert make(gguf, window=512).window() == 512


def test_not_loaded_before_first_use(tiny: EmbeddedModel) -> None:
    """Making a model, asking its window and closing it start nothing."""
    tiny.window()
    tiny.cancel()
    tiny.close()
    assert tiny._worker is None


def test_too_long(tiny: EmbeddedModel) -> None:
    """A prompt that does not fit is an error of its own, with the counts; the worker stays."""
    with pytest.raises(TooLongError, match="9000 of 4096") as caught:
        list(chat(tiny, "too-long"))
    assert caught.value.prompt_tokens == 9000
    assert list(chat(tiny, "ok"))


@pytest.mark.parametrize(
    ("command", "said"),
    [("die", "was killed"), ("abort", r"code 3\): ggml_abort: out of nothing"), ("raise", "the binding is cross")],
)
def test_crash(tiny: EmbeddedModel, command: str, said: str) -> None:
    """A crash of the worker is an error that keeps what had arrived, and the next chat works."""
    with pytest.raises(ModelError, match=said) as caught:
        list(chat(tiny, f"{command} Your dog"))
    assert caught.value.partial == "Your dog "
    assert caught.value.fix
    assert next(chat(tiny, "say hello")) == Chunk("hello ")


def test_killed_between_chats(tiny: EmbeddedModel) -> None:
    """A worker that was killed while idle is started again without anybody noticing."""
    list(chat(tiny, "one"))
    first = pid(tiny)
    os.kill(first, signal.SIGKILL)
    assert next(chat(tiny, "say two")) == Chunk("two ")
    assert pid(tiny) != first


def test_bad_model(make: Callable[..., EmbeddedModel], tmp_path: Path, stub_engine: None) -> None:
    """A file that can't be loaded is told with the engine's first reason."""
    del stub_engine
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"hello")
    model = EmbeddedModel("bad", path, EmbeddedSettings(**SETTINGS), trained_window=512)
    with pytest.raises(ModelError, match="bad could not be loaded: invalid magic characters"):
        list(chat(model, "x"))
    with pytest.raises(ModelError, match="is no GGUF model file"):
        list(chat(make(path), "x"))


def test_closing_frees_the_worker(tiny: EmbeddedModel) -> None:
    """Closing a reply stops the generation, and the same worker answers the next message at once."""
    reply = chat(tiny, "forever one")
    assert next(reply) == Chunk("one ")
    first = pid(tiny)
    reply.close()  # type: ignore[attr-defined]
    assert next(chat(tiny, "say two")) == Chunk("two ")
    assert pid(tiny) == first


@pytest.mark.parametrize("command", ["forever", "deaf"])
def test_cancel_from_another_thread(tiny: EmbeddedModel, command: str) -> None:
    """Cancelling ends a reply within a second, by killing the worker if the engine does not heed."""
    got: list[Chunk] = []
    begun = threading.Event()

    def read() -> None:
        for chunk in chat(tiny, f"{command} one"):
            got.append(chunk)
            begun.set()

    reader = threading.Thread(target=read)
    reader.start()
    assert begun.wait(10.0)
    tiny.cancel()
    reader.join(1.0)
    assert not reader.is_alive()
    assert got[0] == Chunk("one ")
    assert got[-1].usage
    assert got[-1].usage.stop_reason == CANCELLED
    assert next(chat(tiny, "say two")) == Chunk("two ")


def test_closing_a_deaf_one(tiny: EmbeddedModel) -> None:
    """Closing a reply whose engine does not heed kills the worker."""
    reply = chat(tiny, "deaf one")
    next(reply)
    reply.close()  # type: ignore[attr-defined]
    assert tiny._worker is None


def test_close_with_an_unread_reply(tiny: EmbeddedModel) -> None:
    """Closing the model does not wait for somebody who holds a reply and does not read it."""
    reply = chat(tiny, "deaf one")
    next(reply)
    tiny.close()
    assert list(reply) == [Chunk("", done=True, usage=Usage(stop_reason=CANCELLED))]


def test_one_at_a_time(tiny: EmbeddedModel) -> None:
    """Two threads that ask at once both get their whole reply."""
    replies: dict[str, str] = {}

    def ask(word: str) -> None:
        replies[word] = "".join(c.text for c in chat(tiny, f"say {word} {word}"))

    threads = [threading.Thread(target=ask, args=(w,)) for w in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20.0)
    assert replies == {"one": "one one ", "two": "two two ", "three": "three three "}


def test_idle_worker_leaves(make: Callable[..., EmbeddedModel], gguf: Path, stub_engine: None) -> None:
    """A worker that is not used for the idle time ends by itself, and the next chat starts another."""
    del stub_engine
    model = make(gguf, idle_seconds=0.05)
    list(chat(model, "one"))
    assert model._worker
    model._worker._process.wait(10.0)
    first = pid(model)
    assert next(chat(model, "say two")) == Chunk("two ")
    assert pid(model) != first


def test_request_that_meets_a_leaving_worker(
    make: Callable[..., EmbeddedModel], gguf: Path, tmp_path: Path, stub_engine: None
) -> None:
    """A request that a worker took with it when it left for being idle is sent again to a new one."""
    del stub_engine
    flag = tmp_path / "left-once"
    code = (
        f"import os, pathlib, sys; flag = pathlib.Path({str(flag)!r})\n"
        f"if flag.exists(): os.execv({WORKER[0]!r}, {list(WORKER)!r})\n"
        "flag.touch(); take = sys.stdin.readline\n"
        "take(); print('{\"ready\": true}', flush=True)\n"
        'take(); print(\'{"id": 1, "done": {}}\', flush=True)\n'
        "take()"
    )
    model = make(gguf, command=[sys.executable, "-c", code])
    assert list(chat(model, "x")) == [Chunk("", done=True, usage=Usage())]
    assert next(chat(model, "say two")) == Chunk("two ")


@pytest.mark.parametrize(
    ("code", "settings", "said"),
    [
        ("import sys; sys.stdin.read()", {"start_timeout": 0.05}, "did not load within 0.05 s"),
        (SILENT, {"read_timeout": 0.05}, "was silent for 0.05 s"),
        ('print(\'{"failed": "No module named xllamacpp"}\')', {}, "engine is not installed"),
        ("import sys; sys.exit('torn')", {}, r"ended by itself \(code 1\): torn"),
    ],
)
def test_worker_that_misbehaves(
    make: Callable[..., EmbeddedModel], gguf: Path, code: str, settings: dict[str, Any], said: str
) -> None:
    """A worker that hangs, dies or can't load is an error in one sentence, and nothing is left running."""
    model = make(gguf, command=[sys.executable, "-c", code], **settings)
    with pytest.raises(ModelError, match=said):
        list(chat(model, "x"))
    assert model._worker is None


def test_worker_that_can_not_be_started(make: Callable[..., EmbeddedModel], gguf: Path) -> None:
    """A missing program is an error too."""
    with pytest.raises(ModelError, match="could not be started"):
        list(chat(make(gguf, command=["/no/such/program"]), "x"))


@pytest.fixture(scope="session")
def real(small_model: Path) -> Iterator[EmbeddedModel]:
    """The real small model."""
    if not can_run():
        pytest.skip("xllamacpp is not installed")
    model = EmbeddedModel("tests", small_model, EmbeddedSettings(threads=1, window=1024))
    yield model
    model.close()


@pytest.mark.models
def test_real_chat(real: EmbeddedModel) -> None:
    """The real engine answers, counts, and says the same again with the same seed."""
    question = [Message(Role.USER, "Say hello.")]
    first = list(real.chat(question, options=ChatOptions(reply_tokens=16)))
    again = list(real.chat(question, options=ChatOptions(reply_tokens=16)))
    assert "".join(c.text for c in first) == "".join(c.text for c in again) != ""
    assert first[-1].usage
    assert first[-1].usage.prompt_tokens
    assert real.count("Hello, my dog is Biscuit") == 8


@pytest.mark.models
def test_real_too_long(real: EmbeddedModel) -> None:
    """The real engine refuses a prompt that does not fit and goes on."""
    with pytest.raises(TooLongError) as caught:
        list(chat(real, "word " * 3000))
    assert caught.value.window == 1024
    assert list(chat(real, "hello"))


@pytest.mark.models
def test_real_cancel_while_reading(real: EmbeddedModel) -> None:
    """A reply is cancelled within a second also while the engine still reads a long prompt."""
    list(chat(real, "hello"))
    got: list[Chunk] = []
    reader = threading.Thread(target=lambda: got.extend(chat(real, "another fox " * 400)))
    reader.start()
    while real._active is None or not real._active.waiting:
        reader.join(0.01)
    real.cancel()
    reader.join(1.0)
    assert not reader.is_alive()
    assert [c.usage.stop_reason for c in got if c.usage] == [CANCELLED]


@pytest.mark.models
def test_real_worker_opens_no_port(real: EmbeddedModel) -> None:
    """The worker listens on no TCP port."""
    list(chat(real, "hello"))
    sockets = {str(fd.readlink()) for fd in Path(f"/proc/{pid(real)}/fd").iterdir() if fd.is_symlink()}
    listening = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        rows = [line.split() for line in Path(table).read_text(encoding="ascii").splitlines()[1:]]
        listening |= {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"}
    assert sockets.isdisjoint(listening)
