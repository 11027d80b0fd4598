"""A screen and a keyboard that believe they are a terminal."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

__all__ = ["Screen", "Terminal", "seated"]


class Terminal(io.StringIO):
    """Text that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@dataclass(frozen=True)
class Screen:
    """What was printed."""

    out: Terminal
    err: Terminal


@contextmanager
def seated(monkeypatch: pytest.MonkeyPatch, typed: str = "", *, colour: bool = False) -> Iterator[Screen]:
    """Sit somebody at a terminal who types this."""
    screen = Screen(Terminal(), Terminal())
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", Terminal(typed))
        patch.setattr(sys, "stdout", screen.out)
        patch.setattr(sys, "stderr", screen.err)
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", "100")
        if colour:
            patch.delenv("NO_COLOR", raising=False)
        else:
            patch.setenv("NO_COLOR", "1")
        yield screen
