"""What a statement is about: whom, and which attributes of a person or a thing it touches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from nola.memory.learn_words import CAR_MAKES, JOBS, PETS, PLURALS, RELATIONS
from nola.memory.tokens import tokens
from nola.text import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Statement", "read_statement"]

_LONGEST = 600
"""Characters that are looked at."""
_NUMBER = re.compile(r"\d[\d.,:]*")
_NOW = re.compile(
    r"\b(?:now|new|nowadays|these days|since|instead|any ?more|longer|gone|finally|until|again|over|done|just|tonight"
    r"|this (?:week|month|morning|year)|last (?:week|month|night)|yesterday|today|recently|(?:up|down) to|is off"
    r"|switched|changed|moved|swapped|replaced|gave|sold|became|update|turned|went|came|got|picked|started|stopped|quit"
    r"|took|promoted|dropped|rose|bought)\b",
    re.IGNORECASE,
)

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
bank: bank
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
age: age birthday
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
    "age": re.compile(r"\bhow old\b|\b(?:years?|months?) old\b"),
    "number": re.compile(r"\bhow (?:many|much)\b"),
}

_CHANGE = """adopted again another anymore became become bought cancel cancelled change changed converted delayed down
drop dropped elected expanded finished former gave got grown hired increased instead joined left longer lowered merged
moved new now nowadays postponed promoted pushed quit raised reduced relocated rename replaced rescheduled retired
rewrote shrank since slipped sold start started stop stopped swapped switch switched these today took transferred
turned upgraded updated yesterday"""
_NO_NAMES = frozenset(
    """actually after although april august because currently december dr during february for friday hey hi january
    july june last march may maybe monday mr mrs next november october oh please recently saturday september since
    sunday sure thanks thursday tomorrow tonight tuesday until wednesday well when while with yes yesterday""".split()
)
_OWN = frozenset("i i'm i've i'd i'll me mine myself we we're we've us im ive".split())
_ADJECTIVES = "(?:(?:new|old|little|big|best|older|younger|dear|poor)\\s+)?"
_NOUN = r"(?P<noun>\w[\w-]+)(?P<owns>['’](?:s\b)?)?"
_POSSESSED = re.compile(rf"\b(?P<article>)(?:[Mm]y|[Oo]ur)\s+{_ADJECTIVES}{_NOUN}")
_SUBJECT = re.compile(
    r"\b(?P<first>[Ii]|[Ww]e)\b"
    rf"|\b(?:(?P<article>[Tt]he)|[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir)\s+{_ADJECTIVES}{_NOUN}"
    r"|\b(?P<name>[A-Z][a-z]+)(?P<has>['’]s\b)?"
)
_PEOPLE = frozenset(
    """friend boss colleague coworker co-worker neighbour neighbor roommate flatmate housemate trainer coach teacher
    landlord landlady accountant manager director secretary doctor dentist lawyer student pupil customer client guest
    assistant intern trainee team crew family in-law parent grandparent people guy girl boy man woman lady kid child
    baby bride groom ex""".split()
)
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b([A-Z][a-z]+)\b")
_FIRST_NAME = re.compile(r"^\W*([A-Z][a-z]+)(?:['’]s| (?:is|was|has|had|and|will|left|got|[a-z]+s|[a-z]+ed)\b)")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text, or a question, is about.

    Attributes:
        own: It speaks of the one who says it.
        relations: Relatives and pets that it names, for example `sister`.
        names: What may be names, folded.
        numbers: Numbers, dates and times, as they are written.
        said: All its words, folded.
        words: Stems of all words but the commonest.
        attribute_words: Those of them by which the attributes are known.
        attributes: What it touches, for example `residence`.
        changes: It says that something is new or over, by its verbs.
        now: It speaks of the present or of something that has just come about.
        subject: The stem of whom or what it speaks of first; `i` for the speaker, empty when that is not clear.
        is_other: That is somebody else: a name, a relative, a colleague, the owner of something.
        is_who: It asks who somebody is.
    """

    own: bool
    relations: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    said: frozenset[str]
    words: frozenset[str]
    attribute_words: frozenset[str]
    attributes: frozenset[str]
    changes: bool
    now: bool
    subject: str
    is_other: bool
    is_who: bool


