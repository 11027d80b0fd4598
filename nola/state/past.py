"""What the state was at an earlier instant, found by taking back one recorded change after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.errors import ConflictError, NolaError
from nola.state import contract, patch, paths, sync
from nola.state.draft import bare
from nola.state.loaded import PARENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from nola.state.history import Recorded
    from nola.types import Json

__all__ = ["EDITOR", "caught_up", "documents_at", "value_at", "version_before"]

EDITOR = "editor"
"""The interface of changes that the owner makes by hand."""

_METADATA = "metadata"


def documents_at(
    when: datetime, present: Mapping[str, dict[str, Json]], newest_first: Iterable[Recorded], *, now: datetime
) -> dict[str, dict[str, Json]]:
    """Return the documents as they were at an instant.

    They are taken back to before the first change that came later. A clock that once went wrong can't mislead: a change
    that is dated in the future says nothing about when it was, and one that is dated too early stands among its likes.

    Args:
        when: The instant.
        present: The documents as they stand, copies in the parents included.
        newest_first: All changes, in the order in which they happened.
        now: The present instant.

    Raises:
        NolaError: The history begins later, or does not fit the files.
    """
    documents: dict[str, Json | patch.Absent] = {name: _own(name, bare(raw)) for name, raw in present.items()}
    oldest: datetime | None = None
    waiting: list[Recorded] = []
    for change in newest_first:
        oldest = change.at
        waiting.append(change)
        if when < change.at <= now:
            for later in waiting:
                if not later.patch and later.via != EDITOR:  # the first release wrote none down
                    raise _too_early(later.at)
                documents[later.module] = _before(later, documents.get(later.module, patch.ABSENT))
            waiting.clear()
    if oldest is None or when < oldest:
        raise _too_early(oldest)
    return {name: raw for name, raw in documents.items() if isinstance(raw, dict)}


def _too_early(oldest: datetime | None) -> NolaError:
    begins = f"the history begins {oldest.isoformat(' ', 'seconds')}" if oldest else "nothing was recorded yet"
    return NolaError(f"what was known then can't be shown: {begins}", fix="ask for a later time")


def version_before(
    name: str, raw: dict[str, Json], version: int, newest_first: Iterable[Recorded]
) -> dict[str, Json] | None:
    """Return a document as it was when its counter stood at `version`; None when it never was lower, or isn't known.

    Args:
        name: The document.
        raw: The document as it is.
        version: The counter that is looked for.
        newest_first: All changes.
    """
    value: Json | patch.Absent = bare(raw)
    if _counter(value) <= version:
        return None
    for change in newest_first:
        if change.module != name or not change.patch:
            continue
        try:
            value = patch.apply(value, patch.invert(change.patch))
        except ConflictError:
            return None
        if _counter(value) <= version:
            return value if isinstance(value, dict) and _counter(value) == version else None
    return None


def _counter(value: Json | patch.Absent) -> int:
    return contract.version_of(contract.split_root(value)[0]) if isinstance(value, dict) else 0


def caught_up(name: str, base: dict[str, Json] | None, newest_first: Iterable[Recorded]) -> dict[str, Json] | None:
    """Bring a version of a document that lags behind up to what is recorded of Nola's own changes.

    Args:
        name: The document.
        base: The version that the copy on disk holds, or that another process knows; None where there is none.
        newest_first: All changes; those that are later tell a higher version.
    """
    version = 0 if base is None else contract.version_of(contract.split_root(base)[0])
    later: list[Recorded] = []
    value: Json | patch.Absent = patch.ABSENT if base is None else bare(base)
    for change in newest_first:
        if change.module != name:
            continue
        begins = [(step["op"], step["path"]) for step in change.patch[:1]] == [("add", "")]
        if change.via == EDITOR or (change.version <= version and not begins):
            break
        later.insert(0, change)
        if begins:  # whatever had that name before was another file
            value = patch.ABSENT
            break
    try:
        for change in later:
            value = patch.apply(value, _fitting(change, name))
    except ConflictError:
        return base  # somebody else's version: it differs from what is recorded, and so do its changes
    return value if isinstance(value, dict) and later else base


def _fitting(change: Recorded, name: str) -> list[patch.Operation]:
    """Leave out of a parent's patch what a pull touches without a record."""
    return [step for step in change.patch if name not in PARENTS or _METADATA not in patch.steps_of(str(step["path"]))]


def value_at(documents: Mapping[str, dict[str, Json]], path: str) -> Json:
    """Return what stands at a path of some documents, nodes without their wrappers; everything when it is empty.

    Raises:
        PathError: Nothing stands there.
    """
    if not path.strip():
        return {name: contract.plain(contract.split_root(raw)[1]) for name, raw in documents.items()}
    parsed = paths.parse(path)
    if parsed.module not in documents:
        raise paths.unknown(parsed.module, documents)
    return contract.plain(paths.get(contract.split_root(documents[parsed.module])[1], parsed))


def _own(name: str, raw: dict[str, Json]) -> dict[str, Json]:
    if name not in PARENTS:
        return raw
    metadata, data = contract.split_root(raw)
    return contract.join_root(raw, metadata, sync.own_data(name, data))


def _before(change: Recorded, value: Json | patch.Absent) -> Json | patch.Absent:
    if not change.patch:
        return value  # one of several changes of a file; the first of them holds the patch of all
    try:
        back = patch.invert(change.patch)
        return patch.apply(value, back)
    except ConflictError:
        pass
    try:
        # A pull touches a parent's metadata without a record; the values are what counts.
        return patch.apply(value, [step for step in back if _METADATA not in patch.steps_of(str(step["path"]))])
    except ConflictError as error:
        raise NolaError(
            f"the history does not fit {change.path} any more: {error}", fix="ask for a later time, or see a backup"
        ) from error
