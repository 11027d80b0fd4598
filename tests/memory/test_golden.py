"""The expected values that were computed from the documents' formulas, each under its document's own profile (X06)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nola.memory.axes import Kind
from nola.memory.dynamics.base import DAY, Pool, Row, Statistics
from nola.memory.dynamics.model import Dynamics
from nola.memory.dynamics.profiles import PROFILES, final_score
from nola.settings import ActrSettings, HeatSettings, Settings
from tests.memory.dynamics.samples import NOW, accessed_at, aged, first, pool_of
from tests.memory.golden import GOLDEN, golden

ADA = Dynamics(Settings(), profile="ada")
NEURO = Dynamics(Settings(), profile="neuromemory")
BLAH = Dynamics(Settings(), profile="blah")

pytestmark = [pytest.mark.row("X06")]


def test_every_section_is_used() -> None:
    """No section of the file is without a test that names it."""
    tests = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py")))
    assert [
        section for section in GOLDEN if f'golden("{section}")' not in tests and f'["{section}"]' not in tests
    ] == []
    assert len(GOLDEN) == 15


@pytest.mark.row("A10")
@pytest.mark.row("A08")
@pytest.mark.row("A14")
@pytest.mark.parametrize("row", golden("000.heat"), ids=str)
def test_heat_is_that_of_the_document(row: dict[str, Any]) -> None:
    """Heat and tier, with references plus one raised to alpha, meet the fifteen rows."""
    stat = aged(row["days"], importance=row["base"], access_count=row["refs"])
    assert first(ADA.heat.value(pool_of(stat), NOW)) == pytest.approx(row["heat"], abs=1e-6)
    assert ADA.tier(Row(stat), NOW) == row["tier"]


@pytest.mark.row("A09")
@pytest.mark.parametrize("row", golden("000.heat"), ids=str)
def test_the_variant_of_the_prose_can_be_chosen(row: dict[str, Any]) -> None:
    """With references alone raised to alpha, uncapped as in the prose, the rows' second column comes out."""
    prose = Dynamics(Settings(heat=HeatSettings(counted="n")), profile="ada")
    stat = aged(row["days"], importance=row["base"], access_count=row["refs"])
    assert first(prose.heat.raw(pool_of(stat), NOW)) == pytest.approx(row["heat_formula_variant"], abs=1e-6)


@pytest.mark.parametrize("row", golden("000.rank"), ids=str)
def test_ada_blends_relevance_and_heat(row: dict[str, Any]) -> None:
    """Six tenths of relevance and four tenths of heat."""
    score = final_score(PROFILES["ada"], np.array([row["sem"]]), np.array([row["heat"]]))
    assert first(score) == pytest.approx(row["score"], abs=1e-9)


@pytest.mark.parametrize("row", golden("000.days_to_threshold"), ids=str)
def test_heat_crosses_a_threshold_when_the_formula_says(row: dict[str, Any]) -> None:
    """The next crossing is the closed form's, whichever of the two thresholds comes next."""
    stat = aged(0, importance=row["base"], access_count=row["refs"])
    thresholds = (row["thr"], 0.0) if row["thr"] > 0.5 else (1.0, row["thr"])
    crossing = ADA.heat.next_crossing(Row(stat), NOW, thresholds)
    assert crossing is not None
    assert crossing.in_s / DAY == pytest.approx(row["days"], abs=1e-4)


@pytest.mark.row("C01")
@pytest.mark.parametrize("row", golden("002.base_level"), ids=str)
def test_base_level_activation(row: dict[str, Any]) -> None:
    """The logarithm of the summed power laws meets the eight rows."""
    pool = pool_of(accessed_at(*row["ages_s"]))
    assert first(NEURO.actr.base_level(pool, NOW)) == pytest.approx(row["B"], abs=1e-6)


@pytest.mark.row("C06")
@pytest.mark.row("C07")
@pytest.mark.row("C09")
@pytest.mark.parametrize("row", golden("002.activation"), ids=str)
def test_full_activation(row: dict[str, Any]) -> None:
    """Base level, what spreads and importance add up."""
    model = Dynamics(Settings(actr=ActrSettings(importance_weight=row["gamma"])), profile="neuromemory")
    pool = pool_of(accessed_at(*row["ages_s"], importance=row["I"]))
    assert first(model.actr.value(pool, NOW, row["spread"])) == pytest.approx(row["A"], abs=1e-6)


@pytest.mark.row("C16")
@pytest.mark.row("C17")
@pytest.mark.parametrize("row", golden("002.chain"), ids=str)
def test_both_traces_of_the_chain(row: dict[str, Any]) -> None:
    """The closed form meets the rows at every time."""
    r1, r2 = NEURO.chain.traces(pool_of(aged(row["t_days"])), NOW)
    assert first(r1) == pytest.approx(row["r1"], abs=1e-8)
    assert first(r2) == pytest.approx(row["r2"], abs=1e-8)