@lru_cache(maxsize=8192)
def read_statement(text: str) -> Statement:
    """Read the beginning of a text."""
    text = text[:_LONGEST]
    found = tokens(text)
    stems = {word: stem(word) for word in found}
    lexicon = _lexicon()
    table = lexicon.attributes
    folded = " ".join(found)
    attributes = {name for word in stems.values() if word in table for name in table[word]}
    attributes |= {name for name, phrase in _PHRASES.items() if phrase.search(folded)}
    subject, is_other = _subject(text, found)
    words = frozenset(stems[word] for word in stems if word not in STOP_WORDS)
    return Statement(
        own=not _OWN.isdisjoint(stems) or any(not _is_person(found) for found in _POSSESSED.finditer(text)),
        relations=frozenset(relation for word in stems if (relation := _relation(word))),
        names=_names(text),
        numbers=frozenset(_NUMBER.findall(text)),
        said=frozenset(stems),
        words=words,
        attribute_words=words & table.keys(),
        attributes=frozenset(attributes),
        changes=not lexicon.change.isdisjoint(stems.values()),
        now=_NOW.search(text) is not None,
        subject=subject,
        is_other=is_other,
        is_who=found[:1] in (["who"], ["whose"]),
    )


@lru_cache(maxsize=16_384)
def _relation(word: str) -> str:
    for form in (word.removesuffix("s"), word):
        if found := RELATIONS.get(form) or PETS.get(form) or PLURALS.get(form):
            return found
    return ""


def _subject(text: str, said: Sequence[str]) -> tuple[str, bool]:
    """Return whom or what a statement speaks of first, and whether that is somebody else than the speaker."""
    for found in _SUBJECT.finditer(text):
        if found["first"]:
            return "i", False
        word = (found["noun"] or found["name"]).lower()
        if found["name"] and (word in STOP_WORDS or word in _NO_NAMES):
            continue
        is_name = bool(found["has"]) or (bool(found["name"]) and found.start() > 0)
        return stem(word), is_name or (bool(found["noun"]) and _is_person(found))
    first = next((word for word in said if word not in STOP_WORDS and word not in _NO_NAMES), "")
    return stem(first), False


def _is_person(found: re.Match[str]) -> bool:
    """Tell whether what was found is a relative, a colleague, or whoever owns something."""
    word = found["noun"].lower()
    is_known = bool(_relation(word)) or not _PEOPLE.isdisjoint({word, word[:-1]})
    return bool(found["owns"]) or (is_known and not found["article"])


def _names(text: str) -> frozenset[str]:
    """Return what may be names."""
    found = {name.lower() for name in _NAME.findall(text)}
    if first := _FIRST_NAME.match(text):
        found.add(first[1].lower())
    return frozenset(found) - STOP_WORDS - _NO_NAMES


@dataclass(frozen=True, slots=True)
class _Lexicon:
    attributes: dict[str, frozenset[str]]
    change: frozenset[str]


@lru_cache(maxsize=1)
def _lexicon() -> _Lexicon:
    """Stem the tables, once and not before they are needed."""
    found: dict[str, set[str]] = {}
    lines = [tuple(line.split(": ")) for line in _ATTRIBUTES]
    for name, words in (*lines, ("vehicle", " ".join(CAR_MAKES)), ("work", " ".join(JOBS))):
        for word in words.split():
            found.setdefault(stem(word), set()).add(name)
    change = frozenset(stem(word) for word in _CHANGE.split())
    return _Lexicon({word: frozenset(names) for word, names in found.items()}, change)
