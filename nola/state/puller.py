"""Carries out the lazy pull: has the files looked at, and brings the parents up to date with their children."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola import files
from nola.errors import ConflictError, DocumentError, StorageError
from nola.flow import Problem
from nola.state import contract, paths, sync
from nola.state.listing import LOCK_FILE
from nola.state.loaded import PARENTS

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime
    from pathlib import Path

    from nola.clock import Clock
    from nola.settings import StateSettings
    from nola.state.history import History
    from nola.state.intake import Intake
    from nola.state.loaded import Loaded
    from nola.state.shelf import Shelf
    from nola.types import Json

__all__ = ["Puller"]

# A read waits less for another writer than a write does: its pull can be done at the next read.
_READ_WAIT_S = 1.0


class Puller:
    """Keeps the parents of one state folder in step with their children. Not thread-safe: its owner holds the lock.

    Args:
        folder: The state folder.
        shelf: Its documents.
        intake: Looks at the files.
        history: Its file shares the flush of what is saved.
        clock: Tells the time.
        settings: Levels that travel, and waits.
        ablate: Ignore the contract and pull every child at every access (E51).

    Attributes:
        pulls: How many times a raw module was pulled.
        levels: Up to which level nodes travel.
    """

    def __init__(
        self,
        folder: Path,
        shelf: Shelf,
        intake: Intake,
        *,
        history: History,
        clock: Clock,
        settings: StateSettings,
        ablate: bool = False,
    ) -> None:
        self._folder = folder
        self._shelf = shelf
        self._intake = intake
        self._history = history
        self._clock = clock
        self._wait_s = min(_READ_WAIT_S, settings.lock_timeout)
        self._ablate = ablate
        self._looked = False
        self._refused = False
        self._seen: dict[str, datetime] = {}
        self._changed: set[str] = set()
        self._news: set[str] = set()
        self._trouble: tuple[Problem, ...] = ()
        self._clashes: tuple[Problem, ...] = ()
        self.levels = sync.Levels(
            settings.aggregator_level,
            min(settings.global_level, settings.aggregator_level),
        )
        self.pulls = 0

    def look(self, *, reload: bool = True) -> None:
        """Look which files changed; without `reload` only when nobody ever looked."""
        if reload or not self._looked:
            self._note(self._intake.look())
            self._looked = True

    def news(self) -> list[str]:
        """Return the documents that others changed since this was asked last."""
        names, self._news = sorted(self._news), set()
        return names

    def _note(self, names: Collection[str]) -> None:
        self._changed.update(names)
        self._news.update(names)

    def children(self) -> list[str]:
        """List the raw modules."""
        return [name for name in self._shelf.names() if name not in PARENTS]

    def known(self, name: str) -> Loaded:
        """Return a document.

        Raises:
            PathError: No document has this name.
        """
        if name not in self._shelf:
            raise paths.unknown(name, self._shelf.names())
        return self._shelf[name]

    def note_changed(self, name: str) -> None:
        """Have a module compared with its copies at the next access, though its flag is not up."""
        self._changed.add(name)

    def access(self, name: str, *, reload: bool = True) -> None:
        """Get ready for reading a document: a parent's access looks at all children, a module's at itself (E19)."""
        self.refresh(None if self._ablate or name in PARENTS else [name], reload=reload)

    def refresh(self, names: Collection[str] | None = None, *, reload: bool = True) -> None:
        """Look at the files, refresh the machine, and pull what is due among `names`, or among all children."""
        self.look(reload=reload)
        now = self._clock.now()
        if self._changed & set(PARENTS):
            # A parent was edited by hand: what it should hold is compared with every child again.
            self._changed |= set(self.children())
        scope = [name for name in self.children() if names is None or name in names]
        due = [name for name in scope if sync.due(self._child(name), now, ablate=self._ablate)]
        outdated = self._changed & set(PARENTS) | self._changed - set(self._shelf.names())
        if due or outdated:
            unseen = self._changed & {*due, *outdated}
            self._changed -= unseen
            self._pull(due, now)
            if self._refused:
                self._changed |= unseen

    def machine_due(self, *, reload: bool = True) -> bool:
        """Say whether machineID is stale or flagged, so that its facts are to be collected."""
        self.look(reload=reload)
        return sync.MACHINE in self._shelf and sync.due(self._child(sync.MACHINE), self._clock.now())

    def force(self, names: Collection[str] | None) -> list[str]:
        """Pull modules now, flagged or not; return their names.

        Raises:
            PathError: No module has one of the names.
        """
        self.look()
        wanted = self.children() if names is None else [self.known(name).name for name in names]
        chosen = [name for name in wanted if name not in PARENTS]
        self._changed.update(chosen)
        self.refresh(chosen)
        return chosen

    def problems(self) -> list[Problem]:
        """List what kept modules from being pulled."""
        return [*self._trouble, *self._clashes]

    def _child(self, name: str) -> sync.Child:
        loaded = self._shelf[name]
        return sync.Child(name, loaded.metadata, loaded.data, self._seen.get(name), name in self._changed)

    def _pull(self, names: list[str], now: datetime) -> None:
        self._refused = False
        try:
            plan = self._plan(names, now)
            if plan.identity or plan.top or plan.flagged:
                with files.locked(self._folder / LOCK_FILE, timeout_s=self._wait_s):
                    self._note(self._intake.look())
                    plan = self._plan([name for name in names if name in self._shelf], now)
                    self._carry_out(plan)
            self._trouble = ()
            self._clashes = tuple(_clash(path) for path in plan.clashes) or (self._clashes if names else ())
        except (ConflictError, DocumentError, StorageError) as error:
            # Reading goes on from the modules themselves; flags stay up, and the next read pulls again.
            self._refused = not isinstance(error, DocumentError)
            self._trouble = (Problem(sync.AGGREGATOR_FILE, 0, 0, f"modules could not be pulled: {error}"),)
        self.pulls += len(names)
        self._seen.update(dict.fromkeys(names, now))

    def _plan(self, names: Collection[str], now: datetime) -> sync.Plan:
        return sync.plan(
            self._shelf["Nola"].raw if "Nola" in self._shelf else {},
            self._shelf["identity"].raw if "identity" in self._shelf else {},
            [self._child(name) for name in names],
            self.children(),
            now,
            levels=self.levels,
        )

    def _carry_out(self, plan: sync.Plan) -> None:
        documents: dict[str, dict[str, Json]] = {
            name: raw
            for name, raw in (("identity", plan.identity), ("Nola", plan.top))
            if raw is not None and name in self._shelf and self._shelf.is_writable(name)
        }
        flagged = (self._shelf[name] for name in plan.flagged if self._shelf.is_writable(name))
        documents |= {each.name: _lowered(each) for each in flagged}
        if documents:
            contents = {name: (self._shelf.encoded(name, raw), raw) for name, raw in documents.items()}
            self._history.prepare()
            own = self._history.own({name: content for name, (content, _) in contents.items()})
            self._shelf.save(contents, self._history.file, own)


def _lowered(loaded: Loaded) -> dict[str, Json]:
    return contract.join_root(loaded.raw, {**loaded.metadata, "needs_sync": False}, loaded.data)


def _clash(path: str) -> Problem:
    return Problem(f"{path.partition('.')[0]}.json", 0, 0, f"{path} is the owner's, so no copy is put there", "warning")
