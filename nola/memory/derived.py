"""What can be dropped and made again from the content: vectors and the lexical index, as the tables keep them."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nola.memory.memory_rows import dumped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import apsw
    from numpy.typing import NDArray

    from nola.types import Json

__all__ = [
    "Segment",
    "Vectors",
    "alike",
    "drop_postings",
    "drop_vectors",
    "missing",
    "models",
    "models_of",
    "postings_of",
    "put_segment",
    "put_vectors",
    "segments",
    "vectors",
    "without_vector",
]

_BATCH = 1_024
_LARGEST = 127
_PUT_VECTOR = """
INSERT OR REPLACE INTO vector (model, memory, dimensions, scale, numbers)
SELECT ?1, seq, ?3, ?4, ?5 FROM memory WHERE seq = ?2"""
_VECTORS = "SELECT memory, scale, numbers FROM vector WHERE model = ? AND memory > ? ORDER BY memory"
_MISSING = """FROM memory AS m
WHERE m.status <> 'deleted' AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.model = ?1 AND v.memory = m.seq)"""
_WITHOUT = f"SELECT m.seq, m.content {_MISSING} ORDER BY m.seq LIMIT ?2"


class Vectors(NamedTuple):
    """Vectors as they are kept: row i stands for `scale[i] * numbers[i]`.

    Attributes:
        seqs: int64 [n], the memories' numbers, ascending.
        scales: float32 [n].
        numbers: int8 [n, dimensions].
    """

    seqs: NDArray[np.int64]
    scales: NDArray[np.float32]
    numbers: NDArray[np.int8]


class Segment(NamedTuple):
    """A part of the lexical index that was saved.

    Attributes:
        id: Its number.
        documents: How many memories it covers.
        revision: The revision of the file that it was made from.
        about: Whatever its maker noted.
    """

    id: int
    documents: int
    revision: int
    about: dict[str, Json]


def put_vectors(connection: apsw.Connection, model: str, seqs: Sequence[int], vectors: NDArray[np.float32]) -> Vectors:
    """Keep vectors, each rounded to one byte a number, and return them so; a memory that is gone gets none.

    Args:
        connection: The writer's, inside a transaction.
        model: What made them: vectors of different models are kept apart.
        seqs: The memories' numbers.
        vectors: float32 [n, dimensions].
    """
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.where(largest > 0, largest / _LARGEST, 1.0).astype(np.float32)
    numbers = np.rint(vectors / scales[:, None]).astype(np.int8)
    connection.executemany(
        _PUT_VECTOR,
        [
            (model, seq, vectors.shape[1], float(scale), row.tobytes())
            for seq, scale, row in zip(seqs, scales, numbers, strict=True)
        ],
    )
    return Vectors(np.array(seqs, dtype=np.int64), scales, numbers)


def vectors(connection: apsw.Connection, model: str, *, after: int = 0) -> Iterator[Vectors]:
    """Yield a model's vectors in the order of the memories' numbers, some thousands at a time.

    Args:
        connection: A reader's.
        model: What made them.
        after: Only memories with a higher number.
    """
    rows = connection.execute(_VECTORS, (model, after))
    while batch := list(islice(rows, _BATCH)):
        yield alike(batch)


def without_vector(connection: apsw.Connection, model: str, limit: int) -> list[tuple[int, str]]:
    """Return number and content of the oldest memories that a model has no vector for."""
    return list(connection.execute(_WITHOUT, (model, limit)))


def missing(connection: apsw.Connection, model: str) -> int:
    """Return how many memories a model has no vector for."""
    return int(connection.execute(f"SELECT count(*) {_MISSING}", (model,)).get)


def models(connection: apsw.Connection) -> dict[str, int]:
    """Return how many vectors there are of each model."""
    return dict(connection.execute("SELECT model, count(*) FROM vector GROUP BY model ORDER BY model"))


def models_of(connection: apsw.Connection, seq: int) -> dict[str, int]:
    """Return which models a memory has a vector of, and how long each is."""
    return dict(connection.execute("SELECT model, dimensions FROM vector WHERE memory = ? ORDER BY model", (seq,)))


def drop_vectors(connection: apsw.Connection, model: str | None = None, *, dimensions: int = 0) -> int:
    """Delete a model's vectors, or all; return how many there were.

    Args:
        connection: The writer's, inside a transaction.
        model: What made them; None for any.
        dimensions: Keep those of this length.
    """
    sql = "DELETE FROM vector WHERE (?1 IS NULL OR model = ?1) AND dimensions <> ?2"
    connection.execute(sql, (model, dimensions))
    return connection.changes()


def alike(rows: Iterable[tuple[int, float, bytes]]) -> Vectors:
    """Return vectors as they are kept, those of another length than the first left out.

    Args:
        rows: A memory's number, its scale and its numbers; at least one.
    """
    given = list(rows)
    size = len(given[0][2])
    seqs, scales, blobs = zip(*[row for row in given if len(row[2]) == size], strict=True)
    numbers = np.frombuffer(b"".join(blobs), dtype=np.int8).reshape(len(blobs), size)
    return Vectors(np.array(seqs, dtype=np.int64), np.array(scales, dtype=np.float32), numbers)


def put_segment(
    connection: apsw.Connection,
    blobs: Mapping[str, bytes],
    *,
    documents: int,
    revision: int,
    about: Mapping[str, Json] | None = None,
    replaces: Sequence[int] = (),
) -> int:
    """Save a part of the lexical index; return its number.

    Args:
        connection: The writer's, inside a transaction.
        blobs: The postings of each term.
        documents: How many memories it covers.
        revision: The revision of the file that it was made from.
        about: Whatever its maker needs to know later.
        replaces: Segments that were merged into it, which go.
    """
    for old in replaces:
        connection.execute("DELETE FROM segment WHERE id = ?", (old,))
    put = "INSERT INTO segment (documents, revision, about) VALUES (?, ?, ?) RETURNING id"
    made = int(connection.execute(put, (documents, revision, dumped(about or {}))).get)
    rows = ((made, term, blob) for term, blob in blobs.items())
    connection.executemany("INSERT INTO posting (segment, term, rows) VALUES (?, ?, ?)", rows)
    return made


def segments(connection: apsw.Connection) -> list[Segment]:
    """Return the saved parts of the lexical index, in the order of their making."""
    rows = connection.execute("SELECT id, documents, revision, about FROM segment ORDER BY id")
    return [Segment(id_, documents, revision, json.loads(about)) for id_, documents, revision, about in rows]


def postings_of(connection: apsw.Connection, known: Collection[int] | None = None) -> Callable[[str], list[bytes]]:
    """Return what loads the postings of a term, a blob for each segment in their order, from one snapshot.

    Args:
        connection: A reader's.
        known: The segments to load from; None for all.
    """
    sql = "SELECT segment, rows FROM posting WHERE term = ? ORDER BY segment"
    return lambda term: [
        blob for segment, blob in connection.execute(sql, (term,)) if known is None or segment in known
    ]


def drop_postings(connection: apsw.Connection) -> None:
    """Delete the saved lexical index."""
    connection.execute("DELETE FROM segment")
