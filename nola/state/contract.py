"""The metadata contract: all that one module of the state may know of another (seed 004, 4.2 and appendix A)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from nola.types import Json

__all__ = [
    "DEFAULT_LEVEL",
    "DEFAULT_THRESHOLD",
    "Metadata",
    "all_violations",
    "create_metadata",
    "is_node",
    "is_stale",
    "join_root",
    "level_of",
    "mark_synced",
    "plain",
    "request_sync",
    "should_sync",
    "split_node",
    "split_root",
    "stamp",
    "touched",
    "updated_of",
    "version_of",
    "violations",
]

Metadata: TypeAlias = "dict[str, Json]"

DEFAULT_THRESHOLD = 600
# What a file without a level is taken for: one that was dropped in by hand joins conversations, not greetings.
DEFAULT_LEVEL = 2
_LEVELS = (1, 2, 3)
_BARE = re.compile(r'[^."\s]+')


def create_metadata(
    context_level: int = 1,
    source_file: str | None = None,
    *,
    now: datetime,
    stale_threshold_seconds: int = DEFAULT_THRESHOLD,
) -> Metadata:
    """Make the metadata of a new node (E60).

    Args:
        context_level: 1, 2 or 3.
        source_file: The file it is born in, relative to the state folder.
        now: The present instant.
        stale_threshold_seconds: Age after which the node is refreshed when read.

    Raises:
        ValueError: The level is not 1, 2 or 3.
    """
    if context_level not in _LEVELS:
        raise ValueError(f"context level is 1, 2 or 3, not {context_level}")
    return {
        "last_updated": stamp(now),
        "context_level": int(context_level),
        "needs_sync": False,
        "stale_threshold_seconds": stale_threshold_seconds,
        "source_file": source_file,
        "version": 1,
    }


def should_sync(metadata: Metadata, now: datetime) -> bool:
    """Say whether a node asks to be pulled: flagged or stale (E-40)."""
    return metadata.get("needs_sync") is True or is_stale(metadata, now)


def is_stale(metadata: Metadata, now: datetime) -> bool:
    """Say whether more seconds have passed than the node's threshold; an unreadable time counts as stale."""
    updated = updated_of(metadata)
    if updated is None:
        return True
    return (now - updated).total_seconds() > _threshold_of(metadata)


def request_sync(metadata: Metadata) -> Metadata:
    """Return the metadata with its flag raised."""
    return {**metadata, "needs_sync": True}


def mark_synced(metadata: Metadata, now: datetime) -> Metadata:
    """Return the metadata with its flag lowered and its time set to `now`."""
    return {**metadata, "needs_sync": False, "last_updated": stamp(now)}


def touched(metadata: Metadata, now: datetime) -> Metadata:
    """Return the metadata of a node whose data was just saved: version raised by one, time set to `now`."""
    return {**metadata, "last_updated": stamp(now), "version": version_of(metadata) + 1}


def stamp(now: datetime) -> str:
    """Write an instant the way metadata holds it: aware, UTC, ISO-8601."""
    return _aware(now).isoformat()


def is_node(value: Json) -> TypeGuard[dict[str, Json]]:
    """Say whether a value is a node: an object with an object `metadata` and a `data`."""
    return isinstance(value, dict) and "data" in value and isinstance(value.get("metadata"), dict)


def split_node(value: Json) -> tuple[Metadata, Json]:
    """Return a node's metadata and data; any other value is its own data and has no metadata."""
    if is_node(value):
        metadata = value["metadata"]
        return (metadata if isinstance(metadata, dict) else {}), value["data"]
    return {}, value


def split_root(raw: dict[str, Json]) -> tuple[Metadata, Json]:
    """Return metadata and data of a whole file, however its owner laid it out.

    A file that lacks `metadata` or `data` is served as what it plainly means: everything beside `metadata` is data.
    """
    if is_node(raw) or set(raw) == {"data"}:
        metadata = raw.get("metadata", {})
        return (metadata if isinstance(metadata, dict) else {}), raw["data"]
    metadata = raw.get("metadata")
    if isinstance(metadata, dict):
        return metadata, {key: value for key, value in raw.items() if key != "metadata"}
    return {}, raw


