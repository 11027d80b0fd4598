"""`nola context`: shows what a message would be answered from, and calls no model."""

from typing import Annotated

import typer

from nola.cli import output
from nola.cli.context_table import SHOWN, show_report
from nola.cli.desk import desk_of
from nola.cli.message import checked, whole_stdin
from nola.cli.options import AsJson, LevelOption, StimuliOption
from nola.cli.talk import Wishes, stimulus
from nola.documents import context_document

__all__ = ["context"]


def context(
    ctx: typer.Context,
    *,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The message; - reads all of stdin.")],
    level: LevelOption = None,
    stimuli_type: StimuliOption = None,
    everything: Annotated[bool, typer.Option("--all", help="List all that was left out, not only 20.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a message would be answered from.

    Prints the level of the message and why, every candidate with its four factors, its tokens, whether it goes in and
    why not, and what nothing is known about. An empty message shows what is in mind anyway. Calls no model and changes
    nothing.

    Examples:
      nola context "What is my dog's name?"
      nola context --level 3 --all "How has my sleep changed?"
      nola context --json "Where do I live?" | jq '.context[].path'
    """
    desk = desk_of(ctx)
    limit = desk.config.settings.chat.max_bytes
    message = whole_stdin(limit, may_be_empty=True) if text == "-" else checked(text, limit, may_be_empty=True)
    report = desk.assistant.context(stimulus(desk, message, Wishes(level, stimuli_type)))
    if as_json:
        output.document(context_document(report))
    else:
        show_report(report, most=None if everything else SHOWN)
