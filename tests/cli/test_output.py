"""Tests of printing."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import TYPE_CHECKING

from nola.cli import output
from tests.cli.fakes import receipt
from tests.cli.terminal import seated

if TYPE_CHECKING:
    import pytest


def test_a_terminal_is_not_commanded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters are dropped there, and pass through a pipe."""
    with seated(monkeypatch) as screen:
        output.write("a\x1b[2Jb\x07c\u202ed\ne")
    assert screen.out.getvalue() == "a[2Jbcd\ne\n"
    output.write("a\x1bb")
    assert capsys.readouterr().out == "a\x1bb\n"


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR and TERM=dumb are respected."""
    with seated(monkeypatch, colour=True):
        assert output.dim("x", sys.stdout) == "\x1b[2mx\x1b[0m"
        monkeypatch.setenv("TERM", "dumb")
        assert output.dim("x", sys.stdout) == "x"
    with seated(monkeypatch):
        assert output.dim("x", sys.stdout) == "x"
    assert output.dim("x", sys.stdout) == "x"


def test_receipts_say_what_happened() -> None:
    """New, changed, removed, and set to null."""
    undo = "(undo: nola state undo abc123)"
    assert output.receipt_line(receipt(old=None)) == f'saved user.home.city: "Porto"  {undo}'
    assert output.receipt_line(receipt()) == f'saved user.home.city: "Lyon" -> "Porto"  {undo}'
    assert output.receipt_line(receipt(new=None, what="unset")) == f'removed user.home.city: "Lyon"  {undo}'
    assert output.receipt_line(receipt(new=None)) == f'saved user.home.city: "Lyon" -> null  {undo}'


def test_sizes_and_ages() -> None:
    """In the largest unit that fits."""
    assert [output.size(n) for n in (466_247, 491_400_064, 1_117_320_768)] == ["466.2 kB", "491 MB", "1.1 GB"]
    ages = [timedelta(0), timedelta(seconds=59), timedelta(minutes=3), timedelta(hours=5), timedelta(days=400)]
    assert [output.ago(age) for age in ages] == ["now", "59 s ago", "3 min ago", "5 h ago", "400 d ago"]


def test_bars() -> None:
    """From a blank to a full block; what lies outside is clipped."""
    assert "".join(output.bar(x) for x in (-1, 0, 0.5, 1, 2)) == "  ▄██"


def test_a_long_value_is_shortened() -> None:
    """To sixty signs."""
    assert output.inline("x" * 100) == f'"{"x" * 58}…'


def test_tables_are_one_line_per_row_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """However long, without trailing blanks and without markup."""
    output.table(("name", "n"), [("[b]" + "x" * 300, "1"), ("y", "22")], right=("n",))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [["name", "n"], ["[b]" + "x" * 300, "1"], ["y", "22"]]
    assert all(line == line.rstrip() for line in lines)


def test_tables_fit_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long cell is folded."""
    with seated(monkeypatch) as screen:
        output.table(("name", "what"), [("x", "word " * 60)])
    lines = screen.out.getvalue().splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= 100
