"""Activation follows the power law, in seconds, exactly for ten accesses and nearly for more."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.memory.axes import Kind
from nola.memory.dynamics.actr import Actr
from nola.memory.dynamics.base import DAY, Pool, Row, Statistics
from nola.memory.ids import IdMaker
from nola.settings import ActrSettings
from tests.memory.dynamics.samples import NOW, RATES, accessed_at, aged, first, pool_of

ACTR = Actr(ActrSettings(), RATES)
AGES = st.lists(st.floats(1, 3e8), min_size=1, max_size=9)


def base(*ages_s: float) -> float:
    """Return the base level of one memory with accesses of these ages."""
    return first(ACTR.base_level(pool_of(accessed_at(*ages_s)), NOW))


@pytest.mark.row("C02")
def test_one_access_is_forgotten_by_the_power_law() -> None:
    """The slope of ln e^B over ln t is -d from an hour to a year."""
    ages = np.geomspace(3600, 365 * DAY, 50)
    levels = ACTR.base_level(pool_of(*(accessed_at(float(age)) for age in ages)), NOW)
    slopes = np.diff(levels) / np.diff(np.log(ages))
    assert np.abs(slopes + 0.5).max() < 1e-6


@pytest.mark.row("C03")
@given(AGES, st.floats(1, 3e8), st.floats(1, 3e8))
def test_accesses_raise_activation_and_nearer_ones_more(ages: list[float], one: float, other: float) -> None:
    """No access lowers the base level, and a nearer one raises it at least as much."""
    near, far = sorted((one, other))
    assert base(*ages, far) >= base(*ages) - 1e-12
    assert base(*ages, near) >= base(*ages, far) - 1e-12


@pytest.mark.row("C04")
@given(st.lists(AGES, min_size=2, max_size=6))
def test_the_unit_of_time_shifts_everything_alike(memories: list[list[float]]) -> None:
    """In minutes all base levels shift by d ln 60, so the ranking stays; the documented unit is the second."""
    minutes = Actr(ActrSettings(age_floor=0.001), RATES)
    seconds = ACTR.base_level(pool_of(*(accessed_at(*ages) for ages in memories)), NOW)
    as_minutes = pool_of(*(accessed_at(*(age / 60 for age in ages)) for ages in memories))
    shifted = minutes.base_level(as_minutes, NOW) - seconds
    assert np.allclose(shifted, 0.5 * math.log(60), atol=1e-3)


@pytest.mark.row("C04")
def test_the_exponent_can_be_set() -> None:
    """One access a day ago has B = -d ln 86,400."""
    model = Actr(ActrSettings(decay=0.3), RATES)
    assert first(model.base_level(pool_of(aged(1)), NOW)) == pytest.approx(-0.3 * math.log(DAY))


@pytest.mark.row("C05")
def test_the_instant_of_creation_and_no_access_at_all_are_defined() -> None:
    """A new memory has a finite base level; one without accesses has strength 0, and nothing breaks."""
    assert base(0) == 0.0
    empty = pool_of(aged(1, recent_s=()))
    assert first(ACTR.base_level(empty, NOW)) == -math.inf
    assert first(ACTR.strength(empty, NOW)) == 0.0


@pytest.mark.row("C06")
def test_what_spreads_is_added_as_it_is() -> None:
    """One active neighbour with W = 1 and S = 0.4 raises activation by 0.4, none by nothing."""
    pool = pool_of(aged(1), aged(1))
    plain, spread = ACTR.value(pool, NOW), ACTR.value(pool, NOW, np.array([0.4, 0.0]))
    assert (spread - plain).tolist() == pytest.approx([0.4, 0.0], abs=1e-12)


@pytest.mark.row("C07")
def test_importance_is_added_with_its_weight() -> None:
    """With gamma 1, importance 0.5 adds 0.5."""
    pool = pool_of(aged(1, importance=0.5))
    assert first(ACTR.value(pool, NOW) - ACTR.base_level(pool, NOW)) == pytest.approx(0.5)


@pytest.mark.row("C08")
def test_noise_is_off_by_default_and_repeats_with_its_seed() -> None:
    """Without noise the same comes out each time; with it a seed gives the same again, another seed something else."""
    pool = Pool.of([Row(aged(1 + day / 7), id=str(day)) for day in range(200)])
    assert (ACTR.value(pool, NOW) == ACTR.value(pool, NOW)).all()
    noisy = [Actr(ActrSettings(noise=0.25, seed=seed), RATES).value(pool, NOW) for seed in (1, 1, 2)]
    assert (noisy[0] == noisy[1]).all()
    assert not (noisy[0] == noisy[2]).any()
    added = noisy[0] - ACTR.value(pool, NOW)
    assert abs(added.mean()) < 0.1
    assert added.std() == pytest.approx(0.25 * math.pi / math.sqrt(3), rel=0.2)


@pytest.mark.row("C08")
def test_noise_belongs_to_the_memory_and_not_to_its_place() -> None:
    """The order in which memories are asked for changes nobody's noise, nor does what matters about them."""
    noisy = Actr(ActrSettings(noise=0.25), RATES)
    rows = [Row(aged(day), id=str(day)) for day in range(1, 6)]
    forth, back = noisy.value(Pool.of(rows), NOW), noisy.value(Pool.of(reversed(rows)), NOW)
    assert forth.tolist() == back[::-1].tolist()
    louder = [replace(row, statistics=replace(row.statistics, importance=1.0)) for row in rows]
    assert noisy.value(Pool.of(louder), NOW) - forth == pytest.approx(np.full(5, 0.5))


