"""Recall: relevance, strength and links make one score; what fits into a budget comes back, with every part of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.axes import Tier
from nola.memory.dynamics.crossing import tier_of
from nola.memory.dynamics.profiles import Rule
from nola.memory.found import Recalled, as_they_were, said_why, stored
from nola.memory.instants import from_micros, seconds
from nola.memory.packing import pack
from nola.memory.practice import practised
from nola.memory.query import parse
from nola.memory.ranking import PARTS, rank
from nola.memory.reach import Reach
from nola.memory.scored import Scored as _Scored
from nola.memory.selection import changed_since, needs_database, stored_mask, visible
from nola.memory.updates import LOOKED_AT, Said, newer_first

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    import apsw
    from numpy.typing import NDArray

    from nola.memory.dynamics.base import Pool
    from nola.memory.dynamics.model import Dynamics
    from nola.memory.filters import Filter
    from nola.memory.found import Stored
    from nola.memory.index import Index
    from nola.memory.query import Query
    from nola.memory.ranking import Ranking
    from nola.settings import Settings

__all__ = ["Ask", "Recalled", "Recaller"]

"""Best candidates of which a newer statement may come before an older one."""
_SEEDS = 100
"""Best matches whose likenesses are followed in profile `amplihack`."""
_ACTIVE = 0.5
"""Share of the best relevance from which on a memory is fully active."""
_BRINGING = frozenset({"neuromemory", "blah"})
"""Profiles in which what was found brings what it is linked to."""
_MOST_PACKED = 400
_SALIENT = 200


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to the memory.

    Attributes:
        text: The question; without any word in it the strongest memories come.
        wanted: Which memories may come.
        now: The present.
        limit: The most memories.
        budget: The most tokens; None for no bound.
        tiers: Only of these tiers; empty for all that the profile shows.
        include_cold: Whether cold memories come where the profile hides them (A17).
        min_heat: The least heat (A34).
        owner: Who `I` is.
        level: The context level that it asks for, 1 to 3, which strategy `hea` weighs; None for none.
    """

    text: str
    wanted: Filter
    now: datetime
    limit: int = 10
    budget: int | None = None
    tiers: frozenset[Tier] = frozenset()
    include_cold: bool = False
    min_heat: float = 0.0
    owner: str = ""
    level: int | None = None


