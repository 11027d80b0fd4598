"""`nola eval`: runs the measurements that the documentation quotes."""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nola.cli import evaluation_memory, output
from nola.cli.command import command, noun
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson, ModelOption
from nola.types import Profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.evaluation.levels import Miss
    from nola.evaluation.personas import Answer, PersonaReport

__all__ = ["group", "levels", "persona"]

group = noun("Measure how well Nola does, on labelled data.")
command(group)(evaluation_memory.memory)


@command(group)
def levels(
    ctx: typer.Context,
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Labelled messages, as JSON.")],
    as_json: AsJson = False,
) -> None:
    """Measure how often the context level is right, and list every miss.

    FILE is a list of {"text", "level", "lang", "history": [{"user", "level", "assistant"}]}.

    Examples:
      nola eval levels tests/fixtures/levels/own.json
    """
    from nola.evaluation.levels import evaluate_levels, load_labelled  # noqa: PLC0415 -- keeps start-up fast

    settings = desk_of(ctx).config.settings
    report = evaluate_levels(
        load_labelled(file), profile=Profile(settings.context.profile), deep_turns=settings.chat.deep_turns
    )
    shares: dict[str, Any] = {
        "all": report.overall,
        **{f"level {int(level)}": share for level, share in report.by_level.items()},
        **{f"language {language}": share for language, share in report.by_language.items()},
    }
    if as_json:
        told = {name: {"right": s.right, "total": s.total, "accuracy": s.accuracy} for name, s in shares.items()}
        output.document({"shares": told, "misses": [_miss(miss) for miss in report.misses]})
        return
    rows = [(name, str(s.right), str(s.total), f"{s.accuracy:.1%}") for name, s in shares.items()]
    output.table(("messages", "right", "of", "share"), rows, right=("right", "of", "share"))
    for miss in report.misses:
        output.write(str(miss))


@command(group)
def persona(
    ctx: typer.Context,
    *,
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER", help="Each with state/ and questions.json.")],
    model: ModelOption = None,
    as_json: AsJson = False,
) -> None:
    """Ask a persona's labelled questions, and tell how many came out right.

    Works on a copy; what Nola knows about you is neither read nor changed. With --model none only what code does is
    measured.

    Examples:
      nola eval persona tests/fixtures/personas/mara --model none
      nola eval persona tests/fixtures/personas/* --json > report.json
    """
    desk = desk_of(ctx)
    reports = [_measured(desk, folder, model) for folder in folders]
    if as_json:
        output.document([_report_document(report) for report in reports])
        return
    rows = [row for report in reports for row in _rows(report)]
    output.table(("persona", "questions", "right", "of", "in context", "by model", "quoted"), rows, right=_NUMBERS)
    for report in reports:
        for answer in report.answers:
            if not answer.right:
                output.write(f"{report.name}, {answer.asked.kind}: {answer.asked.text}\n    {_one_line(answer.reply)}")


_NUMBERS = ("right", "of", "in context", "by model", "quoted")


def _measured(desk: Desk, folder: Path, model: str | None) -> "PersonaReport":
    from nola.evaluation import personas  # noqa: PLC0415 -- keeps start-up fast

    known = personas.load(folder)
    with tempfile.TemporaryDirectory(prefix="nola-eval-") as temporary:
        home = Path(temporary)
        (home / "models").symlink_to(desk.config.models_dir)  # writes: a link in a folder that is deleted afterwards
        personas.install(known, home / "state")
        assistant = desk.another(replace(desk.config, home=home, now=known.now))
        try:
            return personas.evaluate(known, assistant, model=model, progress=_progress(known.name))
        finally:
            assistant.close()


def _progress(name: str) -> "Callable[[int, int], None]":
    """Tell on stderr how many questions are done: every one on a terminal, else the last."""
    live = output.coloured(sys.stderr)

    def told(done: int, total: int) -> None:
        if live:
            sys.stderr.write(f"\r{name}: {done} of {total}" + ("\n" if done == total else ""))
        elif done == total:
            output.say(f"{name}: {total} questions asked")

    return told


def _rows(report: "PersonaReport") -> list[tuple[str, ...]]:
    rows = []
    for kind in dict.fromkeys(answer.asked.kind for answer in report.answers):
        answers = report.of(kind)
        counts = [sum(bool(getattr(a, what)) for a in answers) for what in ("injected", "by_model", "by_quote")]
        right = sum(answer.right for answer in answers)
        rows.append((report.name, kind, str(right), str(len(answers)), *map(str, counts)))
    return rows


def _report_document(report: "PersonaReport") -> dict[str, Any]:
    return {"persona": report.name, "answers": [_answer(answer) for answer in report.answers]}


def _answer(answer: "Answer") -> dict[str, Any]:
    return {
        "kind": answer.asked.kind,
        "text": answer.asked.text,
        "right": answer.right,
        "injected": answer.injected,
        "by_model": answer.by_model,
        "by_quote": answer.by_quote,
        "unknown": answer.unknown,
        "refused": answer.refused,
        "outdated": answer.outdated,
        "reply": answer.reply,
    }


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _miss(miss: "Miss") -> dict[str, Any]:
    return {"text": miss.item.text, "wanted": int(miss.item.level), "got": int(miss.got), "why": miss.why}
