"""What all commands share in printing: documents, sentences, errors, tables, bars, texts safe for a terminal."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, TextIO

import orjson

from nola.cli import output_streams as streams

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
    "exact",
    "flush",
    "inline",
    "json_line",
    "model_name",
    "on_terminal",
    "one_line",
    "printable",
    "receipt_line",
    "say",
    "say_dim",
    "sentence",
    "show",
    "size",
    "table",
    "write",
]

# Controls of old and new terminals, what turns the direction of writing, line ends of other kinds, stray bytes.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_LAYOUT = str.maketrans({"\n": "\\n", "\t": "\\t"})
_STRAY = re.compile(r"\\udc([89a-f][0-9a-f])")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7e]")
_STRAY_BYTE = 0xDC00
_ASCII = 0x7F
_ONE_UNIT = 0xFFFF
_BARS = " ▁▂▃▄▅▆▇█"
_MOST_INLINE = 60
_KILO = 1000
_STEPS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def document(value: object) -> None:
    """Print one JSON document on stdout, indented."""
    streams.put(_json(value, orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def json_line(value: object) -> None:
    """Print one JSON document on one line of stdout, at once."""
    streams.put(_json(value, orjson.OPT_APPEND_NEWLINE))
    streams.flush()


def write(text: str, *, end: str = "\n") -> None:
    """Print text on stdout at once, safe wherever it goes: a pipe may end at a terminal."""
    streams.put(printable(text) + end)
    streams.flush()


def exact(text: str) -> None:
    """Print a value on stdout at once: as it is for a program, and made safe where a person looks."""
    streams.put((printable(text) if on_terminal(sys.stdout) else text) + "\n")
    streams.flush()


def show(text: str, *, aside: str = "") -> None:
    """Print one line of many on stdout, safe wherever it goes.

    Args:
        text: The line.
        aside: What steps back behind it.
    """
    behind = f"  {dim(printable(aside), sys.stdout)}" if aside else ""
    streams.put(f"{printable(text)}{behind}\n")


def say(text: str) -> None:
    """Print a message on stderr, beside what the command gives out."""
    streams.put_aside(f"{printable(text)}\n")


def say_dim(text: str) -> None:
    """Print a message on stderr that steps back."""
    streams.put_aside(f"{dim(printable(text), sys.stderr)}\n")


def error(problem: NolaError) -> None:
    """Say in one sentence what went wrong, and below it what to do."""
    say(f"nola: {sentence(str(problem))}")
    if problem.fix:
        say(f"      {sentence(problem.fix)}")


def flush() -> None:
    """Hand on what was printed so far; exits when whoever read it is gone."""
    streams.flush()


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
    r"""Spell out what could command a terminal or reorder what is read: a text is text, and shows all that it holds.

    An escape becomes the four signs `\x1b`, and a byte that is no UTF-8, as file names may have, `\xff`.
    """
    return _UNSAFE.sub(_spelled, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    r"""Make a text safe and keep it on its line: a key, a path or a cell that holds line ends shows them as `\n`."""
    return printable(text).translate(_LAYOUT)


def sentence(text: str) -> str:
    r"""Make a message safe and keep it on its line; a byte that Python has spelled already reads `\xff` too."""
    return _STRAY.sub(r"\\x\1", one_line(text))


def inline(value: Json, *, most: int | None = _MOST_INLINE) -> str:
    """Write a value as safe JSON on one line, shortened when it is longer than `most`."""
    text = _UNSAFE.sub(_as_json, _dumped(value, 0))
    return text if most is None or len(text) <= most else f"{text[: most - 1]}…"


def receipt_line(receipt: Receipt) -> str:
    """Write a receipt the way a person reads it: what was saved where, instead of what, and how to undo it."""
    undo = f"(undo: nola state undo {receipt.undo})"
    path = one_line(receipt.path)
    if receipt.new is None and receipt.old is not None and receipt.what != "set":
        return f"removed {path}: {inline(receipt.old)}  {undo}"
    before = "" if receipt.old is None else f"{inline(receipt.old)} -> "
    return f"saved {path}: {before}{inline(receipt.new)}  {undo}"


def bar(fraction: float) -> str:
    """Draw a fraction between 0 and 1 as one sign, from a blank to a full block."""
    return _BARS[round(max(0.0, min(1.0, fraction)) * (len(_BARS) - 1))]


def ago(age: timedelta) -> str:
    """Say how long ago something was, in its largest unit: `3 h ago`; of what is still to come, `in 3 h`."""
    seconds = age.total_seconds()
    for length, unit in _STEPS:
        if abs(seconds) >= length:
            told = f"{int(abs(seconds) // length)} {unit}"
            return f"{told} ago" if seconds > 0 else f"in {told}"
    return "now"


def model_name(model: str) -> str:
    """Name a model of vectors without the digest that its file begins with."""
    return re.sub(r"^[0-9a-f]{16}-", "", model)


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
    if not on_terminal(sys.stdout):
        _plain_table(heads, rows, right)
        return
    from rich.console import Console  # noqa: PLC0415 -- keeps start-up fast
    from rich.table import Table  # noqa: PLC0415 -- keeps start-up fast
    from rich.text import Text  # noqa: PLC0415 -- keeps start-up fast

    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for head in heads:
        grid.add_column(head, justify="right" if head in right else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(one_line(cell)) for cell in row))
    width = shutil.get_terminal_size().columns
    drawn = io.StringIO()
    Console(file=drawn, width=width, force_terminal=coloured(sys.stdout), highlight=False).print(grid)
    for line in drawn.getvalue().splitlines():
        streams.put(f"{line.rstrip()}\n")


def _plain_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str]) -> None:
    """Print a table in which every row keeps its line, however long, and many thousands of them take no time."""
    from rich.cells import cell_len  # noqa: PLC0415 -- keeps start-up fast

    lines = [list(heads), *([one_line(cell) for cell in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = []
        for head, cell, width in zip(heads, line, widths, strict=True):
            room = " " * (width - cell_len(cell))
            cells.append(room + cell if head in right else cell + room)
        streams.put(f"{'  '.join(cells).rstrip()}\n")


def _spelled(match: re.Match[str]) -> str:
    sign = ord(match.group())
    if sign <= _ASCII:
        return f"\\x{sign:02x}"
    stray = sign - _STRAY_BYTE
    return f"\\x{stray:02x}" if 0x80 <= stray <= 0xFF else f"\\u{sign:04x}"  # noqa: PLR2004 -- the bytes beyond ASCII


def _as_json(match: re.Match[str]) -> str:
    sign = ord(match.group())
    if sign <= _ONE_UNIT:
        return f"\\u{sign:04x}"
    high, low = divmod(sign - _ONE_UNIT - 1, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _json(value: object, option: int) -> str:
    """Write a document that a terminal can't be commanded by, and that every encoding can carry; its value is one."""
    text = _dumped(value, option)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return _NOT_ASCII.sub(_as_json, text)
    return _UNSAFE.sub(_as_json, text) if on_terminal(sys.stdout) else text


def _dumped(value: object, option: int) -> str:
    try:
        return orjson.dumps(value, option=option).decode()
    except TypeError:  # JSON has no way to tell bytes that are no UTF-8, which file names may hold
        return orjson.dumps(_without_stray_bytes(value), option=option).decode()


def _without_stray_bytes(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATES.sub(_spelled, value)
    if isinstance(value, dict):
        return {_without_stray_bytes(key): _without_stray_bytes(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_stray_bytes(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _without_stray_bytes(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value
