"""Tests of finding the value in which two statements contradict each other."""

from __future__ import annotations

import pytest

from nola.memory.conflict import Conflict, conflicting_values


@pytest.mark.row("B28")
@pytest.mark.parametrize(
    ("a", "b", "attribute", "values"),
    [
        ("X has 9 golds", "X has 10 golds", "X has golds", ("9", "10")),
        ("Klaebo won nine golds.", "Klaebo has won 10 golds", "Klaebo won golds", ("nine", "10")),
        ("It was watched by 21 million", "It was watched by 28.7 million", "It was watched by million", ("21", "28.7")),
        ("My best colour is blue", "My best colour is dark green", "My best colour is", ("blue", "dark green")),
        ("Anna lives in Bergen", "Anna currently lives in Oslo", "Anna lives in", ("Bergen", "Oslo")),
        ("Anna was born in 1980", "Anna was born in 1981", "Anna was born in", ("1980", "1981")),
        ("I weigh 82 kilos", "I weigh 78 kilos", "I weigh kilos", ("82", "78")),
        ("Anna likes tea", "Anna does not like tea", "Anna likes tea", ("yes", "no")),
        ("The shop isn't open", "The shop is open", "The shop open", ("no", "yes")),
    ],
)  # fmt: skip
def test_a_contradiction(a: str, b: str, attribute: str, values: tuple[str, str]) -> None:
    """The same of the same with another number, another single value, or a denial; the values come in their words."""
    assert conflicting_values(a, b) == Conflict(attribute, *values)
    turned = conflicting_values(b, a)
    assert turned is not None
    assert (turned.value_b, turned.value_a) == values


@pytest.mark.row("B28")
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("X has 9 golds", "Y has 9 silvers"),
        ("X has 9 golds", "Y has 10 golds"),
        ("X has 9 golds", "X has 9 silvers"),
        ("X has 9 golds", "X has 9 golds"),
        ("X has nine golds", "X has 9 golds"),
        ("It cost 1,000 euros", "It cost 1000 euros"),
        ("Anna likes tea", "Anna likes coffee"),
        ("Anna used to live in Bergen", "Anna lives in Oslo"),
        ("The race was held in 2018", "The race was held in 2022"),
        ("On day 7 Norway had 11 golds", "On day 9 Norway had 12 golds"),
        ("Room 12 is closed", "Room 13 is closed"),
        ("X has 9 golds", "Does X have 10 golds?"),
        ("X has 9 golds", "X has 9 golds and a big house in Rome"),
        ("", ""),
        ("9", "10"),
        ("\x00 🎉", "x" * 100_000),
    ],
)
def test_no_contradiction(a: str, b: str) -> None:
    """Another subject, attribute, time, name or wording, several things of a kind, the past and questions are none."""
    assert conflicting_values(a, b) is None
    assert conflicting_values(b, a) is None
