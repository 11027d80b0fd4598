"""Makes the vectors of memories and keeps those that serve in memory; a new model takes over when it has them all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

import numpy as np

from nola.errors import ModelError, NolaError, UsageError
from nola.memory import derived
from nola.memory.checks import checked_text
from nola.memory.dense import DenseIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import apsw
    from numpy.typing import NDArray

    from nola.memory.database import Database
    from nola.memory.index import Index

__all__ = ["Embedder", "Meaning", "checked_embedder", "embedded"]

_BATCH = 64
"""Texts that are embedded at a time; between two batches whoever waits for the index gets it."""
_LOADED = 4_096
_TEXTS = """
SELECT m.seq, m.content FROM memory AS m WHERE m.seq IN (SELECT value FROM json_each(?1))
AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.model = ?2 AND v.memory = m.seq) ORDER BY m.seq"""
_SOME = """
SELECT memory, scale, numbers FROM vector
WHERE model = ? AND memory IN (SELECT value FROM json_each(?)) ORDER BY memory"""
_COUNT = """
INSERT INTO meta (key, value) VALUES ('vectors', '1')
ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING CAST(value AS TEXT)"""


class Embedder(Protocol):
    """Turns texts into unit vectors of one space; `nola.llm.embed` has several."""

    @property
    def model_id(self) -> str:
        """Names the space."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 [n, dimensions]."""


