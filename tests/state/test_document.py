"""Tests of the JSON parser and writer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.errors import DocumentError
from nola.state import document

if TYPE_CHECKING:
    from nola.types import Json

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
DOCUMENTS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text('ab. "\\é'), inner), max_leaves=12),
)


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        (b"", 1, 1, "the file is empty"),
        (b"  \n", 1, 1, "the file is empty"),
        (b'{"a": 1,}', 1, 8, "trailing comma"),
        (b'{\n  "a": 1\n  "b": 2\n}', 3, 3, "expected ','"),
        ('{"é": 1, "ü": tru}'.encode(), 1, 15, "invalid literal"),
        (b'{"a": NaN}', 1, 7, "unexpected character"),
        (b'{"a": 1} // no', 1, 10, "unexpected content"),
        (b'{"a": "\xff"}', 1, 8, "not UTF-8"),
        (b'{\n"a": "\xc5\xa1\xff"}', 2, 8, "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), 1, 1, "UTF-16"),
        ('{"a": 1}'.encode("utf-16-be"), 1, 1, "UTF-16"),
        (b'{"a": "\\ud800"}', 1, 8, "surrogate"),
        (b'{"a": 9007199254740993}', 1, 7, "beyond 2^53"),
        (b'{\n"a": ["18446744073709551616", 18446744073709551616]}', 2, 31, "beyond 2^53"),
        (b"[" * 65 + b"]" * 65, 1, 65, "nested deeper than 64"),
        (b"[" * 5000 + b"]" * 5000, 1, 1, ""),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: bytes, line: int, column: int, why: str) -> None:
    """Every kind of damage has a line, a column and a sentence."""
    with pytest.raises(DocumentError) as caught:
        document.parse(text, "user.json")
    assert why in str(caught.value)
    if why:
        assert (caught.value.line, caught.value.column) == (line, column)


def test_a_byte_order_mark_is_skipped() -> None:
    """Windows editors put one first."""
    assert document.parse(b'\xef\xbb\xbf{"a": 1}', "user.json") == {"a": 1}


def test_the_limits_themselves_are_allowed() -> None:
    """64 levels, 2^53 and a float beyond it load."""
    assert document.depth(document.parse(b"[" * 64 + b"]" * 64, "x.json")) == 64
    assert document.parse(b"[9007199254740992, -9007199254740992, 1e300, 1e16]", "x.json") == [
        2**53,
        -(2**53),
        1e300,
        1e16,
    ]


def test_a_large_file_is_refused_before_it_is_read() -> None:
    """The size is told, and no place."""
    with pytest.raises(DocumentError, match=r"x\.json: 11 bytes are more than the limit of 10"):
        document.parse(b'{"a": "bc"}', "x.json", max_bytes=10)


def test_the_top_level_of_a_file_is_an_object() -> None:
    """A list is JSON but no file of the state."""
    assert document.parse(b"[1]", "x.json") == [1]
    with pytest.raises(DocumentError, match="in braces"):
        document.parse_object(b"[1]", "x.json")


def test_dump_is_made_for_reading() -> None:
    """Two spaces a level, order kept, a newline at the end."""
    assert document.dump({"b": [1], "a": "é"}) == '{\n  "b": [\n    1\n  ],\n  "a": "é"\n}\n'.encode()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"a": math.nan}, "nan is no JSON number"),
        ([math.inf], "inf is no JSON number"),
        ({"a": 2**53 + 1}, "beyond 2^53"),
        ({"a": "\ud800"}, "surrogate"),
        ({1: 2}, "int is no kind of JSON value"),
        ({"a": {1, 2}}, "set is no kind of JSON value"),
        ([[[]]], "nested too deep"),
    ],
)
def test_what_would_not_come_back_is_refused(value: Json, why: str) -> None:
    """Nothing is written that would be read as something else."""
    with pytest.raises(ValueError, match=why.replace("^", r"\^")):
        document.dump(value, max_depth=2)


@given(DOCUMENTS)
def test_what_is_written_reads_back_the_same(value: dict[str, Json]) -> None:
    """Load after save is the identity, and so is the order of keys."""
    text = document.dump(value)
    again = document.parse_object(text, "x.json")
    assert again == value
    assert document.dump(again) == text


@given(st.binary(max_size=200) | st.text('{}[]":,1e-.\\u d8', max_size=60).map(str.encode))
def test_no_bytes_crash_the_parser(data: bytes) -> None:
    """Anything either loads or is a DocumentError; what loads can be saved."""
    try:
        value = document.parse(data, "x.json")
    except DocumentError:
        return
    assert document.parse(document.dump(value), "x.json") == value
    assert all(problem.severity == "warning" for problem in document.duplicate_keys(data))


def test_duplicate_keys_are_found_with_their_place() -> None:
    """The second of two is told, once for each object that has them."""
    text = b'{"a": {"x": 1, "y": {"x": 2}},\n "b": "a", "\\u0061": [{"k": 1, "k": 2}]}'
    found = document.duplicate_keys(text, "user.json")
    assert [(p.line, p.column, p.severity) for p in found] == [(2, 12, "warning"), (2, 32, "warning")]
    assert found[0].message == "the key 'a' stands twice; only the last one counts"
    assert document.duplicate_keys(b'{"a": {"a": 1}}') == []
    assert document.duplicate_keys(b'{"a": 1, "a"') == []
