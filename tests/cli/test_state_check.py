"""Tests of the picture of a broken line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.cli.state_check import Picture, picture, problem_document, problem_lines
from nola.errors import DocumentError
from nola.flow import Problem
from nola.state import document

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 10_000


def seen(folder: Path, content: bytes, line: int, column: int) -> Picture | None:
    """Return the picture of a place in a file."""
    (folder / "user.json").write_bytes(content)
    return picture(folder, Problem("user.json", line, column, "wrong"), max_bytes=LIMIT)


def drawn(folder: Path, content: bytes, line: int, column: int) -> tuple[str, str]:
    """Return what of it is printed."""
    found = seen(folder, content, line, column)
    assert found is not None
    return found.drawn()


def test_a_problem_is_told_with_its_line(tmp_path: Path) -> None:
    """As compilers do: the place, the line with its number, the caret."""
    found = seen(tmp_path, b'{\n  "name": "Mira",,\n}\n', 2, 18)
    assert list(problem_lines(Problem("user.json", 2, 18, "a comma too many"), found)) == [
        "error: user.json, line 2, column 18: a comma too many",
        '  2 |   "name": "Mira",,',
        "    |                  ^",
    ]
    assert list(problem_lines(Problem("user.json", 0, 0, "it is gone"), None)) == ["error: user.json: it is gone"]


def test_a_document_holds_the_line_and_the_place_in_it(tmp_path: Path) -> None:
    """Counted from 1, as the column is."""
    problem = Problem("user.json", 1, 3, "wrong", "warning")
    assert problem_document(problem, seen(tmp_path, b"{ x}", 1, 3)) == {
        "file": "user.json",
        "line": 1,
        "column": 3,
        "message": "wrong",
        "severity": "warning",
        "text": "{ x}",
        "caret": 3,
    }
    assert problem_document(problem, None)["text"] is None


def test_the_caret_stands_under_the_place_whatever_comes_before_it(tmp_path: Path) -> None:
    """Tabs, wide and combining letters, stray bytes, controls that are spelled out, a byte order mark, line ends."""
    assert drawn(tmp_path, b"\t\t]x", 1, 3) == ("  ]x", "  ^")
    assert drawn(tmp_path, "日本]".encode(), 1, 3) == ("日本]", "    ^")
    assert drawn(tmp_path, "e\u0301]".encode(), 1, 3) == ("e\u0301]", " ^")
    assert drawn(tmp_path, b"\xff]", 1, 2) == ("\\xff]", "    ^")
    assert drawn(tmp_path, b"\x1b[2J]", 1, 5) == ("\\x1b[2J]", "       ^")
    assert drawn(tmp_path, "\u202e]".encode(), 1, 2) == ("\\u202e]", "      ^")
    assert drawn(tmp_path, b"\xef\xbb\xbfx]\r\n", 1, 2) == ("x]", " ^")
    assert drawn(tmp_path, b"[1", 1, 3) == ("[1", "  ^")


def test_a_long_line_is_cut_around_the_place(tmp_path: Path) -> None:
    """On the left, on both sides, on the right."""
    line = b"a" * 500 + b"!" + b"b" * 500
    assert drawn(tmp_path, line, 1, 1) == ("a" * 72 + "…", "^")
    assert drawn(tmp_path, line, 1, 501) == ("…" + "a" * 36 + "!" + "b" * 35 + "…", " " * 37 + "^")
    assert drawn(tmp_path, line, 1, 1002) == ("…" + "b" * 72, " " * 73 + "^")


def test_where_no_line_can_be_seen_there_is_no_picture(tmp_path: Path) -> None:
    """No place, no file, a folder, a file that is too large, a line that is gone or blank."""
    for content, line in ((b"x", 0), (b"x", 2), (b"{\n\n", 2), (b"x" * (LIMIT + 1), 1)):
        assert seen(tmp_path, content, line, 1) is None
    for name in ("none.json", ".", "\0", "\udcff.json"):
        assert picture(tmp_path, Problem(name, 1, 1, "wrong"), max_bytes=LIMIT) is None


@given(st.binary(max_size=200), st.integers(1, 5), st.integers(0, 300))
def test_any_bytes_can_be_drawn(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, line: int, column: int
) -> None:
    """On one line, with the caret below it or just behind, and nothing that commands a terminal."""
    found = seen(tmp_path_factory.getbasetemp(), content, line, column)
    if found is not None:
        text, caret = found.drawn()
        assert text.isprintable() or not any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in text)
        assert len(caret) <= len(text) * 2 + 1


@pytest.mark.bar("C2")
@pytest.mark.parametrize(
    "content", [b'{"a": 1,, "b": 2}', b'{\n"a" 1}', b'{"a": nope}', b'{"a": "\xff"}', b'\xef\xbb\xbf{"a": ]']
)
def test_the_caret_points_where_the_parser_stopped(tmp_path: Path, content: bytes) -> None:
    """At the very sign."""
    with pytest.raises(DocumentError) as caught:
        document.parse(content, "user.json")
    found = seen(tmp_path, content, caught.value.line, caught.value.column)
    assert found is not None
    assert found.text[found.caret] in {",", "1", "o", "n", "\udcff", "]"}
