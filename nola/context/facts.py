"""Turns leaves into facts: a sentence each, long notes split, and older values told apart from newer ones."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nola.context.sentence import Label, label_of, render_value, sentence, topic
from nola.text import fold, humanise, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nola.flow import Candidate, Remembered
    from nola.types import Json

__all__ = ["Fact", "facts_of"]

_FORMER_KEYS = frozenset(
    {"old", "previous", "former", "formerly", "prior", "past", "ex", "earlier", "before", "prev", "outdated"}
)
_START_KEYS = (
    "from", "since", "start", "started", "begin", "year", "years", "date", "as of", "as_of", "on", "when", "session",
    "updated", "recorded", "measured", "month", "season",
)  # fmt: skip
_END_KEYS = ("to", "until", "till", "end", "ended", "left")
_TIME_KEYS = frozenset(_START_KEYS) | frozenset(_END_KEYS)
_SPAN_KEYS = frozenset({"from", "since", "to", "until", "till", "years", "start", "end", "as of"})
_OPEN_ENDS = frozenset({"", "now", "present", "today", "null", "none", "ongoing", "current"})
_LOG_WORDS = frozenset(
    {
        "history",
        "log",
        "logs",
        "over",
        "record",
        "records",
        "readings",
        "count",
        "counts",
        "past",
        "timeline",
        "versions",
    }
)
_GENERIC_ATTRIBUTES = frozenset(
    """name model colour color date phone birthday type kind brand age address city town place job role title breed
    status note notes price cost number amount time day days when where what who email start end size weight height
    length year location street school occupation level value birth born mobile make relation loves likes
    hates""".split()
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_UNTIL = re.compile(
    r"^\W*(until|till|formerly|previously|originally|at first|used to|in the past)\b",
    re.IGNORECASE,
)
_UNTIL_YEAR = re.compile(r"\b(?:until|till|up to|before)\b[^.;,]{0,24}?\b((?:19|20)\d\d)\b", re.IGNORECASE)
_UNTIL_INSIDE = re.compile(r"\b(used to|formerly|previously|no longer)\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?<=[.!?])\s+(?=[A-ZÀ-Þ0-9])|\s*;\s+|,\s+(?=(?:now|since|but now|and now|and since|from \d|then)\b)",
    re.IGNORECASE,
)
_LONG_WORDS = 14


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that can be told.

    Attributes:
        index: Position of its candidate.
        path: The candidate's path.
        text: The sentence that would be injected.
        topic: Words that say what it is about, for search.
        holder: Whose or what's it is, empty for the owner.
        attribute: What it tells of the holder.
        value: Its value as text.
        former: A newer value of the same thing stands elsewhere.
        newer: Path of that newer value, or an empty string.
        order: Sortable time of the value; later is newer.
        memory: The memory that it is, when it is no leaf of the state.
    """

    index: int
    path: str
    text: str
    topic: str
    holder: str
    attribute: str
    value: str
    former: bool = False
    newer: str = ""
    order: str = ""
    memory: Remembered | None = None


@dataclass(frozen=True, slots=True)
class _Leaf:
    index: int
    candidate: Candidate
    module: str
    label: Label
    beside: Mapping[str, Json]
    value: str


def facts_of(candidates: Sequence[Candidate]) -> list[Fact]:
    """Say every candidate in one or more sentences and mark the values that newer ones replaced.

    Args:
        candidates: Leaves of the state.

    Returns:
        Facts in the candidates' order; a long note gives one fact per clause.
    """
    siblings: dict[str, dict[tuple[str, ...], dict[str, Json]]] = {}
    for candidate in candidates:
        if candidate.keys:
            module = candidate.path.split(".", 1)[0]
            beside = siblings.setdefault(module, {}).setdefault(candidate.keys[:-1], {})
            if not isinstance(candidate.value, list):
                beside[candidate.keys[-1]] = candidate.value
    leaves = []
    for index, candidate in enumerate(candidates):
        module = candidate.path.split(".", 1)[0]
        known = siblings.get(module, {})
        label = label_of(module, candidate.keys, known)
        beside = known.get(candidate.keys[:-1], {})
        leaves.append(_Leaf(index, candidate, module, label, beside, render_value(candidate.value)))
    former = _former(leaves)
    return [fact for leaf in leaves for fact in _told(leaf, former)]


