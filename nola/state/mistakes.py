"""Finds what is wrong with a text that does not parse, and says it in words that help to mend it."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from nola.state.verdicts import sentence

__all__ = ["TEXT", "Mistake", "compiled", "mistake", "place", "too_deep"]

# A JSON text in its quotes, as a pattern; it never steps back, so that no file makes it slow.
TEXT = r'"(?:[^"\\]++|\\.)*+"'
_BRACE = rf'(?:[^"{{}}\[\]]++|{TEXT})*+([{{}}\[\]])'
_NO_BRACE = rf'(?:[^"]++|{TEXT})*+'
_BLANK = " \t\r\n"
_LATER = r"[ \t\r\n]*+(.?)"
_WORD = r"[\w.+-]*+"
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_ODD_NUMBER = r"[+.-]*[^\d+.-]"
_HALF = r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")
_COMMENT = ("//", "/*", "#")
_QUOTES = "'`´‘’‚“”„«»"  # noqa: RUF001 -- they are what is looked for
_NOT_FINITE = {"nan", "inf", "infinity"}
_WORDS = {"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null", "undefined": "null"}
_SHORTEST = 3
_LONGEST = 40
_FARTHEST = 1000


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: most files are sound, and a start waits for none of it."""
    return re.compile(pattern, re.DOTALL)


class Mistake(NamedTuple):
    """What is wrong with a text.

    Attributes:
        at: Where, in characters from the start.
        why: In words.
    """

    at: int
    why: str


class _Spot(NamedTuple):
    """The place at which a parser gave up, and what leads up to it.

    Attributes:
        text: The whole text.
        at: The place.
        said: What the parser said.
        opened: Where the objects and lists around the place begin, outermost first.
        quote: Where the text around the place begins, -1 outside of texts.
        start: Where the word at the place begins.
        word: The number or word at the place, quotes not counted.
        before: The last character before it that is not blank; empty at the start.
    """

    text: str
    at: int
    said: str
    opened: list[int]
    quote: int
    start: int
    word: str
    before: str

    @property
    def here(self) -> str:
        """The character at the place; empty at the end."""
        return self.text[self.at : self.at + 1]

    @property
    def wants_key(self) -> bool:
        """Whether a key has to stand here."""
        return self.before == "{" or (self.before == "," and self._opened_by == "{")

    @property
    def wants_value(self) -> bool:
        """Whether a value has to stand here."""
        return self.before in ("", ":", "[") or (self.before == "," and self._opened_by == "[")

    @property
    def _opened_by(self) -> str:
        return self.text[self.opened[-1]] if self.opened else ""


def mistake(text: str, at: int, said: str, max_depth: int) -> Mistake:
    """Find what is wrong with a text at the place where the parser gave up.

    Args:
        text: The text, without a byte order mark.
        at: The place, in characters from the start; what is before it is sound.
        said: What the parser said.
        max_depth: Most objects and lists inside one another.
    """
    if not text.strip(_BLANK):
        return Mistake(0, sentence("blank" if text else "empty"))
    opened, quote = _lead(text, at, max_depth)
    if len(opened) > max_depth:
        return Mistake(opened[-1], sentence("deep", max_depth))
    spot = _spot(text, at, said, opened, quote)
    checks = (_cut_off, _in_text, _merge, _comment, _odd_word, _colon, _comma, _closing, _missing)
    found = next((found for check in checks if (found := check(spot))), None)
    return found or Mistake(at, sentence("stray", _named(spot.here)))


def too_deep(text: str, max_depth: int) -> Mistake | None:
    """Find where objects and lists stand deeper inside one another than they may."""
    opened, _ = _lead(text, len(text), max_depth)
    return Mistake(opened[-1], sentence("deep", max_depth)) if len(opened) > max_depth else None


