"""Keeps an eye on the state's files while a person talks: an edit that can't be read is told at once, at the prompt."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import textwrap
import threading
import unicodedata
from typing import TYPE_CHECKING, Self

from nola.cli import output
from nola.cli import output_streams as streams
from nola.daemon.watch import Watcher
from nola.errors import NolaError
from nola.keeping import problem_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nola.cli.desk import Desk
    from nola.flow import Problem, Seen

__all__ = ["Watching", "above"]

_ERROR = "error"


class Watching:
    """A watcher for as long as a conversation lasts.

    What it has to tell stands above the line that is being typed. While a reply comes in nothing is told; that waits
    for the next prompt.

    Args:
        desk: The desk.
        prompt: What stands before what the person types.
    """

    def __init__(self, desk: Desk, prompt: str) -> None:
        self._assistant = desk.assistant
        self._prompt = prompt
        self._known: frozenset[Problem] = frozenset()
        self._waiting: list[str] = []
        self._asking = False
        self._lock = threading.Lock()
        self._watcher = Watcher(
            desk.config.state_dir,
            self._look,
            settings=desk.config.settings.state,
            clock=desk.clock,
            told=self._tell,
            degraded=self._note,
        )

    def __enter__(self) -> Self:
        """Begin to watch; what can't be read already is told before the first prompt."""
        with contextlib.suppress(NolaError):
            self._known = frozenset(self._assistant.look().problems)
            self._waiting += _sentences(problem for problem in self._known if problem.severity == _ERROR)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the watching."""
        self._watcher.stop()

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Let what there is to tell be told: first what has waited, and then at once, while the person types."""
        with self._lock:
            for sentence in self._waiting:
                output.say(f"note: {sentence}")
            self._waiting.clear()
            self._asking = True
        try:
            yield
        finally:
            with self._lock:
                self._asking = False

    def _look(self) -> Seen:
        for receipt in self._assistant.retry_pending():
            self._note(f"what could not be saved before is saved now: {output.receipt_line(receipt)}")
        seen = self._assistant.look()
        present = frozenset(seen.problems)
        for file in sorted(_broken(self._known) - _broken(present)):
            self._note(f"{file} is well again")
        self._known &= present
        return seen

    def _tell(self, seen: Seen) -> None:
        """Tell what is new of a look's problems."""
        told = frozenset(seen.problems)
        for sentence in _sentences(told - self._known):
            self._note(sentence)
        self._known |= told

    def _note(self, sentence: str) -> None:
        with self._lock:
            if not self._asking:
                self._waiting.append(sentence)
                return
            note = f"note: {output.sentence(sentence)}"
            if output.on_terminal(sys.stderr) and os.environ.get("TERM", "dumb") != "dumb":
                streams.put_aside(above(note, self._prompt + _typed(), shutil.get_terminal_size().columns))
            else:
                output.say(note)


def above(note: str, line: str, columns: int) -> str:
    """Return what puts a note above the line that is being typed, whose text and cursor stay as they are.

    Room is made by moving down, which scrolls at the end of the screen, then up again, and inserting rows. The cursor
    keeps its column all the time, so that neither readline nor the terminal has to draw anything anew.

    Args:
        note: One sentence, safe for a terminal.
        line: What stands in the line, the prompt with it; the cursor is taken to be at its end.
        columns: The screen's width.
    """
    rows = textwrap.wrap(note, max(1, (columns - 1) // (2 if _columns(note) > len(note) else 1)))
    many, before = len(rows), _columns(line) // columns
    up = f"\x1b[{many + before}A"
    return "\x1bD" * many + up + f"\x1b7\x1b[{many}L\r" + "\r\n".join(rows) + f"\x1b8\x1b[{many + before}B"


def _typed() -> str:
    with contextlib.suppress(ImportError):  # Python can be built without it
        import readline  # noqa: PLC0415 -- keeps start-up fast

        return readline.get_line_buffer()
    return ""


def _columns(text: str) -> int:
    return len(text) + sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)


def _sentences(problems: Iterable[Problem]) -> list[str]:
    return sorted(problem_sentence(problem) for problem in problems)


def _broken(problems: Iterable[Problem]) -> set[str]:
    """Name the files that have an error; what waits to be saved is told by its receipt when it is."""
    return {problem.file for problem in problems if problem.severity == _ERROR and problem.file.endswith(".json")}
