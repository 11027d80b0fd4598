"""The command line: one file per noun; this one only starts it."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run `nola` with the process's arguments and exit."""
    if sys.argv[1:] == ["--version"]:
        from nola import __version__  # noqa: PLC0415 -- keeps start-up fast

        sys.stdout.write(f"nola {__version__}\n")
        return
    from nola.cli.root import app  # noqa: PLC0415 -- keeps start-up fast

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a sign shows another, and nothing breaks
    app(prog_name="nola")
