"""How messages come in: from an argument or from stdin, checked before anything else sees them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nola.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["checked", "stdin_lines", "whole_stdin"]


def checked(text: str | bytes, limit: int, *, may_be_empty: bool = False) -> str:
    """Return a message without the white space around it.

    Args:
        text: What came in; text that could not be decoded holds lone surrogates.
        limit: The most bytes that it may have.
        may_be_empty: Whether saying nothing is a message too.

    Raises:
        InputError: It is empty, too long, or no text.
    """
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    if len(raw) > limit:
        raise InputError(
            f"the message has more than {limit:,} bytes",
            fix="shorten it, or raise the limit: nola config set chat.max_bytes N",
        )
    try:
        message = raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise InputError("the message is no text: it is not UTF-8", fix="give plain text") from None
    if "\0" in message:
        raise InputError("the message is no text: it holds zero bytes", fix="give plain text")
    if not (message or may_be_empty):
        raise InputError("the message is empty", fix='say something, for example: nola chat "Good morning"')
    return message


def whole_stdin(limit: int, *, may_be_empty: bool = False) -> str:
    """Read stdin to its end as one message.

    Raises:
        InputError: As `checked`.
    """
    return checked(sys.stdin.buffer.read(limit + 1), limit, may_be_empty=may_be_empty)


def stdin_lines(limit: int) -> Iterator[str]:
    """Read stdin line by line, each a message; blank lines are skipped.

    Raises:
        InputError: A line is too long or no text.
    """
    while line := sys.stdin.buffer.readline(limit + 2):
        if line.strip():
            yield checked(line.rstrip(b"\r\n"), limit)
