"""Scoring: what words, meaning, neighbours, speakers, conversations and dates say about every candidate together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from nola.memory.columns import NONE, distinct
from nola.memory.query_dates import DateKind
from nola.memory.traits import ASKED_FULL, Trait

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nola.memory.columns import Columns, Line
    from nola.memory.dense import DenseIndex
    from nola.memory.postings import LexicalHits, Postings
    from nola.memory.query import Query
    from nola.settings import RecallSettings

__all__ = ["PARTS", "Ranking", "rank"]

PARTS = ("bm25", "cosine", "neighbours", "answer", "speaker", "session", "date", "form")
"""The parts that a relevance is the sum of, in the order of the columns of `Ranking.parts`."""

_Floats: TypeAlias = "NDArray[np.float64]"
_Rows: TypeAlias = "NDArray[np.int32]"

_DAY_S = 86_400.0
_CORE = 100
"""Best candidates whose neighbours become candidates too."""
_MOST_DATED = 1_000
_NEVER = 100.0
"""Half-lives after which nothing is left."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates of a question, best first.

    Attributes:
        rows: int32 [n].
        relevance: float64 [n] in [0, 1], 1 for the best, or of `by_meaning`.
        parts: float64 [n, len(PARTS)], on the same scale; a row's relevance is their sum, but never below 0.
        beside: float64 [n] in [0, 1], how good each is beside the best one.
        bm25: float64 [n], plain scores.
        cosine: float64 [n], plain cosines, 0 without a vector.
        dated: bool [n], whether it happened on a date that the question names.
    """

    rows: _Rows
    relevance: _Floats
    parts: _Floats
    beside: _Floats
    bm25: _Floats
    cosine: _Floats
    dated: NDArray[np.bool_]

    def take(self, order: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Ranking:
        """Return some of them, or all in another order."""
        return Ranking(*(getattr(self, name)[order] for name in self.__slots__))

    def matching(self, least: float) -> Ranking:
        """Return those that match by themselves: by a word, by a date, or by a cosine of at least so much (A16)."""
        return self.take((self.bm25 > 0) | (self.cosine >= least) | self.dated)

    def by_meaning(self, has_vector: NDArray[np.bool_]) -> Ranking:
        """Return them with their plain cosines for relevance, as two documents rank (A35, D14).

        A cosine below 0 counts as 0 (E-33). What has no vector yet is ranked by its words, the best of it beside the
        closest of the others.

        Args:
            has_vector: bool [n].
        """
        words = self.bm25 / max(float(self.bm25.max(initial=0.0)), 1e-9)
        near = np.clip(self.cosine, 0.0, 1.0)
        best = near.max(initial=0.0, where=has_vector) if has_vector.any() else 1.0
        parts = np.zeros_like(self.parts)
        parts[:, PARTS.index("cosine")] = np.where(has_vector, near, 0.0)
        parts[:, PARTS.index("bm25")] = np.where(has_vector, 0.0, best * words)
        relevance = parts.sum(axis=1)
        found = replace(self, relevance=relevance, parts=parts)
        return found.take(np.lexsort((self.rows, -relevance)))


@dataclass(frozen=True, slots=True)
class _Pool:
    """Candidates in ascending order, with what words and meaning say about them.

    Attributes:
        rows: int32 [n].
        bm25: float64 [n].
        cosine: float64 [n].
        words: float64 [n], the lexical part of the base score.
        meaning: float64 [n], the other part.
    """

    rows: _Rows
    bm25: _Floats
    cosine: _Floats
    words: _Floats
    meaning: _Floats

    @property
    def base(self) -> _Floats:
        """The score of a row by itself."""
        return self.words + self.meaning


class _Scorer:
    """What one question asks of rows."""

    def __init__(
        self,
        columns: Columns,
        line: Line,
        lexical: LexicalHits,
        dense: DenseIndex | None,
        question: NDArray[np.float32] | None,
        settings: RecallSettings,
    ) -> None:
        self._columns = columns
        self._line = line
        self._lexical = lexical
        self._dense = dense
        self._question = question
        self._settings = settings
        self._near: tuple[_Rows, _Floats] = (np.zeros(0, dtype=np.int32), np.zeros(0))

    def pool(self, rows: _Rows) -> _Pool:
        """Score rows by themselves; the rows in ascending order."""
        s = self._settings
        bm25 = self._lexical.of(rows).astype(np.float64)
        words = bm25 / max(float(bm25.max(initial=0.0)), 1e-9)
        if self._dense is None or self._question is None:
            nothing = np.zeros(len(rows))
            return _Pool(rows, bm25, nothing, words, nothing)
        cosine = self._cosines(self._dense, self._question, rows)
        best = float(cosine.max(initial=0.0)) + s.cosine_offset
        meaning = np.maximum(cosine + s.cosine_offset, 0.0) / max(best, 1e-9)
        meaning = np.where(self._dense.has(rows), meaning, words)  # no vector yet: words alone tell
        return _Pool(rows, bm25, cosine, s.lexical_share * words, (1 - s.lexical_share) * meaning)

    def _cosines(self, dense: DenseIndex, question: NDArray[np.float32], rows: _Rows) -> _Floats:
        """Return the cosines of rows in ascending order; those of the last call are not worked out again."""
        seen, known = self._near
        cosine = np.zeros(len(rows))
        where = np.searchsorted(seen, rows)
        where[where == len(seen)] = 0
        there = seen[where] == rows if len(seen) else np.zeros(len(rows), dtype=np.bool_)
        cosine[there] = known[where[there]]
        cosine[~there] = dense.cosines(question, rows[~there])
        self._near = (rows, cosine)
        return cosine

    def spoken(self, rows: _Rows) -> NDArray[np.bool_]:
        """Return which rows somebody said, or are of a conversation: of others a neighbour says nothing."""
        is_spoken: NDArray[np.bool_] = self._columns.session[rows] != NONE
        is_spoken |= self._columns.speaker[rows] != NONE
        return is_spoken

    def around(self, pool: _Pool) -> tuple[_Floats, _Floats]:
        """Return what a row's neighbours lend it, and what it gains by answering a good question."""
        s, columns, rows = self._settings, self._columns, pool.rows
        lent = np.zeros(len(rows))
        answer = np.zeros(len(rows))
        for number, others in enumerate(self._line.beside(rows)):
            where = np.searchsorted(rows, others)
            where[where == len(rows)] = 0
            there = (others != NONE) & (rows[where] == others)
            same = columns.speaker[others] == columns.speaker[rows]
            score = np.where(there, pool.base[where], 0.0)
            lent += score * np.where(same, s.neighbour_same, s.neighbour_other)
            if number == 0:
                asked = (columns.traits[others] & Trait.ASKS) > 0
                answer = s.answer_bonus * score * (asked & ~same)
        return lent, answer

    def session(self, pool: _Pool) -> _Floats:
        """Return what a row gains by the best that was said around it in the same conversation."""
        columns, rows = self._columns, pool.rows
        places = self._line.place[rows]
        best = _decayed_maximum(columns.session[rows], places, pool.base, self._settings.half_life_turns)
        return self._settings.session_share * best

    def dates(self, query: Query, pool: _Pool) -> _Floats:
        """Return what a row gains by closeness to a date that the question names."""
        s, at_s = self._settings, self._columns.at_s[pool.rows]
        close = np.zeros(len(pool.rows))
        for date in query.dates:
            after = np.maximum(at_s - date.end_s, 0.0) / _DAY_S
            before = np.maximum(date.start_s - at_s, 0.0) / _DAY_S
            share = s.year_share if date.kind is DateKind.YEAR else 1.0
            close = np.maximum(close, share * np.exp(-after / s.days_after - before / s.days_before))
        return s.date_weight * close

    def speaker(self, query: Query, pool: _Pool) -> _Floats:
        """Return what a row gains when a person named in the question said it."""
        people = [self._columns.speaker_number(name) for name in query.people]
        said = np.isin(self._columns.speaker[pool.rows], people)
        return np.where(said, self._settings.speaker_bonus, 0.0)

    def form(self, query: Query, pool: _Pool) -> _Floats:
        """Return what a row gains by telling a time when one is asked for, less for the share of it that asks."""
        traits = self._columns.traits[pool.rows]
        loss = -self._settings.asked_penalty * (traits >> 4) / ASKED_FULL
        if query.wants_time:
            loss += self._settings.time_bonus * ((traits & Trait.TELLS_TIME) > 0)
        return np.asarray(loss, dtype=np.float64)


