"""`nola chat`: answers one message, a pipe of messages, or a person at a terminal."""

import sys
from dataclasses import replace
from typing import Annotated

import typer

from nola.cli import output
from nola.cli.desk import Desk, desk_of
from nola.cli.first_model import offer_model
from nola.cli.housekeeping import Housekeeping
from nola.cli.message import checked, stdin_lines, whole_stdin
from nola.cli.options import AsJson, LevelOption, ModelOption, StimuliOption
from nola.cli.reply import Teller
from nola.cli.talk import Talk, Wishes
from nola.errors import NolaError, UsageError
from nola.flow import TurnResult
from nola.types import ConversationId

__all__ = ["chat", "converse"]


def chat(
    ctx: typer.Context,
    *,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The message; - reads all of stdin as one.")
    ] = None,
    level: LevelOption = None,
    stimuli_type: StimuliOption = None,
    model: ModelOption = None,
    no_learn: Annotated[bool, typer.Option("--no-learn", help="Note nothing of what the message says.")] = False,
    continue_: Annotated[bool, typer.Option("--continue", "-c", help="Go on with the last conversation.")] = False,
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="ID", help="Go on with this conversation (nola history).")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the reply and nothing beside it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Answer one message, or hold a conversation when none is given.

    The reply is on stdout; receipts and notices are on stderr. Lines from a pipe are a conversation, one message each.
    With --json every turn is one document: indented for a single message, one per line in a conversation.

    Examples:
      nola chat "What is my dog's name?"
      nola chat --level 3 "How has my sleep changed since spring?"
      nola chat -c "And the year before?"
      nola chat - < letter.txt
      nola chat --json < questions.txt > answers.jsonl
    """
    desk = desk_of(ctx)
    wishes = Wishes(level, stimuli_type, model, learn=not no_learn)
    limit = desk.config.settings.chat.max_bytes
    message = None if text is None else (whole_stdin(limit) if text == "-" else checked(text, limit))
    talk = Talk(desk, wishes, _chosen(desk, conversation, latest=continue_))
    teller = Teller(quiet=quiet, as_json=as_json, lines=message is None)
    converse(desk, talk, teller, message, bare=as_json or quiet)


def converse(desk: Desk, talk: Talk, teller: Teller, message: str | None = None, *, bare: bool = False) -> None:
    """Answer one message, or as many as come.

    Args:
        desk: The desk.
        talk: The conversation.
        teller: Prints the turns.
        message: The only message, or None for a conversation.
        bare: A conversation at a terminal without greeting and prompt.

    Raises:
        typer.Exit: With 1 when not every message could be answered in full.
    """
    offer = offer_model(desk, talk.wishes.model)
    talk.wishes = replace(talk.wishes, model=offer.model)
    with Housekeeping(desk):
        well = _converse(desk, talk, teller, message, bare=bare)
    if offer.failed or not well:
        raise typer.Exit(1)


def _converse(desk: Desk, talk: Talk, teller: Teller, message: str | None, *, bare: bool) -> bool:
    if message is not None:
        return _is_whole(talk.send(message, teller))
    if output.on_terminal(sys.stdin) and output.on_terminal(sys.stdout) and not bare:
        from nola.cli.prompt import prompt  # noqa: PLC0415 -- keeps start-up fast

        return prompt(desk, talk, teller)
    return _answer_lines(talk, teller, desk.config.settings.chat.max_bytes)


def _answer_lines(talk: Talk, teller: Teller, limit: int) -> bool:
    """Answer every line of stdin; one that fails is told and does not stop the others."""
    well = True
    for line in stdin_lines(limit):
        try:
            well &= _is_whole(talk.send(line, teller))
        except NolaError as error:
            output.error(error)
            well = False
    return well


def _is_whole(result: TurnResult) -> bool:
    if not result.complete and not result.notices:
        output.say("nola: the reply broke off; what had come is kept")
    return result.complete


def _chosen(desk: Desk, asked: str | None, *, latest: bool) -> ConversationId | None:
    if asked is not None:
        if latest:
            raise UsageError("--continue and --conversation exclude each other", fix="leave one of them out")
        turns = desk.assistant.conversation(ConversationId(asked))
        if not turns:
            raise UsageError(f"no conversation has the id {asked!r}", fix="list them with: nola history")
        return turns[0].conversation
    if latest:
        last = desk.assistant.latest_conversation()
        if last is not None:
            return last
        output.say("note: there is no conversation yet, so this starts one")
    return None
