"""All strategies over one record: what ranks, what an access changes once, and what is explained."""

from __future__ import annotations

import ast
import math
import timeit
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nola.memory.axes import Kind, Tier
from nola.memory.dynamics import model
from nola.memory.dynamics.base import DAY, Pool, Row, Statistics
from nola.memory.dynamics.model import STRATEGIES, Dynamics
from nola.memory.dynamics.profiles import PROFILES
from nola.settings import GROUPS, MemorySettings, Settings
from tests.memory.dynamics.samples import NOW, accessed_at, aged

DYNAMICS = Path(model.__file__).parent
NOLA = Dynamics(Settings())
ALL = {name: Dynamics(Settings(), profile=name) for name in PROFILES}


@pytest.mark.row("X01")
@pytest.mark.row("X03")
def test_one_record_is_seen_by_every_strategy() -> None:
    """Heat, activation, traces, retrievability, retention and weight come from one row, which stays as it is."""
    row = Row(accessed_at(60, DAY, 9 * DAY), Kind.EPISODIC)
    before = replace(row.statistics)
    views = {view.strategy: view for view in NOLA.explain(row, NOW)}
    assert tuple(views) == STRATEGIES
    assert set(views["chain"].parts) == {"r1", "r2"}
    assert all(0 <= view.strength <= 1 and view.half_life_s > 0 for view in views.values())
    assert row.statistics == before


@pytest.mark.row("X03")
def test_explaining_tells_the_true_half_lives() -> None:
    """A fresh event halves its retention in 12.48 days and a fact in 37.43 (D08)."""
    for kind, days in ((Kind.EPISODIC, 12.48), (Kind.SEMANTIC, 37.43)):
        views = {view.strategy: view for view in NOLA.explain(Row(aged(0), kind), NOW)}
        assert views["retention"].half_life_s / DAY == pytest.approx(days, abs=0.005)


def test_the_innate_never_change() -> None:
    """Every strategy gives 1, no half-life, no crossing, and an access leaves the statistics."""
    row = Row(aged(3650), innate=True)
    for view in NOLA.explain(row, NOW):
        assert (view.strength, view.tier, view.half_life_s, view.crossing) == (1.0, Tier.HOT, math.inf, None)
    assert NOLA.accessed(row, NOW) is row.statistics


@pytest.mark.row("X02")
def test_a_profile_ranks_by_its_own_strategy() -> None:
    """The data are the same, the strength is another strategy's."""
    names = {name: one.ranking.name for name, one in ALL.items()}
    assert names == {
        "nola": "actr",
        "ada": "heat",
        "amplihack": "confidence",
        "neuromemory": "actr",
        "blah": "retention",
        "hea": "hea",
    }
    chosen = Dynamics(Settings(memory=MemorySettings(strategy="chain")))
    assert chosen.ranking.name == "chain"
    off = Dynamics(Settings(memory=MemorySettings(strategy="none")))
    assert off.strength(Pool.of([Row(aged(900))]), NOW).tolist() == [1.0]


@pytest.mark.row("X10")
def test_one_access_feeds_every_strategy_once() -> None:
    """References, times, traces and both stabilities move together by one access."""
    stat = aged(7)
    after = NOLA.accessed(Row(stat, Kind.PROCEDURAL), NOW)
    assert (after.access_count, after.usage, after.recent_s) == (1, 1, (NOW, NOW - 7 * DAY))
    assert after.stability == pytest.approx(0.4)
    assert after.stability_days > stat.stability_days
    assert (after.r1, after.chain_s) == (1.0, NOW)
    assert after.r2 > stat.r2


@pytest.mark.row("C26")
def test_a_new_memory_starts_as_its_kind_says() -> None:
    """Stability by kind and 0.3, unless the caller says otherwise."""
    assert NOLA.first(Kind.PROCEDURAL, NOW) == Statistics.fresh(NOW, stability_days=10.0)
    own = NOLA.first(Kind.SEMANTIC, NOW, importance=0.9, stability=0.8, stability_days=2.0)
    assert (own.importance, own.stability, own.stability_days) == (0.9, 0.8, 2.0)


