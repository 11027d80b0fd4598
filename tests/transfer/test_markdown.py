"""Tests of the state as Markdown (E58)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

from nola.transfer.markdown import markdown

if TYPE_CHECKING:
    from nola.types import Json


def told(data: Json, name: str = "user") -> str:
    """Return the lines of one module."""
    export = orjson.dumps({"state": {name: {"metadata": {"version": 1}, "data": data}}})
    head = "# What Nola knows\n\n## "
    text = markdown(export)
    assert text.startswith(head)
    return text.removeprefix(head).partition("\n\n")[2].rstrip("\n")


@pytest.mark.row("E58")
def test_every_value_has_a_line_with_its_path() -> None:
    """A heading for each module, in their order; nodes are looked into, short lists stand on one line."""
    export = (
        '{"state": {"user": {"metadata": {}, "data": {"name": "Mara", "home": {"city": "Porto"}, "pay": 1.50,'
        '"pets": {"metadata": {"version": 2}, "data": [{"name": "Biscuit"}]}, "likes": ["tea", 7, null]}},'
        '"work": {"data": {}}}}'
    )
    assert markdown(export.encode()) == (
        "# What Nola knows\n\n"
        "## user\n\n"
        "- `user.name`: Mara\n- `user.home.city`: Porto\n- `user.pay`: 1.50\n- `user.pets.0.name`: Biscuit\n"
        "- `user.likes`: tea, 7, null\n\n"
        "## work\n\n"
        "_(nothing)_\n"
    )
    assert markdown(b'{"conversations": []}') == "# What Nola knows\n"


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("two\nlines", "two  \n  lines"),
        ("*stars* [a](b) <b> `c` # |", r"\*stars\* \[a\](b) \<b\> \`c\` \# \|"),
        ("- a", r"\- a"),
        ("1. a", r"1\. a"),
        ("\x1b[31mred\x07\u202e", r"\[31mred"),
        ("", "_(nothing)_"),
        ([], "_(nothing)_"),
        ({}, "_(nothing)_"),
        (["", "x"], "_(nothing)_, x"),
        (False, "false"),
        (None, "null"),
        (-1.5, "-1.5"),
    ],
)
def test_values_show_what_they_are(value: Json, line: str) -> None:
    """Signs that Markdown would read as marks are escaped; what could command a terminal is left out."""
    assert told({"a": value}) == f"- `user.a`: {line}"


def test_paths_are_code_whatever_they_hold() -> None:
    """A key with backticks stands between more of them."""
    assert told({"a`b": 1, "x\ny": 2}) == '- `` user.a`b ``: 1\n- `user."x y"`: 2'
