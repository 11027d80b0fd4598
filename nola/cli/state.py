"""`nola state`: reads, writes, checks and mends what Nola knows."""

import shlex
from typing import Annotated

import orjson
import typer

from nola.cli import output
from nola.cli.command import command, noun
from nola.cli.desk import desk_of
from nola.cli.options import AsJson, LimitOption
from nola.cli.quick import show_value
from nola.cli.state_tree import show_tree
from nola.documents import receipt_document
from nola.errors import DocumentError, InputError
from nola.flow import Problem, Receipt
from nola.types import ChangeId, Json

__all__ = ["check", "get", "group", "history", "put", "show", "sync", "undo", "unset"]

group = noun("What Nola knows: read it, write it, check it. Paths are dotted: user.pets.dog.name.")

_OWNER = "owner"

_Path = Annotated[str, typer.Argument(metavar="PATH", help="For example user.pets.dog.name.")]
_AnyPath = Annotated[str, typer.Argument(metavar="PATH", help="For example user.pets; everything when left out.")]


@command(group)
def show(ctx: typer.Context, *, path: _AnyPath = "", as_json: AsJson = False) -> None:
    """Show everything, or what stands below a path, with level, age and file.

    With --json nodes keep their metadata.

    Examples:
      nola state show
      nola state show user.pets
      nola state show --json user
    """
    desk = desk_of(ctx)
    found: dict[str, Json]
    if path:
        found = {path: desk.assistant.get_node(path)}
    else:
        own = desk.assistant.get_state()
        found = {name: _own(desk.assistant.get_node(name), data) for name, data in _items(own)}
    if as_json:
        output.document(found[path] if path else found)
    else:
        show_tree(found, desk.clock.now())


@command(group)
def get(ctx: typer.Context, *, path: _Path, as_json: AsJson = False) -> None:
    """Print the value at a path.

    Text is printed bare; --json prints the value as JSON, and nothing around it.

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
    value: Annotated[str, typer.Argument(metavar="VALUE", help="JSON; text stands in double quotes.")],
    text: Annotated[bool, typer.Option("--text", help="Take VALUE literally, as text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a value, and print a receipt.

    What is missing on the way to PATH is made.

    Examples:
      nola state set user.pets.dog.name '"Biscuit"'
      nola state set user.age 41
      nola state set user.likes '["tea", "long walks"]'
      nola state set --text user.name Mara
    """
    parsed: Json = value if text else _parsed(path, value)
    _told(desk_of(ctx).assistant.set_state(path, parsed, who=_OWNER), as_json=as_json)


@command(group)
def unset(ctx: typer.Context, *, path: _Path, as_json: AsJson = False) -> None:
    """Remove what stands at a path, and print a receipt.

    Examples:
      nola state unset user.pets.dog
    """
    _told(desk_of(ctx).assistant.unset_state(path, who=_OWNER), as_json=as_json)


@command(group)
def check(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Say which file has a problem, with line and column; exit 1 when one has.

    Nothing is changed. A file that does not parse is left as it is, and its last good values are served.

    Examples:
      nola state check
      nola state check --json
    """
    problems = desk_of(ctx).assistant.problems()
    if as_json:
        output.document({"ok": not problems, "problems": list(problems)})
    for problem in () if as_json else problems:
        output.write(_sentence(problem))
    if problems:
        raise typer.Exit(1)
    if not as_json:
        output.write("all files are well")


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
        output.write(f"pulled {name}")


@command(group)
def history(ctx: typer.Context, *, path: _AnyPath = "", limit: LimitOption = 20, as_json: AsJson = False) -> None:
    """List changes, newest first, with the ids that undo them.

    Examples:
      nola state history
      nola state history user.pets --limit 5
    """
    changes = desk_of(ctx).assistant.changes(path, limit=limit)
    if as_json:
        output.document(list(changes))
        return
    if not changes:
        output.say("nothing was changed yet" if not path else f"nothing was changed at {path}")
        return
    rows = [
        (
            change.id,
            f"{change.at.astimezone():%Y-%m-%d %H:%M}",
            change.who,
            change.path,
            f"{_side(change.old, present=change.old_present)} -> {_side(change.new, present=change.new_present)}",
        )
        for change in changes
    ]
    output.table(("id", "when", "who", "path", "change"), rows)


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


def _items(value: Json) -> list[tuple[str, Json]]:
    return list(value.items()) if isinstance(value, dict) else []


def _own(node: Json, data: Json) -> Json:
    """Return a file's node without what it holds from others: that stands under its own name."""
    if not isinstance(node, dict) or not isinstance(data, dict):
        return node
    held = node.get("data")
    kept = {key: value for key, value in held.items() if key in data} if isinstance(held, dict) else held
    return {**node, "data": kept}


def _parsed(path: str, value: str) -> Json:
    from nola.state import document  # noqa: PLC0415 -- keeps start-up fast

    try:
        return document.parse(value.encode("utf-8", "surrogateescape"), "VALUE")
    except DocumentError as error:
        quoted = shlex.quote(orjson.dumps(value.encode("utf-8", "replace").decode()).decode())
        raise InputError(
            f"the value is not JSON: {error.why}",
            fix=f"text stands in quotes: nola state set {path} {quoted}, or add --text",
        ) from error


def _told(receipt: Receipt, *, as_json: bool) -> None:
    if as_json:
        output.document(receipt_document(receipt))
    else:
        output.write(output.receipt_line(receipt))


def _sentence(problem: Problem) -> str:
    where = f"{problem.file}, line {problem.line}, column {problem.column}" if problem.line else problem.file
    return f"{problem.severity}: {where}: {problem.message}"


def _side(value: Json, *, present: bool) -> str:
    return output.inline(value) if present else "(nothing)"
