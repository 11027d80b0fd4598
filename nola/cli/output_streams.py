"""The process's three streams as they may be found: closed, broken, full, or in an encoding that lacks letters."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import sys
from typing import TYPE_CHECKING, TextIO

from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BROKEN_PIPE", "ERRORS", "flush", "mend", "mute", "put", "put_aside", "spelled"]

BROKEN_PIPE = 141
"""The exit code of a program whose reader went away, as a shell tells it: 128 + SIGPIPE."""

ERRORS = "nola-spelled"
"""The name under which Python's encoders find `spelled`."""

_BYTES = 0xDC00
_LOW_BYTE, _HIGH_BYTE = 0xDC80, 0xDCFF
_PLAIN = str.maketrans(
    {
        **dict(zip("▁▂▃▄▅▆▇█", ".:-=+*#@", strict=True)),
        **dict.fromkeys("’‘", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("–—−·", "-"),
        "…": "...",
        "→": "->",
        "×": "x",
    }
)


def mend() -> bool:
    """Make stdin, stdout and stderr usable, whatever they are; return whether stdout leads anywhere.

    A stream that was closed before the process began is None, and its number would go to the next file that is
    opened: what a child prints would land in the owner's data. Signs that an encoding lacks are spelled out.
    """
    whole = sys.stdout is not None
    for number in range(3):
        _occupy(number)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 -- as open as the process
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    codecs.register_error(ERRORS, spelled)
    _set_errors((sys.stdout, sys.stderr), ERRORS)
    _set_errors((sys.stdin,), "surrogateescape")  # so that what is no text is refused as a message, and not as a crash
    return whole


def put(text: str) -> None:
    """Write on stdout.

    Raises:
        SystemExit: Whoever read it is gone.
        NolaError: It can't be written to, for example because the disk is full.
    """
    try:
        sys.stdout.write(text)
    except OSError as error:
        _give_up(error)


def flush() -> None:
    """Hand on what was written on stdout. Raises as `put` does."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _give_up(error)


def put_aside(text: str) -> None:
    """Write on stderr at once, after what is on stdout; when nobody can read it, it is lost."""
    flush()
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        mute(sys.stderr)


def mute(stream: TextIO) -> None:
    """Send what a stream still holds, and everything after it, nowhere, so that leaving it does not fail again."""
    with contextlib.suppress(OSError, ValueError):  # a stream of a test's own has no number
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)  # writes: nothing is kept there
        os.dup2(nowhere, number)
        os.close(nowhere)


def spelled(error: UnicodeError) -> tuple[str | bytes, int]:
    r"""Spell signs that an encoding lacks: bars and quotes plainly, letters as escapes, stray bytes as they were.

    Args:
        error: What an encoder says about them.

    Returns:
        What to write in place of the first of them, and where to go on.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    if _LOW_BYTE <= ord(sign) <= _HIGH_BYTE:
        return bytes((ord(sign) - _BYTES,)), error.start + 1
    plain = sign.translate(_PLAIN)
    if plain == sign:
        plain = sign.encode("ascii", "backslashreplace").decode()
    return plain, error.start + 1


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # writes: nothing is kept there  # noqa: FBT003


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # writes: nothing is kept there  # noqa: PTH123


def _set_errors(streams: Iterable[TextIO], errors: str) -> None:
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)


def _give_up(error: OSError) -> None:
    mute(sys.stdout)
    if error.errno == errno.EPIPE:
        raise SystemExit(BROKEN_PIPE) from None
    raise NolaError(
        f"stdout can't be written to: {error.strerror or error}", fix="free space there, or send it elsewhere"
    ) from error
