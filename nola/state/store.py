"""The state of one folder behind one lock: reads that pull lazily, and writes that are recorded and can be undone."""

from __future__ import annotations

import copy
import hashlib
from threading import RLock
from typing import TYPE_CHECKING

from nola import files
from nola.state import birth, contract, leaves, paths, sync
from nola.state.history import History
from nola.state.puller import LOCK_FILE, PARENTS, Puller
from nola.state.shelf import Shelf
from nola.state.writer import Writer
from nola.types import Place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from nola.clock import Clock
    from nola.flow import Candidate, Problem
    from nola.settings import StateSettings
    from nola.state.history import Recorded
    from nola.state.machine import Probe
    from nola.state.shelf import Loaded
    from nola.types import ChangeId, Json

__all__ = ["StateStore"]


class StateStore:
    """What Nola knows, from any thread.

    Args:
        folder: The state folder.
        clock: Tells the time.
        settings: Levels that travel, limits and waits.
        born: The folder of what Nola is born with (`birth.find_born`).
        probes: More sources for machineID.json.
        ablate_metadata: Ignore the contract and pull every child at every access (E51).
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
    ) -> None:
        self._folder = folder
        self._born = born
        self._lock_timeout = settings.lock_timeout
        self._shelf = Shelf(folder, born, settings, clock)
        self._puller = Puller(
            folder, self._shelf, clock=clock, settings=settings, probes=probes, ablate=ablate_metadata
        )
        self._history = History(folder)
        self._writer = Writer(
            folder, self._shelf, puller=self._puller, history=self._history, clock=clock, settings=settings
        )
        self._lock = RLock()
        self._booted = False
        self._leaves: dict[str, tuple[bytes, list[Candidate]]] = {}
        self._candidates: tuple[str, tuple[Candidate, ...]] = ("", ())

    @property
    def pulls(self) -> int:
        """How many times a raw module was pulled into the aggregator."""
        return self._puller.pulls

    def bootstrap(self) -> bool:
        """Create what is missing and pull every module once; return whether this was the first call (E39).

        Raises:
            StorageError: The state folder could not be made.
        """
        with self._lock:
            if self._booted:
                return False
            files.make_private_dir(self._folder)
            if birth.missing(self._folder):
                # Under the lock, or another first start would sweep our temporary files away.
                with files.locked(self._folder / LOCK_FILE, timeout_s=self._lock_timeout):
                    birth.bear(self._born, self._folder)
            self._puller.sweep(self._lock_timeout)
            self._puller.refresh()
            self._booted = True
            return True

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
        with self._lock:
            if path.strip() in {"", "modules"}:
                self._puller.refresh(reload=reload)
                names = [name for name in self._shelf.names() if not path.strip() or name not in paths.CORE]
                return {name: contract.plain(self._own(self._shelf[name])) for name in names}
            return contract.plain(self._standing(path, reload=reload))

    def get_node(self, path: str, *, reload: bool = True) -> Json:
        """Return a copy of what stands at a path with all wrappers; of a module, its metadata and data.

        Raises:
            PathError: Nothing stands there.
        """
        with self._lock:
            return copy.deepcopy(self._standing(path, reload=reload))

    def document(self, name: str) -> dict[str, Json]:
        """Return a copy of a whole file, everything that its owner wrote into it.

        Raises:
            PathError: No document has this name.
        """
        with self._lock:
            self._puller.access(name)
            return copy.deepcopy(self._puller.known(name).raw)

    def set(self, path: str, value: Json, *, who: str) -> Recorded:
        """Write a value; missing objects, and a missing module, are made.

        Raises:
            PathError: The path or the value can't be used.
            DocumentError: The file on disk can't be read; it stays as it is.
            StorageError: The disk refused; nothing changed.
            ConflictError: Another process is writing.
        """
        with self._lock:
            return self._writer.edit(path, value, who, paths.put)

    def append(self, path: str, value: Json, *, who: str) -> Recorded:
        """Add an item to the list at a path; the change's path is the item's, or the new list's. Raises as `set`."""
        with self._lock:
            return self._writer.edit(path, value, who, paths.append)

    def unset(self, path: str, *, who: str) -> Recorded:
        """Remove what stands at a path, or a whole module of the owner's. Raises as `set` does."""
        with self._lock:
            return self._writer.unset(path, who)

    def undo(self, change_id: ChangeId, *, who: str) -> Recorded:
        """Take one change back; that is itself a change and can be undone.

        Raises:
            NolaError: No change has this id, or it was taken back already.
            ConflictError: The value changed again since, or another process is writing.
            DocumentError: The file on disk can't be read; it stays as it is.
            StorageError: The disk refused; nothing changed.
        """
        with self._lock:
            return self._writer.undo(change_id, who)

    def changes(self, path: str = "", limit: int = 50) -> list[Recorded]:
        """List changes at, above or below a path, newest first.

        Raises:
            PathError: The path can't be read.
        """
        with self._lock:
            return self._history.newest(path, limit)

    def problems(self) -> list[Problem]:
        """List what is wrong with the files, as they stand now."""
        with self._lock:
            self._puller.look()
            return [*self._shelf.problems(), *self._puller.problems()]

    def sync(self, names: Collection[str] | None = None) -> list[str]:
        """Pull modules upward now, flagged or not; return the names of those that were pulled.

        Raises:
            PathError: No module has one of the names.
        """
        with self._lock:
            return self._puller.force(names)

    def candidates(self) -> Sequence[Candidate]:
        """List every leaf of the state, each once, at its highest place; the same tuple until something changes."""
        with self._lock:
            revision = self.revision()
            if self._candidates[0] != revision:
                self._candidates = (revision, tuple(self._flattened()))
            return self._candidates[1]

    def revision(self) -> str:
        """Return a word that differs whenever the candidates may differ."""
        with self._lock:
            self._puller.refresh()
            whole = hashlib.blake2b(digest_size=12)
            for name in self._shelf.names():
                whole.update(name.encode() + b"\0" + self._shelf[name].digest)
            return whole.hexdigest()

    def _standing(self, path: str, *, reload: bool) -> Json:
        parsed = paths.parse(path)
        self._puller.access(parsed.module, reload=reload)
        loaded = self._puller.known(parsed.module)
        if parsed.steps:
            return paths.get(loaded.data, parsed)
        return {"metadata": loaded.metadata, "data": loaded.data}

    def _own(self, loaded: Loaded) -> Json:
        return sync.own_data(loaded.name, loaded.data) if loaded.name in PARENTS else loaded.data

    def _flattened(self) -> Iterator[Candidate]:
        for name in self._shelf.names():
            loaded = self._shelf[name]
            kept = self._leaves.get(name)
            if kept is None or kept[0] != loaded.digest:
                kept = (loaded.digest, self._leaves_of(loaded))
                self._leaves[name] = kept
            yield from kept[1]

    def _leaves_of(self, loaded: Loaded) -> list[Candidate]:
        own = {"Nola": Place.GLOBAL, "identity": Place.AGGREGATOR}.get(loaded.name)
        return leaves.flatten(
            loaded.name,
            loaded.metadata,
            self._own(loaded),
            source_file=loaded.file,
            undated=loaded.modified,
            levels=None if own else self._puller.levels,
            place=own or Place.MODULE,
        )
