"""Finds what is odd in JSON text that loads: keys that stand twice or look alike, control characters, lost numbers."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import orjson

from nola.flow import Problem
from nola.state.mistakes import TEXT, compiled, place
from nola.state.verdicts import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.types import Json

__all__ = ["count_keys", "duplicate_keys", "warnings"]

_BOM = b"\xef\xbb\xbf"
# So many of each kind are told one by one.
_MOST = 10
_RUN = 64
_COLONS = rb'(?:(?:[^":]++|%s)*+:)' % TEXT.encode()
_COLON = re.compile(_COLONS, re.DOTALL)
_COLON_RUN = re.compile(_COLONS + rb"{%d}+" % _RUN, re.DOTALL)
_KEY = rf'(?:[^"{{}}\[\]]++|{TEXT}(?!\s*+:))*+(?:([{{}}\[\]])|({TEXT})\s*+:)'
# Tab and line breaks are at home in a text, all other control characters are not.
_CODE = r"u00(?:0[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF]|[89][0-9a-fA-F])|[bf]"
_CONTROL = rf"(?:[^\\\x7f-\x9f]++|\\(?!{_CODE}).)*+(\\(?:{_CODE})|[\x7f-\x9f])"
_MAY_CONTROL = re.compile(rb"\\u00[01789]|\\[bf]|\x7f|\xc2[\x80-\x9f]")
_IN_KEY = re.compile("[\x00-\x1f\x7f-\x9f]")
_TINY = rf'(?:[^"\d]++|{TEXT}|\d(?![\d.]*+[eE]-\d{{3}})(?!\.0{{300}})[\d.eE+-]*+)*+(\d[\d.eE+-]*+)'
_MAY_TINY = re.compile(rb"[eE]-[0-9]{3}|0\.0{300}")


class _Odd:
    """What was found odd: the first of each kind with their places, and how many there are."""

    def __init__(self) -> None:
        self._first: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._next: dict[str, int] = {}
        self._count: dict[str, int] = defaultdict(int)

    def add(self, name: str, at: int, what: str) -> None:
        """Note one more at a place."""
        self._count[name] += 1
        if self._count[name] <= _MOST:
            self._first[name].append((at, what))
        else:
            self._next.setdefault(name, at)

    def told(self, text: str, file: str) -> list[Problem]:
        """Put it in words, in the text's order."""
        found = [(at, sentence(name, _shown(name, what))) for name, ones in self._first.items() for at, what in ones]
        found += [(at, sentence("more", self._count[name] - _MOST)) for name, at in self._next.items()]
        return [Problem(file, *place(text, at), message, "warning") for at, message in sorted(found)]


def warnings(data: bytes, file: str = "", *, value: Json = None) -> list[Problem]:
    """List what is odd in the text of a file, in its order; ten of a kind, then how many more.

    Args:
        data: The file's bytes; text that does not parse has an error instead.
        file: The name that the problems give it.
        value: What it was read as, where that is known already.
    """
    body = data.removeprefix(_BOM)
    kinds = _kinds_in_keys(body, value)
    if kinds is None:
        return []
    controls, tiny = _MAY_CONTROL.search(body), _MAY_TINY.search(body)
    if not (kinds or controls or tiny):
        return []
    text = body.decode()
    odd = _Odd()
    spans = _in_keys(text, kinds, odd) if kinds else []
    if controls:
        _controls(text, spans, odd)
    if tiny:
        _tiny(text, odd)
    return odd.told(text, file)


def duplicate_keys(data: bytes, file: str = "") -> list[Problem]:
    """List keys that stand twice in one object; the parser silently keeps the last (reliability.md 0.6).

    Args:
        data: The file's bytes; text that does not parse has no duplicates.
        file: The name that the problems give it.
    """
    body = data.removeprefix(_BOM)
    if "twice" not in (_kinds_in_keys(body, None) or ()):
        return []
    text = body.decode()
    odd = _Odd()
    _in_keys(text, {"twice"}, odd)
    return odd.told(text, file)


