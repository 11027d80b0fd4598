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
    "Link",
    "associates",
    "by_confidence",
    "combined",
    "expand",
    "growth",
    "jaccard",
    "pairs",
    "retrieved_together",
    "similar_properties",
    "spread",
    "spreading",
    "used_together",
    "weight_at",
    "weights_at",
]

_Key = TypeVar("_Key", int, str)
_DAY_S = 86_400.0
_FIRST_STRENGTH = 0.1
"""What one joint retrieval adds in profile `blah` (D20, E-35)."""


# --- likeness of words ------------------------------------------------------------------------------------------------
def jaccard(a: str, b: str) -> float:
    """Return the share of two texts' words that both have (B24): folded words, stop words too; 0 without any word."""
    mine, theirs = set(tokens(a)), set(tokens(b))
    together = len(mine | theirs)
    return len(mine & theirs) / together if together else 0.0


def similar_properties(score: float, method: str, conflict: Conflict | None = None) -> dict[str, Json]:
    """Return the properties of a `similar_to` edge (B28, B54, E-54).

    Args:
        score: The similarity.
        method: How it was measured: `jaccard` or `cosine`.
        conflict: The values that contradict each other, if they do.
    """
    metadata: dict[str, Json] = {}
    if conflict is not None:
        metadata = {
            "contradiction": True,
            "attribute": conflict.attribute,
            "values": [conflict.value_a, conflict.value_b],
        }
    return {"similarity_score": score, "method": method, "metadata": metadata}


def expand(seeds: Iterable[_Key], neighbours: Callable[[_Key], Iterable[_Key]], hops: int) -> dict[_Key, int]:
    """Follow edges from some memories outward (B27).

    Args:
        seeds: Ids of the memories to start from.
        neighbours: Ids at the other ends of a memory's edges.
        hops: Longest way, 1 or 2; 0 stays with the seeds.

    Returns:
        Each id that is reached with its distance; the nearest first, each once.
    """
    reached = dict.fromkeys(seeds, 0)
    edge = list(reached)
    for hop in range(1, hops + 1):
        edge = [other for id_ in edge for other in neighbours(id_)]
        edge = [id_ for id_ in dict.fromkeys(edge) if id_ not in reached]
        reached.update(dict.fromkeys(edge, hop))
    return reached


def by_confidence(reached: Mapping[_Key, int], confidence: Mapping[_Key, float]) -> list[_Key]:
    """Order what was reached by confidence; of equals the nearer first, then the one that was reached first (B27)."""
    return sorted(reached, key=lambda id_: (-confidence[id_], reached[id_]))


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


def retrieved_together(link: Link, now_s: float, settings: LinkSettings) -> Link:
    """Count a joint retrieval (profile `blah`, D20, E-35): one tenth more a request, whichever direction, at most 1."""
    weight = weight_at(link, now_s, settings) + _FIRST_STRENGTH
    return Link(link.count + 1, min(settings.cap, round(weight, 12)), now_s)


# --- what links lend --------------------------------------------------------------------------------------------------
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
        # Tenths that were added up, or have just begun to fade, still count as what they stand for.
        if strength < settings.min_strength - 1e-6:
            continue
        for here, there in ((source, target), (target, source)):
            if here in known and there not in known:
                best[there] = max(strength, best.get(there, 0.0))
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))[: settings.partners]


def combined(primary: Sequence[_Key], associated: Sequence[_Key], most: int) -> list[_Key]:
    """Return what was found and then what is linked to it, each once (D22), at most so many."""
    both = dict.fromkeys(primary) | dict.fromkeys(associated)
    return list(both)[:most]


def spreading(weights: Iterable[float], strengths: Iterable[float]) -> float:
    """Return what a memory gets from its active neighbours: the sum of W_j S_ji (ACT-R, C06); 0 without any."""
    return math.fsum(w * s for w, s in zip(weights, strengths, strict=True))


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
    lent = np.zeros_like(scores)
    if scores.size and sources.size:
        np.add.at(lent, targets, scores[sources] * strengths)
        np.add.at(lent, sources, scores[targets] * strengths)
        lent = np.minimum(lent, scores.max()) * share
    return lent
