"""What each kind of memory has of its own, and the rules by which it lives (seed 001, section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from nola.errors import UsageError
from nola.memory.axes import Kind, State
from nola.memory.checks import (
    checked_choice,
    checked_flag,
    checked_number,
    checked_object,
    checked_share,
    checked_text,
    checked_texts,
    checked_whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from nola.types import Json

__all__ = [
    "COUNTED",
    "OWN_FIELDS",
    "Slot",
    "SlotType",
    "checked_start",
    "details_of",
    "evicted",
    "is_expired",
    "moved",
    "next_index",
    "owners_of",
    "unmet",
]

_WHOLE = 2**53
_PRIORITY = 100.0
_LONGEST = 1_000_000


class SlotType(StrEnum):
    """What a slot of working memory holds (B11)."""

    QUESTION = "question"
    RETRIEVED_FACT = "retrieved_fact"
    REASONING_STEP = "reasoning_step"
    CONTEXT = "context"
    PLAN = "plan"
    EVALUATION = "evaluation"


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot of working memory, as the rule of eviction sees it."""

    id: str
    relevance: float
    at_s: float


COUNTED: Mapping[Kind, str] = {Kind.SENSORY: "observation_order", Kind.EPISODIC: "temporal_index"}
"""The field of a kind that the store counts upwards when nobody gives it (B03, B17)."""


def details_of(kind: Kind, given: Mapping[str, object]) -> dict[str, Json]:
    """Return the kind's own fields, checked, with the default for each one that was not given.

    A field that the store counts (`COUNTED`) stays out unless it was given.

    Raises:
        UsageError: A value is wrong, or a field belongs to another kind.
    """
    own = _FIELDS[kind]
    for name in given:
        if name not in own:
            whose = " and ".join(sorted(owner.value for owner in owners_of(name))) or "no"
            raise UsageError(f"{name} is a field of {whose} memories, not of {kind.value} ones")
    found: dict[str, Json] = {}
    for name, (check, default) in own.items():
        if name in given:
            found[name] = check(name, given[name])
        elif name != COUNTED.get(kind):
            found[name] = default
    return found


def checked_start(kind: Kind, details: Mapping[str, Json]) -> None:
    """Check the fields of a memory that is new: what a kind can only come to later is refused (B34).

    Raises:
        UsageError: An intention would begin where it can only be moved to.
    """
    state = details.get("state", State.PENDING)
    if kind is Kind.PROSPECTIVE and state != State.PENDING:
        raise UsageError(f"a new intention is pending, not {state}: store it, then move it on")


def owners_of(name: str) -> list[Kind]:
    """Return the kinds that have a field of this name."""
    return [kind for kind, own in _FIELDS.items() if name in own]


def evicted(slots: Sequence[Slot], newcomer: Slot, most: int) -> list[str]:
    """Return the ids that must go so that a task keeps `most` slots (B08, E-21).

    The least relevant go first, the oldest of equals first. A newcomer that is less relevant than all is itself
    refused: its id is then in the list.

    Args:
        slots: What the task holds.
        newcomer: What is pushed.
        most: Most slots of a task.
    """
    everyone = [*slots, newcomer]
    surplus = len(everyone) - most
    if surplus <= 0:
        return []
    order = sorted(everyone, key=lambda slot: (slot.relevance, slot is newcomer, slot.at_s, slot.id))
    return [slot.id for slot in order[:surplus]]


def moved(state: State, to: State) -> State:
    """Return the next state of an intention: pending -> triggered -> resolved, or pending -> resolved (B34).

    Raises:
        UsageError: There is no such move.
    """
    if to not in _MOVES[state]:
        allowed = " or ".join(sorted(_MOVES[state])) or "nothing"
        raise UsageError(f"an intention that is {state.value} can become {allowed}, not {to.value}")
    return to


def next_index(last: int | None, given: int | None = None, *, rising: bool = False) -> int:
    """Return the place of a new episode or observation: what was given, else one more than the last (B03, B17).

    Args:
        last: The greatest place so far; None for none.
        given: The place that a caller gives.
        rising: Whether a place that is given has to be greater than the last, as that of an observation.

    Raises:
        UsageError: It has to be greater, and is not.
    """
    if given is None:
        return 0 if last is None else last + 1
    if rising and last is not None and given <= last:
        raise UsageError(
            f"observation_order {given} does not come after {last}, the last one: leave it out, and it is counted"
        )
    return given


def is_expired(expires_at: datetime | None, now: datetime) -> bool:
    """Tell whether an observation has expired: it is there as long as `expires_at > now` (B02)."""
    return expires_at is not None and expires_at <= now


def unmet(prerequisites: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the prerequisites that are not among the known concepts; capitals and spaces don't count (B32)."""
    have = {_plain(concept) for concept in known}
    return [concept for concept in prerequisites if _plain(concept) not in have]


def _plain(concept: str) -> str:
    return " ".join(concept.casefold().split())


def _text(name: str, value: object) -> Json:
    return checked_text(name, value, most=_LONGEST)


def _list(name: str, value: object) -> Json:
    return list(checked_texts(name, value))


def _count(name: str, value: object) -> Json:
    return checked_whole(name, value, 0, _WHOLE)


def _raw(name: str, value: object) -> Json:
    return checked_text(name, value, most=_LONGEST) if isinstance(value, str) else checked_object(name, value)


_MOVES = {
    State.PENDING: frozenset({State.TRIGGERED, State.RESOLVED}),
    State.TRIGGERED: frozenset({State.RESOLVED}),
    State.RESOLVED: frozenset[State](),
}

_FIELDS: Mapping[Kind, Mapping[str, tuple[Callable[[str, object], Json], Json]]] = {
    Kind.SENSORY: {"modality": (_text, "text"), "raw_data": (_raw, ""), "observation_order": (_count, None)},
    Kind.WORKING: {
        "task": (_text, ""),
        "slot": (lambda name, value: checked_choice(name, value, SlotType).value, SlotType.CONTEXT.value),
        "relevance": (checked_share, 0.5),
    },
    Kind.EPISODIC: {"source_label": (_text, ""), "temporal_index": (_count, None), "compressed": (checked_flag, False)},
    Kind.SEMANTIC: {},
    Kind.PROCEDURAL: {"name": (_text, ""), "steps": (_list, []), "prerequisites": (_list, [])},
    Kind.PROSPECTIVE: {
        "trigger": (_text, ""),
        "action": (_text, ""),
        "state": (lambda name, value: checked_choice(name, value, State).value, State.PENDING.value),
        "priority": (lambda name, value: checked_number(name, value, 0, _PRIORITY), 1.0),
    },
    Kind.SUMMARY: {"original_count": (_count, 0)},
}

OWN_FIELDS = frozenset(name for own in _FIELDS.values() for name in own)
"""The names of all fields that some kind has of its own."""
