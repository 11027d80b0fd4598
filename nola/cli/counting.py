"""Shows how far a piece of work is that counts things: a bar on a terminal, a line now and then anywhere else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from nola.cli import output

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

__all__ = ["Counting"]

_STEP = 0.1


class Counting:
    """The progress of one or more parts of some work; always on stderr, used as a context manager.

    Args:
        doing: What is done, as `indexing`.
    """

    def __init__(self, doing: str) -> None:
        self._doing = doing
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
        """Show that `done` of `total` things of a part are done."""
        if self._bar is None:
            self._tell(name, done, total)
            return
        if name not in self._tasks:
            self._tasks[name] = self._bar.add_task(f"{self._doing} {name}", total=total)
        self._bar.update(self._tasks[name], completed=done, total=total)

    def _tell(self, name: str, done: int, total: int) -> None:
        share = done / total if total else 1.0
        if name not in self._said or share >= self._said[name] + _STEP or (share >= 1 > self._said[name]):
            self._said[name] = share
            output.say(f"nola: {self._doing} {name}: {done:,} of {total:,}")


def _make_bar() -> Progress:
    from rich.console import Console  # noqa: PLC0415 -- keeps start-up fast
    from rich.progress import (  # noqa: PLC0415 -- keeps start-up fast
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