def place(text: str, at: int) -> tuple[int, int]:
    """Return line and column of a character, counted from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _lead(text: str, at: int, max_depth: int) -> tuple[list[int], int]:
    """List what is open at a place, up to one level too many, and where the text around it begins."""
    brace = compiled(_BRACE)
    opened: list[int] = []
    here = 0
    while found := brace.match(text, here, at):
        here = found.end()
        if found[1] in "{[":
            opened.append(here - 1)
        elif opened:
            opened.pop()
        if len(opened) > max_depth:
            break
    rest = compiled(_NO_BRACE).match(text, here, at)
    end = rest.end() if rest else at
    return opened, end if end < at else -1


def _spot(text: str, at: int, said: str, opened: list[int], quote: int) -> _Spot:
    start = at
    while start > max(at - _FARTHEST, 0) and compiled(_WORD).fullmatch(text[start - 1]):
        start -= 1
    word = _word(text, start)
    if start + len(word) == at and _is_sound(word):
        start, word = at, ""
    return _Spot(text, at, said, opened, quote, start, word, text[:start].rstrip(_BLANK)[-1:])


def _word(text: str, start: int) -> str:
    found = compiled(_WORD).match(text, start)
    return found[0] if found else ""


def _is_sound(word: str) -> bool:
    return bool(compiled(_NUMBER).fullmatch(word)) or word in _WORDS.values()


def _cut_off(spot: _Spot) -> Mistake | None:
    if spot.here:
        return None
    if spot.quote >= 0:
        return Mistake(spot.quote, sentence("open-text"))
    if not spot.opened:
        return Mistake(spot.at, sentence("other", spot.said))
    last = spot.opened[-1]
    return Mistake(spot.at, sentence("open", _named(spot.text[last]), *place(spot.text, last)))


def _in_text(spot: _Spot) -> Mistake | None:
    if spot.quote < 0:
        return None
    if spot.here in "\r\n":
        return Mistake(spot.at, sentence("break"))
    if spot.here < " ":
        return Mistake(spot.at, sentence("raw", f"\\u{ord(spot.here):04x}"))
    half = compiled(_HALF).match(spot.text, spot.at)
    return Mistake(spot.at, sentence("half", half[0]) if half else sentence("escape"))


def _merge(spot: _Spot) -> Mistake | None:
    line = spot.text.rfind("\n", 0, spot.at) + 1
    return Mistake(line, sentence("conflict")) if spot.text.startswith(_CONFLICT, line) else None


def _comment(spot: _Spot) -> Mistake | None:
    if spot.text.startswith(_COMMENT, spot.at):
        return Mistake(spot.at, sentence("comment"))
    return Mistake(spot.at, sentence("quotes")) if spot.here in _QUOTES else None


def _odd_word(spot: _Spot) -> Mistake | None:
    """Judge a word where a value may stand."""
    if not spot.word or not (spot.wants_value or spot.start < spot.at):
        return None
    word = _short(spot.word)
    if spot.word.lstrip("+-").lower() in _NOT_FINITE:
        return Mistake(spot.start, sentence("nan", word))
    if _is_sound(spot.word):
        return Mistake(spot.start, sentence("wide") if spot.word.lstrip("-").isdecimal() else sentence("huge", word))
    if not compiled(_ODD_NUMBER).match(spot.word):
        return Mistake(spot.start, sentence("number", word))
    meant = [right for wrong, right in _WORDS.items() if _is_meant(spot.word.lower(), wrong)]
    return Mistake(spot.start, sentence("word", word, meant[0]) if meant else sentence("bare", word))


def _is_meant(word: str, known: str) -> bool:
    return word == known or (len(word) >= _SHORTEST and known.startswith(word))


def _colon(spot: _Spot) -> Mistake | None:
    return Mistake(spot.at, sentence("colon")) if "':'" in spot.said else None


def _comma(spot: _Spot) -> Mistake | None:
    if spot.here != ",":
        return None
    if spot.before == ":":
        return Mistake(spot.at, sentence("value"))
    later = compiled(_LATER).match(spot.text, spot.at + 1)
    closing = later[1] if later else ""
    if spot.before not in tuple(",[{") and closing and closing in "]}":
        return Mistake(spot.at, sentence("trailing-comma", _named(closing)))
    return Mistake(spot.at, sentence("comma"))


def _closing(spot: _Spot) -> Mistake | None:
    if spot.here not in "]}":
        return None
    if spot.before == ":":
        return Mistake(spot.at, sentence("value"))
    if not spot.opened:
        return Mistake(spot.at, sentence("closed", _named(spot.here)))
    last = spot.opened[-1]
    return Mistake(spot.at, sentence("crossed", _named(spot.here), _named(spot.text[last]), *place(spot.text, last)))


def _missing(spot: _Spot) -> Mistake | None:
    """Name what has to stand before a value, or around a key."""
    if not spot.word and spot.here not in '"{[':
        return None
    if spot.wants_key:
        return Mistake(spot.at, sentence("bare-key", _short(spot.word)) if spot.word else sentence("key"))
    if not spot.opened:
        return Mistake(spot.at, sentence("second"))
    inside = spot.before == '"' and spot.word and not compiled(_NUMBER).fullmatch(spot.word)
    return Mistake(spot.at, sentence("quote" if inside else "missing-comma"))


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST else f"{word[:_LONGEST]}…"


def _named(mark: str) -> str:
    """Name a character: itself in quotes, or by its number where it can't be seen or told apart."""
    return f'"{mark}"' if mark.isascii() and mark.isprintable() else f"the character U+{ord(mark):04X}"