class Recaller:
    """Finds memories in an index. Holds no memories itself.

    Args:
        settings: Weights and sizes.
        dynamics: Strength, and how it joins relevance.
        embed: Returns the unit vector of a question, float32 [d], or None when there is none.
        count_tokens: Counts the tokens of a text.
    """

    def __init__(
        self,
        settings: Settings,
        dynamics: Dynamics,
        *,
        embed: Callable[[str], NDArray[np.float32] | None],
        count_tokens: Callable[[str], int],
    ) -> None:
        self._settings = settings
        self._lexical = replace(settings.recall, lexical_share=settings.recall.lexical_share_hashing)
        self._dynamics = dynamics
        self._embed = embed
        self._count_tokens = count_tokens

    def question(self, ask: Ask, index: Index) -> Query:
        """Take a question apart."""
        return parse(
            ask.text,
            speakers=index.columns.speakers_among(self._known(ask, index)),
            now=ask.now,
            generic_weight=self._settings.recall.generic_weight,
            owner=ask.owner,
        )

    def recall(
        self, ask: Ask, query: Query, vector: NDArray[np.float32] | None, index: Index, connection: apsw.Connection
    ) -> list[Recalled]:
        """Return the memories that answer a question best; nothing is counted.

        Args:
            ask: The question.
            query: The question, taken apart.
            vector: Of `query.embed_text`.
            index: What is stored.
            connection: A reader's of the same database.
        """
        if ask.limit <= 0 or not len(index):
            return []
        mask = self._mask(ask, index, connection)
        found = self._scored(ask, query, vector, index, mask, connection)
        found = self._joined(ask, query, found, index, mask, connection)
        most = min(len(found.rows), ask.limit if ask.budget is None else max(_MOST_PACKED, ask.limit))
        texts = stored(connection, found.rows[: max(most, LOOKED_AT)].tolist(), ask.wanted.as_of)
        if query.terms and not self._dynamics.profile.is_literal:
            found = self._newer_first(ask, found, index, texts)
        return self._packed(found, ask, texts, most)

    def embedded(self, query: Query) -> NDArray[np.float32] | None:
        """Return the question's vector."""
        return self._embed(query.embed_text) if query.terms else None

    def _known(self, ask: Ask, index: Index) -> NDArray[np.bool_]:
        """Return the rows of which the speakers are known: those that may come, as far as the index can tell."""
        as_of = ask.wanted.as_of
        if as_of is None:
            return visible(index, ask.wanted, ask.now)
        ever = replace(ask.wanted, statuses=frozenset(), expired=True)
        return visible(index, ever, ask.now) & (index.facets.created_s[: len(index)] <= seconds(as_of))

    def _mask(self, ask: Ask, index: Index, connection: apsw.Connection) -> NDArray[np.bool_]:
        if needs_database(ask.wanted):
            mask = stored_mask(connection, len(index), ask.wanted, ask.now)
        else:
            mask = visible(index, ask.wanted, ask.now)
        if not (ask.min_heat > 0 or ask.tiers or (self._dynamics.profile.hides_cold and not ask.include_cold)):
            return mask
        rows = np.flatnonzero(mask).astype(np.int32)  # all, so that nothing is cut off before it is filtered (P27)
        shown = np.zeros_like(mask)
        shown[rows[self._shown(self._heat(self._pool(ask, index, rows, connection), ask), ask)]] = True
        return shown

    def _heat(self, pool: Pool, ask: Ask) -> NDArray[np.float64]:
        return self._dynamics.heat.strength(pool, seconds(ask.now))

    def _pool(self, ask: Ask, index: Index, rows: NDArray[np.int32], connection: apsw.Connection) -> Pool:
        pool, as_of = index.pool.take(rows), ask.wanted.as_of
        if as_of is None:
            return pool
        places = np.flatnonzero(changed_since(connection, index, as_of)[rows])
        changed = rows[places].tolist()
        were = dict(zip([row + 1 for row in changed], as_they_were(connection, changed, as_of), strict=True))
        were = practised(connection, self._dynamics, were, as_of)
        for place, row in zip(places.tolist(), were.values(), strict=True):
            pool.put(place, row)
        return pool

    def _scored(
        self,
        ask: Ask,
        query: Query,
        vector: NDArray[np.float32] | None,
        index: Index,
        mask: NDArray[np.bool_],
        connection: apsw.Connection,
    ) -> _Scored:
        if query.terms:
            ranking = self._ranked(ask, query, vector, index, mask)
            rows, relevance, parts, cosine = ranking.rows, ranking.relevance, ranking.parts, ranking.cosine
            active = np.minimum(1.0, ranking.beside / _ACTIVE)
        else:
            rows = self._salient(ask, index, mask, connection)
            relevance = active = np.ones(len(rows))
            parts, cosine = np.zeros((len(rows), len(PARTS))), np.zeros(len(rows))
        pool = self._pool(ask, index, rows, connection)
        strength = self._dynamics.strength(pool, seconds(ask.now), ask.level)
        heat = self._heat(pool, ask)
        score = (
            self._dynamics.score(relevance, strength) if query.terms else self._salience(index, rows, strength, heat)
        )
        return _Scored(rows, relevance, strength, heat, score, parts, cosine, active)

    def _ranked(
        self, ask: Ask, query: Query, vector: NDArray[np.float32] | None, index: Index, mask: NDArray[np.bool_]
    ) -> Ranking:
        """Return the candidates; the documents' profiles know matches alone, and two of them their plain cosines."""
        sizes = self._lexical if index.lexical else self._settings.recall
        if ask.limit > min(sizes.pool_lexical, sizes.pool_dense):  # as many as are asked for (P27)
            words, meaning = max(sizes.pool_lexical, ask.limit), max(sizes.pool_dense, ask.limit)
            sizes = replace(sizes, pool_lexical=words, pool_dense=meaning)
        ranking = rank(query, index.columns, index.postings, sizes, dense=index.dense, question=vector, mask=mask)
        profile = self._dynamics.profile
        if not profile.is_literal:
            return ranking
        ranking = ranking.matching(sizes.cosine_match)
        if profile.rule in {Rule.BLEND, Rule.PRODUCT} and index.dense is not None and vector is not None:
            ranking = ranking.by_meaning(index.dense.has(ranking.rows))
        most = self._dynamics.pool(ask.limit)
        return ranking if most is None else ranking.take(slice(most))

    def _salient(
        self, ask: Ask, index: Index, mask: NDArray[np.bool_], connection: apsw.Connection
    ) -> NDArray[np.int32]:
        """Return what comes to mind without a question: pinned, hot, strong."""
        rows = np.flatnonzero(mask).astype(np.int32)
        pool = self._pool(ask, index, rows, connection)
        strength = self._dynamics.strength(pool, seconds(ask.now), ask.level)
        score = self._salience(index, rows, strength, self._heat(pool, ask))
        return rows[np.argsort(-score, kind="stable")[: max(_SALIENT, ask.limit)]]

    def _salience(
        self, index: Index, rows: NDArray[np.int32], strength: NDArray[np.float64], heat: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        first = index.facets.pinned[rows] | (heat > self._settings.heat.hot)
        return (strength + first) / 2

    def _joined(
        self,
        ask: Ask,
        query: Query,
        found: _Scored,
        index: Index,
        mask: NDArray[np.bool_],
        connection: apsw.Connection,
    ) -> _Scored:
        """Return what scores above 0, best first, with what edges do for it, which each document wants otherwise."""
        name, is_linked = self._dynamics.profile.name, self._settings.memory.hebbian
        reach = Reach(
            connection, mask, partial(self._bare, ask, index, connection), self._settings.links, seconds(ask.now),
            is_past=ask.wanted.as_of is not None, counts_pairs=self._dynamics.profile.counts_pairs,
        )  # fmt: skip
        activates = name == "neuromemory" and self._dynamics.ranking is self._dynamics.actr and bool(query.terms)
        if name == "nola" and is_linked:
            found = reach.lent(found)
        if name == "amplihack" and query.terms:
            found = reach.alike(found, _SEEDS)
            found.score = self._dynamics.score(found.relevance, found.strength)
        if activates:
            found = self._activated(ask, found, index, reach, connection)
        order = np.lexsort((found.rows, -found.score))
        found = found.take(order[: np.count_nonzero(found.score > 0)])
        if name in _BRINGING and is_linked and query.terms:
            found = reach.associated(found, ask.limit)
            found = self._activated(ask, found, index, reach, connection) if activates else found
        return found

    def _bare(self, ask: Ask, index: Index, connection: apsw.Connection, rows: NDArray[np.int32]) -> _Scored:
        """Return candidates that only an edge brings."""
        pool, nothing = self._pool(ask, index, rows, connection), np.zeros(len(rows))
        strength = self._dynamics.strength(pool, seconds(ask.now), ask.level)
        parts = np.zeros((len(rows), len(PARTS)))
        return _Scored(rows, nothing, strength, self._heat(pool, ask), nothing, parts, nothing, nothing)

    def _activated(self, ask: Ask, found: _Scored, index: Index, reach: Reach, connection: apsw.Connection) -> _Scored:
        """Rank by A = B + sum(W S) + gamma I (C06, C09); what was never used has none and is left out (C05)."""
        pool, actr = self._pool(ask, index, found.rows, connection), self._dynamics.actr
        active = np.where(found.relevance > 0, 1.0, 0.0)
        spread = reach.spreading(found.rows, active) if self._settings.memory.hebbian else np.zeros(len(found))
        strength = np.where(pool.innate, 1.0, actr.probability(actr.value(pool, seconds(ask.now), spread)))
        found.strength = np.maximum(strength, self._settings.memory.decay_floor)
        found.score = self._dynamics.score(found.relevance, found.strength)
        found.more["spread"] = self._settings.actr.spread_weight * spread
        return found.take(found.strength > 0)

    def _shown(self, heat: NDArray[np.float64], ask: Ask) -> NDArray[np.bool_]:
        """Return which memories of such heat may come (A17, A34)."""
        keep = heat >= ask.min_heat
        hot, warm = self._dynamics.thresholds
        if self._dynamics.profile.hides_cold and not ask.include_cold and not ask.tiers:
            keep &= heat >= warm
        if ask.tiers:
            tiers = {Tier.HOT: heat > hot, Tier.COLD: heat < warm}
            tiers[Tier.WARM] = ~(tiers[Tier.HOT] | tiers[Tier.COLD])
            keep &= np.logical_or.reduce([tiers[tier] for tier in ask.tiers])
        return keep

    def _newer_first(self, ask: Ask, found: _Scored, index: Index, texts: Mapping[int, Stored]) -> _Scored:
        """Put a newer statement about the same thing before the older one, with its score (P11)."""
        top = found.rows[:LOOKED_AT]
        said = [
            Said(one.content if one else "", one.speaker if one else "", at_s, relevance, cosine)
            for one, at_s, relevance, cosine in zip(
                (texts.get(row) for row in top.tolist()),
                index.columns.at_s[top].tolist(),
                found.relevance[:LOOKED_AT].tolist(),
                found.cosine[:LOOKED_AT].tolist(),
                strict=True,
            )
        ]
        cosines = None if index.dense is None or index.lexical else index.dense.similarities(top)
        order = newer_first(ask.text, said, cosines)
        if order == sorted(order):
            return found
        found = found.take(np.concatenate([order, np.arange(len(top), len(found.rows))]))
        score = np.maximum.accumulate(found.score[::-1])[::-1]
        found.more["newer"] = score - found.score
        found.score = score
        return found

    def _packed(self, found: _Scored, ask: Ask, texts: Mapping[int, Stored], most: int) -> list[Recalled]:
        """Return the best that fit; what does not fit is skipped (retrieval.md, step 7)."""
        rows = found.rows[:most].tolist()
        places = [place for place, row in enumerate(rows) if row in texts]
        tokens = [self._count_tokens(texts[rows[place]].content) for place in places]
        if ask.budget is not None:
            fit = pack(tokens, ask.budget)
            places, tokens = [places[at] for at in fit], [tokens[at] for at in fit]
        return [
            self._recalled(found, place, texts[rows[place]], cost)
            for place, cost in zip(places[: ask.limit], tokens, strict=False)
        ]

    def _recalled(self, found: _Scored, place: int, one: Stored, tokens: int) -> Recalled:
        parts = {name: round(value, 6) for name, value in zip(PARTS, found.parts[place].tolist(), strict=True) if value}
        parts.update({name: round(float(values[place]), 6) for name, values in found.more.items() if values[place]})
        return Recalled(
            id=one.id,
            content=one.content,
            score=float(found.score[place]),
            relevance=float(found.relevance[place]),
            strength=float(found.strength[place]),
            tier=tier_of(float(found.heat[place]), self._dynamics.thresholds),
            tokens=tokens,
            parts=parts,
            why=said_why(parts),
            kind=one.kind,
            speaker=one.speaker,
            at=from_micros(one.at),
            conversation=one.conversation,
            source=one.source,
            memory_class=one.memory_class,
            trust=one.trust,
            level=one.level,
            pinned=bool(one.pinned),
            cosine=float(found.cosine[place]),
            active=float(found.active[place]),
        )
