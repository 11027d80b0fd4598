"""Tests of whether a file lost everything at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.state.emptied import FEW, is_emptied

if TYPE_CHECKING:
    from nola.types import Json


def raw(data: Json) -> dict[str, Json]:
    """Make a file's content."""
    return {"metadata": {"context_level": 2}, "data": data}


@pytest.mark.parametrize("empty", [{}, [], None, "", {"metadata": {}, "data": {}}])
def test_several_values_do_not_go_at_once(empty: Json) -> None:
    """Whatever nothing looks like."""
    assert is_emptied("user", raw({"a": 1, "b": {"c": 2, "d": [3]}}), raw(empty)) is True


@pytest.mark.parametrize(
    ("base", "now"),
    [
        ({"a": 1, "b": 2}, {}),
        ({"a": None, "b": None, "c": None}, {}),
        ({}, {}),
        ({"a": 1, "b": 2, "c": 3}, {"a": 1}),
        ({"a": 1, "b": 2, "c": 3}, {"d": None}),
    ],
)
def test_few_values_may_go_and_one_that_stays_tells_that_it_was_meant(base: Json, now: Json) -> None:
    """Null is no value that could be missed."""
    assert FEW == 3
    assert is_emptied("user", raw(base), raw(now)) is False


def test_a_file_without_wrappers_is_judged_alike() -> None:
    """Everything beside the metadata is data."""
    assert is_emptied("work", {"a": 1, "b": 2, "c": 3}, {}) is True


def test_copies_are_nobodys_loss() -> None:
    """A parent that loses only what was pulled into it is not emptied."""
    copy: Json = {"metadata": {"source_file": "user.json"}, "data": {"a": 1, "b": 2, "c": 3}}
    assert is_emptied("identity", raw({"user": copy}), raw({})) is False
    assert is_emptied("identity", raw({"user": copy, "x": 1, "y": 2, "z": 3}), raw({})) is True
