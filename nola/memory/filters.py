"""Which memories are meant, as a value, and as a condition for the database."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nola.memory.axes import Kind, MemoryClass, Status, Trust
from nola.memory.instants import micros
from nola.memory.memory_rows import dumped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from nola.types import Json

__all__ = ["GLOBAL", "Filter", "where"]

GLOBAL = "global"
"""The namespace whose innate memories are seen from every other one (A53); what is learned in it stays in it."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are meant; what is empty or None does not matter.

    Attributes:
        kinds: Of one of these kinds.
        classes: Of one of these classes.
        levels: Of one of these levels, 1 to 3.
        statuses: Of one of these statuses.
        trust: Trusted at least so far.
        namespace: In this namespace, and what is innate in `GLOBAL`; None for all of them.
        agent: Of this agent.
        user: Of this user.
        seen_by: As this user sees it: her own memories, and what is innate and nobody's.
        author: Said by this person.
        conversation: Of this conversation.
        concept: About this concept.
        tags: With all of these tags.
        pinned: Pinned, or not.
        since: It happened at this time or later.
        until: It happened before this time.
        valid_at: It was true at this time.
        details: With these values in the fields of its kind.
        as_of: As everything was known at this time: nothing that was stored or changed later is seen (P15).
        expired: Also what has expired.
    """

    kinds: frozenset[Kind] = frozenset()
    classes: frozenset[MemoryClass] = frozenset()
    levels: frozenset[int] = frozenset()
    statuses: frozenset[Status] = frozenset({Status.ACTIVE})
    trust: Trust | None = None
    namespace: str | None = "default"
    agent: str | None = None
    user: str | None = None
    seen_by: str | None = None
    author: str | None = None
    conversation: str | None = None
    concept: str | None = None
    tags: frozenset[str] = frozenset()
    pinned: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    valid_at: datetime | None = None
    details: tuple[tuple[str, Json], ...] = ()
    as_of: datetime | None = None
    expired: bool = False


def where(wanted: Filter, now: datetime) -> tuple[str, list[Any]]:
    """Return the condition for rows of `memory AS m`, and its values.

    Args:
        wanted: Which memories.
        now: The present, for what has expired.
    """
    parts: list[str] = ["1"]
    values: list[Any] = []
    for name, (condition, stored) in _CONDITIONS.items():
        value = getattr(wanted, name)
        if value is not None and value != frozenset():
            parts.append(condition)
            values.append(stored(value))
    if wanted.namespace is not None:
        parts.append(_NAMESPACE)
        values += [wanted.namespace, GLOBAL, wanted.namespace]
    if wanted.classes == {MemoryClass.INNATE}:
        parts.append("m.class = 'innate' AND m.namespace >= ''")  # these words find the index of the few
    if wanted.statuses:
        parts += _of_statuses(wanted, values)
    if wanted.tags:
        parts.append(_TAGS)
        values += [_listed(wanted.tags), len(wanted.tags)]
    if wanted.details:
        parts.append(_DETAILS)
        values.append(dumped(dict(wanted.details)))
    if not wanted.expired:
        parts.append("(m.expires_at IS NULL OR m.expires_at > ?)")
        values.append(micros(wanted.as_of or now))
    return " AND ".join(parts), values


def _of_statuses(wanted: Filter, values: list[Any]) -> list[str]:
    """Return the conditions for the statuses, and put their values behind the others."""
    if wanted.as_of is not None:
        values += [micros(wanted.as_of), _listed(wanted.statuses)]
        return [_STATUS_THEN]
    values.append(_listed(wanted.statuses))
    return [_STATUS] if Status.ACTIVE in wanted.statuses else ["m.status <> 'active'", _STATUS]


def _listed(names: Iterable[Any]) -> str:
    return json.dumps(sorted(names))


def _at_least(trust: Trust) -> str:
    return _listed(other for other in Trust if other.rank >= trust.rank)


_CONDITIONS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    **{name: (f"m.{name} = ?", str) for name in ("agent", "user", "author", "conversation", "concept")},
    "seen_by": ("(m.user = ? OR (m.user = '' AND m.class = 'innate'))", str),
    "kinds": ("m.kind IN (SELECT value FROM json_each(?))", _listed),
    "classes": ("m.class IN (SELECT value FROM json_each(?))", _listed),
    "levels": ("m.level IN (SELECT value FROM json_each(?))", _listed),
    "trust": ("m.trust IN (SELECT value FROM json_each(?))", _at_least),
    "pinned": ("m.pinned = ?", int),
    "since": ("m.at >= ?", micros),
    "until": ("m.at < ?", micros),
    "valid_at": ("? BETWEEN coalesce(m.valid_from, -1e18) AND coalesce(m.valid_until - 1, 1e18)", micros),
    "as_of": ("m.created <= ?", micros),
}
_NAMESPACE = "m.namespace IN (?, ?) AND (+m.namespace = ? OR m.class = 'innate')"
_TAGS = """(SELECT count(DISTINCT value) FROM json_each(m.tags)
    WHERE value IN (SELECT value FROM json_each(?))) = ?"""
_DETAILS = """NOT EXISTS (SELECT 1 FROM json_each(?) AS w LEFT JOIN json_each(m.details) AS d ON d.key = w.key
    WHERE w.value IS NULL OR d.value IS NOT w.value
    OR (d.type IN ('array', 'object')) <> (w.type IN ('array', 'object')))"""
_STATUS = "m.status IN (SELECT value FROM json_each(?))"
_STATUS_THEN = """coalesce((SELECT json_extract(e.detail, '$.old') FROM event AS e
    WHERE e.memory = m.seq AND e.what = 'status' AND e.at > ? ORDER BY e.number LIMIT 1), m.status)
    IN (SELECT value FROM json_each(?))"""
