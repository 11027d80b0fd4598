"""The table of verdicts: what becomes of each kind of JSON text, and the sentence in which a person is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["LOADS", "REFUSED", "VERDICTS", "WARNED", "Fate", "Verdict", "sentence"]

Fate: TypeAlias = Literal["loads", "loads, with a warning", "refused"]
"""What becomes of a text."""

LOADS: Fate = "loads"
WARNED: Fate = "loads, with a warning"
REFUSED: Fate = "refused"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of one kind of JSON text.

    Attributes:
        name: A short name of the case, for tests and for the page that prints the table.
        what: The case, in words.
        verdict: Whether the text loads.
        sentence: What is said; words in braces are filled in. For a text that loads, how it is read.
        placed: Whether line and column are told.
    """

    name: str
    what: str
    verdict: Fate
    sentence: str
    placed: bool = True


def _loads(name: str, what: str, sentence: str) -> Verdict:
    return Verdict(name, what, LOADS, sentence, placed=False)


def _warned(name: str, what: str, sentence: str) -> Verdict:
    return Verdict(name, what, WARNED, sentence)


def _refused(name: str, what: str, sentence: str, *, placed: bool = True) -> Verdict:
    return Verdict(name, what, REFUSED, sentence, placed)


_SHAPE = (
    _refused("empty", "an empty file", "the file is empty"),
    _refused("blank", "nothing but white space", "the file holds nothing but white space"),
    _refused(
        "top", "a list, text or number at the top level of a file", "the top level has to be an object, in braces"
    ),
    _refused(
        "bytes", "more bytes than `state.max_bytes`", "{0:,} bytes are more than the limit of {1:,}", placed=False
    ),
    _refused(
        "crowd",
        "more than 200,000 objects and lists",
        "{0:,} objects and lists are more than the limit of {1:,}",
        placed=False,
    ),
    _refused(
        "keys",
        "more than 200,000 keys, a million too",
        "{0:,} keys are more than the limit of {1:,}",
        placed=False,
    ),
    _refused(
        "deep", "objects and lists deeper than `state.max_depth` (65, 1,024, 100,000)", "nested deeper than {0} levels"
    ),
    _loads("large", "a text of 5 MB, 200,000 keys, a million numbers", "as it is, while the file keeps to its limit"),
)

_NUMBERS = (
    _refused(
        "wide",
        "a whole number beyond 2^53, 400 digits too",
        "a whole number beyond 2^53 loses digits; write it as text",
    ),
    _refused("huge", "a number beyond 1.8e308, as 1e999", "{0} is too large a number; write it as text"),
    _warned("tiny", "a number too near 0, as 1e-999", "{0} is too small a number and counts as 0"),
    _refused("nan", "NaN, Infinity, -Infinity", "{0} is no JSON number; write null or leave the key out"),
    _refused("number", "`01`, `+1`, `.5`, `1.`, `0x1F`, `1_000`", "{0} is not how JSON writes a number"),
    _loads("zero", "-0 and -0.0", "-0 as 0, -0.0 as -0.0; the text stays"),
    _loads("digits", "1.50, 1e3, more digits than a number keeps", "as the nearest number; the text stays"),
)

_ENCODINGS = (
    _loads("bom", "UTF-8 with a byte order mark", "as without one; it stays"),
    _refused("wide-text", "UTF-16 and UTF-32, with or without a byte order mark", "this is {0} text; save it as UTF-8"),
    _refused("utf-8", "a byte that is not UTF-8, and a file cut off inside a character", "a byte that is not UTF-8"),
    _refused(
        "padding",
        "NUL bytes to the end, as a power cut leaves them",
        "NUL bytes ({0:,}) from here to the end, as after a power cut; delete them, or take back an older version",
    ),
    _refused("nul", "a NUL byte elsewhere", "a NUL byte, which no text has"),
    _refused(
        "break", "a line break inside a text", 'this line ends inside a text: a " is missing, or write the break as \\n'
    ),
    _refused("raw", "another control character inside a text", "a control character inside a text; write it as {0}"),
    _refused(
        "stray",
        "a character in a place where JSON has none, as `;` or a no-break space",
        "{0} has no place here",
    ),
)

_TEXTS = (
    _refused("half", r"half a character: `\ud800`", "{0} is half a character (a lone surrogate); delete it"),
    _refused(
        "escape",
        r"a backslash that begins no escape, as in `C:\x`",
        r"this backslash begins no escape; write \\ for a backslash",
    ),
    _warned(
        "control",
        r"`\u0000` and other control characters in a text, but tab and line breaks",
        "the text holds the control character {0}",
    ),
    _warned("control-key", "a control character in a key", "the key {0} holds a control character"),
    _warned(
        "twice",
        r"a key that stands twice in an object, `\u0061` for `a` too",
        "the key {0} stands twice; only the last one counts",
    ),
    _warned(
        "twins",
        "keys that look the same but differ in their Unicode form (NFC)",
        "the key {0} looks like another one here, but is written with other characters; both count",
    ),
    _warned("more", "more than ten of one kind of warning", "and {0:,} more like this one"),
    _loads("case", "keys that differ in case only", "as two keys"),
)

_MISTAKES = (
    _refused(
        "trailing-comma",
        "a comma before the end of an object or list",
        "trailing comma: the comma before {0} is one too many",
    ),
    _refused("comma", "two commas, or one in front", "a comma too many, or a value is missing before it"),
    _refused("missing-comma", "no comma between two values", "a comma is missing before this"),
    _refused(
        "quote", "a quote inside a text", r'a comma is missing before this, or the text has a " inside: write it as \"'
    ),
    _refused("colon", "no colon behind a key", "a colon is missing behind the key"),
    _refused("value", "no value behind a colon", "the value is missing behind the colon"),
    _refused("key", "a value where a key has to be", "a key and a colon are missing before this"),
    _refused("comment", "a comment", "JSON has no comments; delete it"),
    _refused("quotes", "single or curly quotes", 'JSON takes only straight double quotes, "like this"'),
    _refused("bare-key", "a key without quotes", 'the key {0} has to stand in double quotes: "{0}"'),
    _refused("bare", "a text without quotes", 'the text {0} has to stand in double quotes: "{0}"'),
    _refused("word", "True, None, undefined", "JSON writes {1}, not {0}"),
    _refused(
        "open-text",
        "a text that is never closed, and a file cut off there",
        'the text that begins here is never closed: a " is missing',
    ),
    _refused(
        "open",
        "an object or list that is never closed, and a file cut off there",
        "the file ends here, but {0} of line {1}, column {2} is still open",
    ),
    _refused("crossed", "`{` closed by `]`, or `[` by `}`", "{0} does not close the {1} of line {2}, column {3}"),
    _refused("closed", "a closing `}` or `]` too many", "{0} is one too many: nothing is open here"),
    _refused("second", "two documents in one file", "a file holds one value; here a second one begins"),
    _refused(
        "conflict",
        "the marks of a merge: `<<<<<<<`",
        "a version control could not merge here; keep one of the two sides",
    ),
    _refused("other", "anything else that is no JSON", "{0}"),
)

VERDICTS = (*_SHAPE, *_NUMBERS, *_ENCODINGS, *_TEXTS, *_MISTAKES)
_BY_NAME = {row.name: row for row in VERDICTS}


def sentence(name: str, *values: object) -> str:
    """Return what is said of a case, with its values filled in."""
    return _BY_NAME[name].sentence.format(*values)
