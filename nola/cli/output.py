"""What all commands share in printing: documents, sentences, errors, tables, bars, texts safe for a terminal."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, TextIO

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta

    from nola.errors import NolaError
    from nola.flow import Receipt
    from nola.types import Json

__all__ = [
    "ago",
    "bar",
    "coloured",
    "dim",
    "document",
    "error",
    "inline",
    "json_line",
    "on_terminal",
    "printable",
    "receipt_line",
    "say",
    "say_dim",
    "size",
    "table",
    "write",
]

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BARS = " ▁▂▃▄▅▆▇█"
_PIPE_WIDTH = 10_000
_MOST_INLINE = 60
_KILO = 1000
_STEPS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def document(value: object) -> None:
    """Print one JSON document on stdout, indented."""
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())


def json_line(value: object) -> None:
    """Print one JSON document on one line of stdout, at once."""
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE).decode())
    sys.stdout.flush()


def write(text: str, *, end: str = "\n") -> None:
    """Print text on stdout, made safe when that is a terminal."""
    sys.stdout.write((printable(text) if on_terminal(sys.stdout) else text) + end)
    sys.stdout.flush()


def say(text: str) -> None:
    """Print a message on stderr, beside what the command gives out."""
    sys.stdout.flush()
    sys.stderr.write(f"{printable(text)}\n")
    sys.stderr.flush()


def say_dim(text: str) -> None:
    """Print a message on stderr that steps back."""
    sys.stdout.flush()
    sys.stderr.write(f"{dim(printable(text), sys.stderr)}\n")
    sys.stderr.flush()


def error(problem: NolaError) -> None:
    """Say in one sentence what went wrong, and below it what to do."""
    say(f"nola: {problem}")
    if problem.fix:
        say(f"      {problem.fix}")


def on_terminal(stream: TextIO) -> bool:
    """Tell whether a person looks at this stream."""
    return stream.isatty()


def coloured(stream: TextIO) -> bool:
    """Tell whether this stream may carry colours (no-color.org)."""
    return on_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def dim(text: str, stream: TextIO) -> str:
    """Make text step back where colours are allowed."""
    return f"\x1b[2m{text}\x1b[0m" if coloured(stream) else text


def printable(text: str) -> str:
    """Drop what could command a terminal: a reply or a stored value is text and nothing more."""
    return _CONTROLS.sub("", text)


def inline(value: Json) -> str:
    """Write a value as JSON on one line, shortened when it is long."""
    text = orjson.dumps(value).decode()
    return text if len(text) <= _MOST_INLINE else f"{text[: _MOST_INLINE - 1]}…"


def receipt_line(receipt: Receipt) -> str:
    """Write a receipt the way a person reads it: what was saved where, instead of what, and how to undo it."""
    undo = f"(undo: nola state undo {receipt.undo})"
    if receipt.new is None and receipt.old is not None and receipt.what != "set":
        return f"removed {receipt.path}: {inline(receipt.old)}  {undo}"
    before = "" if receipt.old is None else f"{inline(receipt.old)} -> "
    return f"saved {receipt.path}: {before}{inline(receipt.new)}  {undo}"


def bar(fraction: float) -> str:
    """Draw a fraction between 0 and 1 as one sign, from a blank to a full block."""
    return _BARS[round(max(0.0, min(1.0, fraction)) * (len(_BARS) - 1))]


def ago(age: timedelta) -> str:
    """Say how long ago something was, in its largest unit: `3 h ago`."""
    seconds = age.total_seconds()
    for length, unit in _STEPS:
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return "now"


def size(count: int) -> str:
    """Write a number of bytes the way shops do: `491 MB`, `1.1 GB`."""
    if count >= _KILO**3:
        return f"{count / _KILO**3:.1f} GB"
    return f"{count / _KILO**2:.0f} MB" if count >= _KILO**2 else f"{count / _KILO:.1f} kB"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> None:
    """Print a table on stdout: fitted to a terminal, and one line per row in a pipe.

    Args:
        heads: The columns' names.
        rows: Their cells.
        right: The columns that are aligned to the right.
    """
    from rich.console import Console  # noqa: PLC0415 -- keeps start-up fast
    from rich.table import Table  # noqa: PLC0415 -- keeps start-up fast
    from rich.text import Text  # noqa: PLC0415 -- keeps start-up fast

    live = on_terminal(sys.stdout)
    grid = Table(box=None, pad_edge=False, header_style="bold" if live else "", padding=(0, 2, 0, 0))
    for head in heads:
        grid.add_column(head, justify="right" if head in right else "left", overflow="fold", no_wrap=not live)
    for row in rows:
        grid.add_row(*(Text(printable(cell)) for cell in row))
    width = shutil.get_terminal_size().columns if live else _PIPE_WIDTH
    drawn = io.StringIO()
    Console(file=drawn, width=width, force_terminal=coloured(sys.stdout), highlight=False).print(grid)
    for line in drawn.getvalue().splitlines():
        sys.stdout.write(f"{line.rstrip()}\n")
