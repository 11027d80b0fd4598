"""Everything that recall looks at, in memory: who said what when, its words, its vectors and its statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nola.memory.axes import Kind, MemoryClass, Status, Trust
from nola.memory.columns import NONE, Columns
from nola.memory.dynamics.base import KEPT, Pool
from nola.memory.instants import from_seconds
from nola.memory.tokens import document_tokens
from nola.memory.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from nola.memory.dense import DenseIndex
    from nola.memory.finding import Change
    from nola.memory.postings import Postings

__all__ = ["CLASS_CODES", "KIND_CODES", "STATUS_CODES", "TRUST_CODES", "Index"]

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
CLASS_CODES = {name: code for code, name in enumerate(MemoryClass)}
STATUS_CODES = {name: code for code, name in enumerate(Status)}
TRUST_CODES = {name: name.rank for name in Trust}
_GONE = -1
_SMALLEST = 1_024
_US = 1e6
_NEVER = np.inf


@dataclass(slots=True)
class Facets:
    """What memories are filtered by, one entry a row; arrays are longer than there are rows.

    Attributes:
        kind: int8, `KIND_CODES`.
        status: int8, `STATUS_CODES`, -1 for a row that is no memory any more.
        innate: bool.
        trust: int8.
        level: int8.
        pinned: bool.
        namespace: int32, number of the namespace.
        user: int32, number of the user.
        agent: int32, number of the agent.
        created_s: float64, when it was stored.
        expires_s: float64, infinite for never.
        valid_from_s: float64, minus infinity for always.
        valid_until_s: float64, infinite for ever.
    """

    kind: NDArray[np.int8]
    status: NDArray[np.int8]
    innate: NDArray[np.bool_]
    trust: NDArray[np.int8]
    level: NDArray[np.int8]
    pinned: NDArray[np.bool_]
    namespace: NDArray[np.int32]
    user: NDArray[np.int32]
    agent: NDArray[np.int32]
    created_s: NDArray[np.float64]
    expires_s: NDArray[np.float64]
    valid_from_s: NDArray[np.float64]
    valid_until_s: NDArray[np.float64]

    @classmethod
    def blank(cls, count: int) -> Facets:
        """Return facets of rows that are no memories."""

        def small(value: int) -> NDArray[np.int8]:
            return np.full(count, value, dtype=np.int8)

        return cls(
            kind=small(0),
            status=small(_GONE),
            innate=np.zeros(count, dtype=np.bool_),
            trust=small(0),
            level=small(0),
            pinned=np.zeros(count, dtype=np.bool_),
            namespace=np.full(count, NONE, dtype=np.int32),
            user=np.full(count, NONE, dtype=np.int32),
            agent=np.full(count, NONE, dtype=np.int32),
            created_s=np.zeros(count),
            expires_s=np.full(count, _NEVER),
            valid_from_s=np.full(count, -_NEVER),
            valid_until_s=np.full(count, _NEVER),
        )

    def grown(self, count: int) -> Facets:
        """Return a copy with room for so many rows."""
        more = Facets.blank(count - len(self.kind))
        return Facets(*(np.concatenate([getattr(self, n), getattr(more, n)]) for n in self.__slots__))


class Names:
    """Numbers for names, in the order in which they come up."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return a name's number, a new one for a new name."""
        return self._numbers.setdefault(name, len(self._numbers))

    def find(self, name: str) -> int:
        """Return a name's number, or one that no row has."""
        return self._numbers.get(name, -2)


