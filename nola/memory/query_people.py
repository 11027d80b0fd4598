"""Who a question names, and the question as that person would put it."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from nola.text import STOP_WORDS, fold

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["first_person", "people_in"]

_NAME_WORD = re.compile(r"[^\W\d_]+(?:[-’'](?!s\b)[^\W\d_]+)*")
_SURNAME = re.compile(r" ([A-Z][a-z]+)\b")
_OWNER = re.compile(r"\b(?:I|me|my|mine|myself|I'm|I've|I'd|I'll)\b")
_SHORTEST_NICKNAME = 2
_MOST_WORDS = 200
_NICKNAMES = {
    "bob": "robert", "rob": "robert", "bobby": "robert", "bill": "william", "billy": "william", "will": "william",
    "liz": "elizabeth", "beth": "elizabeth", "lizzie": "elizabeth", "betty": "elizabeth", "mike": "michael",
    "mick": "michael", "kate": "katherine", "katie": "katherine", "kathy": "katherine", "kit": "katherine",
    "jim": "james", "jimmy": "james", "jamie": "james", "tony": "anthony", "dave": "david", "dick": "richard",
    "rick": "richard", "jack": "john", "johnny": "john", "peggy": "margaret", "maggie": "margaret",
    "meg": "margaret", "harry": "henry", "ted": "edward", "ned": "edward", "chuck": "charles", "charlie": "charles",
    "sandy": "alexandra", "sasha": "alexandra", "jenny": "jennifer", "nick": "nicholas", "hank": "henry",
    "polly": "mary", "molly": "mary", "sally": "sarah", "sadie": "sarah", "nell": "eleanor", "ellie": "eleanor",
    "steve": "stephen", "joey": "joseph", "joe": "joseph", "andy": "andrew", "drew": "andrew", "matty": "matthew",
    "danny": "daniel", "kenny": "kenneth", "larry": "lawrence", "gerry": "gerald", "jerry": "gerald",
    "patty": "patricia", "trish": "patricia", "becky": "rebecca", "cathy": "catherine", "cindy": "cynthia",
    "tina": "christina", "chrissy": "christina", "annie": "anne", "nancy": "anne", "abby": "abigail",
    "zach": "zachary", "debbie": "deborah", "jeff": "jeffrey", "geoff": "geoffrey", "sue": "susan", "susie": "susan",
}  # fmt: skip
_BETWEEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[^\w]+|[\d_]+")
_OWN_FORMS = {"her": "my", "his": "my", "their": "my", "hers": "mine", "theirs": "mine"}
_SELF_FORMS = {"she": "I", "he": "I", "herself": "myself", "himself": "myself", "him": "me"}
_AGREEMENT = (
    (re.compile(r"\b(?:[Ii]s I|[Aa]re I|I is|I are)\b"), "am I"),
    (re.compile(r"\b[Dd]oes I\b"), "do I"),
    (re.compile(r"\b[Hh]as I\b"), "have I"),
    (re.compile(r"\bI has\b"), "I have"),
    (re.compile(r"\bI and I\b"), "we"),
    (re.compile(r"\bmy and my\b"), "our"),
)


def people_in(text: str, speakers: Collection[str], owner: str = "") -> tuple[tuple[str, ...], Mapping[str, str]]:
    """Find the speakers whom a text names, by whole words.

    A name is found whole or by its first part. A capitalised word that begins the name of one speaker alone, or an
    English nickname of it, stands for that speaker too; what would fit two people stands for nobody.

    Args:
        text: The question.
        speakers: Everybody who said something.
        owner: Who `I` is, or an empty string.

    Returns:
        The speakers in the order of the text, and the words that name them, lower case, each with whom it names.
    """
    known = _names(tuple(speakers))
    found: dict[str, None] = {}
    named: dict[str, str] = {}
    for count, match in enumerate(_NAME_WORD.finditer(text)):
        if count == _MOST_WORDS:
            break
        word = match[0]
        if (speaker := _who(word, known)) and not _is_first_name(text, match.end(), known):
            found[speaker] = None
            named[word.lower()] = speaker
    if owner and _OWNER.search(text):
        found[owner] = None
    return tuple(found), named


def first_person(text: str, names: Mapping[str, str]) -> str:
    """Put a question about somebody the way that person would put it: `Did Ana sell her car` is `Did I sell my car`.

    Args:
        text: The question.
        names: The words that name the person, lower case; with none the text stays as it is.
    """
    if not names:
        return text
    out = []
    alone = len(set(names.values())) == 1
    seen = False
    for part in _BETWEEN.findall(text):
        plain = part.replace("’", "'").lower()
        base = plain.removesuffix("'s")
        if base in names:
            out.append("my" if base != plain else "I")
            seen = True
        elif seen and alone and plain in _OWN_FORMS:
            out.append(_OWN_FORMS[plain])
        elif seen and alone and plain in _SELF_FORMS:
            out.append(_SELF_FORMS[plain])
        else:
            out.append(part)
    said = "".join(out)
    for pattern, agreed in _AGREEMENT:
        said = pattern.sub(agreed, said)
    return said


@dataclass(frozen=True, slots=True)
class _Names:
    """The words of all names, sorted, and who bears each."""

    words: tuple[str, ...]
    bearers: Mapping[str, frozenset[str]]

    def beginning_with(self, start: str) -> set[str]:
        """Return who bears a name that begins so; two of them are enough to know that it is not clear who is meant."""
        found: set[str] = set()
        for word in self.words[bisect_left(self.words, start) :]:
            if not word.startswith(start) or len(found) > 1:
                break
            found |= self.bearers[word]
        return found


@lru_cache(maxsize=16)
def _names(speakers: tuple[str, ...]) -> _Names:
    known: dict[str, set[str]] = {}
    for speaker in speakers:
        for part in _NAME_WORD.findall(fold(speaker)):
            known.setdefault(part, set()).add(speaker)
    return _Names(tuple(sorted(known)), {word: frozenset(bearers) for word, bearers in known.items()})


def _is_first_name(text: str, end: int, known: _Names) -> bool:
    """Whether a surname follows that no speaker bears: John Grisham is not John."""
    surname = _SURNAME.match(text, end)
    return surname is not None and fold(surname[1]) not in known.bearers and fold(surname[1]) not in STOP_WORDS


def _who(word: str, known: _Names) -> str:
    """Return the one speaker whom a word names, or an empty string."""
    folded = fold(word)
    capital = word[:1].isupper()
    if folded in STOP_WORDS and not capital:
        return ""
    fits: Collection[str] = known.bearers.get(folded, ())
    if not fits and capital and len(folded) >= _SHORTEST_NICKNAME and folded not in STOP_WORDS and not word.isupper():
        fits = known.beginning_with(folded) | set(known.bearers.get(_NICKNAMES.get(folded, ""), ()))
    return next(iter(fits)) if len(fits) == 1 else ""
