"""Tests of how a context report is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nola.cli.context_table import show_report
from nola.types import Tokens
from tests.cli.fakes import report
from tests.cli.terminal import seated
from tests.context.making import remembered

if TYPE_CHECKING:
    import pytest


def test_twenty_left_out_facts_unless_all(capsys: pytest.CaptureFixture[str]) -> None:
    """The rest is counted."""
    show_report(report(left_out=30))
    said = capsys.readouterr().out
    assert said.count("over budget") == 20
    assert "and 10 more were left out (nola context --all lists them)" in said
    show_report(report(left_out=30), most=None)
    assert capsys.readouterr().out.count("over budget") == 30


def test_what_is_not_known_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Notices go to stderr."""
    show_report(report(unknown=("your sister's birthday",), notices=("user.json does not parse",)))
    printed = capsys.readouterr()
    assert "not known: your sister's birthday" in printed.out
    assert printed.err == "note: user.json does not parse\n"


def test_nothing_goes_in(capsys: pytest.CaptureFixture[str]) -> None:
    """That is said in words."""
    show_report(replace(report(left_out=0), selected=(), tokens=Tokens(0)))
    assert "nothing goes in" in capsys.readouterr().out


def test_a_terminal_gets_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small one per factor; what was left out is grouped by its reason."""
    with seated(monkeypatch) as screen:
        show_report(report(left_out=3))
    assert "▆ 0.70" in screen.out.getvalue()
    assert screen.out.getvalue().count("left out, over budget:") == 1


def test_a_memory_is_shown_with_what_recall_saw(capsys: pytest.CaptureFixture[str]) -> None:
    """Its tokens have a line of their own; relevance, strength, tier, parts and why stand below its text."""
    told = report(left_out=0)
    (fact,) = told.selected
    memory = remembered("I planted quince", parts={"bm25": 0.4, "cosine": 0.6}, why="shares words")
    chosen = replace(fact, path="memory:01", text="You said: “I planted quince”", memory=memory)
    show_report(replace(told, selected=(fact, chosen), memory_budget=Tokens(150), memory_tokens=Tokens(6)))
    said = capsys.readouterr().out
    assert "budget: 6 of 50 tokens used, 1 fact\nmemory: 6 of 150 tokens used, 1 memory\n" in said
    assert (
        "  You said: “I planted quince”\n"
        "    relevance 1.00, strength 0.50 (warm): shares words [bm25 0.40, cosine 0.60]\n"
    ) in said
