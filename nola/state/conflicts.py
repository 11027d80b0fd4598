"""Values of Nola's that lost against the owner's own edit: kept beside the file until they are used or dropped."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

import orjson

from nola import files
from nola.errors import ConflictError, UsageError
from nola.flow import Conflict, Problem
from nola.state import contract, paths
from nola.state.history import new_id
from nola.state.loaded import file_of
from nola.state.patch import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from nola.state.merge import Clash
    from nola.state.patch import Absent
    from nola.state.paths import StatePath
    from nola.types import Json

    Side: TypeAlias = "Json | Absent"

__all__ = ["SUFFIX", "KeptError", "add", "listed", "of_clash", "problems", "remove"]

SUFFIX = ".conflict"
_ABOUT = "Both you and Nola changed these values at once. Yours stand; Nola's are here. See: nola state conflicts"


class KeptError(ConflictError):
    """The owner changed the place meanwhile, and that stands; what was to be written is kept beside the file."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was changed in its file meanwhile; that stands, and what was to be written is kept",
            fix="look at both: nola state conflicts",
        )


def add(folder: Path, conflicts: Sequence[Conflict]) -> None:
    """Keep conflicts beside their files; a newer one replaces an older one at the same place.

    Args:
        folder: The state folder; its write lock is held.
        conflicts: What to keep.

    Raises:
        StorageError: The disk refused.
    """
    for file in dict.fromkeys(conflict.file for conflict in conflicts):
        new = [conflict for conflict in conflicts if conflict.file == file]
        replaced = {conflict.path for conflict in new}
        kept = [conflict for conflict in _read(folder / f"{file}{SUFFIX}") if conflict.path not in replaced]
        _write(folder / f"{file}{SUFFIX}", [*kept, *new])


def of_clash(place: StatePath, clash: Clash, sides: tuple[Side, Side], *, at: datetime, who: str = "nola") -> Conflict:
    """Make a conflict of what a merge could not unite.

    Args:
        place: Where the two sides were merged.
        clash: What the three sides hold, and where below that place.
        sides: What was merged there, ours and theirs: the clash's steps lead through the wrappers of its nodes.
        at: When.
        who: Who wanted the value that lost.
    """
    return Conflict(
        id=new_id(at),
        at=at,
        who=who,
        file=file_of(place.module),
        path=paths.render([place.module, *place.steps, *_named(clash.steps, sides)]),
        base=None if clash.base is ABSENT else clash.base,
        ours=None if clash.ours is ABSENT else clash.ours,
        theirs=None if clash.theirs is ABSENT else clash.theirs,
        removes=clash.ours is ABSENT,
    )


def listed(folder: Path) -> list[Conflict]:
    """List all conflicts, the oldest first."""
    beside = [*folder.glob(f"*.json{SUFFIX}"), *(folder / "modules").glob(f"*.json{SUFFIX}")]
    found = [conflict for file in sorted(beside) for conflict in _read(file)]
    return sorted(found, key=lambda conflict: conflict.id)


def remove(folder: Path, conflict_id: str) -> Conflict:
    """Take one conflict out of its file, and the file away when it was the last; return it.

    Raises:
        UsageError: No conflict has this id.
        StorageError: The disk refused.
    """
    found = next((conflict for conflict in listed(folder) if conflict.id == conflict_id), None)
    if found is None:
        raise UsageError(f"no conflict has the id {conflict_id!r}", fix="list them: nola state conflicts")
    file = folder / f"{found.file}{SUFFIX}"
    _write(file, [conflict for conflict in _read(file) if conflict.id != conflict_id])
    return found


def problems(folder: Path) -> list[Problem]:
    """Say for each conflict that it waits."""
    return [
        Problem(
            conflict.file,
            0,
            0,
            f"{conflict.path} was changed by hand and by Nola at once; yours stands, the other is kept "
            f"(nola state conflicts, {conflict.id})",
            "warning",
        )
        for conflict in listed(folder)
    ]


def _named(steps: Sequence[str], sides: tuple[Side, Side]) -> list[str]:
    """Leave the wrappers out of some steps, as a person does who names a place."""
    named = []
    for step in steps:
        if not (step == "data" and any(contract.is_node(side) for side in sides if side is not ABSENT)):
            named.append(step)
        ours, theirs = (side.get(step, ABSENT) if isinstance(side, dict) else ABSENT for side in sides)
        sides = (ours, theirs)
    return named


def _write(file: Path, conflicts: Sequence[Conflict]) -> None:
    if not conflicts:
        files.remove(file)
        return
    rows = [{f.name: _plain(getattr(conflict, f.name)) for f in fields(conflict)} for conflict in conflicts]
    text = orjson.dumps({"about": _ABOUT, "conflicts": rows}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    files.write_atomic(file, text)


def _read(file: Path) -> list[Conflict]:
    """Read a file of conflicts; what in it is none, because somebody edited it, is passed over."""
    try:
        rows = orjson.loads(files.read_or_none(file) or b"")["conflicts"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    found = []
    for row in rows if isinstance(rows, list) else []:
        try:
            found.append(_conflict(row))
        except (ValueError, TypeError, KeyError):
            continue
    return found


def _conflict(row: dict[str, Json]) -> Conflict:
    return Conflict(
        id=str(row["id"]),
        at=datetime.fromisoformat(str(row["at"])).astimezone(UTC),
        who=str(row["who"]),
        file=str(row["file"]),
        path=str(paths.parse(str(row["path"]))),
        base=row["base"],
        ours=row["ours"],
        theirs=row["theirs"],
        removes=bool(row.get("removes", False)),
    )


def _plain(value: object) -> object:
    return contract.stamp(value) if isinstance(value, datetime) else value
