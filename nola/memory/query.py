"""What a question asks: its words, the people and dates it names, and the form in which it is embedded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.memory.query_dates import dates_in
from nola.memory.query_people import first_person, people_in
from nola.memory.tokens import tokens
from nola.text import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from nola.memory.query_dates import DateRange

__all__ = ["Query", "parse"]

_LONGEST = 4_000
"""Characters that are looked at."""
_MOST_TERMS = 64
_GENERIC = frozenset(
    stem(word)
    for word in """kind type sort time times day days do say says said like name called number current currently these
    nowadays present right moment happen happened thing way ways make made take took new""".split()
)
_BLANKS = re.compile(r"\s+")
_WHEN = re.compile(
    r"^\W*(?:(?:since |until |do you (?:know|remember) |tell me )?when\b|how long\b"
    r"|(?:(?:in|on|during|since|at|around) )?(?:what|which) (?:year|month|day|date|week|weekday|season|time)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Query:
    """A question, taken apart.

    Attributes:
        text: The part of the question that was looked at.
        terms: Stems with their weights, in the question's order; stop words only when there is nothing else.
        people: Speakers that the question names, as they are written in the store.
        dates: Stretches of time that it names.
        embed_text: What is embedded: the question in the first person, as the person asked about would say it.
        wants_time: It asks when something was, or for how long.
    """

    text: str
    terms: Mapping[str, float]
    people: tuple[str, ...]
    dates: tuple[DateRange, ...]
    embed_text: str
    wants_time: bool = False


def parse(text: str, *, speakers: Collection[str], now: datetime, generic_weight: float, owner: str = "") -> Query:
    """Take a question apart; any text gives a query.

    Args:
        text: The question.
        speakers: Everybody who said something that may be found.
        now: What `yesterday` is measured from.
        generic_weight: What words such as `kind` and `time` weigh beside others, and the names of speakers, who
            are recognised for what they said.
        owner: Who `I` is, when that is known.
    """
    text = _BLANKS.sub(" ", text[:_LONGEST].replace("\0", " ")).strip()
    people, names = people_in(text, speakers, owner)
    words = tokens(text)
    content = [word for word in words if word not in STOP_WORDS] or words
    terms: dict[str, float] = {}
    for word in content[:_MOST_TERMS]:
        root = stem(word)
        terms[root] = generic_weight if root in _GENERIC or word in names else 1.0
    return Query(text, terms, people, dates_in(text, now), first_person(text, names), bool(_WHEN.search(text)))
