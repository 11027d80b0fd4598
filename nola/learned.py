"""The learned memory for everybody's programs: `from nola import Memory`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nola import config as configuration
from nola.clock import SystemClock
from nola.errors import UsageError
from nola.llm.choose_embedder import embedder_named, embedder_of
from nola.llm.tokens import estimate
from nola.memory.asking import asked, filtered
from nola.memory.checks import checked_choice, checked_instant, checked_whole
from nola.memory.database import Database
from nola.memory.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType
    from typing import Self

    from nola.clock import Clock
    from nola.memory.axes import EdgeKind, Tier
    from nola.memory.edges import Edge
    from nola.memory.engine import Explanation, Stats
    from nola.memory.finding import Event
    from nola.memory.journal import Taken
    from nola.memory.keeper import Embedder
    from nola.memory.recall import Recalled
    from nola.memory.record import Record
    from nola.settings import Settings

__all__ = ["Memory"]

_MOST = 2**53


class Memory:
    """Memories in one file: stored durably, found by words and meaning, weighed by use and time.

    Thread-safe; several processes may have the same file open. No model is called.

        with Memory.open("memory.db") as memory:
            id = memory.store("My dog is called Biscuit", kind="semantic")
            memory.recall("What is my dog's name?")[0].content
    """

    def __init__(self, engine: Engine) -> None:
        """Wrap an engine; `Memory.open` makes one."""
        self._engine = engine

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        profile: str = "",
        preset: str = "",
        clock: Clock | None = None,
        embedder: str | Embedder | None = "default",
        settings: Settings | None = None,
        owner: str = "",
    ) -> Memory:
        """Open a memory; the file is made by the first store.

        Args:
            path: The SQLite file.
            profile: nola, ada, amplihack, neuromemory, blah or hea; empty for the setting `memory.profile`.
            preset: chatbot, task, assistant or researcher; empty for the setting `memory.preset`.
            clock: Tells the time; None for the machine's.
            embedder: `default` (the best there is), `minilm`, `wordllama`, `ollama`, `ollama:MODEL`, `hashing`, `none`,
                or an object with `model_id`, `dimensions` and `embed(texts)`.
            settings: All constants; None for those of settings.toml.
            owner: Who `I` is in questions: a name under which memories are stored as `speaker`.

        Raises:
            UsageError: There is no such profile, preset or embedder.
            ConfigError: A setting is wrong.
        """
        config = configuration.load(os.environ)
        known = settings or config.settings
        chosen = embedder_named(embedder, config) if isinstance(embedder, str) else embedder
        if chosen is not None and not hasattr(chosen, "embed"):
            raise UsageError(f"embedder is a name or an object that embeds, not {type(chosen).__name__}")
        database = Database(Path(path).expanduser(), clock=clock or SystemClock())
        return cls(
            Engine(
                database,
                known,
                profile=profile,
                preset=preset,
                embedder=chosen,
                count_tokens=estimate,
                owner=owner,
                former=lambda model: embedder_of(model, config),
            )
        )

    # --- storing ------------------------------------------------------------------------------------------------------
    def store(self, content: str, **fields: object) -> str:
        """Store one memory and return its id; it is on disk, and found by its words, when this returns.

        Args:
            content: What is remembered.
            fields: kind, importance, at (aware), speaker, conversation, source, namespace, tags, trust, level ... and
                those of the kind: see docs/reference/memory.md.

        Raises:
            UsageError: A field is unknown or wrong; nothing was stored.
            StorageError: The disk refused; nothing was stored.
        """
        return self._engine.store(content, fields)

    def store_many(self, memories: Iterable[Mapping[str, object]]) -> list[str]:
        """Store many memories, all or none, and return their ids in order.

        Args:
            memories: For each its `content` and fields as in `store`.
        """
        return self._engine.store_many(memories)

    def wait_indexed(self, timeout: float | None = None) -> bool:
        """Wait until every memory can be found by its meaning too; return whether that came about in time."""
        return self._engine.wait_indexed(timeout)

    # --- reading ------------------------------------------------------------------------------------------------------
    def get(self, id: str) -> Record:  # noqa: A002 -- the name that callers know
        """Return one memory by its id, or the beginning of it; nothing is counted."""
        return self._engine.get(_id(id))

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        budget: int | None = None,
        now: datetime | None = None,
        as_of: datetime | None = None,
        count: bool = True,
        **filters: Any,
    ) -> list[Recalled]:
        """Return the memories that answer a question best, best first.

        Args:
            query: The question; any text. Without a word in it, the strongest memories come.
            limit: The most memories.
            budget: The most tokens of all of them together; what does not fit is skipped.
            now: The present; None for the clock's.
            as_of: See everything as it was known at this time.
            count: Count the use of what is returned: it grows stronger, and what is used together is linked.
            filters: kind, memory_class, tier, status, trust, namespace, agent, user, speaker, conversation, concept,
                tags, pinned, since, until, valid_at, min_heat, include_cold; several values as a list.

        Raises:
            UsageError: A filter is unknown or wrong.
        """
        ask = asked(
            query,
            now=self._now(now),
            limit=limit,
            budget=budget,
            as_of=as_of,
            owner=self._engine.owner,
            given=filters,
        )
        return self._engine.recall(ask, count=count)

    def find(self, *, limit: int | None = None, offset: int = 0, **filters: Any) -> list[Record]:
        """Return the memories that filters let through, the last stored first; nothing is counted."""
        most = None if limit is None else checked_whole("limit", limit, 0, _MOST)
        return self._engine.find(filtered(filters), limit=most, offset=checked_whole("offset", offset, 0, _MOST))

    def explain(self, id: str, now: datetime | None = None) -> Explanation:  # noqa: A002 -- as above
        """Return how every strategy sees a memory: value, strength, tier, half-life, next tier; writes nothing."""
        return self._engine.explain(_id(id), self._now(now))

    def edges(self, id: str, kind: EdgeKind | str | None = None) -> list[Edge]:  # noqa: A002 -- as above
        """Return the edges at either end of which a memory is, of one kind or of all ten."""
        from nola.memory.axes import EdgeKind  # noqa: PLC0415 -- keeps the import light

        return self._engine.edges(_id(id), None if kind is None else checked_choice("kind", kind, EdgeKind))

    def events(self, id: str) -> list[Event]:  # noqa: A002 -- as above
        """Return what happened to a memory, the oldest first."""
        return self._engine.events(_id(id))

    def heat(self, records: Sequence[Record], now: datetime | None = None) -> list[tuple[float, Tier]]:
        """Return heat, 0 to 1, and tier of each memory; nothing is counted."""
        return self._engine.heat(records, self._now(now))

    def stats(self, now: datetime | None = None, *, namespace: str | None = None) -> Stats:
        """Count the memories by class, tier, kind, status and namespace.

        Args:
            now: The present; None for the clock's.
            namespace: Count those in it alone; None for all.
        """
        return self._engine.stats(self._now(now), namespace=namespace)

    # --- what is innate -----------------------------------------------------------------------------------------------
    def load_innate(self, folder: str | os.PathLike[str]) -> list[str]:
        """Store what a folder holds, one file for each category, as innate memories (A04); return the new ids.

        What is innate in the same category with the same words is there already and is not stored again, so that
        loading a folder twice does nothing.

        Args:
            folder: It holds text, Markdown or JSON: see docs/reference/memory.md.

        Raises:
            UsageError: It is no such folder; nothing was stored.
            DocumentError: A file in it can't be read; nothing was stored.
        """
        from nola.memory.innate import read_folder  # noqa: PLC0415 -- keeps the import light

        given = read_folder(Path(folder))
        known = self.find(memory_class="innate", namespace=None, expired=True)
        there = {(tag, one.content) for one in known for tag in one.tags}
        new = []
        for fields in given:
            key = (fields["tags"][0], fields["content"])
            if key not in there:
                there.add(key)
                new.append(fields)
        return self.store_many(new)

    # --- the whole ----------------------------------------------------------------------------------------------------
    def reindex(self, progress: Callable[[str, int, int], None] = lambda *_: None) -> dict[str, int]:
        """Drop every index and make it again from the texts; return how many texts and vectors it holds."""
        return self._engine.keeper.rebuild(progress)

    def export(self, file: str | os.PathLike[str]) -> int:
        """Write everything as readable lines of JSON, sorted, private; return how many lines."""
        from nola.files import write_atomic  # noqa: PLC0415 -- keeps the import light

        lines = self._engine.memories.export_lines()
        write_atomic(Path(file), "".join(f"{line}\n" for line in lines).encode(), follow=True)
        return len(lines)

    def import_(self, file: str | os.PathLike[str], *, skip_known: bool = False, dry_run: bool = False) -> Taken:
        """Store what `export` wrote, all or nothing; ids, times and statistics stay.

        Args:
            file: The file.
            skip_known: Pass over memories that are there already, instead of refusing.
            dry_run: Tell what it would bring, and store nothing.

        Raises:
            DocumentError: The file is no export; nothing was stored.
            ConflictError: A memory is there already; nothing was stored.
        """
        path = Path(file)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} is no text: it can't be an export of the memory") from error
        except OSError as error:
            raise UsageError(f"{path} can't be read: {error.strerror}") from error
        taken = self._engine.memories.import_lines(text.split("\n"), skip_known=skip_known, dry_run=dry_run)
        self._engine.keeper.notice()
        return taken

    @property
    def engine(self) -> Engine:
        """The parts below this surface, for Nola's own rooms."""
        return self._engine

    def close(self) -> None:
        """Finish what is worth finishing in the background and close the file; the next use opens it again."""
        self._engine.close()

    def _now(self, given: datetime | None) -> datetime:
        return self._engine.database.clock.now() if given is None else checked_instant("now", given)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _id(given: object) -> str:
    if not isinstance(given, str):
        raise UsageError(f"an id is a text, not {type(given).__name__}")
    return given
