"""Carries wishes out on a draft: every change of the state is checked, merged with the owner's edits, and recorded."""

from __future__ import annotations

import contextlib
import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nola.errors import ConflictError, NolaError, PathError
from nola.files import SlippedError
from nola.state import conflicts, contract, document, machine, patch, paths, sync
from nola.state.history import Recorded, new_id
from nola.state.loaded import PARENTS, file_of
from nola.state.merge import three_way
from nola.state.past import EDITOR
from nola.state.paths import Edit, StatePath
from nola.state.wishes import Append, Facts, Late, Put, TakeIn, Undo, Unset, Update

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from nola.settings import StateSettings
    from nola.state.draft import Draft
    from nola.state.history import History
    from nola.state.loaded import Loaded
    from nola.state.wishes import Wish
    from nola.types import Json

__all__ = ["Writer"]

_NOLA = "nola"


class Writer:
    """Changes drafts of one state folder's documents. Not thread-safe: its owner holds the lock.

    Args:
        history: Where every change is recorded.
        settings: Limits.
        edits: Counts how often the owner's edits of a module were taken in so far.
    """

    def __init__(self, history: History, *, settings: StateSettings, edits: Callable[[str], int] = lambda _: 0) -> None:
        self._history = history
        self._edits = edits
        self._settings = settings

    def carry_out(self, wish: Wish, draft: Draft, unseen: Mapping[str, Loaded]) -> list[Recorded]:
        """Change a draft as a wish asks for.

        Args:
            wish: What is asked for.
            draft: What it changes.
            unseen: Modules that the owner edited since anybody here looked, as they were before.

        Raises:
            PathError: The path or the value can't be used.
            ConflictError: The owner changed the same place meanwhile, or the change to undo has been changed again.
            DocumentError: The file on disk can't be read; it stays as it is.
            NolaError: No change has the id, or it was taken back already.
        """
        if isinstance(wish, Late):
            unseen, wish = {wish.before.name: wish.before}, wish.wish
        if isinstance(wish, Put):
            return [self._put(wish, draft, unseen)]
        if isinstance(wish, Append):
            value = self._checked(wish.path, wish.value)
            return [self._edit(wish.path, wish, draft, lambda data, at: paths.append(data, at, value, draft.now))]
        if isinstance(wish, Update):
            return [self._update(wish, draft)]
        if isinstance(wish, Unset):
            return [self._unset(wish, draft, unseen)]
        if isinstance(wish, Undo):
            return [self._undo(wish, draft)]
        return self._facts(wish, draft) if isinstance(wish, Facts) else self._take_in(wish, draft)

    def _put(self, wish: Put, draft: Draft, unseen: Mapping[str, Loaded]) -> Recorded:
        value = self._checked(wish.path, wish.value)
        parsed = self._writable_path(wish.path, draft)
        _refuse_no_object(parsed, value)
        before = unseen.get(parsed.module)
        if before is not None:
            value = self._merged(parsed, value, before, draft, who=wish.who)
        return self._edit(wish.path, wish, draft, lambda data, at: paths.put(data, at, value, draft.now))

    def _update(self, wish: Update, draft: Draft) -> Recorded:
        parsed = self._writable_path(wish.path, draft)
        try:
            old = paths.get(draft.known(parsed.module).data, parsed)
        except PathError:
            old = None
        edits = self._edits(parsed.module)
        given = wish.function(contract.plain(copy.deepcopy(old)))
        if self._edits(parsed.module) != edits:
            # It looked at the files itself, and so what it was given is not what the owner has there by now.
            raise SlippedError(Path(file_of(parsed.module)))
        value = self._checked(wish.path, given)
        _refuse_no_object(parsed, value)
        # The function may have written too; what it made is put into what stands there now.
        return self._edit(wish.path, wish, draft, lambda data, at: paths.put(data, at, value, draft.now))

    def _edit(
        self, path: str, wish: Put | Append | Update, draft: Draft, change: Callable[[Json, StatePath], Edit]
    ) -> Recorded:
        parsed = self._writable_path(path, draft)
        is_new = parsed.module not in draft
        loaded = draft.opened(parsed.module)
        edit = change(loaded.data, parsed)
        if is_new:
            edit = replace(edit, old=None, old_present=False)
        record = _record(draft, wish.who, wish.via, edit, new=edit.new, new_present=True)
        return self._commit(draft, loaded, edit, record)

    def _unset(self, wish: Unset, draft: Draft, unseen: Mapping[str, Loaded]) -> Recorded:
        parsed = self._writable_path(wish.path, draft)
        name = draft.known(parsed.module).name
        loaded = draft.writable(name)
        before = unseen.get(name)
        if before is not None:
            self._merged(parsed, patch.ABSENT, before, draft, who=wish.who)
        if parsed.steps:
            edit = paths.unset(loaded.data, parsed, draft.now)
            return self._commit(draft, loaded, edit, _record(draft, wish.who, wish.via, edit))
        if name in paths.CORE:
            raise PathError(name, "a file of Nola's own can't be removed", fix="unset the values in it one by one")
        edit = Edit(None, parsed, loaded.raw, old_present=True)
        return draft.remove(name, _record(draft, wish.who, wish.via, edit))

    def _undo(self, wish: Undo, draft: Draft) -> Recorded:
        change = self._history.find(wish.change)
        parsed = self._writable_path(change.path, draft)
        if self._history.is_undone(wish.change):
            raise NolaError(f"the change {wish.change} was undone already", fix="undo the undo to have it again")
        if not parsed.steps and change.patch and change.old_present and change.new_present:
            return self._turned_round(change, parsed, wish, draft)
        self._refuse_if_changed_since(change, parsed, draft)
        edit = Edit(None, parsed, change.new, old_present=change.new_present)
        back = _record(draft, wish.who, wish.via, edit, new=change.old, new_present=change.old_present)
        back = replace(back, undoes=wish.change)
        if change.old_present:
            return self._bring_back(change, parsed, back, draft)
        return self._take_away(change, parsed, back, draft)

    def _turned_round(self, change: Recorded, parsed: StatePath, wish: Undo, draft: Draft) -> Recorded:
        """Take back an edit of a whole file by its patch."""
        name = parsed.module
        loaded = draft.writable(name)
        raw = _turned(change, loaded)
        if not isinstance(raw, dict):
            raise NolaError(f"the change {change.id} can't be taken back", fix="set the values one by one")
        metadata, data = contract.split_root(raw)
        edit = Edit(data, parsed, change.new, old_present=True)
        back = _record(draft, wish.who, wish.via, edit, new=change.old, new_present=True)
        whole = replace(loaded, raw=raw, metadata=metadata, data=data)
        return self._commit(draft, whole, edit, replace(back, undoes=change.id))

    def _bring_back(self, change: Recorded, parsed: StatePath, back: Recorded, draft: Draft) -> Recorded:
        name = parsed.module
        is_new = name not in draft
        loaded = draft.opened(name)
        if not parsed.steps and is_new and isinstance(change.old, dict):
            metadata, data = contract.split_root(change.old)
            loaded = replace(loaded, raw=change.old, metadata=metadata, data=data)
            return self._commit(draft, loaded, Edit(data, parsed, None, old_present=False), back)
        step = paths.put if change.new_present else paths.restore
        return self._commit(draft, loaded, step(loaded.data, parsed, change.old, draft.now), back)

    def _take_away(self, change: Recorded, parsed: StatePath, back: Recorded, draft: Draft) -> Recorded:
        name = parsed.module
        loaded = draft.writable(name)
        if not parsed.steps:
            return draft.remove(name, back)
        edit = paths.unset(loaded.data, parsed, draft.now, prune=change.made)
        if change.created and contract.plain(edit.data) == {}:
            return draft.remove(name, back)
        exact = _without(change, loaded)
        if exact is not None and contract.plain(exact) != contract.plain(edit.data):
            edit = replace(edit, data=exact)  # a null had to make room for the object around the value
        return self._commit(draft, loaded, edit, back)

    def _facts(self, wish: Facts, draft: Draft) -> list[Recorded]:
        """Write down what changed of the machine as one change; the first collection is birth, and none."""
        if sync.MACHINE not in draft:
            return []
        loaded = draft.writable(sync.MACHINE)
        known = contract.plain(loaded.data)
        if not isinstance(known, dict) or not machine.differs(known, wish.facts):
            return []
        new = {key: value for key, value in wish.facts.items() if known.get(key) != value}
        old: dict[str, Json] = {key: known[key] for key in new if key in known}
        data = loaded.data
        for key, value in new.items():
            data = paths.put(data, StatePath(sync.MACHINE, (key,)), value, draft.now).data
        edit = Edit(data, StatePath(sync.MACHINE), old, old_present=True)
        change = _record(draft, _NOLA, "machine", edit, new=new, new_present=True)
        if known:
            return [self._commit(draft, loaded, edit, change)]
        raw = contract.join_root(loaded.raw, self._metadata(loaded, draft.now), data)
        draft.put_unrecorded(sync.MACHINE, raw)
        return []

    def _take_in(self, wish: TakeIn, draft: Draft) -> list[Recorded]:
        changes = []
        for name, raw in wish.documents.items():
            is_new = name not in draft
            loaded = draft.opened(name, as_given=True)
            value = self._checked(name, raw)
            if not isinstance(value, dict) or (not is_new and patch.same(loaded.raw, value)):
                continue
            at = StatePath(name)
            edit = Edit(None, at, None if is_new else loaded.raw, old_present=not is_new)
            record = _record(draft, wish.who, wish.via, edit, new=value, new_present=True)
            changes.append(draft.put(name, value, record))
            draft.spell(name, wish.texts.get(name))
        return changes

    def _merged(self, parsed: StatePath, value: Json | patch.Absent, before: Loaded, draft: Draft, *, who: str) -> Json:
        """Unite a wish with what the owner wrote at the same place meanwhile; a real clash keeps the owner's value.

        Raises:
            ConflictError: Nothing of the wish is left; it is kept as a conflict.
        """
        base = _at(before.data, parsed)
        theirs = _at(draft.writable(parsed.module).data, parsed) if parsed.module in draft else patch.ABSENT
        if _alike(base, theirs):
            return None if value is patch.ABSENT else value
        ours = _in_wrappers(value, before.data, theirs, parsed, draft.now)
        merged = three_way(base, ours, theirs)
        draft.conflicts += [
            conflicts.of_clash(parsed, clash, (ours, theirs), at=draft.now, who=who) for clash in merged.clashes
        ]
        if merged.clashes and _alike(merged.value, theirs):
            raise conflicts.KeptError(str(parsed))
        return None if merged.value is patch.ABSENT else merged.value

    def _writable_path(self, path: str, draft: Draft) -> StatePath:
        parsed = paths.parse(path)
        if parsed.module == "modules":
            raise PathError("modules", "this is the folder of the modules", fix="name a module and what to put in it")
        if parsed.module not in PARENTS:
            return parsed
        if not parsed.steps:
            raise PathError(parsed.module, "this file also holds copies", fix="name the value in it that changes")
        steps = parsed.steps
        if parsed.module == "Nola":
            if steps[0] != sync.AGGREGATOR:
                return parsed
            steps = steps[1:]
        if not steps or (steps[0] in draft.names() and steps[0] not in PARENTS):
            instead = f"set {paths.render(steps)}" if steps[1:] else "set the value in the module itself"
            raise PathError(str(parsed), "this is a copy that was pulled from its module", fix=instead)
        return parsed

    def _checked(self, path: str, value: Json) -> Json:
        why = document.defect(value, self._settings.max_depth)
        if why:
            raise PathError(path, f"this value can't be kept: {why}")
        odd = contract.all_violations(*contract.split_node(value))
        if odd:
            raise PathError(path, f"the metadata in this value is wrong: {odd[0]}")
        return copy.deepcopy(value)

    def _commit(self, draft: Draft, loaded: Loaded, edit: Edit, change: Recorded) -> Recorded:
        raw = contract.join_root(loaded.raw, self._metadata(loaded, change.at), edit.data)
        return draft.put(loaded.name, raw, replace(change, path=str(edit.path), made=edit.made))

    def _metadata(self, loaded: Loaded, now: datetime) -> contract.Metadata:
        missing = contract.create_metadata(
            contract.DEFAULT_LEVEL, loaded.file, now=now, stale_threshold_seconds=self._settings.stale_threshold
        )
        whole = {**loaded.metadata, **{key: value for key, value in missing.items() if key not in loaded.metadata}}
        saved = contract.touched({**whole, "version": contract.version_of(loaded.metadata)}, now)
        return saved if loaded.name in PARENTS else contract.request_sync(saved)

    def _refuse_if_changed_since(self, change: Recorded, parsed: StatePath, draft: Draft) -> None:
        if parsed.steps and parsed.steps[-1].isdecimal() and self._has_moved(change, parsed):
            raise ConflictError(
                f"the list at {paths.render([parsed.module, *parsed.steps[:-1]])} changed again after {change.id}",
                fix="set it to what it should be",
            )
        if not change.new_present and self._is_list_item(parsed, draft):
            # The list closed up over the gap; its numbers say nothing about the item that left.
            return
        try:
            current = paths.get(draft.known(parsed.module).data, parsed)
            present = True
        except PathError:
            current, present = None, False
        if present != change.new_present or contract.plain(current) != contract.plain(change.new):
            raise ConflictError(f"{change.path} changed again after {change.id}", fix="set it to what it should be")

    def _has_moved(self, change: Recorded, parsed: StatePath) -> bool:
        """Say whether a list's numbers mean other items than they did, or it is no list any more."""
        undone: set[str] = set()
        for later in self._history.backwards():
            if later.id == change.id:
                return False
            if later.undoes and later.id not in undone:
                undone.add(later.undoes)
            elif later.id not in undone and later.module == parsed.module and _moves(later, parsed.steps):
                return True
        return False

    def _is_list_item(self, parsed: StatePath, draft: Draft) -> bool:
        if not parsed.steps:
            return False
        try:
            holder = paths.get(draft.known(parsed.module).data, StatePath(parsed.module, parsed.steps[:-1]))
        except PathError:
            return False
        return isinstance(contract.split_node(holder)[1], list)


