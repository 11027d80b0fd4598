"""Tests of what procedures ask for."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from nola.errors import UsageError
from nola.memory.axes import Status
from nola.memory.procedures import unmet
from tests.memory.making import put

if TYPE_CHECKING:
    from nola.memory.memories import Memories
    from nola.testing import ManualClock


def missing(memories: Memories, id_: str) -> list[str]:
    """Return the prerequisites of a procedure that are not known."""
    with memories.database.reading() as connection:
        return unmet(connection, memories.get(id_).record, now=memories.database.clock.now())


@pytest.mark.row("B32")
def test_what_is_not_known_yet_is_named(memories: Memories, clock: ManualClock) -> None:
    """A concept is known by a memory about it, or by a procedure of that name; capitals and spaces don't count."""
    wanted = ["Variables", "for  loops", "closures", "How to count"]
    id_ = put(memories, "Write a program", kind="procedural", prerequisites=wanted, concept="closures")
    assert missing(memories, id_) == wanted
    put(memories, "A variable holds a value", concept="variables")
    put(memories, "Count on your fingers", kind="procedural", name="how to count")
    put(memories, "Elsewhere they know loops", concept="for loops", namespace="other")
    gone = put(memories, "Loops once were", concept="for loops")
    memories.set_status(gone, Status.SUPERSEDED)
    put(memories, "For a day", concept="closures", expires_at=clock.now() + timedelta(days=1))
    assert missing(memories, id_) == ["for  loops"]
    clock.advance(86_400)
    assert missing(memories, id_) == ["for  loops", "closures"]


def test_without_prerequisites_nothing_is_missing(memories: Memories) -> None:
    """A procedure that asks for nothing; what is no procedure is refused."""
    assert missing(memories, put(memories, "Breathe", kind="procedural")) == []
    with pytest.raises(UsageError, match="is a semantic memory, no procedure"):
        missing(memories, put(memories, "Air"))
