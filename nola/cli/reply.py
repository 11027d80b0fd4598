"""Prints a turn while it happens: the reply as it streams, then receipts, notices, and a line on how it was made."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from nola.cli import output
from nola.cli.wrap import Filler
from nola.documents import turn_document
from nola.errors import ModelError
from nola.flow import Receipt, Token, TurnResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.flow import Event

__all__ = ["Teller", "footer"]

_MS = 1000
_ERASE_LINE = "\r\x1b[K"


class Teller:
    """Prints turns, one after another.

    Args:
        quiet: Print the reply and nothing else.
        as_json: Print one document per turn instead.
        lines: In that case on one line each.
    """

    def __init__(self, *, quiet: bool = False, as_json: bool = False, lines: bool = False) -> None:
        self._quiet = quiet
        self._as_json = as_json
        self._lines = lines
        self._line_open = False
        self._begun = False
        self._quoting = False
        self._waiting = False
        self._filler: Filler | None = None

    def tell(self, events: Iterator[Event]) -> TurnResult:
        """Print a turn's events as they come; return its result.

        When the turn breaks off, the model is stopped, and what was written until then is still told.

        Raises:
            ModelError: The turn ended without a result.
        """
        receipts: list[Receipt] = []
        self._begun = self._quoting = self._line_open = False
        live = output.on_terminal(sys.stdout)
        self._filler = Filler(shutil.get_terminal_size().columns) if live else None
        self._wait()
        try:
            for event in events:
                if isinstance(event, TurnResult):
                    return self._finished(event)
                if isinstance(event, Receipt):
                    receipts.append(event)
                elif isinstance(event, Token) and not self._as_json:
                    self._stream(event)
        except BaseException:  # whatever breaks it off, Ctrl-C too: what was written until then is told
            self._end_line()
            self._told(receipts, ())
            raise
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
        raise ModelError("the turn ended without a result")

    def _finished(self, result: TurnResult) -> TurnResult:
        if self._as_json:
            self._go_on()
            (output.json_line if self._lines else output.document)(turn_document(result))
            return result
        if not self._begun:
            self._stream(Token(result.reply or result.quoted))
        self._end_line()
        self._told(result.receipts, result.notices)
        if not self._quiet and output.on_terminal(sys.stderr):
            output.say_dim(footer(result))
        return result

    def _stream(self, token: Token) -> None:
        self._go_on()
        text = token.text
        if token.quoted and not self._quoting and self._begun:
            self._end_line()
            text = f"\n{text.lstrip()}"
        self._quoting = token.quoted
        if not self._begun:
            text = text.lstrip()
        if text:
            self._begun = True
            self._line_open = not text.endswith("\n")
            output.write(self._filler.feed(output.printable(text)) if self._filler else text, end="")

    def _told(self, receipts: tuple[Receipt, ...] | list[Receipt], notices: tuple[str, ...]) -> None:
        if self._quiet or self._as_json:
            return
        for receipt in receipts:
            output.say(output.receipt_line(receipt))
        for notice in notices:
            output.say(f"note: {notice}")

    def _end_line(self) -> None:
        self._go_on()
        if self._filler:
            output.write(self._filler.end(), end="")
        if self._line_open:
            output.write("")
        self._line_open = False

    def _wait(self) -> None:
        """Show that something is going on until the first words come; on a terminal only."""
        if not self._quiet and output.coloured(sys.stderr) and output.on_terminal(sys.stdout):
            sys.stderr.write(output.dim("…", sys.stderr))
            sys.stderr.flush()
            self._waiting = True

    def _go_on(self) -> None:
        if self._waiting:
            sys.stderr.write(_ERASE_LINE)
            sys.stderr.flush()
        self._waiting = False


def footer(result: TurnResult) -> str:
    """Say in one line how a reply was made."""
    report, model = result.report, result.model
    memories = len(report.memories)
    facts = len(report.selected) - memories
    parts = [
        f"level {int(report.choice.level)}",
        f"{report.tokens + report.memory_tokens}/{report.budget + report.memory_budget * bool(memories)} tokens",
        f"{facts} fact{'' if facts == 1 else 's'}",
        *([f"{memories} memor{'y' if memories == 1 else 'ies'}"] if memories else []),
        f"{model.provider}:{model.name}" if model.name not in {"", model.provider} else model.provider,
    ]
    if result.timings_ms:
        parts.append(f"{sum(result.timings_ms.values()) / _MS:.1f} s")
    return " · ".join(parts)
