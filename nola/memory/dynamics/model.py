"""All strategies over one set of statistics, under a profile and a preset: what ranks, and what an access changes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.axes import Kind
from nola.memory.dynamics.actr import Actr
from nola.memory.dynamics.base import KIND_CODES, Pool, Statistics, Strategy, counted
from nola.memory.dynamics.chain import Chain
from nola.memory.dynamics.crossing import tier_of
from nola.memory.dynamics.curves import checked_curve
from nola.memory.dynamics.ebbinghaus import Ebbinghaus
from nola.memory.dynamics.hea import Hea
from nola.memory.dynamics.heat import Heat
from nola.memory.dynamics.plain import Confidence, Unchanging
from nola.memory.dynamics.presets import preset_of
from nola.memory.dynamics.profiles import final_score, profile_of
from nola.memory.dynamics.retention import Retention

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nola.memory.axes import Tier
    from nola.memory.dynamics.base import Crossing, Floats, Row
    from nola.memory.dynamics.curves import Curve
    from nola.settings import MemorySettings, Settings

__all__ = ["STRATEGIES", "Dynamics", "View"]

STRATEGIES = ("heat", "actr", "chain", "ebbinghaus", "retention", "hea")
"""The strategies that are shown for every memory (X01)."""


@dataclass(frozen=True, slots=True)
class View:
    """One memory as one strategy sees it now (X03).

    Attributes:
        strategy: The strategy's name.
        value: In the strategy's own scale: heat, activation, sum of the traces, retrievability, retention, weight.
        strength: 0 to 1.
        tier: What the strength would make it.
        half_life_s: Seconds after the last access in which strength halves; infinite when it never does.
        crossing: When the next tier comes if nothing happens; None when none does within a hundred years.
        parts: What the value is made of, where the model has parts.
    """

    strategy: str
    value: float
    strength: float
    tier: Tier
    half_life_s: float
    crossing: Crossing | None
    parts: dict[str, float]


class Dynamics:
    """The model of memory that a profile and a preset make; it holds no memories and writes nothing.

    Args:
        settings: All constants; groups `memory`, `heat`, `actr`, `chain`, `ebbinghaus`, `retention`, `context`.
        profile: Name of the profile; empty for the setting.
        preset: Name of the preset; empty for the setting.
        curve: A curve of forgetting of one's own for `ebbinghaus` and `retention` (D38).

    Raises:
        UsageError: There is no such profile or preset, or the curve is none.
    """

    def __init__(self, settings: Settings, *, profile: str = "", preset: str = "", curve: Curve | None = None) -> None:
        self._settings = settings
        self.profile = profile_of(profile or settings.memory.profile)
        self.preset = preset_of(preset or settings.memory.preset)
        self.thresholds = (settings.heat.hot, settings.heat.warm)
        literal = self.profile.is_literal
        rates = self.preset.rates(settings.memory.pace)
        slow = rates.copy()  # for the strategies that have no constants of their own for each kind (E-50)
        slow[KIND_CODES[Kind.PROCEDURAL]] *= settings.memory.procedural_pace
        own = rates if literal else slow
        self.heat = Heat(settings.heat, own, literal=literal)
        self.actr = Actr(settings.actr, own)
        self.chain = Chain(settings.chain, own)
        shape = checked_curve(curve)
        self.ebbinghaus = Ebbinghaus(settings.ebbinghaus, rates, literal=literal, curve=shape)
        self.retention = Retention(settings.retention, rates, literal=literal, curve=shape)
        self.hea = Hea(settings.context, own)
        self.strategies: dict[str, Strategy] = {
            one.name: one for one in (self.heat, self.actr, self.chain, self.ebbinghaus, self.retention, self.hea)
        }
        self._off = _switched_off(settings.memory)
        wanted = settings.memory.strategy
        name = self.profile.strategy if wanted == "profile" else wanted
        ranking = {**self.strategies, "none": Unchanging(), "confidence": Confidence()}
        self.ranking = ranking["none" if name in self._off else name]
        ours = Chain(settings.chain, slow), Ebbinghaus(settings.ebbinghaus, rates), Retention(settings.retention, rates)
        self._ours = [one for one in ours if one.name not in self._off]
        self._own = [self.strategies[one.name] for one in self._ours]

    @property
    def ranks_by_replay(self) -> bool:
        """Whether what ranks grows with use by a document's own rules, and so otherwise than it is written (X02)."""
        return self.profile.is_literal and self.ranking in self._own

    def first(
        self,
        kind: Kind,
        at_s: float,
        *,
        importance: float = 0.5,
        stability: float | None = None,
        stability_days: float | None = None,
    ) -> Statistics:
        """Return the statistics of a new memory (A32, C26, E-36).

        Args:
            kind: Its kind.
            at_s: When it happened.
            importance: 0 to 1.
            stability: First stability of retention; None for the default.
            stability_days: First stability of the forgetting curve; None for the kind's.
        """
        return Statistics.fresh(
            at_s,
            importance=importance,
            stability_days=self.ebbinghaus.first_stability(kind) if stability_days is None else stability_days,
            stability=self._settings.retention.initial if stability is None else stability,
        )

    def accessed(self, row: Row, now_s: float) -> Statistics:
        """Return the statistics after one access, which feeds every strategy once (E-52, X10); innate ones stay.

        They grow by Nola's rules under every profile, so that the same use leaves the same data (X02).
        """
        return row.statistics if row.innate else self._used(self._ours, row.statistics, row.kind, now_s)

    def practised(
        self,
        kind: Kind,
        began_s: float,
        used_s: Iterable[float],
        *,
        stability: float | None = None,
        stability_days: float | None = None,
    ) -> Statistics:
        """Return what uses make of a new memory by the profile's own rules, whatever was written (X02).

        Args:
            kind: Its kind.
            began_s: When it happened.
            used_s: When it was used, the first use first.
            stability: As in `first`.
            stability_days: As in `first`.
        """
        stat = self.first(kind, began_s, stability=stability, stability_days=stability_days)
        for now_s in used_s:
            stat = self._used(self._own, stat, kind, now_s)
        return stat

    def _used(self, strategies: Iterable[Strategy], stat: Statistics, kind: Kind, now_s: float) -> Statistics:
        after = stat
        for strategy in strategies:
            after = strategy.learned(after, kind, now_s)
        after = counted(after, kind, now_s)
        return replace(after, recent_s=stat.recent_s) if "actr" in self._off else after

    def strength(self, pool: Pool, now_s: float, level: int | None = None) -> Floats:
        """Return the strength by which the profile ranks.

        Args:
            pool: The memories.
            now_s: The present.
            level: The level that the question asks for, which strategy `hea` weighs; None for none.
        """
        ranking = self.hea.asked_at(level) if self.ranking is self.hea else self.ranking
        strength, floor = ranking.strength(pool, now_s), self._settings.memory.decay_floor
        return np.maximum(strength, floor) if floor else strength

    def strength_of(self, row: Row, now_s: float) -> float:
        """Return the strength of one memory."""
        return float(self.strength(Pool.of([row]), now_s)[0])

    def score(self, relevance: Floats, strength: Floats) -> Floats:
        """Return the final scores under the profile (`profiles.final_score`)."""
        settings = self._settings
        beta = settings.recall.beta
        return final_score(self.profile, relevance, strength, beta=beta, share=settings.memory.blend_share)

    def pool(self, limit: int) -> int | None:
        """Return how many candidates are scored for `limit` results; None for all (D15)."""
        return self.profile.pool(limit, self._settings.memory)

    def tier(self, row: Row, now_s: float) -> Tier:
        """Return the tier of one memory: what its heat makes it, whatever ranks (A14)."""
        return tier_of(float(self.heat.strength(Pool.of([row]), now_s)[0]), self.thresholds)

    def explain(self, row: Row, now_s: float) -> list[View]:
        """Return how every strategy sees one memory; nothing is written (X03)."""
        pool = Pool.of([row])
        return [self._view(strategy, row, pool, now_s) for strategy in self.strategies.values()]

    def _view(self, strategy: Strategy, row: Row, pool: Pool, now_s: float) -> View:
        strength = float(strategy.strength(pool, now_s)[0])
        parts: dict[str, float] = {}
        if strategy is self.chain:
            r1, r2 = self.chain.traces(pool, now_s)
            parts = {"r1": float(r1[0]), "r2": float(r2[0])}
        if strategy is self.actr:
            parts = {"base_level": float(self.actr.base_level(pool, now_s)[0])}
        return View(
            strategy=strategy.name,
            value=float(strategy.value(pool, now_s)[0]),
            strength=strength,
            tier=tier_of(strength, self.thresholds),
            half_life_s=math.inf if row.innate else strategy.half_life_s(row),
            crossing=None if row.innate else strategy.next_crossing(row, now_s, self.thresholds),
            parts=parts,
        )


def _switched_off(memory: MemorySettings) -> frozenset[str]:
    """Return the strategies of those parts of the dynamics that are off: they neither write nor rank (C27)."""
    on = {
        "actr": memory.activation,
        "chain": memory.consolidation,
        "ebbinghaus": memory.forgetting,
        "retention": memory.forgetting,
    }
    return frozenset(name for name, is_on in on.items() if not is_on)