def _moves(later: Recorded, item: tuple[str, ...]) -> bool:
    """Say whether a change gave the numbers of a list another meaning, from an item on or as a whole."""
    steps, holder = paths.parse(later.path).steps, item[:-1]
    if len(steps) <= len(holder):
        return holder[: len(steps)] == steps
    came_or_went = steps[:-1] == holder and later.old_present != later.new_present
    return came_or_went and steps[-1].isdecimal() and int(steps[-1]) <= int(item[-1])


def _refuse_no_object(parsed: StatePath, value: Json) -> None:
    if not parsed.steps and not isinstance(contract.split_node(value)[1], dict):
        raise PathError(str(parsed), "a module holds an object", fix="name a key in it")


def _check_module(parsed: StatePath, value: Json) -> None:
    """Refuse what can't be a whole module: it holds an object, with its metadata whole or without any."""
    if not isinstance(contract.split_node(value)[1], dict):
        raise PathError(str(parsed), "a module holds an object", fix="name a key in it")
    if isinstance(value, dict) and not contract.is_node(value) and value.keys() & {"metadata", "data"}:
        raise PathError(
            str(parsed),
            "metadata and data are the two halves of a module's file",
            fix="give both, or only what is data",
        )


def _at(data: Json, parsed: StatePath) -> Json | patch.Absent:
    try:
        return paths.get(data, parsed)
    except PathError:
        return patch.ABSENT


