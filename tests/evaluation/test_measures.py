"""The arithmetic of every measure, against figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from nola.evaluation.measures import MEASURES, Asked, Figure, measured, summary

TURNS = [f"t{n}" for n in range(1, 31)]


def values(ranked: list[str], *evidence: str, tokens: int = 100) -> dict[str, float]:
    """What is measured when every turn costs the same."""
    return dict(zip(MEASURES, measured(ranked, frozenset(evidence), dict.fromkeys(TURNS, tokens)), strict=True))


def test_what_is_measured() -> None:
    """Six figures, in this order."""
    assert MEASURES == ("R@5", "R@10", "R@20", "MRR", "T@500", "T@1000")


def test_shares_of_the_evidence() -> None:
    """Evidence at the ranks 3, 10 and 20, and one that is not found: a quarter, a half, three quarters; MRR a third."""
    found = values(TURNS, "t3", "t10", "t20", "elsewhere")
    assert (found["R@5"], found["R@10"], found["R@20"]) == (0.25, 0.5, 0.75)
    assert found["MRR"] == pytest.approx(1 / 3)
    assert (found["T@500"], found["T@1000"]) == (0.25, 0.5)


def test_a_budget_is_filled_up_to_what_does_not_fit() -> None:
    """500 tokens hold exactly five turns of 100; one that is too long ends it, and what comes after it is not taken."""
    assert values(TURNS, "t5")["T@500"] == 1.0
    assert values(TURNS, "t6")["T@500"] == 0.0
    assert values(TURNS, "t6", tokens=83)["T@500"] == 1.0
    tokens = {"t1": 10, "t2": 491, "t3": 10}
    assert measured(["t1", "t2", "t3"], frozenset({"t1", "t3"}), tokens)[4:] == (0.5, 1.0)


def test_nothing_found_is_nothing() -> None:
    """No rank, no share."""
    assert values([], "t1") == dict.fromkeys(MEASURES, 0.0)
    assert values(["t2"], "t1") == dict.fromkeys(MEASURES, 0.0)


def test_what_comes_twice_counts_once() -> None:
    """The second time takes no place and no tokens."""
    found = values(["t1"] * 9 + TURNS, "t5")
    assert (found["R@5"], found["MRR"], found["T@500"]) == (1.0, 0.2, 1.0)


def test_many_questions_make_one_figure() -> None:
    """The mean over questions, the deviation over conversations' means, the error over questions."""
    one = tuple(Asked("x", (value,) * 6, cpu) for value, cpu in ((1.0, 2.0), (0.0, 4.0), (0.5, 6.0)))
    other = (Asked("y", (1.0,) * 6, 0.0),)
    total = summary([one, other])
    assert (total.questions, total.conversations, total.cpu_ms) == (4, 2, 3.0)
    # Means .5 and 1, 0.25 from their own mean: sqrt(2 x 0.0625). Values 1, 0, .5, 1 around .625: sqrt(.6875 / 3) / 2.
    figure = total.figures["R@10"]
    expected = (0.625, math.sqrt(0.125), 0.2393568)
    assert (figure.mean, figure.deviation, figure.error) == pytest.approx(expected)
    assert set(total.figures) == set(MEASURES)


def test_one_alone_has_no_spread() -> None:
    """Neither between conversations nor over questions."""
    assert summary([[Asked("", (1.0,) * 6, 1.5)]]).figures["MRR"] == Figure(1.0, None, None)