@pytest.mark.row("D43")
@pytest.mark.parametrize("name", ["nola", "ada", "neuromemory", "blah"])
def test_what_matters_and_is_fresh_outranks_old_trivia(name: str) -> None:
    """With equal relevance an important preference from yesterday is before trivia from three weeks ago."""
    ours = ALL[name]
    pool = Pool.of([Row(aged(21, importance=0.1)), Row(aged(1, importance=0.9))])
    trivia, preference = ours.score(np.array([0.7, 0.7]), ours.strength(pool, NOW)).tolist()
    assert preference > trivia


@pytest.mark.row("B31")
@pytest.mark.parametrize("name", ["nola", "ada", "amplihack", "neuromemory"])
def test_the_more_used_procedure_is_stronger(name: str) -> None:
    """Of two procedures of one age the one used five times is before the one used once."""
    used: list[Statistics] = []
    for times in (5, 1):
        stat = aged(30, importance=0.2)
        for use in range(times):
            stat = ALL[name].accessed(Row(stat, Kind.PROCEDURAL), NOW - (10 - use) * DAY)
        used.append(replace(stat, last_access_s=NOW - 6 * DAY))
    often, once = ALL[name].strength(Pool.of([Row(stat, Kind.PROCEDURAL) for stat in used]), NOW).tolist()
    assert often > once


def test_the_tier_is_that_of_heat_whatever_ranks() -> None:
    """A day-old default memory is warm in every profile, and cold after a month."""
    assert {one.tier(Row(aged(1)), NOW) for one in ALL.values()} == {Tier.WARM}
    assert {one.tier(Row(aged(30)), NOW) for one in ALL.values()} == {Tier.COLD}


@pytest.mark.row("X11")
def test_there_are_more_than_sixty_constants_of_memory() -> None:
    """Each of them is named, has a source and is set like any other."""
    groups = ("memory", "heat", "actr", "chain", "ebbinghaus", "retention", "links", "recall")
    constants = [field for name in groups for field in GROUPS[name].__dataclass_fields__.values()]
    assert len(constants) >= 60
    assert all(field.metadata["source"] and field.metadata["doc"] for field in constants)


@pytest.mark.row("C42")
@pytest.mark.parametrize("name", STRATEGIES)
def test_six_hundred_strengths_cost_a_fraction_of_a_millisecond(name: str) -> None:
    """The best of many runs is far below the millisecond that ranking may cost."""
    pool = Pool.of([Row(accessed_at(*(float(60 * (k + 1)) for k in range(12)))) for _ in range(600)])
    strategy = NOLA.strategies[name]
    assert min(timeit.repeat(lambda: strategy.strength(pool, NOW), number=3, repeat=20)) / 3 < 0.0008


@pytest.mark.row("C31")
def test_the_core_is_small() -> None:
    """The six strategies and what they stand on have at most 600 lines of code."""
    core = ("base", "crossing", "curves", *STRATEGIES)
    assert 0 < sum(_code_lines(DYNAMICS / f"{name}.py") for name in core) <= 600


def _code_lines(path: Path) -> int:
    """Count the lines that are neither blank, comment nor docstring."""
    source = path.read_text(encoding="utf-8")
    told = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = enumerate(source.splitlines(), start=1)
    return sum(1 for number, line in lines if line.strip() and number not in told and not line.strip().startswith("#"))


@pytest.mark.row("D38")
def test_ranking_follows_a_curve_of_ones_own() -> None:
    """A curve that forgets whatever is older than ten days turns the order of two memories round."""
    rows = Pool.of([Row(aged(12, importance=0.9)), Row(aged(9, importance=0.1))])
    relevance = np.array([0.7, 0.7])
    usual = ALL["blah"]
    own = Dynamics(Settings(), profile="blah", curve=lambda days, _: np.where(days < 10, 1.0, 0.0))
    older, newer = usual.score(relevance, usual.strength(rows, NOW)).tolist()
    assert older > newer
    assert own.score(relevance, own.strength(rows, NOW)).tolist() == [0.0, 0.7]


def test_the_pool_follows_the_profile() -> None:
    """Fifteen candidates for five results in blah, a hundred in nola."""
    assert (ALL["blah"].pool(5), NOLA.pool(5)) == (15, 100)
