"""What finds the turns that answer a question: Nola's memory, and plain ways to be compared with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

import apsw
import numpy as np

from nola.errors import ModelError, NolaError
from nola.memory.meaning import embedded
from nola.memory.tokens import tokens
from nola.text import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from numpy.typing import NDArray

    from nola.evaluation.conversations import Conversation
    from nola.memory.meaning import Embedder

__all__ = ["Finder", "Kept", "LastTurns", "PlainSearch", "Remembered", "Remembering", "VectorsAlone"]

_TABLE = "create virtual table said using fts5 (line, tokenize = 'porter unicode61 remove_diacritics 2')"
_SEARCH = "select rowid from said where said match ? order by bm25(said) limit ?"


class Finder(Protocol):
    """Holds one conversation and finds turns in it."""

    def find(self, question: str, most: int) -> list[str]:
        """Return ids of turns, best first, at most so many."""

    def close(self) -> None:
        """Let go of what it holds."""


class Remembering(Protocol):
    """The part of `nola.Memory` that is measured."""

    def store_many(self, memories: Iterable[Mapping[str, object]]) -> list[str]:
        """Store memories."""

    def wait_indexed(self, timeout: float | None = None) -> bool:
        """Wait until they can be found by their meaning too."""

    def recall(self, query: str, *, limit: int = 10, now: datetime | None = None, count: bool = True) -> Sequence[Any]:
        """Return what answers a question best, best first; each has its `source`."""

    def close(self) -> None:
        """Close the file."""


class Kept:
    """An embedder that embeds a text once, for all ways of finding, and tells how much of the processor it took.

    Attributes:
        cpu_s: Seconds of CPU that the embedder has taken.
        trouble: What went wrong last; None for nothing.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, NDArray[np.float32]] = {}
        self.model_id = inner.model_id
        self.dimensions = inner.dimensions
        self.lexical = bool(getattr(inner, "lexical", False))
        self.cpu_s = 0.0
        self.trouble: NolaError | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text.

        Raises:
            NolaError: The embedder failed.
        """
        began = time.process_time()
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        try:
            if missing:
                self._known.update(zip(missing, embedded(self._inner, missing), strict=True))
        except NolaError as error:
            self.trouble = error
            raise
        finally:
            self.cpu_s += time.process_time() - began
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])


class PlainSearch:
    """SQLite FTS5 over the lines, with porter stems: any word of the question but stop words, ordered by bm25()."""

    def __init__(self, conversation: Conversation) -> None:
        self._ids = [turn.id for turn in conversation.turns]
        self._database = apsw.Connection(":memory:")
        self._database.execute(_TABLE)
        with self._database:
            lines = ((row, turn.line) for row, turn in enumerate(conversation.turns))
            self._database.executemany("insert into said (rowid, line) values (?, ?)", lines)

    def find(self, question: str, most: int) -> list[str]:
        """Return the best matches."""
        asked = tokens(question)
        wanted = " OR ".join(f'"{word}"' for word in dict.fromkeys([w for w in asked if w not in STOP_WORDS] or asked))
        if not wanted:
            return []
        return [self._ids[int(row)] for (row,) in self._database.execute(_SEARCH, (wanted, most))]

    def close(self) -> None:
        """Close the database."""
        self._database.close()


class VectorsAlone:
    """The lines whose vectors are nearest to the question's."""

    def __init__(self, conversation: Conversation, embedder: Kept) -> None:
        self._ids = [turn.id for turn in conversation.turns]
        self._embedder = embedder
        self._vectors = embedder.embed([turn.line for turn in conversation.turns])

    def find(self, question: str, most: int) -> list[str]:
        """Return the nearest."""
        near = np.einsum("ij,j->i", self._vectors, self._embedder.embed([question])[0])
        return [self._ids[row] for row in np.argsort(-near, kind="stable")[:most]]

    def close(self) -> None:
        """Hold nothing."""


class LastTurns:
    """The raw context: the last turns, the newest first, whatever is asked."""

    def __init__(self, conversation: Conversation) -> None:
        self._ids = [turn.id for turn in sorted(conversation.turns, key=lambda turn: turn.at, reverse=True)]

    def find(self, question: str, most: int) -> list[str]:
        """Return the last ones."""
        del question
        return self._ids[:most]

    def close(self) -> None:
        """Hold nothing."""


class Remembered:
    """Nola's memory in a file of its own, one memory a turn; nothing is counted, so no question helps another.

    Args:
        conversation: What is remembered.
        path: The file; what is in it already is not stored again.
        opener: Opens the memory.
        embedder: What it makes vectors with, or None.

    Raises:
        NolaError: The vectors could not be made.
    """

    def __init__(
        self, conversation: Conversation, path: Path, opener: Callable[[Path], Remembering], embedder: Kept | None
    ) -> None:
        self._now = conversation.asked_at
        new = not path.exists()
        self._memory = opener(path)
        if new:
            self._memory.store_many(
                {
                    "content": turn.text,
                    "kind": "episodic",
                    "at": turn.at,
                    "speaker": turn.speaker,
                    "conversation": turn.session,
                    "source": turn.id,
                }
                for turn in conversation.turns
            )
        if not self._memory.wait_indexed():
            self._memory.close()
            raise (embedder and embedder.trouble) or ModelError("the vectors of the memories could not be made")

    def find(self, question: str, most: int) -> list[str]:
        """Recall, without counting."""
        found = self._memory.recall(question, limit=most, now=self._now, count=False)
        return [one.source for one in found]

    def close(self) -> None:
        """Close the memory."""
        self._memory.close()
