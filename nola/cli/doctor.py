"""`nola doctor`: checks the whole installation and changes nothing."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from nola.cli import output
from nola.cli.desk import desk_of
from nola.cli.options import AsJson
from nola.errors import ConfigError, NolaError
from nola.port import Finding
from nola.types import Severity

if TYPE_CHECKING:
    from nola.config import Config

__all__ = ["doctor"]

_COULD_NOT_RUN = 2


def doctor(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Check the whole installation, and say how to mend what is not well.

    Changes nothing. Exits 0 when all is well, 1 with warnings or errors, 2 when it could not run; the finding is then
    settings.invalid or home.unusable.

    Examples:
      nola doctor
      nola doctor --json | jq '.findings[] | select(.severity != "ok")'
    """
    desk = desk_of(ctx)
    try:
        findings = [*desk.assistant.doctor(), *_daemon(desk.config)]
    except (NolaError, OSError) as error:
        finding = _why_not(error)
        if as_json:
            _print_document([finding])
        output.error(NolaError(finding.message, fix=finding.fix))
        raise typer.Exit(_COULD_NOT_RUN) from error
    if as_json:
        _print_document(findings)
    else:
        rows = [(finding.severity, finding.id, finding.message, finding.fix) for finding in findings]
        output.table(("severity", "check", "message", "what to do"), rows)
    if not _is_well(findings):
        raise typer.Exit(1)


def _print_document(findings: Sequence[Finding]) -> None:
    output.document({"ok": _is_well(findings), "findings": list(findings)})


def _is_well(findings: Sequence[Finding]) -> bool:
    return all(finding.severity == Severity.OK for finding in findings)


def _daemon(config: "Config") -> Iterator[Finding]:
    """Say whether the daemon runs; and of any process, whether it could write now."""
    from nola.daemon.status import status_of  # noqa: PLC0415 -- keeps start-up fast

    found = status_of(config)
    if found.mode == "safe":
        message = f"the daemon (process {found.pid}) is in safe mode, since it ended badly several times"
        yield Finding("daemon.running", Severity.WARNING, message, "nola daemon logs; then nola daemon run --normal")
    elif found.running:
        since = f" since {found.since.astimezone():%Y-%m-%d %H:%M}" if found.since else ""
        yield Finding("daemon.running", Severity.OK, f"the daemon runs{since} (process {found.pid})")
    else:
        yield Finding("daemon.running", Severity.OK, "no daemon runs; none is needed")
    if found.read_only:
        yield Finding("state.writable", Severity.ERROR, found.read_only, "make room or mend permissions")


def _why_not(error: NolaError | OSError) -> Finding:
    """Make the finding of an installation that can't even be looked at."""
    if isinstance(error, NolaError):
        name = "settings.invalid" if isinstance(error, ConfigError) else "home.unusable"
        return Finding(name, Severity.ERROR, str(error), error.fix)
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return Finding("home.unusable", Severity.ERROR, f"{where}{error.strerror or error}", "see: nola where")
