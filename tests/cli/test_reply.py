"""Tests of printing a turn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nola.cli.reply import Teller, footer
from nola.errors import ModelError
from nola.flow import ModelRef, Token
from nola.types import Tokens
from tests.cli.fakes import receipt, result
from tests.cli.terminal import seated
from tests.context.making import remembered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.flow import Event


def test_a_terminal_gets_receipts_and_a_line_about_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the reply; while waiting a sign shows that something is going on."""
    with seated(monkeypatch, colour=True) as screen:
        Teller().tell(iter([Token("Bis"), Token("cuit.\n"), result(receipts=(receipt(),))]))
    assert screen.out.getvalue() == "Biscuit.\n"
    assert screen.err.getvalue() == (
        "\x1b[2m…\x1b[0m\r\x1b[K"
        'saved user.home.city: "Lyon" -> "Porto"  (undo: nola state undo abc123)\n'
        "\x1b[2mlevel 2 · 6/50 tokens · 1 fact · embedded:default · 1.5 s\x1b[0m\n"
    )


def test_the_line_names_a_model_without_a_name_once() -> None:
    """`none`, not `none:none`."""
    turn = replace(result(), model=ModelRef("none", "none"), timings_ms={})
    assert footer(turn) == "level 2 · 6/50 tokens · 1 fact · none"


def test_the_line_counts_memories_beside_facts() -> None:
    """Their tokens and their budget join those of the facts."""
    turn = replace(result(), model=ModelRef("none", "none"), timings_ms={})
    (fact,) = turn.report.selected
    told = replace(fact, path="memory:01", memory=remembered("I planted quince"))
    report = replace(turn.report, selected=(fact, told), memory_budget=Tokens(150), memory_tokens=Tokens(9))
    assert footer(replace(turn, report=report)) == "level 2 · 15/200 tokens · 1 fact · 1 memory · none"


def test_a_reply_that_did_not_stream_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Whole, at the end."""
    Teller().tell(iter([result("Biscuit.")]))
    assert capsys.readouterr().out == "Biscuit.\n"


def test_the_turn_is_closed_when_printing_breaks_off() -> None:
    """Closing the turn stops the model."""
    closed = []

    def turn() -> Iterator[Event]:
        try:
            yield Token("a")
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt):
        Teller().tell(turn())
    assert closed == [True]


def test_a_turn_without_result_is_an_error() -> None:
    """It is never taken for an empty reply."""
    with pytest.raises(ModelError, match="without a result"):
        Teller().tell(iter([Token("a")]))
