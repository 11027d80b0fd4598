"""Retention: kinds, importance, the safe zero, the future, and two rules of spacing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nola.memory.axes import Kind
from nola.memory.dynamics.base import DAY, Row, Statistics
from nola.memory.dynamics.curves import power
from nola.memory.dynamics.retention import Retention
from nola.settings import RetentionSettings
from tests.memory.dynamics.samples import NOW, RATES, aged, first, pool_of

NOLA = Retention(RetentionSettings(), RATES)
BLAH = Retention(RetentionSettings(), RATES, literal=True)


def practised(model: Retention, gaps_days: list[float]) -> float:
    """Return the stability of an event after accesses with these gaps."""
    stat = Statistics.fresh(0.0, stability=0.3)
    for gap in gaps_days:
        stat = model.accessed(stat, Kind.EPISODIC, stat.last_access_s + gap * DAY)
    return stat.stability


@pytest.mark.row("D03")
def test_facts_last_three_times_as_long_as_events() -> None:
    """At equal stability and importance the half-lives are 1 to 3."""
    stat = aged(0)
    ratio = BLAH.half_life_s(Row(stat, Kind.SEMANTIC)) / BLAH.half_life_s(Row(stat, Kind.EPISODIC))
    assert ratio == pytest.approx(3.0)


@pytest.mark.row("D04")
@pytest.mark.parametrize(("importance", "boost"), [(0.0, 1.0), (0.5, 2.0), (1.0, 3.0)])
def test_importance_stretches_up_to_three_times(importance: float, boost: float) -> None:
    """The factor is 1 + 2 x importance."""
    pool = pool_of(aged(0, stability=1.0, importance=importance), kind=Kind.EPISODIC)
    assert first(BLAH.constant_days(pool)) == pytest.approx(30 * boost)


@pytest.mark.row("D06")
def test_procedures_never_fade() -> None:
    """In the document's profile retention is exactly 1 after ten years, and no half-life comes."""
    pool = pool_of(aged(3650), aged(3650, stability=0.0), kind=Kind.PROCEDURAL)
    assert BLAH.value(pool, NOW).tolist() == [1.0, 1.0]
    assert BLAH.half_life_s(Row(aged(0), Kind.PROCEDURAL)) == math.inf
    assert BLAH.next_crossing(Row(aged(0), Kind.PROCEDURAL), NOW, (0.8, 0.4)) is None


def test_in_nola_procedures_fade_by_a_power_curve_and_slowest_of_all() -> None:
    """At every age more is left of a procedure than of a fact or an event, and use strengthens it (E-50)."""
    ages = np.geomspace(0.001, 36_500, 60)
    left = {kind: NOLA.value(pool_of(*(aged(float(age)) for age in ages), kind=kind), NOW) for kind in Kind}
    procedural = left[Kind.PROCEDURAL]
    for kind in set(Kind) - {Kind.PROCEDURAL, Kind.PROSPECTIVE}:
        assert (procedural > left[kind]).all()
    assert (np.diff(procedural) < 0).all()
    assert procedural[-1] > 1e-3  # an exponential curve would have nothing left
    assert procedural == pytest.approx(1 / (1 + (math.e - 1) * ages / (180 * 0.3 * 2)))
    assert NOLA.half_life_s(Row(aged(0), Kind.PROCEDURAL)) / DAY == pytest.approx(108 / (math.e - 1))
    often = NOLA.accessed(aged(30), Kind.PROCEDURAL, NOW)
    assert often.stability > 0.3


def test_what_is_to_be_done_never_fades() -> None:
    """An intention is resolved or expires."""
    assert first(NOLA.value(pool_of(aged(3650), kind=Kind.PROSPECTIVE), NOW)) == 1.0
    assert NOLA.half_life_s(Row(aged(0), Kind.PROSPECTIVE)) == math.inf


