"""The command line: one file per noun; this one only starts it, and answers at once what needs no more."""

from __future__ import annotations

import sys

__all__ = ["main"]

_INTERRUPTED = 130
_KILLED = 128


def main() -> None:
    """Run `nola` with the process's arguments and exit."""
    if sys.argv[1:] == ["--version"]:
        from nola import __version__  # noqa: PLC0415 -- keeps start-up fast

        sys.stdout.write(f"nola {__version__}\n")
        return
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a sign shows another, and nothing breaks
    _heed_endings()
    try:
        _run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after the command itself, which has its own way with it
        sys.exit(_INTERRUPTED)


def _heed_endings() -> None:
    """End at SIGTERM and SIGHUP as at a plain exit: what was said so far is stored, and no child is left behind."""
    import signal  # noqa: PLC0415 -- keeps start-up fast

    endings = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

    def end(number: int, _: object) -> None:
        for other in endings:  # a shell passes the hang-up of its terminal on, so it comes twice
            signal.signal(other, signal.SIG_IGN)
        sys.exit(_KILLED + number)

    for number in endings:
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup stays nohup
            signal.signal(number, end)


def _run(arguments: list[str]) -> None:
    from nola.cli.quick import answer  # noqa: PLC0415 -- keeps start-up fast

    code = answer(arguments)
    if code is not None:
        sys.exit(code)
    from nola.cli.assembly import assemble  # noqa: PLC0415 -- keeps start-up fast

    assemble(arguments[:1])(prog_name="nola")
