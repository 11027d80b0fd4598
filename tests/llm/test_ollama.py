"""Tests of the Ollama model against a wire-level fake of its server."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from nola.errors import ModelError
from nola.flow import Message, ModelRef, Usage
from nola.llm.base import CANCELLED, ChatOptions, Chunk, TooLongError
from nola.llm.ollama import OllamaModel
from nola.llm.ollama_server import OllamaServer
from nola.settings import OllamaSettings
from nola.types import Role
from tests.llm.fake_ollama import DONE, SHOWN, FakeOllama, Wire, word

if TYPE_CHECKING:
    from collections.abc import Callable

HELLO = [Message(Role.SYSTEM, "You are Nola."), Message(Role.USER, "hello")]


def model(fake: FakeOllama, name: str = "llama3.2:3b", **settings: Any) -> OllamaModel:
    """A model of the fake server."""
    return OllamaModel(OllamaServer(OllamaSettings(host=fake.url, **settings)), name)


def ask(m: OllamaModel) -> list[Chunk]:
    """All pieces of a reply."""
    return list(m.chat(HELLO, options=ChatOptions(reply_tokens=100, temperature=0.5, top_p=0.8, seed=7)))


def failure(fake: FakeOllama, chat: Callable[[Wire], None], **settings: Any) -> ModelError:
    """The error with which a reply fails."""
    fake.chat = chat
    with pytest.raises(ModelError) as caught:
        ask(model(fake, **settings))
    return caught.value


def test_stream(fake: FakeOllama) -> None:
    """A reply arrives piece by piece and ends with the usage that the server counted."""
    chunks = ask(model(fake))
    assert [c.text for c in chunks] == ["Your dog ", "is ", "Biscuit.", ""]
    assert chunks[-1] == Chunk("", done=True, usage=Usage(26, 3, "stop"))
    assert model(fake).ref == ModelRef("ollama", "llama3.2:3b")


def test_request(fake: FakeOllama) -> None:
    """The request is native, with one explicit window, no silent cut, and the options that were given."""
    ask(model(fake))
    assert fake.sent("/api/chat") == [
        {
            "model": "llama3.2:3b",
            "messages": [{"role": "system", "content": "You are Nola."}, {"role": "user", "content": "hello"}],
            "stream": True,
            "truncate": False,
            "shift": False,
            "keep_alive": "5m",
            "options": {"num_ctx": 8192, "num_predict": 100, "temperature": 0.5, "top_p": 0.8, "seed": 7},
        }
    ]


def test_no_seed_and_numeric_keep_alive(fake: FakeOllama) -> None:
    """A negative seed is left out, and a keep_alive without a unit is sent as a number."""
    m = model(fake, keep_alive="-1")
    list(m.chat(HELLO, options=ChatOptions(seed=-1)))
    (sent,) = fake.sent("/api/chat")
    assert "seed" not in sent["options"]
    assert sent["keep_alive"] == -1


@pytest.mark.parametrize(
    ("capabilities", "family", "think", "sent"),
    [
        (["completion"], "llama", True, None),
        (["completion", "thinking"], "qwen3", False, False),
        (["completion", "thinking"], "qwen3", True, True),
        (["completion", "thinking"], "gptoss", False, "low"),
    ],
)
def test_think(fake: FakeOllama, capabilities: list[str], family: str, think: bool, sent: object) -> None:  # noqa: FBT001
    """Only a model that can think is told whether to, and one that takes levels gets a level."""
    info = {"general.architecture": family, f"{family}.context_length": 4096}
    fake.shown["llama3.2:3b"] = SHOWN | {"capabilities": capabilities, "model_info": info}
    ask(model(fake, think=think))
    assert fake.sent("/api/chat")[0].get("think") == sent


def test_thinking_is_kept_apart(fake: FakeOllama) -> None:
    """Thoughts arrive beside the text."""

    def chat(wire: Wire) -> None:
        wire.start()
        wire.line({"message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": False})
        wire.line(DONE)
        wire.end()

    fake.chat = chat
    assert ask(model(fake))[0] == Chunk("", thinking="hm")


def test_missing_counts(fake: FakeOllama) -> None:
    """Counts that the server leaves out are unknown, not zero."""

    def chat(wire: Wire) -> None:
        wire.start()
        wire.line({"message": {"content": "ok"}, "done": True})
        wire.end()

    fake.chat = chat
    assert ask(model(fake)) == [Chunk("ok", done=True, usage=Usage(None, None, ""))]


def test_unknown_model(fake: FakeOllama) -> None:
    """A missing model is named, with the command that fetches it."""
    with pytest.raises(ModelError, match="no model called 'nope'") as caught:
        ask(model(fake, "nope"))
    assert caught.value.fix == "fetch it with: ollama pull nope"


def test_model_gone_between_show_and_chat(fake: FakeOllama) -> None:
    """A 404 of the chat itself says the same."""
    error = failure(fake, lambda wire: wire.error(404, "model 'llama3.2:3b' not found"))
    assert error.fix == "fetch it with: ollama pull llama3.2:3b"


@pytest.mark.parametrize(
    "text",
    [
        "the prompt is longer than the context length currently available to the model; shorten it",
        "the request exceeds the available context size. try increasing the context size",
    ],
)
def test_too_long(fake: FakeOllama, text: str) -> None:
    """A prompt that does not fit is an error of its own, whichever engine found it."""
    error = failure(fake, lambda wire: wire.error(400, text))
    assert isinstance(error, TooLongError)
    assert error.too_long
    assert error.window == 8192


@pytest.mark.parametrize(
    ("status", "text", "said"),
    [
        (400, '"llama3.2:3b" does not support thinking', 'refused (400): "llama3.2:3b" does not support thinking'),
        (403, "", "refused (403): it gave no reason"),
        (500, "model requires more system memory", "failed to run llama3.2:3b: model requires more system memory"),
        (503, "server busy, please try again. maximum pending requests exceeded", "its queue is full"),
    ],
)
def test_status(fake: FakeOllama, status: int, text: str, said: str) -> None:
    """Every other status becomes one sentence with the server's reason, and a fix."""
    error = failure(fake, lambda wire: wire.error(status, text))
    assert said in str(error)
    assert error.fix
    assert not isinstance(error, TooLongError)


