"""Shows how far a download is, and what there is to say beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli import output
from nola.cli.progress import ProgressBar, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.progress import ProgressColumn

    from nola.llm.models import Progress as Step

__all__ = ["Fetching"]


class Fetching(ProgressBar):
    """The progress of one or more downloads, counted in bytes."""

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

    def _columns(self) -> Sequence[ProgressColumn]:
        from rich.progress import DownloadColumn, TransferSpeedColumn  # noqa: PLC0415 -- keeps start-up fast

        return [DownloadColumn(), TransferSpeedColumn()]

    def _label(self, name: str) -> str:
        return name

    def _line(self, name: str, done: int, total: int) -> str:
        return f"fetching {name}: {share(done, total):.0%} of {output.size(total)}"
