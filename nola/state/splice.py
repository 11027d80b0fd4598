"""Edits JSON text so that only what changed changes: number text, escapes, order, indentation and line ends stay."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import orjson

from nola.state import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nola.types import Json

__all__ = ["respliced"]

_BOM = b"\xef\xbb\xbf"
_OWN_STYLE = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_BLANK = " \t\r\n"
# The standard library's scanner in C finds where a value ends; its values are thrown away.
_SCAN = json.JSONDecoder().raw_decode
_RUN = 64
# Up to this product of their lengths, lists are searched for what they have in common.
_MOST_ALIGNED = 10_000
_TEXT = r'"(?:[^"\\]++|\\.)*+"'
_SKIP_BLANK = re.compile(r"[ \t\r\n]*+")
_SKIP_COMMA = re.compile(r"[ \t\r\n]*+,?+")
_SKIP_KEY = re.compile(rf"[ \t\r\n]*+({_TEXT})[ \t\r\n]*+:[ \t\r\n]*+", re.DOTALL)


@cache
def _run(*, keyed: bool) -> re.Pattern[str]:
    """Compile what passes over `_RUN` items at once, as long as none nests deeper than three levels."""
    nested = rf'[\[{{](?:{_TEXT}|[^"{{}}\[\]]++)*+[\]}}]'
    for _ in range(2):
        nested = rf'[\[{{](?:{_TEXT}|[^"{{}}\[\]]++|{nested})*+[\]}}]'
    key = rf"{_TEXT}\s*+:\s*+" if keyed else ""
    value = rf'(?:{_TEXT}|[^"{{}}\[\],\s]++|{nested})'
    return re.compile(rf"(?:\s*+{key}{value}\s*+,){{{_RUN}}}+", re.DOTALL)


class _Item(NamedTuple):
    """Where a member of an object, or an item of a list, stands in the text.

    Attributes:
        start: Where it begins: its key, or the value of a list's item.
        colon: Where its key ends.
        value: Where its value begins.
        end: Where its value ends.
    """

    start: int
    colon: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Swap:
    """A value that takes the place of another as a whole."""

    value: Json


@dataclass(frozen=True, slots=True)
class _Plan:
    """What changes among the items of one object or list, by their numbers in the text.

    Attributes:
        size: How many items the text has.
        changes: What becomes of an item that stays.
        removed: The items that go, ascending.
        added: New items by the one that they follow, -1 for the front; the key is empty in a list.
        keyed: Whether they have keys.
    """

    size: int
    changes: dict[int, _Plan | _Swap]
    removed: Sequence[int]
    added: dict[int, list[tuple[str, Json]]]
    keyed: bool

    def runs(self) -> Iterator[tuple[int, int]]:
        """Group the removed items into runs, each as its first and last number."""
        starts = [here for before, here in pairwise([-2, *self.removed]) if here != before + 1]
        ends = [here for here, after in pairwise([*self.removed, self.size + 1]) if after != here + 1]
        return zip(starts, ends, strict=True)

    def first(self) -> int:
        """Return the first item that stays."""
        return next((last + 1 for start, last in self.runs() if start == 0), 0)

    def wanted(self) -> list[int]:
        """List the items whose place has to be known, ascending."""
        found = {*self.changes, *(anchor for anchor in self.added if anchor >= 0)}
        for start, last in self.runs():
            found.update((start, last + 1) if last + 1 < self.size else (start - 1, last))
        if self.added:
            found.update({self.first(), min(1, self.size - 1)})
        return sorted(found)


def respliced(text: bytes, old: dict[str, Json], new: dict[str, Json]) -> bytes:
    """Return the text of a file with a new value, in which everything that did not change keeps its bytes.

    Keys that stay keep the text's order; a new key stands behind the one that it follows in `new`. What is new is
    written in Nola's own style, two spaces a level, at the place's indentation; what stood on one line stays on one.

    Args:
        text: The file as its owner wrote it; a byte order mark stays.
        old: The value it was read as.
        new: The value it shall be read as; strictly, so that 1, 1.0 and true are three values.

    Raises:
        ValueError: The new value can't be kept as JSON (see `document.defect`).
    """
    body = text.removeprefix(_BOM)
    mark = text[: len(text) - len(body)]
    try:
        if orjson.dumps(old, option=_OWN_STYLE) == body and _in_order(old, new):
            found = orjson.dumps(new, option=_OWN_STYLE)
        else:
            found = _Splicer(body.decode()).spliced(_change(old, new)).encode()
    except (TypeError, ValueError, IndexError, StopIteration):
        # The text is not what `old` was read from, or `new` is no JSON: the dump decides, and says why.
        return document.dump(new)
    return mark + found if _reads_as(found, new) else document.dump(new)


def _reads_as(text: bytes, value: Json) -> bool:
    """Say whether text reads as a value, kinds of numbers included; the order of keys does not count."""
    try:
        found = orjson.loads(text)
        if found != value:
            return False
        sort = orjson.OPT_SORT_KEYS
        return orjson.dumps(found) == orjson.dumps(value) or orjson.dumps(found, option=sort) == orjson.dumps(
            value, option=sort
        )
    except (TypeError, ValueError):
        return False


def _in_order(old: Json, new: Json) -> bool:
    """Say whether all keys that both values have stand in the same order."""
    if isinstance(old, dict) and isinstance(new, dict):
        kept = list(old)
        if kept != list(new) and [key for key in old if key in new] != [key for key in new if key in old]:
            return False
        return all(_in_order(value, new[key]) for key, value in old.items() if key in new and value is not new[key])
    if isinstance(old, list) and isinstance(new, list):
        return all(_in_order(a, b) for a, b in zip(old, new, strict=False) if a is not b)
    return True


def _change(old: Json, new: Json) -> _Plan | _Swap | None:
    """Say what has to be done to make one value of another; None when they are strictly the same."""
    if old is new:
        return None
    if type(old) is type(new):
        if isinstance(old, dict) and isinstance(new, dict):
            return _object_change(old, new)
        if isinstance(old, list) and isinstance(new, list):
            return _list_change(old, new)
        if old == new and (old or str(old) == str(new)):  # 0.0 and -0.0 differ
            return None
    return _Swap(new)


def _object_change(old: dict[str, Json], new: dict[str, Json]) -> _Plan | _Swap | None:
    changes: dict[int, _Plan | _Swap] = {}
    removed = []
    for number, (key, value) in enumerate(old.items()):
        if key not in new:
            removed.append(number)
        elif value is not new[key] and (change := _change(value, new[key])):
            changes[number] = change
    added = _added_keys(old, new) if len(new) > len(old) - len(removed) else {}
    if not (changes or removed or added):
        return None
    if len(removed) == len(old):
        return _Swap(new)
    return _Plan(len(old), changes, removed, added, keyed=True)


def _added_keys(old: dict[str, Json], new: dict[str, Json]) -> dict[int, list[tuple[str, Json]]]:
    numbers = {key: number for number, key in enumerate(old)}
    added: dict[int, list[tuple[str, Json]]] = {}
    anchor = -1
    for key, value in new.items():
        if key in numbers:
            anchor = numbers[key]
        else:
            added.setdefault(anchor, []).append((key, value))
    return added


def _list_change(old: list[Json], new: list[Json]) -> _Plan | _Swap | None:
    if not old or not new:
        return _Swap(new) if old or new else None
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    changes: dict[int, _Plan | _Swap] = {}
    removed: list[int] = []
    added: dict[int, list[tuple[str, Json]]] = {}
    for block in _blocks(old[head : len(old) - tail], new[head : len(new) - tail]):
        start, stop, first, last = (number + head for number in block)
        paired = min(stop - start, last - first)
        pairs = enumerate(zip(old[start : start + paired], new[first : first + paired], strict=True), start)
        changes |= {number: change for number, (a, b) in pairs if (change := _change(a, b))}
        removed += range(start + paired, stop)
        if first + paired < last:
            added[start + paired - 1] = [("", value) for value in new[first + paired : last]]
    return _Plan(len(old), changes, removed, added, keyed=False) if changes or removed or added else None


def _alike(old: list[Json], new: list[Json]) -> int:
    """Count the items at the front that are strictly the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((number for number, (a, b) in pairs if a is not b and _change(a, b)), min(len(old), len(new)))


