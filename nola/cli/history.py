"""`nola history`: lists conversations, searches them, shows one."""

from typing import Annotated

import typer

from nola.cli import output
from nola.cli.command import command, guarded, noun
from nola.cli.desk import desk_of
from nola.cli.options import AsJson, LimitOption
from nola.port import StoredMessage
from nola.types import ConversationId

__all__ = ["everything", "group", "list_", "search", "show"]

group = noun("Earlier conversations; alone it lists them.", runs_alone=True)

_TITLE = 60


@group.callback(invoke_without_command=True)
@guarded
def everything(ctx: typer.Context, *, limit: LimitOption = 20, as_json: AsJson = False) -> None:
    """Earlier conversations; alone it lists them."""
    if ctx.invoked_subcommand is None:
        _show_list(ctx, "", limit, as_json=as_json)


@command(group, "list")
def list_(ctx: typer.Context, *, limit: LimitOption = 20, as_json: AsJson = False) -> None:
    """List conversations, the last used first.

    Examples:
      nola history list
      nola history list --limit 5 --json
    """
    _show_list(ctx, "", limit, as_json=as_json)


@command(group)
def search(
    ctx: typer.Context,
    *,
    words: Annotated[list[str], typer.Argument(metavar="WORD", help="What they talk about.")],
    limit: LimitOption = 20,
    as_json: AsJson = False,
) -> None:
    """Find conversations that hold some words, the best match first.

    Examples:
      nola history search holiday plans
    """
    _show_list(ctx, " ".join(words), limit, as_json=as_json)


@command(group)
def show(
    ctx: typer.Context,
    *,
    conversation: Annotated[str, typer.Argument(metavar="ID", help="The id, or its first characters.")],
    as_json: AsJson = False,
) -> None:
    """Show a conversation, turn by turn.

    With --json every turn comes with the context it was answered from.

    Examples:
      nola history show 1hb2cd
    """
    turns = desk_of(ctx).assistant.conversation(ConversationId(conversation))
    if as_json:
        output.document(list(turns))
        return
    for turn in turns:
        _show_turn(turn)


def _show_list(ctx: typer.Context, words: str, limit: int, *, as_json: bool) -> None:
    found = desk_of(ctx).assistant.conversations(words, limit=limit + 1)
    rows = found[:limit]
    if as_json:
        output.document(list(rows))
    elif not rows:
        output.say("no conversation holds these words" if words else "there are no conversations yet")
    else:
        cells = [
            (row.id, f"{row.updated.astimezone():%Y-%m-%d %H:%M}", str(row.turns), row.channel, row.title[:_TITLE])
            for row in rows
        ]
        output.table(("id", "last used", "turns", "channel", "begins with"), cells, right=("turns",))
    if len(found) > limit:
        output.say(f"showing the {'best' if words else 'newest'} {limit}; --limit for more")


def _show_turn(turn: StoredMessage) -> None:
    broken = "" if turn.complete else ", broken off"
    output.show(f"{turn.at.astimezone():%Y-%m-%d %H:%M}  level {turn.level}, {turn.model}{broken}")
    output.show(f"> {turn.user}")
    output.show(f"{turn.reply}\n")
