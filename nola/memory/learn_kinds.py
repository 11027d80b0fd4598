"""Read the words of a statement as the kind of value that its place holds, or reject them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from nola.memory.learn_names import address, country, name, names, organisation, person, place, where
from nola.memory.learn_values import COMMA, DEICTIC, FUTURE, MAX_VALUE, PREPOSITION, brief, several, trim
from nola.memory.learn_words import (
    ADJECTIVES,
    CAR_MAKES,
    CONDITIONS,
    DEMONYMS,
    DIETS,
    FUNCTION_WORDS,
    JOBS,
    MONTHS,
    NOT_JOBS,
    NUMBERS,
)
from nola.text import fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.types import Json

__all__ = ["value_of"]

_ASIDE = re.compile(
    r"\s*,?\s*\b(?:especially|mostly|mainly|such as|including|like|e\.g\.|for example|in particular)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_DEGREE = re.compile(
    r"\s+(?:a lot|very much|so much|the most|too much|a bit|really|more than anything|most of all|above all|best"
    r"|mucho|sehr|beaucoup|muito|most)$",
    re.IGNORECASE,
)
_NOT_LIKED = re.compile(
    r"(?:what|how|when|where|why|who|which|if|whether|the way|all|any|some|most|many|each|every|no|not|to be|to "
    r"have|being|the fact|than|about|of|in|on|at|like|just)\b",
    re.IGNORECASE,
)
_DEFINITE = re.compile(
    r"the (?:[A-Z]|sea\b|beach|cold|rain|theatre|theater|mountains?|ocean|outdoors|snow|heat|sun|countryside|city"
    r"|forest|desert|winter|summer|autumn|spring|night|opera"
    r"|cinema|gym|smell|sound|taste|dark|wind|wild|woods|park|piano|violin|guitar|\d{2}s|eighties|nineties|colou?r \w)"
)
_PHONE_DIGITS = range(6, 16)
_AGES = range(1, 121)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"\+?\(?\d[\d ()./-]{4,22}\d")
_ORDINAL = r"(?:\d{1,2}(?:st|nd|rd|th|\.|er|º|ª)?)"
_DATE = re.compile(
    r"(?:(?:the|el|le|am|den|o|dia|em|on|in|el día)\s+)*(?P<date>(?:"
    + _ORDINAL
    + r"\s*(?:of |de )?)?(?P<month>[^\W\d_]{3,10})\.?(?:\s+"
    + _ORDINAL
    + r"(?!\d))?(?:,?\s*(?:de |del |of )?\d{4})?|\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}(?:[./-](?:\d{4}"
    r"|\d{2}))?\.?)",
    re.IGNORECASE,
)
_AGENT = re.compile(
    r".*(?:er|or|ist|eer|ian|smith|wright|maker|man|woman|ologist|worker|keeper|driver|agent|officer|engineer|ant"
    r"|eur|euse|ière|adora?|eira?|ora|ista|erin|istin|ogin)$"
)
_ARTICLE = re.compile(r"^(?:a|an|the|un|una|uno|ein|eine|einen|une|um|uma)\s+", re.IGNORECASE)
_ARTICLES = frozenset("a an the el la le das der die o".split())
_COLOURS = frozenset("red blue green yellow black white brown grey gray pink purple orange".split())
_BREED = re.compile(
    r"(?:doodle|poodle|retriever|terrier|spaniel|shepherd|hound|collie|corgi|beagle|pug|bulldog|boxer|husky"
    r"|dachshund|tabby|siamese|persian|coon|ragdoll|bengal|sphynx|mix|mixed"
    r"|mutt|mongrel|cross|rescue|labrador|lab|whippet|setter|pointer|mastiff|rottweiler|doberman|chihuahua|tzu"
    r"|maltese|dalmatian|tortoiseshell|shorthair|longhair|stray"
    r"|samoyed|akita|pomeranian|schnauzer|newfoundland|puppy|kitten|parakeet|cockatoo|cockatiel|macaw)\b|^(?-i:[A-Z])",
    re.IGNORECASE,
)
_LIKED_ARTICLE = re.compile(r"^(?:(?:el|la|los|las|le|les|l'|du|de la|des|de|o|os|as)\s+|l')", re.IGNORECASE)


class _Cased(Protocol):
    """A reader to whom capitals matter."""

    def __call__(self, words: str, *, casual: bool) -> Json: ...


def value_of(kind: str, words: str, *, casual: bool) -> Json:
    """Turn the words of a statement into a value.

    Args:
        kind: What the place holds, for example `name`, `place`, `date`, `liked`.
        words: The words after the verb, quotation marks already taken off.
        casual: The message is written without capitals, so that they say nothing.

    Returns:
        The value; None when the words are not of that kind.
    """
    if len(words) > 2 * MAX_VALUE:
        return None
    plain = words.strip()
    value = _CASED[kind](plain, casual=casual) if kind in _CASED else _PLAIN[kind](plain)
    if isinstance(value, str) and (not value or len(value) > MAX_VALUE):
        return None
    return value


def _date(words: str) -> str | None:
    found = _DATE.match(trim(words))
    if not found or (found["month"] and fold(found["month"]) not in MONTHS):
        return None
    return found["date"].strip(" ,")


def _phone(words: str) -> str | None:
    found = _PHONE.match(trim(words).lstrip("#"))
    return found.group().strip() if found and sum(c.isdigit() for c in found.group()) in _PHONE_DIGITS else None


def _email(words: str) -> str | None:
    found = _EMAIL.match(words.lstrip("<"))
    return found.group() if found else None


def _age(words: str) -> int | None:
    found = re.match(r"(\d{1,3})\b", words)
    return int(found[1]) if found and int(found[1]) in _AGES else None


def _year(words: str) -> int | None:
    found = re.match(r"((?:19|20)\d\d)\b", words)
    return int(found[1]) if found else None


def _count(words: str) -> int | None:
    word = fold(words.strip())
    return int(word) if re.fullmatch(r"\d{1,2}", word, re.ASCII) else NUMBERS.get(word)


def _member(table: frozenset[str]) -> Callable[[str], str | None]:
    def read(words: str) -> str | None:
        value = COMMA.sub("", trim(_ARTICLE.sub("", words, count=1)))
        return value if fold(value) in table else None

    return read


def _job(words: str) -> str | None:
    """Read a trade: a word of the table, or one that ends as words for doers do and is no other kind of doer."""
    value = _free(_ARTICLE.sub("", words, count=1))
    if not value:
        return None
    value = COMMA.sub("", re.sub(r"\s+(?:at|in|for|with|on|from|en|em|no|na|bei|im|à|chez|dans|au)\s.*", "", value))
    head = fold(re.sub(r"\s+of\s.*", "", value))
    last = head.split(" ")[-1]
    if last in NOT_JOBS or head in NOT_JOBS or last in DEMONYMS or not brief(value, 5):
        return None
    return value if last in JOBS or (_AGENT.match(last) and not value[0].isupper()) else None


def _trade(words: str) -> str | None:
    """Read what follows `I work as`: any short noun phrase."""
    value = _free(_ARTICLE.sub("", words, count=1))
    value = re.sub(r"\s+(?:at|in|for|with|from|en|em|no|na|bei|im|à|chez|dans|au)\s.*", "", value) if value else None
    plain = fold(value).split() if value else []
    if not value or not brief(value, 5) or plain[0] in FUNCTION_WORDS | ADJECTIVES or "as" in plain:
        return None
    return value


def _free(words: str) -> str | None:
    """Read a noun phrase of any kind that does not tell a passing state."""
    value = trim(words)
    first = fold(value).split(" ")[0]
    if FUTURE.search(words) or not brief(value, 12) or first in FUNCTION_WORDS - _ARTICLES:
        return None
    return None if fold(value) in ADJECTIVES - _COLOURS else value


def _model(words: str) -> str | None:
    """Read a make: `a Skoda Fabia`, `Pixel 9`, never `broken`."""
    value = _free(_ARTICLE.sub("", words, count=1))
    value = PREPOSITION.sub("", COMMA.sub("", value)) if value else None
    if not value or fold(value) in ADJECTIVES | FUNCTION_WORDS:
        return None
    return (
        value if any(c.isupper() or c.isdigit() for c in value) or CAR_MAKES.intersection(fold(value).split()) else None
    )


def _liked(words: str) -> list[Json] | None:
    """Read what is liked in general; a thing at hand ("this answer", "option B", "the blue one") is none."""
    if FUTURE.search(words):
        return None
    if DEICTIC.search(trim(words)):
        return None
    plain = trim(_DEGREE.sub("", trim(_ASIDE.sub("", words))))
    plain = _DEGREE.sub("", plain)
    if not plain or _NOT_LIKED.match(plain) or fold(plain) in ADJECTIVES:
        return None
    if plain.startswith("the ") and not _DEFINITE.match(plain):
        return None
    items = [_LIKED_ARTICLE.sub("", item, count=1) for item in several(plain)]
    return list(items) if all(brief(item, 8) and item[0].isalnum() for item in items) else None


def _avoided(words: str) -> list[Json] | None:
    """Read what is not eaten: a food, not a manner of eating ("breakfast late")."""
    items = _liked(words)
    return None if not items or fold(str(items[-1])).split()[-1] in ADJECTIVES else items


def _listed(words: str) -> list[Json] | None:
    plain = _ASIDE.sub("", trim(words))
    items = [_LIKED_ARTICLE.sub("", item, count=1) for item in several(plain)]
    fine = items and all(
        brief(i, 5) and fold(i.split()[0]) not in FUNCTION_WORDS - {"a", "an"} and not DEICTIC.search(i) for i in items
    )
    return list(items) if fine else None


def _tongues(words: str) -> list[Json] | None:
    plain = re.sub(
        r"\b(?:fluent(?:ly)?|a (?:little|bit of)|some|native|both|basic|good)\s+|\s+(?:fluently|well|at home"
        r"|natively)\b.*",
        "",
        trim(words),
        flags=re.IGNORECASE,
    )
    items = several(plain)
    return list(items) if items and all(fold(item) in DEMONYMS for item in items) else None


def _conditions(words: str) -> list[Json] | None:
    items = several(trim(words))
    return list(items) if items and all(fold(item) in CONDITIONS for item in items) else None


def _measure(words: str) -> str | None:
    value = trim(words)
    return value if re.match(r"\d", value) and brief(value, 6) else None


def _token(words: str) -> str | None:
    """Read the value of an attribute with a telling head noun: short, and no state."""
    value = COMMA.sub("", _free(words) or "")
    return value if value and brief(value, 6) and fold(value.split()[0]) not in ADJECTIVES else None


def _taste(words: str) -> str | None:
    """Read a favourite: a noun phrase that points at nothing at hand."""
    value = _free(_LIKED_ARTICLE.sub("", words, count=1))
    return None if not value or DEICTIC.search(value) else value


def _proper(words: str, *, casual: bool) -> str | None:
    """Read a short value that opens with a capital or holds a digit, as identifiers and proper names do."""
    value = _token(_ARTICLE.sub("", words, count=1))
    telling = value and (
        value[0].isupper() or any(c.isdigit() for c in value.split()[0]) or any(c in value for c in "_/@")
    )
    return value if value and (telling or (casual and brief(value, 2) and not value.endswith(("ing", "ed")))) else None


def _preferred(words: str) -> list[Json] | None:
    plain = trim(words)
    at_hand = (
        r"(?:the (?!\w+ to\b)|not\b)|.*\b(?:this|that|these|those|it|one|ones|option|version|your|you|former|latter"
        r"|first|second|say|both|neither)\b"
    )
    return None if not plain or FUTURE.search(words) or re.match(at_hand, plain, re.IGNORECASE) else [plain]


def _played(words: str) -> list[Json] | None:
    return _liked(PREPOSITION.sub("", re.sub(r"^the ", "", words)))


def _breed(words: str) -> str | None:
    value = _free(_ARTICLE.sub("", words, count=1))
    value = COMMA.sub("", value) if value else None
    return value if value and brief(value, 4) and _BREED.search(value) else None


_PLAIN: dict[str, Callable[[str], Json]] = {
    "address": address,
    "age": _age,
    "avoided": _avoided,
    "breed": _breed,
    "condition": _conditions,
    "count": _count,
    "country": country,
    "date": _date,
    "demonym": _member(DEMONYMS),
    "diet": _member(DIETS),
    "email": _email,
    "free": _free,
    "job": _job,
    "liked": _liked,
    "listed": _listed,
    "measure": _measure,
    "model": _model,
    "phone": _phone,
    "place": place,
    "played": _played,
    "preferred": _preferred,
    "taste": _taste,
    "token": _token,
    "tongues": _tongues,
    "trade": _trade,
    "where": where,
    "year": _year,
}
_CASED: dict[str, _Cased] = {
    "name": name,
    "names": names,
    "org": organisation,
    "person": person,
    "proper": _proper,
}
