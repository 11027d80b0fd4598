"""Read proper names: of people and animals, places, employers, addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nola.memory.learn_values import COMMA, DEICTIC, FUTURE, MARKS, PREPOSITION, brief, several, trim
from nola.memory.learn_words import ADJECTIVES, COUNTRIES, FUNCTION_WORDS, MONTHS, NOT_PLACES, WORKPLACES
from nola.text import fold

if TYPE_CHECKING:
    from nola.types import Json

__all__ = ["address", "country", "name", "names", "organisation", "person", "place", "where"]

_PARTICLES = frozenset("de da do dos das del della di van von der den la le el bin ibn al du of the y e und st".split())
_STREET = re.compile(
    r"\b(?:street|st|road|rd|avenue|ave|lane|drive|square|close|court|place|way|boulevard|rua|calle|avenida|plaza"
    r"|rue|straße|strasse|platz|weg|travessa|largo|via)\b|\w+(?:straße|strasse|weg|gasse|platz)\b",
    re.IGNORECASE,
)


def name(words: str, *, casual: bool) -> str | None:
    """Read a name of a person, an animal or a thing; in a message without capitals only a word that is no state."""
    words = PREPOSITION.sub("", COMMA.sub("", trim(words)))
    tokens = words.split()
    run = _capitals(tokens)
    if run:
        tokens = tokens[:run] if run < len(tokens) and fold(tokens[run]) in FUNCTION_WORDS | {"and"} else tokens
    if not brief(" ".join(tokens), 5) or not all(re.fullmatch(r"[^\W\d][\w.'\u00b7-]*", t) for t in tokens):
        return None
    plain = [fold(t).strip(".'") for t in tokens]
    if plain[0] in FUNCTION_WORDS and not (
        tokens[0][0].isupper() and len(tokens) == 1 and plain[0] in {"will", "may", "das", "do"}
    ):
        return None
    if not run and (not casual and len(tokens) > 1):
        return None
    if not run and any(p in FUNCTION_WORDS or p in ADJECTIVES for p in plain):
        return None
    state = plain[0] in ADJECTIVES and (casual or run < len(tokens))
    possessive = any(token.endswith("'s") for token in tokens)
    return None if state or possessive else " ".join(tokens).strip(MARKS)


def _capitals(tokens: list[str]) -> int:
    """Count the leading tokens that are capitalised, particles between them included."""
    count = 0
    for position, token in enumerate(tokens):
        if token[:1].isupper():
            count = position + 1
        elif token.lower() not in _PARTICLES:
            break
    return count


def person(words: str, *, casual: bool) -> str | None:
    """Read a person told by a bare `is`: a capital or a title is what tells a name from a state."""
    title = re.match(r"(?:dr|dra|mr|mrs|ms|prof|sr|sra|don|doña|frau|herr|mme|m)\b\.?\s", words, re.IGNORECASE)
    value = name(words, casual=casual)
    return value if value and (title or value[0].isupper()) and fold(value) not in ADJECTIVES else None


def place(words: str) -> str | None:
    """Read a town or a country by name, never `the sofa`, `fear` or `Linux`."""
    if FUTURE.search(words):
        return None
    words = trim(re.sub(r"^(?:the )?(?:city|town|village) of ", "", words))
    words = re.sub(r"\s+(?:on|at|with|near|for|by|as|around|from|alone|in|after|every)\s.*", "", words)
    tokens = words.replace(",", " ,").split()
    plain = [fold(t) for t in tokens]
    if not brief(words, 7) or plain[0] in NOT_PLACES or any(t in {"i", "you"} for t in plain):
        return None
    if tokens[0][0].isupper() or fold(words) in COUNTRIES or words in {"the Hague", "the Bronx"}:
        head = _capitals(COMMA.sub("", words).split())
        return " ".join(COMMA.sub("", words).split()[: head or None]).strip(MARKS) or None
    if (
        not brief(words, 3)
        or plain[0] in FUNCTION_WORDS - {"el", "la", "los", "las", "le", "sao"}
        or plain[0] in ADJECTIVES - {"new", "white", "black"}
    ):
        return None
    if len(tokens) > 1 and plain[1] in FUNCTION_WORDS - _PARTICLES:
        return None
    return None if plain[-1] in NOT_PLACES or not words[0].isalpha() else COMMA.sub("", words)


def country(words: str) -> str | None:
    """Read the country after a city: `Porto, Portugal`."""
    parts = trim(words).split(",")
    last = parts[-1].strip(MARKS)
    return last if len(parts) > 1 and fold(last) in COUNTRIES else None


def organisation(words: str, *, casual: bool) -> str | None:
    """Read an employer or a school: a proper name, or `a bank`; never `home` or `night`."""
    if FUTURE.search(words):
        return None
    words = COMMA.sub("", trim(words))
    words = re.sub(r"\s+(?:as|on|from|every|during|in|until|with)\s.*", "", words, flags=re.IGNORECASE)
    first = fold(words.split(" ")[0]) if words else ""
    if not brief(words, 7) or DEICTIC.search(words):
        return None
    blocked = (
        r"(?:home|night|nights|weekends?|the (?:weekend|moment|office|minute|same|time|top|bottom|end|beginning)"
        r"|least|times|work|fun|free|money|peanuts|hours|days|years|ages|living|noon|midday|midnight|full|all|peace|\d)"
    )
    if re.match(blocked + r"\b", words, re.IGNORECASE) or first in MONTHS or first.endswith("day"):
        return None
    article = re.match(r"(?:the|una?|ein\w*|une?|uma?|an?)\s+(?P<noun>.+)", words, re.IGNORECASE)
    if article:
        return (
            words if article["noun"][0].isupper() or fold(words.split()[-1]).removesuffix("s") in WORKPLACES else None
        )
    if words[0].isupper():
        return words
    return words if casual and brief(words, 3) and first not in FUNCTION_WORDS | ADJECTIVES else None


def names(words: str, *, casual: bool) -> list[Json] | None:
    """Read an enumeration of names."""
    found = [name(item, casual=casual) for item in several(trim(words))]
    return [one for one in found if one] if len(found) > 1 and all(found) else None


def address(words: str) -> str | None:
    """Read an address: it names a street or holds a number."""
    value = trim(re.sub(r"^(?:in|at|on|on the)\s+", "", words))
    return (
        value
        if value and (_STREET.search(value) or any(c.isdigit() for c in value)) and not DEICTIC.search(value)
        else None
    )


def where(words: str) -> str | None:
    """Read where something stands: an address or a place by name."""
    return address(words) or place(re.sub(r"^(?:in|at|on)\s+", "", words))
