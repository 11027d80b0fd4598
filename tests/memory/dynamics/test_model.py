"""All strategies over one record: what ranks, what an access changes once, and what is explained."""

from __future__ import annotations

import ast
import math
import re
import timeit
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nola.memory.axes import Kind, Tier
from nola.memory.dynamics import model
from nola.memory.dynamics.base import DAY, Pool, Row, Statistics
from nola.memory.dynamics.model import STRATEGIES, Dynamics
from nola.memory.dynamics.profiles import PROFILES
from nola.settings import GROUPS, MemorySettings, RetentionSettings, Settings
from tests.memory.dynamics.samples import NOW, accessed_at, aged

DYNAMICS = Path(model.__file__).parent
ARCHITECTURE = Path(__file__).resolve().parents[3] / "docs" / "architecture.md"
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
    """The six strategies and what they stand on have at most 600 lines of code, about as many as the docs report."""
    lines = sum(_code_lines(DYNAMICS / f"{name}.py") for name in ("base", "crossing", "curves", *STRATEGIES))
    assert 0 < lines <= 600
    told = re.search(r"has about (\d+) lines of code, of at most 600", ARCHITECTURE.read_text(encoding="utf-8"))
    assert told is not None
    assert int(told[1]) == pytest.approx(lines, rel=0.05)


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


@pytest.mark.row("D38")
def test_the_named_curves_are_settings() -> None:
    """Under the power curve an old memory is stronger and a young one weaker than under the exponential one."""
    pool = Pool.of([Row(aged(400)), Row(aged(1))])
    power = Dynamics(Settings(retention=RetentionSettings(curve="power")), profile="blah")
    old, young = (power.strength(pool, NOW) - ALL["blah"].strength(pool, NOW)).tolist()
    assert old > 0 > young


def test_the_pool_follows_the_profile() -> None:
    """Fifteen candidates for five results in blah, all of them in nola."""
    assert (ALL["blah"].pool(5), NOLA.pool(5)) == (15, None)


@pytest.mark.parametrize("name", STRATEGIES)
def test_procedures_fade_slowest_in_nola(name: str) -> None:
    """Under every strategy the half-life is the longest and, at every age, the strength is the greatest (E-50)."""
    strategy = NOLA.strategies[name]
    fading = [kind for kind in Kind if kind is not Kind.PROSPECTIVE]
    half_lives = {kind: strategy.half_life_s(Row(NOLA.first(kind, NOW), kind)) for kind in fading}
    assert math.inf > half_lives.pop(Kind.PROCEDURAL) > max(half_lives.values())
    for days in (1, 30, 365):
        pool = Pool.of([Row(NOLA.first(kind, NOW - days * DAY), kind) for kind in fading])
        strengths = dict(zip(fading, strategy.strength(pool, NOW).tolist(), strict=True))
        assert strengths.pop(Kind.PROCEDURAL) > max(strengths.values())


def test_the_pace_of_procedures_is_nolas_alone() -> None:
    """The setting moves profile nola; in the others a procedure cools as their documents say, like any memory."""
    day_old = Row(aged(10), Kind.PROCEDURAL)
    even = Dynamics(Settings(memory=MemorySettings(procedural_pace=1.0)))
    assert NOLA.heat.half_life_s(day_old) == 2 * even.heat.half_life_s(day_old)
    for name, one in ALL.items():
        if name != "nola":
            like = [one.heat.half_life_s(Row(aged(10), kind)) for kind in (Kind.PROCEDURAL, Kind.EPISODIC)]
            assert like[0] == like[1] == even.heat.half_life_s(day_old)


@pytest.mark.row("X02")
@pytest.mark.parametrize("kind", Kind)
def test_use_leaves_the_same_statistics_under_every_profile(kind: Kind) -> None:
    """Four uses of one memory, near and far apart: each profile writes what the others write."""
    written = set()
    for one in ALL.values():
        stat = one.first(kind, NOW)
        for days in (0.01, 3, 10, 40):
            stat = one.accessed(Row(stat, kind), NOW + days * DAY)
        written.add(stat)
    assert len(written) == 1