def join_root(raw: dict[str, Json], metadata: Metadata, data: Json) -> dict[str, Json]:
    """Put metadata and data back into a file; what else stands beside them, and the order, stay."""
    if is_node(raw):
        return {**raw, "metadata": metadata, "data": data}
    return {"metadata": metadata, "data": data}


def plain(value: Json) -> Json:
    """Copy a value without the wrappers of its nodes."""
    if isinstance(value, dict):
        if is_node(value):
            return plain(value["data"])
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def level_of(metadata: Metadata, inherited: int = DEFAULT_LEVEL) -> int:
    """Return a node's context level; one that is missing or not 1, 2 or 3 is inherited."""
    level = metadata.get("context_level")
    return level if isinstance(level, int) and not isinstance(level, bool) and level in _LEVELS else inherited


def updated_of(metadata: Metadata) -> datetime | None:
    """Return when a node was last updated, aware, in UTC; None when that can't be read. A naive time is UTC."""
    text = metadata.get("last_updated")
    if not isinstance(text, str):
        return None
    try:
        return _aware(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):
        return None


def version_of(metadata: Metadata) -> int:
    """Return how often a node was saved; 0 when that can't be read."""
    version = metadata.get("version")
    return version if _is_version(version) else 0


def violations(metadata: Metadata) -> list[str]:
    """List in words what is wrong with the fields that are there; a missing field is inherited, not wrong (E13)."""
    found = []
    if "last_updated" in metadata and updated_of(metadata) is None:
        found.append(f"last_updated is no ISO-8601 time: {metadata['last_updated']!r}")
    if "context_level" in metadata and level_of(metadata, 0) == 0:
        found.append(f"context_level is 1, 2 or 3, not {metadata['context_level']!r}")
    if not isinstance(metadata.get("needs_sync", False), bool):
        found.append(f"needs_sync is true or false, not {metadata['needs_sync']!r}")
    if "stale_threshold_seconds" in metadata and not _is_threshold(metadata["stale_threshold_seconds"]):
        found.append(f"stale_threshold_seconds is a number of seconds, not {metadata['stale_threshold_seconds']!r}")
    if not isinstance(metadata.get("source_file"), str | None):
        found.append(f"source_file is a file's name, not {metadata['source_file']!r}")
    if "version" in metadata and not _is_version(metadata["version"]):
        found.append(f"version is a whole number from 0 on, not {metadata['version']!r}")
    return found


def all_violations(metadata: Metadata, data: Json) -> list[str]:
    """List in words what is wrong with the metadata of a file and of every node in it.

    What is wrong with a node begins with its dotted path below the file: `pets.dog: context_level is 1, 2 or 3, not 7`.
    """
    found = violations(metadata)
    steps: list[str] = []

    def walk(value: dict[str, Json] | list[Json]) -> None:
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if not isinstance(inner, dict | list):
                continue
            steps.append(str(step))
            node, inside = split_node(inner)
            if node and (wrong := violations(node)):
                place = ".".join(map(_quoted, steps))
                found.extend(f"{place}: {why}" for why in wrong)
            if isinstance(inside, dict | list):
                walk(inside)
            steps.pop()

    if isinstance(data, dict | list):
        walk(data)
    return found


def _threshold_of(metadata: Metadata) -> float:
    threshold = metadata.get("stale_threshold_seconds")
    if isinstance(threshold, int | float) and _is_threshold(threshold):
        return threshold
    return DEFAULT_THRESHOLD


def _is_threshold(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_version(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _quoted(step: str) -> str:
    """Write a step the way `nola.state.paths` does, which this module may not import."""
    if _BARE.fullmatch(step):
        return step
    return '"' + step.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _aware(when: datetime) -> datetime:
    return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
