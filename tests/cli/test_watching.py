"""Tests of what is told at the prompt while a person types: once, above the line, and never into a reply."""

from __future__ import annotations

import re
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from nola.cli.desk import Desk
from nola.cli.watching import Watching, above
from nola.flow import Problem
from nola.testing import make_agent
from tests.cli.fakes import receipt
from tests.cli.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import CommandLine

PATIENCE_S = 10.0
COMMA = Problem("user.json", 3, 5, "a comma is missing before this")
TWICE = Problem("modules/work.json", 2, 1, "the key 'age' stands twice; only the last one counts", "warning")
COMMA_SAID = "note: user.json, line 3, column 5: a comma is missing before this"


class Telltale(Terminal):
    """A terminal that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._written = threading.Condition()

    def write(self, text: str) -> int:
        """Keep the text, and wake who waits for it."""
        with self._written:
            count = super().write(text)
            self._written.notify_all()
        return count

    def until(self, text: str, within_s: float = PATIENCE_S) -> bool:
        """Wait until a text was printed."""
        with self._written:
            return self._written.wait_for(lambda: text in self.getvalue(), within_s)


@contextmanager
def watched(
    nola: CommandLine, monkeypatch: pytest.MonkeyPatch, term: str = "xterm"
) -> Iterator[tuple[Watching, Telltale]]:
    """Watch the files of a command line's assistant; give the watching, and the terminal that is told."""
    (nola.home / "state").mkdir(exist_ok=True)
    nola.environ |= {"NOLA_STATE_POLL": "0.2", "NOLA_STATE_DEBOUNCE": "0.02"}
    screen = Telltale()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", screen)
        patch.setenv("TERM", term)
        patch.setenv("COLUMNS", "100")
        with Watching(nola.desk(), "> ") as watching:
            yield watching, screen


class Screen:
    """As much of a terminal as `above` asks for: text, line ends, and the six moves that it makes.

    Attributes:
        rows: What stands in each row.
        at: The cursor: its row and column.
    """

    def __init__(self, height: int, *texts: str) -> None:
        self.height = height
        self.rows = [*texts, *[""] * (height - len(texts))]
        self.at = (len(texts) - 1, len(texts[-1]))

    def show(self, text: str) -> None:
        """Do what a text says."""
        row, column = self.at
        kept = self.at
        for step in re.findall(r"\x1bD|\x1b7|\x1b8|\x1b\[\d+[ABL]|\r|\n|[^\x1b\r\n]+", text):
            many = int(step[2:-1]) if step.startswith("\x1b[") else 1
            if step == "\x1b7":
                kept = (row, column)
            elif step == "\x1b8":
                row, column = kept
            elif step.startswith("\x1b[") and step.endswith("L"):
                self.rows[row:] = [*[""] * many, *self.rows[row:]][: self.height - row]
            elif step.endswith("A") and step.startswith("\x1b["):
                row = max(0, row - many)
            elif step.endswith("B") and step.startswith("\x1b["):
                row = min(self.height - 1, row + many)
            elif step in {"\x1bD", "\n"}:
                if row == self.height - 1:
                    self.rows = [*self.rows[1:], ""]
                row = min(self.height - 1, row + 1)
            elif step == "\r":
                column = 0
            else:
                self.rows[row] = self.rows[row][:column].ljust(column) + step
                column += len(step)
        self.at = (row, column)


def test_a_note_stands_above_the_line_that_is_typed() -> None:
    """The line moves down by the note's row, and the cursor with it."""
    screen = Screen(6, "Nola 0.1.0", "> What is my dog")
    screen.at = (1, 4)  # moved back into the line
    screen.show(above("note: a comma is missing", "> What is my dog", 40))
    assert screen.rows == ["Nola 0.1.0", "note: a comma is missing", "> What is my dog", "", "", ""]
    assert screen.at == (2, 4)


def test_at_the_end_of_the_screen_a_note_scrolls() -> None:
    """What stood on top goes up, as with every line; the line that is typed stays whole."""
    screen = Screen(3, "one", "two", "> What")
    screen.show(above("note: a comma is missing", "> What", 40))
    assert screen.rows == ["two", "note: a comma is missing", "> What"]
    assert screen.at == (2, 6)


def test_a_long_note_above_a_long_line() -> None:
    """A note of two rows stands above a line that takes two rows itself."""
    screen = Screen(8, "one", "> a b c d e f g h i ", "j k")
    screen.show(above("note: a comma is missing", "> a b c d e f g h i j k", 20))
    assert screen.rows[:5] == ["one", "note: a comma is", "missing", "> a b c d e f g h i ", "j k"]
    assert screen.at == (4, 3)


