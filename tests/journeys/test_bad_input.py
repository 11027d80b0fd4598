"""What people and programs type that makes no sense: one sentence, the right exit code, and no file touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.state.shelf import LAST_GOOD
from tests.journeys.machine import Machine

if TYPE_CHECKING:
    from pathlib import Path

    from tests.llm.fake_ollama import FakeOllama

BINARY = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
TOO_LONG = b"word " * 200_001

ROWS: dict[str, tuple[list[str], bytes, int, str]] = {
    "unknown level": (["chat", "--level", "4", "hi"], b"", 2, "'--level'"),
    "unknown kind": (["context", "--stimuli-type", "fast", "hi"], b"", 2, "'fast' is not one of"),
    "malformed JSON": (["state", "set", "user.name", "Mara"], b"", 1, "the value is not JSON"),
    "into a scalar": (["state", "set", "user.name.first", '"M"'], b"", 1, "user.name holds a value"),
    "empty message": (["chat", " "], b"", 1, "the message is empty"),
    "empty stdin": (["chat", "-"], b"\n", 1, "the message is empty"),
    "more than 1 MB": (["chat", "-"], TOO_LONG, 1, "more than 1,000,000 bytes"),
    "a line over 1 MB": (["chat", "--json"], TOO_LONG, 1, "more than 1,000,000 bytes"),
    "binary": (["chat", "-"], BINARY, 1, "the message is no text"),
    "binary in a pipe": (["chat", "--json"], BINARY, 1, "the message is no text"),
    "unknown model": (["chat", "--model", "gibberish", "hi"], b"", 2, "no model is called 'gibberish'"),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine whose owner's name is known, shared by the rows that change nothing."""
    machine = Machine(tmp_path_factory.mktemp("bad") / "home", NOLA_LLM_MODEL="none")
    machine.knows(name="Mara")
    machine("state", "get", "user.name")
    return machine


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_bad_input(home: Machine, row: str) -> None:
    """It is refused in one sentence with its exit code, nothing is on stdout, and the state is as it was."""
    arguments, text, code, sentence = ROWS[row]
    before = files(home)
    said = home(*arguments, text=text, code=code)
    assert said.out == ""
    (line,) = (line for line in said.err.splitlines() if line.startswith(("nola: ", "Error: ")))
    assert sentence in line
    assert files(home) == before
    assert not (home.home / "logs").exists(), "a refusal is no crash"


def test_a_message_longer_than_the_window_is_trimmed_to_the_window(served: Machine, ollama: FakeOllama) -> None:
    """The longest message that is taken, 1 MB, is cut by Nola, who says so; what is sent fits the window."""
    text = ("Tell me why the rain falls down. " * 30_304)[:1_000_000]
    said = served("chat", "-", text=text, NOLA_OLLAMA_NUM_CTX="2048", NOLA_LEARN_POLICY="off")
    assert said.out == "Your dog is Biscuit.\n"
    assert "window" in said.err
    (request,) = ollama.sent("/api/chat")
    assert request["options"]["num_ctx"] == 2048
    assert 1_000 < sum(len(message["content"]) for message in request["messages"]) < 2048 * 6


def test_a_very_long_word_takes_no_longer_than_a_text(nola: Machine) -> None:
    """A message that is one word of 50 kB, such as a key or a picture pasted as text, is read in a few seconds."""
    said = nola("context", "-", text="a" * 50_000, patience_s=20)
    assert said.code == 0
    assert "budget" in said.out


def test_a_module_that_does_not_parse(nola: Machine) -> None:
    """Across processes the last good value is served, the place is named, the file stays, and mending it is enough."""
    nola.knows(name="Mara")
    assert nola("state", "get", "user.name").out == "Mara\n"
    user = nola.home / "state" / "user.json"
    broken = b'{\n  "metadata": {},\n  "data": {"name": "Mira",, }\n}\n'
    user.write_bytes(broken)
    assert nola("state", "get", "user.name").out == "Mara\n"
    said = nola("chat", "What is my name?")
    assert "Mara" in said.out
    assert said.err.startswith("note: user.json, line 3, column 27: ")
    assert nola("state", "check", code=1).out.startswith("error: user.json, line 3, column 27: ")
    assert "user.json, line 3, column 27" in nola("state", "set", "user.age", "41", code=1).err
    assert user.read_bytes() == broken
    user.write_bytes(broken.replace(b",, ", b""))
    assert nola("state", "get", "user.name").out == "Mira\n"
    assert nola("state", "check").out == "all files are well\n"


def test_what_was_set_last_is_the_last_good_value(nola: Machine) -> None:
    """A value that was set, and then broken by an editor before any other command ran, is served."""
    nola("state", "set", "user.name", '"Mara"')
    (nola.home / "state" / "user.json").write_bytes(b"{")
    assert nola("state", "get", "user.name").out == "Mara\n"


def test_settings_that_make_no_sense(home: Machine, tmp_path: Path) -> None:
    """A settings file or variable that can't be used is refused as wrong usage, and named."""
    assert "ISO-8601" in home("context", "hi", code=2, NOLA_NOW="yesterday").err
    assert "context.nope" in home("state", "get", "user", code=2, NOLA_CONTEXT_NOPE="1").err
    other = Machine(tmp_path / "home")
    other.home.mkdir()
    (other.home / "settings.toml").write_text("[conte", encoding="utf-8")
    assert "settings.toml can't be read" in other("state", "get", "user", code=2).err


def files(machine: Machine) -> dict[str, bytes]:
    """Every file of the state by its path, and the list of changes; not the copies that reading makes."""
    folder = machine.home / "state"
    paths = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in paths.items() if not name.startswith(LAST_GOOD)}
