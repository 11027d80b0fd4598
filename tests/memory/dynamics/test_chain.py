"""The two traces: what is fresh is vivid and fragile, what is old is stable."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nola.memory.axes import Kind
from nola.memory.dynamics.base import DAY
from nola.memory.dynamics.chain import Chain
from nola.settings import ChainSettings
from tests.memory.dynamics.samples import NOW, RATES, aged, first, pool_of

CHAIN = Chain(ChainSettings(), RATES)


@pytest.mark.row("C17")
def test_both_half_lives() -> None:
    """The working trace halves in 6.93 days, the long-term one in 69.3."""
    r1, _ = CHAIN.passed(np.array([1.0]), np.array([0.0]), np.array([6.9315]))
    _, r2 = CHAIN.passed(np.array([0.0]), np.array([1.0]), np.array([69.315]))
    assert [first(r1), first(r2)] == pytest.approx([0.5, 0.5], abs=1e-5)


@pytest.mark.row("C17")
@pytest.mark.parametrize("apart", [0.0, 1e-12, 1e-7])
def test_equal_rates_have_their_limit(apart: float) -> None:
    """With mu 1 = mu 2 the long-term trace is alpha t e^(-mu t), and near it nothing is lost to rounding."""
    model = Chain(ChainSettings(fast=0.05 + apart, slow=0.05), RATES)
    _, r2 = model.passed(np.array([1.0]), np.array([0.0]), np.array([7.0]))
    assert first(r2) == pytest.approx(0.08 * 7 * math.exp(-0.05 * 7), rel=1e-6)


@pytest.mark.row("C17")
def test_a_slow_working_trace_stays_finite() -> None:
    """With mu 1 below mu 2 the closed form still holds."""
    model = Chain(ChainSettings(fast=0.01, slow=0.1), RATES)
    _, r2 = model.passed(np.array([1.0]), np.array([0.0]), np.array([7.0]))
    assert first(r2) == pytest.approx(0.08 * (math.exp(-0.07) - math.exp(-0.7)) / 0.09, rel=1e-12)


@pytest.mark.row("C18")
def test_the_long_term_trace_peaks_when_the_rates_say() -> None:
    """With alpha 0.08 that is after 25.58 days; the time of the peak does not depend on alpha."""
    days = np.arange(0, 60, 0.01)
    _, r2 = CHAIN.passed(np.ones(len(days)), np.zeros(len(days)), days)
    assert days[r2.argmax()] == pytest.approx(25.58, abs=0.01)


@pytest.mark.row("C19")
def test_the_size_of_steps_does_not_matter() -> None:
    """One step of thirty days, thirty of one, and three hundred of a tenth end alike to 1e-9."""
    ends = []
    for steps in (1, 30, 300):
        r1, r2 = np.array([1.0]), np.array([0.2])
        for _ in range(steps):
            r1, r2 = CHAIN.passed(r1, r2, np.array([30.0 / steps]))
        ends.append((first(r1), first(r2)))
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    assert ends[0] == pytest.approx(ends[2], abs=1e-9)


@pytest.mark.row("C20")
def test_the_traces_cross_once() -> None:
    """The working trace leads at first, and from the crossing on the long-term one does."""
    r1, r2 = CHAIN.traces(pool_of(*(aged(day) for day in range(200))), NOW)
    leads = r1 > r2
    assert leads[0]
    assert np.diff(leads.astype(int)).tolist().count(-1) == 1
    assert np.diff(leads.astype(int)).tolist().count(1) == 0


def test_an_access_brings_the_working_trace_back() -> None:
    """The working trace is whole again, the long-term one is what it had become, and both stand for now."""
    before = aged(20)
    after = CHAIN.accessed(before, Kind.SEMANTIC, NOW)
    _, r2 = CHAIN.traces(pool_of(before), NOW)
    assert (after.r1, after.r2, after.chain_s) == (1.0, first(r2), NOW)


def test_a_chain_that_stands_for_the_future_waits() -> None:
    """A clock that was set back changes no trace, and the time they stand for does not go back."""
    stat = aged(-1)
    assert first(CHAIN.value(pool_of(stat), NOW)) == 1.0
    assert CHAIN.learned(stat, Kind.SEMANTIC, NOW).chain_s == NOW + DAY


def test_strength_stays_between_zero_and_one() -> None:
    """Many accesses make the long-term trace great, and the strength no more than 1."""
    stat = aged(400)
    for day in range(400):
        stat = CHAIN.accessed(stat, Kind.SEMANTIC, NOW - (400 - day) * DAY)
    assert first(CHAIN.value(pool_of(stat), NOW)) > 1
    assert first(CHAIN.strength(pool_of(stat), NOW)) == 1.0
