"""Files as their owner may break them: each kind with the line, or one of the lines, where a person would look."""

from __future__ import annotations

from dataclasses import dataclass

from tests.faults.drivers.payload import payload

__all__ = ["KINDS", "Kind", "good"]


def good(number: int) -> bytes:
    """Return a whole module that holds a payload."""
    return "\n".join(
        [
            "{",
            '  "metadata": {},',
            '  "data": {',
            f'    "text": "{payload(number, 300)}",',
            '    "number": 41,',
            '    "list": [1, 2, 3],',
            '    "inner": {"a": {"b": null}}',
            "  }",
            "}",
            "",
        ]
    ).encode()


_GOOD = good(1)
_TEXT = payload(1, 300).encode()


@dataclass(frozen=True)
class Kind:
    """One way to break a file.

    Attributes:
        name: What happened.
        content: The bytes that the owner saved.
        lines: Where the error may be said to be; empty when any line will do.
    """

    name: str
    content: bytes
    lines: tuple[int, ...] = ()


def _instead(name: str, old: bytes, new: bytes, *lines: int) -> Kind:
    assert _GOOD.count(old) == 1, name
    return Kind(name, _GOOD.replace(old, new), lines)


def _number(name: str, value: bytes) -> Kind:
    return _instead(name, b'"number": 41,', b'"number": ' + value + b",", 5)


def _key(name: str, key: bytes) -> Kind:
    return _instead(name, b'"number": 41,', key + b" 41,", 5)


def _text(name: str, text: bytes, *lines: int) -> Kind:
    return _instead(name, b'"' + _TEXT + b'"', text, *(lines or (4,)))


_DEEP = b"[" * 80 + b"]" * 80

KINDS: tuple[Kind, ...] = (
    _instead("a comma is missing", b"41,", b"41", 5, 6),
    _instead("a comma stands twice", b"41,", b"41,,", 5),
    _instead("a comma after the last key", b"null}}", b"null}},", 7, 8),
    _instead("a comma after the last item", b"3]", b"3,]", 6),
    _instead("a decimal comma", b"41,", b"41,5,", 5),
    _key("a colon is missing", b'"number"'),
    _key("a colon stands twice", b'"number"::'),
    _key("an equals sign for the colon", b'"number" ='),
    _key("an arrow for the colon", b'"number" =>'),
    _key("single quotes", b"'number':"),
    _key("typographic quotes", "“number”:".encode()),
    _key("a key without quotes", b"number:"),
    _key("a number for a key", b"7:"),
    _number("a bare word", b"yes"),
    _number("a capital letter", b"True"),
    _number("None", b"None"),
    _number("undefined", b"undefined"),
    _number("not a number", b"NaN"),
    _number("infinity", b"Infinity"),
    _number("minus infinity", b"-Infinity"),
    _number("a plus sign", b"+41"),
    _number("a leading zero", b"041"),
    _number("hexadecimal", b"0x29"),
    _number("a lone minus", b"-"),
    _number("a point first", b".5"),
    _number("a point last", b"41."),
    _number("an exponent without digits", b"41e"),
    _number("an underscore between digits", b"4_1"),
    _number("a number beyond 2^53", b"9007199254740993"),
    _number("a number beyond 2^64", b"18446744073709551617"),
    _number("a number beyond all bounds", b"1e999"),
    _number("nothing for a value", b""),
    _text("a text that does not end", b'"' + _TEXT, 4, 5),
    _text("a line break in a text", b'"first\nsecond"', 4, 5),
    _text("a tab in a text", b'"first\tsecond"'),
    _text("a control character in a text", b'"first\x01second"'),
    _text("an escape that does not exist", b'"C:\\xyz"'),
    _text("half an escape", b'"\\u12"'),
    _text("half a character", b'"\\ud800"'),
    _text("a byte that is not UTF-8", b'"caf\xe9"'),
    _instead("a list that does not end", b"3]", b"3", 6, 7),
    _instead("a bracket too many", b"3]", b"3]]", 6),
    _instead("a brace for a bracket", b"3]", b"3}", 6),
    _instead("a brace is missing at the end", b"\n}\n", b"\n"),
    _instead("a brace too many at the end", b"\n}\n", b"\n}}\n", 9),
    _instead("two documents", b"\n}\n", b"\n}\n{}\n", 9, 10),
    _instead("words after the end", b"\n}\n", b"\n}\nthe end\n", 9, 10),
    Kind("words before the beginning", b"hello " + _GOOD, (1,)),
    _instead("a comment with slashes", b'    "list"', b'    // mine\n    "list"', 6),
    _instead("a comment with stars", b'    "list"', b'    /* mine */\n    "list"', 6),
    _instead("a comment with a hash", b'    "list"', b'    # mine\n    "list"', 6),
    _instead(
        "the marks of a merge",
        b'    "list"',
        b'<<<<<<< HEAD\n    "n": 1,\n=======\n    "n": 2,\n>>>>>>> theirs\n    "list"',
        6,
    ),
    _instead("nested too deep", b"[1, 2, 3]", _DEEP, 6),
    Kind("half of the file", _GOOD[: len(_GOOD) // 2]),
    Kind("the first byte alone", b"{"),
    Kind("an empty file", b""),
    Kind("spaces alone", b"   \n  \n"),
    Kind("zero bytes at the end", _GOOD + b"\0" * 64, (10,)),
    Kind("zero bytes alone", b"\0" * 512, (1,)),
    Kind("UTF-16", _GOOD.decode().encode("utf-16"), (1,)),
    Kind("a list at the top", b"[1, 2, 3]\n", (1,)),
    Kind("a text at the top", b'"hello"\n', (1,)),
    Kind("a web page", b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n", (1,)),
    Kind("YAML", b"metadata: {}\ndata:\n  text: hello\n", (1,)),
)