def rank(
    query: Query,
    columns: Columns,
    postings: Postings,
    settings: RecallSettings,
    *,
    dense: DenseIndex | None = None,
    question: NDArray[np.float32] | None = None,
    mask: NDArray[np.bool_] | None = None,
) -> Ranking:
    """Rank the memories that may answer a question (retrieval.md, steps 3 to 6).

    Args:
        query: The question.
        columns: Who said what when.
        postings: The lexical index.
        settings: Weights and sizes.
        dense: The vector index; without one words alone count.
        question: float32 [d], the unit vector of `query.embed_text`.
        mask: bool [rows], true where a row may be found or lend anything.
    """
    lexical = postings.search(query.terms, settings.pool_lexical, settings, mask)
    dated = _dated(query, columns, lexical, settings.pool_date, mask) if query.dates else lexical.rows[:0]
    found = [lexical.rows, dated]
    if dense is not None and question is not None:
        found.append(dense.search(question, settings.pool_dense, mask)[0])
    line = columns.line(mask)
    scorer = _Scorer(columns, line, lexical, dense, question, settings)
    rows = distinct(found)
    core = scorer.pool(rows)
    means = dense is not None and question is not None
    spoken = scorer.spoken(rows) | means  # with vectors a neighbour that says nothing like it ranks low anyhow
    best = np.argsort(-core.base, kind="stable")[:_CORE]
    more = line.neighbours(rows[best[spoken[best]]], settings.neighbours)
    if not spoken.all():  # what nobody said comes only if it has something in common with the question
        rows = rows[spoken | (core.bm25 > 0) | np.isin(rows, dated)]
        more = more[scorer.spoken(more)]
    rows = distinct([rows, more])
    if not len(rows):
        nothing = np.zeros(0)
        return Ranking(rows, nothing, np.zeros((0, len(PARTS))), nothing, nothing, nothing, nothing > 0)
    pool = scorer.pool(rows)
    parts = np.stack(
        (
            pool.words, pool.meaning, *scorer.around(pool), scorer.speaker(query, pool), scorer.session(pool),
            scorer.dates(query, pool), scorer.form(query, pool),
        ),
        axis=1,
    )  # fmt: skip
    total = parts.sum(axis=1)
    order = np.lexsort((pool.rows, -total))
    top = max(float(total[order[0]]), 1e-9)
    relevance = np.clip(total[order] / top, 0.0, 1.0)
    on_day = np.isin(pool.rows[order], dated) if len(dated) else np.zeros(len(order), dtype=np.bool_)
    return Ranking(
        pool.rows[order], relevance, parts[order] / top, relevance, pool.bm25[order], pool.cosine[order], on_day
    )


