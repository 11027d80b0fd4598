"""Heat cools, grows with use, stays below the innate 1, and can be moved by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from nola.memory.axes import Kind, Tier
from nola.memory.dynamics.base import DAY, Row
from nola.memory.dynamics.crossing import tier_of
from nola.memory.dynamics.heat import Heat
from nola.settings import HeatSettings
from tests.memory.dynamics.samples import NOW, RATES, aged, first, pool_of

HEAT = Heat(HeatSettings(), RATES)
THRESHOLDS = (0.8, 0.4)


@pytest.mark.row("A03")
@pytest.mark.parametrize("days", [0, 1, 3650])
@pytest.mark.parametrize("references", [0, 10**6])
def test_innate_memories_are_always_hot(days: float, references: int) -> None:
    """Neither age nor use moves the heat of an innate memory from exactly 1."""
    pool = pool_of(aged(days, access_count=references), innate=True)
    assert first(HEAT.value(pool, NOW)) == 1.0
    assert first(HEAT.strength(pool, NOW)) == 1.0


@pytest.mark.row("A07")
def test_heat_only_falls_while_nothing_happens() -> None:
    """Over sixty days every later heat is lower."""
    days = np.arange(0, 60, 0.25)
    heat = HEAT.value(pool_of(*(aged(float(day)) for day in days)), NOW)
    assert (np.diff(heat) < 0).all()


@pytest.mark.row("A08")
def test_a_learned_memory_never_reaches_the_innate() -> None:
    """A million references end at 0.99."""
    assert first(HEAT.value(pool_of(aged(0, importance=0.6, access_count=10**6)), NOW)) == 0.99


@pytest.mark.row("A11")
@pytest.mark.parametrize(("alpha", "heat"), [(0.3, 0.738687), (0.5, 0.848528)])
def test_alpha_can_be_set(alpha: float, heat: float) -> None:
    """One reference multiplies by 2^alpha."""
    model = Heat(HeatSettings(alpha=alpha), RATES)
    assert first(model.value(pool_of(aged(0, importance=0.6, access_count=1)), NOW)) == pytest.approx(heat, abs=1e-6)


@pytest.mark.row("A13")
def test_half_a_day_counts_as_half_a_day() -> None:
    """Days are fractions of 86,400 s."""
    assert first(HEAT.value(pool_of(aged(0.5)), NOW)) == pytest.approx(0.5 * math.exp(-0.05), rel=1e-12)


@pytest.mark.row("A14")
@pytest.mark.parametrize(
    ("heat", "tier"), [(0.80, Tier.WARM), (0.8000001, Tier.HOT), (0.40, Tier.WARM), (0.3999999, Tier.COLD)]
)
def test_tiers_have_sharp_borders(heat: float, tier: Tier) -> None:
    """Hot is above 0.8, warm from 0.4 to 0.8, cold below (E-02)."""
    assert tier_of(heat, THRESHOLDS) is tier


@pytest.mark.row("A06")
@pytest.mark.parametrize(("importance", "tier"), [(0.5, Tier.WARM), (0.3, Tier.COLD), (0.85, Tier.HOT)])
def test_a_new_memory_is_as_warm_as_it_is_important(importance: float, tier: Tier) -> None:
    """The default is warm; the tier always follows the score (E-03)."""
    assert tier_of(first(HEAT.value(pool_of(aged(0, importance=importance)), NOW)), THRESHOLDS) is tier


def test_the_future_has_age_zero() -> None:
    """An access time after now makes nothing hotter than its base (E-09)."""
    assert first(HEAT.value(pool_of(aged(-3)), NOW)) == 0.5


def test_the_bias_is_added_before_the_borders() -> None:
    """What was set by hand is added, and the sum stays between 0 and 0.99 (E-06)."""
    biased = pool_of(*(aged(0, heat_bias=bias) for bias in (0.2, -0.3, 0.9, -0.9)))
    assert HEAT.value(biased, NOW).tolist() == pytest.approx([0.7, 0.2, 0.99, 0.0])


@pytest.mark.row("A18")
def test_an_access_counts_one_reference() -> None:
    """One access is one reference, and now is the last access; a memory that was not returned stays as it is."""
    stat = aged(2)
    after = HEAT.accessed(stat, Kind.SEMANTIC, NOW)
    assert (after.access_count, after.last_access_s) == (1, NOW)
    assert replace(after, access_count=0, last_access_s=stat.last_access_s, recent_s=stat.recent_s) == stat
    assert HEAT.accessed(stat, Kind.SEMANTIC, NOW, returned=False) is stat


def test_the_half_life_is_that_of_lambda() -> None:
    """Heat halves in ln 2 / lambda, and never when lambda is 0."""
    assert HEAT.half_life_s(Row(aged(0))) == pytest.approx(math.log(2) / 0.1 * DAY)
    assert Heat(HeatSettings(cooling=0), RATES).half_life_s(Row(aged(0))) == math.inf


@pytest.mark.row("A09")
def test_only_a_literal_profile_takes_the_prose_variant() -> None:
    """Without references the prose's heat is 0; Nola's own profile keeps plus one."""
    settings = HeatSettings(counted="n")
    pool = pool_of(aged(0, importance=0.6), aged(0, importance=0.6, access_count=1))
    assert Heat(settings, RATES, literal=True).value(pool, NOW).tolist() == [0.0, 0.6]
    assert Heat(settings, RATES).value(pool, NOW).tolist() == pytest.approx([0.6, 0.791705], abs=1e-6)
