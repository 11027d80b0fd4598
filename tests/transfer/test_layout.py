"""Tests of the one way in which exports lay JSON out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.state import document
from nola.transfer.layout import laid_out, member, read_tree, shifted, without

if TYPE_CHECKING:
    from nola.types import Json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("text", ["1.50", "1E3", "-0", "-0.0", "1e-05", "100", "12345678901234567890.0"])
def test_numbers_keep_their_digits(text: str) -> None:
    """A number comes out in the very digits in which it went in."""
    assert laid_out(read_tree(f'{{"a":[{text}]}}')) == f'{{\n  "a": [\n    {text}\n  ]\n}}'


@given(JSON)
def test_the_layout_is_the_parsers_own(value: Json) -> None:
    """Whatever the spacing was, values come out as orjson would indent them, and mean the same."""
    tight, wide = orjson.dumps(value).decode(), orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    assert laid_out(read_tree(tight)) == laid_out(read_tree(wide)) == wide
    assert document.parse(laid_out(read_tree(tight)).encode(), "test") == value


def test_keys_keep_their_order() -> None:
    """The first key stays the first, and escapes that are not needed go."""
    assert laid_out(read_tree('{"z":{},"a":"caf\\u00e9","m":[]}')) == '{\n  "z": {},\n  "a": "café",\n  "m": []\n}'


def test_shifting_moves_lines_and_nothing_else() -> None:
    """A line separator inside a text is no line break."""
    assert shifted('{\n  "a": "x\u2028y\x85"\n}') == '{\n    "a": "x\u2028y\x85"\n  }'


@given(st.dictionaries(st.text(), JSON, max_size=4), st.text())
def test_a_member_is_found_by_its_key(whole: dict[str, Json], key: str) -> None:
    """What stands below a key of the top level is found wherever it stands, however it is spaced."""
    for option in (0, orjson.OPT_INDENT_2):
        text = orjson.dumps({**whole, key: [1, {"a": key}]}, option=option).decode()
        assert laid_out(member(f" \n{text} ", key)) == laid_out([1, {"a": key}])
        assert member(orjson.dumps(whole, option=option).decode(), key + "x" * 99) is None


def test_what_is_taken_out_is_gone_and_the_rest_stays() -> None:
    """Paths of keys are followed through objects; what is not there is not missed."""
    value: Json = {"a": {"b": 1, "c": 2}, "d": [{"b": 3}], "e": 4}
    assert without(value, [("a", "b"), ("e",), ("x", "y"), ("d", "b")]) == {"a": {"c": 2}, "d": [{"b": 3}]}
    assert without(value, []) is value