def test_status_without_json(fake: FakeOllama) -> None:
    """A proxy's page instead of JSON is quoted."""
    assert "Bad Gateway" in str(failure(fake, lambda wire: wire.whole(502, b"Bad Gateway")))


def _mid_stream_error(wire: Wire) -> None:
    wire.start()
    wire.line(word("Your dog "))
    wire.line({"error": "an error was encountered while running the model"})
    wire.end()


def _cut(wire: Wire) -> None:
    wire.start()
    wire.line(word("Your dog "))
    wire.cut()


def _ends_early(wire: Wire) -> None:
    wire.start()
    wire.line(word("Your dog "))
    wire.end()


def _garbage(wire: Wire) -> None:
    wire.start()
    wire.line(word("Your dog "))
    wire.raw(b"<html>\n")
    wire.end()


def _no_object(wire: Wire) -> None:
    wire.start()
    wire.line(word("Your dog "))
    wire.raw(b"[1]")
    wire.end()


@pytest.mark.parametrize(
    ("chat", "said"),
    [
        (_mid_stream_error, "broke off: an error was encountered"),
        (_cut, "broke off in mid-answer"),
        (_ends_early, "broke off in mid-answer"),
        (_garbage, "unreadable"),
        (_no_object, "unreadable"),
    ],
)
def test_partial_is_kept(fake: FakeOllama, chat: Callable[[Wire], None], said: str) -> None:
    """Whatever breaks a reply off, what had arrived is kept."""
    error = failure(fake, chat)
    assert said in str(error)
    assert error.partial == "Your dog "


def test_empty_stream(fake: FakeOllama) -> None:
    """A stream without a single line is an error, not an empty answer."""

    def chat(wire: Wire) -> None:
        wire.start()
        wire.end()

    error = failure(fake, chat)
    assert "before any answer" in str(error)
    assert error.partial == ""


def test_line_in_two_pieces(fake: FakeOllama) -> None:
    """A JSON line that arrives in two pieces is put together."""

    def chat(wire: Wire) -> None:
        wire.start()
        wire.raw(b'{"message": {"content": "Bis')
        wire.raw(b'cuit"}, "done": true}\n')
        wire.end()

    fake.chat = chat
    assert ask(model(fake))[0].text == "Biscuit"


def test_silence(fake: FakeOllama) -> None:
    """A server that says nothing for longer than the read timeout is given up."""
    error = failure(fake, lambda wire: wire.wait_for_hang_up(), read_timeout=0.05)
    assert "was silent for 0.05 s" in str(error)
    assert fake.hung_up.wait(1.0)


