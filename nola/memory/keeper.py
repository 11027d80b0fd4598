"""Keeps the index in step with the database: new texts at once, vectors and likeness in the background."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np

from nola.errors import ModelError, NolaError
from nola.memory import derived, edges, finding
from nola.memory.axes import EdgeKind, Kind, Status
from nola.memory.conflict import conflicting_values
from nola.memory.dense import DenseIndex
from nola.memory.index import KIND_CODES, STATUS_CODES, Index
from nola.memory.links import similar_properties
from nola.memory.posting_blobs import DOCUMENTS
from nola.memory.postings import Postings
from nola.memory.similar import SimilarIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import apsw
    from numpy.typing import NDArray

    from nola.memory.database import Database
    from nola.settings import Settings

__all__ = ["Embedder", "IndexKeeper"]

_BATCH = 64
"""Texts that are embedded at a time; between two batches whoever waits for the index gets it."""
_SEGMENT = 4_096
"""Texts after which the lexical index is saved, so that the next start need not read them again."""
_CHUNK = 5_000
_LINKED = "similar_to"
_PATIENCE_S = 30.0


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


class IndexKeeper:
    """The index of one database in this process, from any thread.

    A memory is found by its words as soon as it is stored: whoever asks takes in what is new first. Vectors, and the
    edges between facts that are much alike, are made on a thread of their own. When the embedder is another one than
    before, the old vectors serve until every memory has a new one.

    Args:
        database: The file.
        settings: Constants of links.
        embedder: Makes vectors; None for words alone.
    """

    def __init__(self, database: Database, settings: Settings, embedder: Embedder | None) -> None:
        self._database = database
        self._settings = settings
        self.embedder = embedder
        self._lock = threading.RLock()
        self._linking = threading.Lock()
        self._index: Index | None = None
        self._similar = SimilarIndex(settings.links)
        self._to_link: list[int] = []
        self._gone = 0
        self._epoch = ""
        self._wake = threading.Event()
        self._idle = threading.Condition()
        self._busy = False
        self._worker: threading.Thread | None = None
        self._closing = False
        self.trouble = ""

    @contextmanager
    def index(self) -> Iterator[Index]:
        """Lend the index, with everything in it that is stored now; nobody else has it meanwhile."""
        with self._lock:
            yield self._caught_up()

    def notice(self) -> None:
        """Let the thread in the background know that something was stored."""
        with self._idle:
            self._busy = True
            if self._closing:
                return
            if self._worker is None or not self._worker.is_alive():
                self._worker = threading.Thread(target=self._work, name="nola-memory-index", daemon=True)
                self._worker.start()
        self._wake.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until every memory has its vector and its likenesses; return whether that came about in time."""
        self.notice()
        with self._idle:
            return self._idle.wait_for(lambda: not self._busy, timeout_s)

    def link_now(self) -> None:
        """Make the edges between facts that are much alike, as far as they are missing."""
        while self._link_some():
            continue

    def rebuild(self, progress: Callable[[str, int, int], None] = lambda *_: None) -> dict[str, int]:
        """Drop every index and make it again; the texts are what stays (E56).

        Args:
            progress: Is told what is being made, how many are done, and of how many.

        Returns:
            How many texts and vectors there are in the new index.
        """
        with self._lock:
            self._database.write(derived.drop_postings)
            if self.embedder is not None:
                model = self.embedder.model_id
                self._database.write(lambda connection: derived.drop_vectors(connection, model))
            self._index = None
            index = self._caught_up()
            progress("words", len(index), len(index))
        total = int((index.facets.status[: len(index)] >= 0).sum())
        made = 0
        while count := self._embed_some():
            made += count
            progress("vectors", made, total)
        self._save(least=1)
        return {"memories": total, "vectors": made}

    def close(self) -> None:
        """Save what is worth saving and stop; the next use begins again."""
        with self._idle:
            self._closing = True
        self._wake.set()
        if self._worker is not None:
            self._worker.join(_PATIENCE_S)
        with suppress(NolaError):
            self._save(least=_SEGMENT // 8)
        with self._lock:
            self._index = None
        self._closing = False

    # --- catching up --------------------------------------------------------------------------------------------------
    def _caught_up(self) -> Index:
        with self._database.reading() as connection:
            epoch = _epoch(connection)
            if self._index is None or epoch != self._epoch:  # the second: a backup was put in its place
                self._index, self._epoch = self._opened(connection), epoch
            index = self._index
            revision = _revision(connection)
            if revision == index.revision:
                return index
            changes = finding.changes(connection, index.revision)
            while some := list(islice(changes, _CHUNK)):
                reworded = index.apply(some)
                self._to_link += [row for row in reworded if index.facets.kind[row] == KIND_CODES[Kind.SEMANTIC]]
            for seq in finding.gone(connection, self._gone):
                index.remove(seq - 1)
            index.revision = self._gone = max(revision, index.revision)
        return index

    def _opened(self, connection: apsw.Connection) -> Index:
        saved = derived.segments(connection)
        load = derived.postings_of(connection)
        blobs = {DOCUMENTS: load(DOCUMENTS)} if saved else {}

        def loader(term: str) -> Sequence[bytes]:
            if term in blobs:
                return blobs[term]
            with self._database.reading() as reader:
                return derived.postings_of(reader)(term)

        index = Index(Postings(loader), saved=max((segment.revision for segment in saved), default=0))
        self._gone = 0
        self._to_link = []
        changes = finding.changes(connection, 0)
        while some := list(islice(changes, _CHUNK)):
            index.apply(some)
        self._load_vectors(connection, index)
        self._similar = SimilarIndex(self._settings.links)
        linked = _linked(connection)
        semantic = np.flatnonzero(index.facets.kind[: len(index)] == KIND_CODES[Kind.SEMANTIC])
        self._to_link = [int(row) for row in semantic if row >= linked]
        return index

    def _load_vectors(self, connection: apsw.Connection, index: Index) -> None:
        """Load the vectors of the embedder's model, or of the one that most memories have vectors of."""
        if self.embedder is None:
            return
        known = derived.models(connection)
        model = self.embedder.model_id
        if known.get(model, 0) * 2 < max(known.values(), default=0) and len(known) > 1:
            return
        dense = DenseIndex(self.embedder.dimensions)
        for part in derived.vectors(connection, model):
            dense.add_quantised((part.seqs - 1).astype(np.int32), part.numbers, part.scales)
        index.dense = dense

    # --- in the background --------------------------------------------------------------------------------------------
    def _work(self) -> None:
        while not self._closing:
            self._wake.clear()
            try:
                while not self._closing and (self._embed_some() or self._link_some()):
                    continue
                self._save(least=_SEGMENT)
                self.trouble = ""
            except NolaError as error:
                self.trouble = str(error)  # the next store tries again
            with self._idle:
                if not self._wake.is_set():
                    self._busy = False
                    self._idle.notify_all()
            self._wake.wait()

    def _embed_some(self) -> int:
        """Make the next vectors; return how many."""
        embedder = self.embedder
        if embedder is None:
            return 0
        with self._database.reading() as connection:
            missing = derived.without_vector(connection, embedder.model_id, _BATCH)
        if not missing:
            return 0
        seqs = [seq for seq, _ in missing]
        try:
            vectors = embedder.embed([text for _, text in missing])
        except ModelError as error:
            self.trouble = str(error)
            return 0
        self._database.write(lambda connection: derived.put_vectors(connection, embedder.model_id, seqs, vectors))
        with self._lock:
            index = self._caught_up()
            if index.dense is None:
                self._switch(index, embedder)
            elif index.dense.dimensions == embedder.dimensions:
                index.dense.add(np.array(seqs, dtype=np.int32) - 1, vectors)
        return len(seqs)

    def _switch(self, index: Index, embedder: Embedder) -> None:
        """Let the new model's vectors serve once every memory has one."""
        with self._database.reading() as connection:
            if not derived.without_vector(connection, embedder.model_id, 1):
                dense = DenseIndex(embedder.dimensions)
                for part in derived.vectors(connection, embedder.model_id):
                    dense.add_quantised((part.seqs - 1).astype(np.int32), part.numbers, part.scales)
                index.dense = dense

    def _link_some(self) -> int:
        """Join facts to those that are much alike; return how many were looked at."""
        with self._linking:  # whoever comes second finds the edges made
            return self._link_next()

    def _link_next(self) -> int:
        with self._lock:
            index = self._caught_up()
            rows, self._to_link = self._to_link[:_BATCH], self._to_link[_BATCH:]
            if not rows:
                return 0
            self._fill_similar(index)
            with self._database.reading() as connection:
                texts = _texts(connection, rows)
            found = []
            for row, text in texts.items():
                namespace = index.facets.namespace[row]
                alike = [
                    (other, score)
                    for other, score in self._similar.join(row, text)
                    if index.facets.namespace[other] == namespace and index.facets.status[other] >= 0
                ]
                found += [(row, other, score) for other, score in alike]
        now = self._database.clock.now()

        def job(connection: apsw.Connection) -> None:
            others = _texts(connection, [other for _, other, _ in found])
            for row, other, score in found:
                if row in texts and other in others and row != other:
                    conflict = conflicting_values(others[other], texts[row])
                    said = similar_properties(score, "jaccard", conflict)
                    with suppress(NolaError):  # one of the two is another kind of memory by now, or gone
                        edges.put(
                            connection, row + 1, EdgeKind.SIMILAR_TO, other + 1, now=now, weight=score, properties=said
                        )
            _note_linked(connection, max(rows) + 1)

        self._database.write(job)
        return len(rows)

    def _fill_similar(self, index: Index) -> None:
        """Put the facts that were linked in an earlier process into the index of likeness."""
        if len(self._similar) or not self._to_link_begins_late(index):
            return
        with self._database.reading() as connection:
            first = min(self._to_link, default=len(index))
            sql = "SELECT seq - 1, content FROM memory WHERE kind = 'semantic' AND status <> 'deleted' AND seq <= ?"
            self._similar.add_many(connection.execute(sql, (first,)))

    def _to_link_begins_late(self, index: Index) -> bool:
        semantic = index.facets.kind[: len(index)] == KIND_CODES[Kind.SEMANTIC]
        return bool((semantic & (index.facets.status[: len(index)] != STATUS_CODES[Status.DELETED])).any())

    def _save(self, *, least: int) -> None:
        """Save the part of the lexical index that was not saved yet, if it is large enough."""
        with self._lock:
            if self._index is None or self._index.postings.unsaved < least:
                return
            postings, revision = self._index.postings, self._index.revision
            blobs = postings.to_blobs()
            before = postings.saved_documents

            def job(connection: apsw.Connection) -> bool:
                if sum(segment.documents for segment in derived.segments(connection)) != before:
                    return False  # another process saved meanwhile
                derived.put_segment(connection, blobs, documents=postings.unsaved, revision=revision)
                return True

            if self._database.write(job):
                postings.saved()


def _epoch(connection: apsw.Connection) -> str:
    return str(connection.execute("SELECT value FROM meta WHERE key = 'epoch'").get)


def _revision(connection: apsw.Connection) -> int:
    found = connection.execute("SELECT value FROM counter WHERE name = 'revision'").get
    return int(found or 0)


def _linked(connection: apsw.Connection) -> int:
    found = connection.execute("SELECT value FROM counter WHERE name = ?", (_LINKED,)).get
    return int(found or 0)


def _note_linked(connection: apsw.Connection, seq: int) -> None:
    connection.execute(
        "INSERT INTO counter (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = max(value, ?2)",
        (_LINKED, seq),
    )


def _texts(connection: apsw.Connection, rows: Sequence[int]) -> dict[int, str]:
    sql = "SELECT seq - 1, content FROM memory WHERE seq IN (SELECT value + 1 FROM json_each(?))"
    return dict(connection.execute(sql, (str(list(rows)),)))
