"""The learned memory as JSON objects and back to its lines, and what of it would be new here."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from nola.errors import DocumentError
from nola.memory.axes import EdgeKind, Kind
from nola.memory.edges import SYMMETRIC
from nola.state import document
from nola.transfer.content import MAX_DEPTH, PLACE, RAW

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from nola.transfer.content import Memories
    from nola.types import Json

    _Key: TypeAlias = tuple[str, ...]

__all__ = ["MemoriesPlan", "MemoryPlan", "compared", "lines_of", "object_of", "objects_of"]

_LONGEST_WHY = 300


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """One memory that would be stored."""

    id: str
    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class MemoriesPlan:
    """What becomes of the learned memory.

    Attributes:
        new: The memories that would be stored, by id.
        known: How many are here already, and are passed over, whatever the file says of them.
        events: How many events the new ones bring.
        uses: How many uses the new ones bring.
        edges: How many edges are new.
        pairs: Of how many pairs it is new that they were used together.
        purged: How many purges are new.
        counters: How many counters would go on from a higher number.
    """

    new: tuple[MemoryPlan, ...] = ()
    known: int = 0
    events: int = 0
    uses: int = 0
    edges: int = 0
    pairs: int = 0
    purged: int = 0
    counters: int = 0

    @property
    def is_done(self) -> bool:
        """Everything is here already."""
        return not (self.new or self.edges or self.pairs or self.purged or self.counters)


def objects_of(lines: Iterable[str]) -> list[Json]:
    """Return the lines of the memory as objects; one that other readers of JSON would change stays text, in one."""
    return [_object_of(line) for line in lines]


def lines_of(value: Json) -> tuple[str, ...]:
    """Return the lines that `objects_of` was given; what they say is looked at by `compared`.

    Args:
        value: What `objects_of` returned.

    Raises:
        DocumentError: It is no list of objects.
    """
    if not isinstance(value, list):
        raise DocumentError(PLACE, 0, 0, "memories is no list")
    return tuple(_line_of(item, number) for number, item in enumerate(value))


def object_of(value: Json) -> dict[str, Any]:
    """Return what one object of an export says, out of its text when it stands there as one."""
    if not isinstance(value, dict):
        return {}
    return json.loads(str(value[RAW])) if RAW in value else value


def compared(given: Sequence[str], stored: Memories) -> MemoriesPlan:
    """Say what storing lines would come to; all of it is tried, and taken back.

    Args:
        given: The lines.
        stored: The memory that is here.

    Raises:
        DocumentError: An object is not what the memory gives out, or names what is not there; its place is told.
        NolaError: The memory that is here can't be read.
    """
    if not given:
        return MemoriesPlan()
    try:
        gone = frozenset(stored.import_lines(given, skip_known=True, dry_run=True).gone)
    except DocumentError as error:
        raise _wrong(error.line - 1, error.why) from error
    here = {key: value if key[0] == "counter" else 0 for key, value in _things(stored.export_lines())}
    seen: set[_Key] = set()
    counts: Counter[str] = Counter()
    new: list[MemoryPlan] = []
    for key, value in _things(given):
        if key in seen and key[0] == "memory":
            raise DocumentError(PLACE, 0, 0, f"two memories have the id {key[1]!r}")
        if key in seen or (key in here and (key[0] != "counter" or value <= here[key])):
            counts["known"] += key[0] == "memory"
        elif not gone.isdisjoint(key[1:]) or _lives(key, here, seen):
            continue  # what was deleted here stays so, and what lives here lives on
        else:
            counts[key[0]] += 1
            if key[0] == "memory":
                new.append(_plan_of(value["memory"]))
                counts.update(event=len(value["events"]), use=len(value["uses"]))
        seen.add(key)
    return MemoriesPlan(
        new=tuple(new),
        known=counts["known"],
        events=counts["event"],
        uses=counts["use"],
        edges=counts["edge"],
        pairs=counts["pair"],
        purged=counts["tombstone"],
        counters=counts["counter"],
    )


def _object_of(line: str) -> Json:
    value: Json = json.loads(line)
    return {RAW: line} if document.defect(value) else value


def _line_of(value: Json, number: int) -> str:
    if not isinstance(value, dict):
        raise _wrong(number, "it is no object")
    if RAW not in value:
        return orjson.dumps(value).decode()
    text = value[RAW]
    if not isinstance(text, str) or len(value) != 1 or not _is_object(text):
        raise _wrong(number, f"it holds {RAW!r}, which is no JSON text of an object")
    return text


def _is_object(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and document.depth(value, MAX_DEPTH) < MAX_DEPTH


def _things(lines: Sequence[str]) -> Iterator[tuple[_Key, Any]]:
    """Yield what lines tell, each thing with what makes it that one; the first line tells what they are."""
    for line in lines[1:]:
        told = json.loads(line)
        if "memory" in told:
            yield ("memory", told["memory"]["id"]), told
        elif "edge" in told:
            edge = told["edge"]
            ends = [edge["source"], edge["target"]]
            yield ("edge", edge["kind"], *(sorted(ends) if EdgeKind(edge["kind"]) in SYMMETRIC else ends)), None
        elif "pair" in told:
            yield ("pair", *sorted(told["pair"][:2])), None
        elif "tombstone" in told:
            yield ("tombstone", str(told["tombstone"]["id"])), None
        else:
            counters = told["counters"].items()
            yield from ((("counter", name), int(value)) for name, value in counters if name != "revision")


def _lives(key: _Key, here: Container[_Key], seen: Container[_Key]) -> bool:
    """Tell whether it is the purge of a memory that lives."""
    memory = ("memory", *key[1:])
    return key[0] == "tombstone" and (memory in here or memory in seen)


def _plan_of(memory: dict[str, Any]) -> MemoryPlan:
    return MemoryPlan(memory["id"], memory.get("kind") or Kind.SEMANTIC.value, memory["content"])


def _wrong(number: int, why: str) -> DocumentError:
    told = why if len(why) <= _LONGEST_WHY else f"{why[:_LONGEST_WHY]}…"
    return DocumentError(PLACE, 0, 0, f"memories.{number}: {told}")
