"""The weight of a fact: the source document's golden vectors, our rule for levels, and its four factors."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.context.weigh import hierarchy_weight, level_weight, recency_weight, relevance_weight, weigh
from nola.flow import Candidate, Factors
from nola.settings import ContextSettings
from nola.types import Level, Place
from tests.context.making import NOW

HEA = ContextSettings(profile="hea")
NOLA = ContextSettings(profile="nola")
DAY = 86_400
Q, C, D = Level.QUICK, Level.CONVERSATION, Level.DEEP


def leaf(place: Place = Place.MODULE, level: Level = C, age_s: float = 0.0) -> Candidate:
    """A leaf at a place of the hierarchy, of a level and an age."""
    return Candidate("user.x", ("x",), "x", place, level, NOW - timedelta(seconds=age_s), "user.json")


def weight_of(candidate: Candidate, score: float, level: Level, settings: ContextSettings) -> float:
    """The weight of one leaf."""
    return weigh([candidate], [0], [score], level=level, now=NOW, settings=settings).weight[0]


# --- golden vectors ---------------------------------------------------------------------------------------------------
@pytest.mark.row("E06")
@pytest.mark.parametrize("settings", [HEA, NOLA], ids=["hea", "nola"])
@pytest.mark.parametrize(("place", "weight"), [(Place.GLOBAL, 1.0), (Place.AGGREGATOR, 0.7), (Place.MODULE, 0.4)])
def test_the_hierarchy_weighs(place: Place, weight: float, settings: ContextSettings) -> None:
    """[004.hierarchy]: 1.0 global, 0.7 aggregator, 0.4 module, in both profiles."""
    assert hierarchy_weight(place, settings) == weight


@pytest.mark.row("E07")
@pytest.mark.parametrize(
    ("content", "weights"), [(Q, (1.0, 0.3, 0.1)), (C, (0.3, 1.0, 0.3)), (D, (0.1, 0.3, 1.0))], ids=["L1", "L2", "L3"]
)
def test_levels_weigh_symmetrically_in_profile_hea(content: Level, weights: tuple[float, float, float]) -> None:
    """[004.level_matrix], all nine cells."""
    assert tuple(level_weight(content, chosen, HEA) for chosen in Level) == weights


@pytest.mark.parametrize(
    ("content", "weights"), [(Q, (1.0, 1.0, 1.0)), (C, (0.3, 1.0, 1.0)), (D, (0.1, 0.3, 1.0))], ids=["L1", "L2", "L3"]
)
def test_depth_adds_and_never_hides_in_profile_nola(content: Level, weights: tuple[float, float, float]) -> None:
    """Content at or below the chosen level weighs 1, above it 0.3 and 0.1 (E-44)."""
    assert tuple(level_weight(content, chosen, NOLA) for chosen in Level) == weights


@pytest.mark.row("E04")
@pytest.mark.parametrize("profile", ["hea", "nola"])
@pytest.mark.parametrize(
    ("place", "content", "selected", "age_s", "weight"),
    [
        (Place.GLOBAL, Q, Q, 0, 1.0),
        (Place.AGGREGATOR, C, Q, 0, 0.21),
        (Place.MODULE, D, Q, 86_400, 0.01685891),
        (Place.MODULE, D, D, 3_600, 0.38585612),
    ],
)
def test_the_weight_is_the_golden_one(
    place: Place, content: Level, selected: Level, age_s: int, weight: float, profile: str
) -> None:
    """[004.weight]: its lambda of 1e-5 per second is 0.864 per day; full relevance leaves nola's weights the same."""
    settings = ContextSettings(profile=profile, recency_lambda=1e-5 * DAY)
    assert weight_of(leaf(place, content, age_s), 1.0, selected, settings) == pytest.approx(weight, abs=5e-9)


def test_who_the_owner_is_is_not_lost_at_depth() -> None:
    """Content of level 1 at level 3: 0.1 by the source's symmetric rule, 1.0 by ours."""
    assert weight_of(leaf(Place.GLOBAL, Q), 1.0, D, HEA) == pytest.approx(0.1)
    assert weight_of(leaf(Place.GLOBAL, Q), 1.0, D, NOLA) == 1.0


# --- recency ----------------------------------------------------------------------------------------------------------
@pytest.mark.row("E08")
@pytest.mark.parametrize(
    ("age_s", "lam", "weight"),
    [(0, 0.0005, 1.0), (-3_600, 0.0005, 1.0), (DAY, 0.5, 0.60653066), (365 * DAY, 0.0005, 0.83318464), (DAY, 0, 1.0)],
)
def test_recency_is_an_exponential(age_s: float, lam: float, weight: float) -> None:
    """`exp(-lambda * age)` with lambda per day; age 0 and a stamp in the future weigh 1."""
    assert recency_weight(age_s, ContextSettings(recency_lambda=lam)) == pytest.approx(weight, abs=5e-9)


@pytest.mark.row("E08")
@given(st.integers(0, 20 * 365 * DAY), st.integers(1, 365 * DAY))
def test_recency_falls_strictly(age_s: int, later_s: int) -> None:
    """A second more of age weighs less."""
    assert recency_weight(age_s + later_s, NOLA) < recency_weight(age_s, NOLA) <= 1.0


