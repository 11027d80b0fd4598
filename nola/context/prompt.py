"""Builds what the model reads: a prefix that stays the same, then the conversation, then what changes each turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.flow import Message, Prompt
from nola.types import Role, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from nola.flow import ContextReport, Exchange

__all__ = ["Persona", "build_prompt"]

_PER_MESSAGE = 6
_LEAST_INPUT = 32
_CUT = " [...] "


@dataclass(frozen=True, slots=True)
class Persona:
    """Who answers, as Nola.json says: her name, her role and her manner."""

    name: str
    role: str
    manner: str


def build_prompt(
    persona: Persona,
    report: ContextReport,
    history: Sequence[Exchange],
    text: str,
    *,
    now: datetime,
    room: Tokens,
    count: Callable[[str], Tokens],
) -> Prompt:
    """Put a prompt together that fits into a window.

    The first system message never changes between turns, so that a model's prefix cache keeps it; facts and the time
    come in a second one, next to the owner's words, which stand unchanged unless they alone are too long (E10).

    Args:
        persona: Who answers.
        report: The facts that were chosen.
        history: Earlier turns, oldest first; the oldest are dropped first.
        text: What the owner typed.
        now: The time in the owner's zone.
        room: Tokens that the whole prompt may take.
        count: The token counter.
    """
    prefix = Message(Role.SYSTEM, _prefix(persona))
    facts = Message(Role.SYSTEM, _facts(report, now))
    trimmed: list[str] = []
    left = room - sum(count(m.content) + _PER_MESSAGE for m in (prefix, facts))
    asked = text
    if count(text) + _PER_MESSAGE > left:
        asked = _shorten(text, max(_LEAST_INPUT, left - _PER_MESSAGE), count)
        trimmed.append("your message is longer than the model's window: its middle was left out")
    left -= count(asked) + _PER_MESSAGE
    kept: list[Message] = []
    dropped = 0
    for exchange in reversed(history):
        pair = [Message(Role.USER, exchange.user), Message(Role.ASSISTANT, exchange.assistant)]
        cost = sum(count(m.content) + _PER_MESSAGE for m in pair)
        if dropped or cost > left:
            dropped += 1
            continue
        left -= cost
        kept = pair + kept
    if dropped:
        trimmed.append(f"{dropped} earlier turn{'s' if dropped > 1 else ''} did not fit and were left out")
    messages = (prefix, *kept, facts, Message(Role.USER, asked))
    return Prompt(messages, Tokens(sum(count(m.content) + _PER_MESSAGE for m in messages)), tuple(trimmed))


def _prefix(persona: Persona) -> str:
    return (
        f"You are {persona.name}, a {persona.role}. Your manner: {persona.manner}.\n"
        "You talk with your owner, who says I and my. Below you may get notes about your owner, written to them as you "
        "and your. Answer questions about them from the notes alone and repeat the exact words of the note, for "
        'example: "Your sister\'s name is Ana." Never say that you have no access to personal information. Never '
        "invent anything about your owner. Questions of general knowledge you answer from what you know. Answer "
        "in one or two sentences."
    )


def _facts(report: ContextReport, now: datetime) -> str:
    lines = []
    if report.selected:
        lines.append("Notes about your owner:")
        lines += [f"- {fact.text}" for fact in report.selected]
    if report.unknown:
        lines.append(f"There is no note about: {'; '.join(report.unknown)}.")
    lines.append(f"It is {now:%A, %d %B %Y, %H:%M}.")
    return "\n".join(lines)


def _shorten(text: str, room: int, count: Callable[[str], Tokens]) -> str:
    """Keep the beginning and the end of a text that is too long, by halving what is kept until it fits."""
    keep = len(text)
    while keep > 1:
        keep = keep * 3 // 4
        head = keep * 2 // 3
        short = text[:head] + _CUT + text[len(text) - (keep - head) :]
        if count(short) <= room:
            return short
    return ""
