"""Tests of what is done beside a conversation."""

from __future__ import annotations

import io
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from nola.cli.desk import Desk
from nola.cli.housekeeping import Housekeeping
from nola.errors import StorageError
from tests.backup.conftest import Home

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.config import Config
    from tests.cli.conftest import CommandLine
    from tests.cli.fakes import FakeAssistant


class Backups:
    """Backups that do what they are told to, and count.

    Attributes:
        count: How often the backup that is due was asked for.
    """

    def __init__(self, run: Callable[[], object] = lambda: None) -> None:
        self.count = 0
        self._run = run

    def run_due(self) -> None:
        """Count, and do it."""
        self.count += 1
        self._run()


class Announcing(io.StringIO):
    """A stderr that tells when something is printed on it.

    Attributes:
        begun: Set then.
    """

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Event()

    def write(self, text: str) -> int:
        """Keep the text, and tell."""
        count = super().write(text)
        self.begun.set()
        return count


def backed(assistant: FakeAssistant, run: Callable[[], object] = lambda: None) -> Backups:
    """Give an assistant backups that do this."""
    made = Backups(run)
    assistant.backups = made  # type: ignore[assignment]
    return made


def test_the_backup_of_the_day_is_made_beside_a_conversation(nola: CommandLine) -> None:
    """One `nola chat` leaves a backup, and says nothing of it; the next one on that day makes none."""
    Home(nola.home).fill()
    for _ in range(2):
        said = nola("chat", "hello")
        assert (said.exit_code, said.stdout, said.stderr) == (0, "You said hello.\n", "")
    assert [info.kind for info in nola.assistant.backups.list()] == ["weekly"]


def test_backups_can_be_switched_off(nola: CommandLine) -> None:
    """Then none is asked for."""
    made = backed(nola.assistant)
    nola.environ["NOLA_BACKUP_SCHEDULED"] = "false"
    assert nola("chat", "hello").exit_code == 0
    assert made.count == 0


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StorageError("backups", "No space left on device"), "could not write backups: No space left on device"),
        (PermissionError(13, "Permission denied"), "[Errno 13] Permission denied"),
        (ZeroDivisionError("bug"), "something went wrong inside Nola: ZeroDivisionError"),
    ],
    ids=["disk", "system", "bug"],
)
def test_a_backup_that_fails_is_a_note_behind_the_reply(nola: CommandLine, error: Exception, said: str) -> None:
    """The reply stands as it is, and the exit code too."""

    def fail() -> None:
        raise error

    backed(nola.assistant, fail)
    told = nola("chat", "hello")
    assert (told.exit_code, told.stdout) == (0, "You said hello.\n")
    assert told.stderr == f"note: the backup of today could not be made: {said}\n"


def test_leaving_waits_until_the_backup_is_whole(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who leaves while a long one is being made is told what the wait is for."""
    told, done = Announcing(), []
    backed(nola.assistant, lambda: done.append(told.begun.wait(10)))
    monkeypatch.setattr(sys, "stderr", told)
    with Housekeeping(nola.desk(), patience_s=0.05):
        assert done == []
    assert done == [True]
    assert told.getvalue() == "note: the backup of today is being finished; the next one is due tomorrow\n"


def test_it_begins_with_the_assistant_of_the_conversation(nola: CommandLine) -> None:
    """The thread and the conversation share one assistant, whoever asks for it first."""
    made = []

    def make(_: Config) -> FakeAssistant:
        made.append(nola.assistant)
        return nola.assistant

    desk = Desk(nola.environ, assistant=make)
    count = backed(nola.assistant)
    with Housekeeping(desk):
        assert desk.assistant is nola.assistant
    assert (made, count.count) == ([nola.assistant], 1)
