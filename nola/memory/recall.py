"""Recall: relevance, strength and links make one score; what fits into a budget comes back, with every part of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nola.memory import edges
from nola.memory.axes import EdgeKind, Tier
from nola.memory.dynamics.base import Pool
from nola.memory.dynamics.crossing import tier_of
from nola.memory.found import Recalled, as_they_were, said_why, stored
from nola.memory.instants import from_micros, seconds
from nola.memory.links import spread, weights_at
from nola.memory.packing import pack
from nola.memory.query import parse
from nola.memory.ranking import PARTS, rank
from nola.memory.selection import needs_database, stored_mask, visible
from nola.memory.updates import newer_first

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    import apsw
    from numpy.typing import NDArray

    from nola.memory.dynamics.model import Dynamics
    from nola.memory.filters import Filter
    from nola.memory.found import Stored
    from nola.memory.index import Index
    from nola.memory.query import Query
    from nola.settings import Settings

__all__ = ["Ask", "Recalled", "Recaller"]

_TOP = 32
"""Best candidates that links and updates are looked at for."""
_UPDATES = 12
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


@dataclass(slots=True)
class _Scored:
    """Candidates with all that is known of them, best first."""

    rows: NDArray[np.int32]
    relevance: NDArray[np.float64]
    strength: NDArray[np.float64]
    heat: NDArray[np.float64]
    score: NDArray[np.float64]
    parts: NDArray[np.float64]
    link: NDArray[np.float64]
    cosine: NDArray[np.float64]

    def take(self, order: NDArray[np.intp] | NDArray[np.bool_]) -> _Scored:
        return _Scored(
            self.rows[order], self.relevance[order], self.strength[order], self.heat[order], self.score[order],
            self.parts[order], self.link[order], self.cosine[order],
        )  # fmt: skip


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
            speakers=index.columns.speakers,
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
        found = self._linked(found, index, connection, ask, mask)
        found = self._kept(found, ask)
        found = found.take(np.lexsort((found.rows, -found.score)))
        most = min(len(found.rows), ask.limit if ask.budget is None else max(_MOST_PACKED, ask.limit))
        texts = stored(connection, found.rows[: max(most, _UPDATES)].tolist(), ask.wanted.as_of)
        if query.terms:
            found = self._newer_first(ask, found, index, texts)
        return self._packed(found, ask, texts, most)

    def embedded(self, query: Query) -> NDArray[np.float32] | None:
        """Return the question's vector."""
        return self._embed(query.embed_text) if query.terms else None

    def _mask(self, ask: Ask, index: Index, connection: apsw.Connection) -> NDArray[np.bool_]:
        if needs_database(ask.wanted):
            return stored_mask(connection, len(index), ask.wanted, ask.now)
        mask = visible(index, ask.wanted, ask.now)
        if not (ask.min_heat > 0 or ask.tiers or (self._dynamics.profile.hides_cold and not ask.include_cold)):
            return mask
        rows = np.flatnonzero(mask)  # all of them, so that nothing is cut off before it is filtered (P27)
        shown = np.zeros_like(mask)
        shown[rows[self._shown(self._heat(index.pool.take(rows), ask), ask)]] = True
        return shown

    def _heat(self, pool: Pool, ask: Ask) -> NDArray[np.float64]:
        return self._dynamics.heat.strength(pool, seconds(ask.now))

    def _pool(self, ask: Ask, index: Index, rows: NDArray[np.int32], connection: apsw.Connection) -> Pool:
        if ask.wanted.as_of is None:
            return index.pool.take(rows)
        return Pool.of(as_they_were(connection, rows.tolist(), ask.wanted.as_of))

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
            ranking = rank(
                query,
                index.columns,
                index.postings,
                self._lexical if index.lexical else self._settings.recall,
                dense=index.dense,
                question=vector,
                mask=mask,
            )
            rows, relevance, parts, cosine = ranking.rows, ranking.relevance, ranking.parts, ranking.cosine
            if self._dynamics.profile.name == "blah":
                most = self._dynamics.pool(ask.limit)
                rows, relevance, parts, cosine = rows[:most], relevance[:most], parts[:most], cosine[:most]
        else:
            rows = self._salient(index, mask, ask)
            relevance, parts, cosine = np.ones(len(rows)), np.zeros((len(rows), len(PARTS))), np.zeros(len(rows))
        pool = self._pool(ask, index, rows, connection)
        strength = self._dynamics.strength(pool, seconds(ask.now))
        heat = self._heat(pool, ask)
        score = (
            self._dynamics.score(relevance, strength) if query.terms else self._salience(index, rows, strength, heat)
        )
        return _Scored(rows, relevance, strength, heat, score, parts, np.zeros(len(rows)), cosine)

    def _salient(self, index: Index, mask: NDArray[np.bool_], ask: Ask) -> NDArray[np.int32]:
        """Return what comes to mind without a question: pinned, hot, strong."""
        rows = np.flatnonzero(mask).astype(np.int32)
        pool = index.pool.take(rows)
        strength = self._dynamics.strength(pool, seconds(ask.now))
        score = self._salience(index, rows, strength, self._heat(pool, ask))
        return rows[np.argsort(-score, kind="stable")[: max(_SALIENT, ask.limit)]]

    def _salience(
        self, index: Index, rows: NDArray[np.int32], strength: NDArray[np.float64], heat: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        first = index.facets.pinned[rows] | (heat > self._settings.heat.hot)
        return (strength + first) / 2

    def _linked(
        self, found: _Scored, index: Index, connection: apsw.Connection, ask: Ask, mask: NDArray[np.bool_]
    ) -> _Scored:
        """Add what associations lend, to what was found and to what is linked to it (C06, C15)."""
        if not len(found.rows):
            return found
        top = np.argsort(-found.score, kind="stable")[:_TOP]
        near = edges.near(connection, [int(row) + 1 for row in found.rows[top]], [EdgeKind.ASSOCIATED])
        if ask.wanted.as_of is not None:
            near = [edge for edge in near if edge.last_s <= seconds(ask.now)]
        links = {(min(e.seq, e.other) - 1, max(e.seq, e.other) - 1): e for e in near}
        links = {pair: e for pair, e in links.items() if pair[1] < len(mask) and mask[pair[0]] and mask[pair[1]]}
        if not links:
            return found
        new = np.array(sorted({row for pair in links for row in pair} - set(found.rows.tolist())), dtype=np.int32)
        found = self._with_rows(found, new, self._pool(ask, index, new, connection), ask)
        place = {int(row): at for at, row in enumerate(found.rows)}
        weights = weights_at(
            np.array([e.weight for e in links.values()]),
            np.array([e.last_s for e in links.values()]),
            seconds(ask.now),
            self._settings.links,
        )
        ends = np.array([[place[a], place[b]] for a, b in links])
        found.link = spread(found.score, ends[:, 0], ends[:, 1], weights, self._settings.links.spread_share)
        found.score = found.score + found.link
        return found

    def _with_rows(self, found: _Scored, rows: NDArray[np.int32], pool: Pool, ask: Ask) -> _Scored:
        if not len(rows):
            return found
        nothing = np.zeros(len(rows))
        return _Scored(
            np.concatenate([found.rows, rows]),
            np.concatenate([found.relevance, nothing]),
            np.concatenate([found.strength, self._dynamics.strength(pool, seconds(ask.now))]),
            np.concatenate([found.heat, self._heat(pool, ask)]),
            np.concatenate([found.score, nothing]),
            np.concatenate([found.parts, np.zeros((len(rows), len(PARTS)))]),
            np.concatenate([found.link, nothing]),
            np.concatenate([found.cosine, nothing]),
        )

    def _kept(self, found: _Scored, ask: Ask) -> _Scored:
        return found.take((found.score > 0) & self._shown(found.heat, ask))

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
        """Put a newer statement about the same thing before the older one (P11)."""
        top = found.rows[:_UPDATES]
        said = [texts.get(row) for row in top.tolist()]

        def cosine_between(one: int, other: int) -> float:
            return 0.0 if index.dense is None else index.dense.between(int(top[one]), int(top[other]))

        order = newer_first(
            ask.text,
            [one.content if one else "" for one in said],
            [one.speaker if one else "" for one in said],
            index.columns.at_s[top].tolist(),
            cosine_between,
        )
        rest = np.arange(len(top), len(found.rows))
        return found.take(np.concatenate([np.asarray(order, dtype=np.intp), rest]))

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
        if found.link[place]:
            parts["link"] = round(float(found.link[place]), 6)
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
        )
