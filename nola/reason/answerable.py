"""Judges whether a fact answers a question, and whether anything known does, by logistic models over their evidence."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from nola.reason.evidence import pair_features

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nola.context.facts import Fact
    from nola.reason.evidence import Evidence, Vocabulary
    from nola.reason.question import Question

__all__ = ["Judgement", "Linear", "answerable_from", "judge", "question_features", "weights"]


_COVERED = 0.9
_CONTRADICTED = 0.4
_STRONGLY = 2
_OPEN = 0.35


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found.

    Attributes:
        answerable: Probability in [0, 1] that something known answers the question.
        probabilities: For each judged row, the probability that this fact answers it, best first.
        covering: Judged rows that speak of nearly all that is asked and contradict nothing of it, but that their
            value, read alone, may not look like an answer.
    """

    answerable: float
    probabilities: tuple[tuple[int, float], ...]
    covering: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Linear:
    """A logistic model over named features: `1 / (1 + exp(-(bias + sum w (x - mean) / scale)))`."""

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weight: tuple[float, ...]
    bias: float

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability for one row of features; an absent feature counts as 0."""
        rows = zip(self.names, self.mean, self.scale, self.weight, strict=True)
        total = self.bias + sum(w * (features.get(n, 0.0) - m) / s for n, m, s, w in rows)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@lru_cache(maxsize=2)
def weights(*, vectors: bool) -> tuple[Linear, Linear]:
    """Return the shipped models (fact, question), with or without an embedder's cosines."""
    raw = json.loads(resources.files("nola.reason").joinpath("answerable.json").read_text(encoding="utf-8"))
    chosen = raw["vectors" if vectors else "words"]
    return _linear(chosen["fact"]), _linear(chosen["question"])


def judge(question: Question, facts: Sequence[Fact], evidence: Sequence[Evidence], known: Vocabulary) -> Judgement:
    """Judge the best-ranked facts against a question.

    Args:
        question: The question as read.
        facts: All facts.
        evidence: The best-ranked ones, best first.
        known: The words of all facts.
    """
    if not evidence:
        return Judgement(0.0, ())
    by_fact, by_question = weights(vectors=evidence[0].cosine is not None)
    rows = pair_features(question, facts, evidence, known)
    chances = [by_fact.probability(row) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: -chances[i])
    answerable = answerable_from(rows, chances, by_question)
    covering = frozenset(
        found.row
        for found, row in zip(evidence, rows, strict=True)
        if row["contradictions"] <= row["kind other"] and row["unmatched"] <= _OPEN
    )
    return Judgement(answerable, tuple((evidence[i].row, chances[i]) for i in order), covering)


def answerable_from(rows: Sequence[Mapping[str, float]], chances: Sequence[float], by_question: Linear) -> float:
    """Give the probability that a question can be answered; a fact whose own words cover the whole question does."""
    learned = by_question.probability(question_features(rows, chances))
    if any(_covers(row) for row in rows):
        return max(learned, _COVERED)
    best = max(range(len(rows)), key=chances.__getitem__)
    return min(learned, _CONTRADICTED) if rows[best]["contradictions"] >= _STRONGLY else learned


def _covers(row: Mapping[str, float]) -> bool:
    """Every word of the question stands in what the fact is about, and nothing contradicts it."""
    told = row["in topic"] + row["by synonym"]
    against = (
        "contradicted",
        "attribute other",
        "only a name",
        "specific missing",
        "moment other",
        "former",
        "entity other",
    )
    named = row["name in fact"] > 0 and row["residue"] == 0  # `who is Anna`: her name is all that is asked
    whole = row["unmatched words"] == 0 and (named or (told > 0 and row["in topic"] > 0))
    return whole and not any(row.get(name, 0.0) for name in against)


def question_features(rows: Sequence[Mapping[str, float]], chances: Sequence[float]) -> dict[str, float]:
    """Sum up the judged facts of one question: the best one, its lead, and what contradicts it."""
    order = sorted(range(len(rows)), key=lambda i: -chances[i])
    best = order[0]
    top = chances[best]
    second = chances[order[1]] if len(order) > 1 else 0.0
    out = {"top": top, "second": second, "lead": top - second, "logit": math.log((top + 1e-6) / (1 - top + 1e-6))}
    out.update({f"best {name}": value for name, value in rows[best].items()})
    out.update({f"first {name}": value for name, value in rows[0].items()})
    return out


def _linear(raw: Mapping[str, Mapping[str, Sequence[float]] | float]) -> Linear:
    table: Mapping[str, Sequence[float]] = raw["features"]  # type: ignore[assignment]
    columns = list(zip(*table.values(), strict=True))
    mean, scale, weight = (tuple(float(x) for x in c) for c in columns)
    return Linear(tuple(table), mean, scale, weight, float(raw["bias"]))  # type: ignore[arg-type]