@pytest.mark.row("C19")
def test_thirty_days_are_thirty_times_a_day() -> None:
    """One step and many end at the same traces."""
    one, thirty = GOLDEN["002.chain_compose"]["one"], GOLDEN["002.chain_compose"]["thirty"]
    r1, r2 = NEURO.chain.passed(np.array([1.0]), np.array([0.0]), np.array([30.0]))
    assert [first(r1), first(r2)] == pytest.approx(one, abs=1e-9)
    r1, r2 = np.array([1.0]), np.array([0.0])
    for _ in range(30):
        r1, r2 = NEURO.chain.passed(r1, r2, np.array([1.0]))
    assert [first(r1), first(r2)] == pytest.approx(thirty, abs=1e-9)


@pytest.mark.row("C22")
@pytest.mark.row("C26")
@pytest.mark.parametrize("row", golden("002.ebbinghaus"), ids=str)
def test_the_forgetting_curve(row: dict[str, Any]) -> None:
    """The exponential curve with the first stability of each kind meets the fifteen rows."""
    kind = Kind(row["type"])
    stat = NEURO.first(kind, NOW - row["t_days"] * DAY)
    assert stat.stability_days == row["S0"]
    assert first(NEURO.ebbinghaus.value(pool_of(stat, kind=kind), NOW)) == pytest.approx(row["R"], abs=1e-8)


@pytest.mark.row("C23")
@pytest.mark.parametrize("row", golden("002.stability_growth"), ids=str)
def test_stability_grows_by_a_tenth_with_a_retrieval(row: dict[str, Any]) -> None:
    """The document's rule takes no notice of spacing."""
    stat = aged(1, stability_days=row["S0"])
    for _ in range(row["retrievals"]):
        stat = NEURO.ebbinghaus.accessed(stat, Kind.EPISODIC, NOW)
    assert stat.stability_days == pytest.approx(row["S"], abs=1e-6)


@pytest.mark.row("D05")
@pytest.mark.row("D06")
@pytest.mark.row("D07")
@pytest.mark.parametrize("row", golden("003.retention"), ids=str)
def test_retention(row: dict[str, Any]) -> None:
    """Stability, importance and kind stretch the decay as in the thirteen rows."""
    stat = aged(row["days"], stability=row["S"], importance=row["I"])
    pool = pool_of(stat, kind=Kind(row["type"]))
    assert first(BLAH.retention.value(pool, NOW)) == pytest.approx(row["R"], abs=1e-6)


@pytest.mark.row("D08")
@pytest.mark.parametrize("row", golden("003.half_life_days"), ids=str)
def test_half_lives_are_the_true_ones(row: dict[str, Any]) -> None:
    """What is told is the half-life, not the decay constant that the document calls one."""
    stat = aged(0, stability=row["S"], importance=row["I"])
    days = BLAH.retention.half_life_s(Row(stat, Kind(row["type"]))) / DAY
    assert days == pytest.approx(row["half_life"], abs=1e-4)


@pytest.mark.row("D10")
@pytest.mark.row("D11")
@pytest.mark.parametrize("row", golden("003.boost"), ids=str)
def test_a_retrieval_strengthens_by_its_gap(row: dict[str, Any]) -> None:
    """The bonus grows with the gap up to two weeks, and stability up to 1."""
    stat = BLAH.retention.accessed(aged(row["gap_days"], stability=row["S"]), Kind.EPISODIC, NOW)
    assert stat.stability == pytest.approx(row["S_new"], abs=1e-6)


@pytest.mark.row("D14")
@pytest.mark.parametrize("row", golden("003.score"), ids=str)
def test_blah_multiplies_relevance_and_retention(row: dict[str, Any]) -> None:
    """The final score is the product."""
    score = final_score(PROFILES["blah"], np.array([row["rel"]]), np.array([row["R"]]))
    assert first(score) == pytest.approx(row["score"], abs=1e-9)


@pytest.mark.row("D18")
def test_the_beach_ranks_as_in_the_document() -> None:
    """The confirmed plan scores 0.89 and the passing thought 0.41, 2.2 times less, from rows and not from numbers."""
    plan = aged(1, stability=0.39, importance=0.9, access_count=2)
    thought = aged(21, stability=0.3, importance=0.0)
    pool = Pool.of([Row(plan, Kind.EPISODIC), Row(thought, Kind.SEMANTIC)])
    retention = BLAH.strength(pool, NOW)
    scores = BLAH.score(np.array([0.92, 0.91]), retention)
    assert scores == pytest.approx([0.89, 0.41], abs=0.01)
    assert float(scores[0] / scores[1]) == pytest.approx(2.2, abs=0.1)


@pytest.mark.row("A32")
def test_a_new_memory_has_the_documents_defaults() -> None:
    """Importance 0.5, no references, accessed when it came: so its heat is 0.5, whatever a column may say (E-05)."""
    stat = ADA.first(Kind.SEMANTIC, NOW)
    assert stat == Statistics.fresh(NOW)
    assert (stat.importance, stat.access_count, stat.last_access_s) == (0.5, 0, NOW)
    assert first(ADA.heat.value(pool_of(stat), NOW)) == 0.5
