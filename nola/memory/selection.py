"""Which rows of the index a filter lets through; what the index can't tell, the database is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nola.memory.filters import where
from nola.memory.index import KIND_CODES, STATUS_CODES
from nola.memory.instants import seconds

if TYPE_CHECKING:
    from datetime import datetime

    import apsw
    from numpy.typing import NDArray

    from nola.memory.filters import Filter
    from nola.memory.index import Index

__all__ = ["needs_database", "stored_mask", "visible"]


def needs_database(wanted: Filter) -> bool:
    """Say whether only the database can tell what a filter lets through."""
    return wanted.as_of is not None or bool(wanted.tags or wanted.details) or wanted.concept is not None


def visible(index: Index, wanted: Filter, now: datetime) -> NDArray[np.bool_]:
    """Return which rows a filter lets through: bool [rows].

    Args:
        index: The rows.
        wanted: The filter, one that does not need the database.
        now: The present, for what has expired.
    """
    size = len(index)
    facets, columns = index.facets, index.columns
    status = facets.status[:size]
    mask: NDArray[np.bool_] = status >= 0
    if wanted.statuses:
        mask &= np.isin(status, [STATUS_CODES[one] for one in wanted.statuses])
    if wanted.kinds:
        mask &= np.isin(facets.kind[:size], [KIND_CODES[one] for one in wanted.kinds])
    if wanted.classes and len(wanted.classes) == 1:
        mask &= facets.innate[:size] == ("innate" in wanted.classes)
    if wanted.trust is not None:
        mask &= facets.trust[:size] >= wanted.trust.rank
    for name, numbers, names in (
        (wanted.namespace, facets.namespace, index.namespaces),
        (wanted.agent, facets.agent, index.agents),
        (wanted.user, facets.user, index.users),
    ):
        if name is not None:
            mask &= numbers[:size] == names.find(name)
    if wanted.author is not None:
        mask &= columns.speaker[:size] == columns.speaker_number(wanted.author)
    if wanted.conversation is not None:
        mask &= columns.session[:size] == columns.session_number(f"{wanted.namespace}\0{wanted.conversation}")
    if wanted.pinned is not None:
        mask &= facets.pinned[:size] == wanted.pinned
    return mask & _in_time(index, wanted, now)


def stored_mask(connection: apsw.Connection, size: int, wanted: Filter, now: datetime) -> NDArray[np.bool_]:
    """Return the same as `visible`, of any filter, as the database knows it."""
    condition, values = where(wanted, now)
    sql = f"SELECT m.seq FROM memory AS m WHERE m.seq <= ? AND {condition}"  # noqa: S608 -- built of constants
    mask = np.zeros(size, dtype=np.bool_)
    mask[[seq - 1 for (seq,) in connection.execute(sql, (size, *values))]] = True
    return mask


def _in_time(index: Index, wanted: Filter, now: datetime) -> NDArray[np.bool_]:
    size = len(index)
    facets, at_s = index.facets, index.columns.at_s[:size]
    mask = np.ones(size, dtype=np.bool_)
    if not wanted.expired:
        mask &= facets.expires_s[:size] > seconds(now)
    if wanted.since is not None:
        mask &= at_s >= seconds(wanted.since)
    if wanted.until is not None:
        mask &= at_s < seconds(wanted.until)
    if wanted.valid_at is not None:
        then = seconds(wanted.valid_at)
        mask &= (facets.valid_from_s[:size] <= then) & (then < facets.valid_until_s[:size])
    return mask
