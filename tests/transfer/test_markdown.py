"""Tests of state and memories as Markdown (E58)."""

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


@pytest.mark.row("E58")
def test_active_memories_have_a_line_each() -> None:
    """Kind and day stand behind the id; what was superseded is left out, and text is text whatever it holds."""
    kinds = {"kind": "episodic", "at": "2026-11-20T09:00:00.000000+00:00"}
    told: list[Json] = [
        {"format": "nola-memory", "version": 1},
        {"memory": {"id": "m1", "content": "We *walked*\nfar\x1b[2J", "status": "active", **kinds}, "events": []},
        {"memory": {"id": "m2", "content": "We ran", "status": "superseded", **kinds}},
        {"nola:text": '{"memory": {"id": "m3", "content": "x", "status": "active", "kind": "semantic", "at": "2026"}}'},
        {"edge": {"kind": "cites"}},
    ]
    assert markdown(orjson.dumps({"state": {"user": {}}, "memories": told})) == (
        "# What Nola knows\n\n## user\n\n_(nothing)_\n\n## Memories\n\n"
        "- `m1` (episodic, 2026-11-20): We \\*walked\\*  \n  far\\[2J\n"
        "- `m3` (semantic, 2026): x\n"
    )
    assert markdown(b'{"memories": []}') == "# What Nola knows\n\n## Memories\n\n_(nothing)_\n"
