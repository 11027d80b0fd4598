"""Choose the context level of a message: rules first, then a small learned choice among what they leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.context.level_features import Thread, features, thread_of
from nola.context.level_model import Weights, lexicon, probabilities, weights
from nola.context.level_reading import Reading, read
from nola.errors import UsageError
from nola.flow import LevelChoice
from nola.types import Level, Profile, StimuliType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nola.flow import Exchange

__all__ = ["choose_level", "is_greeting", "parse_level", "parse_stimuli_type"]

_BY_TYPE = {
    StimuliType.ANALYTICAL: Level.DEEP,
    StimuliType.CONVERSATIONAL: Level.CONVERSATION,
    StimuliType.REALTIME: Level.QUICK,
}
_LITERAL_DEEP = ("analyze", "explain", "why do i", "tell me about my", "history", "pattern", "reflect")
_LITERAL_QUICK = ("hi", "hello", "hey", "thanks", "bye", "ok", "sure")
_CALLED = {
    "ABOUT": "asks to be told", "ANALYSE": "looks into", "ASKYOU": "asks Nola about herself", "BIG": "a big thing",
    "CHANGE": "change", "CHAT": "small talk", "CONTINUE": "goes on", "CMD": "an order", "DAILY": "an everyday thing",
    "DECIDE": "a decision", "DECLINE": "declines", "BRIEF": "wants it short", "EVAL": "judges", "EXPLAIN": "asks what",
    "FACT": "looks a fact up", "FALSE": "a word that only looks deep", "FEEL": "a feeling", "HABIT": "a habit",
    "HOWTO": "asks how", "LIFE": "life", "MACHINE": "the machine", "MAKES": "what makes one", "MORE": "compares",
    "ORG": "an order", "PAST": "then", "PATTERN": "a pattern", "PLAY": "play", "SINCE": "over time",
    "STATE": "tells something", "SUBJECT": "the owner", "TIME": "a time", "TOPIC": "the owner's days",
    "WHQ": "a question", "WHY": "why", "YESNO": "a question", "ACK": "takes note", "BYE": "farewell",
    "AMI": "how one is", "CAUSED": "follows up", "DUE": "a choice that is due", "KIND": "what kind", "ROLE": "a role",
    "SERIES": "figures", "SPAN": "a stretch of time", "TILLNOW": "up to now",
    "GREET": "greeting", "LAUGH": "laughter", "PRAISE": "praise", "THANKS": "thanks", "WISH": "good wishes",
}  # fmt: skip
_EMPTY = frozenset(("THATREF", "AND", "FILLER", "NEG"))
_REASONS = 3


def parse_level(value: object) -> Level:
    """Read a level as a caller gives it.

    Args:
        value: 1, 2 or 3, or the same as text.

    Returns:
        The level.

    Raises:
        UsageError: It is no level.
    """
    text = str(value).strip()
    if not isinstance(value, bool) and text in ("1", "2", "3"):
        return Level(int(text))
    raise UsageError(f"unknown level {_shown(value)}: choose 1, 2 or 3")


def parse_stimuli_type(value: object) -> StimuliType:
    """Read a stimuli type as a caller gives it.

    Args:
        value: `analytical`, `conversational` or `realtime`, in any case.

    Returns:
        The stimuli type; analytical asks for level 3, conversational for 2, realtime for 1 (E24).

    Raises:
        UsageError: It is no stimuli type.
    """
    try:
        return StimuliType(str(value).strip().lower())
    except ValueError:
        raise UsageError(
            f"unknown stimuli type {_shown(value)}: choose analytical, conversational or realtime"
        ) from None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004 - an error stays one line


def choose_level(
    text: str,
    history: Sequence[Exchange] = (),
    *,
    level: Level | None = None,
    stimuli_type: StimuliType | None = None,
    profile: Profile = Profile.NOLA,
    deep_turns: int = 4,
) -> LevelChoice:
    """Choose how deep a message asks to look (E03, E24-E26, E61, E-43).

    Args:
        text: The message, any text at all.
        history: Earlier turns of the conversation, oldest first.
        level: The caller's own choice; it wins.
        stimuli_type: The caller's word for what the message needs; it wins over the text.
        profile: `hea` follows the source document's Appendix B to the letter.
        deep_turns: How many turns back a deep thread can be followed up.

    Returns:
        The level and a short reason.
    """
    if level is not None:
        return LevelChoice(Level(level), f"asked for level {int(level)}")
    if stimuli_type is not None:
        return LevelChoice(_BY_TYPE[stimuli_type], f"stimuli type {stimuli_type.value}")
    if profile is Profile.HEA:
        return _literal(text)
    recent = list(history)[-deep_turns:] if deep_turns > 0 else []
    known = lexicon()
    readings = [read(exchange.user, known) for exchange in recent]
    earlier = [word for reading in readings for word in reading.words]
    reading = read(text, known, earlier)
    thread = thread_of(recent, readings, deep_turns)
    return _by_rule(text, reading, thread) or _learned(reading, thread, weights())


def is_greeting(text: str) -> bool:
    """Say whether a message asks and tells nothing: a greeting, thanks, or no words at all."""
    return not read(text, lexicon()).requests


def _literal(text: str) -> LevelChoice:
    """Follow Appendix B of the source document, substrings and all."""
    lowered = text.lower()
    for trigger in _LITERAL_DEEP:
        if trigger in lowered:
            return LevelChoice(Level.DEEP, f'Appendix B: "{trigger}"')
    for trigger in _LITERAL_QUICK:
        if lowered.strip() == trigger:
            return LevelChoice(Level.QUICK, f'Appendix B: "{trigger}"')
    return LevelChoice(Level.CONVERSATION, "Appendix B: nothing else fits")


def _by_rule(text: str, reading: Reading, thread: Thread) -> LevelChoice | None:
    """Decide what needs no weighing, or leave it open."""
    if not reading.clauses:
        return _wordless(text, thread)
    if reading.requests:
        blank = not thread.last and all(c.concepts <= _EMPTY | {"CONTINUE"} for c in reading.clauses)
        return LevelChoice(Level.CONVERSATION, "nothing points elsewhere") if blank else None
    said = _quoted(reading.words)
    agrees = any("ASSENT" in clause.concepts for clause in reading.clauses)
    if agrees and thread.asked and thread.last > Level.QUICK:
        return LevelChoice(Level(thread.last), f"agrees to what Nola asked: {said}")
    if thread.deep:
        return LevelChoice(Level.QUICK, f"closes the thread: {said}")
    return LevelChoice(Level.QUICK, f"needs nothing of the owner: {said}")


def _wordless(text: str, thread: Thread) -> LevelChoice:
    if "?" in text and thread.last > Level.QUICK:
        return LevelChoice(Level(thread.last), "a bare question mark goes on with the thread")
    if text.strip(" \t\r\n\0?"):
        return LevelChoice(Level.QUICK, "no words, only signs")
    return LevelChoice(Level.CONVERSATION, "nothing was said")


def _learned(reading: Reading, thread: Thread, learned: Weights) -> LevelChoice:
    found = features(reading, thread)
    chances = probabilities(found, learned)
    declined = [found[name] for name in ("has DECLINE",) if name in found]
    if declined:
        chances[Level.DEEP] = 0.0
    best = max(chances, key=lambda level: chances[level])
    reasons = [f'declines to look deeper ("{declined[0]}")'] if declined else []
    reasons += [r for r in _reasons(found, best, learned) if not r.startswith("declines")]
    if thread.last > Level.QUICK and best == thread.last and not reading.hits:
        reasons.append(f"follows a turn of level {thread.last}")
    share = chances[best] / sum(chances.values())
    return LevelChoice(best, f"{'; '.join(reasons) or 'nothing points elsewhere'} ({share:.0%} sure)")


def _reasons(found: Mapping[str, str], level: Level, learned: Weights) -> list[str]:
    """Name the signs that spoke most for a level, with their words."""
    gains: dict[str, float] = {}
    for name, words in found.items():
        label = _label(name)
        weight = learned.features.get(name)
        if label and words and weight:
            gain = weight[level - 1] - max(w for i, w in enumerate(weight) if i != level - 1)
            shown = f"{label} {_quoted(words.split())}"
            gains[shown] = gains.get(shown, 0.0) + gain
    ranked = sorted((g, r) for r, g in gains.items() if g > 0)
    return [reason for _, reason in ranked[::-1][:_REASONS]]


def _label(name: str) -> str:
    """Turn a feature's name into words; an empty text when it is nothing to show."""
    kind, _, rest = name.partition(" ")
    if kind == "rule":
        return rest
    return _CALLED.get(rest, "") if kind in ("has", "first") else ""


def _quoted(words: Sequence[str]) -> str:
    shown = " ".join(words)
    return f'"{shown}"' if len(shown) <= 60 else f'"{shown[:57]}..."'  # noqa: PLR2004 - a reason stays one line
