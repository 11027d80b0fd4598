"""Everything that recall looks at, in memory: who said what when, its words, its vectors and its statistics."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from nola.memory.axes import Kind, MemoryClass, Status, Trust
from nola.memory.columns import NONE, Columns
from nola.memory.dynamics.base import KEPT, Pool, key_of
from nola.memory.instants import from_seconds
from nola.memory.tokens import document_tokens
from nola.memory.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from nola.memory.dense import DenseIndex
    from nola.memory.finding import Change
    from nola.memory.postings import Postings

__all__ = ["CLASS_CODES", "KIND_CODES", "STATUS_CODES", "TRUST_CODES", "Facets", "Index", "Kept", "Names"]

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
CLASS_CODES = {name: code for code, name in enumerate(MemoryClass)}
STATUS_CODES = {name: code for code, name in enumerate(Status)}
TRUST_CODES = {name: name.rank for name in Trust}
_GONE = -1
_SMALLEST = 1_024
_GROWTH = 4
"""Arrays that are full get room for one row more in so many."""
_US = 1e6
_NEVER = np.inf
_PLAIN = tuple("level confidence importance access_count heat_bias stability_days stability r1 r2 usage".split())
"""Statistics that the file keeps under the same name and in the same unit."""
_SAID = attrgetter("content", "concept", "author", "at", "namespace", "user", "conversation")
"""What a memory is read again for when it changes."""
_DATED = {"created_s": "began", "updated_s": "updated", "last_access_s": "last_access", "chain_s": "chain_at"}
"""The times among them."""


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


@dataclass(frozen=True, slots=True)
class Kept:
    """Which rows a filter let through, for whoever asks the same again.

    Attributes:
        key: The filter, and where the index stood.
        from_s: When it was asked.
        until_s: When the first of the rows expires.
        mask: bool [rows].
    """

    key: tuple[object, ...]
    from_s: float
    until_s: float
    mask: NDArray[np.bool_]


class Names:
    """Numbers for names, in the order in which they come up."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return a name's number, a new one for a new name."""
        return self._numbers.setdefault(name, len(self._numbers))

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def find(self, name: str) -> int:
        """Return a name's number, or one that no row has."""
        return self._numbers.get(name, -2)


class Index:
    """The rows of one database, kept in step by its change feed. Row = sequence number - 1. Its owner holds a lock.

    Args:
        postings: The lexical index, with what was saved of it.
        saved: The revision up to which `postings` holds every text.

    Attributes:
        lexical: Its vectors know only which words are alike, and count for less.
    """

    def __init__(self, postings: Postings, saved: int = 0) -> None:
        self.columns = Columns()
        self.postings = postings
        self.dense: DenseIndex | None = None
        self.lexical = False
        self.pool = Pool.blank(_SMALLEST)
        self.facets = Facets.blank(_SMALLEST)
        self.namespaces, self.users, self.agents = Names(), Names(), Names()
        self.revision = 0
        self.kept: Kept | None = None
        self._texts = np.zeros(_SMALLEST, dtype=np.int64)
        self._saved = saved

    def __len__(self) -> int:
        return len(self.columns)

    def reserve(self, count: int) -> None:
        """Make room for so many rows and no more, as far as they have none yet."""
        if count > len(self.facets.kind):
            self._texts = np.concatenate([self._texts, np.zeros(count - len(self._texts), dtype=np.int64)])
            self.pool = self.pool.grown(count)
            self.facets = self.facets.grown(count)
        self.columns.reserve(count)

    def apply(self, changes: Iterable[Change]) -> list[int]:
        """Take in rows that are new or changed, in the order of their numbers; return those with another text."""
        taken = list(changes)
        if not taken:
            return []
        highest, room = max(change.seq for change in taken), len(self.facets.kind)
        if highest > room:
            self.reserve(max(highest, room + room // _GROWTH))
        reworded = []
        for change in taken:
            row = change.seq - 1
            text = hash(_SAID(change))
            if row >= len(self.columns) or self._texts[row] != text:
                reworded.append(row)
                self._put_text(row, change)
                self._texts[row] = text
        rows = np.array([change.seq - 1 for change in taken])
        self._put_facets(rows, taken)
        self._put_statistics(rows, taken)
        self.revision = max(self.revision, *(change.revision for change in taken))
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
        session = f"{change.namespace}\0{change.conversation}" if change.conversation else ""
        if row == len(self.columns):
            self.columns.add(session=session, speaker=change.author, at_s=change.at / _US, traits=traits)
            if change.revision <= self._saved and self.postings.has(row):
                return
        else:
            self.columns.change(row, session=session, speaker=change.author, at_s=change.at / _US)
        self.columns.traits[row] = traits
        text = f"{change.concept} {change.content}" if change.concept else change.content
        self.postings.add([row], [document_tokens(text, change.author, from_seconds(change.at / _US))])
        if self.dense is not None:
            self.dense.remove(row)

    def _put_facets(self, rows: NDArray[np.int64], changes: Sequence[Change]) -> None:
        facets = self.facets
        facets.kind[rows] = [KIND_CODES[Kind(name)] for name in _column(changes, "kind")]
        facets.status[rows] = [STATUS_CODES[Status(name)] for name in _column(changes, "status")]
        facets.innate[rows] = [name == MemoryClass.INNATE for name in _column(changes, "memory_class")]
        facets.trust[rows] = [TRUST_CODES[Trust(name)] for name in _column(changes, "trust")]
        facets.level[rows] = _column(changes, "level")
        facets.pinned[rows] = [bool(value) for value in _column(changes, "pinned")]
        facets.namespace[rows] = [self.namespaces.number(name) for name in _column(changes, "namespace")]
        facets.user[rows] = [self.users.number(name) for name in _column(changes, "user")]
        facets.agent[rows] = [self.agents.number(name) for name in _column(changes, "agent")]
        facets.created_s[rows] = _seconds(_column(changes, "created"))
        for name, default in (("expires_at", _NEVER), ("valid_from", -_NEVER), ("valid_until", _NEVER)):
            values = [default if value is None else value for value in _column(changes, name)]
            getattr(facets, "expires_s" if name == "expires_at" else f"{name}_s")[rows] = _seconds(values)

    def _put_statistics(self, rows: NDArray[np.int64], changes: Sequence[Change]) -> None:
        pool = self.pool
        pool.key[rows] = [key_of(change.id) for change in changes]
        pool.kind[rows] = self.facets.kind[rows]
        pool.innate[rows] = self.facets.innate[rows]
        for name in _PLAIN:
            getattr(pool, name)[rows] = _column(changes, name)
        for name, column in _DATED.items():
            getattr(pool, name)[rows] = _seconds(_column(changes, column))
        kept = [change.recent[: 8 * KEPT] for change in changes]
        counts = np.array([len(one) // 8 for one in kept])
        recent = np.full((len(rows), KEPT), np.nan)
        recent[np.arange(KEPT) < counts[:, None]] = np.frombuffer(b"".join(kept), dtype="<i8") / _US
        pool.recent_s[rows] = recent


def _column(changes: Sequence[Change], name: str) -> list[Any]:
    return list(map(attrgetter(name), changes))


def _seconds(micros: Sequence[float]) -> NDArray[np.float64]:
    return np.asarray(micros, dtype=np.float64) / _US
