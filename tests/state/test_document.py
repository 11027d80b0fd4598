"""Tests of the JSON parser and writer."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from nola.errors import DocumentError
from nola.state import document

if TYPE_CHECKING:
    from nola.types import Json
    from tests.faults.table import BarResult

# Every kind of broken file: its verdict, its bytes as Latin-1, and what is told of it.
BROKEN = json.loads((Path(__file__).parents[1] / "faults" / "corpus" / "broken.json").read_text(encoding="utf-8"))
CHARACTERS = st.characters(exclude_categories=["Cs"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(CHARACTERS, max_size=20)
)
DOCUMENTS = st.dictionaries(
    st.text(CHARACTERS, max_size=20),
    st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text('ab. "\\é\0'), inner), max_leaves=12),
    max_size=8,
)
WHOLE = '\ufeff{\r\n  "é": ["\\u00e9\\ud83d\\ude00", -1.5e+3, true, {}],\n"b\\"":{"x":"日本", "y": [[], 12]}}'.encode()


@pytest.mark.bar("D1")
@pytest.mark.parametrize(("name", "text", "line", "column", "why"), BROKEN, ids=[repr(row[1][:24]) for row in BROKEN])
def test_what_is_wrong_is_told_with_its_place(
    name: str, text: str, line: int, column: int, why: str, bar_result: BarResult
) -> None:
    """Every kind of damage has a line, a column and a sentence from the table."""
    with pytest.raises(DocumentError) as caught:
        document.parse_object(text.encode("latin-1"), "user.json")
    assert (caught.value.line, caught.value.column, caught.value.why) == (line, column, why)
    assert any(row.name == name and row.verdict == "refused" and row.placed for row in document.VERDICTS)
    bar_result(1, "kinds of input")


@pytest.mark.bar("D1")
def test_some_of_what_is_wrong_passes_the_bare_library(bar_result: BarResult) -> None:
    """The control: without the table some objects that are refused load, and nothing is said of them."""
    taken = 0
    for row in BROKEN:
        with contextlib.suppress(orjson.JSONDecodeError):
            taken += isinstance(orjson.loads(row[1].encode("latin-1")), dict)
    bar_result(0, "kinds of input", control=f"the bare library: {taken} of {len(BROKEN)} loaded without a word")
    assert taken > 0


@pytest.mark.bar("D1")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'{"a": [-0, -0.0, 1.50, 1e3]}', {"a": [0, -0.0, 1.5, 1000.0]}),
        (b'{"a": [9007199254740992, -9007199254740992, 1e300, 1e16]}', {"a": [2**53, -(2**53), 1e300, 1e16]}),
        (b'{"a": [0.12345678901234567890, 12345678901234567890e-5]}', {"a": [0.12345678901234568, 123456789012345.67]}),
        (b'{"a": 1e-999, "b": "9007199254740993"}', {"a": 0.0, "b": "9007199254740993"}),
        (b'{"name": 1, "Name": 2}', {"name": 1, "Name": 2}),
        (b'{"a": "\\u0000", "\\n": 1}', {"a": "\0", "\n": 1}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
    ],
)
def test_what_loads_is_read_as_it_says(text: bytes, value: dict[str, Json], bar_result: BarResult) -> None:
    """The kinds that the table lets in have one meaning, number kinds included."""
    found = document.parse_object(text, "user.json")
    assert found == value
    assert repr(found) == repr(value)
    bar_result(1, "kinds of input")


@pytest.mark.bar("D1")
def test_the_limits_themselves_are_allowed() -> None:
    """64 levels load; 65 are told with the place of the one too many."""
    assert document.depth(document.parse(b"[" * 64 + b"]" * 64, "x.json")) == 64
    with pytest.raises(DocumentError, match="line 3, column 64: nested deeper than 64 levels"):
        document.parse(b"[" + b"[" * 63 + b'\n"{["' + b"]" * 63 + b",\n" + b"[" * 64 + b"]" * 65, "x.json")


@pytest.mark.bar("D1")
def test_a_large_file_is_refused_before_it_is_read() -> None:
    """The size is told, and no place; so are too many objects and too many keys, but none that stand in a text."""
    with pytest.raises(DocumentError, match=r"x\.json: 11 bytes are more than the limit of 10"):
        document.parse(b'{"a": "bc"}', "x.json", max_bytes=10)
    with pytest.raises(DocumentError, match=r"x\.json: 200,001 objects and lists are more than the limit of 200,000"):
        document.parse(b"[" + b"[]," * 199_999 + b"{}]", "x.json")
    with pytest.raises(DocumentError, match=r"x\.json: 200,001 keys are more than the limit of 200,000"):
        document.parse(b"{" + b'"":1,' * 200_000 + b'"":1}', "x.json")
    assert document.parse_object(b'{"a": [[], []]}', "x.json", most=4) == {"a": [[], []]}
    with pytest.raises(DocumentError, match=r"x\.json: 4 objects and lists are more than the limit of 3"):
        document.parse_object(b'{"a": [[], []]}', "x.json", most=3)
    text = b'{"a": "' + b'\\"[{:' * 300_000 + b'"}'
    assert document.parse_object(text, "x.json") == {"a": '"[{:' * 300_000}


@pytest.mark.bar("D1")
@pytest.mark.parametrize("newline", [b"", b"\n"])
def test_a_file_cut_off_anywhere_is_told(newline: bytes, bar_result: BarResult) -> None:
    """However much of a file is missing, it is refused with a place in what is left, and with a sentence that helps."""
    whole = WHOLE + newline
    cuts = 0
    for length in range(len(WHOLE)):
        with pytest.raises(DocumentError) as caught:
            document.parse_object(whole[:length], "user.json")
        lines = whole[:length].decode("utf-8", "replace").split("\n")
        assert 1 <= caught.value.line <= len(lines)
        assert 1 <= caught.value.column <= len(lines[caught.value.line - 1]) + 1
        assert any(
            said in caught.value.why for said in ("the file is empty", "still open", "never closed", "not UTF-8")
        )
        cuts += 1
    assert document.parse_object(whole, "user.json")
    bar_result(cuts, "cut positions")


def test_the_top_level_of_a_file_is_an_object() -> None:
    """A list is JSON but no file of the state."""
    assert document.parse(b"[1]", "x.json") == [1]
    with pytest.raises(DocumentError, match="in braces"):
        document.parse_object(b"[1]", "x.json")


def test_dump_is_made_for_reading() -> None:
    """Two spaces a level, order kept, a newline at the end."""
    assert document.dump({"b": [1], "a": "é"}) == '{\n  "b": [\n    1\n  ],\n  "a": "é"\n}\n'.encode()


@pytest.mark.bar("D2")
@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"a": math.nan}, "nan is no JSON number"),
        ([math.inf], "inf is no JSON number"),
        ({"a": 2**53 + 1}, "beyond 2^53"),
        ({"a": 2**64}, "beyond 2^53"),
        ({"a": "\ud800"}, "surrogate"),
        ({1: 2}, "int is no kind of JSON value"),
        ({"a": {1, 2}}, "set is no kind of JSON value"),
        ({"a": (1,)}, "tuple is no kind of JSON value"),
        ([[[]]], "nested too deep"),
    ],
)
def test_what_would_not_come_back_is_refused(value: Json, why: str) -> None:
    """Nothing is written that would be read as something else."""
    with pytest.raises(ValueError, match=why.replace("^", r"\^")):
        document.dump(value, max_depth=2)
    assert why in document.defect(value, max_depth=2)


def test_what_can_be_kept_has_no_defect() -> None:
    """Scalars, the largest whole numbers and nothing at all are fine."""
    values: list[Json] = [None, True, -0.0, "é\0", 2**53, -(2**53), [], {}, {"a": [{"b": 1.5}]}]
    for value in values:
        assert document.defect(value) == ""
        assert repr(document.parse(document.dump(value), "x.json")) == repr(value)


def check_round(value: dict[str, Json]) -> None:
    """Save, load and save again: the same value with the same order of keys, and the same bytes."""
    text = document.dump(value)
    again = document.parse_object(text, "x.json")
    assert repr(again) == repr(value)
    assert document.dump(again) == text


@pytest.mark.bar("D2")
@settings(max_examples=1_000, deadline=None)
@given(DOCUMENTS)
def test_what_is_written_reads_back_the_same(value: dict[str, Json]) -> None:
    """Load after save is the identity, and so is the order of keys."""
    check_round(value)


@pytest.mark.faults
@pytest.mark.bar("D2")
@pytest.mark.parametrize("number", range(5))
def test_ten_thousand_documents_read_back_the_same(number: int, bar_result: BarResult) -> None:
    """The same of ten thousand documents, in five lots of two thousand."""
    done = 0

    @seed(number)
    @settings(max_examples=2_000, deadline=None)
    @given(DOCUMENTS)
    def rounds(value: dict[str, Json]) -> None:
        nonlocal done
        check_round(value)
        done += 1

    rounds()
    bar_result(done, "documents")
    assert done >= 2_000


@pytest.mark.bar("D2")
def test_without_the_rules_some_of_what_loads_is_not_saved(bar_result: BarResult) -> None:
    """The control: the bare library loads what it can't write, or writes it as something else."""
    deep = orjson.loads(b"[" * 300 + b"]" * 300)
    with pytest.raises(TypeError):
        orjson.dumps(deep)
    others: list[tuple[Json, Json]] = [
        (18446744073709551617, orjson.loads(b"18446744073709551617")),
        ({"a": math.nan}, orjson.loads(orjson.dumps({"a": math.nan}))),
    ]
    changed = [back for value, back in others if repr(back) != repr(value)]
    assert changed == [18446744073709551616.0, {"a": None}]
    bar_result(0, "documents", control=f"the bare library: 1 can't be written, {len(changed)} come back as others")


@pytest.mark.bar("D2")
@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=200) | st.text('{}[]":,1e-.\\u d8\n', max_size=60).map(str.encode))
def test_no_bytes_crash_the_parser(data: bytes) -> None:
    """Anything either loads or is a DocumentError with a place; what loads can be saved."""
    found: Json | DocumentError
    try:
        found = document.parse(data, "x.json")
    except DocumentError as error:
        found = error
    if isinstance(found, DocumentError):
        assert min(found.line, found.column) >= 1
    else:
        assert document.parse(document.dump(found), "x.json") == found
    assert all(problem.severity == "warning" for problem in document.warnings(data))