def test_wide_characters_take_two_columns() -> None:
    """A note or a line of them takes as many rows as it does on a screen."""
    assert above("犬" * 30, "> ", 40).count("\x1bD") == 2
    assert above("note", "> " + "犬" * 20, 40).endswith("\x1b[2B")


@pytest.mark.bar("C2")
def test_a_problem_and_its_end_are_told_once(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that outlives a second look is told above the prompt, a warning at once, and so is the mending."""
    with watched(nola, monkeypatch) as (watching, screen), watching.asking():
        nola.assistant.found = [COMMA, TWICE]
        assert screen.until("work.json, line 2, column 1: the key 'age' stands twice")
        assert screen.until(COMMA_SAID)
        nola.assistant.found = []
        assert screen.until("note: user.json is well again")
        nola.assistant.found = [Problem("Nola.json", 1, 1, "the file is empty")]
        assert screen.until("the file is empty")
    told = screen.getvalue()
    assert [told.count(text) for text in (COMMA_SAID, "stands twice", "is well again")] == [1, 1, 1]
    assert "work.json is well" not in told


def test_what_is_broken_at_the_start_is_told_before_the_first_prompt(
    nola: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is still being doubted counts as mended; an odd file that was there before is no news."""
    nola.assistant.found = [COMMA, TWICE]
    with watched(nola, monkeypatch) as (watching, screen), watching.asking():
        assert screen.getvalue() == f"{COMMA_SAID}\n"
        nola.assistant.found = [COMMA]
        nola.assistant.late = [receipt()]
        assert screen.until("saved now")
        nola.assistant.found = []
        assert screen.until("user.json is well again")
    assert screen.getvalue().count(COMMA_SAID) == 1
    assert "twice" not in screen.getvalue()


@pytest.mark.bar("A4")
def test_what_waited_for_the_disk_is_told_when_it_is_saved(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The receipt is the one that could not be given before."""
    with watched(nola, monkeypatch) as (watching, screen), watching.asking():
        nola.assistant.late = [receipt()]
        said = 'note: what could not be saved before is saved now: saved user.home.city: "Lyon" -> "Porto"'
        assert screen.until(said)
    assert screen.getvalue().count("saved now") == 1


def test_a_reply_is_not_interrupted(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found while nobody types waits, and stands before the next prompt on a line of its own."""
    with watched(nola, monkeypatch) as (watching, screen):
        looked = threading.Event()
        nola.assistant.on_look = looked.set
        nola.assistant.late = [receipt()]
        assert looked.wait(PATIENCE_S)
        assert screen.getvalue() == ""
        with watching.asking():
            assert screen.getvalue().startswith("note: what could not be saved before is saved now: ")
            assert "\x1b" not in screen.getvalue()


def test_a_terminal_without_moves_gets_a_plain_line(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but the sentence is printed."""
    with watched(nola, monkeypatch, term="dumb") as (watching, screen), watching.asking():
        nola.assistant.late = [receipt()]
        assert screen.until("abc123)\n")
    assert "\x1b" not in screen.getvalue()


def test_a_folder_that_can_not_be_watched_is_told(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once; the files are looked at all the same."""
    with watched(nola, monkeypatch) as (watching, screen), watching.asking():
        (nola.home / "state").rmdir()
        assert screen.until("changes can't be watched (No such file or directory)")
        nola.assistant.found = [COMMA]
        assert screen.until(COMMA_SAID)
    assert screen.getvalue().count("can't be watched") == 1


@pytest.mark.bar("C2")
def test_an_edit_by_hand_is_told_within_three_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real assistant and the settings as they are: broken within 3 s, mended within 2 s."""
    agent = make_agent(tmp_path)
    agent.set_state("user.name", "Mara")
    user = tmp_path / "state" / "user.json"
    well = user.read_bytes()
    screen = Telltale()
    monkeypatch.setattr(sys, "stderr", screen)
    desk = Desk({"NOLA_HOME": str(tmp_path)}, assistant=lambda _: agent)
    with Watching(desk, "> ") as watching, watching.asking():
        user.write_bytes(well.replace(b'"Mara"', b'"Mara",,'))
        assert screen.until("user.json, line 11, column 20: a comma too many", 3.0)
        user.write_bytes(well)
        assert screen.until("user.json is well again", 2.0)
    agent.close()
