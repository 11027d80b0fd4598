"""Tests of the drawn tree."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from nola.cli.state_tree import show_tree, tree_lines
from tests.cli.fakes import AT
from tests.cli.terminal import seated

if TYPE_CHECKING:
    import pytest

    from nola.types import Json


def node(data: Json, *, level: int = 2, age: int = 0, needs_sync: bool = False, file: str | None = None) -> Json:
    """Make a node."""
    metadata: dict[str, Json] = {
        "last_updated": (AT - timedelta(seconds=age)).isoformat(),
        "context_level": level,
        "needs_sync": needs_sync,
    }
    return {"metadata": {**metadata, "source_file": file} if file else metadata, "data": data}


def test_nodes_tell_level_age_freshness_and_file() -> None:
    """Nested nodes too; scalars and lists of scalars stand on one line."""
    pets = node({"dog": {"name": "Biscuit"}}, level=1, age=7200)
    user = node({"name": "Mara", "likes": ["tea", 2], "pets": pets, "none": {}}, age=60, file="user.json")
    assert list(tree_lines("user", user, AT)) == [
        ("user", "(level 2, 1 min ago, fresh, user.json)"),
        ('  name: "Mara"', ""),
        ('  likes: ["tea",2]', ""),
        ("  pets", "(level 1, 2 h ago, stale)"),
        ("    dog", ""),
        ('      name: "Biscuit"', ""),
        ("  none: {}", ""),
    ]


def test_a_flagged_node_is_to_be_pulled() -> None:
    """Its flag goes before its age."""
    assert list(tree_lines("x", node(1, needs_sync=True), AT)) == [("x: 1", "(level 2, now, to be pulled)")]


def test_lists_of_objects_are_numbered() -> None:
    """The numbers are the steps of their paths."""
    assert [text for text, _ in tree_lines("x", [{"a": 1}, 2], AT)] == ["x", "  0", "    a: 1", "  1: 2"]


def test_metadata_that_can_not_be_read_is_no_reason_to_fail() -> None:
    """The node is shown as never updated."""
    broken: Json = {"metadata": {"last_updated": "yesterday"}, "data": 1}
    assert list(tree_lines("x", broken, AT)) == [("x: 1", "(never updated, stale)")]


def test_a_terminal_is_not_commanded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, a value or a note with control characters shows them; notes step back."""
    with seated(monkeypatch, colour=True) as screen:
        show_tree({"a\x1b[2J\n": node("\x9b", file="\x1b.json")}, AT)
    drawn = 'a\\x1b[2J\\n: "\\u009b"  \x1b[2m(level 2, now, fresh, \\x1b.json)\x1b[0m\n'
    assert screen.out.getvalue() == drawn


def test_a_pipe_may_end_at_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """So that the tree is as safe there."""
    show_tree({"\u202e": {"\x1b": "\u2066"}}, AT)
    assert capsys.readouterr().out == '\\u202e\n  \\x1b: "\\u2066"\n'