def _dated(query: Query, columns: Columns, lexical: LexicalHits, most: int, mask: NDArray[np.bool_] | None) -> _Rows:
    """Return rows of the dates that a question names, those with its words first, then the newest."""
    at_s = columns.at_s[: len(columns)]
    inside = np.zeros(len(columns), dtype=np.bool_)
    for date in query.dates:
        if date.kind is not DateKind.YEAR:
            inside |= (at_s >= date.start_s) & (at_s < date.end_s)
    rows = _allowed(np.flatnonzero(inside).astype(np.int32), mask)
    if len(rows) <= most:
        return rows
    order = np.lexsort((-at_s[rows], -lexical.of(rows)))
    return rows[order[:most]]


def _allowed(rows: _Rows, mask: NDArray[np.bool_] | None) -> _Rows:
    if mask is None:
        return rows
    rows = rows[rows < len(mask)]
    return rows[mask[rows]]


def _decayed_maximum(sessions: _Rows, places: _Rows, scores: _Floats, half_life: float) -> _Floats:
    """Return for each row the best score of its conversation, halved with every `half_life` turns between the two."""
    order = np.argsort(places)  # a conversation's rows stand together
    gaps = np.diff(places[order], prepend=0) / half_life
    gaps[np.flatnonzero(np.diff(sessions[order])) + 1] = _NEVER
    slope = np.cumsum(np.clip(gaps, 0.0, _NEVER))
    height = np.log2(np.maximum(scores[order], 1e-12))
    before = np.maximum.accumulate(height + slope) - slope
    after = np.maximum.accumulate((height - slope)[::-1])[::-1] + slope
    best = np.zeros(len(places))
    best[order] = np.exp2(np.maximum(before, after))
    return best