def test_nothing_listens(fake: FakeOllama) -> None:
    """Without a server the sentence names the address and the command that starts it."""
    m = model(fake)
    m.window()
    fake.stop()
    with pytest.raises(ModelError, match=f"no Ollama answers at {fake.url}") as caught:
        ask(m)
    assert caught.value.fix == "start it with: ollama serve"
    with pytest.raises(ModelError, match="no Ollama answers"):
        model(fake).window()


def test_closing_hangs_up(fake: FakeOllama) -> None:
    """Closing the generator closes the connection within a second."""

    def chat(wire: Wire) -> None:
        wire.start()
        wire.line(word("one"))
        wire.wait_for_hang_up()

    fake.chat = chat
    chunks = model(fake).chat(HELLO, options=ChatOptions())
    assert next(chunks).text == "one"
    chunks.close()  # type: ignore[attr-defined]
    assert fake.hung_up.wait(1.0)


@pytest.mark.parametrize("begun", [True, False])
def test_cancel_from_another_thread(fake: FakeOllama, begun: bool) -> None:  # noqa: FBT001
    """Cancelling wakes a reader that waits, before or after the first byte, and the reply ends as cancelled."""

    def chat(wire: Wire) -> None:
        if begun:
            wire.start()
            wire.line(word("one"))
        wire.wait_for_hang_up()

    fake.chat = chat
    m = model(fake)
    got: list[Chunk] = []
    reader = threading.Thread(target=lambda: got.extend(ask(m)))
    reader.start()
    assert fake.reached.wait(5.0)
    m.cancel()
    reader.join(1.0)
    assert not reader.is_alive()
    assert fake.hung_up.wait(1.0)
    assert got[-1] == Chunk("", done=True, usage=Usage(stop_reason=CANCELLED))


def test_cancel_before_is_no_cancel(fake: FakeOllama) -> None:
    """Cancelling when nothing is under way does nothing to the next reply."""
    m = model(fake)
    m.cancel()
    m.close()
    assert ask(m)[-1].done


@pytest.mark.parametrize(
    ("shown", "setting", "window"),
    [
        ({}, 8192, 8192),
        ({"model_info": {"general.architecture": "llama", "llama.context_length": 2048}}, 8192, 2048),
        ({"parameters": 'stop "x"\nnum_ctx                        4096'}, 8192, 4096),
        ({"model_info": {}, "details": {"family": "llama"}}, 512, 512),
    ],
)
def test_window(fake: FakeOllama, shown: dict[str, Any], setting: int, window: int) -> None:
    """The window is the least of the setting, the trained one and the Modelfile's."""
    fake.shown["llama3.2:3b"] = SHOWN | shown
    assert model(fake, num_ctx=setting).window() == window


@pytest.mark.parametrize(
    ("ps", "window"),
    [
        ([{"model": "llama3.2:3b", "name": "llama3.2:3b", "context_length": 4096}], 4096),
        ([{"model": "llama3.2:3b", "name": "llama3.2:3b", "size": 5}], 8192),
        ([], 8192),
    ],
)
def test_actual_window(fake: FakeOllama, ps: list[dict[str, Any]], window: int) -> None:
    """After a reply the loaded model's actual window counts, where the server tells it (old ones do not)."""
    fake.ps = ps
    m = model(fake)
    assert m.window() == 8192
    ask(m)
    assert m.window() == window
    assert m.window() == window
    assert sum(path == "/api/ps" for path, _ in fake.requests) == 1


@pytest.mark.parametrize(
    ("template", "modelfile", "warned"),
    [
        ("{{ .Prompt }}", "FROM x", True),
        ("{{.Prompt}}", "FROM x", True),
        ("{{ .Prompt }}", "FROM x\nRENDERER qwen3-coder\n", False),
        ("{{ .System }} {{ .Prompt }}", "FROM x", False),
    ],
)
def test_model_without_template(fake: FakeOllama, template: str, modelfile: str, warned: bool) -> None:  # noqa: FBT001
    """A model whose template drops the system prompt is warned about, unless Ollama renders it by itself."""
    fake.shown["llama3.2:3b"] = SHOWN | {"template": template, "modelfile": modelfile}
    assert any("no chat template" in w for w in model(fake).warnings) == warned


def test_capabilities(fake: FakeOllama) -> None:
    """Capabilities come from the server; an old one that has none is taken for one that completes."""
    assert model(fake).capabilities == {"completion", "tools"}
    fake.shown["old"] = {"template": "x {{ .System }}", "details": {}}
    assert model(fake, "old").capabilities == {"completion"}
    assert model(fake, "old").window() == 8192
