"""The weight of a memory by its level and its age."""

from __future__ import annotations

import math

import pytest

from nola.memory.axes import Kind
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
    assert model.half_life_s(aged(0), Kind.SEMANTIC) == pytest.approx(math.log(2) / 0.1 * DAY)
    assert Hea(ContextSettings(recency_lambda=0), RATES).half_life_s(aged(0), Kind.SEMANTIC) == math.inf
