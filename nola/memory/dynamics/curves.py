"""Curves of forgetting: what is left after some days, for a stability in days (C22, D38, D40)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from nola.errors import UsageError
from nola.memory.dynamics.base import Floats

__all__ = ["Curve", "checked_curve", "exponential", "power"]

Curve: TypeAlias = Callable[[Floats, Floats], Floats]
"""Takes days passed and stabilities in days, returns what is left, 1 at first and never rising."""


def checked_curve(curve: object) -> Curve | None:
    """Return a curve of one's own, or None for none.

    Raises:
        UsageError: It can't be called; the curves that have a name are chosen by the settings.
    """
    if curve is None or callable(curve):
        return curve
    raise UsageError(
        f"curve is a function of days and stabilities, not {type(curve).__name__}",
        fix="power and exponential are chosen by the settings retention.curve and ebbinghaus.curve",
    )


def exponential(days: Floats, stability_days: Floats) -> Floats:
    """Return e^(-t/S) (C22)."""
    return np.exp(-days / stability_days)


def power(exponent: float) -> Curve:
    """Return the power curve (1 + (e^(1/b) - 1) t/S)^-b, which also has 1/e left at t = S (D40, E-39).

    With b = 0.134 and S = 0.44 d it meets Ebbinghaus' four points (20 min .58, 1 d .34, 6 d .25, 31 d .21) within a
    sum of squares of 0.0003; no exponential comes nearer than 0.1.

    Args:
        exponent: b.
    """
    steepness = math.expm1(1 / exponent)

    def curve(days: Floats, stability_days: Floats) -> Floats:
        return np.exp(-exponent * np.log1p(steepness * days / stability_days))

    return curve
