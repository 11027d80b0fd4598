"""Shows how far a piece of work is that counts things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli.progress import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.progress import ProgressColumn

__all__ = ["Counting"]


class Counting(ProgressBar):
    """The progress of work that counts things, part by part.

    Args:
        doing: What is done, as `indexing`.
    """

    def __init__(self, doing: str) -> None:
        super().__init__()
        self._doing = doing

    def _columns(self) -> Sequence[ProgressColumn]:
        from rich.progress import MofNCompleteColumn  # noqa: PLC0415 -- keeps start-up fast

        return [MofNCompleteColumn()]

    def _label(self, name: str) -> str:
        return f"{self._doing} {name}"

    def _line(self, name: str, done: int, total: int) -> str:
        return f"{self._doing} {name}: {done:,} of {total:,}"
