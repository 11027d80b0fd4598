"""Ranks everything that could go into the context: facts and their index, kept until the state changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from nola.context.facts import facts_of
from nola.context.phrases import query_terms
from nola.text import content_words, humanise, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from nola.context.facts import Fact
    from nola.context.index import RelevanceIndex
    from nola.context.memories import Memories
    from nola.flow import Candidate
    from nola.settings import RelevanceSettings

__all__ = ["Ranking", "Selector", "Vectoriser"]

_NAME_SALIENCE = 0.8
# These stand in every prompt already, as who answers.
_IN_PERSONA = frozenset({"Nola.name", "Nola.role", "Nola.manner"})
_TOP_SALIENCE = 0.6
_SALIENCE = 0.5
_NAMES = frozenset({"name", "full name", "first name", "nickname", "goes by", "preferred name"})


class Vectoriser(Protocol):
    """Turns texts into unit vectors; the llm room's embedders are such."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 [n, d]."""

    def embed_within(self, texts: Sequence[str], budget_s: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return float32 [n, d] with zero rows where time ran out, and bool [n] that tells which are there."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every fact with its relevance to one input.

    Attributes:
        candidates: Leaves of the state, and after them memories.
        facts: What they tell.
        rows: For each fact, the position of its candidate.
        scores: For each fact, its relevance in [0, 1].
        cosine: For each fact, its best cosine; None without an embedder.
        without_vectors: Facts of the state that have no vector yet.
        noted: The facts of the state alone: the same object for as long as the state does not change.
    """

    candidates: Sequence[Candidate]
    facts: Sequence[Fact]
    rows: Sequence[int]
    scores: Sequence[float]
    cosine: Sequence[float] | None
    without_vectors: int
    noted: Sequence[Fact] = ()


@dataclass(frozen=True, slots=True)
class _Prepared:
    key: object
    candidates: Sequence[Candidate]
    facts: list[Fact]
    rows: list[int]
    index: RelevanceIndex
    former: NDArray[np.bool_]
    vectors: list[NDArray[np.float32]]
    missing: int


class Selector:
    """Ranks facts for an input and keeps their index for as long as the state does not change.

    Args:
        settings: Constants of relevance.
        turn_budget_s: Longest time that one call spends on vectors of new facts.
    """

    def __init__(self, settings: RelevanceSettings, *, turn_budget_s: float) -> None:
        self._settings = settings
        self._turn_budget_s = turn_budget_s
        self._prepared: _Prepared | None = None
        self._salient: tuple[list[Fact], NDArray[np.float64]] | None = None
        self._lock = Lock()

    def rank(
        self,
        text: str,
        candidates: Sequence[Candidate],
        *,
        revision: object,
        vectoriser: Vectoriser | None,
        wants_former: bool = False,
        greet: bool = False,
        memories: Memories | None = None,
    ) -> Ranking:
        """Rank all facts for an input, and recalled memories beside them.

        Args:
            text: What the owner typed.
            candidates: Leaves of the state.
            revision: Changes whenever the candidates may have.
            vectoriser: The embedder, or None for words alone.
            wants_former: The input asks for former values, so they lose nothing.
            greet: A quick message: the owner's name comes first unless something else is asked for.
            memories: What was recalled; the last facts of the ranking, in the order in which they were recalled.
        """
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        from nola.context.memories import memory_facts  # noqa: PLC0415 -- as above

        wanted = bool(content_words(text))
        prepared = self._ready(candidates, revision, vectoriser, wanted=wanted)
        terms = query_terms(text, self._settings)
        question = None
        if vectoriser is not None and prepared.vectors and terms.own:
            question = vectoriser.embed([text])[0]
        told = memory_facts(memories, text, first=len(prepared.candidates)) if memories else []
        found = prepared.index.query(terms, prepared.vectors if question is not None else None, question, told)
        noted = len(prepared.facts)
        scores = found.fused[:noted]
        if not wants_former:
            scores = np.where(prepared.former, scores * self._settings.former_share, scores)
        if greet or not wanted:
            scores = np.maximum(scores, self._saliences(prepared.facts))
        cosine = None if found.cosine is None else found.cosine.tolist()
        alone = Ranking(
            prepared.candidates, prepared.facts, prepared.rows, scores.tolist(), cosine, prepared.missing,
            prepared.facts,
        )  # fmt: skip
        return _joined(alone, memories, told, found.fused[noted:].tolist()) if memories and told else alone

    def _ready(
        self, candidates: Sequence[Candidate], revision: object, vectoriser: Vectoriser | None, *, wanted: bool
    ) -> _Prepared:
        key = (revision, vectoriser is not None)
        with self._lock:
            known = self._prepared
            if known is not None and known.key == key and (not wanted or (known.vectors and not known.missing)):
                return known
            if known is None or known.key != key:
                known = self._prepare(candidates, key)
            if wanted and vectoriser is not None and (known.missing or not known.vectors):
                known = self._with_vectors(known, vectoriser)
            self._prepared = known
            return known

    def _saliences(self, facts: list[Fact]) -> NDArray[np.float64]:
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        known = self._salient
        if known is None or known[0] is not facts:
            known = self._salient = (facts, np.fromiter(map(_salience, facts), float, len(facts)))
        return known[1]

    def _prepare(self, candidates: Sequence[Candidate], key: object) -> _Prepared:
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        from nola.context.index import RelevanceIndex  # noqa: PLC0415 -- brings numpy

        facts = [f for f in facts_of(candidates) if f.path not in _IN_PERSONA]
        former = np.fromiter((f.former for f in facts), dtype=np.bool_, count=len(facts))
        rows = [f.index for f in facts]
        return _Prepared(key, candidates, facts, rows, RelevanceIndex(facts, self._settings), former, [], 0)

    def _with_vectors(self, known: _Prepared, vectoriser: Vectoriser) -> _Prepared:
        texts = [f.text for f in known.facts] + [f"What is my {f.topic}?" for f in known.facts]
        matrix, there = vectoriser.embed_within(texts, self._turn_budget_s)
        size = len(known.facts)
        missing = int(size - there[:size].sum())
        return _Prepared(
            known.key, known.candidates, known.facts, known.rows, known.index, known.former,
            [matrix[:size], matrix[size:]], missing,
        )  # fmt: skip


def _salience(fact: Fact) -> float:
    """How much a fact says who the owner is, when the input says nothing."""
    if fact.path.startswith("user.") and not fact.former and not fact.holder:
        last = " ".join(humanise(fact.attribute).split())
        if last in _NAMES or stem(last) == "name":
            return _NAME_SALIENCE
        return _TOP_SALIENCE
    return _SALIENCE


def _joined(noted: Ranking, memories: Memories, told: Sequence[Fact], bases: Sequence[float]) -> Ranking:
    """Put memories behind the facts of the state; by strength they rank as recall says, else beside the facts."""
    from nola.context.memories import beside, memory_candidates  # noqa: PLC0415 -- keeps start-up fast

    own = [memory.score for memory in memories.found] if memories.salient else beside(memories.found, bases)
    return replace(
        noted,
        candidates=[*noted.candidates, *memory_candidates(memories.found, memories.now)],
        facts=[*noted.facts, *told],
        rows=[*noted.rows, *(fact.index for fact in told)],
        scores=[*noted.scores, *own],
    )
