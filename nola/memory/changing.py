"""Changes of stored memories: their fields, promotion to innate, and purging with a tombstone that stays."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING, Any

from nola.errors import UsageError
from nola.memory.axes import Kind, MemoryClass, State
from nola.memory.checks import checked_instant
from nola.memory.finding import by_seq
from nola.memory.instants import micros, written
from nola.memory.kinds import COUNTED, OWN_FIELDS, moved
from nola.memory.memory_rows import COLUMNS, row_of_record
from nola.memory.record import ALIASES, Record
from nola.memory.storing import mutable, next_revision, note, written_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import apsw

    from nola.types import Json

__all__ = ["change", "is_purged", "promote", "purge"]

_FIXED = frozenset(
    """id kind class memory_class status namespace created updated statistics access_count last_access stability
    details""".split()
)
_PLACED: Mapping[Kind, str] = {**COUNTED, Kind.WORKING: "task"}
_TOMB = """
INSERT OR REPLACE INTO tombstone (seq, id, revision, namespace, at, digest)
SELECT seq, id, ?2, namespace, ?3, ?4 FROM memory WHERE seq = ?1"""
_PURGED = "SELECT EXISTS (SELECT 1 FROM tombstone WHERE namespace = ? AND digest = ?)"


def change(connection: apsw.Connection, id_: str, given: Mapping[str, object], *, now: datetime) -> Record:
    """Give fields of a memory other values, checked like those of a new one; the event keeps the old ones.

    Args:
        connection: The writer's, inside a transaction.
        id_: The memory.
        given: New values by name; None empties a time.
        now: The present.

    Raises:
        UsageError: There is none of this id, a field is unknown or can't be changed so, a value is wrong, or the rules
            of its kind forbid the change.
        ProtectedError: It is innate.
    """
    seq = mutable(connection, id_)
    before = by_seq(connection, seq).record
    was = before.to_json()
    record = Record.from_json({**was, **_merged(was, given)})
    if record.trust.rank > before.trust.rank:
        raise UsageError(f"trust can be lowered, not raised from {before.trust.value} to {record.trust.value}")
    _keeps_the_rules(before, record)
    old_columns, new_columns = (row_of_record(one, seq=seq, revision=0) for one in (before, record))
    columns: dict[str, Any] = {
        name: new for name, old, new in zip(COLUMNS, old_columns, new_columns, strict=True) if old != new
    }
    if columns:
        written_in(connection, seq, {**columns, "updated": micros(now)})
        becomes = record.to_json()
        names = [name for name in was if was[name] != becomes[name]]
        old, new = ({name: side[name] for name in names} for side in (was, becomes))
        note(connection, seq, "changed", {"old": old, "new": new}, now=now)
    return by_seq(connection, seq).record


def promote(connection: apsw.Connection, id_: str, *, now: datetime) -> None:
    """Make a learned memory innate, for good: from now on nothing changes it, and it never expires.

    Raises:
        UsageError: There is none of this id.
        ProtectedError: It is innate already.
    """
    seq = mutable(connection, id_)
    expires = by_seq(connection, seq).record.expires_at
    old: dict[str, Json] = {"class": MemoryClass.LEARNED.value}
    new: dict[str, Json] = {"class": MemoryClass.INNATE.value}
    if expires is not None:
        old["expires_at"], new["expires_at"] = written(expires), None
    note(connection, seq, "changed", {"old": old, "new": new}, now=now)
    written_in(connection, seq, {"class": MemoryClass.INNATE.value, "expires_at": None, "updated": micros(now)})


def purge(connection: apsw.Connection, ids: Iterable[str], *, now: datetime) -> int:
    """Delete memories with all that refers to them, and keep only a digest that tells when one comes again (E-56).

    Raises:
        UsageError: There is none of one of these ids.
        ProtectedError: One of them is innate.
    """
    seqs = [(mutable(connection, id_), id_) for id_ in dict.fromkeys(ids)]
    for seq, _ in seqs:
        record = by_seq(connection, seq).record
        tomb = (seq, next_revision(connection), micros(now), _digest(record.content))
        connection.execute(_TOMB, tomb)
        connection.execute("DELETE FROM memory WHERE seq = ?", (seq,))
    return len(seqs)


def is_purged(connection: apsw.Connection, namespace: str, content: str) -> bool:
    """Tell whether a memory with this content was purged from a namespace; capitals and spaces don't count."""
    return bool(connection.execute(_PURGED, (namespace, _digest(content))).get)


def _merged(was: Mapping[str, Json], given: Mapping[str, object]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    kept = was["details"]
    details: dict[str, Any] = dict(kept) if isinstance(kept, dict) else {}
    for as_given, value in given.items():
        name = ALIASES.get(as_given, as_given)
        if name in _FIXED or (name not in was and name not in OWN_FIELDS):
            raise UsageError(f"a memory's {as_given} can't be changed")
        if name in OWN_FIELDS:
            details[name] = value
        else:
            changed[name] = written(checked_instant(as_given, value)) if isinstance(value, datetime) else value
    return {**changed, "details": details}


def _keeps_the_rules(before: Record, after: Record) -> None:
    """Refuse to move what its kind has put in its place: in an order, in a task, or on the way of an intention.

    Raises:
        UsageError: The change would do so (B03, B08, B17, B34).
    """
    kind, old, new = before.kind, before.details, after.details
    if placed := _PLACED.get(kind):
        whose = (("agent", before.agent, after.agent), ("user", before.user, after.user))
        for name, was, becomes in ((placed, old.get(placed), new.get(placed)), *whose):
            if was != becomes:
                raise UsageError(f"the {name} of {kind.value} memories can't be changed: store a new one")
    if kind is Kind.PROSPECTIVE:
        state, to = (State(str(one.get("state", State.PENDING))) for one in (old, new))
        if state is not to:
            moved(state, to)


def _digest(content: str) -> bytes:
    return hashlib.sha256(" ".join(content.casefold().split()).encode()).digest()
