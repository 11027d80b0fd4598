"""Whether a fact answers a question, and whether anything known does, is judged by shipped logistic models."""

from __future__ import annotations

import math

import pytest

from nola.reason.answerable import Linear, judge, question_features, weights
from nola.reason.evidence import Evidence, Vocabulary, pair_features
from nola.reason.question import read_question
from nola.settings import UnknownSettings
from tests.context.making import facts, ranked
from tests.reason.test_evidence import FACTS, KNOWN, USER

BOTH = pytest.mark.parametrize("vectors", [True, False], ids=["vectors", "words"])


def test_a_linear_model_is_the_formula() -> None:
    """`1 / (1 + exp(-(bias + sum w (x - mean) / scale)))`; a feature that is absent counts as 0."""
    model = Linear(("a", "b"), (0.5, 1.0), (0.5, 2.0), (2.0, -1.0), 0.25)
    assert model.probability({"a": 1.0, "b": 3.0}) == pytest.approx(1 / (1 + math.exp(-(0.25 + 2.0 - 1.0))))
    assert model.probability({}) == pytest.approx(1 / (1 + math.exp(-(0.25 - 2.0 + 0.5))))
    assert model.probability({"a": 1e9}) == pytest.approx(1.0)
    assert model.probability({"b": 1e9}) == pytest.approx(0.0, abs=1e-9)


@BOTH
def test_the_shipped_weights_load(vectors: bool) -> None:  # noqa: FBT001 -- a table
    """Both variants hold a model of a fact and of a question, with finite numbers and positive scales."""
    for model in weights(vectors=vectors):
        assert len(model.names) == len(set(model.names)) == len(model.weight) > 20
        assert all(math.isfinite(n) for n in (*model.mean, *model.weight, model.bias))
        assert all(scale > 0 for scale in model.scale)


@BOTH
def test_every_weight_belongs_to_a_feature(vectors: bool) -> None:  # noqa: FBT001 -- a table
    """No weight of the shipped models waits for a feature that nothing makes."""
    cosine = 0.5 if vectors else None
    evidence = [Evidence(0, 0.8, cosine, cosine), Evidence(1, 0.6, cosine, cosine)]
    rows = pair_features(read_question("what is my name"), FACTS, evidence, KNOWN)
    by_fact, by_question = weights(vectors=vectors)
    assert set(by_fact.names) <= set(rows[0])
    assert set(by_question.names) <= set(question_features(rows, [0.9, 0.1]))


def test_a_question_is_summed_up() -> None:
    """The best chance, the next, their distance, and the features of the best judged and the best ranked fact."""
    rows = [{"in topic": 0.2}, {"in topic": 1.0}, {"in topic": 0.4}]
    found = question_features(rows, [0.3, 0.9, 0.5])
    assert [found["top"], found["second"], found["lead"]] == pytest.approx([0.9, 0.5, 0.4])
    assert found["logit"] == pytest.approx(math.log(9), abs=1e-4)
    assert (found["best in topic"], found["first in topic"]) == (1.0, 0.2)
    alone = question_features(rows[:1], [0.3])
    assert (alone["second"], alone["lead"]) == (0.0, 0.3)


def judged(text: str) -> tuple[float, str]:
    """The chance that anything answers a question of the literal owner, and the path of the likeliest fact."""
    ranking = ranked(text, {"user": USER})
    known = Vocabulary.of(ranking.facts)
    order = sorted(range(len(ranking.scores)), key=lambda row: -ranking.scores[row])[:12]
    evidence = [Evidence(row, ranking.scores[row], None) for row in order]
    found = judge(read_question(text, known.names, known.topics, known.people), ranking.facts, evidence, known)
    assert [p for _, p in found.probabilities] == sorted((p for _, p in found.probabilities), reverse=True)
    assert {row for row, _ in found.probabilities} == set(order)
    return found.answerable, ranking.facts[found.probabilities[0][0]].path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("What is my dog's name?", "user.pets.dog.name"),
        ("when is my husband's birthday", "user.husband.birthday"),
        ("what's my mum's phone number", "user.family.0.phone"),
        ("what is my phone number", "user.phone"),
        ("what was my old phone number", "user.phone_old"),
        ("what is the plate of my car", "user.car.plate"),
        ("when does my passport expire", "user.passport.expires"),
        ("how tall am I", "user.height_cm"),
    ],
)
def test_what_is_known_is_judged_answerable(text: str, path: str) -> None:
    """With words alone, the right fact leads and the question can be answered."""
    chance, best = judged(text)
    assert best == path
    assert chance >= UnknownSettings().threshold


@pytest.mark.parametrize(
    "text",
    [
        "What is my cat's name?",
        "when is my sister's birthday",
        "what's my dad's phone number",
        "what is my email",
        "what colour is my car",
        "how much did I pay for my car",
        "what is Gandalf's phone number",
    ],
)
def test_what_is_not_known_is_judged_unanswerable(text: str) -> None:
    """A near miss - another holder, another attribute, another kind of value - is no answer."""
    assert judged(text)[0] < UnknownSettings().threshold


def test_no_evidence_answers_nothing() -> None:
    """Where nothing is known nothing answers."""
    assert judge(read_question("what is my name"), [], [], Vocabulary.of([])).answerable == 0.0


@pytest.mark.parametrize(
    ("told", "covers"),
    [("Our rent was raised to 950 euros", True), ("Our boat was raised by two metres", False)],
)
def test_what_covers_a_question_is_told(told: str, covers: bool) -> None:  # noqa: FBT001 -- a table
    """A text that speaks of all that is asked covers the question, whatever kind of value it holds."""
    question = read_question("how much is our rent?")
    known = facts(user={"note": told})
    judged_ = judge(question, known, [Evidence(0, 0.9, None)], Vocabulary.of(known))
    assert judged_.covering == (frozenset({0}) if covers else frozenset())