@pytest.mark.row("D38")
@pytest.mark.parametrize("rules", [{"literal": True}, {"literal": False}], ids=str)
def test_a_curve_is_chosen_by_name(rules: dict[str, Any]) -> None:
    """The setting `curve` brings the power curve, with its exponent, to every profile."""
    model = Retention(RetentionSettings(curve="power", exponent=0.5), RATES, **rules)
    pool = pool_of(aged(54), aged(540))
    found = model.value(pool, NOW)
    assert found.tolist() == pytest.approx([1 / math.e, (1 + 10 * math.expm1(2)) ** -0.5])
    assert model.half_life_s(Row(aged(0))) == pytest.approx(54 * DAY * 3 / math.expm1(2), rel=1e-6)


@pytest.mark.row("D07")
def test_zero_stability_is_safe() -> None:
    """It is 1 at once, e^(-1/2.592) after a second (E-57), nothing after two minutes, and never NaN."""
    pool = pool_of(*(aged(s / DAY, stability=0.0, importance=0.0) for s in (0, 1, 120, 1e9)), kind=Kind.EPISODIC)
    values = BLAH.value(pool, NOW)
    assert values[0] == 1.0
    assert values[1] == pytest.approx(math.exp(-1 / (30e-6 * DAY)), abs=1e-6)
    assert values[2] < 1e-12
    assert values[3] == 0.0
    assert np.isfinite(values).all()


@pytest.mark.row("D09")
def test_an_access_in_the_future_is_an_access_now() -> None:
    """Retention is 1, never more."""
    assert first(BLAH.value(pool_of(aged(-100)), NOW)) == 1.0


@pytest.mark.row("D10")
@pytest.mark.parametrize(("gap", "bonus"), [(0, 0.0), (1, 1 / 7), (7, 1.0), (14, 2.0), (100, 2.0)])
def test_the_documents_bonus(gap: float, bonus: float) -> None:
    """It is min(2, gap / 7)."""
    assert BLAH.bonus(gap) == pytest.approx(bonus)


@pytest.mark.row("D13")
def test_the_document_ties_where_nola_rewards_spacing() -> None:
    """14 x 1 d, 2 x 7 d and 1 x 14 d all give +0.2 in blah; in nola more spaced accesses give strictly more."""
    plans = [[1.0] * 14, [7.0] * 2, [14.0]]
    assert [practised(BLAH, plan) for plan in plans] == pytest.approx([0.5] * 3)
    ours = [practised(NOLA, plan) for plan in plans]
    assert ours[0] > ours[1] > ours[2]


@pytest.mark.row("D13")
def test_spaced_beats_massed_in_nola() -> None:
    """Seven accesses over two weeks give more than seven within an hour."""
    assert practised(NOLA, [2.0] * 7) > practised(NOLA, [1 / 168] * 7) + 0.1


def test_no_longer_gap_gives_less() -> None:
    """The bonus rises with the gap, is 1 at seven days and never above 2 (E-31)."""
    bonuses = [NOLA.bonus(gap) for gap in (0, 1, 7, 14, 100, 10_000)]
    assert bonuses == sorted(bonuses)
    assert bonuses[2] == pytest.approx(1.0)
    assert bonuses[-1] < 2.0
    assert Retention(RetentionSettings(bonus_most=1), RATES).bonus(100) == 1.0


@pytest.mark.row("D41")
def test_what_is_important_fades_slower() -> None:
    """At every time after the start an importance of 0.9 has more left than one of 0.1."""
    ages = [0.001, 0.1, 1.0, 10.0, 100.0]
    high = NOLA.value(pool_of(*(aged(day, importance=0.9) for day in ages)), NOW)
    low = NOLA.value(pool_of(*(aged(day, importance=0.1) for day in ages)), NOW)
    assert (high > low).all()


@pytest.mark.row("D38")
def test_a_curve_of_ones_own_changes_values_and_half_lives() -> None:
    """With the power curve much is lost early and something stays late."""
    own = Retention(RetentionSettings(), RATES, curve=power(0.134))
    late = pool_of(aged(1000))
    assert first(own.value(late, NOW)) > first(NOLA.value(late, NOW))
    assert own.half_life_s(Row(aged(0))) < NOLA.half_life_s(Row(aged(0)))
