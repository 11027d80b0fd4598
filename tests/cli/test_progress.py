"""Tests of the progress that counted work and downloads share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rich.progress import MofNCompleteColumn, ProgressColumn

from nola.cli.progress import ProgressBar, share
from tests.cli.terminal import seated

if TYPE_CHECKING:
    from collections.abc import Sequence


class Reading(ProgressBar):
    """The progress of reading pages."""

    def _columns(self) -> Sequence[ProgressColumn]:
        return [MofNCompleteColumn()]

    def _label(self, name: str) -> str:
        return f"reading {name}"

    def _line(self, name: str, done: int, total: int) -> str:
        return f"{name}: page {done} of {total}"


def read_and_break_off() -> None:
    """Read half of it."""
    with Reading() as progress:
        progress("one", 1, 2)
        raise KeyboardInterrupt


def test_each_part_has_lines_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """The first step, one after each tenth and the last are told of every part, and the steps between are not."""
    with Reading() as progress:
        progress("one", 5, 100)
        progress("other", 0, 10)
        progress("one", 14, 100)
        progress("one", 16, 100)
        progress("other", 10, 10)
        progress("one", 95, 100)
        progress("one", 99, 100)
        progress("one", 100, 100)
        progress("one", 100, 100)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "nola: one: page 5 of 100",
        "nola: other: page 0 of 10",
        "nola: one: page 16 of 100",
        "nola: other: page 10 of 10",
        "nola: one: page 95 of 100",
        "nola: one: page 100 of 100",
    ]


def test_a_terminal_gets_a_bar_for_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what stands before and behind it, on stderr, and none of the lines."""
    with seated(monkeypatch) as screen, Reading() as progress:
        progress("one", 2, 4)
        progress("other", 3, 3)
    assert screen.out.getvalue() == ""
    assert "reading one" in screen.err.getvalue()
    assert "2/4" in screen.err.getvalue()
    assert "reading other" in screen.err.getvalue()
    assert "3/3" in screen.err.getvalue()
    assert "page" not in screen.err.getvalue()


def test_the_bar_goes_when_the_work_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cursor that the bar hid is shown again, and the error passes through."""
    with seated(monkeypatch) as screen, pytest.raises(KeyboardInterrupt):
        read_and_break_off()
    assert screen.err.getvalue().rstrip("\n").endswith("\x1b[?25h")


@pytest.mark.parametrize(("done", "total", "part"), [(0, 4, 0.0), (1, 4, 0.25), (4, 4, 1.0), (0, 0, 1.0)])
def test_the_share_of_nothing_is_all(done: int, total: int, part: float) -> None:
    """Else it is how much is done of how much there is."""
    assert share(done, total) == part