def count_keys(body: bytes) -> int:
    """Count the colons outside of texts, of which each key has one; without a byte order mark."""
    count = here = 0
    while found := _COLON_RUN.match(body, here):
        count, here = count + _RUN, found.end()
    while found := _COLON.match(body, here):
        count, here = count + 1, found.end()
    return count


def _shown(name: str, what: str) -> str:
    if name == "control":
        mark = json.loads(f'"{what}"')
        return f"U+{ord(mark):04X}"
    if name == "tiny":
        return what if len(what) <= _RUN else f"{what[:_RUN]}…"
    return repr(what)


def _kinds_in_keys(body: bytes, value: Json) -> set[str] | None:
    """Tell without looking for places what is odd among the keys; None when the text does not parse."""
    try:
        value = orjson.loads(body) if value is None else value
    except orjson.JSONDecodeError:
        return None
    plain = body.isascii() and b"\\" not in body and b"\x7f" not in body
    kinds = set()
    members = 0
    todo: list[Json] = [value]
    while todo:
        here = todo.pop()
        if isinstance(here, dict):
            members += len(here)
            if not plain:
                kinds |= _odd_among(here)
            todo += [item for item in here.values() if isinstance(item, dict | list)]
        elif isinstance(here, list):
            todo += [item for item in here if isinstance(item, dict | list)]
    return {*kinds, "twice"} if members < count_keys(body) else kinds


def _odd_among(keys: dict[str, Json]) -> set[str]:
    together = "".join(keys)
    found = {"control-key"} if _IN_KEY.search(together) else set()
    if not together.isascii() and len({_composed(key) for key in keys}) < len(keys):
        found.add("twins")
    return found


def _composed(key: str) -> str:
    from unicodedata import normalize  # noqa: PLC0415 -- keeps start-up fast

    return normalize("NFC", key)


def _keys(text: str) -> Iterator[tuple[int, int, str, dict[str, str]]]:
    """Find every key: where it begins and ends, what it is, and a dictionary that the keys of its object share."""
    shared: list[dict[str, str]] = []
    here = 0
    pattern = compiled(_KEY)
    while found := pattern.match(text, here):
        here = found.end()
        if not found[1]:
            start, end = found.span(2)
            raw = text[start:end]
            yield start, end, json.loads(raw) if "\\" in raw else raw[1:-1], shared[-1]
        elif found[1] in "{[":
            shared.append({})
        else:
            shared.pop()


def _in_keys(text: str, kinds: set[str], odd: _Odd) -> list[tuple[int, int]]:
    """Find the places of what is odd among keys; return where the keys with control characters stand."""
    spans = []
    for start, end, key, seen in _keys(text):
        same = key if key.isascii() or "twins" not in kinds else _composed(key)
        if same not in seen:
            seen[same] = key
        elif seen[same] == key:
            odd.add("twice", start, key)
        elif "twins" in kinds:
            odd.add("twins", start, key)
        if "control-key" in kinds and _IN_KEY.search(key):
            spans.append((start, end))
            odd.add("control-key", start, key)
    return spans


def _controls(text: str, keys: list[tuple[int, int]], odd: _Odd) -> None:
    """Find control characters in texts that are no keys."""
    here = 0
    left = iter(keys)
    start, end = next(left, (len(text), len(text)))
    pattern = compiled(_CONTROL)
    while found := pattern.match(text, here):
        here, at = found.end(), found.start(1)
        while end <= at:
            start, end = next(left, (len(text), len(text)))
        if at < start:
            odd.add("control", at, found[1])


def _tiny(text: str, odd: _Odd) -> None:
    """Find numbers that count as 0 although they are not."""
    here = 0
    pattern = compiled(_TINY)
    while found := pattern.match(text, here):
        here, number = found.end(), found[1]
        if float(number) == 0 and number.lstrip("0.")[:1].isdigit():
            odd.add("tiny", found.start(1), number)
