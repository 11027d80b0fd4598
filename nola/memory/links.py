"""Links between memories: by likeness of words, and by being used together; how they fade and what they lend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from nola.memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from nola.memory.conflict import Conflict
    from nola.settings_memory import LinkSettings
    from nola.types import Json

    Floats = npt.NDArray[np.float64]

__all__ = [
    "METHODS",
    "Link",
    "associates",
    "expand",
    "growth",
    "holds",
    "jaccard",
    "pairs",
    "retrieved",
    "similar_properties",
    "similarities",
    "spread",
    "spreading",
    "used_together",
    "weight_at",
    "weights_at",
]

METHODS = ("jaccard", "cosine")
"""How it is measured whether two facts are alike (E-54); where both say so, the first is the score of their edge."""

_AND = ", "
_Key = TypeVar("_Key", int, str)
_DAY_S = 86_400.0
_STRENGTH = 0.1
"""What one joint retrieval adds in profile `blah` (D20, E-35)."""


# --- likeness of words ------------------------------------------------------------------------------------------------
def jaccard(a: str, b: str) -> float:
    """Return the share of two texts' words that both have (B24): folded words, stop words too; 0 without any word."""
    mine, theirs = set(tokens(a)), set(tokens(b))
    together = len(mine | theirs)
    return len(mine & theirs) / together if together else 0.0


def similar_properties(values: Mapping[str, float], conflict: Conflict | None = None) -> dict[str, Json]:
    """Return the properties of a `similar_to` edge (B28, B54, E-54).

    Args:
        values: The similarity by each method that found it, at least one; of several each stands in the metadata.
        conflict: The values that contradict each other, if they do.
    """
    methods = [method for method in METHODS if method in values]
    metadata: dict[str, Json] = {method: values[method] for method in methods} if len(methods) > 1 else {}
    if conflict is not None:
        metadata |= {
            "contradiction": True,
            "attribute": conflict.attribute,
            "values": [conflict.value_a, conflict.value_b],
        }
    return {"similarity_score": values[methods[0]], "method": _AND.join(methods), "metadata": metadata}


def similarities(properties: Mapping[str, Json]) -> dict[str, float]:
    """Return the similarity by each method that a `similar_to` edge names; none of one that was made by hand."""
    methods = [name for name in str(properties.get("method")).split(_AND) if name in METHODS]
    told = properties.get("metadata")
    each = {name: properties.get("similarity_score") for name in methods}
    if len(methods) > 1 and isinstance(told, dict):
        each |= {name: told.get(name) for name in methods}
    return {name: float(value) for name, value in each.items() if isinstance(value, int | float)}


def expand(
    seeds: Mapping[_Key, float], neighbours: Callable[[Sequence[_Key]], Iterable[tuple[_Key, _Key, float]]], hops: int
) -> dict[_Key, float]:
    """Follow edges from some memories outward (B27).

    Args:
        seeds: Ids of the memories to start from, with what each is worth.
        neighbours: Returns the edges at some memories: this end, the other one and how alike the two are.
        hops: Longest way, 1 or 2; 0 stays with the seeds.

    Returns:
        Each id that is reached, the nearest first, the seeds among them. Each is worth what the one before it on its
        way is, times their likeness; of several ways the shortest counts, and of those the best.
    """
    reached = dict(seeds)
    edge = list(reached)
    for _ in range(hops):
        beyond: dict[_Key, float] = {}
        for here, there, likeness in neighbours(edge):
            if there not in reached:
                beyond[there] = max(beyond.get(there, 0.0), reached[here] * likeness)
        reached.update(beyond)
        edge = list(beyond)
    return reached


# --- use --------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Link:
    """What is known of two memories that were used together; one row for both directions (E-19, E-35).

    Attributes:
        count: Requests that used both.
        weight: Strength when it was last used, 0 to 1; 0 while it is no link yet.
        last_s: When that was, in seconds since 1970.
    """

    count: int = 0
    weight: float = 0.0
    last_s: float = 0.0


def pairs(keys: Sequence[_Key], partners: int) -> list[tuple[_Key, _Key]]:
    """Return every unordered pair of the memories that one request used (C11), the smaller key first.

    Args:
        keys: The best first; each counts once.
        partners: Most partners of one memory (E-14); what comes after so many and one does not pair.
    """
    used = list(dict.fromkeys(keys))[: partners + 1]
    return [(min(a, b), max(a, b)) for place, a in enumerate(used) for b in used[place + 1 :]]


