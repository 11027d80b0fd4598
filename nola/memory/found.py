"""What recall hands out: a memory with what it was ranked by, read from the file as it is or as it was."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nola.memory import finding
from nola.memory.instants import micros

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import apsw

    from nola.memory.axes import Tier
    from nola.memory.dynamics.base import Row

__all__ = ["Recalled", "Stored", "as_they_were", "said_why", "stored"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """One memory that was found, and why.

    Attributes:
        id: Its id.
        content: What it says.
        score: What it was ranked by, 0 to 1 and a little above with links.
        relevance: How well it answers, 0 to 1, 1 for the best; in profiles ada and blah its cosine, if it has a vector.
        strength: Its strength under the profile, 0 to 1.
        tier: How warm it is.
        tokens: What it costs of a budget.
        parts: Each part of the relevance, on its scale; `link`, what associations lent, on the score's scale, or in
            profiles blah and neuromemory the link that brought it; `spread`, what links added to its activation.
        why: The same in words, the largest part first.
        kind: What sort of memory it is.
        speaker: Who said it.
        at: When it happened.
        conversation: In which conversation.
        source: Where it came from.
        memory_class: Whether experience may change it.
        trust: How far its origin is trusted.
        level: The context level that it belongs to.
        pinned: Whether it is always at hand.
        cosine: Its plain cosine with the question, 0 without a vector.
        active: How active the question made it, 0 to 1, by which links grow (C13).
    """

    id: str
    content: str
    score: float
    relevance: float
    strength: float
    tier: Tier
    tokens: int
    parts: Mapping[str, float]
    why: str
    at: datetime
    kind: str = ""
    speaker: str = ""
    conversation: str = ""
    source: str = ""
    memory_class: str = ""
    trust: str = ""
    level: int = 2
    pinned: bool = False
    cosine: float = 0.0
    active: float = 1.0


class Stored(NamedTuple):
    """What a row of the file tells beside its numbers; `at` in microseconds since 1970 UTC."""

    id: str
    content: str
    kind: str
    speaker: str
    at: int
    conversation: str
    source: str
    memory_class: str
    trust: str
    level: int
    pinned: int


_WORDS = {
    "bm25": "shares words",
    "cosine": "means something like it",
    "neighbours": "stands beside a match",
    "answer": "follows a question like it",
    "speaker": "said by the person asked about",
    "session": "from a conversation about it",
    "date": "close to the date asked about",
    "form": "tells a time",
    "link": "used together with a match",
    "spread": "linked to other matches",
    "similar": "like a match",
    "newer": "newer than what it replaces",
}
_STORED = """
SELECT seq - 1, id, content, kind, author, at, conversation, source, class, trust, level, pinned FROM memory
WHERE seq IN (SELECT value + 1 FROM json_each(?))"""


def said_why(parts: Mapping[str, float]) -> str:
    """Say in words why a memory was found, the largest part first."""
    said = [_WORDS.get(name, name) for name, value in sorted(parts.items(), key=lambda one: -one[1]) if value > 0]
    return ", ".join(said) or "strong in memory"


def stored(connection: apsw.Connection, rows: Sequence[int], as_of: datetime | None = None) -> dict[int, Stored]:
    """Return what the file tells about rows, as far as they are there.

    Args:
        connection: A reader's.
        rows: Numbers of rows of the index.
        as_of: As it was known at this time (P15); None for now.
    """
    found = connection.execute(_STORED, (json.dumps(list(rows)),))
    now = {row: Stored(*values) for row, *values in found}
    if as_of is None:
        return now
    then = {}
    for row in now:
        record = finding.as_it_was(connection, finding.by_seq(connection, row + 1), as_of).record
        then[row] = Stored(
            record.id, record.content, record.kind.value, record.author, micros(record.at), record.conversation,
            record.source, record.memory_class.value, record.trust.value, record.level, int(record.pinned),
        )  # fmt: skip
    return then


def as_they_were(connection: apsw.Connection, rows: Sequence[int], as_of: datetime) -> list[Row]:
    """Return the statistics of rows as they stood at a time, in order."""
    from nola.memory.practice import row_of  # noqa: PLC0415 -- brings numpy

    return [row_of(finding.as_it_was(connection, finding.by_seq(connection, row + 1), as_of).record) for row in rows]