class Index:
    """The rows of one database, kept in step by its change feed. Row = sequence number - 1. Its owner holds a lock.

    Args:
        postings: The lexical index, with what was saved of it.
        saved: The revision up to which `postings` holds every text.
    """

    def __init__(self, postings: Postings, saved: int = 0) -> None:
        self.columns = Columns()
        self.postings = postings
        self.dense: DenseIndex | None = None
        self.pool = Pool.blank(_SMALLEST)
        self.facets = Facets.blank(_SMALLEST)
        self.namespaces, self.users, self.agents = Names(), Names(), Names()
        self.ids: list[str] = []
        self.revision = 0
        self._texts = np.zeros(_SMALLEST, dtype=np.int64)
        self._saved = saved

    def __len__(self) -> int:
        return len(self.columns)

    def apply(self, changes: Iterable[Change]) -> list[int]:
        """Take in rows that are new or changed, in the order of their numbers; return those with another text."""
        reworded = []
        for change in changes:
            row = change.seq - 1
            self._make_room(change.seq)
            text = hash((change.content, change.concept, change.author))
            if row >= len(self.columns) or self._texts[row] != text:
                reworded.append(row)
                self._put_text(row, change)
                self._texts[row] = text
            self._put_facets(row, change)
            self._put_statistics(row, change)
            self.revision = max(self.revision, change.revision)
        return reworded

    def remove(self, number: int) -> None:
        """Forget a row that was purged."""
        if number >= len(self.columns) or self.facets.status[number] == _GONE:
            return
        self.facets.status[number] = _GONE
        self.columns.remove(number)
        self.postings.remove(number)
        if self.dense is not None:
            self.dense.remove(number)

    def _put_text(self, row: int, change: Change) -> None:
        traits = traits_of(change.content)
        while len(self.columns) < row:  # a number that was purged before this process came
            self.columns.remove(self.columns.add(session="", speaker="", at_s=0.0, traits=0))
            self.ids.append("")
        if row == len(self.columns):
            session = f"{change.namespace}\0{change.conversation}" if change.conversation else ""
            self.columns.add(session=session, speaker=change.author, at_s=change.at / _US, traits=traits)
            self.ids.append(change.id)
            if change.revision <= self._saved and self.postings.has(row):
                return
        self.columns.traits[row] = traits
        text = f"{change.concept} {change.content}" if change.concept else change.content
        self.postings.add([row], [document_tokens(text, change.author, from_seconds(change.at / _US))])
        if self.dense is not None:
            self.dense.remove(row)

    def _put_facets(self, number: int, row: Change) -> None:
        facets = self.facets
        facets.kind[number] = KIND_CODES[Kind(row.kind)]
        facets.status[number] = STATUS_CODES[Status(row.status)]
        facets.innate[number] = row.memory_class == MemoryClass.INNATE
        facets.trust[number] = TRUST_CODES[Trust(row.trust)]
        facets.level[number] = row.level
        facets.pinned[number] = bool(row.pinned)
        facets.namespace[number] = self.namespaces.number(row.namespace)
        facets.user[number] = self.users.number(row.user)
        facets.agent[number] = self.agents.number(row.agent)
        facets.created_s[number] = row.created / _US
        facets.expires_s[number] = _NEVER if row.expires_at is None else row.expires_at / _US
        facets.valid_from_s[number] = -_NEVER if row.valid_from is None else row.valid_from / _US
        facets.valid_until_s[number] = _NEVER if row.valid_until is None else row.valid_until / _US

    def _put_statistics(self, number: int, row: Change) -> None:
        pool = self.pool
        pool.kind[number] = self.facets.kind[number]
        pool.innate[number] = self.facets.innate[number]
        pool.level[number] = row.level
        pool.confidence[number] = row.confidence
        pool.importance[number] = row.importance
        pool.created_s[number] = row.began / _US
        pool.last_access_s[number] = row.last_access / _US
        pool.access_count[number] = row.access_count
        recent = np.frombuffer(row.recent, dtype="<i8")[:KEPT] / _US
        pool.recent_s[number, : len(recent)] = recent
        pool.recent_s[number, len(recent) :] = np.nan
        pool.heat_bias[number] = row.heat_bias
        pool.stability_days[number] = row.stability_days
        pool.stability[number] = row.stability
        pool.r1[number] = row.r1
        pool.r2[number] = row.r2
        pool.chain_s[number] = row.chain_at / _US
        pool.usage[number] = row.usage

    def _make_room(self, count: int) -> None:
        if count <= len(self.facets.kind):
            return
        room = max(count, 2 * len(self.facets.kind))
        self._texts = np.concatenate([self._texts, np.zeros(room - len(self._texts), dtype=np.int64)])
        self.pool = self.pool.grown(room)
        self.facets = self.facets.grown(room)
