"""The state of one folder behind one lock: reads that pull lazily, writes that are durable and can be undone."""

from __future__ import annotations

import contextlib
import copy
from typing import TYPE_CHECKING

from nola import files
from nola.errors import ConflictError, NolaError, StorageError
from nola.flow import Seen
from nola.state import birth, conflicts, contract, machine, migrate, orphans, past, paths, sync, upgrade
from nola.state.census import Census, own_data
from nola.state.commit import TimedLock
from nola.state.committer import Committer
from nola.state.history import History
from nola.state.intake import Intake
from nola.state.listing import LOCK_FILE
from nola.state.loaded import PARENTS
from nola.state.puller import Puller
from nola.state.shelf import Shelf
from nola.state.wishes import Append, Facts, Put, TakeIn, Undo, Unset, Update
from nola.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from nola.clock import Clock
    from nola.flow import Candidate, Conflict, Problem
    from nola.settings import StateSettings
    from nola.state.history import Recorded
    from nola.state.machine import Probe
    from nola.state.wishes import Wish
    from nola.types import ChangeId, Json

__all__ = ["StateStore"]

_PRUNE_EVERY_S = 3600.0
_INNER = ("modules", ".history", ".last-good")
_GLANCE_S = 0.2  # what can as well be done at the next start does not wait for another writer


