"""Tests of the progress of work that counts things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli.counting import Counting
from tests.cli.terminal import seated

if TYPE_CHECKING:
    import pytest


def test_elsewhere_a_line_comes_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """At the start, after each tenth, and at the end; on stderr."""
    with Counting("indexing") as progress:
        for done in range(0, 1001, 50):
            progress("vectors", done, 1000)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[:2] == ["nola: indexing vectors: 0 of 1,000", "nola: indexing vectors: 100 of 1,000"]
    assert said.err.splitlines()[-1] == "nola: indexing vectors: 1,000 of 1,000"
    assert len(said.err.splitlines()) == 11


def test_nothing_to_do_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    """None of none."""
    with Counting("indexing") as progress:
        progress("words", 0, 0)
    assert capsys.readouterr().err == "nola: indexing words: 0 of 0\n"


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its name and the numbers."""
    with seated(monkeypatch) as screen, Counting("indexing") as progress:
        progress("vectors", 5, 20)
        progress("vectors", 20, 20)
    assert "indexing vectors" in screen.err.getvalue()
    assert "20/20" in screen.err.getvalue()
    assert screen.out.getvalue() == ""
