"""A cache of text vectors on disk, keyed by what was embedded and by which model; it can be deleted at any time."""

from __future__ import annotations

import hashlib
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from nola.errors import StorageError
from nola.files import make_private_dir

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from nola.clock import Clock
    from nola.llm.embed import Embedder

__all__ = ["CachedEmbedder"]

_BUSY_MS = 500
_AT_ONCE = 500
_BYTES_PER_NUMBER = 4
_SCHEMA = "create table if not exists vector (key blob primary key, numbers blob not null) without rowid"
_SUFFIXES = ("", "-wal", "-shm", "-journal")


class CachedEmbedder:
    """An embedder that embeds a text once. Trouble with the cache costs time, never an answer. Thread-safe."""

    def __init__(self, inner: Embedder, cache_file: Path, clock: Clock, *, batch: int = 32) -> None:
        """Put a cache before an embedder; nothing is opened yet.

        Args:
            inner: Embeds what is not in the cache.
            cache_file: An SQLite file under the cache folder.
            clock: Measures the time budget.
            batch: Texts that are embedded before the clock is looked at again.
        """
        self._inner = inner
        self._file = cache_file
        self._clock = clock
        self._batch = batch
        self._lock = threading.Lock()
        self._db: Any = None
        self._broken = False

    @property
    def model_id(self) -> str:
        """Names the space of the vectors."""
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text; see `Embedder.embed`."""
        return self._filled(texts, budget_s=None)[0]

    def cached(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Look texts up without embedding any.

        Returns:
            float32 [n, dimensions], zero where unknown; and bool [n], true where known.
        """
        import numpy as np  # noqa: PLC0415 -- keeps start-up fast

        keys = [self._key(text) for text in texts]
        known = self._read(list(dict.fromkeys(keys)))
        matrix = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        mask = np.zeros(len(texts), dtype=np.bool_)
        for row, key in enumerate(keys):
            if (numbers := known.get(key)) is not None:
                matrix[row] = np.frombuffer(numbers, dtype="<f4")
                mask[row] = True
        return matrix, mask

    def embed_within(
        self, texts: Sequence[str], budget_s: float
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Embed what fits into a time budget, the first texts first; what is in the cache costs nothing.

        Args:
            texts: The most important first.
            budget_s: Seconds. A batch that was begun is finished, and loading the model counts too.

        Returns:
            float32 [n, dimensions], zero where the time was up; and bool [n], true where there is a vector.

        Raises:
            ModelError: The embedder could not be loaded.
        """
        return self._filled(texts, budget_s=budget_s)

    def close(self) -> None:
        """Close the cache; the next use opens it again."""
        with self._lock:
            self._close()

    def _filled(
        self, texts: Sequence[str], *, budget_s: float | None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        started = self._clock.monotonic()
        matrix, mask = self.cached(texts)
        rows_of: dict[str, list[int]] = {}
        for row in (~mask).nonzero()[0]:
            rows_of.setdefault(texts[int(row)], []).append(int(row))
        missing = list(rows_of)
        for start in range(0, len(missing), self._batch):
            if budget_s is not None and self._clock.monotonic() - started >= budget_s:
                break
            some = missing[start : start + self._batch]
            vectors = self._inner.embed(some)
            for text, vector in zip(some, vectors, strict=True):
                matrix[rows_of[text]] = vector
                mask[rows_of[text]] = True
            self._write([(self._key(t), v.astype("<f4").tobytes()) for t, v in zip(some, vectors, strict=True)])
        return matrix, mask

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.model_id}\0{text}".encode("utf-8", "surrogatepass")).digest()

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        length = self.dimensions * _BYTES_PER_NUMBER
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"select key, numbers from vector where key in ({marks})"  # noqa: S608 -- question marks only
            rows = self._run(lambda db, q=query, s=some: db.execute(q, s).fetchall())
            found.update({bytes(k): bytes(v) for k, v in rows if len(v) == length})
        return found

    def _write(self, rows: Sequence[tuple[bytes, bytes]]) -> None:
        def insert(db: Any) -> list[Any]:
            with db:
                db.executemany("insert or replace into vector values (?, ?)", rows)
            return []

        self._run(insert)

    def _run(self, work: Any) -> list[Any]:
        """Do something with the database; a damaged one is made anew once, after that the cache is not used."""
        import apsw  # noqa: PLC0415 -- keeps start-up fast

        with self._lock:
            for last in (False, True):
                if self._broken:
                    return []
                try:
                    rows: list[Any] = work(self._open(apsw))
                except (apsw.BusyError, apsw.LockedError):
                    return []  # somebody else is writing: this time without the cache
                except (apsw.Error, StorageError, OSError):
                    self._broken = last or not self._made_away()
                else:
                    return rows
            return []

    def _open(self, apsw: Any) -> Any:
        if self._db is None:
            make_private_dir(self._file.parent)
            db = apsw.Connection(str(self._file))
            self._db = db
            db.set_busy_timeout(_BUSY_MS)
            db.execute("pragma journal_mode=wal; pragma synchronous=off")
            db.execute(_SCHEMA)
            with suppress(OSError):
                self._file.chmod(0o600)
        return self._db

    def _close(self) -> None:
        if self._db is not None:
            self._db.close(True)  # noqa: FBT003 -- apsw takes it by position
            self._db = None

    def _made_away(self) -> bool:
        try:
            self._close()
            for suffix in _SUFFIXES:
                self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)
        except OSError:
            return False
        return True
