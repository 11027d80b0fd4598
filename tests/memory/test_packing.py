"""Handing out: budgets are never exceeded, and nothing comes twice while something new is left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nola.memory.packing import diverse, pack


def test_what_does_not_fit_is_skipped() -> None:
    """A long memory does not keep a short one behind it out."""
    assert pack([40, 100, 30, 31], 100) == [0, 2]


@given(st.lists(st.integers(1, 500)), st.integers(0, 1000))
def test_a_budget_is_never_exceeded(tokens: list[int], budget: int) -> None:
    """What is chosen fits, and nothing that was left out would still fit."""
    chosen = pack(tokens, budget)
    used = sum(tokens[n] for n in chosen)
    assert used <= budget
    assert all(used + tokens[n] > budget for n in range(len(tokens)) if n not in chosen)


def test_a_repetition_goes_behind() -> None:
    """The same said again comes after everything else; another value in the same words does not."""
    said = ["i live in oslo now", "i live now in oslo", "i live in bergen now", "my cat is old"]
    assert diverse([text.split() for text in said]) == [0, 2, 3, 1]


@given(st.lists(st.frozensets(st.sampled_from("abcdef"))))
def test_nothing_is_lost(words: list[frozenset[str]]) -> None:
    """Every position comes back once, and the best stays first."""
    order = diverse(words)
    assert sorted(order) == list(range(len(words)))
    assert order[:1] == list(range(len(words)))[:1]
