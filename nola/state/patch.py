"""Invertible JSON patches: what changed between two values, in the form of RFC 6902, and the way back."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

from nola.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.types import Json

__all__ = ["ABSENT", "Absent", "Operation", "apply", "diff", "invert", "pointer", "same", "steps_of", "touched"]


class Absent(Enum):
    """The type of `ABSENT`: nothing stands there, as before a module exists. Null is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

Operation: TypeAlias = "dict[str, Json]"

# The key under which a tree keeps the whole value, so that the root is a place like any other.
_ROOT = ""
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_BAD_ESCAPE = re.compile(r"~(?![01])")
_FIX = "look at what changed there since, then try again"


def diff(old: Json | Absent, new: Json | Absent) -> list[Operation]:
    """Return the patch that leads from `old` to `new`; empty when they are the same.

    Objects differ by key, lists by number: common head and tail stay, what lies between is changed item by item. Every
    removal and replacement follows a test of the old value, so that `invert` can turn the patch round. The order of
    keys isn't recorded: applying a patch leaves known keys where they stand and puts new ones last.

    Values are shared with `old` and `new`, not copied.
    """
    if new is ABSENT:
        return [] if old is ABSENT else _removal("", old)
    if old is ABSENT:
        return [_addition("", new)]
    found: list[Operation] = []
    _compare(old, new, "", found)
    return found


def apply(value: Json | Absent, patch: Sequence[Operation]) -> Json | Absent:
    """Return what the patch makes of a value.

    Neither argument is altered; what the patch leaves alone is shared with `value`, so treat both as read-only.
    Stricter than RFC 6902, so that no patch overwrites what it didn't expect: equality tells 1, 1.0 and true apart, and
    an addition is refused where something already stands.

    Raises:
        ConflictError: A test fails, a place is missing or taken, or an operation is not one; names the JSON pointer.
    """
    tree = _Tree(value)
    for operation in patch:
        tree.run(operation)
    return tree.value()


def invert(patch: Sequence[Operation]) -> list[Operation]:
    """Return the patch that undoes this one.

    Raises:
        ConflictError: A value is removed or replaced without a test of it before, so that it is not known.
    """
    back: list[list[Operation]] = []
    tested: Operation | None = None
    for operation in patch:
        kind, place = _read(operation)
        if kind == "test":
            if tested is not None:
                back.append([tested])
            tested = operation
            continue
        if kind == "add":
            if tested is not None:
                back.append([tested])
            back.append(_removal(place, operation["value"]))
        elif tested is None or tested["path"] != place:
            raise ConflictError(
                f"the change at {_named(place)} can't be turned round: it doesn't tell what stood there"
            )
        elif kind == "remove":
            back.append([_addition(place, tested["value"])])
        else:
            back.append(_replacement(place, operation["value"], tested["value"]))
        tested = None
    if tested is not None:
        back.append([tested])
    return [operation for group in reversed(back) for operation in group]


def touched(patch: Sequence[Operation]) -> list[tuple[str, ...]]:
    """Return the steps to every place that the patch changes, each once, in its order."""
    read = [_read(operation) for operation in patch]
    return [steps_of(place) for place in dict.fromkeys(place for kind, place in read if kind != "test")]


def pointer(steps: Sequence[str]) -> str:
    """Return the JSON pointer of some steps (RFC 6901)."""
    return "".join(f"/{_escaped(step)}" for step in steps)


def steps_of(pointer: str) -> tuple[str, ...]:
    """Return the steps of a JSON pointer (RFC 6901).

    Raises:
        ConflictError: The text is not a JSON pointer.
    """
    if pointer and (not pointer.startswith("/") or _BAD_ESCAPE.search(pointer)):
        raise ConflictError(f"{pointer!r} is not a JSON pointer")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def same(a: Json, b: Json) -> bool:
    """Say whether two values are strictly equal: 1, 1.0 and true differ, as do 0.0 and -0.0; key order may differ."""
    left = [(a, b)]
    while left:
        one, other = left.pop()
        if one is other:
            continue
        if type(one) is not type(other):
            return False
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            left.extend((item, other[key]) for key, item in one.items())
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            left.extend(zip(one, other, strict=True))
        # The shortest text that reads back tells every two floats apart, and finds NaN equal to itself.
        elif one != other if not isinstance(one, float) else repr(one) != repr(other):
            return False
    return True


