"""Replies that do not come to their end: Ollama goes, the owner stops it, the terminal is closed."""

from __future__ import annotations

import os
import signal
import socket
import time
from typing import TYPE_CHECKING

import pytest

from nola import config as configuration
from nola.app import open_assistant
from tests.faults.harness import eventually
from tests.journeys.machine import CLOSED
from tests.llm.fake_ollama import Wire, word

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.port import StoredMessage
    from tests.journeys.machine import Machine
    from tests.llm.fake_ollama import FakeOllama

QUESTION = "Why does it rain?"
HALF = "Warm air rises, and as it rises it cools, until"


def stuck(wire: Wire) -> None:
    """Half a reply, and then nothing more."""
    wire.start()
    wire.line(word(HALF))
    wire.wait_for_hang_up()


def cut(wire: Wire) -> None:
    """Half a reply, and then the connection is gone."""
    wire.start()
    wire.line(word(HALF))
    wire.cut()


def in_turn(*answers: Callable[[Wire], None]) -> Callable[[Wire], None]:
    """One answer to each request, in this order."""
    left = list(answers)

    def chat(wire: Wire) -> None:
        left.pop(0)(wire)

    return chat


def stored(machine: Machine) -> StoredMessage:
    """The only turn in the machine's memory."""
    assistant = open_assistant(configuration.load({"NOLA_HOME": str(machine.home)}))
    try:
        (row,) = assistant.conversations()
        (turn,) = assistant.conversation(row.id)
    finally:
        assistant.close()
    return turn


def test_what_ollama_said_before_it_went_is_kept(served: Machine, ollama: FakeOllama) -> None:
    """What had come is printed and stored, marked as incomplete; one sentence says why, and the exit code is 1."""
    ollama.chat = cut
    said = served("chat", QUESTION, code=1)
    assert said.out == f"{HALF}\n"
    assert said.err.count("Ollama broke off in mid-answer") == 1
    assert "incomplete" in said.err
    turn = stored(served)
    assert (turn.user, turn.reply, turn.complete) == (QUESTION, HALF, False)
    assert "broken off" in served("history", "show", turn.conversation[:8]).out


def test_ollama_going_ends_no_piped_conversation(served: Machine, ollama: FakeOllama) -> None:
    """After a reply that broke off the next message is answered as ever; the exit code tells that one was not."""
    ollama.chat = in_turn(cut, ollama.chat)
    said = served("chat", text="Why does it rain?\nWhy does it snow?\n", code=1)
    assert said.out == f"{HALF}\nYour dog is Biscuit.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_stops_the_reply(served: Machine, ollama: FakeOllama, number: signal.Signals) -> None:
    """Ollama notices within a second, Nola ends with the shell's code for it, and what was heard is stored."""
    ollama.chat = stuck
    with served.start("chat", QUESTION) as running:
        assert ollama.reached.wait(10)
        assert running.process.stdout is not None
        assert running.process.stdout.read(len(HALF)) == HALF.encode()
        running.process.send_signal(number)
        assert ollama.hung_up.wait(1)
        assert running.end().code == 128 + number
    turn = stored(served)
    assert (turn.reply, turn.complete) == (HALF, False)
    assert served.processes() == []


@pytest.mark.parametrize("how", ["window closed", "hung up twice"])
def test_closing_the_terminal_stops_the_reply(served: Machine, ollama: FakeOllama, how: str) -> None:
    """When its terminal goes, Ollama notices within a second, no process is left, and what was heard is stored."""
    ollama.chat = stuck
    with served.sit("chat", QUESTION) as seat:
        seat.read_until("cools,")
        assert ollama.reached.wait(10)
        if how == "window closed":
            seat.hang_up()
        else:  # a shell passes on what the terminal has sent already
            os.killpg(seat.process.pid, signal.SIGHUP)
            os.killpg(seat.process.pid, signal.SIGHUP)
        assert ollama.hung_up.wait(1)
        seat.process.wait(10)
        assert eventually(lambda: served.processes() == [], 5) is not None
    turn = stored(served)
    assert (turn.reply, turn.complete) == (HALF, False)


def test_ctrl_c_at_the_prompt_stops_the_reply_and_not_the_conversation(served: Machine, ollama: FakeOllama) -> None:
    """Ctrl-C while a reply streams brings the prompt back, and the next message is answered."""
    ollama.chat = in_turn(stuck, ollama.chat)
    with served.sit() as seat:
        seat.read_until("> ")
        seat.type(QUESTION)
        seat.read_until("cools,")
        os.killpg(seat.process.pid, signal.SIGINT)
        seat.read_until("(stopped)")
        assert ollama.hung_up.wait(1)
        seat.read_until("> ")
        seat.type("Why does it snow?")
        seat.read_until("Your dog is Biscuit.")
        seat.read_until("> ")
        seat.hang_up()
        seat.process.wait(10)
    assert served.processes() == []


def test_a_download_that_is_ended_leaves_no_child(served: Machine) -> None:
    """SIGTERM while pip downloads ends pip too."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(20)
        index = f"http://127.0.0.1:{silent.getsockname()[1]}/simple"
        offline = {"OLLAMA_HOST": CLOSED, "PIP_NO_INDEX": "", "PIP_INDEX_URL": index}
        with served.start("model", "get", "default", **offline) as running:
            connection, _ = silent.accept()
            with connection:
                began = time.monotonic()
                running.process.terminate()
                assert running.end().code == 128 + signal.SIGTERM
                assert time.monotonic() - began < 30
                assert eventually(lambda: served.processes() == [], 2) is not None, served.processes()
