"""Which rows of the index a filter lets through; what the index can't tell, the database is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nola.memory.columns import NONE
from nola.memory.filters import GLOBAL, where
from nola.memory.index import KIND_CODES, STATUS_CODES, Kept
from nola.memory.instants import micros, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import apsw
    from numpy.typing import NDArray

    from nola.memory.filters import Filter
    from nola.memory.index import Index

__all__ = ["changed_since", "needs_database", "stored_mask", "visible"]

_CHANGED = """
SELECT DISTINCT memory - 1 FROM event WHERE at > ? AND memory <= ? AND what IN ('status', 'changed')"""


def needs_database(wanted: Filter) -> bool:
    """Say whether only the database can tell what a filter lets through."""
    return wanted.as_of is not None or bool(wanted.tags or wanted.details) or wanted.concept is not None


def visible(index: Index, wanted: Filter, now: datetime) -> NDArray[np.bool_]:
    """Return which rows a filter lets through: bool [rows], not to be changed.

    Args:
        index: The rows. It keeps the last answer, which holds until something changes or expires.
        wanted: The filter, one that does not need the database.
        now: The present, for what has expired.
    """
    now_s, kept = seconds(now), index.kept
    if kept is not None and kept.key == (wanted, index.revision, len(index)) and kept.from_s <= now_s < kept.until_s:
        return kept.mask
    mask = _facets(index, wanted)
    until_s = np.inf
    if not wanted.expired:
        expires = index.facets.expires_s[: len(index)]
        mask &= expires > now_s
        until_s = float(expires.min(initial=np.inf, where=mask))
    mask.flags.writeable = False
    index.kept = Kept((wanted, index.revision, len(index)), now_s, until_s, mask)
    return mask


def _facets(index: Index, wanted: Filter) -> NDArray[np.bool_]:
    size = len(index)
    facets, columns = index.facets, index.columns
    status = facets.status[:size]
    mask: NDArray[np.bool_] = status >= 0
    if wanted.statuses:
        mask &= _among(status, [STATUS_CODES[one] for one in wanted.statuses])
    if wanted.kinds:
        mask &= _among(facets.kind[:size], [KIND_CODES[one] for one in wanted.kinds])
    if wanted.classes and len(wanted.classes) == 1:
        mask &= facets.innate[:size] == ("innate" in wanted.classes)
    if wanted.levels:
        mask &= _among(facets.level[:size], sorted(wanted.levels))
    if wanted.trust is not None:
        mask &= facets.trust[:size] >= wanted.trust.rank
    _keep_owned(mask, index, wanted)
    if wanted.author is not None:
        mask &= columns.speaker[:size] == (columns.speaker_number(wanted.author) if wanted.author else NONE)
    if wanted.pinned is not None:
        mask &= facets.pinned[:size] == wanted.pinned
    return mask & _said_in(index, wanted) & _in_time(index, wanted)


def _keep_owned(mask: NDArray[np.bool_], index: Index, wanted: Filter) -> None:
    """Leave in the mask what is of a namespace, a user and an agent, and what is innate and shared with them."""
    size, facets = len(mask), index.facets
    for name, shared, numbers, names in (
        (wanted.namespace, GLOBAL, facets.namespace[:size], index.namespaces),
        (wanted.seen_by, "", facets.user[:size], index.users),
        (wanted.agent, None, facets.agent[:size], index.agents),
        (wanted.user, None, facets.user[:size], index.users),
    ):
        if name is not None:
            own = numbers == names.find(name)
            mask &= own if shared is None else own | (facets.innate[:size] & (numbers == names.find(shared)))


def _said_in(index: Index, wanted: Filter) -> NDArray[np.bool_] | np.bool_:
    """Return which rows are of a conversation; one of this name may be in every namespace."""
    if wanted.conversation is None:
        return np.True_
    session = index.columns.session[: len(index)]
    if not wanted.conversation:
        return _among(session, [NONE])
    spaces = index.namespaces if wanted.namespace is None else [wanted.namespace, GLOBAL]
    return _among(session, [index.columns.session_number(f"{space}\0{wanted.conversation}") for space in spaces])


def _among(values: NDArray[Any], wanted: Sequence[int]) -> NDArray[np.bool_]:
    if len(wanted) == 1:
        one: NDArray[np.bool_] = values == wanted[0]
        return one
    return np.isin(values, wanted)


def stored_mask(connection: apsw.Connection, size: int, wanted: Filter, now: datetime) -> NDArray[np.bool_]:
    """Return the same as `visible`, of any filter, as the database knows it."""
    condition, values = where(wanted, now)
    sql = f"SELECT m.seq FROM memory AS m WHERE m.seq <= ? AND {condition}"  # noqa: S608 -- built of constants
    mask = np.zeros(size, dtype=np.bool_)
    mask[[seq - 1 for (seq,) in connection.execute(sql, (size, *values))]] = True
    return mask


def changed_since(connection: apsw.Connection, index: Index, then: datetime) -> NDArray[np.bool_]:
    """Return of which rows more is known by now than at a time: those changed or used since, bool [rows]."""
    changed: NDArray[np.bool_] = index.pool.last_access_s[: len(index)] > seconds(then)
    rows = [row for (row,) in connection.execute(_CHANGED, (micros(then), len(index)))]
    changed[rows] = True
    return changed


def _in_time(index: Index, wanted: Filter) -> NDArray[np.bool_] | np.bool_:
    size = len(index)
    facets, at_s = index.facets, index.columns.at_s[:size]
    mask: NDArray[np.bool_] | np.bool_ = np.True_
    if wanted.since is not None:
        mask = mask & (at_s >= seconds(wanted.since))
    if wanted.until is not None:
        mask = mask & (at_s < seconds(wanted.until))
    if wanted.valid_at is not None:
        then = seconds(wanted.valid_at)
        mask = mask & (facets.valid_from_s[:size] <= then) & (then < facets.valid_until_s[:size])
    return mask