def _told(leaf: _Leaf, former: Mapping[int, str]) -> list[Fact]:
    about = topic(leaf.label)
    order = _order(leaf)
    base = Fact(
        leaf.index, leaf.candidate.path, "", about, leaf.label.holder, leaf.label.attribute, leaf.value, order=order
    )
    if isinstance(leaf.candidate.value, str) and len(leaf.value.split()) >= _LONG_WORDS // 2:
        clauses = [c.strip() for c in _CLAUSE.split(leaf.value) if c and c.strip()]
        dated = any(_over(c, leaf.candidate.updated.year) or _UNTIL_INSIDE.search(c) for c in clauses)
        if len(clauses) > 1 and (dated or len(leaf.value.split()) >= _LONG_WORDS):
            return [_clause(base, leaf, clause, dated=dated) for clause in _grouped(clauses)]
    if isinstance(leaf.candidate.value, str) and _over(leaf.value, leaf.candidate.updated.year):
        return [replace(base, text=sentence(leaf.label, leaf.value), former=True)]
    is_former = leaf.index in former
    text = _sentence(leaf, former=is_former)
    return [replace(base, text=text, former=is_former, newer=former.get(leaf.index, ""))]


def _clause(base: Fact, leaf: _Leaf, clause: str, *, dated: bool) -> Fact:
    old = dated and (_over(clause, leaf.candidate.updated.year) or bool(_UNTIL_INSIDE.search(clause)))
    return replace(base, text=sentence(leaf.label, clause), value=clause, former=old, newer=base.path if old else "")


def _over(clause: str, year: int) -> bool:
    """Tell whether a clause is about a time that has ended: `until 2023`, `until we moved`, `used to`."""
    if ends := _UNTIL_YEAR.search(clause):
        return int(ends[1]) <= year
    return bool(_UNTIL.match(clause)) and not _YEAR.search(clause)


def _grouped(clauses: list[str]) -> list[str]:
    """Join very short clauses to the one before, so that a pronoun keeps its noun."""
    out: list[str] = []
    for clause in clauses:
        if out and len(clause.split()) <= 3 and not _UNTIL.match(out[-1]):  # noqa: PLR2004 -- a fragment
            out[-1] = f"{out[-1]}; {clause}"
        else:
            out.append(clause)
    return out


def _sentence(leaf: _Leaf, *, former: bool) -> str:
    label, span = leaf.label, ""
    last = humanise(leaf.candidate.keys[-1]) if leaf.candidate.keys else ""
    inside_list = len(leaf.candidate.keys) > 1 and leaf.candidate.keys[-2].isdigit()
    if inside_list and fold(last) not in _TIME_KEYS:
        span = _span(leaf.beside)
    attribute = _YEAR.sub("", label.attribute).strip() or label.attribute
    found = _YEAR.search(label.attribute) or (_YEAR.fullmatch(leaf.candidate.keys[-1]) if leaf.candidate.keys else None)
    if found and not span:
        span = f" ({found.group()})"
    kept = [w for w in attribute.split() if w not in _FORMER_KEYS]
    marked = len(kept) < len(attribute.split()) and bool(kept)
    label = replace(label, attribute=" ".join(kept) if marked else attribute)
    text = sentence(label, leaf.value + span)
    if marked or former:
        text = _in_the_past(text)
    return text


def _in_the_past(text: str) -> str:
    past = text.replace(" is ", " was ", 1) if " is " in text else text.replace(" are ", " were ", 1)
    return f"Formerly: {past[0].lower()}{past[1:]}" if past.startswith("You") else f"Formerly: {past}"


def _span(beside: Mapping[str, Json]) -> str:
    low = {fold(humanise(k)): render_value(v) for k, v in beside.items()}
    start = next((low[k] for k in _START_KEYS if low.get(k)), "")
    end = next((low[k] for k in _END_KEYS if low.get(k)), "")
    if start and end and fold(end) not in _OPEN_ENDS:
        return f" ({start} to {end})"
    if start:
        return (
            f" ({start})"
            if "since" in start or not _YEAR.match(start)
            else f" (since {start})"
            if _has_span(low)
            else f" ({start})"
        )
    return f" (until {end})" if end else ""


def _has_span(low: Mapping[str, str]) -> bool:
    return bool(_SPAN_KEYS & low.keys())


