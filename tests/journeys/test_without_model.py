"""A machine without any model and without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.journeys.machine import Machine

QUESTION = "What is my dog's name?"
ANSWER = "Your dog's name is Biscuit."


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """A machine without Ollama, model and network, on which nothing was set."""
    machine = Machine(tmp_path / "home")
    machine.knows(pets={"dog": {"name": "Biscuit"}})
    return machine


@pytest.mark.row("C29")
def test_everything_works_in_a_network_of_ones_own(tmp_path: Path) -> None:
    """Where the process has no network at all, not even to itself, it remembers, finds, looks and answers by code."""
    apart = ["-n"] if os.geteuid() == 0 else ["-Urn"]
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, *apart, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network of one's own is allowed")
    machine = Machine(tmp_path / "home", Path(unshare))

    def nola(*arguments: str) -> str:
        return machine(*apart, str(Path(sys.executable).with_name("nola")), *arguments).out

    nola("memory", "add", "The shed key hangs behind the door")
    assert "behind the door" in nola("memory", "search", "Where is the key to the shed?")
    assert "behind the door" in nola("context", "Where is the key to the shed?")
    nola("chat", "--model", "none", "My dog is called Biscuit")
    assert "Biscuit" in nola("chat", "--model", "none", QUESTION)
    assert json.loads(nola("memory", "stats", "--json"))["total"] == 1


@pytest.mark.row("E41")
def test_without_a_network_the_fetch_fails_plainly_and_code_answers(bare: Machine) -> None:
    """It says on stderr what is missing and fetched, one sentence says why that failed, and the fact still comes."""
    if find_spec("xllamacpp") is None:
        pytest.skip("without the embedded engine nothing is fetched")
    said = bare("chat", QUESTION, code=1)
    lines = said.err.splitlines()
    assert lines[0].startswith("nola: no model is on this machine yet")
    assert "fetching the embedded model" in lines[0]
    (why,) = (line for line in lines if "could not be had" in line)
    assert why.startswith("nola: ")
    assert "huggingface.co: no connection" in why
    assert ANSWER in said.out
    assert "No model is answering" in said.out
    assert bare.processes() == []


def test_a_person_may_decline_the_model(bare: Machine) -> None:
    """At a terminal Nola asks before she fetches; after a no she answers from code, and says how to get one later."""
    if find_spec("xllamacpp") is None:
        pytest.skip("without the embedded engine nothing is offered")
    with bare.sit("chat", QUESTION) as seat:
        assert "Apache-2.0" in seat.read_until("[Y/n] ")
        seat.type("n")
        assert "nola model get" in seat.read_until("No model is answering")
        seat.read_until("Biscuit.")
        seat.read_until("level ")
        assert seat.process.wait(10) == 0


def test_without_a_network_ollama_still_answers(served: Machine) -> None:
    """When only the embedder can't be fetched, it is said once and the model answers as ever."""
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        pytest.skip("without the runtime of the embedder nothing is fetched")
    said = served("chat", "Why does it rain?", NOLA_EMBED_PROVIDER="minilm")
    assert said.out == "Your dog is Biscuit.\n"
    assert said.err.count("could not be had") == 1


def test_no_model_by_choice(bare: Machine) -> None:
    """`--model none` answers from code, fetches nothing and says nothing of it; the state is read and written."""
    said = bare("chat", "--model", "none", QUESTION)
    assert ANSWER in said.out
    assert said.err == ""
    assert not (bare.home / "models").exists()
    unknown = bare("chat", "--model", "none", "--json", "What is my sister's birthday?").json
    assert unknown["unknown"]
    assert unknown["model"]["provider"] in {"none", "code"}
    assert "don't know" in unknown["reply"]
    bare("state", "set", "user.pets.dog.age", "4")
    assert bare("state", "get", "--json", "user.pets.dog").json == {"name": "Biscuit", "age": 4}
