"""How relevance and strength make a score under each profile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.errors import UsageError
from nola.memory.axes import Kind
from nola.memory.dynamics.profiles import PROFILES, final_score, profile_of
from nola.settings import MemorySettings

SHARES = st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=2, max_size=20)


def test_the_six_profiles_are_those_of_the_setting() -> None:
    """Each one that can be set is there."""
    field = next(f for f in MemorySettings.__dataclass_fields__.values() if f.name == "profile")
    assert tuple(PROFILES) == field.metadata["choices"]


@given(SHARES)
@pytest.mark.parametrize("name", PROFILES)
def test_every_score_lies_between_zero_and_one(name: str, pairs: list[tuple[float, float]]) -> None:
    """Also for relevance below zero."""
    relevance, strength = np.array(pairs).T
    scores = final_score(PROFILES[name], relevance, strength)
    assert ((scores >= 0) & (scores <= 1)).all()


@given(st.floats(0.0, 1), st.floats(0, 1), st.floats(0, 1))
def test_decay_never_outweighs_relevance_in_nola(relevance: float, weak: float, strong: float) -> None:
    """Whatever the strengths, what is a quarter more relevant stays in front."""
    scores = final_score(PROFILES["nola"], np.array([relevance, relevance / 1.2501]), np.array([weak, strong]))
    assert scores[0] >= scores[1]


def test_among_equals_the_stronger_comes_first_in_nola() -> None:
    """Strength decides a fifth of the score."""
    scores = final_score(PROFILES["nola"], np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    assert scores.tolist() == pytest.approx([0.5, 0.4])


@pytest.mark.row("D17")
def test_negative_similarity_does_not_turn_the_order_round() -> None:
    """At a similarity of -0.5 the fresher memory does not rank below the faded one."""
    scores = final_score(PROFILES["blah"], np.array([-0.5, -0.5]), np.array([0.1, 0.9]))
    assert scores[1] >= scores[0] >= 0


@pytest.mark.row("D15")
def test_the_pool_is_wide() -> None:
    """Blah scores three candidates for each result; the others all that were found."""
    settings = MemorySettings()
    assert PROFILES["blah"].pool(5, settings) == 15
    assert PROFILES["blah"].pool(5, MemorySettings(pool_times=4)) == 20
    assert {profile.pool(5, settings) for name, profile in PROFILES.items() if name != "blah"} == {None}


@pytest.mark.row("D02")
def test_blah_knows_three_kinds() -> None:
    """Others are refused there, and taken everywhere else."""
    blah = profile_of("blah")
    assert [blah.checked_kind(kind) for kind in (Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL)]
    with pytest.raises(UsageError, match="kind is one of episodic, semantic, procedural, not 'working'"):
        blah.checked_kind(Kind.WORKING)
    assert all(profile.checked_kind(Kind.WORKING) for name, profile in PROFILES.items() if name != "blah")


@pytest.mark.row("B27")
@pytest.mark.parametrize("name", ["amplihack", "neuromemory", "hea"])
def test_some_documents_rank_matches_by_strength_alone(name: str) -> None:
    """The stronger match is first, equals go by relevance, and what does not match at all is out."""
    scores = final_score(PROFILES[name], np.array([0.1, 0.9, 0.5, 0.0]), np.array([0.8, 0.5, 0.5, 1.0]))
    assert np.argsort(-scores).tolist() == [0, 1, 2, 3]
    assert scores[3] == 0


def test_only_ada_hides_cold_memories() -> None:
    """Everywhere else they rank by the bounded prior or their document's rule (E-08)."""
    assert [name for name, profile in PROFILES.items() if profile.hides_cold] == ["ada"]


def test_an_unknown_profile_is_told_with_the_nearest() -> None:
    """The sentence names those that there are."""
    with pytest.raises(UsageError, match="did you mean amplihack"):
        profile_of("amplihak")
