"""`nola backup`: makes archives of everything that Nola knows, proves them, and brings them back."""

import getpass
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from nola.cli import output
from nola.cli.command import command, noun
from nola.cli.desk import desk_of
from nola.cli.options import AsJson
from nola.errors import InputError, UsageError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from nola.backup.backups import Backups
    from nola.backup.names import BackupInfo
    from nola.backup.plan import Plan

__all__ = ["create", "delete", "group", "list_", "restore", "verify"]

group = noun("Copies of everything that Nola knows: state, memory and conversations, each in one file.")

_LONG = 20_000_000
_YES = {"y", "yes"}

_Archive = Annotated[str, typer.Argument(metavar="ARCHIVE", help="A backup's name, a file, or latest.")]
_PassphraseFile = Annotated[
    str | None,
    typer.Option("--passphrase-file", metavar="FILE", help="Read the passphrase from a file's first line; - is stdin."),
]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


@command(group)
def create(
    ctx: typer.Context,
    *,
    place: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PATH", help="A folder, or a new file, instead of backups.")
    ] = None,
    encrypt: Annotated[bool, typer.Option("--encrypt", help="Ask for a passphrase that opens it.")] = False,
    passphrase_file: _PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Make a backup now, also while Nola runs.

    Models, caches and logs are not in it. With a passphrase it is encrypted in the age format. Exits 1 when something
    could not be taken along; the rest is in the backup all the same.

    Examples:
      nola backup create
      nola backup create --encrypt --output /media/stick
      nola backup create --passphrase-file ~/.nola-passphrase
    """
    passphrase = _new_passphrase(passphrase_file) if encrypt or passphrase_file is not None else None
    with _Bar() as bar:
        info = desk_of(ctx).assistant.backups.create(passphrase=passphrase, output=place, progress=bar)
    if as_json:
        output.document(_document(info))
    else:
        output.write(f"made {info.name if place is None else info.path}  ({output.size(info.size)})")
    _warn(info.left_out)
    if info.left_out:
        raise typer.Exit(1)


@command(group, "list")
def list_(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """List the backups, the newest first.

    Examples:
      nola backup list
      nola backup list --json
    """
    found = desk_of(ctx).assistant.backups.list()
    if as_json:
        output.document([_document(info) for info in found])
    elif not found:
        output.say("there are no backups yet")
    else:
        rows = [
            (
                info.name,
                f"{info.created.astimezone():%Y-%m-%d %H:%M}",
                str(info.kind),
                output.size(info.size),
                "yes" if info.encrypted else "",
            )
            for info in found
        ]
        output.table(("name", "made", "kind", "size", "encrypted"), rows, right=("size",))


@command(group)
def verify(
    ctx: typer.Context, *, archive: _Archive, passphrase_file: _PassphraseFile = None, as_json: AsJson = False
) -> None:
    """Prove that a backup can be brought back, by doing so in a private folder.

    Every file is compared with its hash, the database and the JSON files are read. Exits 1, with a sentence for each,
    when something is wrong.

    Examples:
      nola backup verify latest
      nola backup verify /media/stick/nola-20261120T090000Z-manual.tar.gz
    """
    backups = desk_of(ctx).assistant.backups
    passphrase = _passphrase(backups, archive, passphrase_file)
    with _Bar() as bar:
        found = backups.verify(archive, passphrase=passphrase, progress=bar)
    if as_json:
        output.document(
            {
                "ok": found.ok,
                "archive": _document(found.info),
                "files": found.files,
                "bytes": found.size,
                "modules": found.modules,
                "conversations": found.conversations,
                "messages": found.messages,
                "defects": found.defects,
                "warnings": found.warnings,
            }
        )
    else:
        for sentence in found.defects:
            output.write(f"defect: {sentence}")
        for sentence in found.warnings:
            output.write(f"warning: {sentence}")
        output.write(
            f"{found.info.name}: {'well' if found.ok else 'can be brought back' if not found.defects else 'defective'};"
            f" {found.modules} modules, {found.conversations} conversations with {found.messages} messages,"
            f" {found.files} files, {output.size(found.size)}"
        )
    if not found.ok:
        raise typer.Exit(1)


@command(group)
def restore(
    ctx: typer.Context,
    *,
    archive: _Archive,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: _Yes = False,
    passphrase_file: _PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Bring a backup back in the place of everything that is there, wholly or not at all.

    The backup is proved first, and what would change is shown. What is there is saved, and the last line tells how to
    have it again. The daemon must not run.

    Examples:
      nola backup restore latest --dry-run
      nola backup restore nola-20261120T090000Z-manual.tar.gz
      nola backup restore latest --yes
    """
    backups = desk_of(ctx).assistant.backups
    passphrase = _passphrase(backups, archive, passphrase_file)
    with _Bar() as bar:
        plan = backups.plan(archive, passphrase=passphrase, progress=bar)
    if not as_json:
        _show(plan)
    if dry_run:
        if as_json:
            output.document({"plan": _plan_document(plan), "restored": None, "undo": None})
        return
    _consent("bring it back?", yes=yes)
    with _Bar() as bar:
        done = backups.restore(str(plan.info.path), passphrase=passphrase, progress=bar)
    if as_json:
        output.document({"plan": _plan_document(plan), "restored": done.info.name, "undo": done.undo.name})
    else:
        output.write(f"restored {done.info.name}\nundo: nola backup restore {done.undo.name}")


