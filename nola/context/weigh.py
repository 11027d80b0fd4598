"""Weighs every candidate: hierarchy x level x recency x relevance, with the four factors kept (seed 004, 3.2-3.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.flow import Factors
from nola.types import Level, Place, Profile, Weight

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from nola.flow import Candidate
    from nola.settings import ContextSettings

__all__ = ["Weighed", "hierarchy_weight", "level_weight", "recency_weight", "relevance_weight", "weigh"]

_SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Weighed:
    """Weights in columns, one entry per fact.

    Attributes:
        hierarchy: Factor of each fact.
        level: Factor of each fact.
        recency: Factor of each fact.
        relevance: Factor of each fact.
        weight: Their product.
    """

    hierarchy: Sequence[float]
    level: Sequence[float]
    recency: Sequence[float]
    relevance: Sequence[float]
    weight: Sequence[Weight]

    def factors(self, row: int) -> Factors:
        """Return the four factors of one fact."""
        return Factors(self.hierarchy[row], self.level[row], self.recency[row], self.relevance[row])


def hierarchy_weight(place: Place, settings: ContextSettings) -> float:
    """Weight of a place in the hierarchy: 1.0 global, 0.7 aggregator, 0.4 module by default (E06)."""
    if settings.ablate_hierarchy:
        return 1.0
    return {
        Place.GLOBAL: settings.hierarchy_global,
        Place.AGGREGATOR: settings.hierarchy_aggregator,
        Place.MODULE: settings.hierarchy_module,
    }[place]


def level_weight(content: Level, chosen: Level, settings: ContextSettings) -> float:
    """Weight of a node's level against the chosen one.

    Profile `hea` is symmetric (E07): 1.0, 0.3, 0.1 by distance. Profile `nola` weighs content at or below the chosen
    level 1 (E-44), so that depth adds and never hides.
    """
    if settings.ablate_levels:
        return 1.0
    apart = content - chosen if settings.profile == Profile.NOLA else abs(content - chosen)
    if apart <= 0:
        return settings.level_same
    return settings.level_one_apart if apart == 1 else settings.level_two_apart


def recency_weight(age_s: float, settings: ContextSettings) -> float:
    """`exp(-lambda * age)` with lambda per day; a stamp in the future counts as now (E08).

    Args:
        age_s: Age in seconds.
        settings: Holds lambda, in 1/day.
    """
    if settings.ablate_recency:
        return 1.0
    return math.exp(-settings.recency_lambda * max(age_s, 0.0) / _SECONDS_PER_DAY)


def relevance_weight(score: float, settings: ContextSettings) -> float:
    """Sharpen a relevance score in [0, 1], so that relevance decides and hierarchy breaks ties (E-45).

    `exp(contrast * (score - full))`, at most 1; always 1 in profile `hea` (E-42).
    """
    if settings.profile == Profile.HEA:
        return 1.0
    return min(1.0, math.exp(settings.contrast * (score - settings.full_relevance)))


def _relevance_weights(scores: Sequence[float], settings: ContextSettings) -> list[float]:
    """Give `relevance_weight` of every score, written out because ten thousand calls are slow."""
    if settings.profile == Profile.HEA:
        return [1.0] * len(scores)
    contrast, full, exp = settings.contrast, settings.full_relevance, math.exp
    return [1.0 if score >= full else exp(contrast * (score - full)) for score in scores]


def weigh(
    candidates: Sequence[Candidate],
    rows: Sequence[int],
    scores: Sequence[float],
    *,
    level: Level,
    now: datetime,
    settings: ContextSettings,
) -> Weighed:
    """Weigh every fact.

    Args:
        candidates: Leaves of the state.
        rows: For each fact, the position of its candidate.
        scores: For each fact, its relevance to the input in [0, 1].
        level: The chosen context level.
        now: The present instant, aware.
        settings: All constants.
    """
    places = {place: hierarchy_weight(place, settings) for place in Place}
    levels = {content: level_weight(content, level, settings) for content in Level}
    ages = {at: recency_weight((now - at).total_seconds(), settings) for at in {c.updated for c in candidates}}
    told = [candidates[row] for row in rows]
    hierarchy = [places[c.place] for c in told]
    depth = [levels[c.level] for c in told]
    recency = [ages[c.updated] for c in told]
    relevance = _relevance_weights(scores, settings)
    weight = [Weight(h * d * a * x) for h, d, a, x in zip(hierarchy, depth, recency, relevance, strict=True)]
    return Weighed(hierarchy, depth, recency, relevance, weight)