def _blocks(old: list[Json], new: list[Json]) -> list[tuple[int, int, int, int]]:
    """List the stretches of two lists that answer each other without being the same, as four numbers each.

    Lists of one length answer item by item, unless all moved.
    """
    if not (old and new) or len(old) * len(new) > _MOST_ALIGNED:
        return [(0, len(old), 0, len(new))]
    from difflib import SequenceMatcher  # noqa: PLC0415 -- keeps start-up fast

    before, after = ([orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in items] for items in (old, new))
    if len(old) == len(new) and any(a == b for a, b in zip(before, after, strict=True)):
        return [(0, len(old), 0, len(new))]
    found = SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    return [(start, stop, first, last) for name, start, stop, first, last in found if name != "equal"]


class _Splicer:
    """Carries out plans on one text.

    Args:
        text: The text, without a byte order mark.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._newline = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
        self._edits: list[tuple[int, int, str]] = []

    def spliced(self, change: _Plan | _Swap | None) -> str:
        """Return the text after a change of its one value."""
        at = self._blank(0)
        if change is None:
            return self._text
        end = self._container(at, change) if isinstance(change, _Plan) else self._end(at)
        if isinstance(change, _Swap):
            self._swap(_Item(at, at, at, end), change.value)
        pieces = []
        done = 0
        for start, end, piece in sorted(self._edits):
            pieces += [self._text[done:start], piece]
            done = end
        return "".join([*pieces, self._text[done:]])

    def _container(self, at: int, plan: _Plan) -> int:
        """Edit the object or list at a place, and return where it ends."""
        here, number = at + 1, 0
        items = {}
        for wanted in plan.wanted():
            here = self._skip(here, wanted - number, keyed=plan.keyed)
            item = items[wanted] = self._item(here, plan.changes.get(wanted), keyed=plan.keyed)
            here, number = self._after(item.end), wanted + 1
        here = self._blank(self._skip(here, plan.size - number, keyed=plan.keyed))
        if self._text[here] != ("}" if plan.keyed else "]"):
            raise ValueError("the text has more items than the value")
        self._remove(items, plan)
        self._add(items, plan)
        return here + 1

    def _skip(self, here: int, count: int, *, keyed: bool) -> int:
        """Pass over some items that stay as they are."""
        while count > 0:
            run = _run(keyed=keyed).match(self._text, here) if count >= _RUN else None
            if run:
                here, count = run.end(), count - _RUN
                continue
            for _ in range(min(count, _RUN)):
                here = self._after(self._item(here, None, keyed=keyed).end)
            count -= _RUN
        return here

    def _item(self, here: int, change: _Plan | _Swap | None, *, keyed: bool) -> _Item:
        """Find the item at a place, and change its value."""
        key = _SKIP_KEY.match(self._text, here) if keyed else None
        start, colon = key.span(1) if key else (self._blank(here),) * 2
        value = key.end() if key else start
        end = self._container(value, change) if isinstance(change, _Plan) else self._end(value)
        item = _Item(start, colon, value, end)
        if isinstance(change, _Swap):
            self._swap(item, change.value)
        return item

    def _swap(self, item: _Item, value: Json) -> None:
        """Put a value in the place of another; a filled object or list that stood on one line is not broken up."""
        if not isinstance(value, dict | list):
            self._edits.append((item.value, item.end, orjson.dumps(value).decode()))
            return
        old = self._text[item.value : item.end]
        before = self._before(item.start)
        indent = before.rpartition("\n")[2] if "\n" in before or len(before) == item.start else None
        if old[0] in "{[" and "\n" not in old and old[1:-1].strip():
            indent = None
        self._edits.append((item.value, item.end, self._rendered(value, indent, tight=self._is_tight(item))))

    def _remove(self, items: dict[int, _Item], plan: _Plan) -> None:
        for start, last in plan.runs():
            if last + 1 < plan.size:
                self._edits.append((items[start].start, items[last + 1].start, ""))
            else:
                self._edits.append((items[start - 1].end, items[last].end, ""))

    def _add(self, items: dict[int, _Item], plan: _Plan) -> None:
        for anchor, added in plan.added.items():
            near = items[anchor if anchor >= 0 else plan.first()]
            gap = self._gap(items, plan, max(anchor, 0))
            new = [self._written(near, key, value, gap) for key, value in added]
            if anchor >= 0:
                self._edits.append((near.end, near.end, "".join(f",{gap}{piece}" for piece in new)))
            else:
                self._edits.append((near.start, near.start, "".join(f"{piece},{gap}" for piece in new)))

    def _gap(self, items: dict[int, _Item], plan: _Plan, anchor: int) -> str:
        """Return what stands between a comma and the next item in this object or list."""
        gap = self._before(items[anchor].start)
        if anchor == 0 and "\n" not in gap:
            tight = plan.keyed and self._is_tight(items[anchor])
            gap = self._before(items[1].start) if plan.size > 1 else " " * (not (gap or tight)) or gap
        # Where the owner left lines empty, ours does not repeat them.
        return self._newline + gap.rpartition("\n")[2] if "\n" in gap else gap

    def _written(self, near: _Item, key: str, value: Json, gap: str) -> str:
        """Write a new item in the manner of one that stands near."""
        indent = gap.rpartition("\n")[2] if "\n" in gap else None
        tight = self._is_tight(near) if near.colon > near.start else not gap
        text = self._rendered(value, indent, tight=tight)
        if near.colon == near.start:
            return text
        between = self._text[near.colon : near.value]
        return f"{orjson.dumps(key).decode()}{': ' if chr(10) in between else between}{text}"

    def _rendered(self, value: Json, indent: str | None, *, tight: bool) -> str:
        """Write a value: over several lines from an indentation on, or on one line when that is None."""
        if indent is not None:
            lines = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
            return lines.replace("\n", self._newline + indent)
        if tight or not isinstance(value, dict | list):
            return orjson.dumps(value).decode()
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    def _is_tight(self, item: _Item) -> bool:
        return item.colon > item.start and self._text[item.value - 1] == ":"

    def _end(self, at: int) -> int:
        return _SCAN(self._text, at)[1]

    def _blank(self, at: int) -> int:
        found = _SKIP_BLANK.match(self._text, at)
        return found.end() if found else at

    def _before(self, at: int) -> str:
        start = at
        while start and self._text[start - 1] in _BLANK:
            start -= 1
        return self._text[start:at]

    def _after(self, end: int) -> int:
        """Step from the end of an item to where the next one may begin."""
        found = _SKIP_COMMA.match(self._text, end)
        return found.end() if found else end
