"""The first five minutes, as the README and the first steps tell them."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.journeys.machine import Machine
    from tests.llm.fake_ollama import FakeOllama

QUESTION = "What is my dog's name?"


@pytest.mark.row("E41")
def test_the_five_minutes_of_the_readme(served: Machine, ollama: FakeOllama) -> None:
    """A fact is set, asked for, and looked at; a statement is noted with a receipt, and taken back by its id."""
    assert served("state", "set", "user.pets.dog.name", '"Biscuit"').out.startswith("saved user.pets.dog.name")
    answer = served("chat", QUESTION)
    assert (answer.out, answer.err) == ("Your dog is Biscuit.\n", "")
    shown = served("context", QUESTION).out
    assert re.search(r"^\+ +user\.pets\.dog\.name .*^ +Your dog's name is Biscuit\.$", shown, re.MULTILINE | re.DOTALL)
    assert re.search(r"^- +machineID\.os .* weight at or below the threshold$", shown, re.MULTILINE)
    asked = len(ollama.sent("/api/chat"))
    noted = served("chat", "my cat is called Miso")
    assert "Miso" in noted.out
    assert 'saved user.pets.cat.name: "Miso"' in noted.err
    assert len(ollama.sent("/api/chat")) == asked, "code notes a statement, and the model has no part in it"
    assert served("state", "undo", noted.undo).out.startswith('removed user.pets.cat.name: "Miso"')
    assert "user.pets.cat" in served("state", "get", "user.pets.cat.name", code=1).err
    assert served("state", "get", "--json", "user.pets").json == {"dog": {"name": "Biscuit"}}


def test_a_conversation_at_a_terminal(served: Machine, ollama: FakeOllama) -> None:
    """`nola` alone talks, tells why, takes the last change back, and keeps the conversation in one piece."""
    served.knows(pets={"dog": {"name": "Biscuit"}})
    with served.sit() as seat:
        assert "ollama:llama3.2:3b" in seat.read_until("> ")
        seat.type(QUESTION)
        assert "Your dog is Biscuit." in seat.read_until("> ")
        seat.type("/why")
        assert "user.pets.dog.name" in seat.read_until("> ")
        seat.type("I moved to Porto.")
        seat.read_until("Porto")
        assert "undo: nola state undo" in seat.read_until("level ")
        seat.read_until("> ")
        seat.type("/undo")
        assert "Porto" in seat.read_until("> ")
        seat.type("And her age?")
        seat.read_until("Your dog is Biscuit.")
        seat.read_until("> ")
        seat.type("/quit")
        assert seat.process.wait(10) == 0
    assert [message["content"] for message in ollama.sent("/api/chat")[-1]["messages"]].count(QUESTION) == 1
    assert served.processes() == []


def test_an_introduction_by_options_is_private(nola: Machine) -> None:
    """`nola init` writes its answers where they belong, and nobody else can read a file, whatever the umask."""
    options = "--name Mara --city Porto --language English --work mechanic --likes tea --likes walks".split()
    said = nola("init", *options, umask=0)
    assert said.out.count("undo: nola state undo") == 5
    nola("chat", "my cat is called Miso", umask=0)
    assert nola("state", "get", "--json", "user").json == {
        "name": "Mara",
        "home": {"city": "Porto"},
        "language": "English",
        "work": {"job": "mechanic"},
        "likes": ["tea", "walks"],
        "pets": {"cat": {"name": "Miso"}},
    }
    paths = [nola.home, *nola.home.rglob("*")]
    assert {p.name for p in paths} >= {"user.json", "identity.json", "memory.db", "changes.jsonl"}
    assert [p for p in paths if _mode(p) != (0o700 if p.is_dir() else 0o600)] == []


def test_an_introduction_needs_somebody_to_ask(nola: Machine) -> None:
    """Without a terminal and without options, `nola init` is wrong usage and says what to do."""
    assert "nola init --name" in nola("init", code=2).err


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