@pytest.mark.row("C08")
def test_memories_of_one_batch_have_noise_of_their_own() -> None:
    """A hundred that were stored at once differ in their ids alone: all get another noise, a seed the same again."""
    make = IdMaker().make
    batch = [Row(aged(3), id=make(datetime.fromtimestamp(NOW, UTC))) for _ in range(100)]
    values = [Actr(ActrSettings(noise=0.25, seed=seed), RATES).value(Pool.of(batch), NOW) for seed in (7, 7)]
    assert len(set(values[0].tolist())) == 100
    assert values[0].tolist() == values[1].tolist()
    assert len(set(ACTR.value(Pool.of(batch), NOW).tolist())) == 1


@pytest.mark.row("C08")
def test_the_probability_of_retrieval_is_logistic() -> None:
    """Even odds at the threshold, nearly sure far above, nearly never far below."""
    odds = Actr(ActrSettings(slope=1.0), RATES).probability(np.array([-6.0, 100.0, -100.0, -7.0]))
    assert odds.tolist() == pytest.approx([0.5, 1.0, 0.0, 1 / (1 + math.e)], abs=1e-9)


@pytest.mark.parametrize("decay", [0.3, 0.5, 1.0, 1.4])
def test_many_accesses_are_approximated_closely(decay: float) -> None:
    """With 200 accesses, of which ten are kept, the base level is within 0.1 of the exact sum."""
    model = Actr(ActrSettings(decay=decay), RATES)
    ages = np.linspace(3600, 200 * 3600, 200)
    exact = math.log(float((ages**-decay).sum()))
    assert first(model.base_level(pool_of(accessed_at(*ages.tolist())), NOW)) == pytest.approx(exact, abs=0.1)


def test_accesses_all_at_once_are_still_counted() -> None:
    """Fifty accesses in the very second of the creation sum up, though nothing lies between the oldest kept and it."""
    pool = pool_of(accessed_at(*[3600.0] * 50))
    assert first(ACTR.base_level(pool, NOW)) == pytest.approx(math.log(50 * 3600**-0.5), abs=1e-6)


def test_the_innate_have_strength_one() -> None:
    """Even an innate memory that was never accessed."""
    assert first(ACTR.strength(pool_of(aged(4000, recent_s=()), innate=True), NOW)) == 1.0


def test_one_instant_for_each_memory_can_be_asked() -> None:
    """Several times of one memory are looked at together."""
    stat = aged(1)
    pool = Pool.of([Row(stat)] * 3)
    times = NOW + np.array([0.0, DAY, 10 * DAY])
    assert ACTR.strength(pool, times).tolist() == [first(ACTR.strength(pool_of(stat), float(time))) for time in times]


def test_an_access_keeps_the_ten_newest_times() -> None:
    """The oldest time goes when an eleventh comes; the number goes on."""
    stat: Statistics = replace(accessed_at(*(float(age) for age in range(10, 20))))
    after = ACTR.accessed(stat, Kind.SEMANTIC, NOW)
    assert after.recent_s == (NOW, *stat.recent_s[:9])
    assert after.access_count == 10
