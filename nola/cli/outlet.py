"""Gives whole documents out: to a file that nothing else is in the place of, or exactly as they are on stdout."""

import sys
from pathlib import Path

from nola.cli import output
from nola.errors import NolaError

__all__ = ["STREAM", "check_free", "print_exactly", "write_file"]

STREAM = "-"
"""The name of stdin and stdout in place of a file."""


def check_free(path: Path, *, force: bool) -> None:
    """Make sure that a file may be written.

    Raises:
        NolaError: Something is there, and it may not be replaced or is no file.
    """
    if (path.exists() or path.is_symlink()) and not force:
        raise NolaError(f"{path} is there already", fix="choose another name, or add --force to replace it")
    if path.exists() and not path.is_file():
        raise NolaError(f"{path} is no regular file", fix="give the name of a file")


def print_exactly(text: bytes) -> None:
    """Print exactly these bytes, unless a terminal has to be protected from them."""
    if output.on_terminal(sys.stdout):
        output.write(text.decode(), end="")
        return
    output.flush()
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def write_file(path: Path, text: bytes, *, as_json: bool) -> None:
    """Write a file that its owner alone can read, and tell of it."""
    from nola.files import write_atomic  # noqa: PLC0415 -- keeps start-up fast

    write_atomic(path, text, follow=True)
    if as_json:
        output.document({"file": str(path), "bytes": len(text)})
    else:
        output.say(f"wrote {path} ({output.size(len(text))}), readable for you alone")
