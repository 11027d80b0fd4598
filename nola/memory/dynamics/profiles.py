"""Profiles: which strategy ranks, how relevance and strength make one score, and what a document leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from nola.errors import UsageError
from nola.memory.axes import Kind
from nola.memory.checks import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.memory.dynamics.base import Floats
    from nola.settings import MemorySettings

__all__ = ["PROFILES", "Profile", "Rule", "final_score", "profile_of"]

_TIE = 1e-6


class Rule(StrEnum):
    """How relevance and strength make one score."""

    BOUNDED = "bounded"
    BLEND = "blend"
    PRODUCT = "product"
    STRENGTH = "strength"


@dataclass(frozen=True, slots=True)
class Profile:
    """One document's rules, or Nola's own (decisions.md).

    Attributes:
        name: Its name in settings.
        strategy: The strategy that ranks.
        rule: How the final score is made.
        is_literal: Whether the document's own formulas hold where Nola corrects them.
        counts_pairs: Whether a link is as strong as its joint uses are many (D20), and not as they were active (C13).
        hides_cold: Whether cold memories come only when asked for (A17, E-08).
        kinds: The kinds that it knows.
    """

    name: str
    strategy: str
    rule: Rule
    is_literal: bool = True
    counts_pairs: bool = False
    hides_cold: bool = False
    kinds: frozenset[Kind] = frozenset(Kind)

    def pool(self, limit: int, settings: MemorySettings) -> int | None:
        """Return how many candidates are scored for `limit` results: all (P13), three times as many in blah (D15)."""
        return limit * settings.pool_times if self.name == "blah" else None

    def checked_kind(self, kind: Kind) -> Kind:
        """Return the kind if this profile knows it (D02).

        Raises:
            UsageError: It does not.
        """
        if kind not in self.kinds:
            known = ", ".join(one.value for one in Kind if one in self.kinds)
            raise UsageError(f"in profile {self.name} kind is one of {known}, not {kind.value!r}")
        return kind


_THREE = frozenset({Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL})

PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("nola", "actr", Rule.BOUNDED, is_literal=False),
        Profile("ada", "heat", Rule.BLEND, hides_cold=True),
        Profile("amplihack", "confidence", Rule.STRENGTH),
        Profile("neuromemory", "actr", Rule.STRENGTH),
        Profile("blah", "retention", Rule.PRODUCT, counts_pairs=True, kinds=_THREE),
        Profile("hea", "hea", Rule.STRENGTH),
    )
}
"""The six profiles by name."""


def profile_of(name: str) -> Profile:
    """Return the profile of this name.

    Raises:
        UsageError: There is none.
    """
    if name not in PROFILES:
        raise UsageError(f"profile is one of {', '.join(PROFILES)}, not {name!r}{nearest(name, PROFILES)}")
    return PROFILES[name]


def final_score(
    profile: Profile, relevance: Floats, strength: Floats, *, beta: float = 0.2, share: float = 0.6
) -> Floats:
    """Return the score by which memories are ranked, 0 to 1.

    `bounded` is relevance x ((1 - beta) + beta x strength): decay orders what is alike and never hides what answers.
    `blend` is ada's weighted sum, `product` blah's; `strength` ranks the matches by strength alone, and only equals by
    relevance.

    Args:
        profile: The rules.
        relevance: Of each candidate; what lies outside 0 to 1 is brought to its border (E-33).
        strength: Of each candidate, 0 to 1.
        beta: Share of strength in profile nola.
        share: Share of relevance in profile ada.
    """
    near = np.clip(relevance, 0.0, 1.0)
    if profile.rule is Rule.BOUNDED:
        return near * ((1 - beta) + beta * strength)
    if profile.rule is Rule.BLEND:
        return share * near + (1 - share) * strength
    if profile.rule is Rule.PRODUCT:
        return near * strength
    return np.where(near > 0, (1 - _TIE) * strength + _TIE * near, 0.0)
