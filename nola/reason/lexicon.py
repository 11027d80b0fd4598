"""The table of everyday entities and attributes by which a question and a fact can contradict each other."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from nola.text import stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Lexicon", "lexicon"]

_IN_LAW = re.compile(r"\b(?:mother|father|son|daughter|brother|sister)-in-law\b", re.IGNORECASE)


class Lexicon:
    """Groups of words: things and people (entities), and what can be asked about them (attributes)."""

    def __init__(self, raw: dict[str, object]) -> None:
        self._entities = _inverted(raw["entities"])
        self._attributes = _inverted(raw["attributes"])
        self._living = frozenset(raw["living"])  # type: ignore[call-overload]
        self._things = frozenset(raw["things"])  # type: ignore[call-overload]
        self._specific = frozenset(raw["specific"])  # type: ignore[call-overload]
        self._compatible = {frozenset(pair) for pair in raw["compatible"]}  # type: ignore[attr-defined]
        self._provides = {k: frozenset(v) for k, v in raw["provides"].items()}  # type: ignore[attr-defined]

    def entities(self, text: str) -> frozenset[str]:
        """Return the groups of things and people that a text names, for example `{"sister"}`."""
        in_law = {m.group().lower() for m in _IN_LAW.finditer(text)}
        return frozenset(_found(words(_IN_LAW.sub(" ", text)), self._entities) | in_law)

    def attributes(self, text: str) -> frozenset[str]:
        """Return the groups of attributes that a text names, for example `{"birthday"}`."""
        return frozenset(_found(words(text), self._attributes))

    def living(self, entities: Iterable[str]) -> frozenset[str]:
        """Return those entities that are people or animals."""
        return frozenset(e for e in entities if e in self._living or e.endswith("-in-law"))

    def things(self, entities: Iterable[str]) -> frozenset[str]:
        """Return those entities that are plain things, which other words seldom stand for: a car, a passport."""
        return frozenset(e for e in entities if e in self._things)

    def specific(self, attributes: Iterable[str]) -> frozenset[str]:
        """Return those attributes that only a fact about just that can tell: a height, a phone number."""
        return frozenset(a for a in attributes if a in self._specific)

    def compatible(self, one: Iterable[str], other: Iterable[str]) -> bool:
        """Tell whether two sets of entities can mean the same: `spouse` and `wife` can, `dog` and `cat` can't."""
        right = set(other)
        return any(a in right or any(frozenset((a, b)) in self._compatible for b in right) for a in one)

    def told_by(self, attributes: Iterable[str]) -> frozenset[str]:
        """Return what facts with these attributes can answer: a birthday also tells the age."""
        own = frozenset(attributes)
        return own.union(*(self._provides.get(a, frozenset()) for a in own))


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the table that ships with Nola."""
    return Lexicon(json.loads(resources.files("nola.reason").joinpath("lexicon.json").read_text(encoding="utf-8")))


def _inverted(groups: object) -> dict[str, set[str]]:
    table: dict[str, set[str]] = {}
    for group, members in groups.items():  # type: ignore[attr-defined]
        for word in members:
            table.setdefault(stem(word), set()).add(group)
    return table


def _found(tokens: Iterable[str], table: dict[str, set[str]]) -> set[str]:
    out: set[str] = set()
    for token in tokens:
        out |= table.get(stem(token), set())
    return out
