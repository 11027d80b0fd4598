"""What a memory is: its fields as a caller gives them, checked, and as they are stored (A31, D01, X01)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from nola.errors import UsageError
from nola.memory.axes import EdgeKind, Kind, MemoryClass, Status, Trust
from nola.memory.checks import (
    checked_choice,
    checked_flag,
    checked_instant,
    checked_number,
    checked_object,
    checked_share,
    checked_text,
    checked_texts,
    checked_time,
    checked_whole,
    nearest,
    required,
)
from nola.memory.instants import from_seconds, seconds, written
from nola.memory.kinds import OWN_FIELDS, checked_start, details_of
from nola.memory.statistics_json import read_statistics, statistics_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from nola.memory.dynamics.base import Statistics
    from nola.types import Json

__all__ = ["ALIASES", "Link", "NewMemory", "Record", "new_memory"]

_LEVELS = (1, 3)
_DAYS = 100_000.0
_LONGEST = 100_000_000
_TTL = 31_536_000.0 * 100

ALIASES: Mapping[str, str] = {
    "class": "memory_class",
    "speaker": "author",
    "agent_id": "agent",
    "user_id": "user",
    "conversation_id": "conversation",
    "message_id": "message",
    "source_id": "source",
    "base_importance": "importance",
    "memory_type": "kind",
    "task_id": "task",
    "slot_type": "slot",
    "trigger_condition": "trigger",
    "action_on_trigger": "action",
}
"""Other names of fields, the documents' own; both names at once are refused."""


