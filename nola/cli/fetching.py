"""Shows how far a download is: a bar on a terminal, a line now and then anywhere else; always on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from nola.cli import output

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

    from nola.llm.models import Progress as Step

__all__ = ["Fetching"]

_STEP = 0.1


class Fetching:
    """The progress of one or more downloads; used as a context manager."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._said: dict[str, float] = {}

    def __enter__(self) -> Self:
        """Begin."""
        if output.on_terminal(sys.stderr):
            self._bar = _make_bar()
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away, whatever happened."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, name: str, done: int, total: int) -> None:
        """Show that `done` of `total` bytes of a file are here."""
        if self._bar is None:
            self._tell(name, done, total)
            return
        if name not in self._tasks:
            self._tasks[name] = self._bar.add_task(name, total=total)
        self._bar.update(self._tasks[name], completed=done, total=total)

    def step(self, progress: Step) -> None:
        """Show what the store of model files tells."""
        if progress.note:
            self.note(progress.note)
        self(progress.name, progress.done, progress.total)

    def note(self, text: str) -> None:
        """Say a sentence beside the bar."""
        if self._bar is not None:
            self._bar.console.print(output.printable(text), markup=False, highlight=False)
        else:
            output.say(f"nola: {text}")

    def _tell(self, name: str, done: int, total: int) -> None:
        share = done / total if total else 1.0
        if name not in self._said or share >= self._said[name] + _STEP or (share >= 1 > self._said[name]):
            self._said[name] = share
            output.say(f"nola: fetching {name}: {share:.0%} of {output.size(total)}")


def _make_bar() -> Progress:
    from rich.console import Console  # noqa: PLC0415 -- keeps start-up fast
    from rich.progress import (  # noqa: PLC0415 -- keeps start-up fast
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
