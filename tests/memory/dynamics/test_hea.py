"""The weight of a memory by its level and its age."""

from __future__ import annotations

import math

import pytest

from nola.memory.dynamics.base import DAY, Pool, Row
from nola.memory.dynamics.hea import Hea
from nola.settings import ContextSettings
from tests.memory.dynamics.samples import NOW, RATES, aged

LEVELS = Pool.of([Row(aged(0), level=level) for level in (1, 2, 3)])


@pytest.mark.row("E06")
def test_the_level_is_the_place_in_the_hierarchy() -> None:
    """Levels 1, 2, 3 weigh 1.0, 0.7, 0.4 when no level is asked for."""
    assert Hea(ContextSettings(), RATES).value(LEVELS, NOW).tolist() == pytest.approx([1.0, 0.7, 0.4])


@pytest.mark.row("E07")
@pytest.mark.parametrize(("chosen", "weights"), [(1, [1.0, 0.21, 0.04]), (2, [0.3, 0.7, 0.12]), (3, [0.1, 0.21, 0.4])])
def test_a_chosen_level_weighs_by_its_distance(chosen: int, weights: list[float]) -> None:
    """1.0 at the level, 0.3 one apart, 0.1 two apart."""
    assert Hea(ContextSettings(), RATES, chosen=chosen).value(LEVELS, NOW).tolist() == pytest.approx(weights)


@pytest.mark.row("E08")
def test_recency_decays_per_day() -> None:
    """e^(-lambda d), whose half-life is ln 2 / lambda; lambda 0 never decays."""
    model = Hea(ContextSettings(recency_lambda=0.1), RATES)
    pool = Pool.of([Row(aged(10), level=1)])
    assert model.value(pool, NOW).tolist() == pytest.approx([math.exp(-1)])
    ahead = Pool.of([Row(aged(-10), level=1)])
    assert model.value(ahead, NOW).tolist() == [1.0]
    assert model.half_life_s(Row(aged(0))) == pytest.approx(math.log(2) / 0.1 * DAY)
    assert Hea(ContextSettings(recency_lambda=0), RATES).half_life_s(Row(aged(0))) == math.inf


@pytest.mark.row("E08")
@pytest.mark.row("X01")
def test_recency_counts_from_the_last_change_and_not_from_the_last_use() -> None:
    """A memory of a hundred days that was changed now is fresh; one that was used now and never changed is not."""
    model = Hea(ContextSettings(recency_lambda=0.1), RATES)
    changed = Row(aged(100), level=1, updated_s=NOW)
    used = Row(aged(100, last_access_s=NOW), level=1)
    assert model.value(Pool.of([changed, used]), NOW).tolist() == pytest.approx([1.0, math.exp(-10)])


@pytest.mark.row("E04")
@pytest.mark.parametrize(
    ("content", "selected", "age_s", "weight"),
    [(1, 1, 0, 1.0), (2, 1, 0, 0.21), (3, 1, 86_400, 0.01685891), (3, 3, 3_600, 0.38585612)],
)
def test_the_weight_is_that_of_the_document(content: int, selected: int, age_s: float, weight: float) -> None:
    """The golden values 004.weight, whose lambda is 0.00001 a second."""
    model = Hea(ContextSettings(recency_lambda=1e-5 * DAY), RATES).asked_at(selected)
    pool = Pool.of([Row(aged(age_s / DAY), level=content)])
    assert model.value(pool, NOW).tolist() == pytest.approx([weight], abs=1e-8)


def test_no_level_that_is_asked_for_weighs_every_level_alike() -> None:
    """The weights without a level stay as they are, before and after another was asked for."""
    model = Hea(ContextSettings(), RATES)
    before = model.value(LEVELS, NOW).tolist()
    assert model.asked_at(3).value(LEVELS, NOW).tolist() == pytest.approx([0.1, 0.21, 0.4])
    assert model.asked_at(None).value(LEVELS, NOW).tolist() == before