# --- relevance --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("score", "weight"), [(1.0, 1.0), (0.85, 1.0), (0.75, math.exp(-1)), (0.35, math.exp(-5)), (0.0, math.exp(-8.5))]
)
def test_relevance_is_sharpened(score: float, weight: float) -> None:
    """From 0.85 on nothing is taken off; below it each tenth costs a factor e. In profile hea it is always 1."""
    assert relevance_weight(score, NOLA) == pytest.approx(weight)
    assert relevance_weight(score, HEA) == 1.0


@pytest.mark.row("E09")
def test_the_source_profile_needs_no_relevance() -> None:
    """Without learned weights or embeddings the input's relevance changes nothing in profile hea."""
    assert weight_of(leaf(), 0.0, C, HEA) == weight_of(leaf(), 1.0, C, HEA) == pytest.approx(0.4)


# --- the product ------------------------------------------------------------------------------------------------------
CANDIDATES = st.builds(
    leaf, st.sampled_from(Place), st.sampled_from(Level), st.floats(-DAY, 3_650 * DAY, allow_nan=False)
)
SCORES = st.floats(0, 1, allow_nan=False)
SETTINGS = st.sampled_from([HEA, NOLA])


@pytest.mark.row("E04")
@given(st.lists(st.tuples(CANDIDATES, SCORES), min_size=1, max_size=5), st.sampled_from(Level), SETTINGS)
def test_a_weight_is_the_product_of_its_factors(
    rows: list[tuple[Candidate, float]], level: Level, settings: ContextSettings
) -> None:
    """Hierarchy times level times recency times relevance, each as its own function gives it."""
    told = weigh([c for c, _ in rows], range(len(rows)), [s for _, s in rows], level=level, now=NOW, settings=settings)
    for row, (candidate, score) in enumerate(rows):
        age_s = (NOW - candidate.updated).total_seconds()
        factors = Factors(
            hierarchy_weight(candidate.place, settings),
            level_weight(candidate.level, level, settings),
            recency_weight(age_s, settings),
            relevance_weight(score, settings),
        )
        assert told.factors(row) == factors
        product = factors.hierarchy * factors.level * factors.recency * factors.relevance
        assert told.weight[row] == pytest.approx(product)


@given(CANDIDATES, SCORES, SCORES, st.sampled_from(Level), SETTINGS)
def test_more_of_any_factor_never_weighs_less(
    candidate: Candidate, score: float, other: float, level: Level, settings: ContextSettings
) -> None:
    """A weight is monotone in relevance, place, recency and in the level's factor."""
    low, high = sorted((score, other))
    weight = weight_of(candidate, low, level, settings)
    assert weight_of(candidate, high, level, settings) >= weight
    assert weight_of(replace(candidate, place=Place.GLOBAL), low, level, settings) >= weight
    assert weight_of(replace(candidate, updated=NOW), low, level, settings) >= weight
    assert weight_of(replace(candidate, level=level), low, level, settings) >= weight


def test_facts_of_one_leaf_share_its_factors() -> None:
    """Two clauses of one note stand at the same place; only their relevance differs."""
    told = weigh([leaf(), leaf(Place.GLOBAL)], [0, 0, 1], [1.0, 0.5, 1.0], level=C, now=NOW, settings=NOLA)
    assert told.hierarchy == [0.4, 0.4, 1.0]
    assert told.weight == pytest.approx([0.4, 0.4 * math.exp(-3.5), 1.0])


@pytest.mark.row("E17")
def test_a_node_that_changes_its_level_weighs_otherwise_at_once() -> None:
    """At level 1 a node weighs 0.4, 0.12 or 0.04 of a module's weight by its own level."""
    assert [weight_of(leaf(Place.MODULE, own), 1.0, Q, NOLA) for own in Level] == pytest.approx([0.4, 0.12, 0.04])


# --- ablations --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("ablation", "behind"),
    [
        pytest.param("ablate_hierarchy", leaf(Place.MODULE, Q), marks=pytest.mark.row("E48")),
        pytest.param("ablate_levels", leaf(Place.GLOBAL, D), marks=pytest.mark.row("E49")),
        pytest.param("ablate_recency", leaf(Place.GLOBAL, Q, 5 * 365 * DAY), marks=pytest.mark.row("E50")),
    ],
)
def test_an_ablation_turns_the_result(ablation: str, behind: Candidate) -> None:
    """A factor puts the more relevant fact behind; without the factor it leads."""
    candidates = [leaf(Place.GLOBAL, Q), behind]
    off = replace(NOLA, **{ablation: True})  # type: ignore[arg-type]
    full = weigh(candidates, [0, 1], [0.50, 0.55], level=Q, now=NOW, settings=NOLA)
    ablated = weigh(candidates, [0, 1], [0.50, 0.55], level=Q, now=NOW, settings=off)
    assert full.weight[0] > full.weight[1]
    assert ablated.weight[0] < ablated.weight[1]
