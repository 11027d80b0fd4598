"""A memory as a row of the database: its columns in order, made of a new memory, and read back as a record."""

from __future__ import annotations

import json
import struct
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from nola.memory.axes import Kind, MemoryClass, Status, Trust
from nola.memory.dynamics.base import KEPT, Statistics
from nola.memory.instants import from_micros, micros
from nola.memory.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from nola.memory.record import NewMemory
    from nola.types import Json

__all__ = [
    "COLUMNS",
    "INSERT",
    "SELECT",
    "STATISTICS",
    "StoredRow",
    "dumped",
    "row_of_new",
    "row_of_record",
    "sound",
    "statistics_of",
    "statistics_values",
    "stored_row",
]

STATISTICS = ("began", "last_access", "access_count", "recent", "heat_bias", "stability_days", "stability", "r1", "r2",
              "chain_at", "usage")  # fmt: skip
"""The columns of `Statistics` except importance, in the order of `statistics_values`."""

COLUMNS = (
    *"""seq id revision content kind class level status trust namespace agent user path origin channel conversation
    message author source at valid_from valid_until expires_at importance confidence pinned concept tags metadata
    details created updated""".split(),
    *STATISTICS,
)
"""Every column of the table, in the order of `INSERT` and `SELECT`."""

INSERT = f"INSERT INTO memory ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 -- constants
SELECT = f"SELECT {', '.join(f'm.{name}' for name in COLUMNS)} FROM memory AS m"  # noqa: S608 -- constants only

_MILLION = 1_000_000
# What it comes to when a row of a damaged file is taken for what Nola wrote.
_DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error, apsw.ConstraintError)
_packers = [struct.Struct(f"<{count}q").pack for count in range(KEPT + 1)]
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A memory with its number in the database and the revision of its last change."""

    seq: int
    revision: int
    record: Record


@contextmanager
def sound() -> Iterator[None]:
    """Read or use what rows hold; what can't be so in a sound file is SQLite's own error for a damaged one.

    Raises:
        apsw.CorruptError: A row holds what Nola does not write; whoever lends the connection tells it in a sentence.
    """
    try:
        yield
    except _DAMAGE as error:
        raise apsw.CorruptError(f"a row is damaged ({error!s:.100})") from error


def row_of_new(
    new: NewMemory, *, seq: int, id_: str, revision: int, now: datetime, trust: Trust, details: Mapping[str, Json],
    statistics: Statistics,
) -> tuple[Any, ...]:  # fmt: skip
    """Return the columns of a memory that is stored now."""
    stored = micros(now)
    return (
        seq, id_, revision, new.content, new.kind, new.memory_class, new.level, Status.ACTIVE,
        trust, new.namespace, new.agent, new.user, new.path, new.origin, new.channel, new.conversation,
        new.message, new.author, new.source, stored if new.at is None else micros(new.at), _time(new.valid_from),
        _time(new.valid_until), _time(new.expiry(now)), new.importance, new.confidence, int(new.pinned), new.concept,
        dumped(list(new.tags)), dumped(new.metadata), dumped(details), stored, stored, *statistics_values(statistics),
    )  # fmt: skip


def row_of_record(record: Record, *, seq: int, revision: int) -> tuple[Any, ...]:
    """Return the columns of a memory that comes back as it was stored."""
    return (
        seq, record.id, revision, record.content, record.kind.value, record.memory_class.value, record.level,
        record.status.value, record.trust.value, record.namespace, record.agent, record.user, record.path,
        record.origin, record.channel, record.conversation, record.message, record.author, record.source,
        micros(record.at), _time(record.valid_from), _time(record.valid_until), _time(record.expires_at),
        record.importance, record.confidence, int(record.pinned), record.concept, dumped(list(record.tags)),
        dumped(record.metadata), dumped(record.details), micros(record.created), micros(record.updated),
        *statistics_values(record.statistics),
    )  # fmt: skip


def stored_row(row: Sequence[Any]) -> StoredRow:
    """Read a row of `SELECT`."""
    with sound():
        return _read_row(row)


def _read_row(row: Sequence[Any]) -> StoredRow:
    (seq, id_, revision, content, kind, class_, level, status, trust, namespace, agent, user, path, origin, channel,
     conversation, message, author, source, at, valid_from, valid_until, expires_at, importance, confidence, pinned,
     concept, tags, metadata, details, created, updated, *statistics) = row  # fmt: skip
    record = Record(
        id_, content, Kind(kind), MemoryClass(class_), level, Status(status), Trust(trust), namespace, agent, user,
        path, origin, channel, conversation, message, author, source, from_micros(at), _instant(valid_from),
        _instant(valid_until), _instant(expires_at), importance, confidence, bool(pinned), concept,
        _texts(tags), _object(metadata), _object(details), from_micros(created), from_micros(updated),
        statistics_of(importance, statistics),
    )  # fmt: skip
    return StoredRow(seq, revision, record)


def statistics_values(stat: Statistics) -> tuple[Any, ...]:
    """Return the columns `STATISTICS`."""
    return (
        _micros(stat.created_s), _micros(stat.last_access_s), stat.access_count, _packed(stat.recent_s), stat.heat_bias,
        stat.stability_days, stat.stability, stat.r1, stat.r2, _micros(stat.chain_s), stat.usage,
    )  # fmt: skip


def statistics_of(importance: float, values: Sequence[Any]) -> Statistics:
    """Read the columns `STATISTICS`."""
    began, last, count, recent, bias, days, stability, r1, r2, chain, usage = values
    return Statistics(
        importance, began / _MILLION, last / _MILLION, count, _unpacked(recent), bias, days, stability, r1, r2,
        chain / _MILLION, usage,
    )  # fmt: skip


def dumped(value: Mapping[str, Json] | list[Json]) -> str:
    """Write a list or an object as compact JSON, as the database keeps it."""
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    return _encode(value if isinstance(value, list) else dict(value))


def _packed(times_s: Sequence[float]) -> bytes:
    return _packers[len(times_s)](*[round(at * _MILLION) for at in times_s])


def _unpacked(blob: bytes) -> tuple[float, ...]:
    return tuple([at / _MILLION for (at,) in struct.iter_unpack("<q", blob)])


def _texts(text: str) -> tuple[str, ...]:
    value = json.loads(text)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError(f"no list of texts: {text:.40}")
    return tuple(value)


def _object(text: str) -> dict[str, Json]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError(f"no object: {text:.40}")
    return value


def _micros(at_s: float) -> int:
    return round(at_s * _MILLION)


def _time(at: datetime | None) -> int | None:
    return None if at is None else micros(at)


def _instant(number: int | None) -> datetime | None:
    return None if number is None else from_micros(number)
