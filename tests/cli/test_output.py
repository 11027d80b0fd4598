"""Tests of printing."""

from __future__ import annotations

import io
import json
import sys
import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from nola.cli import output
from nola.errors import NolaError
from nola.flow import Problem
from tests.cli.fakes import receipt
from tests.cli.terminal import seated

if TYPE_CHECKING:
    import pytest

BIDI = set(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))


def test_a_terminal_is_not_commanded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters are spelled out there, and what is written for a program passes a pipe as it is."""
    with seated(monkeypatch) as screen:
        output.exact("a\x1b[2Jb\x07c\u202ed\ne")
    assert screen.out.getvalue() == "a\\x1b[2Jb\\x07c\\u202ed\ne\n"
    output.exact("a\x1bb")
    assert capsys.readouterr().out == "a\x1bb\n"


def test_what_is_meant_for_a_person_is_safe_in_a_pipe_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines, messages, receipts and cells: a pipe may end at a terminal."""
    output.show("a\x1bb", aside="c\x9bd")
    output.write("e\x1b", end="f\n")
    output.say("a\u202eb")
    output.error(NolaError("no key \x1b[1m\nnola: all is well", fix="mend\x07 it"))
    output.table(("name",), [("a\x1b\nb",)])
    output.show(output.receipt_line(receipt(path="user.\x1b[2J", new="\x9b\u2066")))
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "a\\x1bb  c\\u009bd",
        "e\\x1bf",
        "name",
        "a\\x1b\\nb",
        'saved user.\\x1b[2J: "Lyon" -> "\\u009b\\u2066"  (undo: nola state undo abc123)',
    ]
    assert printed.err == "a\\u202eb\nnola: no key \\x1b[1m\\nnola: all is well\n      mend\\x07 it\n"


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "L", "Zl", "Zp", "Po"])))
def test_no_text_commands_a_terminal(text: str) -> None:
    """Whatever it holds, no control, turn of direction or half character is left; safe text is not altered."""
    safe = output.printable(text)
    left = {sign for sign in safe if unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"}} | set(safe) & BIDI
    assert left <= {"\n", "\t"}
    assert output.printable(safe) == safe
    assert not set(output.one_line(text)) & {"\n", "\t"}


def test_stray_bytes_of_file_names_are_shown() -> None:
    """They arrive as lone surrogates, or as Python spells these."""
    assert output.printable("caf\udce9") == "caf\\xe9"
    assert output.sentence(f"no file {'caf' + chr(0xDCE9)!r}") == "no file 'caf\\xe9'"


def test_documents_are_safe_at_a_terminal_and_stay_the_same_documents(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON escapes what orjson leaves bare; a pipe gets what orjson writes."""
    value = {"a\x7f": "\x1b\x9b\u202e é"}
    with seated(monkeypatch) as screen:
        output.document(value)
    assert screen.out.getvalue() == '{\n  "a\\u007f": "\\u001b\\u009b\\u202e é"\n}\n'
    assert json.loads(screen.out.getvalue()) == value
    output.json_line(value)
    assert capsys.readouterr().out == '{"a\x7f":"\\u001b\x9b\u202e é"}\n'


def test_documents_are_ascii_where_nothing_else_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same document, in escapes."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    output.json_line({"é": "日本 😀"})
    told = stream.buffer.getvalue()
    assert told == b'{"\\u00e9":"\\u65e5\\u672c \\ud83d\\ude00"}\n'
    assert json.loads(told) == {"é": "日本 😀"}


def test_documents_tell_names_that_are_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    """A byte that is no UTF-8 is spelled, also inside lists and dataclasses."""
    output.json_line({"found": [Problem("caf\udce9.json", 0, 0, "no")], "n": 1})
    (found,) = json.loads(capsys.readouterr().out)["found"]
    assert found == {"file": "caf\\xe9.json", "line": 0, "column": 0, "message": "no", "severity": "error"}


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
    assert [output.ago(-age) for age in ages] == ["now", "in 59 s", "in 3 min", "in 5 h", "in 400 d"]


def test_a_model_is_named_without_its_digest() -> None:
    """The digest before the name of its file is left out, and nothing else."""
    assert output.model_name("8199be6f699a395f-all-minilm-l6-v2-int8.onnx/128") == "all-minilm-l6-v2-int8.onnx/128"
    assert output.model_name("hashing/256/1") == "hashing/256/1"


def test_bars() -> None:
    """From a blank to a full block; what lies outside is clipped."""
    assert "".join(output.bar(x) for x in (-1, 0, 0.5, 1, 2)) == "  ▄██"


def test_a_long_value_is_shortened() -> None:
    """To sixty signs, unless another length is asked for."""
    assert output.inline("x" * 100) == f'"{"x" * 58}…'
    assert output.inline("x" * 100, most=None) == f'"{"x" * 100}"'


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


def test_a_table_in_a_pipe_keeps_every_row_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """However long a cell is; wide signs take two columns, and numbers may stand to the right."""
    output.table(("what", "how many"), [("🔥 hot", "2"), ("x" * 20_000, "12"), ("two\nlines", "")], right=("how many",))
    output.flush()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[1] == "🔥 hot" + " " * (20_000 - 6) + " " * 9 + "2"
    assert lines[2] == "x" * 20_000 + " " * 8 + "12"
    assert lines[3] == "two\\nlines"