def _in_wrappers(
    value: Json | patch.Absent, base: Json, theirs: Json | patch.Absent, parsed: StatePath, now: datetime
) -> Json | patch.Absent:
    """Put the wrappers of nodes around what was given without them, so that like is merged with like."""
    if value is patch.ABSENT:
        return value
    with contextlib.suppress(PathError):  # where there was no way before the owner made one
        value = paths.get(paths.put(base, parsed, value, now).data, parsed)
    is_bare = theirs is not patch.ABSENT and contract.is_node(theirs) and not contract.is_node(value)
    return {**theirs, "data": value} if is_bare and isinstance(theirs, dict) else value


def _alike(a: Json | patch.Absent, b: Json | patch.Absent) -> bool:
    if a is patch.ABSENT or b is patch.ABSENT:
        return a is b
    return patch.same(a, b)


def _turned(change: Recorded, loaded: Loaded) -> Json | patch.Absent:
    return patch.apply(loaded.raw, [step for step in patch.invert(change.patch) if not _is_kept_up(step)])


def _without(change: Recorded, loaded: Loaded) -> Json:
    """Return a file's data exactly as it was before one of Nola's changes; None when others changed it since."""
    if not change.patch or change.via == EDITOR:
        return None
    try:
        raw = _turned(change, loaded)
    except ConflictError:
        return None
    return contract.split_root(raw)[1] if isinstance(raw, dict) else None


def _is_kept_up(step: patch.Operation) -> bool:
    steps = patch.steps_of(str(step["path"]))
    return len(steps) > 1 and steps[-2] == "metadata" and steps[-1] in {"last_updated", "version", "needs_sync"}


def _record(draft: Draft, who: str, via: str, edit: Edit, *, new: Json = None, new_present: bool = False) -> Recorded:
    return Recorded(
        id=new_id(draft.now),
        at=draft.now,
        who=who,
        path=str(edit.path),
        old=copy.deepcopy(edit.old),
        new=copy.deepcopy(new),
        old_present=edit.old_present,
        new_present=new_present,
        via=via,
    )