@dataclass(frozen=True, slots=True)
class Link:
    """An edge that is made together with a memory, from it to the one it names."""

    kind: EdgeKind
    target: str
    properties: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory that is to be stored; every field was checked.

    Attributes:
        content: What is remembered.
        at: When it happened or was said; None for the moment of storing.
        ttl: Seconds after `at` at which it expires; None for never.
        author: Who said it; callers may also write `speaker`.
        details: Fields of the kind (`kinds.details_of`).
        stability: First stability of retention, 0 to 1; None for the default.
        stability_days: First stability of the forgetting curve; None for the kind's default.
        links: Edges that are made with it.
    """

    content: str
    kind: Kind = Kind.SEMANTIC
    memory_class: MemoryClass = MemoryClass.LEARNED
    level: int = 2
    trust: Trust = Trust.OWNER
    namespace: str = "default"
    agent: str = ""
    user: str = ""
    path: str = ""
    origin: str = ""
    channel: str = ""
    conversation: str = ""
    message: str = ""
    author: str = ""
    source: str = ""
    at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    ttl: float | None = None
    importance: float = 0.5
    confidence: float = 1.0
    pinned: bool = False
    concept: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    details: Mapping[str, Json] = field(default_factory=dict)
    stability: float | None = None
    stability_days: float | None = None
    links: tuple[Link, ...] = ()

    def expiry(self, now: datetime) -> datetime | None:
        """Return when it expires if it is stored now (B02); None for never, as for all that is innate (A03, A21)."""
        if self.memory_class is MemoryClass.INNATE:
            return None
        if self.expires_at is not None or self.ttl is None:
            return self.expires_at
        return from_seconds(seconds(self.at or now) + self.ttl)


@dataclass(frozen=True, slots=True)
class Record:
    """A memory as it is stored. `at` is when it happened, `created` when it was stored."""

    id: str
    content: str
    kind: Kind
    memory_class: MemoryClass
    level: int
    status: Status
    trust: Trust
    namespace: str
    agent: str
    user: str
    path: str
    origin: str
    channel: str
    conversation: str
    message: str
    author: str
    source: str
    at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    expires_at: datetime | None
    importance: float
    confidence: float
    pinned: bool
    concept: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Json]
    details: Mapping[str, Json]
    created: datetime
    updated: datetime
    statistics: Statistics

    @property
    def speaker(self) -> str:
        """Who said it; the same as `author`."""
        return self.author

    @property
    def is_innate(self) -> bool:
        """Whether nothing may change it (A02)."""
        return self.memory_class is MemoryClass.INNATE

    def to_json(self, computed: Mapping[str, Json] | None = None) -> dict[str, Json]:
        """Return it as a JSON object with sorted names; times are ISO-8601 in UTC.

        Args:
            computed: What only the present tells, for showing: `heat`, `tier`, `retention`, `strength`, `embedding`. It
                can't be set, and `from_json` passes it over.
        """
        found: dict[str, Json] = dict(computed or {})
        for name in _TEXTS:
            found[_SHOWN.get(name, name)] = getattr(self, name)
        for name in _TIMES:
            at = getattr(self, name)
            found[name] = None if at is None else written(at)
        found["tags"] = list(self.tags)
        found["metadata"] = dict(self.metadata)
        found["details"] = dict(self.details)
        found["access_count"] = self.statistics.access_count
        found["last_access"] = written(from_seconds(self.statistics.last_access_s))
        found["stability"] = self.statistics.stability
        found["statistics"] = statistics_json(self.statistics)
        return dict(sorted(found.items()))

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Record:
        """Read back what `to_json` wrote, with the same checks as a new memory (E59).

        Raises:
            UsageError: A field is missing, unknown or wrong.
        """
        left = {name: value for name, value in data.items() if name not in _SHOWN_ONLY}
        found = {name: required(left, name) for name in ("id", "content", "status", "statistics")}
        times = {name: checked_time(name, left.pop(name, None)) for name in _TIMES}
        details = left.pop("details", {})
        if not isinstance(details, dict):
            raise UsageError("details takes an object")
        whole = {**left, **details, **{name: times[name] for name in _GIVEN_TIMES}}
        new = new_memory(found["content"], whole, content_most=_LONGEST, is_new=False)
        shared = {f.name: getattr(new, f.name) for f in fields(cls) if hasattr(new, f.name)}
        shared.update({name: at for name, at in times.items() if name not in _OPTIONAL_TIMES})
        shared["expires_at"] = None if new.memory_class is MemoryClass.INNATE else times["expires_at"]
        for name in _SET_TIMES:
            if shared.get(name) is None:
                raise UsageError(f"{name} is missing")
        return cls(
            **shared,
            id=checked_text("id", found["id"], blank=False),
            status=checked_choice("status", found["status"], Status),
            statistics=read_statistics(found["statistics"], importance=new.importance),
        )


def new_memory(
    content: object,
    given: Mapping[str, object],
    *,
    content_most: int = 1_000_000,
    sensory_ttl: float = 300.0,
    is_new: bool = True,
) -> NewMemory:
    """Check all that a caller gives for a new memory; nothing is guessed.

    Args:
        content: What is remembered.
        given: Fields by name; `class="innate"`, `speaker="Ada"`, `steps=[...]` and the documents' other names too.
        content_most: Longest content, in characters.
        sensory_ttl: Seconds that an observation lives unless the caller says otherwise.
        is_new: False for one that was stored before, and may be anywhere in its life.

    Raises:
        UsageError: A field is unknown, its value is of the wrong type or out of range, or a new one can't have it.
    """
    text = checked_text("content", content, most=content_most, blank=False)
    fields = _named(given)
    kind = checked_choice("kind", fields.pop("kind", Kind.SEMANTIC), Kind)
    own = {name: fields.pop(name) for name in list(fields) if name in OWN_FIELDS}
    details = details_of(kind, own)
    if kind is Kind.SENSORY and "raw_data" not in own:
        details["raw_data"] = text
    if is_new:
        checked_start(kind, details)
    links = _links(kind, fields)
    checked: dict[str, Any] = {name: _CHECKS[name](_SHOWN.get(name, name), value) for name, value in fields.items()}
    if not checked.keys() & {"ttl", "expires_at"}:
        if kind is Kind.SENSORY and checked.get("memory_class") is not MemoryClass.INNATE:
            checked["ttl"] = sensory_ttl
    elif checked.get("memory_class") is MemoryClass.INNATE:
        raise UsageError("an innate memory never expires: leave out ttl and expires_at")
    new = NewMemory(content=text, kind=kind, details=details, links=links, **checked)
    if new.ttl is not None and new.expires_at is not None:
        raise UsageError("ttl and expires_at say the same thing: give one of them")
    if new.valid_from and new.valid_until and new.valid_until < new.valid_from:
        raise UsageError("valid_until lies before valid_from")
    return new


def _named(given: Mapping[str, object]) -> dict[str, object]:
    """Return the fields under their own names; one that is None was not given."""
    known = _CHECKS.keys() | OWN_FIELDS | _LINKS.keys() | {"kind", "extraction_method"}
    fields: dict[str, object] = {}
    for as_given, value in given.items():
        name = ALIASES.get(as_given, as_given)
        if name not in known:
            if name in _MADE:
                raise UsageError(f"{as_given} is made by Nola and can't be given")
            near = nearest(as_given, known | ALIASES.keys() | {"content"})
            raise UsageError(f"a memory has no field {str(as_given)!r}{near}")
        if name in fields:
            raise UsageError(f"{name} is given twice, once as {as_given}")
        if value is not None:
            fields[name] = value
    return fields


def _links(kind: Kind, fields: dict[str, object]) -> tuple[Link, ...]:
    """Take the fields that name other memories out of `fields` and return the edges that they ask for."""
    found: list[Link] = []
    method = fields.pop("extraction_method", None)
    properties: dict[str, Json] = {}
    if method is not None:
        if "derives_from" not in fields:
            raise UsageError("extraction_method says how a memory derives from another: give derives_from too")
        properties["extraction_method"] = checked_text("extraction_method", method)
    for name, edge in _LINKS.items():
        value = fields.pop(name, None)
        if value is None:
            continue
        targets = checked_texts(name, [value] if isinstance(value, str) else value)
        made = edge
        said: dict[str, Json] = {}
        if edge is EdgeKind.DERIVES_FROM:
            made = EdgeKind.PROCEDURE_DERIVES_FROM if kind is Kind.PROCEDURAL else edge
            said = dict(properties)
            if made is edge and "confidence" in fields:
                said["confidence"] = checked_share("confidence", fields["confidence"])
        found += [Link(made, target, said) for target in dict.fromkeys(targets)]
    return tuple(found)


def _name(name: str, value: object) -> str:
    return checked_text(name, value)


def _namespace(name: str, value: object) -> str:
    return checked_text(name, value, blank=False)


_TEXTS = tuple(
    """id content kind memory_class level status trust namespace agent user path origin channel conversation message
    author source importance confidence pinned concept""".split()
)
_TIMES = ("at", "valid_from", "valid_until", "expires_at", "created", "updated")
_GIVEN_TIMES = ("at", "valid_from", "valid_until")
_OPTIONAL_TIMES = frozenset({"valid_from", "valid_until", "expires_at"})
_SET_TIMES = ("at", "created", "updated")
_SHOWN_ONLY = frozenset(
    {"heat", "tier", "retention", "strength", "embedding", "access_count", "last_access", "stability"}
)

_LINKS: Mapping[str, EdgeKind] = {
    "derives_from": EdgeKind.DERIVES_FROM,
    "consolidates": EdgeKind.CONSOLIDATES,
    "cites": EdgeKind.CITES,
    "contradicts": EdgeKind.CONTRADICTS,
    "supersedes": EdgeKind.SUPERSEDES,
    "parent_of": EdgeKind.PARENT_OF,
}

_MADE = frozenset(
    """id status statistics created updated created_at updated_at embedding heat heat_score heat_tier tier retention
    access_count reference_count usage usage_count last_access last_accessed last_accessed_at revision""".split()
)

_SHOWN = {"memory_class": "class"}

_CHECKS: Mapping[str, Any] = {
    "memory_class": lambda name, value: checked_choice(name, value, MemoryClass),
    "level": lambda name, value: checked_whole(name, value, *_LEVELS),
    "trust": lambda name, value: checked_choice(name, value, Trust),
    "namespace": _namespace,
    **dict.fromkeys(
        ("agent", "user", "path", "origin", "channel", "conversation", "message", "author", "source", "concept"), _name
    ),
    **dict.fromkeys(("at", "valid_from", "valid_until", "expires_at"), checked_instant),
    "ttl": lambda name, value: checked_number(name, value, 0, _TTL),
    **dict.fromkeys(("importance", "confidence", "stability"), checked_share),
    "stability_days": lambda name, value: checked_number(name, value, 0.001, _DAYS),
    "pinned": checked_flag,
    "tags": checked_texts,
    "metadata": checked_object,
}
