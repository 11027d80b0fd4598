"""Shows what is wrong with the state's files, with a picture of the line: its text, and a caret under the column."""

from __future__ import annotations

import dataclasses
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nola.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.flow import Problem

__all__ = ["Picture", "picture", "problem_document", "problem_lines"]

_MOST = 72
_MARK = "…"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Picture:
    """The part of a line that a problem stands in.

    Attributes:
        text: The line, or what stands around the place when it is long; not made safe.
        caret: The place in the text, counted in characters from 0; its length when the place is behind the end.
    """

    text: str
    caret: int

    def drawn(self) -> tuple[str, str]:
        """Return the text safe for a terminal, and a line with the caret below its place."""
        before, behind = self.text[: self.caret], self.text[self.caret :]
        safe = _safe(before)
        return f"{safe}{_safe(behind)}", " " * _columns(safe) + "^"


def picture(folder: Path, problem: Problem, *, max_bytes: int) -> Picture | None:
    """Return the picture of a problem, or None when there is no line to be seen.

    Args:
        folder: The state folder.
        problem: What is wrong.
        max_bytes: Larger files are not read.
    """
    file = folder / problem.file
    if problem.line < 1:
        return None
    try:
        if not file.is_file() or file.stat().st_size > max_bytes:
            return None
        lines = file.read_bytes().removeprefix(_BOM).split(b"\n")
    except (OSError, ValueError):  # gone, not for us, or no file's name
        return None
    if problem.line > len(lines):
        return None
    text = lines[problem.line - 1].decode("utf-8", "surrogateescape").rstrip("\r")
    return _around(text, min(max(problem.column - 1, 0), len(text))) if text.strip() else None


def problem_lines(problem: Problem, seen: Picture | None) -> Iterator[str]:
    """Yield the lines that tell a problem."""
    where = f"{problem.file}, line {problem.line}, column {problem.column}" if problem.line else problem.file
    yield output.sentence(f"{problem.severity}: {where}: {problem.message}")
    if seen is not None:
        text, caret = seen.drawn()
        number = f"  {problem.line} | "
        yield f"{number}{text}".rstrip()
        yield f"{' ' * (len(number) - 2)}| {caret}"


def problem_document(problem: Problem, seen: Picture | None) -> dict[str, Any]:
    """Make the document of a problem: what is known of it, the line's text, and where in that text it is, from 1."""
    return {
        **dataclasses.asdict(problem),
        "text": seen.text if seen else None,
        "caret": seen.caret + 1 if seen else None,
    }


def _around(text: str, caret: int) -> Picture:
    if len(text) <= _MOST:
        return Picture(text, caret)
    start = min(max(0, caret - _MOST // 2), len(text) - _MOST)
    cut = text[start : start + _MOST]
    before, behind = (_MARK if start else ""), (_MARK if start + _MOST < len(text) else "")
    return Picture(f"{before}{cut}{behind}", caret - start + len(before))


def _safe(text: str) -> str:
    return output.one_line(text.replace("\t", " "))


def _columns(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(bool(unicodedata.combining(sign)) for sign in text)
