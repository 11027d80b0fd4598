"""Puts the `nola` command together, with all of its commands or with the one that is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from nola import __version__
from nola.cli import output
from nola.cli.command import CONTEXT, command, guarded
from nola.cli.desk import desk_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "assemble"]

COMMANDS = {
    "chat": "chat",
    "context": "context",
    "init": "init",
    "doctor": "doctor",
    "where": "where",
    "export": "transfer",
    "import": "transfer",
    "state": "state",
    "memory": "memory",
    "history": "history",
    "backup": "backup",
    "model": "model",
    "config": "config",
    "daemon": "daemon",
    "eval": "evaluation",
}
"""Each command, and the module that holds it: as `group` when it has commands of its own, else under its name."""

_HELP = """Nola, a personal assistant that runs on your machine and remembers.

Without a command, nola starts a conversation.
"""


def assemble(asked: "Sequence[str]" = ()) -> typer.Typer:
    """Make the `nola` command.

    Args:
        asked: The first argument, if there is one; a command's name loads that command alone, which starts faster.
    """
    alone = [name for name in asked if name in COMMANDS]
    app = typer.Typer(
        name="nola",
        help=_HELP,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=CONTEXT,
        add_completion=not alone,
    )
    app.callback(invoke_without_command=True, help=_HELP)(_start)
    for name in alone or COMMANDS:
        module = import_module(f"nola.cli.{COMMANDS[name]}")  # keeps start-up fast
        if hasattr(module, "group"):
            app.add_typer(module.group, name=name)
        else:
            command(app)(getattr(module, name))
    return app


@guarded
def _start(
    ctx: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        output.write(f"nola {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        from nola.cli.chat import converse  # noqa: PLC0415 -- keeps start-up fast
        from nola.cli.reply import Teller  # noqa: PLC0415 -- keeps start-up fast
        from nola.cli.talk import Talk, Wishes  # noqa: PLC0415 -- keeps start-up fast

        desk = desk_of(ctx)
        converse(desk, Talk(desk, Wishes()), Teller(lines=True))
