"""`nola init`: a first conversation that fills in who the owner is, or the same answers as options."""

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from nola.cli import output
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson
from nola.documents import receipt_document
from nola.errors import UsageError
from nola.flow import Receipt
from nola.state import paths
from nola.types import Json

__all__ = ["QUESTIONS", "Question", "init"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the first conversation.

    Attributes:
        name: The option that answers it.
        place: Where the answer belongs in user.json when the owner has no place for it yet.
        words: What is asked.
        several: The answer is a list, separated by commas.
    """

    name: str
    place: str
    words: str
    several: bool = False


QUESTIONS = (
    Question("name", "name", "What shall I call you?"),
    Question("city", "home.city", "In which town or city do you live?"),
    Question("language", "language", "Which language do you like to be spoken to in?"),
    Question("work", "work.job", "What do you do for a living?"),
    Question("likes", "likes", "What do you like? (separated by commas)", several=True),
    Question("dislikes", "dislikes", "And what not?", several=True),
)


def init(
    ctx: typer.Context,
    *,
    name: Annotated[str | None, typer.Option(help="What Nola calls you.")] = None,
    city: Annotated[str | None, typer.Option(help="Where you live.")] = None,
    language: Annotated[str | None, typer.Option(help="The language you like to be spoken to in.")] = None,
    work: Annotated[str | None, typer.Option(help="What you do for a living.")] = None,
    likes: Annotated[list[str] | None, typer.Option(help="Something you like; may be given several times.")] = None,
    dislikes: Annotated[list[str] | None, typer.Option(help="Something you don't; may be given several times.")] = None,
    as_json: AsJson = False,
) -> None:
    """Get to know each other: name, city, language, work and a few preferences go into user.json.

    Every question can be skipped with Enter, and shows what is known already. With options nothing is asked.

    Examples:
      nola init
      nola init --name Mara --city Porto --work "bicycle mechanic" --likes tea --likes "long walks"
    """
    desk = desk_of(ctx)
    given: dict[str, str | list[str] | None] = {
        "name": name,
        "city": city,
        "language": language,
        "work": work,
        "likes": likes,
        "dislikes": dislikes,
    }
    if not any(given.values()):
        if not (output.on_terminal(sys.stdin) and output.on_terminal(sys.stderr)):
            raise UsageError(
                "there is no terminal to ask at", fix="answer by options, for example: nola init --name Mara"
            )
        given = _asked(desk)
    receipts = [r for q in QUESTIONS if (r := _saved(desk, q, given[q.name])) is not None]
    if as_json:
        output.document([receipt_document(receipt) for receipt in receipts])
        return
    for receipt in receipts:
        output.write(output.receipt_line(receipt))
    if not receipts:
        output.say("nothing was changed")


def _asked(desk: Desk) -> dict[str, str | list[str] | None]:
    output.say("A few questions, so that I know who I am talking to. Enter skips one, Ctrl-D the rest.")
    answers: dict[str, str | list[str] | None] = {question.name: None for question in QUESTIONS}
    for question in QUESTIONS:
        known = _known(desk, question)[1]
        shown = f" [{output.printable(_shown(known))}]" if known not in (None, "", []) else ""
        sys.stderr.write(f"{question.words}{shown} ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            sys.stderr.write("\n")
            break
        text = line.strip()
        answers[question.name] = [item.strip() for item in text.split(",")] if question.several else text
    return answers


def _saved(desk: Desk, question: Question, answer: str | list[str] | None) -> Receipt | None:
    """Write one answer unless it is empty or known already; items are added to a list, never put in its place."""
    path, known = _known(desk, question)
    value: Json
    if isinstance(answer, list):
        old = known if isinstance(known, list) else [] if known is None else [known]
        fresh: list[Json] = []
        fresh += [item for item in dict.fromkeys(answer) if item and item not in old]
        value = [*old, *fresh] if fresh else known
    else:
        value = answer.strip() if answer else known
    if value is None or value == known:
        return None
    return desk.assistant.set_state(path, value, who="owner")


def _known(desk: Desk, question: Question) -> tuple[str, Json]:
    """Return the path where the owner keeps this, or where it belongs, and what stands there."""
    from nola.memory.learn_paths import find  # noqa: PLC0415 -- keeps start-up fast

    user = desk.assistant.get_state("user")
    spot = find(user if isinstance(user, dict) else {}, question.place)
    if spot is None or (isinstance(spot.value, dict) or (isinstance(spot.value, list) and not question.several)):
        return paths.render(("user", *question.place.split("."))), None
    return paths.render(("user", *spot.keys)), spot.value


def _shown(known: Json) -> str:
    if isinstance(known, list):
        return ", ".join(str(item) for item in known)
    return str(known)
