"""Memories as candidates beside the leaves of the state: what each says to the owner, and how well it answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.context.facts import Fact
from nola.flow import Candidate
from nola.text import fold
from nola.types import Place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from nola.flow import Remembered

__all__ = ["MEMORY_FILE", "Memories", "beside", "lifted", "memory_candidates", "memory_facts", "memory_path", "told"]

MEMORY_FILE = "memory.db"
"""Where a memory comes from, as a report names it."""

_INNATE_SALIENCE = 0.5
"""Relevance below which no innate memory falls: what always holds is told last, but told."""
_EVENTS = frozenset({"episodic", "sensory", "summary"})
_RELATIVE = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|now|currently|recently|lately|ago|earlier|later|just|soon"
    r"|(?:this|last|next|past|coming) (?:\w+ )?(?:day|night|morning|evening|afternoon|week|weekend|month|year|spring"
    r"|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:day|date|month|year|time)|how long|how old|since|ago|until|last|first|before|after|date)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|[Mm]y|[Mm]ine|[Mm]e|[Ww]e|[Oo]ur|[Oo]urs|[Uu]s|[Mm]yself)\b")
_POSSESSED = re.compile(
    r"^(?:formerly: )?(?:my|your|our|the) (?P<what>[\w'-]+(?: [\w'-]+){0,4}?)"
    r"(?::| (?:is|are|was|were)(?P<called> called| named)?) (?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_DOES = re.compile(
    r"^(?:[Mm]y|[Yy]our|[Oo]ur) (?P<who>[\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*) (?P<value>\w+ .+)$",
    re.DOTALL,
)
_DOES = re.compile(
    r"^(?:I|you|we)(?:'ve|'m| am| are| have)? (?P<verb>\w+(?: (?:in|at|as|to|for|from|on|with))?) (?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_FENCE = str.maketrans({"“": '"', "”": '"'})


@dataclass(frozen=True, slots=True)
class Memories:
    """What a message brought to mind.

    Attributes:
        now: The present, in the owner's zone.
        found: The memories, the best first.
        salient: They came because they are strong, not because they match.
        owner: The owner's name, if it is known.
    """

    now: datetime
    found: Sequence[Remembered] = ()
    salient: bool = False
    owner: str = ""


def memory_path(id_: str) -> str:
    """Return the name of a memory beside the dotted paths of the state."""
    return f"memory:{id_}"


def memory_candidates(memories: Sequence[Remembered], now: datetime) -> list[Candidate]:
    """Return memories as candidates: an innate one stands as high as Nola.json, a learned one below it.

    Their age takes nothing off their weight: recall's strength has it already.

    Args:
        memories: What was recalled.
        now: The present.
    """
    return [
        Candidate(
            path=memory_path(memory.id),
            keys=(),
            value=memory.content,
            place=Place.GLOBAL if memory.innate else Place.AGGREGATOR,
            level=memory.level,
            updated=now,
            source_file=MEMORY_FILE,
        )
        for memory in memories
    ]


def memory_facts(memories: Memories, text: str, *, first: int) -> list[Fact]:
    """Return memories as facts.

    Args:
        memories: What was recalled.
        text: What the owner typed: who asks when is told when.
        first: Position of the first one's candidate.
    """
    dated, zone = bool(_ASKS_WHEN.search(text)), memories.now.tzinfo
    return [
        _fact(memory, first + number, told(memory, owner=memories.owner, dated=dated, zone=zone))
        for number, memory in enumerate(memories.found)
    ]


def told(memory: Remembered, *, owner: str = "", dated: bool = False, zone: tzinfo | None = None) -> str:
    """Say a memory to the owner: its words unchanged on one line, who said them and when where that matters.

    Args:
        memory: What was recalled.
        owner: The owner's name, if it is known.
        dated: The date matters, whatever the memory is.
        zone: Where dates are told.
    """
    content = " ".join(memory.content.split())
    when = ""
    if not memory.innate and (dated or memory.kind in _EVENTS or _RELATIVE.search(content)):
        when = _day(memory.at, zone)
    if memory.trust == "external":
        return f"{memory.source or 'A document'} says{f' ({when})' if when else ''}: {_fenced(content)}"
    own = not memory.speaker or fold(memory.speaker) == fold(owner)
    if not own or memory.speaker or _FIRST_PERSON.search(content):
        who = "You" if own else memory.speaker
        return f"{who} said{f' on {when}' if when else ''}: {_fenced(content)}"
    return f"{content} ({when})" if when else content


def beside(memories: Sequence[Remembered], bases: Sequence[float]) -> list[float]:
    """Put recall's scores on the scale of the facts, in recall's order.

    Recall knows more than a fact's own words and meaning tell: neighbours, speakers, conversations, dates, strength.
    So its order stays; how high the best memory stands beside the facts, the words and meaning of the memories tell.

    Args:
        memories: What was recalled, the best first.
        bases: For each, its relevance by its own words and meaning, in [0, 1], as that of a fact.

    Returns:
        For each its relevance beside the facts, never rising.
    """
    top = max((memory.score for memory in memories), default=0.0)
    anchor = max(bases, default=0.0)
    scores: list[float] = []
    for memory in memories:
        score = anchor * max(memory.score, 0.0) / top if top > 0 else 0.0
        scores.append(min(score, scores[-1]) if scores else score)
    return scores


def lifted(facts: Sequence[Fact], scores: Sequence[float], judged: Sequence[float]) -> list[float]:
    """Let the judgement of answers raise a memory and never sink it, and keep innate memories in sight.

    Args:
        facts: All facts.
        scores: Their relevance.
        judged: Their relevance after the judgement, which was learned from facts of the state.
    """
    lifted_ = list(judged)
    for row in range(len(facts) - 1, -1, -1):
        memory = facts[row].memory
        if memory is None:  # memories stand last
            break
        floor = _INNATE_SALIENCE if memory.innate else 0.0
        lifted_[row] = max(judged[row], scores[row], floor)
    return lifted_


def _fact(memory: Remembered, index: int, text: str) -> Fact:
    content = " ".join(memory.content.split())
    topic, holder, attribute, value = _read(content)
    about = " ".join(part for part in (memory.speaker, topic) if part)
    return Fact(
        index, memory_path(memory.id), text, about, holder, attribute, value, order=memory.at.isoformat(), memory=memory
    )


def _read(content: str) -> tuple[str, str, str, str]:
    """Tell topic, holder, attribute and value of a plain statement apart; free words have no attribute."""
    if found := _POSSESSED.match(content):
        what = found["what"].removesuffix("'s") + (" name" if found["called"] else "")
        holder, _, attribute = what.rpartition("'s ") if "'s " in what else what.rpartition(" ")
        return what.replace("'s", ""), holder, attribute, found["value"].rstrip(".")
    if found := _OTHER_DOES.match(content):
        return found["who"], found["who"], "", found["value"].rstrip(".")
    if found := _DOES.match(content):
        return found["verb"], "", "", found["value"].rstrip(".")
    return "", "", "", content


def _fenced(content: str) -> str:
    return f"“{content.translate(_FENCE)}”"


def _day(at: datetime, zone: tzinfo | None) -> str:
    day = at.astimezone(zone) if zone else at
    return f"{day.day} {day:%B %Y}"
