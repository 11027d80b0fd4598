"""The budget is hard, more of it never removes a fact, and every fact that stays out has a reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.context.budget import budget_for, memory_budget_for, pack, threshold
from nola.context.facts import Fact
from nola.context.weigh import Weighed
from nola.evaluation.personas import install, load
from nola.flow import Candidate, Stimulus
from nola.llm.tokens import estimate
from nola.settings import ContextSettings
from nola.testing import make_agent
from nola.types import Level, Place, Tokens, Weight
from tests.context.making import NOW, remembered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nola.agent import Agent
    from nola.context.budget import Packed

PERSONAS = Path(__file__).resolve().parent.parent / "fixtures" / "personas"
SETTINGS = ContextSettings(threshold=0.1)
REASONS = {
    "over the budget",
    "weight at or below the threshold",
    "the cap of its file is reached",
    "says the same as another fact",
}


def packed(
    rows: Sequence[tuple[str, float]], budget: int, settings: ContextSettings = SETTINGS, files: str = "abc"
) -> Packed:
    """Pack texts with weights; a token is a word, and files take turns."""
    candidates = [
        Candidate(f"user.{i}", (str(i),), text, Place.MODULE, Level.QUICK, NOW, files[i % len(files)])
        for i, (text, _) in enumerate(rows)
    ]
    facts = [
        Fact(i, c.path, text, "", "", "", text) for i, (c, (text, _)) in enumerate(zip(candidates, rows, strict=True))
    ]
    ones = [1.0] * len(rows)
    weighed = Weighed(ones, ones, ones, ones, [Weight(w) for _, w in rows])
    return pack(facts, candidates, weighed, Tokens(budget), lambda text: Tokens(len(text.split())), settings)


ROWS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(" ".join), st.floats(0, 1)), max_size=12
)


@pytest.mark.row("E05")
@given(ROWS, st.integers(0, 30), st.integers(0, 10), st.sampled_from([0, 1, 3]))
def test_a_budget_is_hard_and_monotone(rows: list[tuple[str, float]], budget: int, more: int, cap: int) -> None:
    """Tokens never exceed B, a larger B never removes a fact, and nothing at or below tau is selected."""
    settings = ContextSettings(threshold=0.1, source_cap=cap)
    small, large = packed(rows, budget, settings), packed(rows, budget + more, settings)
    assert small.tokens == sum(s.tokens for s in small.selected) <= budget
    assert large.selected[: len(small.selected)] == small.selected
    assert all(s.weight > threshold(settings) for s in large.selected)


@given(ROWS, st.integers(0, 30), st.sampled_from([0, 1, 3]))
def test_every_fact_is_selected_or_has_a_reason(rows: list[tuple[str, float]], budget: int, cap: int) -> None:
    """Selected and left-out facts together are all facts, each once, heaviest first."""
    found = packed(rows, budget, ContextSettings(threshold=0.1, source_cap=cap))
    out = list(found.left_out)
    assert sorted([s.path for s in found.selected] + [o.path for o in out]) == sorted(
        f"user.{i}" for i in range(len(rows))
    )
    assert {o.why for o in out} <= REASONS
    assert all((o.why == "weight at or below the threshold") == (o.weight <= 0.1) for o in out)
    for kept in (found.selected, out):
        assert [f.weight for f in kept] == sorted((f.weight for f in kept), reverse=True)
    assert len({s.text for s in found.selected}) == len(found.selected)


def test_each_reason_is_told() -> None:
    """Too light, said already, its file's cap, and too long, in the order of weight."""
    rows = [("a b", 0.9), ("a b", 0.8), ("light", 0.1), ("c d", 0.7), ("e", 0.6), ("f g h i", 0.5), ("j", 0.4)]
    found = packed(rows, 6, ContextSettings(threshold=0.1, source_cap=2), files="xxxxyyz")
    assert [s.text for s in found.selected] == ["a b", "c d", "e"]
    assert [(o.path, o.why) for o in found.left_out] == [
        ("user.1", "says the same as another fact"),
        ("user.5", "over the budget"),
        ("user.6", "over the budget"),
        ("user.2", "weight at or below the threshold"),
    ]
    capped = packed(rows, 6, ContextSettings(threshold=0.1, source_cap=1), files="xxxxyyz")
    assert [(o.path, o.why) for o in capped.left_out][:2] == [
        ("user.1", "says the same as another fact"),
        ("user.3", "the cap of its file is reached"),
    ]