@pytest.mark.row("X02")
@pytest.mark.row("D11")
@pytest.mark.row("C23")
def test_a_document_sees_what_its_own_rules_make_of_use() -> None:
    """After gaps of 1, 7 and 14 days blah has 0.3 + 0.1 (1/7 + 1 + 2), and stability has grown by a tenth each time."""
    used = [NOW + days * DAY for days in (1, 8, 22)]
    own = ALL["blah"].practised(Kind.EPISODIC, NOW, used)
    assert own.stability == pytest.approx(0.3 + 0.1 * (1 / 7 + 1 + 2))
    assert own.stability_days == pytest.approx(1.1**3)
    assert (own.access_count, own.last_access_s) == (3, used[-1])
    stat = NOLA.first(Kind.EPISODIC, NOW)
    for at_s in used:
        stat = NOLA.accessed(Row(stat, Kind.EPISODIC), at_s)
    assert NOLA.practised(Kind.EPISODIC, NOW, used) == stat
    assert stat.stability < own.stability
    given = ALL["blah"].practised(Kind.EPISODIC, NOW, used, stability=0.5, stability_days=2.0)
    assert given.stability == pytest.approx(own.stability + 0.2)
    assert given.stability_days == pytest.approx(2 * 1.1**3)


@pytest.mark.row("X02")
def test_only_where_growth_ranks_and_differs_the_log_is_needed() -> None:
    """Blah ranks by a stability of its own; heat, confidence, activation and place need no log, and nola never does."""
    assert [name for name, one in ALL.items() if one.ranks_by_replay] == ["blah"]
    chosen = MemorySettings(strategy="ebbinghaus")
    assert Dynamics(Settings(memory=chosen), profile="ada").ranks_by_replay
    assert not Dynamics(Settings(memory=chosen)).ranks_by_replay
    assert not Dynamics(Settings(memory=MemorySettings(forgetting=False)), profile="blah").ranks_by_replay


SWITCHES = {
    "activation": ({"recent_s"}, {"actr"}),
    "hebbian": (set[str](), set[str]()),
    "forgetting": ({"stability", "stability_days"}, {"ebbinghaus", "retention"}),
    "consolidation": ({"r1", "r2", "chain_s"}, {"chain"}),
}


@pytest.mark.row("C27")
@pytest.mark.parametrize("part", SWITCHES)
def test_each_part_of_the_dynamics_can_be_switched_off_alone(part: str) -> None:
    """Off, an access leaves the part's own columns and changes the others as ever; its strategies rank no more."""
    columns, strategies = SWITCHES[part]
    before = aged(7, r1=0.5)
    on = NOLA.accessed(Row(before), NOW)
    switched: dict[str, Any] = {part: False}
    without = MemorySettings(**switched)
    off = Dynamics(Settings(memory=without)).accessed(Row(before), NOW)
    assert off == replace(on, **{name: getattr(before, name) for name in columns})
    assert all(getattr(on, name) != getattr(before, name) for name in columns)
    pool = Pool.of([Row(aged(1)), Row(aged(900, importance=0.1))])
    for name in STRATEGIES:
        ranks = Dynamics(Settings(memory=replace(without, strategy=name)))
        is_flat = ranks.strength(pool, NOW).tolist() == [1.0, 1.0]
        assert is_flat is (name in strategies)


@pytest.mark.row("P12")
def test_a_floor_holds_strength_up_when_it_is_set() -> None:
    """By default strength falls as far as it does; with a floor of 0.3 it stops there, and what is above stays."""
    pool = Pool.of([Row(aged(3650, importance=0.0)), Row(aged(0))])
    free = NOLA.strength(pool, NOW)
    held = Dynamics(Settings(memory=MemorySettings(decay_floor=0.3))).strength(pool, NOW)
    assert free[0] < 0.3 < free[1]
    assert held.tolist() == [0.3, free[1]]


@pytest.mark.row("E07")
@pytest.mark.row("X01")
def test_hea_weighs_the_level_of_the_question() -> None:
    """The level of a question matters where hea ranks, and nowhere else."""
    pool = Pool.of([Row(aged(0), level=level) for level in (1, 2, 3)])
    assert ALL["hea"].strength(pool, NOW, 1).tolist() == pytest.approx([1.0, 0.21, 0.04])
    assert ALL["hea"].strength(pool, NOW).tolist() == pytest.approx([1.0, 0.7, 0.4])
    assert NOLA.strength(pool, NOW, 1).tolist() == NOLA.strength(pool, NOW).tolist()


def test_a_memory_is_explained_at_its_own_level() -> None:
    """When the next tier comes depends on the level and on the last change too, not on the statistics alone."""
    rows = [Row(aged(30), level=1, updated_s=NOW), Row(aged(30), level=2, updated_s=NOW)]
    near, far = ({view.strategy: view for view in ALL["hea"].explain(row, NOW)}["hea"] for row in rows)
    rate = Settings().context.recency_lambda
    assert near.crossing is not None
    assert far.crossing is not None
    assert near.crossing.in_s / DAY == pytest.approx(math.log(1 / 0.8) / rate, rel=1e-6)
    assert far.crossing.in_s / DAY == pytest.approx(math.log(0.7 / 0.4) / rate, rel=1e-6)
    assert ALL["hea"].strength_of(rows[1], NOW) == pytest.approx(0.7)
