"""What is done beside a conversation: the backup of the day, made while the model thinks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

from nola.cli import output
from nola.errors import NolaError

if TYPE_CHECKING:
    from nola.cli.desk import Desk

__all__ = ["Housekeeping"]

_PATIENCE_S = 2.0


class Housekeeping:
    """Makes the backup that is due, on a thread of its own, for as long as a conversation lasts.

    Args:
        desk: The desk.
        patience_s: How long somebody who leaves waits without being told what for.
    """

    def __init__(self, desk: Desk, *, patience_s: float = _PATIENCE_S) -> None:
        self._scheduled = desk.config.settings.backup.scheduled
        self._desk = desk
        self._patience_s = patience_s
        self._failure = ""
        self._thread = threading.Thread(target=self._run, name="nola-backup")

    def __enter__(self) -> Self:
        """Begin."""
        if self._scheduled:
            _ = self._desk.assistant  # made here: two threads that ask for it first would make two
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the backup to be whole, and say if it could not be made."""
        if self._thread.ident is not None:
            self._thread.join(self._patience_s)
            if self._thread.is_alive():
                output.say("note: the backup of today is being finished; the next one is due tomorrow")
                self._thread.join()
        if self._failure:
            output.say(f"note: the backup of today could not be made: {output.sentence(self._failure)}")

    def _run(self) -> None:
        try:
            self._desk.assistant.backups.run_due()
        except (NolaError, OSError) as error:
            self._failure = str(error)
        except Exception as error:  # noqa: BLE001 -- a bug in a backup must not spoil what the person reads
            self._failure = f"something went wrong inside Nola: {type(error).__name__}"
