"""Joins facts that are much alike: edges `similar_to`, made in the background, with what contradicts noted on them."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from nola.errors import NolaError
from nola.memory import edges
from nola.memory.axes import EdgeKind, Kind
from nola.memory.conflict import conflicting_values
from nola.memory.index import KIND_CODES
from nola.memory.links import jaccard, similar_properties
from nola.memory.similar import SimilarIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

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
_EDGES = """
SELECT source + target - ?1, weight FROM edge WHERE kind = 'similar_to' AND (source = ?1 OR target = ?1)"""


class Likeness:
    """Finds which facts of one database are much alike, the newest with all that came before.

    Args:
        database: The file.
        settings: From which similarity on, and how many at most.
    """

    def __init__(self, database: Database, settings: LinkSettings) -> None:
        self._database = database
        self._settings = settings
        self._similar = SimilarIndex(settings)
        self._filled = False
        self._wanted: dict[int, None] = {}
        self._joining = threading.Lock()

    def open(self, connection: apsw.Connection, index: Index) -> None:
        """Begin with what was joined before: nothing of it is looked at again."""
        self._similar, self._filled = SimilarIndex(self._settings), False
        self._wanted = {}
        done = int(connection.execute("SELECT value FROM meta WHERE key = 'joined'").get or 0)
        self.want(index, range(done, len(index)))

    def want(self, index: Index, rows: Iterable[int]) -> None:
        """Note rows with a new text."""
        kind, status = index.facets.kind, index.facets.status
        self._wanted.update(dict.fromkeys(row for row in rows if kind[row] == _SEMANTIC and status[row] >= 0))

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
        spaces, status = index.facets.namespace, index.facets.status
        alike: dict[int, dict[int, float]] = {}
        for row in rows:
            self._wanted.pop(row, None)
            if row in texts:
                near = self._similar.join(row, texts[row])
                alike[row] = {
                    other: score for other, score in near if spaces[other] == spaces[row] and status[other] >= 0
                }
        return texts, alike

    def join(self, texts: Mapping[int, str], alike: Mapping[int, Mapping[int, float]]) -> None:
        """Make the edges, and take away those of facts that are not alike any more."""
        now, least = self._database.clock.now(), self._settings.jaccard
        others = self._texts(sorted({other for found in alike.values() for other in found}))
        said = {
            (row, other): similar_properties(score, "jaccard", conflicting_values(others[other], texts[row]))
            for row, found in alike.items()
            for other, score in found.items()
            if other in others
        }

        def job(connection: apsw.Connection) -> None:
            for row, found in alike.items():
                there = {other - 1: weight for other, weight in connection.execute(_EDGES, (row + 1,))}
                known = dict(_named(connection, list(there))) if there else {}
                for other in there:
                    if jaccard(texts[row], known.get(other, "")) <= least:
                        edges.remove(connection, row + 1, EdgeKind.SIMILAR_TO, other + 1)
                for other, score in found.items():
                    if there.get(other) == score or (row, other) not in said:
                        continue  # what is there already stays as it is
                    ends, properties = (row + 1, other + 1), said[row, other]
                    with suppress(NolaError):  # one of the two is gone, or another kind of memory by now
                        edges.put(
                            connection, ends[0], EdgeKind.SIMILAR_TO, ends[1], now=now, weight=score,
                            properties=properties,
                        )  # fmt: skip
            if texts:
                connection.execute(_NOTE, (max(texts) + 1,))

        self._database.write(job)

    @property
    def joining(self) -> threading.Lock:
        """Held by whoever looks and joins, so that whoever comes second finds the edges made."""
        return self._joining

    def _fill(self, index: Index) -> None:
        """Put the facts that were joined earlier into the index of likeness."""
        rows = np.flatnonzero(index.facets.kind[: len(index)] == _SEMANTIC)
        old = [row for row in rows.tolist() if row not in self._wanted and index.facets.status[row] >= 0]
        for start in range(0, len(old), _CHUNK):
            self._similar.add_many(self._texts(old[start : start + _CHUNK]).items())
        self._filled = True

    def _texts(self, rows: Sequence[int]) -> dict[int, str]:
        with self._database.reading() as connection:
            return dict(_named(connection, rows))


def _named(connection: apsw.Connection, rows: Sequence[int]) -> list[tuple[int, str]]:
    return list(connection.execute(_TEXTS, (str(list(rows)),)))
