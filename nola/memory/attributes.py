"""What a statement is about: whom, and which attributes of a person or a thing it touches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from nola.memory.learn_words import CAR_MAKES, JOBS, PETS, PLURALS, RELATIONS
from nola.memory.tokens import tokens
from nola.text import STOP_WORDS, stem

__all__ = ["Statement", "read_statement", "sentences"]

_LONGEST = 600
"""Characters that are looked at."""
_MOST_SENTENCES = 6
_BREAK = re.compile(r"(?<=[.!?])\s+(?=\S)")

_ATTRIBUTES = """
residence: live reside base relocate home apartment flat house address settle neighbourhood
work: work job employer employ hire join promote promotion position role title career profession occupation quit resign
work: retire freelance unemployed engineer developer company
manager: manager boss supervisor report
partner: single engage marry married divorce date boyfriend girlfriend husband wife partner fiance spouse separate
partner: wedding
children: child children kid son daughter baby
vehicle: car drive vehicle sedan truck motorbike motorcycle scooter van
phone: phone iphone android pixel galaxy smartphone mobile
computer: laptop computer macbook thinkpad pc desktop notebook
diet: vegetarian vegan pescatarian meat keto diet gluten eat
drink: coffee tea drink espresso juice latte
rising: wake alarm bedtime
commute: commute bus bike bicycle cycle tram metro subway
sport: gym workout yoga pilates crossfit fitness
bank: bank account
doctor: doctor physician gp dr
dentist: dentist
therapist: therapist counsellor psychologist
hair: hair haircut hairdresser barber stylist
study: study major degree course university college
school: school kindergarten
language: language learn speak
income: earn salary pay raise income wage
rent: rent
weight: weigh weight kilo kilos kg pound scale
age: old age year birthday
email: email mail inbox
password: password passcode pin
insurance: insurance insure insurer
subscription: subscribe subscription plan stream
medicine: medication medicine pill mg dose tablet prescribe insulin
hours: hour fulltime parttime shift
holiday: holiday vacation trip travel
instrument: instrument guitar piano violin cello drums flute
opening: open close
leader: captain leader head president ceo chair elect
allergy: allergic allergy
size: size
money: budget cost price spend worth
""".strip().splitlines()

_PHRASES = {
    "residence": re.compile(r"\bmov(?:e|ed|es|ing) (?:to|into|out|in|away|back|here|house|from)\b"),
    "commute": re.compile(r"\b(?:get|go|travel|ride|walk|drive)(?:s|ing)? to (?:work|the office|school)\b"),
    "rising": re.compile(r"\b(?:get|wake|got|woke)s? up\b"),
    "number": re.compile(r"\bhow (?:many|much)\b"),
}

_CHANGE = """adopted again another anymore became become bought cancel cancelled change changed converted delayed down
drop dropped elected expanded finished former gave got grown hired increased instead joined left longer lowered merged
moved new now nowadays postponed promoted pushed quit raised reduced relocated rename replaced rescheduled retired
rewrote shrank since slipped sold start started stop stopped swapped switch switched these today took transferred
turned upgraded updated yesterday"""
_GENERIC = """thing way time day week month year lot bit kind name call called good great really people person start
started make made take took come came put new old think want say tell feel current currently today number best better
right many much"""
_NO_NAMES = frozenset(
    """please yesterday tomorrow tonight last next yes well maybe actually oh hey hi thanks sure currently recently dr
    mr mrs monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december""".split()
)
_OWN = frozenset("i i'm i've i'd i'll me mine myself we we're we've us im ive".split())
_POSSESSIVE = frozenset({"my", "our"})
_NAME = re.compile(r"(?<!^)(?<![.!?] )(?P<where>\b(?:in|at|to|on|of|from|near) )?\b(?P<name>[A-Z][a-z]+)\b")
_FIRST_NAME = re.compile(r"^\W*([A-Z][a-z]+)(?:['’]s| (?:is|was|has|had|and|will|left|got|[a-z]+s|[a-z]+ed)\b)")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text, or a question, is about.

    Attributes:
        own: It speaks of the one who says it.
        relations: Relatives and pets that it names, for example `sister`.
        names: What may be names, folded.
        places: Those of them that stand as a place does: `in Rome`.
        words: Stems that carry meaning.
        attribute_words: Those of them by which the attributes are known.
        attributes: What it touches, for example `residence`.
        changes: It says that something is new or over.
        who: It asks who somebody is, so that relatives and names are answers.
    """

    own: bool
    relations: frozenset[str]
    names: frozenset[str]
    places: frozenset[str]
    words: frozenset[str]
    attribute_words: frozenset[str]
    attributes: frozenset[str]
    changes: bool
    who: bool


@lru_cache(maxsize=8192)
def read_statement(text: str) -> Statement:
    """Read the beginning of a text."""
    text = text[:_LONGEST]
    found = tokens(text)
    stems = {stem(word) for word in found}
    relations = frozenset(relation for word in found if (relation := _relation(word)))
    names, places = _names(text)
    kept = {stem(word) for word in found if word not in STOP_WORDS and word not in names and not _relation(word)}
    lexicon = _lexicon()
    table = lexicon.attributes
    folded = " ".join(found)
    attributes = {name for word in stems if word in table for name in table[word]}
    attributes |= {name for name, phrase in _PHRASES.items() if phrase.search(folded)}
    own = any(
        word in _OWN or (word in _POSSESSIVE and not _relation(after))
        for word, after in zip(found, [*found[1:], ""], strict=False)
    )
    meaning = frozenset(word for word in kept - lexicon.generic if not word[0].isdigit())
    return Statement(
        own=own,
        relations=relations,
        names=names,
        places=places,
        words=meaning,
        attribute_words=frozenset(meaning & table.keys()),
        attributes=frozenset(attributes),
        changes=not stems.isdisjoint(lexicon.change),
        who=found[:1] == ["who"],
    )


@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[Statement, ...]:
    """Read each of the first sentences of a text, without its questions."""
    parts = _BREAK.split(text[:_LONGEST])
    return tuple(read_statement(part) for part in parts[:_MOST_SENTENCES] if not part.rstrip().endswith("?"))


@lru_cache(maxsize=16_384)
def _relation(word: str) -> str:
    for form in (word.removesuffix("s"), word):
        if found := RELATIONS.get(form) or PETS.get(form) or PLURALS.get(form):
            return found
    return ""


def _names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what may be names, and those among them that stand as a place does."""
    found = [(match["name"].lower(), bool(match["where"])) for match in _NAME.finditer(text)]
    if first := _FIRST_NAME.match(text):
        found.append((first[1].lower(), False))
    names = frozenset(name for name, _ in found) - STOP_WORDS - _NO_NAMES
    return names, names - {name for name, where in found if not where}


@dataclass(frozen=True, slots=True)
class _Lexicon:
    attributes: dict[str, frozenset[str]]
    change: frozenset[str]
    generic: frozenset[str]


@lru_cache(maxsize=1)
def _lexicon() -> _Lexicon:
    """Stem the tables, once and not before they are needed."""
    found: dict[str, set[str]] = {}
    lines = [tuple(line.split(": ")) for line in _ATTRIBUTES]
    for name, words in (*lines, ("vehicle", " ".join(CAR_MAKES)), ("work", " ".join(JOBS))):
        for word in words.split():
            found.setdefault(stem(word), set()).add(name)
    change = frozenset(stem(word) for word in _CHANGE.split())
    generic = change | {stem(word) for word in _GENERIC.split()}
    return _Lexicon({word: frozenset(names) for word, names in found.items()}, change, generic)
