"""`nola doctor`: checks the whole installation and changes nothing."""

import typer

from nola.cli import output
from nola.cli.desk import desk_of
from nola.cli.options import AsJson
from nola.errors import NolaError
from nola.types import Severity

__all__ = ["doctor"]

_COULD_NOT_RUN = 2


def doctor(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Check the whole installation, and say how to mend what is not well.

    Changes nothing. Exits 0 when all is well, 1 with warnings or errors, 2 when it could not run.

    Examples:
      nola doctor
      nola doctor --json | jq '.findings[] | select(.severity != "ok")'
    """
    try:
        findings = desk_of(ctx).assistant.doctor()
    except NolaError as error:
        output.error(error)
        raise typer.Exit(_COULD_NOT_RUN) from error
    well = all(finding.severity == Severity.OK for finding in findings)
    if as_json:
        output.document({"ok": well, "findings": list(findings)})
    else:
        rows = [(finding.severity, finding.id, finding.message, finding.fix) for finding in findings]
        output.table(("severity", "check", "message", "what to do"), rows)
    if not well:
        raise typer.Exit(1)
