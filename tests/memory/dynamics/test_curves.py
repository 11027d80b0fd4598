"""Curves of forgetting against Ebbinghaus' own measurements."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nola.errors import UsageError
from nola.memory.dynamics.curves import checked_curve, exponential, power

MINUTES = np.array([20.0, 1440.0, 6 * 1440.0, 31 * 1440.0])
LEFT = np.array([0.58, 0.34, 0.25, 0.21])


@pytest.mark.row("D40")
def test_the_power_curve_fits_ebbinghaus_and_no_exponential_does() -> None:
    """The power curve is within a sum of squares of 0.001 of the four points; the best exponential misses by 0.1."""
    days = MINUTES / 1440
    fitted = power(0.134)(days, np.full(4, 0.44))
    assert float(((fitted - LEFT) ** 2).sum()) < 0.001
    best = min(float(((exponential(days, np.full(4, s)) - LEFT) ** 2).sum()) for s in np.geomspace(0.001, 100, 500))
    assert best > 0.1


def test_all_curves_start_at_one_and_meet_at_their_stability() -> None:
    """Nothing is lost at once, and 1/e is left when as many days have passed as the stability says."""
    stability = np.array([0.5, 5.0, 50.0])
    for curve in (exponential, power(0.134), power(0.5), power(0.01)):
        assert curve(np.zeros(3), stability).tolist() == [1.0, 1.0, 1.0]
        assert curve(stability, stability).tolist() == pytest.approx([1 / math.e] * 3)


def test_no_curve_ever_rises() -> None:
    """Every later value is lower."""
    days = np.linspace(0, 500, 2000)
    for curve in (exponential, power(0.134)):
        assert (np.diff(curve(days, np.full(2000, 20.0))) < 0).all()


@pytest.mark.row("D38")
def test_only_what_can_be_called_is_a_curve() -> None:
    """A name is refused with the settings that take names; none at all is fine."""
    assert checked_curve(exponential) is exponential
    assert checked_curve(None) is None
    with pytest.raises(UsageError, match="curve is a function of days and stabilities, not str") as refused:
        checked_curve("power")
    assert "retention.curve" in refused.value.fix
