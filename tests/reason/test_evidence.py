"""A question beside a fact, described by features that a person can read: one literal pair for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.reason.evidence import Evidence, Vocabulary, pair_features
from nola.reason.question import read_question
from tests.context.making import facts

if TYPE_CHECKING:
    from nola.types import Json

USER: dict[str, Json] = {
    "name": "Mara Vesel",
    "phone": "+386 51 555 208",
    "phone_old": "+386 70 555 913",
    "husband": {"name": "Tilen", "birthday": "2 November 1980", "job": "violin maker"},
    "family": [
        {"name": "Zdenka", "relation": "mother", "phone": "+386 31 555 476"},
        {"name": "Bojan", "relation": "brother", "age": 41},
    ],
    "friends": [{"name": "Oskar", "note": "his sister works at the bakery"}],
    "pets": {"dog": {"name": "Figa", "vet": "Dr. Golob"}},
    "car": {"model": "Renault Zoe", "plate": "LJ 73-KVM"},
    "passport": {"expires": "2031-08-19"},
    "trips": [{"where": "Rab", "year": 2022, "hotel": "Arbiana"}],
    "gift": "alpine calendar at Christmas",
    "height_cm": 172,
    "rent_euro": 1150,
    "choir": "Thursdays at 19:30",
    "address": "Quay 4, Porto",
}
FACTS = facts(user=USER)
KNOWN = Vocabulary.of(FACTS)


def row_of(path: str) -> int:
    """Position of the fact at a path below `user`."""
    return [fact.path for fact in FACTS].index(f"user.{path}")


def described(text: str, *paths: str, evidence: list[Evidence] | None = None) -> list[dict[str, float]]:
    """Features of a question beside some facts, the first one best ranked."""
    question = read_question(text, KNOWN.names, KNOWN.topics, KNOWN.people)
    found = evidence or [Evidence(row_of(path), 0.8 - 0.2 * rank, None) for rank, path in enumerate(paths)]
    return pair_features(question, FACTS, found, KNOWN)


@pytest.mark.parametrize(
    ("feature", "value", "text", "path"),
    [
        # words
        ("in topic", 1.0, "What is my dog's name?", "pets.dog.name"),
        ("in value", 1.0, "where does my sister work", "friends.0.note"),
        ("by synonym", 0.5, "what is my vehicle called", "car.model"),
        ("unmatched", 0.5, "what is my vehicle called", "car.model"),
        ("unmatched words", 3.0, "when does my car insurance end", "passport.expires"),
        ("meant", 1.0, "what does Tilen do for a living", "husband.job"),
        ("meant not told", 1.0, "what does Tilen do for a living", "husband.birthday"),
        ("words", 0.2, "What is my dog's name?", "pets.dog.name"),
        # what is asked beyond the one it is about
        ("residue", 2.0, "what is my phone number", "phone"),
        ("residue told", 1.0, "what is my husband's name", "husband.name"),
        ("residue told", 1.0, "what does Tilen do for a living", "husband.job"),
        ("residue open", 1.0, "how tall is my husband", "husband.name"),
        ("only a name", 1.0, "how tall is my husband", "husband.name"),
        ("name wanted", 1.0, "what is my husband's name", "husband.name"),
        ("only holder", 1.0, "what colour is my car", "car.plate"),
        # names
        ("name in fact", 1.0, "when is Tilen's birthday", "husband.birthday"),
        ("name not in fact", 1.0, "when is Zdenka's birthday", "husband.birthday"),
        ("name elsewhere", 1.0, "when is Zdenka's birthday", "husband.birthday"),
        ("name nowhere", 1.0, "when is Gandalf's birthday", "husband.birthday"),
        ("name nowhere", 0.0, "when is Zdenka's birthday", "husband.birthday"),
        ("possessor not in fact", 1.0, "what is my cat's name", "pets.dog.name"),
        ("about another", 1.0, "what is my phone number", "family.0.phone"),
        ("living other", 1.0, "what is my cat's name", "pets.dog.name"),
        ("relative other", 1.0, "my brother's phone number", "friends.0.note"),
        ("living not in fact", 1.0, "what is my brother-in-law's name", "family.1.name"),
        # kinds of things and of answers
        ("kind", 1.0, "how tall am I", "height_cm"),
        ("kind", -0.5, "how tall is my husband", "husband.name"),
        ("kind", 0.7, "which hotel did we stay in on Rab", "trips.0.hotel"),
        ("kind other", 1.0, "what is my email", "address"),
        ("kind price", 1.0, "how much do I pay for my car", "car.model"),
        ("entity same", 1.0, "what is my vehicle called", "car.model"),
        ("entity other", 1.0, "is my passport valid", "car.model"),
        ("entity absent", 1.0, "who is my dentist", "height_cm"),
        ("entity extra", 1.0, "what is my surname", "husband.name"),
        ("entity in value other", 1.0, "my brother's phone number", "friends.0.note"),
        ("attribute same", 1.0, "how tall am I", "height_cm"),
        ("attribute other", 1.0, "how tall am I", "rent_euro"),
        ("attribute absent", 1.0, "how much do I pay for my car", "car.model"),
        ("birthday from age", 1.0, "when is my brother's birthday", "family.1.age"),
        ("thing not in fact", 1.0, "when does my car insurance end", "passport.expires"),
        ("specific missing", 1.0, "how tall am I", "rent_euro"),
        ("noun told", 1.0, "which hotel did we stay in on Rab", "trips.0.hotel"),
        ("noun near", 1.0, "which vehicle do I drive", "car.model"),
        ("noun asked", 1.0, "what colour is my car", "car.plate"),
        ("surname of one word", 1.0, "what is my surname", "husband.name"),
        ("surname of one word", 0.0, "what is my surname", "name"),
        ("asks person", 1.0, "who is my vet", "pets.dog.vet"),
        ("asks date", 1.0, "when is choir", "choir"),
        ("asks thing", 1.0, "what did I give at Easter", "gift"),
        # times
        ("year other", 1.0, "which hotel did we stay in on Rab in 2021", "trips.0.hotel"),
        ("year other", 0.0, "which hotel did we stay in on Rab in 2022", "trips.0.hotel"),
        ("moment other", 1.0, "which hotel did we take last summer", "trips.0.hotel"),
        ("holiday other", 1.0, "what did I give at Easter", "gift"),
        ("holiday other", 0.0, "what did I give at Christmas", "gift"),
        ("past", 1.0, "what did I give at Easter", "gift"),
        ("former", 1.0, "what is my phone number", "phone_old"),
        ("former", 0.0, "what was my old phone number", "phone_old"),
        ("dated", 1.0, "when is choir", "choir"),
    ],
)
def test_a_feature_describes_its_pair(feature: str, value: float, text: str, path: str) -> None:
    """Each named feature has its value on the pair that it was made for."""
    (row,) = described(text, path)
    assert row[feature] == pytest.approx(value)


def test_the_ranking_is_a_feature() -> None:
    """How relevant a fact is, how far behind the best, its rank, and how far the best leads."""
    first, second = described("what is my phone number", "phone", "phone_old")
    assert [first[n] for n in ("relevance", "behind", "rank", "ahead")] == pytest.approx([0.8, 0.0, 0.0, 0.2])
    assert [second[n] for n in ("relevance", "behind", "rank")] == pytest.approx([0.6, 0.2, 0.5])
    assert "ahead" not in second
    assert "cosine" not in first


def test_meaning_is_a_feature_when_there_is_an_embedder() -> None:
    """Cosines of the fact and of what it tells, and how far they are behind the best."""
    evidence = [Evidence(row_of("phone"), 0.8, 0.5, 0.7), Evidence(row_of("phone_old"), 0.6, 0.6, 0.4)]
    first, second = described("what is my phone number", evidence=evidence)
    names = ("cosine", "cosine behind", "asked like attribute", "asked behind attribute")
    assert [first[n] for n in names] == pytest.approx([0.5, 0.1, 0.7, 0.0])
    assert [second[n] for n in names] == pytest.approx([0.6, 0.0, 0.4, 0.3])


@pytest.mark.parametrize(
    ("text", "path", "contradictions"),
    [
        ("What is my dog's name?", "pets.dog.name", 0),
        ("what is my phone number", "family.0.phone", 1),  # about another
        ("what is my email", "address", 1),  # the kind of answer
        ("what is my cat's name", "pets.dog.name", 4),  # possessor, living other, living and thing not in fact
        ("when is Gandalf's birthday", "husband.birthday", 4),  # unknown name, elsewhere, possessor, about another
    ],
)
def test_contradictions_are_counted(text: str, path: str, contradictions: int) -> None:
    """What a fact contradicts of a question adds up."""
    (row,) = described(text, path)
    assert (row["contradictions"], row["contradicted"]) == (contradictions, float(contradictions > 0))


@pytest.mark.parametrize(
    ("year", "said", "fits"),
    [
        ("2012", "Maribor from 2009 to 2018", True),
        ("2019", "Maribor from 2009 to 2018", False),
        ("2020", "Ljubljana since 2018", True),
        ("2017", "Ljubljana since 2018", False),
    ],
)
def test_a_year_lies_in_a_span(year: str, said: str, fits: bool) -> None:  # noqa: FBT001 -- a table
    """A span of years covers those between, an open one all that follow."""
    told = facts(user={"lived": said.replace("from ", "")})
    question = read_question(f"where did I live in {year}")
    (row,) = pair_features(question, told, [Evidence(0, 0.5, None)], Vocabulary.of(told))
    assert row["year other"] == float(not fits)


def test_the_vocabulary_knows_what_facts_speak_of() -> None:
    """How often a stem stands, which words are names, what facts are about, and who has a name."""
    assert len(FACTS) == KNOWN.size
    assert KNOWN.frequency["tilen"] == 3
    assert {"tilen", "figa", "zdenka", "arbiana", "golob"} <= KNOWN.names
    assert "husband" in KNOWN.topics
    assert {"tilen", "zdenka", "bojan", "figa", "mara", "vesel"} <= KNOWN.people
    assert not {"golob", "arbiana", "dog", "the"} & KNOWN.people
    assert Vocabulary.of([]).size == 0


def test_vocabularies_are_joined() -> None:
    """The words of memories count beside those of the state."""
    joined = KNOWN.joined(Vocabulary.of(facts(user={"boat": {"name": "Burja"}, "dog": {"sister": "Tilen"}})))
    assert joined.size == KNOWN.size + 2
    assert joined.frequency["tilen"] == 4
    assert {"burja", "figa"} <= joined.people
    assert {"boat", "husband"} <= joined.topics
