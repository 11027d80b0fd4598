"""Tests of how unforeseen errors are told."""

from __future__ import annotations

from nola.daemon.bugs import describe_bug


def test_a_bug_is_told_by_its_kind_and_place() -> None:
    """And without its text, which may hold what the owner wrote."""
    try:
        int("my secret")
    except ValueError as error:
        told = describe_bug(error)
    kind, _, line = told.partition(" at test_bugs.py:")
    assert (kind, line.isdigit()) == ("ValueError", True)


def test_a_bug_that_was_never_raised_has_no_place() -> None:
    """Only its kind."""
    assert describe_bug(KeyError("secret")) == "KeyError"
