"""Joins facts that are much alike: edges `similar_to`, made in the background, with what contradicts noted on them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from nola.memory import similar_edges
from nola.memory.axes import Kind
from nola.memory.conflict import conflicting_values
from nola.memory.index import KIND_CODES
from nola.memory.links import jaccard
from nola.memory.similar import SimilarIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

    from nola.memory.conflict import Conflict
    from nola.memory.database import Database
    from nola.memory.index import Index
    from nola.settings_memory import LinkSettings

__all__ = ["Likeness"]

_BATCH = 64
_CHUNK = 5_000
_SEMANTIC = KIND_CODES[Kind.SEMANTIC]
_NOTE = """
INSERT INTO meta (key, value) VALUES ('joined', ?1)
ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), ?1)"""
_TEXTS = """
SELECT seq - 1, content FROM memory WHERE kind = 'semantic' AND seq IN (SELECT value + 1 FROM json_each(?))"""
_Owner: TypeAlias = tuple[int, int]
"""The numbers of a namespace and a user; the facts of one owner are alike to each other alone (A30, D44)."""


class Likeness:
    """Finds which facts of one database are much alike, the newest with all that came before.

    Args:
        database: The file.
        settings: From which similarity on, and how many at most.
    """

    def __init__(self, database: Database, settings: LinkSettings) -> None:
        self._database = database
        self._settings = settings
        self._similar: dict[_Owner, SimilarIndex] = {}
        self._filled = False
        self._wanted: dict[int, None] = {}
        self.begin()

    def begin(self) -> None:
        """Begin with nobody joining, as in a forked child."""
        self._joining = threading.Lock()

    def open(self, connection: apsw.Connection, index: Index) -> None:
        """Begin with what was joined before: nothing of it is looked at again."""
        self._similar, self._filled = {}, False
        self._wanted = {}
        done = int(connection.execute("SELECT value FROM meta WHERE key = 'joined'").get or 0)
        self.want(index, range(done, len(index)))

    def want(self, index: Index, rows: Iterable[int]) -> None:
        """Note rows with a new text."""
        some = np.fromiter(rows, dtype=np.int64)
        facts = (index.facets.kind[some] == _SEMANTIC) & (index.facets.status[some] >= 0)
        self._wanted.update(dict.fromkeys(some[facts].tolist()))

    def want_again(self, rows: Iterable[int]) -> None:
        """Note rows whose edges could not be made."""
        self._wanted.update(dict.fromkeys(rows))

    @property
    def missing(self) -> int:
        """How many rows have to be looked at."""
        return len(self._wanted)

    def found(self, index: Index) -> tuple[dict[int, str], dict[int, dict[int, float]]]:
        """Return the texts of the next rows, and for each which others are much alike, with the similarity."""
        rows = [row for row, _ in zip(self._wanted, range(_BATCH), strict=False)]
        if not rows:
            return {}, {}
        if not self._filled:
            self._fill(index)
        texts = self._texts(rows)
        for row in rows:
            self._wanted.pop(row, None)
        return texts, {row: self._alike(index, row, texts[row]) for row in rows if row in texts}

    def join(self, texts: Mapping[int, str], alike: Mapping[int, Mapping[int, float]]) -> None:
        """Note on the edges how alike the facts are by their words; an edge that nothing speaks for any more goes."""
        now = self._database.clock.now()
        others = self._texts(sorted({other for found in alike.values() for other in found}))
        conflicts = {
            (row, other): _conflict(row, texts[row], other, others[other])
            for row, found in alike.items()
            for other in found
            if other in others
        }

        def job(connection: apsw.Connection) -> None:
            for row, found in alike.items():
                there = similar_edges.known(connection, row)
                means = similar_edges.has_vector(connection, row)
                new = {other: {"jaccard": score} for other, score in found.items() if other in others}
                old = {other: self._judged(texts[row], known, means=means) for other, known in there.items()}
                for other, values in (new | old).items():
                    if other in there and values == there[other].values:
                        continue  # what is there already stays as it is
                    conflict = conflicts.get((row, other))
                    if values and (row, other) not in conflicts:
                        conflict = _conflict(row, texts[row], other, there[other].content)
                    similar_edges.tell(connection, row, other, values, conflict=conflict, now=now)
            if texts:
                connection.execute(_NOTE, (max(texts) + 1,))

        self._database.write(job)

    @property
    def joining(self) -> threading.Lock:
        """Held by whoever looks and joins, so that whoever comes second finds the edges made."""
        return self._joining

    def _alike(self, index: Index, row: int, text: str) -> dict[int, float]:
        """Put a fact among those of its owner, and return which of them are much alike."""
        own, status = _owner(index, row), index.facets.status
        for owner, others in self._similar.items():
            if owner != own:
                others.remove(row)  # it may have been theirs
        mine = self._of(own)
        while True:
            near = mine.join(row, text)
            gone = [other for other, _ in near if status[other] < 0 or _owner(index, other) != own]
            if not gone:
                return dict(near)
            for other in gone:  # what is cut off in their place comes back
                mine.remove(other)

    def _judged(self, text: str, known: similar_edges.Known, *, means: bool) -> dict[str, float]:
        """Return what speaks for an edge that is there; a cosine does as long as there is a vector of the text."""
        values: dict[str, float] = {}
        if known.akin and (score := jaccard(text, known.content)) > self._settings.jaccard:
            values["jaccard"] = score
        if known.akin and means and "cosine" in known.values:
            values["cosine"] = known.values["cosine"]
        return values

    def _of(self, owner: _Owner) -> SimilarIndex:
        if owner not in self._similar:
            self._similar[owner] = SimilarIndex(self._settings)
        return self._similar[owner]

    def _fill(self, index: Index) -> None:
        """Put the facts that were joined earlier into the index of likeness."""
        rows = np.flatnonzero(index.facets.kind[: len(index)] == _SEMANTIC)
        old = [row for row in rows.tolist() if row not in self._wanted and index.facets.status[row] >= 0]
        for start in range(0, len(old), _CHUNK):
            for row, text in self._texts(old[start : start + _CHUNK]).items():
                self._of(_owner(index, row)).add(row, text)
        self._filled = True

    def _texts(self, rows: Sequence[int]) -> dict[int, str]:
        with self._database.reading() as connection:
            return dict(_named(connection, rows))


def _conflict(row: int, text: str, other: int, content: str) -> Conflict | None:
    """Return which values contradict each other, the older fact's first."""
    return conflicting_values(content, text) if other < row else conflicting_values(text, content)


def _owner(index: Index, row: int) -> _Owner:
    return int(index.facets.namespace[row]), int(index.facets.user[row])


def _named(connection: apsw.Connection, rows: Sequence[int]) -> list[tuple[int, str]]:
    return list(connection.execute(_TEXTS, (str(list(rows)),)))
