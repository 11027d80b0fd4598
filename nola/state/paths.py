"""Dotted paths into the state: taken apart, written out, and followed through nested nodes; nothing is mutated."""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from nola.errors import PathError
from nola.state import contract

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime
    from typing import TypeAlias

    from nola.types import Json

    _Change: TypeAlias = "Callable[[Json | _Absent], Json]"

__all__ = [
    "CORE",
    "LONGEST_NAME",
    "Edit",
    "StatePath",
    "append",
    "check_new_module",
    "get",
    "parse",
    "put",
    "render",
    "restore",
    "unknown",
    "unset",
]

CORE = ("Nola", "identity", "machineID", "user")
LONGEST_NAME = 200
"""Most bytes of a module's name: a file's has 255, and what stands beside it (`.json.corrupt.TIME`) adds to its own."""

_MAX_STEPS = 200
_MOST_SHOWN = 60
_RESERVED = {"metadata", "data", "modules"}
_BARE = re.compile(r'[^."\s]+')
_STEP = re.compile(r'"((?:[^"\\]|\\.)*)"|([^."]+)')
_NAME = re.compile(r"\w[\w-]{0,63}")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class _Absent:
    """What stands where nothing stands; null is a value."""


_ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class StatePath:
    """A path, taken apart: the module's name and the steps below its data, list items as decimal text."""

    module: str
    steps: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write the path the way a person types it."""
        return render((self.module, *self.steps))


@dataclass(frozen=True, slots=True)
class Edit:
    """What an edit of a module came to.

    Attributes:
        data: The module's whole new data; what was not on the way is shared with the old.
        path: The path that was edited; `append` ends in the new item's number.
        old: What stood there, None when nothing did.
        old_present: Whether something stood there.
        made: How many objects had to be made on the way.
        new: What stands at the path now, None when nothing does.
    """

    data: Json
    path: StatePath
    old: Json
    old_present: bool
    made: int = 0
    new: Json = None


@lru_cache(maxsize=8192)
def parse(text: str) -> StatePath:
    """Take a dotted path apart; `modules.work.x` is `work.x`, and a step with dots is quoted: `user."a.b"`.

    Raises:
        PathError: The path is empty or has an empty or half-quoted step.
    """
    steps = _split(text)
    if len(steps) > 1 and steps[0] == "modules":
        steps = steps[1:]
    return StatePath(steps[0], tuple(steps[1:]))


def render(steps: Iterable[str]) -> str:
    """Write steps as a dotted path that `parse` takes apart into the same steps."""
    return ".".join(_quoted(step) for step in steps)


def unknown(name: str, known: Collection[str]) -> PathError:
    """Make the error for a module that does not exist: names that are close, and how to make it."""
    close = _close(name, known)
    hint = f" (did you mean {' or '.join(close)}?)" if close else ""
    return PathError(
        render([name]),
        f"there is no module of that name{hint}",
        fix=f"set something below it to make modules/{name}.json" if _is_name(name) else "list them: nola state show",
    )


def check_new_module(name: str, known: Collection[str]) -> None:
    """Say whether a module may be made under a name.

    Raises:
        PathError: The name is reserved, is no plain identifier, or differs from another only in case.
    """
    if _folded(name) in _RESERVED:
        raise PathError(render([name]), "that name is reserved; choose another for the module")
    if not _is_name(name):
        why = f"a module's name is up to 64 letters, digits, _ and -, in {LONGEST_NAME} bytes at most"
        raise PathError(render([_shortened(name)]), why, fix="choose a plain name, like work")
    twin = next((other for other in known if other != name and _folded(other) == _folded(name)), None)
    if twin:
        raise PathError(name, f"the module {twin} differs from it only in case", fix=f"write {twin}")


def get(data: Json, path: StatePath) -> Json:
    """Return what stands at a path, its own wrapper still around it.

    Raises:
        PathError: Nothing stands there, or the path steps into a scalar or past a list's end.
    """
    current = data
    for number, step in enumerate(path.steps):
        inner = contract.split_node(current)[1]
        current = (
            inner[_key(inner, step, path, number)] if isinstance(inner, dict) else _item(inner, step, path, number)
        )
    return current


def put(data: Json, path: StatePath, value: Json, now: datetime) -> Edit:
    """Set a value; missing objects are made, and every nested node on the way is marked as touched.

    A value over a nested node replaces its data and keeps its metadata; a value that is a node brings its own fields.

    Raises:
        PathError: The path steps into a scalar or past a list's end.
    """
    edit = _Editor(path, now).run(data, lambda old: _replaced(old, value, now))
    return replace(edit, new=value)


def append(data: Json, path: StatePath, value: Json, now: datetime) -> Edit:
    """Add an item to the list at a path; the edit's path is the item's, or the list's when it had to be made.

    Raises:
        PathError: Something other than a list stands there.
    """
    length = 0

    def extended(old: Json | _Absent) -> Json:
        nonlocal length
        metadata, items = ({}, []) if isinstance(old, _Absent) else contract.split_node(old)
        if not isinstance(items, list):
            raise PathError(str(path), "this is no list, so nothing can be added to it", fix="set it instead")
        length = len(items)
        grown: Json = [*items, value]
        return {"metadata": contract.touched(metadata, now), "data": grown} if contract.is_node(_some(old)) else grown

    edit = _Editor(path, now).run(data, extended)
    if not edit.old_present:
        # The list itself is what is new: taken back, it goes as a whole, and comes again as a list.
        return replace(edit, new=[value])
    item = StatePath(path.module, (*path.steps, str(length)))
    return Edit(edit.data, item, None, old_present=False, made=edit.made, new=value)


def restore(data: Json, path: StatePath, value: Json, now: datetime) -> Edit:
    """Put back what `unset` took away: like `put`, but a list opens up again at the item's number.

    Raises:
        PathError: The path steps into a scalar.
    """
    parent = StatePath(path.module, path.steps[:-1])
    try:
        holder = get(data, parent)
    except PathError:
        return put(data, path, value, now)
    metadata, items = contract.split_node(holder)
    if not path.steps or not isinstance(items, list):
        return put(data, path, value, now)
    at = int(path.steps[-1])
    edit = _Editor(parent, now).run(
        data, lambda _: _rewrapped(holder, metadata, [*items[:at], value, *items[at:]], now)
    )
    return Edit(edit.data, path, None, old_present=False)


def unset(data: Json, path: StatePath, now: datetime, *, prune: int = 0) -> Edit:
    """Remove what stands at a path, its wrapper with it; a list closes up.

    Args:
        data: The module's data.
        path: What to remove.
        now: The time that touched nodes are marked with.
        prune: How many containers above it are removed too when they are left empty.

    Raises:
        PathError: Nothing stands there, or the path is empty.
    """
    if not path.steps:
        raise PathError(str(path), "this is a whole module, not something in it")
    old = get(data, path)
    parent = StatePath(path.module, path.steps[:-1])

    def without(holder: Json | _Absent) -> Json:
        metadata, inner = contract.split_node(_some(holder))
        rest: Json
        if isinstance(inner, dict):
            rest = {key: item for key, item in inner.items() if key != path.steps[-1]}
        else:
            items = inner if isinstance(inner, list) else []
            rest = [item for number, item in enumerate(items) if number != int(path.steps[-1])]
        return _rewrapped(_some(holder), metadata, rest, now)

    edit = _Editor(parent, now).run(data, without)
    left = contract.plain(get(edit.data, parent))
    if prune and parent.steps and left in ({}, []):
        edit = unset(edit.data, parent, now, prune=prune - 1)
    return Edit(edit.data, path, old, old_present=True)


class _Editor:
    """Walks to the end of a path and copies only what lies on the way."""

    def __init__(self, path: StatePath, now: datetime) -> None:
        self._path = path
        self._now = now
        self._old: Json | _Absent = _ABSENT
        self._made = 0

    def run(self, data: Json, change: _Change) -> Edit:
        self._change = change
        new = self._walk(data, 0)
        present = not isinstance(self._old, _Absent)
        return Edit(new, self._path, _some(self._old), old_present=present, made=self._made)

    def _walk(self, value: Json | _Absent, number: int) -> Json:
        steps = self._path.steps
        if number == len(steps):
            self._old = value
            return self._change(value)
        if isinstance(value, _Absent) or value is None:
            self._made += isinstance(value, _Absent)
            return {_new_key(self._path, number): self._walk(_ABSENT, number + 1)}
        metadata, inner = contract.split_node(value)
        step = steps[number]
        new: Json
        if isinstance(inner, dict):
            if step not in inner:
                _new_key(self._path, number)
            new = {**inner, step: self._walk(inner.get(step, _ABSENT), number + 1)}
        else:
            item = self._walk(_item(inner, step, self._path, number), number + 1)
            items = inner if isinstance(inner, list) else []
            new = [item if place == int(step) else other for place, other in enumerate(items)]
        return _rewrapped(value, metadata, new, self._now)


def _split(text: str) -> list[str]:
    text = text.strip()
    if not text:
        raise PathError('""', "the path is empty", fix="write it like user.pets.dog.name")
    steps: list[str] = []
    at = 0
    while True:
        match = _STEP.match(text, at)
        if not match:
            raise PathError(
                text, "a step is empty or its quotes do not close", fix='write it like user."my things".tea'
            )
        quoted, bare = match.groups()
        steps.append(re.sub(r"\\(.)", r"\1", quoted) if bare is None else bare.strip())
        at = match.end()
        if at == len(text):
            break
        if text[at] != ".":
            raise PathError(text, "a dot is missing after the closing quote", fix='write it like user."my things".tea')
        at += 1
    if len(steps) > _MAX_STEPS:
        raise PathError(text[:60] + "...", f"the path has more than {_MAX_STEPS} steps")
    return steps


@lru_cache(maxsize=65_536)
def _quoted(step: str) -> str:
    if _BARE.fullmatch(step):
        return step
    return '"' + step.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _key(inner: dict[str, Json], step: str, path: StatePath, number: int) -> str:
    if step in inner:
        return step
    close = _close(step, inner)
    here = render((path.module, *path.steps[:number]))
    hint = f" (did you mean {render((path.module, *path.steps[:number], close[0]))}?)" if close else ""
    raise PathError(str(path), f"nothing stands there; {here} has no {step!r}{hint}")


def _item(inner: Json, step: str, path: StatePath, number: int) -> Json:
    here = render((path.module, *path.steps[:number]))
    if not isinstance(inner, list):
        raise PathError(str(path), f"{here} holds a value, so there is no {step!r} below it", fix=f"use {here}")
    if not _INDEX.fullmatch(step):
        raise PathError(str(path), f"{here} is a list; its items are numbered from 0, not called {step!r}")
    if int(step) >= len(inner):
        many = f"its last item is number {len(inner) - 1}" if inner else "it is empty"
        raise PathError(str(path), f"{here} has no item {step}; {many}", fix="add an item at its end with append")
    return inner[int(step)]


def _new_key(path: StatePath, number: int) -> str:
    # A key of that name beside a `data` would turn its object into a node by accident.
    if path.steps[number] == "metadata":
        raise PathError(
            str(path),
            "metadata is not part of the data",
            fix='to give a node its own level, set it to {"metadata": {"context_level": 3}, "data": ...}',
        )
    return path.steps[number]


def _replaced(old: Json | _Absent, value: Json, now: datetime) -> Json:
    if isinstance(old, _Absent):
        return value
    if not contract.is_node(old):
        return _kept_wrapped(old, value, now)
    before = contract.split_node(old)[0]
    given, data = contract.split_node(value)
    return {
        **old,
        "metadata": contract.touched({**before, **given, "version": before.get("version")}, now),
        "data": _kept_wrapped(old["data"], data, now),
    }


def _kept_wrapped(old: Json, new: Json, now: datetime) -> Json:
    """Keep the wrappers of nested nodes whose values come without them, as `get` gives them out."""
    if contract.is_node(new):
        return new
    if contract.is_node(old):
        inner = _kept_wrapped(old["data"], new, now)
        if inner == old["data"]:
            return old
        return {**old, "metadata": contract.touched(contract.split_node(old)[0], now), "data": inner}
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: _kept_wrapped(old[key], item, now) if key in old else item for key, item in new.items()}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [_kept_wrapped(before, after, now) for before, after in zip(old, new, strict=True)]
    return new


def _rewrapped(old: Json, metadata: contract.Metadata, data: Json, now: datetime) -> Json:
    if contract.is_node(old):
        return {**old, "metadata": contract.touched(metadata, now), "data": data}
    return data


def _some(value: Json | _Absent) -> Json:
    return None if isinstance(value, _Absent) else value


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and len(name.encode()) <= LONGEST_NAME


def _shortened(name: str) -> str:
    return name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}…"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _close(name: str, known: Iterable[str]) -> list[str]:
    by_fold = {_folded(other): other for other in known}
    return [by_fold[fold] for fold in difflib.get_close_matches(_folded(name), by_fold, n=2)]
