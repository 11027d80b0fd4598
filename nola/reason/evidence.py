"""Describes a question beside a fact by features that a person can read: words, names, kinds, times, contradictions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.context.phrases import near_words
from nola.reason.lexicon import lexicon
from nola.reason.question import Expects, value_kinds
from nola.text import STOP_WORDS, fold, humanise, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nola.context.facts import Fact
    from nola.reason.question import Question

__all__ = ["Evidence", "Vocabulary", "pair_features"]

_PEOPLE_KEYS = frozenset({"name", "full name", "nickname", "goes by", "first name", "called"})
_LONGEST_NAME = 3
_NOT_NAMES = frozenset(
    "the and for red green blue black white big old new home house club band school team game choir".split()
)
_PROPER = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+")
_CONTRADICTIONS = (
    "year other", "day other", "holiday other", "surname of one word", "possessor not in fact", "name nowhere",
    "name elsewhere", "living not in fact", "living other", "relative other", "about another", "thing not in fact",
    "kind price", "kind other", "birthday from age",
)  # fmt: skip
# Stems, written out: stemming them here would load the stemmer at every start.
_NAMING = frozenset("name full model make titl first call nicknam brand who what type kind".split())
_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = re.compile(r"\b(weekday|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b")
_LASTING = re.compile(r"\bhow (?:long|fast|often)\b")
_SPAN = re.compile(r"((?:19|20)\d\d)\S* (?:to|-|–) ((?:19|20)\d\d)")
_PLAIN_KINDS = {
    Expects.PHONE: {"phone", "number"}, Expects.EMAIL: {"email"}, Expects.AGE: {"date", "number"},
    Expects.DATE: {"date", "time"}, Expects.TIME: {"date", "time"}, Expects.COLOUR: {"colour"},
}  # fmt: skip
_SINCE = re.compile(r"since ((?:19|20)\d\d)")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of everything Nola knows, made once per state revision.

    Attributes:
        size: Number of facts.
        frequency: For each stem, in how many facts it stands.
        names: Folded capitalised words of topics and values.
        topics: Stems of the words that say what facts are about.
        people: Folded words of the facts that are names of people, animals or things.
        groups: Stems of the steps above the facts, such as `pets`: asking for a group asks for its members.
    """

    size: int
    frequency: Mapping[str, int]
    names: frozenset[str]
    topics: frozenset[str]
    people: frozenset[str]
    groups: frozenset[str] = frozenset()

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> Vocabulary:
        """Collect the words of some facts."""
        frequency: dict[str, int] = {}
        names: set[str] = set()
        topics: set[str] = set()
        people: set[str] = set()
        groups: set[str] = set()
        for fact in facts:
            for root in {stem(w) for w in words(f"{fact.topic} {fact.value}")}:
                frequency[root] = frequency.get(root, 0) + 1
            topics.update(stem(w) for w in words(fact.topic) if w not in STOP_WORDS)
            groups.update(stem(w) for step in fact.path.split(".")[1:-1] for w in words(humanise(step)))
            for match in _PROPER.finditer(f"{fact.topic} . {fact.value}"):
                names.add(fold(match.group()).removesuffix("'s"))
            if fold(fact.attribute) in _PEOPLE_KEYS and len(fact.value.split()) <= _LONGEST_NAME:
                people.update(w for w in words(fact.value) if len(w) > 2)  # noqa: PLR2004 -- not initials
        common = STOP_WORDS | _NOT_NAMES
        return cls(
            len(facts),
            frequency,
            frozenset(names - STOP_WORDS),
            frozenset(topics),
            frozenset(people - common),
            frozenset(groups),
        )

    def joined(self, other: Vocabulary) -> Vocabulary:
        """Return the words of both."""
        frequency = dict(self.frequency)
        for root, count in other.frequency.items():
            frequency[root] = frequency.get(root, 0) + count
        return Vocabulary(
            self.size + other.size,
            frequency,
            self.names | other.names,
            self.topics | other.topics,
            self.people | other.people,
            self.groups | other.groups,
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """How search ranked one fact for the question.

    Attributes:
        row: Position among all facts.
        relevance: Fused relevance in [0, 1].
        cosine: Best cosine of the fact's vectors, or None without an embedder.
        attribute: Cosine of what is asked with what the fact tells of its holder, or None.
    """

    row: int
    relevance: float
    cosine: float | None
    attribute: float | None = None


def pair_features(
    question: Question, facts: Sequence[Fact], evidence: Sequence[Evidence], known: Vocabulary
) -> list[dict[str, float]]:
    """Describe each (question, fact) pair; every feature is 0 when it does not apply."""
    roots = {stem(w) for w in question.content}
    rarity = {r: math.log(1 + known.size / (1 + known.frequency.get(r, 0))) for r in roots}
    best = evidence[0].relevance
    best_cosine = max((e.cosine or 0.0) for e in evidence)
    best_attribute = max((e.attribute or 0.0) for e in evidence)
    rows = []
    for rank, found in enumerate(evidence):
        fact = facts[found.row]
        row = _word_features(question, rarity, fact)
        row.update(_residue_features(question, rarity, fact))
        row.update(_name_features(question, fact, known))
        row.update(_kind_features(question, fact))
        row.update(_time_features(question, fact))
        row["relevance"] = found.relevance
        row["behind"] = best - found.relevance
        row["rank"] = rank / len(evidence)
        if rank == 0 and len(evidence) > 1:
            row["ahead"] = found.relevance - evidence[1].relevance
        if found.cosine is not None:
            row["cosine"] = found.cosine
            row["cosine behind"] = best_cosine - found.cosine
        if found.attribute is not None:
            row["asked like attribute"] = found.attribute
            row["asked behind attribute"] = best_attribute - found.attribute
        hard = sum(row.get(name, 0.0) > 0 for name in _CONTRADICTIONS)
        row["contradictions"] = float(hard)
        row["contradicted"] = float(hard > 0)
        row["words"] = len(question.content) / 10
        row["facts known"] = math.log1p(known.size)
        rows.append(row)
    return rows


def _word_features(question: Question, rarity: Mapping[str, float], fact: Fact) -> dict[str, float]:
    topic = {stem(w) for w in words(fact.topic)}
    value = {stem(w) for w in words(fact.value)}
    both = topic | value
    total = sum(rarity.values()) or 1.0
    close = {r for r in rarity if r not in both and any(n in both for n in near_words(r))}
    meant = bool(question.meant & both)
    open_ = [r for r in rarity if r not in both and r not in close]
    return {
        "in topic": sum(rarity[r] for r in rarity if r in topic) / total,
        "in value": sum(rarity[r] for r in rarity if r in value) / total,
        "by synonym": sum(rarity[r] for r in close) / total,
        "unmatched": sum(rarity[r] for r in open_) / total,
        "unmatched words": float(len(open_)),
        "meant": float(meant),
        "meant not told": float(bool(question.meant) and not meant),
    }


def _residue_features(question: Question, rarity: Mapping[str, float], fact: Fact) -> dict[str, float]:
    """Look at what the question asks beyond the one it asks about: the attribute must be told, not only its holder."""
    table = lexicon()
    holder = {stem(w) for w in words(fact.holder)} | {stem(n) for n in question.names}
    groups = table.entities(fact.holder)
    asked = [r for r in rarity if r not in holder and not any(n in holder for n in near_words(r))]
    asked = [r for r in asked if not (table.entities(r) and table.compatible(table.entities(r), groups))]
    told = {stem(w) for w in words(fact.attribute)} | {stem(w) for w in words(fact.value)}
    total = sum(rarity[r] for r in asked) or 1.0
    hit = sum(rarity[r] for r in asked if r in told) / total
    near = sum(rarity[r] for r in asked if r not in told and any(n in told for n in near_words(r))) / total
    naming = {stem(w) for w in words(fact.attribute)} <= _NAMING
    wants_name = question.expects in {Expects.PERSON, Expects.NAME} or bool({"name", "surname"} & question.attributes)
    return {
        "residue": float(len(asked)),
        "residue told": hit,
        "residue near": near,
        "residue open": float(bool(asked)) * (1 - hit - near),
        "only a name": float(naming and bool(asked) and not wants_name),
        "name wanted": float(naming and wants_name),
        "only holder": float(bool(asked) and hit + near == 0 and bool(fact.holder)),
    }


def _name_features(question: Question, fact: Fact, known: Vocabulary) -> dict[str, float]:
    text = fold(f"{fact.topic} {fact.value}")
    tokens = {stem(w) for w in words(text)}
    hits = sum(1 for n in question.names if stem(n) in tokens or n in text)
    table = lexicon()
    in_fact = table.entities(fact.topic) | table.entities(fact.value)
    missing = [
        p for p in question.possessors if stem(p) not in tokens and not table.compatible(table.entities(p), in_fact)
    ]
    return {
        "name in fact": float(hits),
        "name not in fact": float(len(question.names) - hits),
        "name nowhere": float(any(n not in known.names and stem(n) not in known.frequency for n in question.names)),
        "possessor not in fact": float(len(missing)),
        "name elsewhere": float(bool(question.names) and not hits),
        "about another": float(_about_another(question, fact, hits)),
        "living other": float(_living_other(question, fact)),
        "relative other": float(_other_relative(question, fact, hits)),
        "living not in fact": float(
            bool(question.living) and not hits and not table.compatible(question.living, in_fact)
        ),
    }


def _about_another(question: Question, fact: Fact, hits: int) -> bool:
    """The owner asks about herself and the fact is about somebody else."""
    if question.living or hits or question.expects in {Expects.PERSON, Expects.NAME}:
        return False
    return bool(lexicon().living(lexicon().entities(fact.holder)))


def _living_other(question: Question, fact: Fact) -> bool:
    """A husband is asked for and the fact is about a grandson, though it bears the same name."""
    table = lexicon()
    told = table.living(table.entities(fact.topic))
    return bool(question.living and told) and not table.compatible(question.living, told)


def _other_relative(question: Question, fact: Fact, hits: int) -> bool:
    """A sister is asked for and the fact's own words speak of a brother."""
    table = lexicon()
    told = table.living(table.entities(fact.value))
    return bool(question.living and told) and not hits and not table.compatible(question.living, told)


def _kind_features(question: Question, fact: Fact) -> dict[str, float]:
    table = lexicon()
    kinds = value_kinds(fact.value)
    topic, value = table.entities(fact.topic), table.entities(fact.value)
    asked, both = question.entities, topic | value
    attributes = table.attributes(fact.topic)
    tells = table.told_by(attributes)
    fits = table.compatible(asked, both)
    things = table.things(asked)
    told = table.told_by(attributes | table.attributes(fact.value))
    specific = table.specific(question.attributes)
    surname = "surname" in question.attributes or "last name" in question.text.lower()
    return {
        "kind": _kind_fit(question, kinds),
        "kind other": float(_kind_fit(question, kinds) < 0 and question.expects is not Expects.PLACE),
        "kind price": float(question.expects is Expects.MONEY and "money" not in kinds and "price" not in attributes),
        "entity same": float(fits),
        "entity other": float(bool(asked and topic) and not fits),
        "entity absent": float(bool(asked) and not both),
        "entity extra": float(bool(topic) and not asked and not question.names),
        "entity in value other": float(
            bool(asked and value - topic)
            and not table.compatible(asked, value - topic)
            and not table.compatible(asked, topic)
        ),
        "attribute same": float(bool(question.attributes & tells)),
        "attribute other": float(bool(question.attributes and attributes) and not question.attributes & tells),
        "attribute absent": float(bool(question.attributes) and not attributes),
        "birthday from age": float(
            "birthday" in question.attributes and "age" in attributes and "birthday" not in attributes
        ),
        "thing not in fact": float(bool(things) and not table.compatible(things, both)),
        "specific missing": float(bool(specific) and not specific & told and not _kind_proves(question.expects, kinds)),
        "noun told": float(bool(question.noun) and question.noun in _roots(f"{fact.topic} {fact.value}")),
        "noun near": float(
            bool(question.noun) and bool(set(near_words(question.noun)) & _roots(f"{fact.topic} {fact.value}"))
        ),
        "noun asked": float(bool(question.noun)),
        "surname of one word": float(surname and len(fact.value.split()) < 2),  # noqa: PLR2004 -- first and last name
        "asks person": float(question.expects in {Expects.PERSON, Expects.NAME}),
        "asks date": float(question.expects in {Expects.DATE, Expects.TIME, Expects.AGE}),
        "asks thing": float(question.expects is Expects.THING),
    }


def _roots(text: str) -> set[str]:
    return {stem(w) for w in words(text)}


def _kind_proves(expects: Expects, kinds: frozenset[str]) -> bool:
    """Some kinds of value can be nothing else: an address with an @, an amount of money, a telephone number."""
    proofs = {Expects.EMAIL: "email", Expects.MONEY: "money", Expects.PHONE: "phone", Expects.COLOUR: "colour"}
    return proofs.get(expects, "") in kinds


def _kind_fit(question: Question, kinds: frozenset[str]) -> float:
    expects = question.expects
    if expects in _PLAIN_KINDS:
        return 1.0 if kinds & _PLAIN_KINDS[expects] else -1.0
    if expects is Expects.MONEY:
        return 1.0 if "money" in kinds else 0.3 if "number" in kinds and "proper" not in kinds else -1.0
    if expects is Expects.NUMBER:
        lasting = kinds & {"date", "time"} and _LASTING.search(question.text.lower())
        return 1.0 if "number" in kinds or lasting else -0.5
    if expects in {Expects.PERSON, Expects.NAME}:
        return 1.0 if "proper" in kinds and not kinds & {"phone", "email", "date"} else -0.7
    if expects is Expects.PLACE:
        return _place_fit(kinds)
    return 0.5 if expects is Expects.YES_NO and "yes/no" in kinds else 0.0


def _place_fit(kinds: frozenset[str]) -> float:
    if kinds & {"phone", "email", "yes/no"} or (kinds <= {"date", "number"} and kinds):
        return -1.0
    return 0.7 if "proper" in kinds and not kinds & {"date", "money"} else 0.0


def _time_features(question: Question, fact: Fact) -> dict[str, float]:
    tokens = set(words(fact.text))
    other_year = bool(question.years) and not any(_covers(y, fact.text) for y in question.years)
    moment = set(words(question.moment)) - STOP_WORDS
    return {
        "year other": float(other_year),
        "moment other": float(bool(question.moment) and not moment & tokens),
        "day other": float(_other_day(question.text, fact.text)),
        "holiday other": float(bool(question.holidays) and not question.holidays & tokens),
        "past": float(question.past),
        "former": float(fact.former and not question.former),
        "dated": float(bool(value_kinds(fact.value) & {"date", "time"})),
    }


def _days(text: str) -> set[str]:
    """Name the days of the week in a text; `weekday` and `weekend` stand for theirs."""
    found: set[str] = set()
    for match in _DAY.finditer(text.lower()):
        day = match[1]
        found |= set(_WEEK[:5]) if day == "weekday" else set(_WEEK[5:]) if day == "weekend" else {day[:3]}
    return found


def _other_day(question: str, fact: str) -> bool:
    asked, told = _days(question), _days(fact)
    return bool(asked and told) and not asked & told


def _covers(year: str, text: str) -> bool:
    if year in text:
        return True
    if span := _SPAN.search(text):
        return int(span[1]) <= int(year) <= int(span[2])
    since = _SINCE.search(text)
    return bool(since and int(since[1]) <= int(year))
