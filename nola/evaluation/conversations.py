"""Reads long conversations with questions whose evidence is labelled: LoCoMo's public JSON, or the same prepared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import orjson

from nola.errors import DocumentError
from nola.llm.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["Conversation", "Question", "Turn", "load_conversations"]

_SESSION = re.compile(r"session_(\d+)")
_PLACE = re.compile(r"D:?(\d+):(\d+)")
_SAID_AT = "%I:%M %p on %d %B, %Y"
_UNANSWERABLE = 5
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation.

    Attributes:
        id: Its name in the labels.
        speaker: Who said it.
        text: What was said, and what a picture that was shown shows.
        session: The sitting that it belongs to.
        at: When it was said.
        line: The same as one line of a transcript, with date and speaker.
        tokens: What the line costs.
    """

    id: str
    speaker: str
    text: str
    session: str
    at: datetime
    line: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the turns that answer it, and what kind of question it is."""

    text: str
    evidence: frozenset[str]
    category: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A long conversation and the questions about it that have evidence."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    @property
    def asked_at(self) -> datetime:
        """When the questions are asked: a day after the last turn."""
        return max(turn.at for turn in self.turns) + timedelta(days=1)


def load_conversations(path: Path) -> tuple[Conversation, ...]:
    """Read conversations; what can't be answered and what names no turn as evidence is left out.

    Args:
        path: A JSON file: LoCoMo's list of `{"sample_id", "conversation": {"session_1_date_time", "session_1":
            [{"dia_id", "speaker", "text", "blip_caption"}]}, "qa": [{"question", "evidence", "category"}]}`, or
            `{"convs": [{"conv", "memories": [{"id", "text", "ts", "speaker", "session", "ntok"}], "queries": [{"text",
            "gold", "cat", "answerable"}]}]}`.

    Returns:
        The conversations in the file's order.

    Raises:
        DocumentError: The file is no JSON, has another form, or lacks what is needed.
    """
    try:
        raw = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise DocumentError(path.name, error.lineno, error.colno, error.msg) from error
    prepared = isinstance(raw, dict) and isinstance(raw.get("convs"), list)
    items = raw["convs"] if prepared else raw
    if not isinstance(items, list):
        raise DocumentError(path.name, 0, 0, "a list of conversations in LoCoMo's format was expected")
    read = _prepared if prepared else _public
    made: dict[str, Conversation] = {}
    for number, item in enumerate(items, 1):
        try:
            one = read(item)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            why = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
            raise DocumentError(path.name, 0, 0, f"conversation {number} is not as it should be ({why})") from error
        if one.name in made:
            raise DocumentError(path.name, 0, 0, f"two conversations are called {one.name}")
        made[one.name] = one
    if not any(one.questions for one in made.values()):
        raise DocumentError(path.name, 0, 0, "it holds no question whose evidence is among its turns")
    return tuple(one for one in made.values() if one.questions)


def _public(item: Mapping[str, Any]) -> Conversation:
    told = item["conversation"]
    numbers = sorted(int(found[1]) for key in told if (found := _SESSION.fullmatch(key)))
    turns = []
    for number in numbers:
        began = datetime.strptime(told[f"session_{number}_date_time"].strip(), _SAID_AT).replace(tzinfo=UTC)
        for place, turn in enumerate(told[f"session_{number}"]):
            shown = turn.get("blip_caption")
            text = f"{turn['text']} [shares {shown}]".strip() if shown else turn["text"].strip()
            at = began + timedelta(minutes=place)
            line = f"[{at:%d %b %Y}] {turn['speaker']}: {text}"
            turns.append(Turn(turn["dia_id"], turn["speaker"], text, f"session-{number}", at, line, estimate(line)))
    questions = [
        Question(one["question"], _places(one["evidence"], turns), _CATEGORIES.get(one.get("category"), ""))
        for one in item["qa"]
        if one.get("category") != _UNANSWERABLE
    ]
    return _checked(item["sample_id"], turns, questions)


def _places(evidence: Iterable[str], turns: Iterable[Turn]) -> frozenset[str]:
    """Return the turns that labels name, also where two stand in one text, or a number is written as `D3:07`."""
    ids = {turn.id for turn in turns}
    found = set()
    for label in evidence:
        if label in ids:
            found.add(label)
        else:
            found |= {f"D{int(session)}:{int(turn)}" for session, turn in _PLACE.findall(label)}
    return frozenset(found)


def _prepared(item: Mapping[str, Any]) -> Conversation:
    turns = []
    for turn in item["memories"]:
        line, speaker = turn["text"], turn["speaker"]
        head, named, said = line.partition(f"] {speaker}: ")
        text = said if named and head.startswith("[") else line
        at = datetime.fromisoformat(turn["ts"])
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        tokens = turn.get("ntok") or estimate(line)
        turns.append(Turn(turn["id"], speaker, text.strip(), f"session-{turn['session']}", at, line, tokens))
    questions = [
        Question(one["text"], frozenset(one["gold"]), one.get("cat", ""))
        for one in item["queries"]
        if one.get("answerable", True)
    ]
    return _checked(item["conv"], turns, questions)


def _checked(name: object, turns: list[Turn], questions: list[Question]) -> Conversation:
    said = [turn for turn in turns if turn.text]
    ids = {turn.id for turn in said}
    if len(ids) < len(said):
        raise ValueError("two of its turns have the same id")
    known = [Question(one.text, one.evidence & ids, one.category) for one in questions]
    return Conversation(str(name), tuple(said), tuple(one for one in known if one.evidence))
