"""A conversation with a person at a terminal: greeting, prompt with history, and commands that begin with a slash."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Self

from nola import __version__
from nola.cli import output
from nola.cli.message import checked
from nola.cli.watching import Watching
from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.cli.desk import Desk
    from nola.cli.reply import Teller
    from nola.cli.talk import Talk

__all__ = ["HELP", "History", "greeting", "obey", "prompt"]

HELP = """\
/why    show what the last reply was made from, and what was left out
/undo   take back what was saved last
/new    start a new conversation
/help   show this
/quit   leave (so does Ctrl-D); Ctrl-C stops a reply"""

_PROMPT = "> "
_MOST_LINES = 1000
_MOST_LEFT_OUT = 8


def prompt(desk: Desk, talk: Talk, teller: Teller) -> bool:
    """Talk until the person leaves; return True.

    Raises:
        KeyboardInterrupt: Ctrl-C at the prompt.
    """
    output.say_dim(greeting(desk, talk))
    with History(desk.config.cache_dir / "chat_history") as history, Watching(desk, _PROMPT) as watching:
        while (line := _read(watching)) is not None:
            if not line.strip():
                continue
            history.add(line)
            if line.strip().startswith("/"):
                if not obey(line.strip(), talk):
                    return True
                continue
            _answer(line, desk, talk, teller)
    output.write("")
    return True


def greeting(desk: Desk, talk: Talk) -> str:
    """Say in one line who is there, how deep she looks, which model answers, and how to leave."""
    level = f"level {talk.wishes.level}" if talk.wishes.level else "level chosen for each message"
    return f"Nola {__version__} · {level} · {_model(desk, talk)} · /help, /quit"


def obey(line: str, talk: Talk) -> bool:
    """Do what a line such as `/why` asks for; return False when it asks to leave."""
    word = line.split(maxsplit=1)[0].lower()
    if word in {"/quit", "/exit", "/q", "/bye"}:
        return False
    actions: dict[str, Callable[[], None]] = {
        "/help": lambda: output.write(HELP),
        "/new": lambda: _new(talk),
        "/why": lambda: _why(talk),
        "/undo": lambda: output.write(talk.undo()),
    }
    try:
        actions.get(word, lambda: output.write(f"There is no command {word}.\n{HELP}"))()
    except NolaError as error:
        output.error(error)
    return True


class History:
    """The lines that were typed, kept from one conversation to the next, for the arrow keys.

    Args:
        file: Where they are kept, readable for their owner alone.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lines: list[str] = []

    def __enter__(self) -> Self:
        """Load the lines into readline."""
        with contextlib.suppress(OSError, UnicodeDecodeError):
            self._lines = self._file.read_text(encoding="utf-8").splitlines()
        with contextlib.suppress(ImportError):  # Python can be built without it
            import readline  # noqa: PLC0415 -- keeps start-up fast

            readline.set_auto_history(False)
            readline.clear_history()
            for line in self._lines:
                readline.add_history(line)
        return self

    def add(self, line: str) -> None:
        """Remember a line."""
        if self._lines[-1:] == [line]:
            return
        self._lines.append(line)
        with contextlib.suppress(ImportError):
            import readline  # noqa: PLC0415 -- keeps start-up fast

            readline.add_history(line)

    def __exit__(self, *_: object) -> None:
        """Keep the last lines; a disk that refuses is no reason to complain when somebody leaves."""
        from nola.files import make_private_dir, write_atomic  # noqa: PLC0415 -- keeps start-up fast

        kept = [line.replace("\n", " ") for line in self._lines[-_MOST_LINES:]]
        with contextlib.suppress(NolaError, UnicodeEncodeError):
            make_private_dir(self._file.parent)
            write_atomic(self._file, "".join(f"{line}\n" for line in kept).encode())


def _read(watching: Watching) -> str | None:
    with watching.asking():
        try:
            return input(_PROMPT)
        except EOFError:
            return None


def _answer(line: str, desk: Desk, talk: Talk, teller: Teller) -> None:
    try:
        talk.send(checked(line, desk.config.settings.chat.max_bytes), teller)
    except NolaError as error:
        output.error(error)
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        output.say("(stopped)")


def _new(talk: Talk) -> None:
    talk.begin_anew()
    output.write("A new conversation begins.")


def _why(talk: Talk) -> None:
    from nola.cli.context_table import show_report  # noqa: PLC0415 -- keeps start-up fast

    if talk.report is None:
        raise NolaError("nothing was asked yet", fix="ask something first")
    show_report(talk.report, most=_MOST_LEFT_OUT)


def _model(desk: Desk, talk: Talk) -> str:
    chosen = desk.assistant.chooser.choose(talk.wishes.model).model.ref
    if chosen.provider == "none":
        return "no model"
    return f"{chosen.provider}:{chosen.name}"
