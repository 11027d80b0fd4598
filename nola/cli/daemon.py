"""`nola daemon`: runs the service in the foreground, says how it is, shows its log."""

import contextlib
import json
import signal
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from nola.cli import output
from nola.cli.command import command, noun
from nola.cli.desk import desk_of
from nola.cli.options import AsJson

if TYPE_CHECKING:
    from nola.daemon.service import Ready, Served

__all__ = ["group", "logs", "run", "status"]

group = noun("Nola's daemon, which watches your files, makes backups, and is always there.")

_ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
_LEAVE_SAFE_MODE = "nola daemon run --normal"
_PAUSE_S = 0.5
_HEAD = ("time", "level", "event")


@command(group)
def run(
    ctx: typer.Context,
    *,
    normal: Annotated[bool, typer.Option("--normal", help="Forget earlier crashes, and so leave safe mode.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the daemon in the foreground, until Ctrl-C or SIGTERM.

    One line says when it is ready. Only one runs for each NOLA_HOME; after several crashes within a few minutes it
    starts in safe mode, in which it watches the files and does nothing by itself.

    Examples:
      nola daemon run
      nola daemon run --normal
    """
    from nola.daemon.service import Service  # noqa: PLC0415 -- keeps start-up fast

    desk = desk_of(ctx)
    service = Service(cast("Served", desk.assistant), clock=desk.clock, normal=normal)
    with _endings(service.ask_to_stop), service:
        _tell_ready(service.start(), as_json=as_json)
        service.wait()


@command(group)
def status(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Say whether the daemon runs, since when, in which mode, and what is wrong.

    Exits 0 when it runs and 1 when it does not.

    Examples:
      nola daemon status
      nola daemon status --json | jq .pid
    """
    from nola.daemon.status import status_of  # noqa: PLC0415 -- keeps start-up fast

    found = status_of(desk_of(ctx).config)
    if as_json:
        output.document(found)
    else:
        since = f" since {found.since.astimezone():%Y-%m-%d %H:%M:%S}" if found.since else ""
        mode = f", {found.mode} mode" if found.mode else ""
        process = f"process {found.pid}" if found.pid else "a process that does not tell its number"
        output.write(f"running: {process}{since}{mode}" if found.running else "not running")
        for problem in (found.read_only, *found.problems):
            if problem:
                output.write(f"problem: {problem}")
        if found.mode == "safe":
            output.write(f"leave safe mode with: {_LEAVE_SAFE_MODE}")
    if not found.running:
        raise typer.Exit(1)


@command(group)
def logs(
    ctx: typer.Context,
    *,
    following: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new lines, until Ctrl-C.")] = False,
    count: Annotated[int, typer.Option("--lines", "-n", min=0, max=100_000, help="Begin so many lines back.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on each line of stdout.")] = False,
) -> None:
    """Show what the daemon has noted: what happened, never what was said.

    Examples:
      nola daemon logs -n 20
      nola daemon logs -f
    """
    from nola.daemon.log import follow, has_begun  # noqa: PLC0415 -- keeps start-up fast

    def pause() -> bool:
        return not following or threading.Event().wait(_PAUSE_S)

    folder = desk_of(ctx).logs
    if not has_begun(folder):
        output.say("there is no log yet; the daemon begins one: nola daemon run")
    show = output.write if as_json else _show_line
    for line in follow(folder, count, pause):
        show(line)


def _tell_ready(ready: "Ready", *, as_json: bool) -> None:
    safe = ready.mode == "safe"
    if as_json:
        output.json_line(
            {
                "ready": True,
                "pid": ready.pid,
                "watching": str(ready.watching),
                "mode": ready.mode,
                "read_only": ready.read_only,
            }
        )
    else:
        mode = ", safe mode" if safe else ""
        output.say(f"nola: daemon ready (process {ready.pid}, watching {ready.watching}{mode})")
    if safe:
        output.say("nola: it ended badly several times within a few minutes, so it now does nothing by itself")
        output.say(f"      look at: nola daemon logs; leave safe mode with: {_LEAVE_SAFE_MODE}")
    if ready.read_only:
        output.say(f"nola: nothing can be written: {ready.read_only}")


@contextlib.contextmanager
def _endings(ask_to_stop: Callable[[str], None]) -> Iterator[None]:
    """Let the signals that end a process ask the service to stop, once or more often; nohup stays nohup."""
    before: dict[int, Any] = {}
    try:
        for number in _ENDINGS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, lambda number, _: ask_to_stop(signal.Signals(number).name))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show_line(line: str) -> None:
    """Print a line of the log as a person reads it; what is no JSON, as it stands."""
    try:
        told = json.loads(line)
        when = datetime.fromisoformat(told["time"]).astimezone()
    except (ValueError, TypeError, KeyError):
        output.write(line)
        return
    facts = "  ".join(f"{name}={_plain(value)}" for name, value in told.items() if name not in _HEAD)
    output.write(f"{when:%Y-%m-%d %H:%M:%S}  {told.get('level', ''):<7}  {told.get('event', '')}  {facts}".rstrip())


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
