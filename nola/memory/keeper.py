"""Keeps the index in step with the database: new texts at once, vectors and likeness in the background."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from nola.errors import NolaError
from nola.forks import in_children
from nola.memory import derived, finding
from nola.memory.index import Index
from nola.memory.likeness import Likeness
from nola.memory.meaning import Embedder, Meaning
from nola.memory.memory_rows import sound
from nola.memory.nearness import Nearness
from nola.memory.posting_blobs import DOCUMENTS
from nola.memory.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import apsw

    from nola.memory.database import Database
    from nola.memory.finding import Change
    from nola.settings import Settings

__all__ = ["Embedder", "IndexKeeper"]

_SEGMENT = 4_096
"""Texts after which the lexical index is saved, so that the next start need not read them again."""
_CHUNK = 1_000
_PATIENCE_S = 30.0
_GATHER_S = 0.1
"""How long the thread in the background waits for more, unless somebody waits for it."""
_STATE = """
SELECT (SELECT value FROM counter WHERE name = 'revision'),
    (SELECT value FROM meta WHERE key = 'epoch'),
    (SELECT value FROM meta WHERE key = 'vectors'),
    (SELECT group_concat(id) FROM segment)"""


class _State(NamedTuple):
    """Where the file stands: its revision, what tells it from a restored one, vectors made, parts of the lexicon."""

    revision: int
    epoch: str
    vectors: str
    segments: frozenset[int]


class IndexKeeper:
    """The index of one database in this process, from any thread.

    A memory is found by its words as soon as it is stored: whoever asks takes in what is new first, whichever process
    stored it. Vectors, and the edges between facts that are much alike, are made on a thread of their own. When the
    embedder is another one than before, the old vectors serve until every memory has a new one.

    Args:
        database: The file.
        settings: Constants of links.
        embedder: Makes vectors; None for words alone.
        former: Returns the embedder of an earlier model; None where it can't be had.
        seen: Makes of changed rows what the profile sees in them; None for what is written.

    Attributes:
        trouble: Why the background work stands still; empty when it does not.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        embedder: Embedder | None,
        former: Callable[[str], Embedder | None] | None = None,
        seen: Callable[[apsw.Connection, Sequence[Change]], Sequence[Change]] | None = None,
    ) -> None:
        self._database = database
        self._seen = seen or (lambda _connection, changes: changes)
        self._meaning = Meaning(database, embedder, former)
        self._likeness = Likeness(database, settings.links)
        self._nearness = Nearness(database, settings.links)
        self._index: Index | None = None
        self._epoch = ""
        self._segments: frozenset[int] = frozenset()
        self.trouble = ""
        self._begin()
        in_children(self, IndexKeeper._begin)

    def _begin(self) -> None:
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._hurry = threading.Event()
        self._idle = threading.Condition()
        self._busy = False
        self._stored = False
        self._unfinished = False
        self._waiting = 0
        self._worker: threading.Thread | None = None
        self._closing = False
        self._index = None
        self._likeness.begin()

    @property
    def embedder(self) -> Embedder | None:
        """What makes vectors; None for words alone."""
        return self._meaning.embedder

    @property
    def serving(self) -> Embedder | None:
        """What a question is embedded by: the embedder whose vectors are in the index; None while there are none."""
        index = self._index
        return self._meaning.serving if index is not None and index.dense is not None and len(index.dense) else None

    @contextmanager
    def index(self) -> Iterator[Index]:
        """Lend the index, with everything in it that is stored now; nobody else has it meanwhile."""
        with self.reading() as (index, _):
            yield index

    @contextmanager
    def reading(self) -> Iterator[tuple[Index, apsw.Connection]]:
        """Lend the index with a reader's connection that sees the same moment."""
        with self._lock, self._database.reading() as connection:
            yield self._caught_up(connection), connection

    def notice(self) -> None:
        """Let the thread in the background know that something was stored."""
        self._stored = True
        self._begin_work()

    def resume(self) -> None:
        """Go on, once, with what an earlier process left undone: vectors and likenesses that are missing."""
        if self._unfinished:
            self._unfinished = False
            self._begin_work()

    def _begin_work(self) -> None:
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
        with self._idle:
            self._waiting += 1
        self._hurry.set()
        self.notice()
        try:
            with self._idle:
                done = self._idle.wait_for(lambda: not self._busy or self._closing, timeout_s)
        finally:
            with self._idle:
                self._waiting -= 1
                if not self._waiting:
                    self._hurry.clear()
        return done and not self.trouble and not self._missing

    @property
    def _missing(self) -> int:
        return self._meaning.missing + self._likeness.missing + self._nearness.missing

    def renew(self, dimensions: int) -> None:
        """Drop the vectors that serve and are of another length than the embedder makes now; they are made again.

        Raises:
            NolaError: The file can't be written.
        """
        model = self._meaning.model
        self._database.write(lambda connection: derived.drop_vectors(connection, model, dimensions=dimensions))
        with self._lock:
            self._index = None
        self.notice()

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

        Raises:
            NolaError: The embedder failed; what it made until then is kept.
        """
        with self._lock:
            self._database.write(derived.drop_postings)
            if self.embedder is not None:
                model = self.embedder.model_id
                self._database.write(lambda connection: derived.drop_vectors(connection, model))
            self._index = None
            with self.index() as index:
                progress("words", len(index.postings), len(index.postings))
        total = len(index.postings)
        while self._embed_some():
            progress("vectors", total - min(total, self._meaning.missing), total)
        self._stored = True
        self._save(least=1)
        with self.index() as index:
            vectors = len(index.dense) if index.dense is not None and self.serving is self.embedder else 0
            return {"memories": len(index.postings), "vectors": vectors}

    def close(self) -> None:
        """Save what is worth saving and stop; the next use begins again."""
        with self._idle:
            self._closing = True
            self._idle.notify_all()
        self._hurry.set()
        self._wake.set()
        if self._worker is not None:
            self._worker.join(_PATIENCE_S)
        with suppress(NolaError):
            self._save(least=_SEGMENT // 8)
        with self._lock:
            self._index = None
        self._hurry.clear()
        self._closing = self._busy = False

    # --- catching up --------------------------------------------------------------------------------------------------
    def _caught_up(self, connection: apsw.Connection) -> Index:
        state = _state(connection)
        index = self._index
        if (
            index is None
            or state.epoch != self._epoch  # a backup was put in its place
            or state.revision < index.revision
            or not self._segments <= state.segments  # another process made the index again
        ):
            index = self._opened(connection, state)
        try:
            self._take_in(connection, index, state)
        except BaseException:  # whatever breaks it off, half of the changes are none
            self._index = None  # the next one reads everything
            raise
        self._index = index
        return index

    def _take_in(self, connection: apsw.Connection, index: Index, state: _State) -> None:
        if state.revision != index.revision:
            since = index.revision
            changes = finding.changes(connection, since)
            while some := list(islice(changes, _CHUNK)):
                with sound():
                    reworded = index.apply(self._seen(connection, some))
                self._likeness.want(index, reworded)
                self._meaning.want(reworded)
                self._nearness.want(reworded)
            for seq in finding.gone(connection, since):
                index.remove(seq - 1)
            index.revision = state.revision
        self._meaning.refresh(connection, index, state.vectors)

    def _opened(self, connection: apsw.Connection, state: _State) -> Index:
        saved = derived.segments(connection)
        self._epoch, self._segments = state.epoch, frozenset(segment.id for segment in saved)
        load = derived.postings_of(connection, self._segments)
        blobs = {DOCUMENTS: load(DOCUMENTS)} if saved else {}

        def loader(term: str) -> Sequence[bytes]:
            if term in blobs:
                return blobs[term]
            if not self._segments:
                return ()
            with self._database.reading() as reader:
                return derived.postings_of(reader, self._segments)(term)

        index = Index(Postings(loader), saved=max((segment.revision for segment in saved), default=0))
        blobs.clear()
        index.reserve(finding.highest(connection))
        changes = finding.changes(connection, 0)
        while some := list(islice(changes, _CHUNK)):
            with sound():
                index.apply(self._seen(connection, some))
        for seq in finding.gone(connection, 0):
            index.postings.remove(seq - 1)
        index.revision = state.revision
        try:
            self._meaning.open(connection, index, state.vectors)
        except NolaError as error:  # nobody tells which model it is: words alone serve
            self.trouble = str(error)
        self._likeness.open(connection, index)
        self._nearness.open(connection, index, self._meaning.model)
        self._unfinished = self._missing > 0
        return index

    # --- in the background --------------------------------------------------------------------------------------------
    def _work(self) -> None:
        while not self._closing:
            self._hurry.wait(_GATHER_S)
            self._wake.clear()
            self.trouble = self._done()
            with self._idle:
                if self._closing or not self._wake.is_set():
                    self._busy = False
                    self._idle.notify_all()
            if not self._closing:
                self._wake.wait()

    def _done(self) -> str:
        """Do what there is to do; return why something of it could not be done."""
        trouble = ""
        for step in (self._embed_some, self._link_some, self._near_some):
            try:
                while not self._closing and step():
                    continue
            except NolaError as error:
                trouble = trouble or str(error)  # the next store tries again
        try:
            self._save(least=_SEGMENT)
        except NolaError as error:
            trouble = trouble or str(error)
        self._unfinished = self._unfinished and self._missing > 0
        return trouble

    def _embed_some(self) -> int:
        """Make the next vectors; return how many rows were looked at."""
        with self.reading() as (index, connection):
            rows = self._meaning.next_rows(index)
            if not rows:
                self._meaning.take_over(connection, index)
                return 0
        try:
            if self._meaning.make(rows):
                with self._lock:
                    self._index = None
        except BaseException:  # whatever breaks it off, these rows still want a vector
            with self._lock:
                self._meaning.want(rows)
            raise
        return len(rows)

    def _link_some(self) -> int:
        """Join facts to those that are much alike; return how many were looked at."""
        with self._likeness.joining:
            with self.index() as index:
                texts, alike = self._likeness.found(index)
            try:
                if alike:
                    self._likeness.join(texts, alike)
            except BaseException:  # whatever breaks it off, these facts still want to be joined
                with self._lock:
                    self._likeness.want_again(alike)
                raise
            return self._likeness.missing or len(alike)

    def _near_some(self) -> int:
        """Join facts whose vectors are near; return how many were looked at."""
        with self._likeness.joining:
            with self.reading() as (index, connection):
                looked = self._nearness.found(connection, index, self._meaning.model)
            try:
                self._nearness.join(looked)
            except BaseException:  # whatever breaks it off, these facts still want to be joined
                with self._lock:
                    self._nearness.want(looked.rows)
                raise
            return len(looked.rows)

    def _save(self, *, least: int) -> None:
        """Save the part of the lexical index that was not saved yet, if it is large enough."""
        with self._lock:
            if self._index is None or not self._stored or self._index.postings.unsaved < least:
                return
            index, postings = self._index, self._index.postings
            if postings.saved_documents + postings.unsaved > 2 * len(postings) + 2 * _SEGMENT:
                self._database.write(derived.drop_postings)  # most of it is of texts that were changed or went
                self._index = None
                with self.index() as fresh:
                    index, postings = fresh, fresh.postings
            revision, blobs, known = index.revision, postings.to_blobs(), self._segments

            def job(connection: apsw.Connection) -> int | None:
                if frozenset(segment.id for segment in derived.segments(connection)) != known:
                    return None  # another process saved meanwhile
                return derived.put_segment(connection, blobs, documents=postings.unsaved, revision=revision)

            made = self._database.write(job)
            if made is not None:
                self._segments = known | {made}
                postings.saved()


def _state(connection: apsw.Connection) -> _State:
    (found,) = connection.execute(_STATE)
    revision, epoch, vectors, segments = found
    ids = frozenset(int(id_) for id_ in str(segments).split(",")) if segments is not None else frozenset()
    return _State(int(revision or 0), str(epoch), str(vectors or ""), ids)
