"""A process that remembers: it stores memories one after another and acknowledges each, until it is killed.

The arguments are the way and the database. `nola` is Nola's; `early` acknowledges fifty memories before it stores them,
and `unflushed` commits without waiting for the disk, which are the controls. A burst begins at a number; a look answers
which numbers of a name are stored, and what is wrong with the file.
"""

from __future__ import annotations

import contextlib
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nola.clock import SystemClock
from nola.memory import schema
from nola.memory.axes import EdgeKind
from nola.memory.database import Database
from nola.memory.dynamics.base import Statistics, counted
from nola.memory.memories import Memories
from nola.memory.record import new_memory
from tests.faults.drivers.line import orders, say

if TYPE_CHECKING:
    import apsw

__all__ = ["defects", "main", "stored"]

_EARLY = 50
_EVERY_USE = 5


def main(arguments: list[str]) -> None:
    """Remember in the way of the first argument in the file of the second, as the line says."""
    way, path = arguments[0], Path(arguments[1])
    database = Database(path, clock=SystemClock())
    memories = Memories(database)
    if way == "unflushed":
        database.write(lambda c: c.pragma("user_version"))
        with database._connections.writing:
            database._connections.writer().pragma("synchronous", "off")
    say(ok=True)
    for order in orders():
        if order["do"] == "burst":
            _burst(memories, order["name"], order["first"], early=way == "early")
        else:
            say(ok=True, stored=sorted(stored(path, order["name"])), defects=defects(path))


def stored(path: Path, name: str) -> set[int]:
    """Return the numbers of a name's memories that are in the file."""
    with contextlib.closing(schema.open_ready(path)) as connection:
        rows = connection.execute("SELECT content FROM memory WHERE author = ?", (name,))
        return {int(str(content).rpartition(" ")[2]) for (content,) in rows}


def defects(path: Path) -> list[str]:
    """Say what is wrong with the file: its pages, what refers to nothing, its full text, and rows without a history."""
    with contextlib.closing(schema.open_ready(path)) as connection:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row != ("ok",)]
        found += [f"refers to nothing: {row}" for row in connection.execute("PRAGMA foreign_key_check")]
        with schema.transaction(connection):
            connection.execute("INSERT INTO memory_text (memory_text, rank) VALUES ('integrity-check', 1)")
        found += _orphans(connection)
    return found


def _orphans(connection: apsw.Connection) -> list[str]:
    bare = "SELECT id FROM memory WHERE seq NOT IN (SELECT memory FROM event WHERE what = 'stored')"
    return [f"without an event: {id_}" for (id_,) in connection.execute(bare)]


def _burst(memories: Memories, name: str, first: int, *, early: bool) -> None:
    before: list[str] = []
    for number in count(first):
        say(begin=number)
        if early:
            say(ack=number)
            before.append(f"number {number}")
            if len(before) == _EARLY:
                memories.insert_many([new_memory(content, {"author": name}) for content in before])
                before.clear()
            continue
        before = [*before[-2:], *memories.insert_many([new_memory(f"number {number}", {"author": name})])]
        if number % _EVERY_USE == 0 and len(before) > 1:
            _use(memories, f"{name} {number}", before)
        say(ack=number)


def _use(memories: Memories, request: str, ids: list[str]) -> None:
    def once(stat: Statistics) -> Statistics:
        return counted(stat, memories.get(ids[0]).record.kind, 1.0)

    used: dict[str, Any] = dict.fromkeys(ids[:1], once)
    memories.record_access(request, used)
    memories.link(ids[0], EdgeKind.ASSOCIATED, ids[-1], weight=0.5)


if __name__ == "__main__":
    main(sys.argv[1:])
