"""Measure the choice of context level on labelled messages (E46)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nola.context.level import choose_level
from nola.errors import DocumentError
from nola.flow import Exchange
from nola.types import Level, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Labelled", "LevelReport", "Miss", "Share", "evaluate_levels", "load_labelled"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message with its history and the level that a person gave it."""

    text: str
    level: Level
    history: tuple[Exchange, ...] = ()
    language: str = "en"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of a group were right."""

    right: int
    total: int

    @property
    def accuracy(self) -> float:
        """Right of total, 1 when the group is empty."""
        return self.right / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class Miss:
    """A message that got another level than its label, and the reason given."""

    item: Labelled
    got: Level
    why: str

    def __str__(self) -> str:
        before = " | ".join(f"{e.user} ({int(e.level)})" for e in self.item.history)
        said = f"{before} >> {self.item.text}" if before else self.item.text
        return f"wanted {int(self.item.level)}, got {int(self.got)} [{self.item.language}] {said} -- {self.why}"


@dataclass(frozen=True, slots=True)
class LevelReport:
    """What a labelled file says about the choice of level.

    Attributes:
        overall: All messages.
        by_level: Wanted level -> its messages.
        by_language: Language -> its messages.
        confusion: (wanted, got) -> how many.
        misses: Every message that went wrong, in the file's order.
    """

    overall: Share
    by_level: Mapping[Level, Share]
    by_language: Mapping[str, Share]
    confusion: Mapping[tuple[Level, Level], int]
    misses: tuple[Miss, ...]


def load_labelled(path: Path) -> tuple[Labelled, ...]:
    """Read labelled messages.

    Args:
        path: A JSON file: a list of `{"history": [{"user", "level", "assistant"}], "text", "level", "lang"}`.

    Returns:
        The messages in the file's order.

    Raises:
        DocumentError: The file is no JSON, or an item lacks what it needs.
    """
    try:
        raw = json.loads(path.read_text("utf-8"))
    except json.JSONDecodeError as error:
        raise DocumentError(path.name, error.lineno, error.colno, error.msg) from error
    except UnicodeDecodeError as error:
        raise DocumentError(path.name, 0, 0, "not UTF-8 text") from error
    if not isinstance(raw, list):
        raise DocumentError(path.name, 0, 0, "a list of labelled messages was expected")
    return tuple(_labelled(path.name, number, item) for number, item in enumerate(raw, start=1))


def _labelled(file: str, number: int, item: Any) -> Labelled:
    try:
        history = tuple(Exchange(e["user"], Level(e["level"]), e["assistant"]) for e in item.get("history", ()))
        return Labelled(item["text"], Level(item["level"]), history, item.get("lang", "en"), item.get("note", ""))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DocumentError(file, 0, 0, f"message {number} is not labelled as it should be ({error})") from error


def evaluate_levels(items: Sequence[Labelled], *, profile: Profile = Profile.NOLA, deep_turns: int = 4) -> LevelReport:
    """Choose the level of every message and compare it with its label.

    Args:
        items: Labelled messages.
        profile: The profile to measure.
        deep_turns: How many turns back a deep thread can be followed up.

    Returns:
        Accuracy overall, per level and per language, and every miss.
    """
    choices = [choose_level(i.text, i.history, profile=profile, deep_turns=deep_turns) for i in items]
    pairs = list(zip(items, (c.level for c in choices), strict=True))
    return LevelReport(
        overall=_share(pairs),
        by_level={level: _share([p for p in pairs if p[0].level == level]) for level in Level},
        by_language={
            language: _share([p for p in pairs if p[0].language == language])
            for language in sorted({i.language for i in items})
        },
        confusion={(want, got): sum(i.level == want and g == got for i, g in pairs) for want in Level for got in Level},
        misses=tuple(Miss(i, c.level, c.why) for i, c in zip(items, choices, strict=True) if c.level != i.level),
    )


def _share(pairs: Sequence[tuple[Labelled, Level]]) -> Share:
    return Share(sum(item.level == got for item, got in pairs), len(pairs))
