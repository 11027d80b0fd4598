"""Every change of the state on its way to disk: checked, saved under both locks, recorded, and taken back again."""

from __future__ import annotations

import contextlib
import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from nola import files
from nola.errors import ConflictError, NolaError, PathError, StorageError
from nola.state import contract, document, paths, sync
from nola.state.history import Recorded, new_id
from nola.state.paths import Edit, StatePath
from nola.state.puller import LOCK_FILE, PARENTS
from nola.state.shelf import Loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from nola.clock import Clock
    from nola.settings import StateSettings
    from nola.state.history import History
    from nola.state.puller import Puller
    from nola.state.shelf import Shelf
    from nola.types import ChangeId, Json

__all__ = ["Writer"]


class Writer:
    """Writes the documents of one state folder. Not thread-safe: its owner holds the lock.

    Args:
        folder: The state folder.
        shelf: Its documents.
        puller: Told what changed without a flag.
        history: Where every change is recorded.
        clock: Tells the time.
        settings: Limits and waits.
    """

    def __init__(
        self,
        folder: Path,
        shelf: Shelf,
        *,
        puller: Puller,
        history: History,
        clock: Clock,
        settings: StateSettings,
    ) -> None:
        self._folder = folder
        self._shelf = shelf
        self._puller = puller
        self._history = history
        self._clock = clock
        self._settings = settings

    def edit(
        self, path: str, value: Json, who: str, change: Callable[[Json, StatePath, Json, datetime], Edit]
    ) -> Recorded:
        """Apply `paths.put` or `paths.append` to the module of a path; a module that is missing is made."""
        value = self._checked(path, value)
        with self._writing(path) as (parsed, now):
            if not parsed.steps and not isinstance(contract.split_node(value)[1], dict):
                raise PathError(str(parsed), "a module holds an object", fix="name a key in it")
            loaded = self._opened(parsed.module, now)
            edit = change(loaded.data, parsed, value, now)
            if parsed.module not in self._shelf:
                edit = replace(edit, old=None, old_present=False)
            return self._commit(loaded, edit, _recorded(now, who, edit, new=edit.new, new_present=True))

    def unset(self, path: str, who: str) -> Recorded:
        """Remove what stands at a path, or a whole module of the owner's."""
        with self._writing(path) as (parsed, now):
            name = self._puller.known(parsed.module).name
            loaded = self._shelf.writable(name)
            if parsed.steps:
                edit = paths.unset(loaded.data, parsed, now)
                return self._commit(loaded, edit, _recorded(now, who, edit))
            if name in paths.CORE:
                raise PathError(name, "a file of Nola's own can't be removed", fix="unset the values in it one by one")
            return self._remove(name, _recorded(now, who, Edit(None, parsed, loaded.raw, old_present=True)))

    def undo(self, change_id: ChangeId, who: str) -> Recorded:
        """Take one change back, unless the value changed again since."""
        change = self._history.find(change_id)
        with self._writing(change.path) as (parsed, now):
            if self._history.is_undone(change_id):
                raise NolaError(f"the change {change_id} was undone already", fix="undo the undo to have it again")
            self._refuse_if_changed_since(change, parsed)
            edit = Edit(None, parsed, change.new, old_present=change.new_present)
            back = replace(_recorded(now, who, edit, new=change.old, new_present=change.old_present), undoes=change_id)
            return (
                self._bring_back(change, parsed, back) if change.old_present else self._take_away(change, parsed, back)
            )

    def _bring_back(self, change: Recorded, parsed: StatePath, back: Recorded) -> Recorded:
        name = parsed.module
        loaded = self._opened(name, back.at)
        if not parsed.steps and name not in self._shelf and isinstance(change.old, dict):
            metadata, data = contract.split_root(change.old)
            loaded = replace(loaded, raw=change.old, metadata=metadata, data=data)
            return self._commit(loaded, Edit(data, parsed, None, old_present=False), back)
        step = paths.put if change.new_present else paths.restore
        return self._commit(loaded, step(loaded.data, parsed, change.old, back.at), back)

    def _take_away(self, change: Recorded, parsed: StatePath, back: Recorded) -> Recorded:
        name = parsed.module
        loaded = self._shelf.writable(name)
        if not parsed.steps:
            return self._remove(name, back)
        edit = paths.unset(loaded.data, parsed, back.at, prune=change.made)
        if change.created and contract.plain(edit.data) == {}:
            return self._remove(name, back)
        return self._commit(loaded, edit, back)

    @contextlib.contextmanager
    def _writing(self, path: str) -> Iterator[tuple[StatePath, datetime]]:
        """Hold the folder against other processes, everything freshly read, for a path that may be written."""
        parsed = paths.parse(path)
        with files.locked(self._folder / LOCK_FILE, timeout_s=self._settings.lock_timeout):
            self._puller.look()
            self._refuse_copies(parsed)
            yield parsed, self._clock.now()

    def _refuse_copies(self, parsed: StatePath) -> None:
        if parsed.module == "modules":
            raise PathError("modules", "this is the folder of the modules", fix="name a module and what to put in it")
        if parsed.module not in PARENTS:
            return
        if not parsed.steps:
            raise PathError(parsed.module, "this file also holds copies", fix="name the value in it that changes")
        steps = parsed.steps
        if parsed.module == "Nola":
            if steps[0] != sync.AGGREGATOR:
                return
            steps = steps[1:]
        if not steps or steps[0] in self._puller.children():
            instead = f"set {paths.render(steps)}" if steps[1:] else "set the value in the module itself"
            raise PathError(str(parsed), "this is a copy that was pulled from its module", fix=instead)

    def _checked(self, path: str, value: Json) -> Json:
        why = document.defect(value, self._settings.max_depth)
        if why:
            raise PathError(path, f"this value can't be kept: {why}")
        return copy.deepcopy(value)

    def _opened(self, name: str, now: datetime) -> Loaded:
        if name in self._shelf:
            return self._shelf.writable(name)
        paths.check_new_module(name, self._shelf.names())
        return Loaded(name, self._shelf.file_of(name), {}, {}, {}, b"", now)

    def _commit(self, loaded: Loaded, edit: Edit, change: Recorded) -> Recorded:
        """Save a module and record the change; a change that can't be recorded is rolled back."""
        name = loaded.name
        is_new = name not in self._shelf
        raw = contract.join_root(loaded.raw, self._metadata(loaded, change.at), edit.data)
        if name not in PARENTS and document.depth(raw, self._settings.max_depth + 1) > self._settings.max_depth:
            raise PathError(change.path[:80], f"that would be nested deeper than {self._settings.max_depth} levels")
        before = None if is_new else self._shelf.content(name)
        if is_new:
            files.make_private_dir(self._folder / "modules")
        self._shelf.write(name, raw)
        full = replace(change, path=str(edit.path), created=loaded.file if is_new else "", made=edit.made)
        return self._record(full, name, before)

    def _metadata(self, loaded: Loaded, now: datetime) -> contract.Metadata:
        missing = contract.create_metadata(
            contract.DEFAULT_LEVEL, loaded.file, now=now, stale_threshold_seconds=self._settings.stale_threshold
        )
        whole = {**loaded.metadata, **{key: value for key, value in missing.items() if key not in loaded.metadata}}
        saved = contract.touched({**whole, "version": contract.version_of(loaded.metadata)}, now)
        return saved if loaded.name in PARENTS else contract.request_sync(saved)

    def _remove(self, name: str, change: Recorded) -> Recorded:
        before = self._shelf.content(name)
        self._shelf.remove(name)
        self._puller.note_changed(name)
        return self._record(change, name, before)

    def _record(self, change: Recorded, name: str, before: bytes | None) -> Recorded:
        try:
            self._history.add(change)
        except StorageError:
            self._shelf.put_back(name, before)
            raise
        self._shelf.keep_good(name)
        return change

    def _refuse_if_changed_since(self, change: Recorded, parsed: StatePath) -> None:
        if not change.new_present and self._is_list_item(parsed):
            # The list closed up over the gap; its numbers say nothing about the item that left.
            return
        try:
            current = paths.get(self._puller.known(parsed.module).data, parsed)
            present = True
        except PathError:
            current, present = None, False
        if present != change.new_present or contract.plain(current) != contract.plain(change.new):
            raise ConflictError(f"{change.path} changed again after {change.id}", fix="set it to what it should be")

    def _is_list_item(self, parsed: StatePath) -> bool:
        if not parsed.steps:
            return False
        try:
            holder = paths.get(self._puller.known(parsed.module).data, StatePath(parsed.module, parsed.steps[:-1]))
        except PathError:
            return False
        return isinstance(contract.split_node(holder)[1], list)


def _recorded(now: datetime, who: str, edit: Edit, *, new: Json = None, new_present: bool = False) -> Recorded:
    return Recorded(
        id=new_id(now),
        at=now,
        who=who,
        path=str(edit.path),
        old=copy.deepcopy(edit.old),
        new=copy.deepcopy(new),
        old_present=edit.old_present,
        new_present=new_present,
    )
