"""Tiers, half-lives and crossings that are found from strength alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.memory.axes import Tier
from nola.memory.dynamics.base import DAY, Row, days_since
from nola.memory.dynamics.crossing import Decaying, tier_of, tiers
from tests.memory.dynamics.samples import NOW, aged, first, pool_of

if TYPE_CHECKING:
    from nola.memory.dynamics.base import Floats, Pool

THRESHOLDS = (0.8, 0.4)


class Linear(Decaying):
    """Loses a tenth a day."""

    name = "linear"

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return 1.2 less a tenth a day."""
        return 1.2 - days_since(pool.last_access_s, now_s) / 10


class Rising(Decaying):
    """Falls at first and rises later."""

    name = "rising"

    def value(self, pool: Pool, now_s: float | Floats) -> Floats:
        """Return a valley whose floor is after five days."""
        return np.abs(days_since(pool.last_access_s, now_s) - 5) / 5


def test_tiers_of_many_are_those_of_each() -> None:
    """The vectorised tiers agree with the tier of one."""
    strengths = np.array([0.0, 0.39, 0.4, 0.8, 0.81, 1.0])
    names = [tuple(Tier)[int(code)] for code in tiers(strengths, THRESHOLDS)]
    assert names == [tier_of(float(strength), THRESHOLDS) for strength in strengths]


def test_strength_is_the_value_within_its_borders() -> None:
    """A value above 1 is strength 1, one below 0 is 0, and the innate have 1."""
    assert Linear().strength(pool_of(aged(0), aged(4), aged(30)), NOW).tolist() == pytest.approx([1.0, 0.8, 0.0])
    assert first(Linear().strength(pool_of(aged(30), innate=True), NOW)) == 1.0


def test_the_half_life_counts_from_the_last_access() -> None:
    """It is the same however long ago that was."""
    assert Linear().half_life_s(Row(aged(0))) == pytest.approx(7 * DAY, abs=1e-3)
    assert Linear().half_life_s(Row(aged(50))) == pytest.approx(7 * DAY, abs=1e-3)


@pytest.mark.parametrize(
    ("days", "crossing"),
    [(0, (4, Tier.WARM)), (3, (1, Tier.WARM)), (5, (3, Tier.COLD)), (8.5, None)],
)
def test_the_next_crossing_is_found_to_the_microsecond(days: float, crossing: tuple[float, Tier] | None) -> None:
    """From hot comes warm, from warm cold, and from cold nothing."""
    found = Linear().next_crossing(Row(aged(days)), NOW, THRESHOLDS)
    if crossing is None:
        assert found is None
    else:
        assert found is not None
        assert found.in_s / DAY == pytest.approx(crossing[0])
        assert found.tier is crossing[1]


def test_a_strength_that_rises_again_is_followed() -> None:
    """From cold the next tier may be warm."""
    found = Rising().next_crossing(Row(aged(5)), NOW, THRESHOLDS)
    assert found is not None
    assert found.in_s / DAY == pytest.approx(2)
    assert found.tier is Tier.WARM


def test_what_is_there_at_once_takes_no_time() -> None:
    """A memory without any strength has halved at once."""

    class Nothing(Decaying):
        name = "nothing"

        def value(self, pool: Pool, now_s: float | Floats) -> Floats:
            del now_s
            return np.zeros(len(pool))

    assert Nothing().half_life_s(Row(aged(0))) == 0.0


def test_what_lasts_has_an_infinite_half_life() -> None:
    """A hundred years without a change count as never."""

    class Forever(Decaying):
        name = "forever"

        def value(self, pool: Pool, now_s: float | Floats) -> Floats:
            del now_s
            return np.ones(len(pool))

    assert Forever().half_life_s(Row(aged(0))) == math.inf
    assert Forever().next_crossing(Row(aged(0)), NOW, THRESHOLDS) is None
