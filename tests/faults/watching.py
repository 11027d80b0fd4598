"""The test's side of a process that watches its files: what it noticed, and when."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from tests.faults.harness import Child, Zygote

__all__ = ["Watch"]


class Watch:
    """A process with Nola open and her watcher running.

    Args:
        zygote: Makes it.
        home: Nola's folder.
    """

    def __init__(self, zygote: Zygote, home: Path) -> None:
        self._child: Child = zygote.child("watching", str(home))
        self.seen: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        """Wait until it is ready."""
        assert self._answer() == {"ok": True}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, whatever happened."""
        self._child.__exit__(kind, error, trace)

    def ask(self, do: str, **order: object) -> dict[str, Any]:
        """Give an order and return the answer; what is noticed meanwhile is kept."""
        self._child.send(do, **order)
        answer = self._answer()
        assert answer is not None, f"no answer to {do}"
        return answer

    def until(self, holds: Callable[[dict[str, Any]], bool], within_s: float) -> float | None:
        """Wait until something is noticed of which this holds; return how long that took in seconds, or None.

        What was noticed since the last wait counts too.
        """
        began = time.monotonic()
        at = 0
        while True:
            for noticed in self.seen[at:]:
                at += 1
                if holds(noticed):
                    return time.monotonic() - began
            left = within_s - (time.monotonic() - began)
            if left <= 0:
                return None
            answer = self._child.read(left)
            if answer and "seen" in answer:
                self.seen.append(answer["seen"])

    def forget(self) -> None:
        """Forget what was noticed so far."""
        self.seen.clear()

    def rest(self, seconds: float) -> None:
        """Let time pass, and keep what is noticed."""
        self.until(lambda _: False, seconds)

    def _answer(self) -> dict[str, Any] | None:
        while (answer := self._child.read()) is not None:
            if "seen" in answer:
                self.seen.append(answer["seen"])
            elif "degraded" not in answer:
                return answer
        return None
