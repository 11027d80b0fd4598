"""Shows how far a piece of work is: a bar on a terminal, a line now and then anywhere else; always on stderr."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

from nola.cli import output

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rich.progress import Progress, ProgressColumn, TaskID

__all__ = ["ProgressBar", "share"]

_STEP = 0.1


class ProgressBar(ABC):
    """The progress of one or more parts of some work; used as a context manager."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._said: dict[str, float] = {}

    def __enter__(self) -> Self:
        """Begin."""
        if output.on_terminal(sys.stderr):
            self._bar = self._make_bar()
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away, whatever happened."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, name: str, done: int, total: int) -> None:
        """Show that `done` of `total` of a part are done."""
        if self._bar is None:
            self._tell(name, done, total)
            return
        if name not in self._tasks:
            self._tasks[name] = self._bar.add_task(self._label(name), total=total)
        self._bar.update(self._tasks[name], completed=done, total=total)

    @abstractmethod
    def _columns(self) -> Sequence[ProgressColumn]:
        """Return what stands between a part's bar and the time that is left."""

    @abstractmethod
    def _label(self, name: str) -> str:
        """Return what stands before a part's bar."""

    @abstractmethod
    def _line(self, name: str, done: int, total: int) -> str:
        """Return what is said of a part where there is no terminal."""

    def _tell(self, name: str, done: int, total: int) -> None:
        now = share(done, total)
        if name not in self._said or now >= self._said[name] + _STEP or (now >= 1 > self._said[name]):
            self._said[name] = now
            output.say(f"nola: {self._line(name, done, total)}")

    def _make_bar(self) -> Progress:
        from rich.console import Console  # noqa: PLC0415 -- keeps start-up fast
        from rich.progress import (  # noqa: PLC0415 -- keeps start-up fast
            BarColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            *self._columns(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )


def share(done: int, total: int) -> float:
    """Return which share of it is done; of nothing, all."""
    return done / total if total else 1.0