def test_memories_have_a_budget_of_their_own() -> None:
    """A memory that does not fit is passed over for a shorter one; facts close at the first that does not fit."""
    texts = ["a b c", "d e f", "g", "h i j", "k l", "m"]
    held = remembered("x")
    candidates = [Candidate(f"user.{i}", (), text, Place.MODULE, Level.QUICK, NOW, "f") for i, text in enumerate(texts)]
    facts = [
        Fact(i, c.path, text, "", "", "", text, memory=held if i > 2 else None)
        for i, (c, text) in enumerate(zip(candidates, texts, strict=True))
    ]
    ones = [1.0] * len(texts)
    weighed = Weighed(ones, ones, ones, ones, [Weight(w) for w in (0.9, 0.8, 0.7, 0.95, 0.6, 0.5)])
    count = lambda text: Tokens(len(text.split()))  # noqa: E731 -- a counter
    found = pack(facts, candidates, weighed, Tokens(4), count, SETTINGS, Tokens(4))
    assert [s.text for s in found.selected] == ["h i j", "a b c", "m"]
    assert (found.tokens, found.memory_tokens) == (3, 4)
    assert [(left.path, left.why) for left in found.left_out] == [(f"user.{i}", "over the budget") for i in (1, 2, 4)]
    assert [left.memory for left in found.left_out] == [None, None, held]


@pytest.mark.parametrize(("window", "budgets"), [(0, (0, 150, 600)), (1200, (0, 150, 100)), (400, (0, 50, 0))])
def test_memories_get_what_facts_leave_of_the_window(window: int, budgets: tuple[int, int, int]) -> None:
    """Both together never take more than their share."""
    assert tuple(memory_budget_for(level, window, ContextSettings()) for level in Level) == budgets


def test_left_out_facts_can_be_sliced() -> None:
    """The rows are made when they are looked at, one or several."""
    left = packed([("a", 0.05), ("b", 0.03), ("c", 0.04)], 9).left_out
    assert len(left) == 3
    assert left[0].path == "user.0"
    assert [row.path for row in left[1:]] == ["user.2", "user.1"]
    assert left[-1].tokens == 1


def test_equal_weights_keep_the_order_of_the_state() -> None:
    """What stands first in the file goes first."""
    assert [s.text for s in packed([("a", 0.5), ("b", 0.5), ("c", 0.5)], 2).selected] == ["a", "b"]


def test_nothing_goes_into_no_budget() -> None:
    """A budget of nothing selects nothing."""
    assert packed([("a", 0.9)], 0).selected == ()
    assert packed([], 10).selected == ()


@pytest.mark.parametrize(
    ("window", "budgets"), [(0, (10, 50, 200)), (4096, (10, 50, 200)), (512, (10, 50, 128)), (32, (8, 8, 8))]
)
def test_budgets_never_take_more_than_a_share_of_the_window(window: int, budgets: tuple[int, int, int]) -> None:
    """10, 50 and 200 tokens, or a quarter of a small model's window."""
    assert tuple(budget_for(level, window, ContextSettings()) for level in Level) == budgets


def test_each_profile_has_its_threshold() -> None:
    """Tau is 0.05 in profile hea and lower in nola, where relevance multiplies."""
    assert threshold(ContextSettings(profile="hea")) == 0.05
    assert threshold(ContextSettings(profile="nola", threshold=0.003)) == 0.003
    assert 0 < threshold(ContextSettings()) < 0.05


# --- a whole persona --------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def mara(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """An agent whose state is the persona Mara."""
    home = tmp_path_factory.mktemp("mara")
    install(load(PERSONAS / "mara"), home / "state")
    agent = make_agent(home)
    yield agent
    agent.close()


@pytest.mark.parametrize(
    ("level", "budget", "text", "path", "said"),
    [
        pytest.param(
            Level.QUICK, 10, "what is my name", "user.name", "Your name is Mara Vesel.", marks=pytest.mark.row("E21")
        ),
        pytest.param(
            Level.CONVERSATION,
            50,
            "what do we pay a month for the flat",
            "user.home.rent_euro",
            "Your home rent is 1150 euro.",
            marks=pytest.mark.row("E22"),
        ),
        pytest.param(
            Level.DEEP,
            200,
            "What is my blood group?",
            "user.health.blood_type",
            "Your health blood type is AB negative.",
            marks=pytest.mark.row("E23"),
        ),
    ],
)
def test_the_asked_fact_is_in_the_budget_of_its_level(
    mara: Agent, level: Level, budget: int, text: str, path: str, said: str
) -> None:
    """Of a whole persona, about 10, 50 or 200 tokens go in, and what was asked is first among them."""
    report = mara.context(Stimulus(text, NOW, level=level))
    assert (report.selected[0].path, report.selected[0].text) == (path, said)
    assert report.budget == budget
    assert sum(estimate(s.text) for s in report.selected) == report.tokens <= budget


@pytest.mark.row("E21")
@pytest.mark.row("E22")
@pytest.mark.row("E23")
@pytest.mark.parametrize(("level", "budget"), [(Level.QUICK, 10), (Level.CONVERSATION, 50), (Level.DEEP, 200)])
def test_no_question_exceeds_the_budget_of_its_level(mara: Agent, level: Level, budget: int) -> None:
    """Eighty questions, each at every level: what goes in fits, and with more budget nothing falls out."""
    for asked in load(PERSONAS / "mara").questions:
        report = mara.context(Stimulus(asked.text, NOW, level=level))
        assert sum(estimate(s.text) for s in report.selected) == report.tokens <= budget
        assert all(s.weight > ContextSettings().threshold for s in report.selected)
