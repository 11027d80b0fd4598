"""The kinds that come and go: observations that expire, slots of tasks, and intentions that move on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nola.errors import UsageError
from nola.memory import edges
from nola.memory.axes import EdgeKind, Kind, State
from nola.memory.finding import by_seq
from nola.memory.instants import micros, seconds
from nola.memory.kinds import Slot, evicted, is_expired, moved
from nola.memory.memory_rows import SELECT, StoredRow, dumped, stored_row
from nola.memory.record import new_memory
from nola.memory.storing import begun, insert, mutable, note, remove, seq_of, written_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    import apsw

    from nola.memory.dynamics.base import Statistics
    from nola.memory.record import NewMemory, Record

    Begin = Callable[[NewMemory, datetime], Statistics]

__all__ = ["Pushed", "attend", "complete", "move", "observations", "prune", "push", "slots"]

_TASK = f"{SELECT} WHERE m.kind = 'working' AND json_extract(m.details, '$.task') = ?"
_SLOTS = f"{_TASK} AND m.namespace = ? AND m.agent = ? AND m.status = 'active' ORDER BY m.seq"
_EXPIRED = "SELECT seq FROM memory WHERE expires_at <= ? AND kind = 'sensory' AND class <> 'innate'"
_SEEN = f"""{SELECT} WHERE m.kind = 'sensory' AND m.namespace = ? AND m.agent = ? AND m.status = 'active'
    AND (m.expires_at IS NULL OR m.expires_at > ?) AND (?4 IS NULL OR json_extract(m.details, '$.modality') = ?4)"""
_OLD_TOMBS = "DELETE FROM tombstone WHERE digest IS NULL AND revision < ?"
_TOMBS_KEPT = 100_000
_LONGEST = 1_000_000


class Pushed(NamedTuple):
    """What became of a slot: its id, or None when it was refused, and the ids of those that made room."""

    id: str | None
    evicted: tuple[str, ...]


def push(
    connection: apsw.Connection, new: NewMemory, id_: str, *, most: int, now: datetime, begin: Begin = begun
) -> Pushed:
    """Put a slot into the working memory of its task, which holds so many and keeps the most relevant (B08, E-21).

    Args:
        connection: The writer's, inside a transaction.
        new: A working memory; its details name the task.
        id_: Its id.
        most: Most slots of a task.
        now: The present.
        begin: Gives the statistics with which it begins.
    """
    if new.kind is not Kind.WORKING:
        raise UsageError(f"a task holds working memories, not {new.kind.value} ones")
    held = slots(connection, _text(new.details, "task"), namespace=new.namespace, agent=new.agent)
    by_id = {row.record.id: row for row in held}
    candidates = [_slot(row.record.id, row.record.details, seconds(row.record.created)) for row in held]
    out = evicted(candidates, _slot(id_, new.details, seconds(now)), most)
    refused = id_ in out
    remove(connection, [by_id[old].seq for old in out if old in by_id])
    if not refused:
        insert(connection, [new], [id_], now=now, begin=begin)
    return Pushed(None if refused else id_, tuple(old for old in out if old != id_))


def slots(connection: apsw.Connection, task: str, *, namespace: str = "default", agent: str = "") -> list[StoredRow]:
    """Return the slots of a task, the oldest first (B09)."""
    return [stored_row(row) for row in connection.execute(_SLOTS, (task, namespace, agent))]


def complete(
    connection: apsw.Connection, task: str, id_: str, *, now: datetime, namespace: str = "default", agent: str = "",
    begin: Begin = begun,
) -> int:  # fmt: skip
    """Write one episode that tells what a task held, then clear the task (B10, B13, E-22); return how many slots went.

    Args:
        connection: The writer's, inside a transaction.
        task: The task.
        id_: The id of the episode.
        now: The present.
        namespace: Where the task is.
        agent: Whose task it is.
        begin: Gives the statistics with which the episode begins.

    Raises:
        UsageError: The task holds nothing.
    """
    held = slots(connection, task, namespace=namespace, agent=agent)
    if not held:
        raise UsageError(f"the task {task!r} holds nothing")
    told = [f"- {_text(row.record.details, 'slot')}: {row.record.content}" for row in held]
    trust = min((row.record.trust for row in held), key=lambda one: one.rank)
    fields = {"kind": Kind.EPISODIC, "namespace": namespace, "agent": agent, "trust": trust, "source_label": "task"}
    episode = new_memory("\n".join([f"Completed the task {task}:", *told])[:_LONGEST], fields)
    insert(connection, [episode], [id_], now=now, begin=begin)
    return remove(connection, [row.seq for row in held])


def observations(
    connection: apsw.Connection, *, now: datetime, modality: str | None = None, namespace: str = "default",
    agent: str = "", newest: bool = False, limit: int = -1,
) -> list[StoredRow]:  # fmt: skip
    """Return what is observed and has not expired, in the order of observation (B02, B06, B07).

    Args:
        connection: A reader's.
        now: The present.
        modality: Of this modality only.
        namespace: Where it was observed.
        agent: Who observed it.
        newest: The last one first.
        limit: The most rows; -1 for all.
    """
    order = "DESC" if newest else "ASC"
    sql = f"{_SEEN} ORDER BY json_extract(m.details, '$.observation_order') {order} LIMIT ?5"
    rows = connection.execute(sql, (namespace, agent, micros(now), modality, limit))
    return [stored_row(row) for row in rows]


def prune(connection: apsw.Connection, *, now: datetime) -> int:
    """Delete the observations that have expired; return how many there were (B04)."""
    gone = remove(connection, [int(seq) for (seq,) in list(connection.execute(_EXPIRED, (micros(now),)))])
    if gone:
        last = connection.execute("SELECT value FROM counter WHERE name = 'revision'").get
        connection.execute(_OLD_TOMBS, (last - _TOMBS_KEPT,))
    return gone


def attend(
    connection: apsw.Connection, id_: str, reason: str, episode: str, *, now: datetime, begin: Begin = begun
) -> str | None:
    """Make an episode of an observation, joined by an edge that says why (B05); None when it has expired.

    Args:
        connection: The writer's, inside a transaction.
        id_: The observation.
        reason: Why it is attended to.
        episode: The id of the episode.
        now: The present.
        begin: Gives the statistics with which the episode begins.

    Raises:
        UsageError: There is no such observation.
    """
    observed = by_seq(connection, seq_of(connection, id_)).record
    if observed.kind is not Kind.SENSORY:
        raise UsageError(f"{id_} is a {observed.kind.value} memory; only observations are attended to")
    if is_expired(observed.expires_at, now):
        return None
    (seq,) = insert(connection, [_episode(observed, reason)], [episode], now=now, begin=begin)
    properties = {"attention_reason": reason}
    edges.put(connection, seq_of(connection, id_), EdgeKind.ATTENDED_TO, seq, properties=dict(properties), now=now)
    return episode


def move(connection: apsw.Connection, id_: str, to: State, *, now: datetime) -> State:
    """Move an intention on: pending, triggered, resolved (B34); return its state before.

    Raises:
        UsageError: It is no intention, or there is no such move.
        ProtectedError: It is innate.
    """
    seq = mutable(connection, id_)
    record = by_seq(connection, seq).record
    if record.kind is not Kind.PROSPECTIVE:
        raise UsageError(f"{id_} is a {record.kind.value} memory, no intention")
    before = State(_text(record.details, "state"))
    details = {**record.details, "state": moved(before, to).value}
    written_in(connection, seq, {"details": dumped(details), "updated": micros(now)})
    old = {"details": dict(record.details)}
    note(connection, seq, "changed", {"old": dict(old), "new": {"details": details}}, now=now)
    return before


def _slot(id_: str, details: Any, at_s: float) -> Slot:
    return Slot(id_, float(details.get("relevance", 0.0)), at_s)


def _text(details: Any, name: str) -> str:
    return str(details.get(name, ""))


def _episode(observed: Record, reason: str) -> NewMemory:
    raw = observed.details.get("raw_data")
    fields = {
        "kind": Kind.EPISODIC,
        "namespace": observed.namespace,
        "agent": observed.agent,
        "user": observed.user,
        "author": observed.author,
        "origin": observed.origin,
        "channel": observed.channel,
        "conversation": observed.conversation,
        "trust": observed.trust,
        "at": observed.at,
        "importance": observed.importance,
        "source_label": _text(observed.details, "modality"),
        "metadata": {**observed.metadata, "attended": {"observation": observed.id, "reason": reason}},
    }
    return new_memory(raw if isinstance(raw, str) and raw.strip() else observed.content, fields)
