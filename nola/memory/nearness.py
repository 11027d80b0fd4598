"""Joins facts whose meaning is near: their cosine is noted on the edges `similar_to`, once they have vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nola.memory import similar_edges
from nola.memory.axes import Kind
from nola.memory.conflict import conflicting_values
from nola.memory.index import KIND_CODES
from nola.memory.links import jaccard

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import apsw
    from numpy.typing import NDArray

    from nola.memory.conflict import Conflict
    from nola.memory.database import Database
    from nola.memory.index import Index
    from nola.settings_memory import LinkSettings

__all__ = ["Looked", "Nearness"]

_BATCH = 16
"""Facts that are looked at at a time; between two batches whoever waits for the index gets it."""
_DIGITS = 6
_ROUGH = 1e-3
"""The search leaves room for rounding; the cosine that counts is the one of the two rows."""
_SEMANTIC = KIND_CODES[Kind.SEMANTIC]
_NOTE = """
INSERT INTO meta (key, value) VALUES ('near', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1"""
_TEXTS = "SELECT seq - 1, content FROM memory WHERE seq IN (SELECT value + 1 FROM json_each(?))"


class Looked(NamedTuple):
    """What a look at some facts brought.

    Attributes:
        rows: The facts.
        cosines: For a fact and another one what their edge is to say; None where the two are not near any more.
        note: How far everything is looked at once these edges are made.
    """

    rows: list[int]
    cosines: Mapping[tuple[int, int], float | None]
    note: str


class Nearness:
    """Finds the facts of one owner whose vectors are near, the newest with all that came before.

    Args:
        database: The file.
        settings: From which cosine on, and how many at most.

    Attributes:
        missing: How many facts with a vector have to be looked at.
    """

    def __init__(self, database: Database, settings: LinkSettings) -> None:
        self._database = database
        self._settings = settings
        self._model = ""
        self._looked = np.zeros(0, dtype=np.bool_)
        self.missing = 0

    def open(self, connection: apsw.Connection, index: Index, model: str) -> None:
        """Begin with what was looked at before, as far as these vectors are of the same model."""
        self._model, self._looked = model, np.zeros(len(index), dtype=np.bool_)
        done, _, of = str(connection.execute("SELECT value FROM meta WHERE key = 'near'").get or "0 ").partition(" ")
        if of == model:
            self._looked[: int(done)] = True
        self.missing = len(self._waiting(index))

    def want(self, rows: Iterable[int]) -> None:
        """Note rows with a new text, or whose edges could not be made."""
        known = len(self._looked)
        self._looked[[row for row in rows if row < known]] = False

    def found(self, connection: apsw.Connection, index: Index, model: str) -> Looked:
        """Look at the next facts that have a vector.

        Args:
            connection: A reader's that sees the same moment as the index.
            index: What is stored.
            model: What made the vectors in it.
        """
        if model != self._model:
            self._model, self._looked = model, np.zeros(0, dtype=np.bool_)
        waiting = self._waiting(index)
        rows = waiting[:_BATCH].tolist()
        self.missing = len(waiting) - len(rows)
        cosines: dict[tuple[int, int], float | None] = {}
        for row in rows:
            there = similar_edges.known(connection, row)
            near = self._near(index, row)
            self._looked[row] = True
            for other, known in there.items():
                if other not in near:
                    near[other] = self._cosine(index, row, other) if known.akin else None
            for other, cosine in near.items():
                if cosine != (there[other].values.get("cosine") if other in there else None):
                    cosines[row, other] = cosine
        left = np.flatnonzero(self._facts(index) & ~self._looked)
        return Looked(rows, cosines, f"{left[0] if len(left) else len(index)} {model}")

    def join(self, looked: Looked) -> None:
        """Note on the edges how near the facts are; an edge that nothing speaks for any more goes."""
        now, texts = self._database.clock.now(), self._texts(looked.cosines)
        told = {
            (row, other): self._told(texts[min(row, other)], texts[max(row, other)], cosine)
            for (row, other), cosine in looked.cosines.items()
            if row in texts and other in texts
        }

        def job(connection: apsw.Connection) -> None:
            for (row, other), (values, conflict) in told.items():
                similar_edges.tell(connection, row, other, values, conflict=conflict, now=now)
            connection.execute(_NOTE, (looked.note,))

        if looked.rows:
            self._database.write(job)

    def _waiting(self, index: Index) -> NDArray[np.int32]:
        """Return the facts that have a vector and were not looked at."""
        more = len(index) - len(self._looked)
        if more > 0:
            self._looked = np.concatenate([self._looked, np.zeros(more, dtype=np.bool_)])
        if index.dense is None:
            return np.zeros(0, dtype=np.int32)
        rows = np.flatnonzero(self._facts(index) & ~self._looked).astype(np.int32)
        return rows[index.dense.has(rows)]

    def _facts(self, index: Index) -> NDArray[np.bool_]:
        size = len(index)
        facts: NDArray[np.bool_] = (index.facets.kind[:size] == _SEMANTIC) & (index.facets.status[:size] >= 0)
        return facts

    def _near(self, index: Index, row: int) -> dict[int, float | None]:
        """Return the facts of the same owner that were looked at before and are near, with the cosine."""
        if index.dense is None:
            return {}
        facets, size = index.facets, len(index)
        mask = self._facts(index) & self._looked
        mask &= facets.namespace[:size] == facets.namespace[row]
        mask &= facets.user[:size] == facets.user[row]
        rows, cosines = index.dense.closest(row, self._settings.similar_most, mask)
        some = rows[cosines >= self._settings.cosine - _ROUGH].tolist()
        return {other: cosine for other in some if (cosine := self._cosine(index, row, other)) is not None}

    def _cosine(self, index: Index, row: int, other: int) -> float | None:
        """Return the cosine of two facts' vectors, the same from either end; None when they are not near."""
        cosine = round(index.dense.between(row, other), _DIGITS) if index.dense is not None else 0.0
        return min(1.0, cosine) if cosine >= self._settings.cosine else None

    def _told(self, first: str, second: str, cosine: float | None) -> tuple[dict[str, float], Conflict | None]:
        """Return by which methods two texts are alike, and how they contradict each other."""
        values = {} if cosine is None else {"cosine": cosine}
        if (score := jaccard(first, second)) > self._settings.jaccard:
            values["jaccard"] = score
        return values, conflicting_values(first, second) if values else None

    def _texts(self, pairs: Iterable[tuple[int, int]]) -> dict[int, str]:
        rows = sorted({row for pair in pairs for row in pair})
        with self._database.reading() as connection:
            return dict(connection.execute(_TEXTS, (str(rows),)))
