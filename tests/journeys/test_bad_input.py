"""What people and programs type that makes no sense: one sentence, the right exit code, and no file touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.state.agreed import LAST_GOOD
from tests.faults.harness import Said
from tests.journeys.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.journeys.machine import Seat
    from tests.llm.fake_ollama import FakeOllama, Wire

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
    "a sentence": (["What is my name?"], b"", 2, "No such command 'What is my name?'"),
    "a limit of none": (["state", "history", "--limit", "0"], b"", 2, "greater than or equal to 1"),
    "a time that is none": (["state", "show", "--at", "gibberish"], b"", 2, "this is no time: 'gibberish'"),
    "a time to come": (["state", "history", "--since", "2999-01-01"], b"", 2, "lies in the future"),
    "malformed JSON in a pipe": (["state", "set", "user.big", "-"], b"{", 1, "the value is not JSON: stdin, line 1"),
    "binary text in a pipe": (["state", "set", "--text", "user.big", "-"], BINARY, 1, "the text is not UTF-8"),
    "a conflict that is none": (["state", "conflicts", "--use", "zzz"], b"", 2, "no conflict has the id 'zzz'"),
    "controls in a path": (["state", "get", "user.\x1b[2J"], b"", 1, "user.\\x1b[2J: nothing stands there"),
    "controls in a command": (["chat", "a", "b\x1b[2J"], b"", 2, "unexpected extra argument(s) (b\\x1b[2J)"),
}
NO_TEXT = "caf\udce9"  # the byte E9, which is no UTF-8, as Python hands it over
COMMANDS_OF_NO_TEXT = [
    *(["state", "get", NO_TEXT], ["state", "get", f"user.{NO_TEXT}"], ["state", "set", f"user.{NO_TEXT}", "1"]),
    *(["state", "set", "user.a", NO_TEXT], ["state", "set", "--text", "user.a", NO_TEXT], ["state", "undo", NO_TEXT]),
    *(["state", "show", "--at", NO_TEXT], ["state", "conflicts", "--drop", NO_TEXT], ["history", "show", NO_TEXT]),
    *(["chat", NO_TEXT], ["chat", "--model", NO_TEXT, "hi"], ["chat", "--conversation", NO_TEXT, "hi"]),
    *(["context", NO_TEXT], ["config", "get", NO_TEXT], ["config", "set", "llm.model", NO_TEXT]),
    *(["model", "use", NO_TEXT], ["init", "--name", NO_TEXT], ["eval", "levels", NO_TEXT], [NO_TEXT]),
]
CLOSED_STDOUT = "nola: stdout is closed; send it to a file or a pipe\n"


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
    said = nola("state", "get", "user.name")
    assert said.out == "Mara\n"
    assert said.err.startswith("note: user.json, line 3, column 27: ")
    assert said.err.endswith("; the last good value is shown\n")
    assert nola("state", "show").err.startswith("note: user.json, line 3, column 27: ")
    said = nola("chat", "What is my name?")
    assert "Mara" in said.out
    assert said.err.startswith("note: user.json, line 3, column 27: ")
    problem, line, caret = nola("state", "check", code=1).out.splitlines()
    assert problem.startswith("error: user.json, line 3, column 27: ")
    assert (line, caret) == ('  3 |   "data": {"name": "Mira",, }', f"    | {' ' * 26}^")
    assert nola("state", "check", "--json", code=1).json["problems"][0]["text"] == '  "data": {"name": "Mira",, }'
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


def test_doctor_tells_settings_that_make_no_sense(tmp_path: Path) -> None:
    """As the one finding of one document, with the sentence on stderr too; so she does of a home that is no folder."""
    other = Machine(tmp_path / "home")
    other.home.mkdir()
    (other.home / "settings.toml").write_text("[conte", encoding="utf-8")
    said = other("doctor", "--json", code=2)
    assert (said.json["ok"], [finding["id"] for finding in said.json["findings"]]) == (False, ["settings.invalid"])
    assert "settings.toml can't be read" in said.json["findings"][0]["message"]
    assert said.err.startswith("nola: ")
    assert (
        "is a file" in Machine(other.home / "settings.toml")("doctor", "--json", code=2).json["findings"][0]["message"]
    )


def test_a_sentence_is_told_how_to_be_asked(home: Machine) -> None:
    """The hint can be copied."""
    assert home("What is my name?", code=2).err.endswith('      to ask it: nola chat "What is my name?"\n')


@pytest.mark.parametrize("arguments", COMMANDS_OF_NO_TEXT, ids=" ".join)
def test_an_argument_that_is_no_text_is_refused(home: Machine, arguments: list[str]) -> None:
    """By a sentence that spells its bytes, and not by a crash."""
    done = subprocess.run(
        command(home, *arguments), env=home.environ(), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert done.returncode in {1, 2}
    assert done.stderr.startswith((b"nola: ", b"Usage: "))
    assert b"inside Nola" not in done.stderr
    assert done.stderr.decode()  # it is UTF-8


@pytest.mark.parametrize(
    "arguments", [["chat", "hi"], ["state", "show"], ["doctor"], ["where", "--json"], ["config", "list"]]
)
def test_a_home_whose_name_is_no_text_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    """As wrong usage, with its bytes spelled; nothing is made there."""
    machine = Machine(tmp_path / NO_TEXT)
    said = machine(*arguments, code=2)
    assert said.err.startswith(f"nola: the name of Nola's folder is not UTF-8: {tmp_path}/caf\\xe9\n")
    assert not machine.home.exists()


def test_a_file_whose_name_is_no_text_is_blamed(nola: Machine) -> None:
    """Its bytes are spelled, and everything else works."""
    nola.knows(name="Mara")
    (nola.home / "state" / "modules").mkdir()
    Path(nola.home / "state" / "modules" / f"{NO_TEXT}.json").write_text("{}", encoding="utf-8")
    assert nola("state", "check", code=1).out.startswith("error: modules/caf\\xe9.json: ignored")
    assert "modules/caf\\xe9.json" in nola("state", "show").err
    assert nola("state", "get", "user.name").out == "Mara\n"
    assert not nola("doctor", "--json", code=1).json["ok"]


def test_what_stands_in_a_file_commands_no_terminal(nola: Machine) -> None:
    """Keys, values, receipts, history and problems show their control characters, in a pipe and at a terminal."""
    nola.knows(**{"a\x1b[2J": "\x9b31m", "b\u202e": {"\x07": 1}})
    nola("state", "set", "user.\x1b]0;x", '"\u202e"')
    nola("state", "set", "--text", "user.\x9b", "\x1b[31m")
    user = nola.home / "state" / "user.json"
    for arguments in (["state", "show"], ["state", "history", "--patch"], ["state", "history"], ["state", "check"]):
        if arguments[1] == "check":
            user.write_bytes(user.read_bytes().replace(b"{", b"{ \x1b[2J", 1))
        code = 1 if arguments[1] == "check" else 0
        said = nola(*arguments, code=code)
        assert not set(said.out + said.err) & set("\x1b\x9b\u202e\x07")
        assert "\\x1b[2J" in said.out or "\\x1b" in said.out
        with nola.sit(*arguments) as seat:
            assert not set(whole_screen(seat)) & set("\x1b\x9b\u202e\x07")


def test_a_value_reaches_a_program_as_it_is(nola: Machine) -> None:
    """What is safe for a person is not altered for a pipe: text bare, and JSON as the same value."""
    nola("state", "set", "user.x", "-", text='"\\u001b[2J\\u202e\\u009b"')
    assert nola("state", "get", "user.x").out == "\x1b[2J\u202e\x9b\n"
    assert nola("state", "get", "--json", "user.x").json == "\x1b[2J\u202e\x9b"


@pytest.mark.parametrize(
    "arguments", [["state", "show"], ["state", "get", "user"], ["chat", "hi"], ["--version"], ["-h"]]
)
def test_a_stdout_that_is_closed(home: Machine, arguments: list[str]) -> None:
    """One sentence and exit code 1, before anything is done; with stderr closed too, the code alone."""
    before = files(home)
    assert redirected(home, ">&-", *arguments) == Said("", CLOSED_STDOUT, 1)
    assert redirected(home, ">&- 2>&-", *arguments) == Said("", "", 1)
    assert redirected(home, ">&-", "state", "set", "user.name", '"Mira"').code == 1
    assert files(home) == before


@pytest.mark.parametrize(
    "arguments", [["state", "show"], ["state", "get", "user"], ["chat", "hi"], ["--version"], ["-h"]]
)
def test_a_reader_that_goes_away(home: Machine, arguments: list[str]) -> None:
    """She ends as other programs do, without a word."""
    done = unread(command(home, *arguments), home)
    assert (done.returncode, done.stderr) == (1 if arguments == ["-h"] else 141, b"")


def test_a_reader_that_goes_away_is_noticed_by_a_program_that_does_not_mend_its_streams(home: Machine) -> None:
    """The control: Python by itself complains."""
    assert b"BrokenPipeError" in unread([sys.executable, "-c", "print('x')"], home).stderr


def test_a_stderr_that_is_closed(home: Machine) -> None:
    """Commands do what they do, and refusals keep their exit codes."""
    assert redirected(home, "2>&-", "state", "get", "user.name") == Said("Mara\n", "", 0)
    assert redirected(home, "2>&-", "state", "get", "user.none") == Said("", "", 1)
    assert redirected(home, "2>&-", "frobnicate") == Said("", "", 2)


def test_a_stdin_that_is_closed(home: Machine) -> None:
    """It is empty."""
    said = redirected(home, "<&-", "chat", "-")
    assert (said.out, said.code) == ("", 1)
    assert "the message is empty" in said.err
    assert redirected(home, "<&-", "chat") == Said("", "", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    "arguments", [["state", "show"], ["state", "get", "user"], ["chat", "hi"], ["--version"], ["-h"]]
)
def test_a_disk_that_is_full_behind_stdout(home: Machine, arguments: list[str]) -> None:
    """One sentence says so."""
    said = redirected(home, "> /dev/full", *arguments)
    assert (said.out, said.code) == ("", 1)
    assert "No space left on device" in said.err.splitlines()[0]
    assert len(said.err.splitlines()) <= 2


@pytest.mark.parametrize(
    "how", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}], ids=str
)
def test_letters_that_an_encoding_lacks_are_spelled(tmp_path: Path, how: dict[str, str]) -> None:
    """No letter becomes a question mark, documents stay the same documents, and bars have plain signs."""
    nola = Machine(tmp_path / "home", NOLA_LLM_MODEL="none", **how)
    nola.knows(name="Zoë", city="日本")
    assert nola("state", "get", "user.name").out == "Zo\\xeb\n"
    assert 'city: "\\u65e5\\u672c"' in nola("state", "show", "user").out
    assert nola("state", "get", "--json", "user").json == {"name": "Zoë", "city": "日本"}
    with nola.sit("context", "hello") as seat:
        drawn = whole_screen(seat)
    assert drawn.isascii()
    assert "@ 1.00" in drawn


def test_the_history_says_when_it_was_cut(nola: Machine) -> None:
    """On stderr, beside the newest."""
    for age in (40, 41, 42):
        nola("state", "set", "user.age", str(age))
    said = nola("state", "history", "--limit", "2", "--json")
    assert ([change["new"] for change in said.json], said.err) == ([42, 41], "showing the newest 2; --limit for more\n")
    assert nola("state", "history", "--limit", "3").err == ""


def test_an_earlier_state_is_shown(nola: Machine) -> None:
    """As it was at the moment of a change; what the history does not reach is refused."""
    nola("state", "set", "user.name", '"Mira"')
    first = nola("state", "history", "--json").json[0]
    nola("state", "set", "user.name", '"Mara"')
    assert first["via"]
    assert nola("state", "show", "--at", first["at"], "--json", "user").json == {"name": "Mira"}
    assert nola("state", "show", "--at", "now", "user.name").out == 'user.name: "Mara"\n'
    assert nola("state", "show", "--at", "2 years ago", code=1).out == ""


def test_what_follows_a_first_message_that_was_stopped_is_the_same_conversation(
    served: Machine, ollama: FakeOllama
) -> None:
    """Ctrl-C stops the reply, and the next message goes on with the conversation."""
    ollama.chat = in_turn(stuck, ollama.chat)
    with served.sit() as seat:
        seat.read_until("> ")
        seat.type("Why does it rain?")
        assert ollama.reached.wait(10)
        os.killpg(seat.process.pid, signal.SIGINT)
        seat.read_until("(stopped)")
        seat.read_until("> ")
        seat.type("Why does it snow?")
        seat.read_until("Your dog is Biscuit.")
        seat.read_until("> ")
        seat.type("/quit")
        seat.process.wait(10)
    (row,) = served("history", "--json").json
    assert row["turns"] == 2


def in_turn(*answers: Callable[[Wire], None]) -> Callable[[Wire], None]:
    """One answer to each request, in this order."""
    left = list(answers)

    def chat(wire: Wire) -> None:
        left.pop(0)(wire)

    return chat


def stuck(wire: Wire) -> None:
    """Begin a reply, and say nothing."""
    wire.start()
    wire.wait_for_hang_up()


def command(machine: Machine, *arguments: str) -> list[str]:
    """What runs `nola` on this machine."""
    return [machine._command, *arguments]


def whole_screen(seat: Seat) -> str:
    """Everything that a command prints at a terminal until its end."""
    shown = b""
    try:
        while piece := os.read(seat._screen, 65_536):
            shown += piece
    except OSError:  # nobody is left at the other end
        pass
    return shown.decode()


def redirected(machine: Machine, how: str, *arguments: str) -> Said:
    """Run `nola` from a shell with its streams redirected."""
    shell = ["bash", "-c", f'exec "$0" "$@" {how}', *command(machine, *arguments)]
    done = subprocess.run(
        shell, env=machine.environ(), stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True
    )
    assert "Traceback" not in done.stderr, done
    return Said(done.stdout, done.stderr, done.returncode)


def unread(command: list[str], machine: Machine) -> subprocess.CompletedProcess[bytes]:
    """Run a command whose stdout is a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            command,
            env=machine.environ(),
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writer)


def files(machine: Machine) -> dict[str, bytes]:
    """Every file of the state by its path, and the list of changes; not the copies that reading makes."""
    folder = machine.home / "state"
    paths = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in paths.items() if not name.startswith(LAST_GOOD)}
