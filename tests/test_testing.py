"""The test kit does what it says, and the tests' own guard holds."""

from __future__ import annotations

import socket
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from nola.errors import ConfigError, ModelError
from nola.flow import Message, ModelRef, Usage
from nola.llm.base import CANCELLED, ChatOptions, Chunk
from nola.llm.embedded import WORKER
from nola.testing import ManualClock, ScriptedModel, echo, make_agent
from nola.types import Role

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.llm.base import ChatModel

ASKED = [Message(Role.SYSTEM, "You are Nola."), Message(Role.USER, "hi")]


def said(model: ChatModel) -> list[str]:
    """The pieces of one reply."""
    return [chunk.text for chunk in model.chat(ASKED, options=ChatOptions()) if chunk.text]


# --- the clock --------------------------------------------------------------------------------------------------------
def test_a_manual_clock_moves_when_told_to() -> None:
    """Time stands until it is advanced; setting it back does not lower the monotonic clock."""
    clock = ManualClock()
    assert clock.now() == clock.now() == datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    clock.advance(90)
    assert (clock.now(), clock.monotonic()) == (datetime(2026, 11, 20, 9, 1, 30, tzinfo=UTC), 90.0)
    clock.advance(-3600)
    assert (clock.now(), clock.monotonic()) == (datetime(2026, 11, 20, 8, 1, 30, tzinfo=UTC), 90.0)


def test_a_manual_clock_is_in_utc() -> None:
    """A naive start is UTC already, another zone's is turned into UTC."""
    naive = datetime(2026, 1, 1, 12, 0, tzinfo=UTC).replace(tzinfo=None)
    assert ManualClock(naive).now() == datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
    there = ManualClock(datetime(2026, 1, 1, 12, 0, tzinfo=timezone(timedelta(hours=1)))).now()
    assert (there.hour, there.tzinfo) == (11, UTC)


# --- the model --------------------------------------------------------------------------------------------------------
def test_replies_come_in_order_and_the_last_one_stays() -> None:
    """Each chat gets the next reply, whole or in pieces; then the last one again."""
    model = ScriptedModel("one", ["t", "wo"])
    assert [said(model), said(model), said(model)] == [["one"], ["t", "wo"], ["t", "wo"]]
    assert said(ScriptedModel()) == ["Noted."]


def test_the_model_keeps_what_it_was_asked() -> None:
    """Prompts and options of every chat are kept, and the last piece carries a count."""
    model = ScriptedModel("one", name="small", window=99)
    options = ChatOptions(reply_tokens=7)
    last = list(model.chat(ASKED, options=options))[-1]
    assert (model.prompts, model.options) == ([tuple(ASKED)], [options])
    assert (last.done, last.usage) == (True, Usage(5, 1, "stop"))
    assert (model.ref, model.window()) == (ModelRef("scripted", "small"), 99)
    assert (model.capabilities, model.warnings) == (frozenset({"completion"}), ())


def test_an_error_is_raised_where_it_stands() -> None:
    """An error alone is raised before any piece, one among the pieces after those before it."""
    with pytest.raises(ModelError, match="gone"):
        said(ScriptedModel(ModelError("gone")))
    pieces = ScriptedModel(["one", ModelError("gone")]).chat(ASKED, options=ChatOptions())
    assert next(pieces) == Chunk("one")
    with pytest.raises(ModelError, match="gone"):
        next(pieces)


def test_a_reply_can_be_made_of_the_prompt() -> None:
    """A function is a reply too; `echo` says what stands in the system messages."""
    assert said(ScriptedModel(lambda messages: messages[-1].content.upper())) == ["HI"]
    assert said(ScriptedModel(echo)) == ["You are Nola."]


def test_cancelling_ends_a_reply() -> None:
    """After a cancel no further piece comes, and the last one says why; the next chat is whole again."""
    model = ScriptedModel(["one", "two"])
    pieces = model.chat(ASKED, options=ChatOptions())
    next(pieces)
    model.cancel()
    (last,) = pieces
    assert last.usage is not None
    assert last.usage.stop_reason == CANCELLED
    assert said(model) == ["one", "two"]
    model.close()


# --- the agent --------------------------------------------------------------------------------------------------------
def test_an_agent_is_real_and_answers_with_the_model(tmp_path: Path) -> None:
    """The kit's agent keeps its state in the folder that it was given."""
    agent = make_agent(tmp_path / "home", model=ScriptedModel("Hello."))
    assert agent.generate("hi").reply == "Hello."
    assert (tmp_path / "home" / "state" / "user.json").exists()


def test_an_agents_settings_are_checked(tmp_path: Path) -> None:
    """Settings are given by their keys as text, and refused as from the environment."""
    agent = make_agent(tmp_path / "home", settings={"context.budget_l1": "12"})
    assert agent.config.settings.context.budget_l1 == 12
    with pytest.raises(ConfigError, match=r"context\.budget_l1 takes a whole number"):
        make_agent(tmp_path / "home", settings={"context.budget_l1": "many"})


# --- the guard of tests/conftest.py -----------------------------------------------------------------------------------
@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def test_a_test_can_not_start_the_embedded_model() -> None:
    """Starting the worker of the embedded model fails with what to do instead."""
    with pytest.raises(RuntimeError, match="use ScriptedModel, or mark the test `models`"):
        subprocess.run(WORKER, check=False)


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
def test_a_test_can_not_speak_to_another_machine(address: tuple[str, int]) -> None:
    """Connecting to, or asking for, another machine fails before a packet is sent."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as client, pytest.raises(RuntimeError, match="a test spoke to "):
        client.connect(address)
    with pytest.raises(RuntimeError, match=r"a test spoke to models\.example"):
        socket.getaddrinfo("models.example", 443)


def test_a_test_may_speak_to_a_server_of_its_own(listener: socket.socket) -> None:
    """This machine is free."""
    with socket.create_connection(listener.getsockname(), timeout=5) as client:
        assert client.getpeername() == listener.getsockname()
    assert socket.getaddrinfo("localhost", 80)
