"""Tests of reading messages."""

from __future__ import annotations

import pytest

from nola.cli.message import checked
from nola.errors import InputError


def test_white_space_around_is_dropped() -> None:
    """And kept inside."""
    assert checked("  good\nmorning \n", 100) == "good\nmorning"


def test_saying_nothing_is_a_message_where_it_may_be() -> None:
    """Else it is refused."""
    assert checked(" \n", 10, may_be_empty=True) == ""
    with pytest.raises(InputError, match="the message is empty"):
        checked(" \n", 10)


def test_the_limit_counts_bytes() -> None:
    """The sentence says it."""
    assert checked("é" * 5, 10) == "ééééé"
    with pytest.raises(InputError, match="more than 10 bytes"):
        checked("é" * 6, 10)


def test_an_argument_that_was_no_text_is_refused() -> None:
    """Bytes that are not UTF-8 reach Python as lone surrogates."""
    with pytest.raises(InputError, match="not UTF-8"):
        checked(b"\xff".decode("utf-8", "surrogateescape"), 100)
