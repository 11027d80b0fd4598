"""Tests of what is said about text that loads but is odd."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.flow import Problem
from nola.state import oddities

if TYPE_CHECKING:
    from tests.faults.table import BarResult


def told(text: str) -> list[tuple[int, int, str]]:
    """List line, column and sentence of every warning."""
    return [(found.line, found.column, found.message) for found in oddities.warnings(text.encode())]


def test_duplicate_keys_are_found_with_their_place() -> None:
    """The second of two is told, once for each object that has them; escaped spellings are the same key."""
    text = b'{"a": {"x": 1, "y": {"x": 2}},\n "b": "a", "\\u0061": [{"k": 1, "k": 2}]}'
    found = oddities.duplicate_keys(text, "user.json")
    assert found == [
        Problem("user.json", 2, 12, "the key 'a' stands twice; only the last one counts", "warning"),
        Problem("user.json", 2, 32, "the key 'k' stands twice; only the last one counts", "warning"),
    ]
    assert oddities.warnings(text, "user.json") == found
    assert oddities.duplicate_keys(b'{"a": {"a": 1}}') == []
    assert oddities.duplicate_keys(b'{"a": 1, "a"') == []


@pytest.mark.bar("D1")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "x\\ty\\r\\n", "b": "\\\\u0000", "c:{": "é"}', []),
        ('{"a": "x\\u0000"}', [(1, 9, "the text holds the control character U+0000")]),
        ('{"a": "x\\\\\\u001B"}', [(1, 11, "the text holds the control character U+001B")]),
        ('{"a": "\\b", "b": "\x7f"}', [
            (1, 8, "the text holds the control character U+0008"),
            (1, 19, "the text holds the control character U+007F"),
        ]),
        ('{"a":\n"\x85"}', [(2, 2, "the text holds the control character U+0085")]),
        ('{"a\\n": "\\f", "\\u0000": {"b": 1}}', [
            (1, 2, "the key 'a\\n' holds a control character"),
            (1, 10, "the text holds the control character U+000C"),
            (1, 15, "the key '\\x00' holds a control character"),
        ]),
        ('{"\x7f": 1}', [(1, 2, "the key '\\x7f' holds a control character")]),
        ('{"é": 1, "e\u0301": 2}', [
            (1, 10, "the key 'e\u0301' looks like another one here, but is written with other characters; both count"),
        ]),
        ('{"é": 1, "x": {"e\u0301": 2}}', []),
        ('{"\\u00e9": 1, "é": 2}', [(1, 15, "the key 'é' stands twice; only the last one counts")]),
        ('{"Name": 1, "name": 2}', []),
        ('{"a": [1e-999, 0.0e-999, 1e-300, "1e-999"]}', [(1, 8, "1e-999 is too small a number and counts as 0")]),
        ('{"a": -12.5E-1000}', [(1, 8, "12.5E-1000 is too small a number and counts as 0")]),
        (f'{{"a": 0.{"0" * 400}1}}', [(1, 7, f"0.{'0' * 62}… is too small a number and counts as 0")]),
        ("[1", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_is_odd_is_told(text: str, expected: list[tuple[int, int, str]], bar_result: BarResult) -> None:
    """Control characters, keys that look alike and numbers that vanish are named with their place."""
    assert told(text) == expected
    bar_result(1, "kinds of input")


@pytest.mark.bar("D1")
def test_ten_of_a_kind_are_told_one_by_one() -> None:
    """A file full of one mistake does not fill the screen."""
    text = "{" + ",\n".join(['"a": 1'] * 15) + "}"
    found = told(text)
    assert [line for line, _, _ in found] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert found[-1] == (12, 1, "and 4 more like this one")


def test_a_byte_order_mark_does_not_move_a_place() -> None:
    """Columns count as an editor shows them."""
    assert [found.column for found in oddities.warnings(b'\xef\xbb\xbf{"a":1,"a":2}')] == [8]


def test_a_known_value_is_not_read_again() -> None:
    """What the text was read as may be given along."""
    assert [found.column for found in oddities.warnings(b'{"a":1,"a":2}', value={"a": 2})] == [8]


def test_keys_are_counted() -> None:
    """Colons in texts are none."""
    assert oddities.count_keys(b'{"a:": {":\\":": ":"}, "b": [":", {}]}') == 3
    assert oddities.count_keys(b"{" + b",".join([b'"a":"::"'] * 200) + b"}") == 200


KEYS = st.sampled_from(['"a"', r'"\u0061"', '"b"', '"é"', '"e\u0301"', r'"\"a"', '"{:"'])


@settings(max_examples=500, deadline=None)
@given(st.recursive(st.just("1"), lambda inner: st.lists(st.tuples(KEYS, inner)).map(
    lambda members: "{" + ", ".join(f"{key}: {value}" for key, value in members) + "}"
)))  # fmt: skip
def test_every_duplicate_is_told_once(text: str) -> None:
    """The table agrees with the standard library's pairs."""
    lost = []

    def count(pairs: list[tuple[str, object]]) -> dict[str, object]:
        lost.append(len(pairs) - len(dict(pairs)))
        return dict(pairs)

    json.loads(text, object_pairs_hook=count)
    found = oddities.duplicate_keys(text.encode())
    said = sum(1 for one in found if "stands twice" in one.message)
    assert said == min(sum(lost), 10)
    assert (len(found) == 11) == (sum(lost) > 10)
    assert orjson.loads(text) == json.loads(text)