def growth(a_i: float, a_j: float, eta: float) -> float:
    """Return by how much a link grows when both ends are active (Hebb 1949): eta a_i a_j (C13)."""
    return eta * a_i * a_j


def weight_at(link: Link, now_s: float, settings: LinkSettings) -> float:
    """Return the strength of a link now: unused, it loses half in `decay_days` (E-14)."""
    age_days = max(0.0, now_s - link.last_s) / _DAY_S
    return link.weight * math.exp2(-age_days / settings.decay_days)


def weights_at(weights: Floats, last_s: Floats, now_s: float, settings: LinkSettings) -> Floats:
    """Return the strengths of many links now; see `weight_at`."""
    ages_days = np.maximum(0.0, now_s - last_s) / _DAY_S
    faded: Floats = weights * np.exp2(-ages_days / settings.decay_days)
    return faded


def used_together(link: Link, a_i: float, a_j: float, now_s: float, settings: LinkSettings) -> Link:
    """Count a joint use (profile `nola`, E-14).

    At `theta` uses the pair becomes a link with the growth of all of them; each further use adds its own growth to what
    is left of the weight, up to `cap`.

    Args:
        link: What is known of the pair; `Link()` when nothing is.
        a_i: Activation of one end in this request, 0 to 1.
        a_j: Activation of the other.
        now_s: Seconds since 1970.
        settings: theta, eta, cap and the half-life.
    """
    count = link.count + 1
    if count < settings.theta:
        return Link(count, 0.0, now_s)
    uses = count if count == settings.theta else 1
    weight = weight_at(link, now_s, settings) + uses * growth(a_i, a_j, settings.eta)
    return Link(count, min(settings.cap, weight), now_s)


def retrieved(count: int, settings: LinkSettings) -> float:
    """Return the strength of a pair when it was used last, in profile `blah` (D20, E-35).

    It is a tenth for each request that used both, in whichever direction, at most `cap`.

    Args:
        count: Requests that used both.
        settings: The cap.
    """
    return min(settings.cap, round(count * _STRENGTH, 12))


# --- what links lend --------------------------------------------------------------------------------------------------
def holds(strength: float, settings: LinkSettings) -> bool:
    """Say whether a link is strong enough to bring its other end (D21).

    Strengths count to the nearest tenth, of which each joint use adds one at most: a link that has just begun to fade
    still stands for what it was.
    """
    return round(strength, 1) >= settings.min_strength


def associates(
    primary: Collection[_Key], edges: Iterable[tuple[_Key, _Key, float]], settings: LinkSettings
) -> list[tuple[_Key, float]]:
    """Return the memories that are linked to some others strongly enough (D21).

    Args:
        primary: Ids of the memories that were found.
        edges: Both ends and the strength now; each link once, in either direction.
        settings: `min_strength`; `partners`, how many come back at most.

    Returns:
        Ids that are not among the primary ones with their strongest link, the strongest first.
    """
    known = set(primary)
    best: dict[_Key, float] = {}
    for source, target, strength in edges:
        if not holds(strength, settings):
            continue
        for here, there in ((source, target), (target, source)):
            if here in known and there not in known:
                best[there] = max(strength, best.get(there, 0.0))
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))[: settings.partners]


def spreading(
    active: Floats, sources: npt.NDArray[np.intp], targets: npt.NDArray[np.intp], strengths: Floats
) -> Floats:
    """Return what each row gets from the active ones that it is linked to: the sum of W_j S_ji (ACT-R, C06).

    Args:
        active: W of each row, 0 for what is not active.
        sources: Row at one end of each link; each link once, it counts both ways.
        targets: Row at the other end.
        strengths: Strength of each link now, S.
    """
    arrived = np.zeros_like(active)
    np.add.at(arrived, targets, active[sources] * strengths)
    np.add.at(arrived, sources, active[targets] * strengths)
    return arrived


def spread(
    scores: Floats, sources: npt.NDArray[np.intp], targets: npt.NDArray[np.intp], strengths: Floats, share: float
) -> Floats:
    """Return what each row gets from the rows that it is linked to, one link away.

    A neighbour lends `share` of its score times the strength of the link. Nothing gets more than `share` of the best
    score, however many links it has, so that use can never outdo relevance.

    Args:
        scores: Scores without links, not negative.
        sources: Row at one end of each link; each link once, it lends both ways.
        targets: Row at the other end.
        strengths: Strength of each link now, 0 to 1.
        share: `spread_share`.
    """
    lent: Floats = np.minimum(spreading(scores, sources, targets, strengths), scores.max(initial=0.0)) * share
    return lent