def _compare(old: Json, new: Json, place: str, found: list[Operation]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key, item in old.items():
            if key not in new:
                found.extend(_removal(f"{place}/{_escaped(key)}", item))
            elif item is not new[key]:
                _compare(item, new[key], f"{place}/{_escaped(key)}", found)
        found.extend(_addition(f"{place}/{_escaped(key)}", item) for key, item in new.items() if key not in old)
    elif isinstance(old, list) and isinstance(new, list):
        head, tail = _common(old, new)
        middle = min(len(old), len(new)) - tail
        for number in range(head, middle):
            if old[number] is new[number]:
                continue
            _compare(old[number], new[number], f"{place}/{number}", found)
        # From the back, so that the numbers of what is still to be removed stay true.
        for number in range(len(old) - tail - 1, middle - 1, -1):
            found.extend(_removal(f"{place}/{number}", old[number]))
        found.extend(_addition(f"{place}/{number}", new[number]) for number in range(middle, len(new) - tail))
    elif not same(old, new):
        found.extend(_replacement(place, old, new))


def _common(old: list[Json], new: list[Json]) -> tuple[int, int]:
    """Return how many items two lists share at their head and at their tail; equal lengths are compared by number."""
    if len(old) == len(new):
        return 0, 0
    most = min(len(old), len(new))
    head = 0
    while head < most and same(old[head], new[head]):
        head += 1
    tail = 0
    while tail < most - head and same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    return head, tail


class _Tree:
    """A value that operations change; containers are copied when they are first changed."""

    def __init__(self, value: Json | Absent) -> None:
        self._holder: Json = {} if value is ABSENT else {_ROOT: value}
        # By id; holding the copies keeps an id from being given to another object.
        self._own: dict[int, Json] = {id(self._holder): self._holder}

    def value(self) -> Json | Absent:
        return _child(self._holder, _ROOT)

    def run(self, operation: Operation) -> None:
        kind, place = _read(operation)
        steps = (_ROOT, *steps_of(place))
        stands = self._look(steps)
        if kind == "add":
            self._add(steps, operation["value"], place)
        elif stands is ABSENT:
            raise ConflictError(f"nothing stands at {_named(place)} any more", fix=_FIX)
        elif kind == "test":
            if not same(stands, operation["value"]):
                raise ConflictError(f"what stands at {_named(place)} is not what the change expects", fix=_FIX)
        elif kind == "replace":
            _put(self._parent(steps, place), steps[-1], operation["value"])
        else:
            _drop(self._parent(steps, place), steps[-1])

    def _look(self, steps: tuple[str, ...]) -> Json | Absent:
        here: Json | Absent = self._holder
        for step in steps:
            here = ABSENT if here is ABSENT else _child(here, step)
        return here

    def _add(self, steps: tuple[str, ...], value: Json, place: str) -> None:
        parent, step = self._parent(steps, place), steps[-1]
        if isinstance(parent, list):
            if _NUMBER.fullmatch(step) is None or int(step) > len(parent):
                raise ConflictError(f"the list has no place {_named(place)} any more", fix=_FIX)
            parent.insert(int(step), value)
        elif not isinstance(parent, dict):
            raise ConflictError(f"nothing can stand at {_named(place)} any more", fix=_FIX)
        elif step in parent:
            raise ConflictError(f"something stands at {_named(place)} by now", fix=_FIX)
        else:
            parent[step] = value

    def _parent(self, steps: tuple[str, ...], place: str) -> Json:
        """Return the container of a place, it and all around it being the tree's own."""
        here = self._holder
        for step in steps[:-1]:
            child = _child(here, step)
            if child is ABSENT:
                raise ConflictError(f"nothing stands around {_named(place)} any more", fix=_FIX)
            if isinstance(child, dict | list) and id(child) not in self._own:
                child = child.copy()
                self._own[id(child)] = child
                _put(here, step, child)
            here = child
        return here


def _child(container: Json, step: str) -> Json | Absent:
    if isinstance(container, dict):
        return container.get(step, ABSENT)
    if isinstance(container, list) and _NUMBER.fullmatch(step) and int(step) < len(container):
        return container[int(step)]
    return ABSENT


def _put(container: Json, step: str, value: Json) -> None:
    if isinstance(container, dict):
        container[step] = value
    elif isinstance(container, list):
        container[int(step)] = value


def _drop(container: Json, step: str) -> None:
    if isinstance(container, dict):
        del container[step]
    elif isinstance(container, list):
        del container[int(step)]


def _read(operation: Operation) -> tuple[str, str]:
    """Return kind and pointer of an operation that is one of the four that patches are made of."""
    kind, place = operation.get("op"), operation.get("path")
    if not isinstance(place, str) or not isinstance(kind, str) or kind not in {"add", "remove", "replace", "test"}:
        raise ConflictError(f"a patch can't hold the operation {kind!r} at {place!r}")
    if kind != "remove" and "value" not in operation:
        raise ConflictError(f"the operation {kind!r} at {_named(place)} has no value")
    return kind, place


def _addition(place: str, value: Json) -> Operation:
    return {"op": "add", "path": place, "value": value}


def _removal(place: str, old: Json) -> list[Operation]:
    return [{"op": "test", "path": place, "value": old}, {"op": "remove", "path": place}]


def _replacement(place: str, old: Json, new: Json) -> list[Operation]:
    return [{"op": "test", "path": place, "value": old}, {"op": "replace", "path": place, "value": new}]


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _named(place: str) -> str:
    return place or "the root"
