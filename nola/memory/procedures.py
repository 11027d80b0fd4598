"""What a procedure asks for: its prerequisites, held against what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.errors import UsageError
from nola.memory import kinds
from nola.memory.axes import Kind
from nola.memory.filters import Filter, where

if TYPE_CHECKING:
    from datetime import datetime

    import apsw

    from nola.memory.record import Record

__all__ = ["unmet"]


def unmet(connection: apsw.Connection, procedure: Record, *, now: datetime, seen_by: str | None = None) -> list[str]:
    """Return the prerequisites of a procedure that are not known, in their order (B32).

    Known is what another memory of its namespace is about, its `concept`, and how another procedure there is named.

    Args:
        connection: A reader's.
        procedure: The procedure.
        now: The present; what has expired is known no longer.
        seen_by: As this user sees them (see `Filter`); None for all.

    Raises:
        UsageError: It is no procedure.
    """
    if procedure.kind is not Kind.PROCEDURAL:
        raise UsageError(f"{procedure.id} is a {procedure.kind.value} memory, no procedure")
    condition, values = where(Filter(namespace=procedure.namespace, seen_by=seen_by), now)
    sql = f"""
        SELECT DISTINCT m.concept, CASE m.kind WHEN 'procedural' THEN json_extract(m.details, '$.name') END
        FROM memory AS m WHERE {condition} AND m.id <> ?"""  # noqa: S608 -- built of constants
    known = {str(name) for row in connection.execute(sql, (*values, procedure.id)) for name in row if name}
    wanted = procedure.details.get("prerequisites")
    return kinds.unmet(map(str, wanted) if isinstance(wanted, list) else (), known)
