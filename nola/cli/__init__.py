"""The command line: one file per noun; this one only starts it, and answers at once what needs no more."""

from __future__ import annotations

import sys

__all__ = ["main"]

_INTERRUPTED = 130
_KILLED = 128


def main() -> None:
    """Run `nola` with the process's arguments and exit."""
    from nola.cli import output_streams as streams  # noqa: PLC0415 -- keeps start-up fast

    if not streams.mend():
        streams.put_aside("nola: stdout is closed; send it to a file or a pipe\n")
        sys.exit(1)
    _heed_endings()
    try:
        sys.exit(_run(sys.argv[1:]))
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


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        return _tell_version()
    from nola.cli.quick import answer  # noqa: PLC0415 -- keeps start-up fast

    code = answer(arguments)
    if code is not None:
        return code
    from nola.cli.assembly import COMMANDS, assemble  # noqa: PLC0415 -- keeps start-up fast
    from nola.cli.command import run  # noqa: PLC0415 -- keeps start-up fast

    return run(assemble(arguments[:1]), arguments, COMMANDS)


def _tell_version() -> int:
    from nola import __version__  # noqa: PLC0415 -- keeps start-up fast
    from nola.cli import output_streams as streams  # noqa: PLC0415 -- keeps start-up fast
    from nola.errors import NolaError  # noqa: PLC0415 -- keeps start-up fast

    try:
        streams.put(f"nola {__version__}\n")
        streams.flush()
    except NolaError as error:
        streams.put_aside(f"nola: {error}\n")
        return error.exit_code
    return 0