class StateStore:
    """What Nola knows, from any thread.

    Args:
        folder: The state folder.
        clock: Tells the time.
        settings: Levels that travel, limits and waits.
        born: The folder of what Nola is born with (`birth.find_born`).
        probes: More sources for machineID.json.
        ablate_metadata: Ignore the contract and pull every child at every access (E51).
        before_migration: Makes a backup; called before the folder is brought to a newer format.
        spare: Reads a file's content from the newest backup, when nothing nearer is left.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock,
        settings: StateSettings,
        born: Path,
        probes: Sequence[Probe] = (),
        ablate_metadata: bool = False,
        before_migration: Callable[[], None] = lambda: None,
        spare: Callable[[str], bytes | None] = lambda _: None,
    ) -> None:
        self.folder = folder
        self._born = born
        self._clock = clock
        self._settings = settings
        self._probes = tuple(probes)
        self._before_migration = before_migration
        self._lock = TimedLock(settings.lock_timeout)
        self._shelf = Shelf(folder, born, settings, clock, spare)
        self._history = History(folder, settings)
        self._intake = Intake(folder, self._shelf, self._history, clock=clock, settings=settings)
        self._puller = Puller(
            folder,
            self._shelf,
            self._intake,
            history=self._history,
            clock=clock,
            settings=settings,
            ablate=ablate_metadata,
        )
        self._committer = Committer(
            folder,
            self._shelf,
            self._intake,
            self._puller,
            history=self._history,
            lock=self._lock,
            clock=clock,
            settings=settings,
        )
        self._booted = False
        self._census = Census(self._shelf, self._puller.levels)
        self._pruned = clock.monotonic()

    @property
    def pulls(self) -> int:
        """How many times a raw module was pulled into the aggregator."""
        return self._puller.pulls

    def bootstrap(self) -> bool:
        """Make ready to be used: recover, migrate, create what is missing, pull once; return whether it was the first.

        Raises:
            StorageError: The state folder could not be made, is a link, or belongs to somebody else.
            NolaError: A newer Nola wrote it.
        """
        with self._lock:
            if self._booted:
                return False
            files.make_private_dir(self.folder)
            self._recover()
            self._booted = True
        self._collect_machine()
        with self._lock:
            self._puller.refresh()
            self._puller.news()
        return True

    def look(self) -> Seen:
        """Look at the files now and take in what the owner changed; return what changed, and every problem."""
        with self._lock:
            problems = tuple(self.problems())
            self._prune()
            return Seen(tuple(self._puller.news()), problems)

    def close(self) -> None:
        """Finish what was put off: the copies of what was saved last."""
        with self._lock:
            self._shelf.copy()

    def module_names(self) -> list[str]:
        """List the raw modules: machineID, user, and the owner's own by name."""
        with self._lock:
            self._puller.look()
            return self._puller.children()

    def get(self, path: str = "", *, reload: bool = True) -> Json:
        """Return a copy of what stands at a path, nodes without their wrappers.

        Args:
            path: A dotted path; empty for everything once, each document under its name.
            reload: Look whether files changed on disk; else memory answers (E29).

        Raises:
            PathError: Nothing stands there.
        """
        if path.strip() in {"", "modules"}:
            self._collect_machine(reload=reload)
            with self._lock:
                self._puller.refresh(reload=reload)
                names = [name for name in self._shelf.names() if not path.strip() or name not in paths.CORE]
                return {name: contract.plain(own_data(self._shelf[name])) for name in names}
        return contract.plain(self.get_node(path, reload=reload))

    def get_node(self, path: str, *, reload: bool = True) -> Json:
        """Return a copy of what stands at a path with all wrappers; of a module, its metadata and data.

        Raises:
            PathError: Nothing stands there.
        """
        parsed = paths.parse(path)
        if parsed.module in {*PARENTS, sync.MACHINE}:
            self._collect_machine(reload=reload)
        with self._lock:
            self._puller.access(parsed.module, reload=reload)
            loaded = self._puller.known(parsed.module)
            if parsed.steps:
                return copy.deepcopy(paths.get(loaded.data, parsed))
            return copy.deepcopy({"metadata": loaded.metadata, "data": loaded.data})

    def nodes(self) -> dict[str, Json]:
        """Return all documents with their wrappers; of the parents, without the copies that were pulled."""
        self._collect_machine()
        with self._lock:
            self._puller.refresh()
            found = {name: self._shelf[name] for name in self._shelf.names()}
            return {n: copy.deepcopy({"metadata": d.metadata, "data": own_data(d)}) for n, d in found.items()}

    def document(self, name: str) -> dict[str, Json]:
        """Return a copy of a whole file, everything that its owner wrote into it.

        Raises:
            PathError: No document has this name.
        """
        with self._lock:
            self._puller.access(name)
            return copy.deepcopy(self._puller.known(name).raw)

    def documents(self) -> dict[str, dict[str, Json]]:
        """Return copies of all whole files; of the parents, without the copies that were pulled into them."""
        with self._lock:
            self._puller.refresh()
            found = {}
            for name in self._shelf.names():
                loaded = self._shelf[name]
                raw = (
                    contract.join_root(loaded.raw, loaded.metadata, own_data(loaded)) if name in PARENTS else loaded.raw
                )
                found[name] = copy.deepcopy(raw)
            return found

    def set(self, path: str, value: Json, *, who: str, via: str = "") -> Recorded:
        """Write a value; missing objects, and a missing module, are made. What was not saved waits (`retry_pending`).

        Raises:
            PathError: The path or the value can't be used.
            DocumentError: The file on disk can't be read; it stays as it is.
            StorageError: The disk refused; nothing changed.
            ConflictError: Another process is writing, or the owner changed the same place meanwhile.
        """
        return self._committer.write(Put(path, value, who, via))

    def append(self, path: str, value: Json, *, who: str, via: str = "") -> Recorded:
        """Add an item to the list at a path; the change's path is the item's, or the new list's. Raises as `set`."""
        return self._committer.write(Append(path, value, who, via))

    def unset(self, path: str, *, who: str, via: str = "") -> Recorded:
        """Remove what stands at a path, or a whole module of the owner's. Raises as `set` does."""
        return self._committer.write(Unset(path, who, via))

    def update(self, path: str, function: Callable[[Json], Json], *, who: str, via: str = "") -> Recorded:
        """Write what a function makes of the value at a path; no other write can come in between.

        The function gets a copy, None when nothing stands there, and may read and write the state itself; it is called
        again when the owner saves the file in the same instant. Raises as `set` does, and what the function raises.
        """
        return self._committer.submit(Update(path, function, who, via), own_thread=True)[0]

    def undo(self, change_id: ChangeId, *, who: str, via: str = "") -> Recorded:
        """Take one change back; that is itself a change and can be undone.

        Raises:
            NolaError: No change has this id, or it was taken back already.
            ConflictError: The value changed again since, or another process is writing.
            DocumentError: The file on disk can't be read; it stays as it is.
            StorageError: The disk refused; nothing changed.
        """
        return self._committer.submit(Undo(change_id, who, via))[0]

    def take_in(
        self, documents: Mapping[str, dict[str, Json]], *, who: str, via: str, texts: Mapping[str, bytes] | None = None
    ) -> list[Recorded]:
        """Write whole documents exactly as they are given, as one group. Raises as `set` does.

        Args:
            documents: Each document's whole content; of Nola and identity without copies, which are pulled again.
            who: Who brings them.
            via: By which way.
            texts: The same documents as the bytes of their files, so that `1.50` does not become `1.5`.
        """
        return self._committer.submit(TakeIn(documents, who, via, texts or {}))

    def retry_pending(self) -> list[Recorded]:
        """Try again what the disk refused; return what is saved now."""
        return self._committer.retry_pending()

    def accept(self, name: str) -> None:
        """Take an emptied file, or the removal of all modules (`modules`), for what the owner wants.

        Raises:
            PathError: No document has this name.
            NolaError: Nothing waits there to be accepted.
            StorageError: It could not be recorded; the last good values stay in use.
        """
        with self.held():
            if name != "modules":
                self._puller.known(name)
            self._puller.look()
            if not self._shelf.waits_for(name):
                raise NolaError(f"nothing in {name} waits to be accepted", fix="see: nola state check")
            self._shelf.accept(name)
            self._puller.look()
            if self._shelf.waits_for(name) or self._intake.is_owing():
                raise StorageError(str(self.folder), "the change could not be recorded")

    def conflicts(self) -> list[Conflict]:
        """List Nola's values that lost against the owner's."""
        return conflicts.listed(self.folder)

    def settle_conflict(self, conflict_id: str, *, use: bool, who: str, via: str = "") -> Recorded | None:
        """End a conflict: put Nola's value in place of the owner's, or drop it.

        Raises:
            UsageError: No conflict has this id.
        """
        with self.held():
            found = conflicts.remove(self.folder, conflict_id)
        if not use:
            return None
        try:
            wish: Wish = Unset(found.path, who, via) if found.removes else Put(found.path, found.ours, who, via)
            return self._committer.submit(wish)[0]
        except NolaError:
            with self.held():
                conflicts.add(self.folder, [found])
            raise

    def changes(self, path: str = "", limit: int = 50) -> list[Recorded]:
        """List changes at, above or below a path, newest first; edits made by hand a moment ago are among them.

        Raises:
            PathError: The path can't be read.
        """
        with self._lock:
            self._puller.look()
            return self._history.newest(path, limit)

    def at(self, when: datetime, path: str = "") -> Json:
        """Return what stood at a path at an instant, nodes without wrappers. Raises NolaError beyond the history."""
        with self._lock:
            self._puller.refresh()
            present = {name: self._shelf[name].raw for name in self._shelf.names()}
            then = past.documents_at(when, present, self._history.backwards(), now=self._clock.now())
            return past.value_at(then, path)

    def problems(self) -> list[Problem]:
        """List what is wrong with the files, as they stand now; a save that has just begun is waited for."""
        with self._lock:
            self._puller.look()
            self._committer.wait_for_editors(self._shelf.names())
            found = [*self._shelf.problems(), *self._puller.problems(), *self._intake.problems()]
            return [*self._committer.problems(), *found, *conflicts.problems(self.folder)]

    def sync(self, names: Collection[str] | None = None) -> list[str]:
        """Pull modules upward now, flagged or not; return the names of those that were pulled.

        Raises:
            PathError: No module has one of the names.
        """
        self._collect_machine()
        with self._lock:
            return self._puller.force(names)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder against every other writer, in this process and in others.

        Raises:
            ConflictError: Somebody else held it for too long.
        """
        with self._lock, files.locked(self.folder / LOCK_FILE, timeout_s=self._settings.lock_timeout):
            yield

    def candidates(self) -> Sequence[Candidate]:
        """List every leaf of the state, each once, at its highest place; the same tuple until something changes."""
        self._collect_machine()
        with self._lock:
            self._puller.refresh()
            return self._census.candidates()

    def revision(self) -> str:
        """Return a word that differs whenever the candidates may differ."""
        self._collect_machine()
        with self._lock:
            self._puller.refresh()
            return self._census.revision()

    def _recover(self) -> None:
        """Put in order what a crash or another version left (D6); nothing is done in a folder of somebody else's."""
        for inner in _INNER:
            if (self.folder / inner).exists():
                files.make_private_dir(self.folder / inner)
        if upgrade.format_of(self.folder) != migrate.FORMAT or birth.missing(self.folder):
            with files.locked(self.folder / LOCK_FILE, timeout_s=self._settings.lock_timeout):
                upgrade.upgrade(self.folder, by=f"nola {__version__}", before=self._before_migration)
                birth.bear(self._born, self.folder, self._shelf.lost)
        with contextlib.suppress(ConflictError, StorageError):  # a folder that can't be written can still be read
            orphans.sweep(self.folder, is_known=self._history.knows, now=self._clock.now(), timeout_s=_GLANCE_S)
            self._intake.begin()
            self._history.prune(self._clock.now())

    def _prune(self) -> None:
        """Keep the history within its limits, though nobody restarts Nola for months."""
        if self._clock.monotonic() - self._pruned < _PRUNE_EVERY_S:
            return
        self._pruned = self._clock.monotonic()
        with contextlib.suppress(StorageError):
            self._history.prune(self._clock.now())

    def _collect_machine(self, *, reload: bool = True) -> None:
        """Collect the machine's facts when they are due; a model server may be asked, so no lock is held meanwhile."""
        if self._lock.is_mine() or not self._booted:
            return
        with self._lock:
            due = self._puller.machine_due(reload=reload)
        if due:
            facts = machine.collect(self.folder, self._clock.now(), self._probes)
            # Facts that can't be kept now are collected again at a later look; reading doesn't wait for them.
            with contextlib.suppress(NolaError):
                self._committer.submit(Facts(facts))
