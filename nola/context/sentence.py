"""Turns a leaf of the state into a short natural sentence about the owner, with its value word for word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.text import fold, humanise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nola.types import Json

__all__ = ["Label", "label_of", "render_value", "sentence", "topic"]

_CONTAINERS = frozenset(
    """about basics contact contacts data details family general info information main me misc my_people my_stuff other
    people personal pets preferences profile relatives relations tastes things user stuff facts summary notes_and_facts
    household""".split()
)
_OWN_MODULES = {"Nola": "assistant", "machineID": "computer"}
_CATEGORIES = frozenset({"health", "food", "diet"})
_BEINGS = frozenset(
    "mother father mum mom dad sister brother son daughter wife husband partner grandmother grandfather uncle aunt"
    " cousin niece nephew friend neighbour boss dog cat rabbit horse parrot tortoise hamster".split()
)
_NAME_KEYS = ("name", "fullname", "full_name", "full name", "title", "who", "nickname", "called")
_KIND_KEYS = ("relation", "relationship", "role", "species", "kind", "type", "what")
_TEXT_KEYS = frozenset(
    {"note", "notes", "about", "about me", "bio", "description", "comment", "comments", "remark", "summary", "memo"}
)
_SELF_KEYS = frozenset({"what", "value", "item", "text", "is", "it", "thing"})
_PAST_WORDS = frozenset({"old", "previous", "former", "prior", "past", "ex", "earlier", "before", "last"})
_VERB_KEYS = {
    "likes": "You like", "like": "You like", "loves": "You love", "love": "You love", "hates": "You hate",
    "hate": "You hate", "dislikes": "You dislike", "dislike": "You dislike", "cannot stand": "You cannot stand",
    "can't stand": "You can't stand",
    "cannot eat": "You cannot eat", "allergic to": "You are allergic to", "allergies": "You are allergic to",
    "allergy": "You are allergic to", "speaks": "You speak", "languages": "You speak", "drives": "You drive",
    "plays": "You play", "reads": "You read", "lives in": "You live in", "works at": "You work at",
    "born": "You were born on", "avoids": "You avoid", "collects": "You collect", "owns": "You own",
    "studies": "You study", "goes by": "You go by", "retired since": "You are retired since",
}  # fmt: skip
_OTHERS_VERBS = {
    "lives in": "lives in", "livesin": "lives in", "town": "lives in", "city": "lives in", "lives": "lives in",
    "where": "is in", "loves": "loves", "likes": "likes", "hates": "hates", "plays": "plays", "sells": "sells",
    "does": "does", "works at": "works at",
    "afraid of": "is afraid of", "allergic to": "is allergic to", "allergy": "is allergic to", "studies": "studies",
    "found": "was found", "sleeps": "sleeps", "born": "was born", "eats": "eats", "wants": "wants", "drives": "drives",
    "teaches": "teaches", "speaks": "speaks", "collects": "collects", "child of": "is a child of",
    "married to": "is married to",
}  # fmt: skip
_ARTICLE_FREE = re.compile(
    r"^(the|a|an|my|your|our|his|her|at|in|on|with|from|to|i|we|he|she|they|no|not)\b", re.IGNORECASE
)
_UNIT = re.compile(
    r"^(?P<stem>.*?)[ _]?(?P<unit>cm|mm|km|kg|kgs|eur|usd|gbp|chf|pln|naira|euros?|dollars?|pounds?|minutes|mins"
    r"|hours|years|days|litres|liters|percent)$",
    re.IGNORECASE,
)
_CLAUSE_START = re.compile(r"^(until|since|every|each|i|we|he|she|they)\b", re.IGNORECASE)
_LONGEST_NAMING = 5


@dataclass(frozen=True, slots=True)
class Label:
    """What a leaf is called.

    Attributes:
        holder: Whose it is: `""` for the owner, else for example `sister Anna` or `dog Biscuit`.
        attribute: What it tells, for example `birthday`.
        room: The module, when it is not `user`.
        named: The holder is a person, animal or thing with a name.
    """

    holder: str
    attribute: str
    room: str
    named: bool


def label_of(module: str, keys: Sequence[str], siblings: Mapping[tuple[str, ...], Mapping[str, Json]]) -> Label:
    """Name a leaf by its path and by the names that stand beside its parents.

    Args:
        module: File stem, for example `user`.
        keys: Steps below the module.
        siblings: For each parent path, its scalar children.
    """
    holder, named = "", False
    for depth in range(1, len(keys)):
        step, beside = keys[depth - 1], siblings.get(tuple(keys[:depth]), {})
        name = _first(beside, _NAME_KEYS)
        if step.isdigit():
            kind = _first(beside, _KIND_KEYS) or _singular(humanise(keys[depth - 2]) if depth > 1 else module)
            own = name if keys[-1] not in _NAME_KEYS or depth < len(keys) - 1 else ""
            holder, named = f"{kind} {own}".strip(), bool(name)
            continue
        word = humanise(step)
        if step.lower() in _CONTAINERS and depth < len(keys) - 1:
            continue
        if word.replace(" ", "_") in _CONTAINERS and not holder and not name:
            continue
        own = name if name and not (depth == len(keys) - 1 and keys[-1] in _NAME_KEYS) else ""
        holder = f"{holder}'s {word}" if named else f"{holder} {word}".strip()
        holder, named = f"{holder} {own}".strip(), named or bool(name)
    last = keys[-1] if keys else module
    attribute = _singular(humanise(keys[-2])) if last.isdigit() and len(keys) > 1 else humanise(last)
    if last.isdigit() and len(keys) > 1:
        holder = holder.removesuffix(_singular(humanise(keys[-2]))).strip()
    if module in _OWN_MODULES:
        return Label(f"{_OWN_MODULES[module]} {holder}".strip(), attribute, "", named or not holder)
    return Label(holder, attribute, "" if module in {"user", "identity"} else humanise(module), named)


def render_value(value: Json) -> str:
    """Write a leaf's value as text, unchanged but for lists, which become `a, b and c`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        parts = [render_value(v) for v in value]
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
    return str(value).strip()


