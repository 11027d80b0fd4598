"""Lazy pull as a plan: which children a parent that is read has to pull, and what the parents hold afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.state import contract

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from nola.state.contract import Metadata
    from nola.types import Json

__all__ = [
    "AGGREGATOR",
    "AGGREGATOR_FILE",
    "MACHINE",
    "Child",
    "Levels",
    "Plan",
    "copy_at",
    "due",
    "file_of",
    "own_data",
    "plan",
    "project",
]

AGGREGATOR = "identity"
AGGREGATOR_FILE = "identity.json"
MACHINE = "machineID"
_CORE_CHILDREN = {MACHINE, "user"}


@dataclass(frozen=True, slots=True)
class Levels:
    """Up to which context level nodes travel: to identity.json, and from there to Nola.json."""

    aggregator: int = 2
    top: int = 1


@dataclass(frozen=True, slots=True)
class Child:
    """A raw module as its parent sees it.

    Attributes:
        name: The module's name.
        metadata: The root node's metadata.
        data: The root node's data.
        seen: When the parent last looked at it, None for never.
        changed: Its content is known to differ from what was last pulled, though nobody raised the flag.
    """

    name: str
    metadata: Metadata
    data: Json
    seen: datetime | None = None
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pull comes to; nothing has happened yet.

    Attributes:
        pulled: Names of the children that are pulled.
        flagged: Those of them whose flag has to be lowered.
        identity: The aggregator's new file, None when it stays as it is.
        top: The global node's new file, None when it stays as it is.
        clashes: Places of the owner's own values that stand where a copy would go; they stay.
    """

    pulled: tuple[str, ...]
    flagged: tuple[str, ...]
    identity: dict[str, Json] | None
    top: dict[str, Json] | None
    clashes: tuple[str, ...] = ()


def file_of(name: str) -> str:
    """Return a raw module's file, relative to the state folder."""
    return f"{name}.json" if name in _CORE_CHILDREN else f"modules/{name}.json"


def due(child: Child, now: datetime, *, ablate: bool = False) -> bool:
    """Say whether a child has to be pulled: flagged, changed, never looked at, or stale since it was looked at (E-40).

    Staleness counts from the parent's last look: a module's own time tells how old its facts are, and a pull doesn't
    make them younger.
    """
    if ablate or child.changed or child.seen is None:
        return True
    return contract.should_sync({**child.metadata, "last_updated": contract.stamp(child.seen)}, now)


def plan(
    top: dict[str, Json],
    identity: dict[str, Json],
    children: Sequence[Child],
    existing: Collection[str],
    now: datetime,
    *,
    levels: Levels,
) -> Plan:
    """Plan the pull of `children` into the aggregator and from there into the global node.

    Args:
        top: Nola.json as it stands.
        identity: identity.json as it stands.
        children: The children that are pulled.
        existing: Names of all raw modules; copies of others are taken out.
        now: The present instant.
        levels: Up to which level nodes travel.
    """
    names = [child.name for child in children]
    copies = {child.name: _copy(child, levels.aggregator) for child in children}
    metadata, data = contract.split_root(identity)
    held, clashes = _placed(data, copies, existing)
    top_metadata, top_data = contract.split_root(top)
    copied = {key: item for key, item in held.items() if key in existing and copy_at(key, item)}
    limit = min(levels.top, levels.aggregator)
    above, blocked = _raised(top_data if isinstance(top_data, dict) else {}, copied, names, limit=limit, now=now)
    return Plan(
        pulled=tuple(names),
        flagged=tuple(child.name for child in children if child.metadata.get("needs_sync") is True),
        identity=_saved(identity, metadata, data, held, now),
        top=_saved(top, top_metadata, top_data, above, now),
        clashes=(*(f"{AGGREGATOR}.{name}" for name in clashes), *blocked),
    )


