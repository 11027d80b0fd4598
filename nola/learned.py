"""The learned memory for everybody's programs: `from nola import Memory`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nola import config as configuration
from nola.clock import clock_of
from nola.errors import UsageError
from nola.llm.choose_embedder import embedder_named, embedder_of
from nola.llm.tokens import estimate
from nola.memory.asking import asked, listed
from nola.memory.axes import State
from nola.memory.checks import checked_choice, checked_flag, checked_instant, checked_text, checked_whole
from nola.memory.database import Database, file_at
from nola.memory.engine import Engine
from nola.memory.meaning import checked_embedder
from nola.memory.procedures import unmet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType
    from typing import Self

    from nola.clock import Clock
    from nola.memory.axes import EdgeKind, Tier
    from nola.memory.dynamics.curves import Curve
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
        clock: Clock | Callable[[], datetime] | None = None,
        embedder: str | Embedder | None = "default",
        settings: Settings | None = None,
        owner: str = "",
        user: str = "",
        curve: Curve | None = None,
    ) -> Memory:
        """Open a memory; the file is made by the first store.

        Args:
            path: The SQLite file.
            profile: nola, ada, amplihack, neuromemory, blah or hea; empty for the setting `memory.profile`.
            preset: chatbot, task, assistant or researcher; empty for the setting `memory.preset`.
            clock: An object, or a function, that tells the time; None for the machine's.
            embedder: `default` (the best there is), `minilm`, `wordllama`, `ollama`, `ollama:MODEL`, `hashing`, `none`,
                or an object with `model_id`, `dimensions` and `embed(texts)`.
            settings: All constants; None for those of settings.toml.
            owner: Who `I` is in questions: a name under which memories are stored as `speaker`.
            user: Whose memories these are: all that is stored is theirs, and of the others' nothing is seen but what is
                innate and nobody's. Empty for everybody's.
            curve: A curve of forgetting of one's own: takes days and stabilities in days as arrays, returns what is
                left, 1 at first and never rising. None for the settings'.

        Raises:
            UsageError: There is no such profile, preset, embedder or curve.
            ConfigError: A setting is wrong.
        """
        config = configuration.load(os.environ)
        known = config.settings if settings is None else configuration.checked(settings)
        chosen = embedder_named(embedder, config) if isinstance(embedder, str) else embedder
        if chosen is not None:
            checked_embedder(chosen)
        database = Database(file_at(path), clock=clock_of(clock))
        return cls(
            Engine(
                database,
                known,
                profile=profile,
                preset=preset,
                embedder=chosen,
                count_tokens=estimate,
                owner=owner,
                user=checked_text("user", user),
                former=lambda model: embedder_of(model, config),
                curve=curve,
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
            filters: kind, memory_class, level, tier, status, trust, namespace, agent, user, speaker, conversation,
                concept, tags, pinned, since, until, valid_at, min_heat, include_cold; several values as a list.

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
        return self._engine.recall(ask, count=checked_flag("count", count))

    def find(self, *, limit: int | None = None, offset: int = 0, order: str = "newest", **filters: Any) -> list[Record]:
        """Return the memories that filters let through; nothing is counted.

        Args:
            limit: The most memories; None for all.
            offset: How many to pass over.
            order: `newest`, the last stored first, or `heat`, the hottest first.
            filters: As in `recall`, save include_cold: a list hides nothing.
        """
        return self._engine.find(listed(filters, order=order, limit=limit, offset=offset))

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
        space = None if namespace is None else checked_text("namespace", namespace)
        return self._engine.stats(self._now(now), namespace=space)

    # --- use, tasks, observations and intentions ----------------------------------------------------------------------
    def used(self, *ids: str) -> None:
        """Count one use of memories, the best first, as `recall` does of what it returns (B30)."""
        self._engine.count([self.get(id_).id for id_ in ids])

    def unmet(self, id: str) -> list[str]:  # noqa: A002 -- as above
        """Return the prerequisites of a procedure that nothing in its namespace is about (B32)."""
        record = self.get(id)
        with self._engine.database.reading() as connection:
            return unmet(connection, record, now=self._now(None), seen_by=self._engine.seen_by)

    def complete(self, task: str, *, namespace: str = "default", agent: str = "") -> str:
        """Write one episode that tells what the working memory of a task held, and clear it (B10, B13); return its id.

        Raises:
            UsageError: The task holds nothing.
        """
        episode = self._engine.memories.complete(
            checked_text("task", task),
            namespace=checked_text("namespace", namespace),
            agent=checked_text("agent", agent),
            seen_by=self._engine.seen_by,
        )
        self._engine.keeper.notice()
        return episode

    def observations(
        self, modality: str | None = None, *, newest: bool = False, limit: int | None = None,
        namespace: str = "default", agent: str = "",
    ) -> list[Record]:  # fmt: skip
        """Return what an agent observes and has not expired, the first seen first; nothing is counted (B06, B07).

        Args:
            modality: Of this modality only; None for all.
            newest: The last seen first.
            limit: The most of them; None for all.
            namespace: Where it was observed.
            agent: Who observed it.
        """
        found = self._engine.memories.observations(
            modality=None if modality is None else checked_text("modality", modality),
            namespace=checked_text("namespace", namespace),
            agent=checked_text("agent", agent),
            seen_by=self._engine.seen_by,
            newest=newest,
            limit=-1 if limit is None else checked_whole("limit", limit, 0, _MOST),
        )
        return [row.record for row in found]

    def attend(self, id: str, reason: str) -> str | None:  # noqa: A002 -- as above
        """Make an episode of an observation and return its id; None when the observation has expired (B05)."""
        episode = self._engine.memories.attend(self.get(id).id, checked_text("reason", reason))
        self._engine.keeper.notice()
        return episode

    def prune(self) -> int:
        """Delete the observations that have expired; return how many (B04). Time alone deletes nothing."""
        return self._engine.memories.prune(seen_by=self._engine.seen_by)

    def trigger(self, id: str) -> None:  # noqa: A002 -- as above
        """Move an intention on from pending to triggered (B34)."""
        self._engine.memories.move(self.get(id).id, State.TRIGGERED)

    def resolve(self, id: str) -> None:  # noqa: A002 -- as above
        """Move an intention on, pending or triggered, to resolved (B34)."""
        self._engine.memories.move(self.get(id).id, State.RESOLVED)

    # --- what is innate -----------------------------------------------------------------------------------------------
    def load_innate(self, folder: str | os.PathLike[str], *, namespace: str = "default") -> list[str]:
        """Store what a folder holds, one file for each category, as innate memories (A04); return the new ids.

        What the namespace sees as innate already, in the same category with the same words, is not stored again, so
        that loading a folder twice does nothing.

        Args:
            folder: It holds text, Markdown or JSON: see docs/reference/memory.md.
            namespace: The role that is born with it (A52); `global` for all of them (A53).

        Raises:
            UsageError: It is no such folder; nothing was stored.
            DocumentError: A file in it can't be read; nothing was stored.
        """
        from nola.memory.innate import read_folder  # noqa: PLC0415 -- keeps the import light

        space = checked_text("namespace", namespace, blank=False)
        given = [{**one, "namespace": one.get("namespace") or space} for one in read_folder(Path(folder))]
        return self._engine.load_innate(given)

    # --- the whole ----------------------------------------------------------------------------------------------------
    def reindex(self, progress: Callable[[str, int, int], None] = lambda *_: None) -> dict[str, int]:
        """Drop every index and make it again from the texts; return how many texts and vectors it holds."""
        return self._engine.keeper.rebuild(progress)

    def export(self, file: str | os.PathLike[str]) -> int:
        """Write everything as readable lines of JSON, sorted, private; return how many lines."""
        from nola.files import write_atomic  # noqa: PLC0415 -- keeps the import light

        self._engine.check_whole()

        lines = self._engine.memories.export_lines()
        write_atomic(self._not_its_own(file), "".join(f"{line}\n" for line in lines).encode(), follow=True)
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
        self._engine.check_whole()
        path = file_at(file)
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

    def _not_its_own(self, file: str | os.PathLike[str]) -> Path:
        place, own = file_at(file), self._engine.database.path
        if place.resolve().name.startswith(own.resolve().name) and place.resolve().parent == own.resolve().parent:
            raise UsageError(f"{place} belongs to the memory itself", fix="export into another file")
        return place

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