def topic(label: Label) -> str:
    """The words that say what a leaf is about, for search: module, holder and attribute."""
    return " ".join(part for part in (label.room, label.holder, label.attribute) if part)


def sentence(label: Label, value: str) -> str:
    """Say a leaf in a short sentence to the owner.

    Args:
        label: What the leaf is called.
        value: Its value as text.

    Returns:
        For example `Your dog's name is Biscuit.`
    """
    value = value.rstrip(".") if value.count(".") == 1 and value.endswith(".") else value
    attribute = fold(label.attribute)
    end = "" if value.endswith((".", "!", "?")) else "."
    if attribute in _TEXT_KEYS:
        about = label.holder or label.room
        return f"About {'your ' + about if about else 'you'}: {value}{end}"
    unit = _UNIT.match(label.attribute)
    name = label.attribute
    if unit and unit["stem"] and value.replace(".", "").replace(",", "").isdigit():
        name, value = unit["stem"].strip(), f"{value} {unit['unit'].lower()}"
    if value in {"yes", "no"}:
        return f"{_your(label.holder, name, label)}: {value}{end}"
    if lead := _lead(label, attribute):
        return f"{lead} {value}{end}"
    subject = _your(label.holder, name, label)
    link = "are" if _is_plural(name) else "is"
    if _looks_like_clause(value):
        return f"{subject}: {value}{end}"
    return f"{subject} {link} {value}{end}"


def _lead(label: Label, attribute: str) -> str:
    """Return how the sentence begins when the attribute is a verb or the thing itself, else an empty text."""
    if label.holder in {"", *_CATEGORIES} and attribute in _VERB_KEYS:
        return _VERB_KEYS[attribute]
    if label.named and attribute in _OTHERS_VERBS:
        return f"Your {label.holder} {_OTHERS_VERBS[attribute]}"
    return f"Your {label.holder} is" if attribute in _SELF_KEYS and label.holder else ""


def _your(holder: str, attribute: str, label: Label) -> str:
    if not holder:
        room = label.room
        lead = f"{room} " if room and room not in attribute else ""
        return f"Your {lead}{attribute}"
    if holder in {"favourites", "favorites"}:
        return f"Your {holder[:-1]} {attribute}"
    if holder == "work" and attribute in {"job", "employer", "boss"}:
        return f"Your {attribute}"
    owned = label.named or attribute in _NAME_KEYS or holder.rsplit(" ", 1)[-1] in _BEINGS
    return f"Your {holder}'s {attribute}" if owned else f"Your {holder} {attribute}"


def _first(beside: Mapping[str, Json], keys: Sequence[str]) -> str:
    low = {humanise(k): v for k, v in beside.items()}
    for key in keys:
        value = low.get(key.replace("_", " "))
        if isinstance(value, str) and 0 < len(value) <= 40:  # noqa: PLR2004 -- a name, not a text
            return value
    return ""


_SINGULARS = {
    "children": "child",
    "lens": "lens",
    "series": "series",
    "news": "news",
    "species": "species",
    "glasses": "glasses",
}


def _singular(word: str) -> str:
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word.endswith("ies") and len(word) > 4:  # noqa: PLR2004
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _is_plural(name: str) -> bool:
    last = name.rsplit(" ", 1)[-1]
    return last in {"children", "people"} or (
        last.endswith("s") and not last.endswith(("ss", "us", "is", "address", "ness"))
    )


def _looks_like_clause(value: str) -> bool:
    return len(value.split()) > _LONGEST_NAMING or bool(_CLAUSE_START.match(value))
