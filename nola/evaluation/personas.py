"""Measures a whole persona: are the needed facts injected, answered, admitted as unknown, and told at their newest."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from nola.clock import parse_instant
from nola.errors import UsageError
from nola.flow import Stimulus, TurnResult
from nola.text import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from nola.flow import ContextReport, Event

__all__ = ["KINDS", "Answer", "Answerer", "Asked", "Persona", "PersonaReport", "evaluate", "install", "load"]

KINDS = ("known", "unknown", "changed", "general")
_REFUSALS = (
    "i don't know",
    "i do not know",
    "nothing noted",
    "i don't have",
    "i do not have",
    "i'm sorry",
    "cannot provide",
)


class Answerer(Protocol):
    """The part of an assistant that is measured."""

    def turn(self, stimulus: Stimulus) -> Iterator[Event]:
        """Answer a message."""

    def context(self, stimulus: Stimulus) -> ContextReport:
        """Choose the context for a message."""

    def close(self) -> None:
        """Let go of what it holds."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One labelled question.

    Attributes:
        kind: known, unknown, changed or general.
        text: The question.
        needs: Paths of the facts that answer it.
        accepted: Texts of which a right answer holds one.
        outdated: Texts of older values.
    """

    kind: str
    text: str
    needs: tuple[str, ...]
    accepted: tuple[str, ...]
    outdated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Persona:
    """A folder with `state/` and `questions.json`."""

    name: str
    state: Path
    now: datetime
    questions: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question.

    Attributes:
        asked: The question.
        injected: The needed facts were in the context.
        by_model: The model's own words hold an accepted text.
        by_quote: What code added or said holds one.
        unknown: It was named as unknown.
        refused: The reply says that it does not know.
        outdated: The reply holds an older value and not the newer one.
        reply: The reply.
    """

    asked: Asked
    injected: bool
    by_model: bool
    by_quote: bool
    unknown: bool
    refused: bool
    outdated: bool
    reply: str

    @property
    def right(self) -> bool:
        """Whether the question came out as it should."""
        if self.asked.kind == "unknown":
            return self.unknown
        if self.asked.kind == "general":
            return not self.unknown
        return (self.by_model or self.by_quote) and not self.unknown


@dataclass(frozen=True, slots=True)
class PersonaReport:
    """All answers of one persona."""

    name: str
    answers: tuple[Answer, ...]

    def of(self, kind: str) -> list[Answer]:
        """Return the answers of one kind."""
        return [a for a in self.answers if a.asked.kind == kind]

    def share(self, kind: str, what: str = "right") -> float:
        """Return the share of a kind's answers for which an attribute is true, 0 when there are none."""
        rows = self.of(kind)
        return sum(bool(getattr(a, what)) for a in rows) / len(rows) if rows else 0.0


def load(folder: Path) -> Persona:
    """Read a persona.

    Raises:
        UsageError: The folder does not hold one.
    """
    try:
        raw = orjson.loads((folder / "questions.json").read_bytes())
        now = parse_instant(raw.get("now", "2026-11-20T09:00:00+00:00"))
        questions = tuple(_asked(kind, item) for kind in KINDS for item in raw.get(kind, ()))
    except (OSError, orjson.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
        raise UsageError(
            f"{folder} is no persona: {error}",
            fix="it holds state/user.json and questions.json with known, unknown ...",
        ) from None
    return Persona(folder.name, folder / "state", now, questions)


def install(persona: Persona, state_dir: Path) -> None:
    """Copy a persona's modules into an empty state folder."""
    shutil.copytree(persona.state, state_dir, dirs_exist_ok=True)  # writes: a measurement's own folder, made for it


def evaluate(
    persona: Persona,
    assistant: Answerer,
    *,
    model: str | None = None,
    speak: bool = True,
    kinds: Sequence[str] = KINDS,
    progress: Callable[[int, int], None] | None = None,
) -> PersonaReport:
    """Ask all questions, each in a conversation of its own.

    Args:
        persona: What is asked.
        assistant: Who answers; its state folder holds the persona.
        model: Name of the model, None for the default.
        speak: False looks at the contexts only and calls no model.
        kinds: Which questions are asked.
        progress: Gets questions done and questions in all.
    """
    asked = [a for a in persona.questions if a.kind in kinds]
    answers = []
    for number, question in enumerate(asked, 1):
        stimulus = Stimulus(question.text, persona.now, model=model, learn=False)
        answers.append(
            _spoken(question, stimulus, assistant) if speak else _looked(question, assistant.context(stimulus))
        )
        if progress:
            progress(number, len(asked))
    return PersonaReport(persona.name, tuple(answers))


def _spoken(question: Asked, stimulus: Stimulus, assistant: Answerer) -> Answer:
    result: TurnResult | None = None
    for event in assistant.turn(stimulus):
        if isinstance(event, TurnResult):
            result = event
    if result is None:
        return _looked(question, assistant.context(stimulus))
    own = result.reply.removesuffix(result.quoted) if result.model.provider not in {"code", "none"} else ""
    by_model, whole = _holds(own, question.accepted), _holds(result.reply, question.accepted)
    low = fold(result.reply)
    return Answer(
        asked=question,
        injected=_injected(question, result.report),
        by_model=by_model,
        by_quote=whole and not by_model,
        unknown=bool(result.report.unknown),
        refused=bool(result.report.unknown) or any(r in low for r in _REFUSALS),
        outdated=_holds(result.reply, question.outdated) and not whole,
        reply=result.reply,
    )


def _looked(question: Asked, report: ContextReport) -> Answer:
    injected = _injected(question, report)
    unknown = bool(report.unknown)
    return Answer(
        question, injected, by_model=False, by_quote=False, unknown=unknown, refused=unknown, outdated=False, reply=""
    )


def _injected(question: Asked, report: ContextReport) -> bool:
    paths = {fact.path for fact in report.selected}
    if question.needs and all(any(_same(p, need) for p in paths) for need in question.needs):
        return True
    return any(_holds(fact.text, question.accepted) for fact in report.selected)


def _same(path: str, need: str) -> bool:
    one, other = path.replace('"', ""), need.replace('"', "")
    return one == other or other.startswith(f"{one}.") or one.startswith(f"{other}.")


def _holds(text: str, accepted: Sequence[str]) -> bool:
    low = fold(text)
    return any(fold(a) in low for a in accepted)


def _asked(kind: str, item: Mapping[str, Any]) -> Asked:
    accepted = (*item.get("answer", ()), *item.get("new", ()))
    return Asked(kind, item["q"], tuple(item.get("needs", ())), accepted, tuple(item.get("old", ())))
