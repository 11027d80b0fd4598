"""The learned memory as a whole: store, recall and explain, over one database file; no model is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nola.errors import ConflictError, NolaError, StorageError, UsageError
from nola.memory import accesses, buffers, finding
from nola.memory.axes import EdgeKind, Kind, MemoryClass, Tier
from nola.memory.counting import Stats
from nola.memory.dynamics.base import Row, Statistics
from nola.memory.dynamics.crossing import tier_of
from nola.memory.dynamics.model import Dynamics
from nola.memory.filters import Filter
from nola.memory.innate import unknown
from nola.memory.instants import seconds
from nola.memory.keeper import IndexKeeper
from nola.memory.links import Link, pairs, used_together
from nola.memory.meaning import embedded
from nola.memory.memories import Memories
from nola.memory.practice import practised, row_of, seen_under
from nola.memory.recall import Ask, Recaller
from nola.memory.record import new_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from nola.memory.database import Database
    from nola.memory.dynamics.curves import Curve
    from nola.memory.dynamics.model import View
    from nola.memory.edges import Edge
    from nola.memory.finding import Event
    from nola.memory.keeper import Embedder
    from nola.memory.listing import Listing
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
        user: Whose memories these are, and all that is seen of the file; empty for everybody's (D44).
        former: Returns the embedder of an earlier model by its id; None where it can't be had.
        curve: A curve of forgetting of one's own (D38); None for the settings'.
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
        user: str = "",
        former: Callable[[str], Embedder | None] | None = None,
        curve: Curve | None = None,
    ) -> None:
        self.database = database
        self.settings = settings
        self.dynamics = Dynamics(settings, profile=profile, preset=preset, curve=curve)
        self.memories = Memories(database, begin=self._begun)
        self.keeper = IndexKeeper(database, settings, embedder, former, seen_under(self.dynamics))
        self.owner = owner
        self.seen_by = user or None
        self._recaller = Recaller(settings, self.dynamics, embed=self._vector, count_tokens=count_tokens)
        self._clock = database.clock
        self._uncounted = ""

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
        if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
            raise UsageError(f"memories are a list of objects, not a {type(given).__name__}")
        new = [self._checked(fields, number) for number, fields in enumerate(given, 1)]
        if not new:
            return []
        has_slots = any(one.kind is Kind.WORKING for one in new)
        ids = self._pushed(new) if has_slots else self.memories.insert_many(new)
        self.keeper.notice()
        return ids

    def load_innate(self, given: Sequence[Mapping[str, Any]]) -> list[str]:
        """Store what is not innate yet, looked up and stored in one transaction; return the new ids.

        Args:
            given: The fields of each, with its namespace; its first tag is the category.
        """
        now = self._clock.now()
        ids, most = self.memories.new_ids(len(given), now), self.settings.memory.working_slots
        wanted = self._within(Filter(classes=frozenset({MemoryClass.INNATE}), expired=True))

        def job(connection: apsw.Connection) -> int:
            spaces = {fields["namespace"]: replace(wanted, namespace=fields["namespace"]) for fields in given}
            there = {
                space: [row.record for row in finding.find(connection, one, now=now)] for space, one in spaces.items()
            }
            new = [self._checked(fields, number) for number, fields in enumerate(unknown(given, there), 1)]
            buffers.store(connection, new, ids[: len(new)], most=most, now=now, begin=self._begun)
            return len(new)

        made = ids[: self.database.write(job)]
        if made:
            self.keeper.notice()
        return made

    def wait_indexed(self, timeout_s: float | None = None) -> bool:
        """Wait until every memory has its vector and its likenesses; return whether that came about in time."""
        return self.keeper.wait(timeout_s)

    # --- reading ------------------------------------------------------------------------------------------------------
    def get(self, id_: str) -> Record:
        """Return one memory; nothing is counted (A18)."""
        return self.memories.get(id_, seen_by=self.seen_by).record

    def recall(self, ask: Ask, *, count: bool) -> list[Recalled]:
        """Return the memories that answer a question best, best first.

        Args:
            ask: The question.
            count: Count one access of each that is returned (A18), and their joint use (C11).
        """
        if ask.limit < 0 or ask.limit > _MOST_LIMIT:
            raise UsageError(f"limit takes a whole number from 0 to {_MOST_LIMIT:,}, not {ask.limit}")
        ask = replace(ask, wanted=self._within(ask.wanted))
        if self.dynamics.profile.name == "amplihack":  # it follows likenesses, and has them from storing on (B27)
            self._link_now()
        with self.keeper.index() as index:
            if not len(index):
                return []
            query = self._recaller.question(ask, index)
        vector = self._recaller.embedded(query)  # may take long: nobody waits for the index meanwhile
        with self.keeper.reading() as (index, connection):
            fits = vector is None or index.dense is None or len(vector) == index.dense.dimensions
            found = self._recaller.recall(ask, query, vector if fits else None, index, connection)
        self.keeper.resume()
        if vector is not None and not fits:
            self._renew(len(vector))
        if count and found and ask.wanted.as_of is None:
            try:
                self.count([one.id for one in found], activations=[one.active for one in found])
                self._uncounted = ""
            except NolaError as error:  # what was found is no worse for it
                self._uncounted = str(error)
        return found

    def count(self, ids: Sequence[str], *, activations: Sequence[float] = (), request: str = "") -> None:
        """Count one access of each memory and their joint use, in one transaction (E-52, D12, X10).

        Args:
            ids: The memories that were used, the best first.
            activations: How active each was, 0 to 1, whatever the profile; 1 when that is not given.
            request: Its name; a request that was counted before is not counted again.
        """
        now = self._clock.now()
        now_s = seconds(now)
        with self.database.reading() as connection:
            traits = finding.traits(connection, ids, seen_by=self.seen_by)
        active = dict(zip(ids, activations, strict=False))
        links = self.settings.links

        def grow(one: str, other: str, link: Link) -> Link:
            return used_together(link, min(1.0, active.get(one, 1.0)), min(1.0, active.get(other, 1.0)), now_s, links)

        def accessed(id_: str) -> Callable[[Statistics], Statistics]:
            return lambda stat: self.dynamics.accessed(Row(stat, *traits[id_]), now_s)

        used = [id_ for id_ in dict.fromkeys(ids) if id_ in traits]  # what was purged meanwhile is not counted

        self.memories.record_access(
            request or self.database.new_id(now),
            {id_: accessed(id_) for id_ in used},
            pairs=pairs(used, links.partners) if self.settings.memory.hebbian else (),
            grow=grow,
            now=now,
        )

    def explain(self, id_: str, now: datetime | None = None) -> Explanation:
        """Return every strategy's view of one memory; nothing is written.

        Nothing is asked, so that nothing spreads to it through links, as it does in recall (C06).
        """
        stored = self.memories.get(id_, seen_by=self.seen_by)
        record, at = stored.record, now or self._clock.now()
        with self.database.reading() as connection:
            row = practised(connection, self.dynamics, {stored.seq: row_of(record)})[stored.seq]
        views = {view.strategy: view for view in self.dynamics.explain(row, seconds(at))}
        return Explanation(
            id=record.id,
            content=record.content,
            at=at,
            memory_class=record.memory_class,
            tier=self.dynamics.tier(row, seconds(at)),
            strength=self.dynamics.strength_of(row, seconds(at)),
            views=views,
            statistics=row.statistics,
        )

    def heat(self, records: Sequence[Record], now: datetime) -> list[tuple[float, Tier]]:
        """Return heat and tier of each memory."""
        from nola.memory.dynamics.base import Pool  # noqa: PLC0415 -- brings numpy

        heat = self.dynamics.heat.strength(Pool.of(map(row_of, records)), seconds(now)).tolist()
        return [(one, tier_of(one, self.dynamics.thresholds)) for one in heat]

    def edges(self, id_: str, kind: EdgeKind | None = None) -> list[Edge]:
        """Return the edges at either end of which a memory is."""
        known = self.get(id_).id
        self._link_now()
        found = self.memories.edges(known, kind)
        with self.database.reading() as connection:
            if self.dynamics.profile.counts_pairs and kind in {None, EdgeKind.ASSOCIATED}:
                found = accesses.counted(connection, known, found, self.settings.links)
            seen = finding.traits(connection, [edge.other(known) for edge in found], seen_by=self.seen_by)
        return [edge for edge in found if edge.other(known) in seen]

    def events(self, id_: str) -> list[Event]:
        """Return what happened to a memory, the oldest first."""
        return self.memories.events(self.get(id_).id)

    def find(self, listing: Listing) -> list[Record]:
        """Return the memories of a list; nothing is counted."""
        from nola.memory.listing import by_warmth  # noqa: PLC0415 -- brings numpy

        listing = replace(listing, wanted=self._within(listing.wanted))
        if not listing.asks_for_heat:
            rows = self.memories.find(listing.wanted, limit=listing.limit, offset=listing.offset)
        else:
            with self.keeper.reading() as (index, connection):
                numbers = by_warmth(index, connection, listing, self.dynamics, self._clock.now())
                rows = finding.by_seqs(connection, numbers)
        return [row.record for row in rows]

    def stats(self, now: datetime | None = None, *, namespace: str | None = None) -> Stats:
        """Count what there is."""
        from nola.memory.counting import counted  # noqa: PLC0415 -- brings numpy

        at = now or self._clock.now()
        wanted = Filter(namespace=namespace, seen_by=self.seen_by)
        everything = self.memories.count(replace(wanted, statuses=frozenset(), expired=True), at)
        with self.keeper.index() as index:
            found = counted(index, wanted, everything, self.dynamics, at)
        model = self.keeper.embedder.model_id if self.keeper.embedder else ""
        return replace(found, model=model, trouble=self.keeper.trouble or self._uncounted)

    def close(self) -> None:
        """Finish the background work that is worth it, and close the file."""
        self.keeper.close()
        self.database.close()

    def _checked(self, fields: object, number: int) -> NewMemory:
        if not isinstance(fields, Mapping):
            said = f"memory {number} takes an object with content and other fields, not a {type(fields).__name__}"
            raise UsageError(said)
        try:
            rest = dict(fields)
            most, ttl = self.settings.memory.content_most, self.settings.memory.sensory_ttl
            new = new_memory(rest.pop("content", None), rest, content_most=most, sensory_ttl=ttl)
            self.dynamics.profile.checked_kind(new.kind)
            self._check_user(new.user or None)
        except UsageError as error:
            if number == 1:
                raise
            raise UsageError(f"memory {number}: {error}") from error
        return replace(new, user=self.seen_by or new.user)

    def check_whole(self) -> None:
        """Refuse what is about everybody's memories where one user's are seen.

        Raises:
            UsageError: It is open for one user.
        """
        if self.seen_by is not None:
            raise UsageError(f"this memory is open for user {self.seen_by!r}", fix="open it without a user")

    def _within(self, wanted: Filter) -> Filter:
        """Return a filter that lets through only what the user of this memory sees."""
        self._check_user(wanted.user)
        return replace(wanted, seen_by=self.seen_by)

    def _check_user(self, user: str | None) -> None:
        if self.seen_by is not None and user not in {None, self.seen_by}:
            raise UsageError(f"this memory is open for user {self.seen_by!r}, not for {user!r}")

    def _pushed(self, new: Sequence[NewMemory]) -> list[str]:
        """Store memories among which slots may have to give way to each other, in one transaction."""
        most, now = self.settings.memory.working_slots, self._clock.now()
        ids = self.memories.new_ids(len(new), now)
        self.database.write(lambda c: buffers.store(c, new, ids, most=most, now=now, begin=self._begun))
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

    def _renew(self, dimensions: int) -> None:
        """Have vectors made again whose length is no longer the embedder's; until then words alone serve."""
        try:
            self.keeper.renew(dimensions)
        except NolaError as error:
            self.keeper.trouble = str(error)

    def _link_now(self) -> None:
        """Join facts that are much alike; where that can't be written, those that are joined serve."""
        try:
            self.keeper.link_now()
        except (ConflictError, StorageError) as error:
            self.keeper.trouble = str(error)

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
