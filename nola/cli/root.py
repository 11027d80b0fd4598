"""The `nola` command: every command of the command line, registered under its noun."""

from typing import Annotated

import typer

from nola import __version__
from nola.cli import config, evaluation, history, model, output, state
from nola.cli.chat import chat, converse
from nola.cli.command import CONTEXT, command, guarded
from nola.cli.context import context
from nola.cli.desk import desk_of
from nola.cli.doctor import doctor
from nola.cli.init import init
from nola.cli.reply import Teller
from nola.cli.talk import Talk, Wishes
from nola.cli.where import where

__all__ = ["app", "start"]

app = typer.Typer(
    name="nola",
    help="Nola, a personal assistant that runs on your machine and remembers.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=CONTEXT,
)


@app.callback(invoke_without_command=True, help="Nola, a personal assistant that runs on your machine and remembers.")
@guarded
def start(
    ctx: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    """Without a command, start a conversation, as `nola chat` does."""
    if version:
        output.write(f"nola {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        desk = desk_of(ctx)
        converse(desk, Talk(desk, Wishes()), Teller())


for _one in (chat, context, init, doctor, where):
    command(app)(_one)
for _group, _name in (
    (state.group, "state"),
    (history.group, "history"),
    (model.group, "model"),
    (config.group, "config"),
    (evaluation.group, "eval"),
):
    app.add_typer(_group, name=_name)