def _order(leaf: _Leaf) -> str:
    """A text that sorts values of one thing by time: their own date first, else their node's."""
    low = {fold(humanise(k)): render_value(v) for k, v in leaf.beside.items()}
    keys = leaf.candidate.keys
    for key in _START_KEYS:
        if len(keys) > 1 and keys[-2].isdigit() and (found := _YEAR.search(low.get(key, ""))):
            return low[key][found.start() :]
    for step in reversed(keys):
        if found := _YEAR.search(step):
            return found.group()
    if found := re.match(r"((?:19|20)\d\d)\s*[:\-]", leaf.value):
        return found.group(1)
    return leaf.candidate.updated.isoformat()


def _former(leaves: Sequence[_Leaf]) -> dict[int, str]:
    """Find values that a newer one replaced: index of the older leaf -> path of the newer."""
    old: dict[int, str] = {}
    groups: dict[tuple[str, ...], list[_Leaf]] = {}
    for leaf in leaves:
        for key in _group_keys(leaf):
            groups.setdefault(key, []).append(leaf)
    for key, members in groups.items():
        if len(members) > 1:
            _settle(key, members, old)
    return old


def _settle(key: tuple[str, ...], members: Sequence[_Leaf], old: dict[int, str]) -> None:
    marked = [m for m in members if _is_marked(m)]
    plain = [m for m in members if not _is_marked(m)]
    if key[0] == "marked":
        for leaf in marked:
            if plain:
                old.setdefault(leaf.index, plain[0].candidate.path)
        return
    if key[0] == "same" and len({m.candidate.updated.date() for m in members}) < len(members):
        return
    ended = {m.index for m in members if _ended(m)}
    ranked = sorted(members, key=lambda m: (m.index not in ended, _order(m)))
    newest = ranked[-1]
    for leaf in ranked[:-1]:
        if leaf.value != newest.value or key[0] != "same":
            old.setdefault(leaf.index, newest.candidate.path)


def _group_keys(leaf: _Leaf) -> list[tuple[str, ...]]:
    keys = leaf.candidate.keys
    out: list[tuple[str, ...]] = []
    if not keys:
        return out
    attribute = " ".join(w for w in _YEAR.sub("", humanise(keys[-1])).split() if w not in _FORMER_KEYS)
    parent = (leaf.module, *keys[:-1])
    if (
        len(keys) > 1
        and keys[-2].isdigit()
        and fold(humanise(keys[-1])) not in _TIME_KEYS
        and _is_history(leaf, keys[-3:-2])
    ):
        out.append(("history", leaf.module, *keys[:-2], keys[-1]))
    elif _YEAR.search(keys[-1]):
        out.append(("year", *parent, attribute))
    if keys[-1].isdigit() and re.match(r"(?:19|20)\d\d\s*[:\-]", leaf.value):
        out.append(("year", *parent))
    stemmed = " ".join(stem(w) for w in words(attribute))
    out.append(("marked", leaf.module, *keys[:-1], stemmed))
    out.append(
        ("marked", stemmed) if stemmed and stemmed not in _GENERIC_ATTRIBUTES else ("marked", leaf.candidate.path)
    )
    if not leaf.label.named and stemmed and not any(k.isdigit() for k in keys):
        same = (
            stemmed
            if attribute not in _GENERIC_ATTRIBUTES
            else " ".join(stem(w) for w in words(f"{leaf.label.holder} {attribute}"))
        )
        if same not in _GENERIC_ATTRIBUTES:
            out.append(("same", same))
    return out


def _is_history(leaf: _Leaf, list_key: Sequence[str]) -> bool:
    low = {fold(humanise(k)) for k in leaf.beside}
    times = low & _TIME_KEYS
    if not times:
        return False
    if times & {"from", "since", "to", "until", "years"} and len(low) <= 4:  # noqa: PLR2004 -- an entry, not a record
        return True
    named_log = bool(_LOG_WORDS & set(humanise(list_key[0]).split())) if list_key else False
    return named_log or len(low - times) == 1


def _is_marked(leaf: _Leaf) -> bool:
    return any(
        w in _FORMER_KEYS or (w.startswith("before") and len(w) > len("before"))
        for k in leaf.candidate.keys
        for w in humanise(k).split()
    )


def _ended(leaf: _Leaf) -> bool:
    low = {fold(humanise(k)): fold(render_value(v)) for k, v in leaf.beside.items()}
    return any(low.get(k, "") not in _OPEN_ENDS for k in _END_KEYS if k in low)
