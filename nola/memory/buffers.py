"""The kinds that come and go: observations that expire, slots of tasks, and intentions that move on."""

from __future__ import annotations

from itertools import groupby
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
    from collections.abc import Callable, Sequence
    from datetime import datetime

    import apsw

    from nola.memory.dynamics.base import Statistics
    from nola.memory.record import NewMemory, Record

    Begin = Callable[[NewMemory, datetime], Statistics]

__all__ = ["Pushed", "attend", "complete", "move", "observations", "prune", "push", "slots", "store"]

_THEIRS = "(:seen_by IS NULL OR m.user = :seen_by OR (m.user = '' AND m.class = 'innate'))"
_TASK = f"{SELECT} WHERE m.kind = 'working' AND json_extract(m.details, '$.task') = :task"
_SLOTS = (
    f"{_TASK} AND m.namespace = :namespace AND m.agent = :agent AND m.status = 'active' AND {_THEIRS} ORDER BY m.seq"
)
_EXPIRED = f"""
SELECT m.seq FROM memory AS m WHERE m.expires_at <= :now AND m.kind = 'sensory' AND m.class <> 'innate'
    AND m.status <> 'archived' AND {_THEIRS}"""  # noqa: S608 -- constants only
_SEEN = f"""{SELECT} WHERE m.kind = 'sensory' AND m.namespace = :namespace AND m.agent = :agent AND m.status = 'active'
    AND (m.expires_at IS NULL OR m.expires_at > :now)
    AND (:modality IS NULL OR json_extract(m.details, '$.modality') = :modality) AND {_THEIRS}"""
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

    Agents and users have tasks of their own (D44). Innate slots are counted and never give way.

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
    task = _text(new.details, "task")
    held = slots(connection, task, namespace=new.namespace, agent=new.agent, seen_by=new.user)
    learned = {row.record.id: row for row in held if not row.record.is_innate}
    room = most - len(held) + len(learned)
    candidates = [_slot(old, row.record.details, seconds(row.record.created)) for old, row in learned.items()]
    out = evicted(candidates, _slot(id_, new.details, seconds(now)), room)
    refused = id_ in out
    remove(connection, [learned[old].seq for old in out if old != id_])
    if not refused:
        insert(connection, [new], [id_], now=now, begin=begin)
    return Pushed(None if refused else id_, tuple(old for old in out if old != id_))


def store(
    connection: apsw.Connection, memories: Sequence[NewMemory], ids: Sequence[str], *, most: int, now: datetime,
    begin: Begin = begun,
) -> None:  # fmt: skip
    """Store memories of all kinds in their order, each slot pushed into its task, as if each came by itself.

    Args:
        connection: The writer's, inside a transaction.
        memories: What to store.
        ids: Their ids.
        most: Most slots of a task.
        now: The present.
        begin: Gives the statistics with which a memory begins.

    Raises:
        UsageError: A task has no room for a slot; or as `storing.insert`.
        ConflictError: One of the ids is there already.
        ProtectedError: An innate memory would be superseded.
    """
    numbered = zip(range(1, len(memories) + 1), memories, ids, strict=True)
    for is_slot, group in groupby(numbered, key=lambda one: one[1].kind is Kind.WORKING):
        together = list(group)
        if not is_slot:
            _, others, names = zip(*together, strict=True)
            insert(connection, others, names, now=now, begin=begin)
            continue
        for number, new, id_ in together:
            if push(connection, new, id_, most=most, now=now, begin=begin).id is None:
                which = f"memory {number}: " if number > 1 else ""
                raise UsageError(
                    f"{which}the working memory of this task holds {most} slots that are all more relevant, or innate",
                    fix="complete the task, or give the slot a higher relevance",
                )


def slots(
    connection: apsw.Connection, task: str, *, namespace: str = "default", agent: str = "", seen_by: str | None = None
) -> list[StoredRow]:
    """Return the slots of a task, the oldest first (B09); with `seen_by`, those that this user sees."""
    named = {"task": task, "namespace": namespace, "agent": agent, "seen_by": seen_by}
    return [stored_row(row) for row in connection.execute(_SLOTS, named)]


def complete(
    connection: apsw.Connection, task: str, id_: str, *, now: datetime, namespace: str = "default", agent: str = "",
    seen_by: str | None = None, begin: Begin = begun,
) -> int:  # fmt: skip
    """Write one episode that tells what a task held, then clear the task (B10, B13, E-22); return how many slots went.

    Innate slots are told of and stay.

    Args:
        connection: The writer's, inside a transaction.
        task: The task.
        id_: The id of the episode.
        now: The present.
        namespace: Where the task is.
        agent: Whose task it is.
        seen_by: The user whose task it is; None for the slots of all.
        begin: Gives the statistics with which the episode begins.

    Raises:
        UsageError: The task holds nothing, or nothing that could be cleared.
    """
    held = slots(connection, task, namespace=namespace, agent=agent, seen_by=seen_by)
    cleared = [row.seq for row in held if not row.record.is_innate]
    if not cleared:
        raise UsageError(f"the task {task!r} holds nothing{' but what is innate' if held else ''}")
    told = [f"- {_text(row.record.details, 'slot')}: {row.record.content}" for row in held]
    trust = min((row.record.trust for row in held), key=lambda one: one.rank)
    users = {row.record.user for row in held}
    fields = {
        "kind": Kind.EPISODIC,
        "namespace": namespace,
        "agent": agent,
        "user": seen_by or (users.pop() if len(users) == 1 else ""),
        "trust": trust,
        "source_label": "task",
    }
    episode = new_memory("\n".join([f"Completed the task {task}:", *told])[:_LONGEST], fields)
    insert(connection, [episode], [id_], now=now, begin=begin)
    return remove(connection, cleared)


def observations(
    connection: apsw.Connection, *, now: datetime, modality: str | None = None, namespace: str = "default",
    agent: str = "", seen_by: str | None = None, newest: bool = False, limit: int = -1,
) -> list[StoredRow]:  # fmt: skip
    """Return what is observed and has not expired, in the order of observation (B02, B06, B07).

    Args:
        connection: A reader's.
        now: The present.
        modality: Of this modality only.
        namespace: Where it was observed.
        agent: Who observed it.
        seen_by: As this user sees it; None for all.
        newest: The last one first.
        limit: The most rows; -1 for all.
    """
    order = "DESC" if newest else "ASC"
    sql = f"{_SEEN} ORDER BY json_extract(m.details, '$.observation_order') {order} LIMIT :limit"
    named = {
        "namespace": namespace,
        "agent": agent,
        "seen_by": seen_by,
        "now": micros(now),
        "modality": modality,
        "limit": limit,
    }
    return [stored_row(row) for row in connection.execute(sql, named)]


def prune(connection: apsw.Connection, *, now: datetime, seen_by: str | None = None) -> int:
    """Delete the observations that have expired, save innate and archived ones; return how many there were (B04).

    Args:
        connection: The writer's, inside a transaction.
        now: The present.
        seen_by: Those of this user only; None for all.
    """
    expired = list(connection.execute(_EXPIRED, {"now": micros(now), "seen_by": seen_by}))
    gone = remove(connection, [int(seq) for (seq,) in expired])
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