def project(value: Json, limit: int, inherited: int) -> tuple[Json, bool]:
    """Keep of a value what travels up to `limit`.

    Args:
        value: A value inside a node's data, nodes nested anywhere.
        limit: Highest context level that travels.
        inherited: Level of the node around the value.

    Returns:
        The pruned value, and whether anything is left of it; a list keeps its numbering, with null for what stays.
    """
    if contract.is_node(value):
        metadata, data = contract.split_node(value)
        inner, left = project(data, limit, contract.level_of(metadata, inherited))
        return {**value, "data": inner}, left
    if isinstance(value, dict):
        pairs = [(key, *project(item, limit, inherited)) for key, item in value.items()]
        kept: dict[str, Json] = {key: item for key, item, left in pairs if left}
        return kept, bool(kept) or (not value and inherited <= limit)
    if isinstance(value, list):
        items = [project(item, limit, inherited) for item in value]
        some = any(left for _, left in items)
        return [item if left else None for item, left in items], some or (not value and inherited <= limit)
    return value, inherited <= limit


def own_data(name: str, data: Json) -> Json:
    """Return what of a parent's data is its own: all but the copies that were pulled."""
    if not isinstance(data, dict):
        return data
    if name == AGGREGATOR:
        return {key: item for key, item in data.items() if not copy_at(key, item)}
    return {key: item for key, item in data.items() if not _is_raised(key, item)}


def copy_at(key: str, item: Json) -> bool:
    """Say whether what stands under a key of the aggregator is a module's copy."""
    return contract.is_node(item) and contract.split_node(item)[0].get("source_file") == file_of(key)


def _copy(child: Child, limit: int) -> dict[str, Json] | None:
    kept, left = project(child.data, limit, contract.level_of(child.metadata))
    if not left or kept in ({}, []):
        return None
    return {
        "metadata": {**child.metadata, "needs_sync": False, "source_file": file_of(child.name)},
        "data": kept,
    }


def _placed(
    data: Json, copies: Mapping[str, dict[str, Json] | None], existing: Collection[str]
) -> tuple[dict[str, Json], list[str]]:
    before = data if isinstance(data, dict) else {}
    after: dict[str, Json] = {}
    clashes = []
    for key, item in before.items():
        if not copy_at(key, item):
            after[key] = item
            if copies.get(key):
                clashes.append(key)
        elif key in existing:
            fresh = copies.get(key, item)
            if fresh is not None:
                after[key] = fresh
    after.update({name: copy for name, copy in copies.items() if copy is not None and name not in before})
    return after, clashes


def _raised(
    before: dict[str, Json], held: Mapping[str, Json], names: Sequence[str], *, limit: int, now: datetime
) -> tuple[dict[str, Json], list[str]]:
    """Place the global node's share of the aggregator's copies below its `identity`."""
    if AGGREGATOR in before and not _is_raised(AGGREGATOR, before[AGGREGATOR]):
        return dict(before), [f"Nola.{AGGREGATOR}"]
    metadata, stands = contract.split_node(before.get(AGGREGATOR, {}))
    copies = {name: _lifted(held[name], limit) if name in held else None for name in names}
    inside, _ = _placed(stands, copies, held)
    if inside == stands:
        return dict(before), []
    if not inside:
        return {key: item for key, item in before.items() if key != AGGREGATOR}, []
    fresh = contract.create_metadata(1, AGGREGATOR_FILE, now=now)
    return {
        **before,
        AGGREGATOR: {"metadata": {**fresh, **metadata, "last_updated": contract.stamp(now)}, "data": inside},
    }, []


def _lifted(node: Json, limit: int) -> dict[str, Json] | None:
    metadata, data = contract.split_node(node)
    kept, left = project(data, limit, contract.level_of(metadata))
    return {"metadata": metadata, "data": kept} if left and kept not in ({}, []) else None


def _saved(
    raw: dict[str, Json], metadata: Metadata, before: Json, after: dict[str, Json], now: datetime
) -> dict[str, Json] | None:
    if after == before or not isinstance(before, dict):
        return None
    return contract.join_root(raw, contract.mark_synced(contract.touched(metadata, now), now), after)


def _is_raised(key: str, item: Json) -> bool:
    return (
        key == AGGREGATOR
        and contract.is_node(item)
        and contract.split_node(item)[0].get("source_file") == AGGREGATOR_FILE
    )
