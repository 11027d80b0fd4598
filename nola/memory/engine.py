"""The learned memory as a whole: store, recall and explain, over one database file; no model is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nola.errors import NolaError, UsageError
from nola.memory import finding
from nola.memory.axes import Kind, MemoryClass, Tier
from nola.memory.dynamics.base import Row, Statistics
from nola.memory.dynamics.crossing import tier_of
from nola.memory.dynamics.model import Dynamics
from nola.memory.filters import Filter
from nola.memory.instants import seconds
from nola.memory.keeper import IndexKeeper
from nola.memory.links import Link, pairs, retrieved_together, used_together
from nola.memory.meaning import embedded
from nola.memory.memories import Memories
from nola.memory.recall import Ask, Recaller
from nola.memory.record import new_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from nola.memory.axes import EdgeKind
    from nola.memory.database import Database
    from nola.memory.dynamics.model import View
    from nola.memory.edges import Edge
    from nola.memory.finding import Event
    from nola.memory.keeper import Embedder
    from nola.memory.recall import Recalled
    from nola.memory.record import NewMemory, Record
    from nola.settings import Settings

__all__ = ["Engine", "Explanation", "Stats"]

_MOST_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class Explanation:
    """One memory as every strategy sees it at an instant; nothing was written for it (X03).

    Attributes:
        id: Its id.
        content: What it says.
        at: The instant.
        memory_class: innate or learned.
        tier: How warm it is.
        strength: Its strength under the profile.
        views: One entry for each strategy.
        statistics: What they were computed from.
    """

    id: str
    content: str
    at: datetime
    memory_class: MemoryClass
    tier: Tier
    strength: float
    views: Mapping[str, View]
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class Stats:
    """How many memories there are.

    Attributes:
        total: Those that count: active and not expired.
        innate: How many are innate (protected).
        tiers: How many of the learned ones are hot, warm and cold (A43).
        kinds: By kind (B01).
        statuses: By status, all of them.
        namespaces: By namespace.
        vectors: How many have a vector of the present model.
        model: The present model of vectors; empty for none.
        trouble: Why the background work stands still; empty when it does not.
    """

    total: int
    innate: int
    tiers: Mapping[str, int]
    kinds: Mapping[str, int]
    statuses: Mapping[str, int]
    namespaces: Mapping[str, int]
    vectors: int = 0
    model: str = ""
    trouble: str = field(default="")


class Engine:
    """The memory of one database.

    Args:
        database: The file.
        settings: All constants.
        profile: Name of the profile; empty for the setting.
        preset: Name of the preset; empty for the setting.
        embedder: Makes vectors; None for words alone.
        count_tokens: Counts the tokens of a text.
        owner: Who `I` is in a question; empty when that is not known.
        former: Returns the embedder of an earlier model by its id; None where it can't be had.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        profile: str = "",
        preset: str = "",
        embedder: Embedder | None = None,
        count_tokens: Callable[[str], int],
        owner: str = "",
        former: Callable[[str], Embedder | None] | None = None,
    ) -> None:
        self.database = database
        self.settings = settings
        self.dynamics = Dynamics(settings, profile=profile, preset=preset)
        self.memories = Memories(database, begin=self._begun)
        self.keeper = IndexKeeper(database, settings, embedder, former)
        self.owner = owner
        self._recaller = Recaller(settings, self.dynamics, embed=self._vector, count_tokens=count_tokens)
        self._clock = database.clock

    # --- storing ------------------------------------------------------------------------------------------------------
    def store(self, content: str, given: Mapping[str, object]) -> str:
        """Store one memory; when this returns it is on disk, and found by its words.

        Raises:
            UsageError: A field is unknown or wrong; nothing was stored.
            ProtectedError: An innate memory would be superseded.
            StorageError: The disk refused; nothing was stored.
        """
        return self.store_many([{"content": content, **given}])[0]

    def store_many(self, given: Iterable[Mapping[str, object]]) -> list[str]:
        """Store many memories, all or none; return their ids in order."""
        new = [self._checked(fields, number) for number, fields in enumerate(given, 1)]
        if not new:
            return []
        working = [one for one in new if one.kind is Kind.WORKING]
        if working:
            return self._pushed(new)
        ids = self.memories.insert_many(new)
        self.keeper.notice()
        return ids

    def wait_indexed(self, timeout_s: float | None = None) -> bool:
        """Wait until every memory has its vector and its likenesses; return whether that came about in time."""
        return self.keeper.wait(timeout_s)

    # --- reading ------------------------------------------------------------------------------------------------------
    def get(self, id_: str) -> Record:
        """Return one memory; nothing is counted (A18)."""
        return self.memories.get(id_).record

    def recall(self, ask: Ask, *, count: bool) -> list[Recalled]:
        """Return the memories that answer a question best, best first.

        Args:
            ask: The question.
            count: Count one access of each that is returned (A18), and their joint use (C11).
        """
        if ask.limit < 0 or ask.limit > _MOST_LIMIT:
            raise UsageError(f"limit takes a whole number from 0 to {_MOST_LIMIT:,}, not {ask.limit}")
        with self.keeper.index() as index:
            if not len(index):
                return []
            query = self._recaller.question(ask, index)
        vector = self._recaller.embedded(query)  # may take long: nobody waits for the index meanwhile
        with self.keeper.reading() as (index, connection):
            found = self._recaller.recall(ask, query, vector, index, connection)
        self.keeper.resume()
        if count and found and ask.wanted.as_of is None:
            self.count([one.id for one in found], activations=[one.score for one in found])
        return found

    def count(self, ids: Sequence[str], *, activations: Sequence[float] = (), request: str = "") -> None:
        """Count one access of each memory and their joint use, in one transaction (E-52, D12, X10).

        Args:
            ids: The memories that were used, the best first.
            activations: How active each was, 0 to 1; 1 when that is not given.
            request: Its name; a request that was counted before is not counted again.
        """
        now = self._clock.now()
        now_s = seconds(now)
        with self.database.reading() as connection:
            traits = finding.traits(connection, ids)
        active = dict(zip(ids, activations, strict=False))
        links = self.settings.links
        literal = self.dynamics.profile.name == "blah"

        def grow(one: str, other: str, link: Link) -> Link:
            if literal:
                return retrieved_together(link, now_s, links)
            return used_together(link, min(1.0, active.get(one, 1.0)), min(1.0, active.get(other, 1.0)), now_s, links)

        def accessed(id_: str) -> Callable[[Statistics], Statistics]:
            return lambda stat: self.dynamics.accessed(Row(stat, *traits[id_]), now_s)

        used = [id_ for id_ in dict.fromkeys(ids) if id_ in traits]  # what was purged meanwhile is not counted

        self.memories.record_access(
            request or self.database.new_id(now),
            {id_: accessed(id_) for id_ in used},
            pairs=pairs(used, links.partners),
            grow=grow,
            now=now,
        )

    def explain(self, id_: str, now: datetime | None = None) -> Explanation:
        """Return every strategy's view of one memory; nothing is written."""
        record = self.get(id_)
        at = now or self._clock.now()
        row = _row(record)
        views = {view.strategy: view for view in self.dynamics.explain(row, seconds(at))}
        return Explanation(
            id=record.id,
            content=record.content,
            at=at,
            memory_class=record.memory_class,
            tier=self.dynamics.tier(row, seconds(at)),
            strength=self.strength(record, at),
            views=views,
            statistics=record.statistics,
        )

    def strength(self, record: Record, now: datetime) -> float:
        """Return a memory's strength under the profile."""
        from nola.memory.dynamics.base import Pool  # noqa: PLC0415 -- brings numpy

        return float(self.dynamics.strength(Pool.of([_row(record)]), seconds(now))[0])

    def heat(self, records: Sequence[Record], now: datetime) -> list[tuple[float, Tier]]:
        """Return heat and tier of each memory."""
        from nola.memory.dynamics.base import Pool  # noqa: PLC0415 -- brings numpy

        heat = self.dynamics.heat.strength(Pool.of(map(_row, records)), seconds(now)).tolist()
        return [(one, tier_of(one, self.dynamics.thresholds)) for one in heat]

    def edges(self, id_: str, kind: EdgeKind | None = None) -> list[Edge]:
        """Return the edges at either end of which a memory is."""
        self.keeper.link_now()
        return self.memories.edges(id_, kind)

    def events(self, id_: str) -> list[Event]:
        """Return what happened to a memory, the oldest first."""
        return self.memories.events(id_)

    def find(self, wanted: Filter, *, limit: int | None = None, offset: int = 0) -> list[Record]:
        """Return the memories that a filter lets through, the last stored first."""
        return [row.record for row in self.memories.find(wanted, limit=limit, offset=offset)]

    def stats(self, now: datetime | None = None, *, namespace: str | None = None) -> Stats:
        """Count what there is."""
        import numpy as np  # noqa: PLC0415 -- keeps the import light

        from nola.memory.selection import visible  # noqa: PLC0415 -- brings numpy

        at = now or self._clock.now()
        everything = self.memories.count(Filter(statuses=frozenset(), namespace=namespace, expired=True), at)
        with self.keeper.index() as index:
            rows = np.flatnonzero(visible(index, Filter(namespace=namespace), at))
            innate = index.facets.innate[rows]
            heat = self.dynamics.heat.strength(index.pool.take(rows), seconds(at))
            vectors = len(index.dense) if index.dense is not None else 0
            kinds = np.bincount(index.facets.kind[rows], minlength=len(Kind))
        hot, warm = self.dynamics.thresholds
        learned = heat[~innate]
        return Stats(
            total=len(rows),
            innate=int(innate.sum()),
            tiers={
                Tier.HOT: int((learned > hot).sum()),
                Tier.WARM: int(((learned <= hot) & (learned >= warm)).sum()),
                Tier.COLD: int((learned < warm).sum()),
            },
            kinds={kind.value: int(number) for kind, number in zip(Kind, kinds, strict=True)},
            statuses=everything["status"],
            namespaces=everything["namespace"],
            vectors=vectors,
            model=self.keeper.embedder.model_id if self.keeper.embedder else "",
            trouble=self.keeper.trouble,
        )

    def close(self) -> None:
        """Finish the background work that is worth it, and close the file."""
        self.keeper.close()
        self.database.close()

    def _checked(self, fields: Mapping[str, object], number: int) -> NewMemory:
        try:
            rest = dict(fields)
            most, ttl = self.settings.memory.content_most, self.settings.memory.sensory_ttl
            new = new_memory(rest.pop("content", None), rest, content_most=most, sensory_ttl=ttl)
            self.dynamics.profile.checked_kind(new.kind)
        except UsageError as error:
            if number == 1:
                raise
            raise UsageError(f"memory {number}: {error}") from error
        return new

    def _pushed(self, new: Sequence[NewMemory]) -> list[str]:
        """Store memories one by one, since slots may have to give way to each other."""
        most = self.settings.memory.working_slots
        ids = []
        for one in new:
            if one.kind is not Kind.WORKING:
                ids += self.memories.insert_many([one])
                continue
            pushed = self.memories.push(one, most=most)
            if pushed.id is None:
                raise UsageError(
                    f"the working memory of this task holds {most} slots that are all more relevant",
                    fix="complete the task, or give the slot a higher relevance",
                )
            ids.append(pushed.id)
        self.keeper.notice()
        return ids

    def _begun(self, new: NewMemory, now: datetime) -> Statistics:
        at = min(new.at, now) if new.at else now
        return self.dynamics.first(
            new.kind,
            seconds(at),
            importance=new.importance,
            stability=new.stability,
            stability_days=new.stability_days,
        )

    def _vector(self, text: str) -> NDArray[np.float32] | None:
        embedder = self.keeper.serving
        if embedder is None:
            return None
        try:
            vector: NDArray[np.float32] = embedded(embedder, [text])[0]
        except NolaError as error:
            self.keeper.trouble = str(error)
            return None
        return vector


def _row(record: Record) -> Row:
    return Row(record.statistics, record.kind, record.is_innate, record.level, record.confidence)
