"""The forgetting curve: first stabilities by kind, growth with retrieval, and spacing that matters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nola.memory.axes import Kind
from nola.memory.dynamics.base import DAY, Floats, Row, Statistics
from nola.memory.dynamics.ebbinghaus import Ebbinghaus
from nola.settings import EbbinghausSettings
from tests.memory.dynamics.samples import NOW, RATES, aged, first, pool_of

NOLA = Ebbinghaus(EbbinghausSettings(), RATES)
LITERAL = Ebbinghaus(EbbinghausSettings(), RATES, literal=True)


def practised(model: Ebbinghaus, gaps_days: list[float]) -> float:
    """Return the stability of a fact after accesses with these gaps."""
    stat = Statistics.fresh(0.0)
    for gap in gaps_days:
        stat = model.accessed(stat, Kind.SEMANTIC, stat.last_access_s + gap * DAY)
    return stat.stability_days


@pytest.mark.row("C26")
@pytest.mark.parametrize(
    ("kind", "days", "half_life"),
    [(Kind.EPISODIC, 1.0, 0.693), (Kind.SEMANTIC, 5.0, 3.466), (Kind.PROCEDURAL, 10.0, 6.931)],
)
def test_each_kind_has_its_first_stability(kind: Kind, days: float, half_life: float) -> None:
    """1, 5 and 10 days, with their half-lives on the exponential curve."""
    assert NOLA.first_stability(kind) == LITERAL.first_stability(kind) == days
    found = LITERAL.half_life_s(Row(aged(0, stability_days=days), kind)) / DAY
    assert found == pytest.approx(half_life, abs=1e-3)


@pytest.mark.row("C24")
def test_a_failed_retrieval_changes_nothing() -> None:
    """What was not returned keeps its stability."""
    stat = aged(3)
    assert LITERAL.accessed(stat, Kind.SEMANTIC, NOW, returned=False) == stat


@pytest.mark.row("C25")
def test_spaced_practice_beats_massed_practice() -> None:
    """Ten accesses over ten days give more than ten in an hour; the document's own rule can't tell them apart."""
    massed, spaced = [1 / 240] * 10, [1.0] * 10
    assert practised(NOLA, spaced) > practised(NOLA, massed) * 1.2
    assert practised(LITERAL, spaced) == practised(LITERAL, massed)


@pytest.mark.row("C25")
def test_the_gain_grows_with_the_gap_and_has_a_bound() -> None:
    """A longer gap never gives less; an access at once gives nothing, and none more than twice beta."""
    gains = [practised(NOLA, [gap]) / 5.0 - 1 for gap in (0.0, 0.1, 1.0, 5.0, 50.0, 5000.0)]
    assert gains == sorted(gains)
    assert gains[0] == 0.0
    assert gains[3] == pytest.approx(0.1)
    assert gains[-1] < 0.2


def test_a_curve_of_ones_own_is_taken() -> None:
    """Any callable of days and stabilities decides, also for half-lives (D38)."""

    def cliff(days: Floats, stability: Floats) -> Floats:
        return np.where(days < stability, 1.0, 0.0)

    model = Ebbinghaus(EbbinghausSettings(), RATES, curve=cliff)
    assert model.value(pool_of(aged(4.9), aged(5.1)), NOW).tolist() == [1.0, 0.0]
    assert model.half_life_s(Row(aged(0))) == pytest.approx(5 * DAY, abs=1e-3)


@pytest.mark.row("D40")
def test_the_power_curve_is_the_default_of_nola_alone() -> None:
    """A literal profile keeps e^(-t/S), and the setting brings it to Nola (E-39)."""
    pool = pool_of(aged(30))
    assert first(LITERAL.value(pool, NOW)) == pytest.approx(math.exp(-6))
    assert first(NOLA.value(pool, NOW)) > 0.2
    set_to = Ebbinghaus(EbbinghausSettings(curve="exponential"), RATES)
    assert first(set_to.value(pool, NOW)) == pytest.approx(math.exp(-6))


def test_stability_stays_finite() -> None:
    """Ten thousand accesses end at a bound, not at infinity."""
    assert practised(LITERAL, [1.0] * 10_000) == 1e6