@command(group)
def delete(
    ctx: typer.Context,
    *,
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="From nola backup list.")],
    yes: _Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete backups for good.

    Examples:
      nola backup delete nola-20261120T090000Z-manual.tar.gz
    """
    backups = desk_of(ctx).assistant.backups
    known = {info.name for info in backups.list()}
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise UsageError(f"no backup is called {unknown!r}", fix="list them: nola backup list")
    _consent(f"delete {' and '.join(names)}?", yes=yes)
    gone = [backups.delete(name) for name in dict.fromkeys(names)]
    if as_json:
        output.document([_document(info) for info in gone])
        return
    for info in gone:
        output.write(f"deleted {info.name}")


class _Bar:
    """Shows on a terminal how far a long piece of work is; used as a context manager."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Begin; nothing is shown yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away, whatever happened."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, name: str, done: int, total: int) -> None:
        """Show that `done` of `total` bytes are done."""
        if total < _LONG or not output.on_terminal(sys.stderr):
            return
        if self._bar is None or self._task is None:
            from rich.console import Console  # noqa: PLC0415 -- keeps start-up fast
            from rich.progress import Progress  # noqa: PLC0415 -- keeps start-up fast

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(name, total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done)


def _passphrase(backups: "Backups", archive: str, file: str | None) -> str | None:
    """Return the passphrase of an archive; None when it needs none."""
    if not backups.is_encrypted(archive):
        return None
    if file is not None:
        return _from_file(file)
    _need_terminal()
    return getpass.getpass("Passphrase: ", sys.stderr)


def _new_passphrase(file: str | None) -> str:
    if file is not None:
        return _from_file(file)
    _need_terminal()
    first = getpass.getpass("Passphrase: ", sys.stderr)
    if getpass.getpass("Once more: ", sys.stderr) != first:
        raise InputError("the two passphrases are not the same", fix="try again; no backup was made")
    return first


def _from_file(file: str) -> str:
    try:
        if file == "-":
            line = sys.stdin.readline()
        else:
            with Path(file).expanduser().open(encoding="utf-8") as opened:
                line = opened.readline()
    except UnicodeDecodeError as error:
        raise InputError(f"{file} holds no text, and so no passphrase") from error
    if not line.rstrip("\r\n"):
        raise InputError("the passphrase is empty", fix="it stands in the first line")
    return line.rstrip("\r\n")


def _need_terminal() -> None:
    if not (output.on_terminal(sys.stdin) and output.on_terminal(sys.stderr)):
        raise UsageError("there is no terminal to ask for the passphrase at", fix="give it by --passphrase-file FILE")


def _consent(question: str, *, yes: bool) -> None:
    """Ask whether to go on.

    Raises:
        UsageError: Nobody can be asked.
        typer.Exit: The answer is no.
    """
    if yes:
        return
    if not (output.on_terminal(sys.stdin) and output.on_terminal(sys.stderr)):
        raise UsageError("there is no terminal to ask at", fix="add --yes to do it without being asked")
    sys.stderr.write(f"{output.printable(question)} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in _YES:
        output.say("nothing was changed")
        raise typer.Exit(1)


def _show(plan: "Plan") -> None:
    info = plan.info
    output.write(f"{info.name}, made {info.created.astimezone():%Y-%m-%d %H:%M}, would change:")
    for label, names in (("come back", plan.back), ("change", plan.changed), ("vanish", plan.gone)):
        for name in names:
            output.write(f"  {label:<10} {name}")
    if plan.settings != "same":
        output.write(f"  {_FATES[plan.settings]:<10} settings.toml")
    if plan.others:
        output.write(f"  other files of the state folder: {plan.others}")
    output.write(f"  conversations: {_change(plan.conversations)}")
    output.write(f"  messages: {_change(plan.messages)}")
    _warn(plan.warnings)


_FATES = {"back": "come back", "changed": "change", "gone": "vanish"}


def _change(sides: tuple[int | None, int | None]) -> str:
    before, after = ("unreadable" if count is None else str(count) for count in sides)
    return f"{before} -> {after}"


def _warn(sentences: tuple[str, ...]) -> None:
    for sentence in sentences:
        output.say(f"nola: {sentence}")


def _document(info: "BackupInfo") -> dict[str, Any]:
    return {
        "name": info.name,
        "path": str(info.path),
        "created": info.created,
        "kind": str(info.kind),
        "size": info.size,
        "encrypted": info.encrypted,
        "left_out": info.left_out,
    }


def _plan_document(plan: "Plan") -> dict[str, Any]:
    return {
        "archive": _document(plan.info),
        "back": plan.back,
        "changed": plan.changed,
        "gone": plan.gone,
        "others": plan.others,
        "settings": plan.settings,
        "conversations": plan.conversations,
        "messages": plan.messages,
        "warnings": plan.warnings,
    }
