"""Tests of showing a download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli.fetching import Fetching
from nola.llm.models import Progress
from tests.cli.terminal import seated

if TYPE_CHECKING:
    import pytest


def test_a_pipe_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """At the beginning, every tenth, and at the end; never on stdout."""
    with Fetching() as fetching:
        for done in range(101):
            fetching("default", done * 1_000_000, 100_000_000)
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert (lines[0], lines[-1]) == (
        "nola: fetching default: 0% of 100 MB",
        "nola: fetching default: 100% of 100 MB",
    )
    assert len(lines) <= 12


def test_what_was_given_up_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the progress."""
    with Fetching() as fetching:
        fetching.step(Progress("default", 0, 100, "models.example", "models.example: no connection"))
    assert "nola: models.example: no connection" in capsys.readouterr().err


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """On stderr, and it ends with the download."""
    with seated(monkeypatch) as screen, Fetching() as fetching:
        fetching("default", 1_000_000, 2_000_000)
        fetching.note("one mirror did not answer")
        fetching("default", 2_000_000, 2_000_000)
    assert screen.out.getvalue() == ""
    assert "2.0/2.0 MB" in screen.err.getvalue()
    assert "one mirror did not answer" in screen.err.getvalue()