def embedded(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of texts, float32 [n, d], whoever made the embedder.

    Raises:
        NolaError: The embedder failed, or what it returned are no vectors.
    """
    try:
        vectors: NDArray[np.float32] = np.asarray(embedder.embed(texts), dtype=np.float32)
    except NolaError:
        raise
    except Exception as error:  # anybody's embedder may raise anything
        raise ModelError(f"the embedder failed: {error!r:.200}") from error
    if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:  # noqa: PLR2004 -- a matrix
        raise ModelError(f"the embedder made {vectors.shape} numbers of {len(texts)} texts, not a vector for each")
    if not np.isfinite(vectors).all():
        raise ModelError("the embedder made a vector that is not finite")
    return vectors


def checked_embedder(embedder: object) -> None:
    """Refuse what can't embed, or can't tell by what name its vectors are kept.

    Raises:
        UsageError: It is no embedder.
    """
    if not callable(getattr(embedder, "embed", None)):
        raise UsageError(f"embedder is a name or an object that embeds, not {type(embedder).__name__}")
    try:
        model = getattr(embedder, "model_id", None)
    except NolaError:  # it can't tell yet
        return
    checked_text("the embedder's model_id", model, blank=False)


class Meaning:
    """The vectors of one database in this process; its owner lets one thread in at a time, except to `make`.

    Args:
        database: The file.
        embedder: Makes vectors; None for none.
        former: Returns the embedder of an earlier model, so that its vectors serve on until all new ones are there.

    Attributes:
        embedder: Makes vectors.
        serving: The embedder whose vectors are in the index: questions are embedded by it.
    """

    def __init__(
        self, database: Database, embedder: Embedder | None, former: Callable[[str], Embedder | None] | None = None
    ) -> None:
        self._database = database
        self._former = former
        self.embedder = embedder
        self.serving: Embedder | None = None
        self._missing: dict[int, None] = {}
        self._seen = ""
        self._length = 0
        self._made: dict[str, derived.Vectors] = {}  # by what `seen` becomes when it is taken in

    def open(self, connection: apsw.Connection, index: Index, seen: str) -> None:
        """Load the vectors that serve: the embedder's own, or an earlier model's as long as that has more of them.

        Raises:
            NolaError: The embedder can't tell which model it is; no vectors serve until it can.
        """
        self.serving, self._missing, self._seen, self._made = None, {}, seen, {}
        if self.embedder is None:
            return
        rows = np.flatnonzero(index.facets.status[: len(index)] >= 0).astype(np.int32)
        try:
            model = self.embedder.model_id
        except NolaError:
            self.want(rows.tolist())
            raise
        known = derived.models(connection)
        most = max(known, key=lambda name: known[name], default=model)
        self.serving = self.embedder
        if known.get(most, 0) > known.get(model, 0):
            self.serving = (self._former(most) if self._former else None) or self.embedder
        index.lexical = _is_lexical(self.serving)
        _put(index, derived.vectors(connection, self.serving.model_id))
        if self.serving is self.embedder:
            there = index.dense.has(rows) if index.dense is not None else np.zeros(len(rows), dtype=np.bool_)
        else:
            found = connection.execute("SELECT memory FROM vector WHERE model = ?", (model,))
            there = np.isin(rows + 1, np.fromiter((seq for (seq,) in found), dtype=np.int64))
        self.want(rows[~there].tolist())

    @property
    def model(self) -> str:
        """What made the vectors that serve; empty when none do."""
        return self.serving.model_id if self.serving is not None else ""

    def refresh(self, connection: apsw.Connection, index: Index, seen: str) -> None:
        """Load the vectors that were made since, here or by another process."""
        if self.embedder is None:
            return
        while self._seen != seen and (made := self._made.pop(_after(self._seen), None)):
            self._seen = _after(self._seen)
            if self.serving is self.embedder:
                _put(index, [self._still_so(made)])
        if self._seen == seen:
            return
        self._seen = seen
        self._made.clear()
        if self.serving is None:
            return
        rows = np.flatnonzero(index.facets.status[: len(index)] >= 0).astype(np.int32)
        if index.dense is not None:
            rows = rows[~index.dense.has(rows)]
        for some in _some(connection, self.serving.model_id, rows):
            _put(index, [some])
            if self.serving is self.embedder:
                for seq in some.seqs.tolist():
                    self._missing.pop(seq - 1, None)

    def want(self, rows: Iterable[int]) -> None:
        """Note rows that need a vector."""
        if self.embedder is not None:
            self._missing.update(dict.fromkeys(rows))

    @property
    def missing(self) -> int:
        """How many rows need a vector."""
        return len(self._missing)

    def next_rows(self, index: Index) -> list[int]:
        """Take the next rows that need a vector."""
        self._length = index.dense.dimensions if index.dense is not None and self.serving is self.embedder else 0
        some = [row for row, _ in zip(self._missing, range(_BATCH), strict=False)]
        for row in some:
            del self._missing[row]
        return some

    def make(self, rows: Sequence[int]) -> bool:
        """Make and keep the vectors of rows, as far as nobody else has; drop those of another length.

        Returns:
            Whether some were dropped: the index is to be opened anew.

        Raises:
            NolaError: That failed.
        """
        if self.embedder is None:
            return False
        model, asked = self.embedder.model_id, json.dumps([row + 1 for row in rows])
        with self._database.reading() as connection:
            texts = dict(connection.execute(_TEXTS, (asked, model)))
        if len(texts) < len(rows):
            self._seen = ""  # somebody else made the others: they are to be loaded
        if not texts:
            return False
        vectors = embedded(self.embedder, list(texts.values()))

        is_other = self._length not in {0, vectors.shape[1]}

        def job(connection: apsw.Connection) -> tuple[str, derived.Vectors, int]:
            gone = derived.drop_vectors(connection, model, dimensions=vectors.shape[1]) if is_other else 0
            now = dict(connection.execute(_TEXTS, (asked, model)))
            same = [place for place, (seq, text) in enumerate(texts.items()) if now.get(seq) == text]
            seqs = list(texts)
            made = derived.put_vectors(connection, model, [seqs[place] for place in same], vectors[same])
            return str(connection.execute(_COUNT).get), made, gone

        seen, made, gone = self._database.write(job)
        self._made[seen] = made
        return gone > 0

    def _still_so(self, made: derived.Vectors) -> derived.Vectors:
        """Leave out the vectors of texts that were changed since."""
        same = np.array([seq - 1 not in self._missing for seq in made.seqs.tolist()], dtype=np.bool_)
        return derived.Vectors(made.seqs[same], made.scales[same], made.numbers[same])

    def take_over(self, connection: apsw.Connection, index: Index) -> None:
        """Let the embedder's own vectors serve, now that every row has one."""
        if self.embedder is None or self.serving is self.embedder or self._missing:
            return
        index.dense, index.lexical = None, _is_lexical(self.embedder)
        _put(index, derived.vectors(connection, self.embedder.model_id))
        self.serving = self.embedder


def _is_lexical(embedder: Embedder) -> bool:
    """Tell whether vectors are near each other for their words alone."""
    return bool(getattr(embedder, "lexical", False))


def _after(seen: str) -> str:
    return str(int(seen or 0) + 1)


def _put(index: Index, parts: Iterable[derived.Vectors]) -> None:
    for part in parts:
        if index.dense is None:
            index.dense = DenseIndex(part.numbers.shape[1])
        if part.numbers.shape[1] == index.dense.dimensions:
            inside = (part.seqs <= len(index)).nonzero()[0]
            rows = (part.seqs[inside] - 1).astype(np.int32)
            alive = index.facets.status[rows] >= 0
            index.dense.add_quantised(rows[alive], part.numbers[inside[alive]], _unit(part.numbers[inside[alive]]))


def _unit(numbers: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return by what each row of small whole numbers is multiplied to be of length one: float32 [n]."""
    lengths = np.sqrt(np.einsum("ij,ij->i", numbers, numbers, dtype=np.float32))
    scales: NDArray[np.float32] = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return scales


def _some(connection: apsw.Connection, model: str, rows: NDArray[np.int32]) -> Iterator[derived.Vectors]:
    for start in range(0, len(rows), _LOADED):
        wanted = json.dumps((rows[start : start + _LOADED] + 1).tolist())
        found = list(connection.execute(_SOME, (model, wanted)))
        if found:
            yield derived.alike(found)
