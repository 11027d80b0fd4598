"""The command line: one file per noun; this one only starts it, and answers at once what needs no more."""

from __future__ import annotations

import sys

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run `nola` with the process's arguments and exit."""
    if sys.argv[1:] == ["--version"]:
        from nola import __version__  # noqa: PLC0415 -- keeps start-up fast

        sys.stdout.write(f"nola {__version__}\n")
        return
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a sign shows another, and nothing breaks
    try:
        _run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after the command itself, which has its own way with it
        sys.exit(_INTERRUPTED)


def _run(arguments: list[str]) -> None:
    from nola.cli.quick import answer  # noqa: PLC0415 -- keeps start-up fast

    code = answer(arguments)
    if code is not None:
        sys.exit(code)
    from nola.cli.assembly import assemble  # noqa: PLC0415 -- keeps start-up fast

    assemble(arguments[:1])(prog_name="nola")
