"""`nola state`: reads, writes, checks and mends what Nola knows."""

import shlex
import sys
from typing import Annotated

import orjson
import typer

from nola.cli import output
from nola.cli.command import command, noun
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson, LimitOption
from nola.cli.quick import say_broken, show_value
from nola.cli.state_check import picture, problem_document, problem_lines
from nola.cli.state_conflicts import conflict_lines
from nola.cli.state_time import read_moment, written
from nola.cli.state_tree import show_tree
from nola.documents import receipt_document
from nola.errors import DocumentError, InputError, UsageError
from nola.flow import Change, Receipt
from nola.types import ChangeId, Json

__all__ = ["accept", "check", "conflicts", "get", "group", "history", "put", "show", "sync", "undo", "unset"]

group = noun("What Nola knows: read it, write it, check it. Paths are dotted: user.pets.dog.name.")

_OWNER = "owner"
_STDIN = "-"
_LONGEST_PATCH = 200

_Path = Annotated[str, typer.Argument(metavar="PATH", help="For example user.pets.dog.name.")]
_AnyPath = Annotated[str, typer.Argument(metavar="PATH", help="For example user.pets; everything when left out.")]


@command(group)
def show(
    ctx: typer.Context,
    *,
    path: _AnyPath = "",
    at: Annotated[
        str, typer.Option("--at", metavar="TIME", help='As it was at this time: ISO-8601, "2 days ago", yesterday.')
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show everything, or what stands below a path, with level, age and file.

    With --json nodes keep their metadata. A file that can't be read is named, and its last good values are shown.
    With --at the values stand alone; a time without a zone is this machine's.

    Examples:
      nola state show
      nola state show user.pets
      nola state show --json user
      nola state show --at "10 minutes ago" user
      nola state show --at 2026-11-20T09:00
    """
    desk = desk_of(ctx)
    if at:
        _show_past(desk, path, at, as_json=as_json)
        return
    found = {path: desk.assistant.get_node(path)} if path else desk.assistant.get_nodes()
    if as_json:
        output.document(found[path] if path else found)
    else:
        show_tree(found, desk.clock.now())
    output.flush()
    say_broken(desk, path)


@command(group)
def get(ctx: typer.Context, *, path: _Path, as_json: AsJson = False) -> None:
    """Print the value at a path.

    Text is printed bare; --json prints the value as JSON, and nothing around it. When the file can't be read, the last
    good value is printed, and what is wrong with the file stands on stderr.

    Examples:
      nola state get user.pets.dog.name
      nola state get --json user.pets
    """
    show_value(desk_of(ctx), path, as_json=as_json)


@command(group, "set", ignore_unknown_options=True)
def put(
    ctx: typer.Context,
    *,
    path: _Path,
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="JSON; text stands in double quotes; - reads it from stdin.")
    ],
    text: Annotated[bool, typer.Option("--text", help="Take VALUE literally, as text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a value, and print a receipt.

    What is missing on the way to PATH is made. From stdin, --text takes everything but one line end at its end.

    Examples:
      nola state set user.pets.dog.name '"Biscuit"'
      nola state set user.age 41
      nola state set user.likes '["tea", "long walks"]'
      nola state set --text user.name Mara
      nola state set user.recipes - < recipes.json
      nola state set --text user.letter - < letter.txt
    """
    desk = desk_of(ctx)
    given = value.encode("utf-8", "surrogateescape")
    if value == _STDIN:
        given = _read_stdin(desk.config.settings.state.max_bytes)
    parsed: Json = _decoded(given, from_stdin=value == _STDIN) if text else _parsed(path, given, value == _STDIN)
    _told(desk.assistant.set_state(path, parsed, who=_OWNER), as_json=as_json)


@command(group)
def unset(ctx: typer.Context, *, path: _Path, as_json: AsJson = False) -> None:
    """Remove what stands at a path, and print a receipt.

    Examples:
      nola state unset user.pets.dog
    """
    _told(desk_of(ctx).assistant.unset_state(path, who=_OWNER), as_json=as_json)


@command(group)
def check(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Say which file has a problem, with its line and a caret under the place; exit 1 when one has.

    Nothing is changed. A file that does not parse is left as it is, and its last good values are served. What Nola
    mended by herself, and values that wait in conflicts, are warnings.

    Examples:
      nola state check
      nola state check --json
    """
    desk = desk_of(ctx)
    limit = desk.config.settings.state.max_bytes
    seen = [(p, picture(desk.config.state_dir, p, max_bytes=limit)) for p in desk.assistant.problems()]
    if as_json:
        output.document({"ok": not seen, "problems": [problem_document(*each) for each in seen]})
    for problem, line in () if as_json else seen:
        for text in problem_lines(problem, line):
            output.show(text)
    if seen:
        raise typer.Exit(1)
    if not as_json:
        output.show("all files are well")


@command(group)
def sync(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Pull every module upward now, and print what was pulled.

    Nola does this by herself when she reads something that is stale or flagged.

    Examples:
      nola state sync
    """
    pulled = desk_of(ctx).assistant.sync_state()
    if as_json:
        output.document({"pulled": list(pulled)})
        return
    for name in pulled:
        output.show(f"pulled {output.one_line(name)}")


@command(group)
def history(
    ctx: typer.Context,
    *,
    path: _AnyPath = "",
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help='No older than this: ISO-8601, "2 days ago", yesterday.')
    ] = "",
    limit: LimitOption = 20,
    patch: Annotated[bool, typer.Option("--patch", help="Show each change as a JSON patch of its file.")] = False,
    as_json: AsJson = False,
) -> None:
    """List changes, newest first: when, by whom, through which interface, and the ids that undo them.

    Long patches are cut; --json holds them whole.

    Examples:
      nola state history
      nola state history user.pets --limit 5
      nola state history --since "2 days ago" --patch
    """
    desk = desk_of(ctx)
    after = read_moment(since, desk.clock.now()) if since else None
    found = desk.assistant.changes(path, limit=limit + 1)
    changes = [change for change in found if after is None or change.at >= after]
    if as_json:
        output.document(changes[:limit])
    elif patch:
        _show_patches(changes[:limit])
    elif changes:
        cells = [(change.id, *_told_by(change), output.one_line(change.path), _sides(change)) for change in changes]
        output.table(("id", "when", "who", "via", "path", "change"), cells[:limit])
    output.flush()
    if after is not None:
        output.say(f"note: changes since {written(after)}")
    if len(changes) > limit:
        output.say(f"showing the newest {limit}; --limit for more")
    elif not changes and not as_json:
        output.say("nothing was changed" + (f" at {path}" if path else "") + ("" if path or since else " yet"))


@command(group)
def undo(
    ctx: typer.Context,
    *,
    change: Annotated[str, typer.Argument(metavar="ID", help="From a receipt, or from nola state history.")],
    as_json: AsJson = False,
) -> None:
    """Take one change back, unless the value changed again since.

    That is a change too, and can be undone.

    Examples:
      nola state undo 1hb2cd3ef4gh5jk6
    """
    _told(desk_of(ctx).assistant.undo(ChangeId(change), who=_OWNER), as_json=as_json)


@command(group)
def conflicts(
    ctx: typer.Context,
    *,
    use: Annotated[str, typer.Option("--use", metavar="ID", help="Put Nola's value in place of yours.")] = "",
    drop: Annotated[str, typer.Option("--drop", metavar="ID", help="Throw Nola's value away.")] = "",
    as_json: AsJson = False,
) -> None:
    """List values of Nola's that lost, because you changed the same place by hand at once; use one, or drop it.

    Your value stands until then. Using one is a change: it is recorded, and can be undone.

    Examples:
      nola state conflicts
      nola state conflicts --use 1hb2cd3ef4gh5jk6
      nola state conflicts --drop 1hb2cd3ef4gh5jk6
    """
    if use and drop:
        raise UsageError("--use and --drop exclude each other", fix="settle one conflict at a time")
    if use or drop:
        _settle(desk_of(ctx), use or drop, use=bool(use), as_json=as_json)
        return
    found = desk_of(ctx).assistant.conflicts()
    if as_json:
        output.document(list(found))
        return
    for conflict in found:
        for line in conflict_lines(conflict):
            output.show(line)
    output.flush()
    if found:
        output.say("to put the value that lost in place of yours: nola state conflicts --use ID; to drop it: --drop ID")
    else:
        output.say("there are no conflicts")


@command(group)
def accept(
    ctx: typer.Context,
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A file's name without its ending, or modules for all.")],
    as_json: AsJson = False,
) -> None:
    """Take a file that was emptied, or the removal of all modules, for what you want.

    When a file is suddenly empty, or every module is gone, Nola takes that for an accident: she goes on with what was
    last good, and says so in state check. This tells her that it was meant.

    Examples:
      nola state accept user
      nola state accept modules
    """
    desk_of(ctx).assistant.accept_state(name)
    if as_json:
        output.document({"accepted": name})
    else:
        output.show(f"accepted {output.one_line(name)}")


def _items(value: Json) -> list[tuple[str, Json]]:
    return list(value.items()) if isinstance(value, dict) else []


def _show_past(desk: Desk, path: str, at: str, *, as_json: bool) -> None:
    moment = read_moment(at, desk.clock.now())
    value = desk.assistant.state_at(moment, path)
    if as_json:
        output.document(value)
    else:
        show_tree({path: value} if path else dict(_items(value)), desk.clock.now())
    output.flush()
    output.say(f"note: as of {written(moment)}")


def _read_stdin(limit: int) -> bytes:
    """Read stdin to its end.

    Raises:
        InputError: It is longer than any file of the state may be.
    """
    given = sys.stdin.buffer.read(limit + 1)
    if len(given) > limit:
        raise InputError(f"stdin has more than {limit:,} bytes", fix="give less, or raise the setting state.max_bytes")
    return given


def _decoded(given: bytes, *, from_stdin: bool) -> str:
    try:
        text = given.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the text is not UTF-8 from byte {error.start + 1} on", fix="give it as UTF-8") from None
    return text.removesuffix("\n").removesuffix("\r") if from_stdin else text


def _parsed(path: str, given: bytes, from_stdin: bool) -> Json:  # noqa: FBT001 -- of this module alone
    from nola.state import document  # noqa: PLC0415 -- keeps start-up fast

    try:
        return document.parse(given, "stdin" if from_stdin else "VALUE", max_bytes=max(len(given), 1))
    except DocumentError as error:
        if from_stdin:
            raise InputError(
                f"the value is not JSON: {error}", fix="mend it, or add --text to take it as text"
            ) from None
        quoted = shlex.quote(orjson.dumps(given.decode("utf-8", "replace")).decode())
        raise InputError(
            f"the value is not JSON: {error.why}",
            fix=f"text stands in quotes: nola state set {path} {quoted}, or add --text",
        ) from error


def _settle(desk: Desk, conflict: str, *, use: bool, as_json: bool) -> None:
    receipt = desk.assistant.settle_conflict(conflict, use=use, who=_OWNER)
    if receipt is not None:
        _told(receipt, as_json=as_json)
    elif as_json:
        output.document({"settled": conflict, "used": use})
    else:
        output.show(f"{'used' if use else 'dropped'} {output.one_line(conflict)}; nothing in your files was changed")


def _told(receipt: Receipt, *, as_json: bool) -> None:
    if as_json:
        output.document(receipt_document(receipt))
    else:
        output.show(output.receipt_line(receipt))


def _show_patches(changes: list[Change]) -> None:
    for change in changes:
        about = "  ".join((change.id, *_told_by(change), output.one_line(change.path)))
        output.show(f"{about}: {_sides(change)}")
        for operation in change.patch:
            output.show(f"    {output.inline(operation, most=_LONGEST_PATCH)}")


def _told_by(change: Change) -> tuple[str, str, str]:
    return f"{change.at.astimezone():%Y-%m-%d %H:%M}", output.one_line(change.who), output.one_line(change.via)


def _sides(change: Change) -> str:
    old = _side(change.old, present=change.old_present)
    return f"{old} -> {_side(change.new, present=change.new_present)}"


def _side(value: Json, *, present: bool) -> str:
    return output.inline(value) if present else "(nothing)"
