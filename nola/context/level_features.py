"""Features of a message in its conversation, for the learned choice of its level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.context.level_model import small_words
from nola.context.level_shape import fresh_words, opening, shape, stems
from nola.types import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.context.level_reading import Clause, Reading
    from nola.flow import Exchange

__all__ = ["Thread", "features", "thread_of"]

_SOCIAL = frozenset(("GREET", "BYE", "THANKS", "ACK", "ASSENT", "DENY", "LAUGH", "PRAISE", "WISH"))
_KEPT = _SOCIAL | frozenset(
    """WHY MAKES SELF SUBJECT POSS HABIT MORE PAST SINCE CHANGE PATTERN ANALYSE DECIDE BIG LIFE TOPIC EVAL YOU ASKYOU
    ORG CONTINUE DECLINE BRIEF FACT EXPLAIN WHQ HOWTO TIME MACHINE FALSE DAILY STATE FEEL THATREF CHAT PLAY
    SPAN TILLNOW SERIES DUE KIND AMI ROLE CAUSED PLAYWORD CLOSED""".split()
)
_ASKING = frozenset("CMD ORG WHQ YESNO WHY HOWTO EXPLAIN FACT ABOUT DECIDE ANALYSE PLAY".split())
_TOLD = frozenset(("STATE", "FEEL", "DAILY", "MACHINE", "TIME", "BIG"))
_WEAK = frozenset(
    ("decision of one's own", "cause in one's things", "one's days, open", "one's days, yes or no", "question of life")
)
_EVERYDAY = frozenset(("TIME", "DAILY", "MACHINE", "FACT", "HOWTO", "FALSE", "DECLINE"))
_FIRST = tuple("FACT CMD ORG WHQ YESNO WHY HOWTO EXPLAIN SUBJECT POSS PLAY CHAT ASKYOU DECIDE ANALYSE".split())
_BY_THREAD = tuple(
    """CONTINUE THATREF SELF WHY MORE PAST SINCE DECIDE DAILY MACHINE TIME EXPLAIN PLAY CHAT BIG LIFE EVAL YOU ASKYOU
    TOPIC HABIT CAUSED SPAN CLOSED AMI""".split()
)
_WHOLE_QUESTION = 4
_MANY = 3


@dataclass(frozen=True, slots=True)
class Thread:
    """Where a conversation stands.

    Attributes:
        last: Level of the last turn, 0 for none.
        talk: Level of the last turn above 1, 0 for none within reach.
        deep: The last turns hold a deep one.
        own: What the owner said last is about the owner.
        played: The last turn was a game or a joke.
        asked: Nola's last words were a question.
        words: Longer words of the turns within reach, cut to stems, to see what is taken up again.
    """

    last: int
    talk: int
    deep: bool
    played: bool
    own: bool
    asked: bool
    words: frozenset[str]

    @property
    def state(self) -> str:
        """Name the state in one word."""
        if not self.last:
            return "start"
        if self.last == Level.QUICK:
            return "game" if self.played else f"pause{self.talk}"
        return f"after{self.last}"


def thread_of(history: Sequence[Exchange], readings: Sequence[Reading], deep_turns: int) -> Thread:
    """Sum a conversation up.

    Args:
        history: Earlier turns, oldest first.
        readings: Readings of what the owner said in the last of these turns, oldest first.
        deep_turns: How many turns back count.
    """
    recent = list(history)[-deep_turns:] if deep_turns > 0 else []
    if not recent:
        return Thread(0, 0, deep=False, played=False, own=False, asked=False, words=frozenset())
    talk = next((int(e.level) for e in reversed(recent) if e.level > Level.QUICK), 0)
    played = _played(recent, readings)
    own = bool(readings) and any(c.concepts & {"SUBJECT", "FEEL"} for c in readings[-1].clauses)
    said = " ".join(f"{e.user} {e.assistant}" for e in recent if e.level > Level.QUICK)[:4_000]
    return Thread(
        int(recent[-1].level),
        talk,
        deep=any(e.level == Level.DEEP for e in recent),
        played=played,
        own=own,
        asked=recent[-1].assistant.rstrip().endswith("?"),
        words=stems(said.lower().split()),
    )


def _played(recent: Sequence[Exchange], readings: Sequence[Reading]) -> bool:
    """Tell whether the last turns, all of them light, hold a call for play."""
    for exchange, reading in zip(reversed(recent), reversed(readings), strict=False):
        if exchange.level != Level.QUICK:
            return False
        if any("PLAY" in c.concepts for c in reading.clauses):
            return True
    return False


def features(reading: Reading, thread: Thread) -> dict[str, str]:
    """Return the names of the features that a message has, each with the words it comes from."""
    requests = reading.requests
    found: dict[str, str] = {}
    for hit in reading.hits:
        found[f"rule {hit.rule}"] = hit.words
    for rule in reading.across:
        found[f"across {rule}"] = rule
    for clause in reading.clauses:
        for tag in clause.tags:
            if tag.concept in _KEPT:
                found.setdefault(f"has {tag.concept}", " ".join(clause.words[tag.start : tag.end]))
    if any("SUBJECT" in c.concepts for c in requests):
        found.setdefault("has SUBJECT", "")
    if requests:
        found.update(_of_request(requests[-1], thread))
    else:
        found["only social"] = ""
    found.update(_of_social(reading))
    found.update(_of_thread(reading, thread))
    return found


def _of_social(reading: Reading) -> dict[str, str]:
    """Weigh greetings and thanks against the rest of the message."""
    total = len(reading.words)
    polite = sum(
        len({i for t in c.tags if t.concept in _SOCIAL for i in range(t.start, t.end)}) for c in reading.clauses
    )
    if not total or not polite:
        return {}
    found = {f"social share {round(4 * polite / total)}": ""}
    if not any(c.asks or c.first & _ASKING for c in reading.requests):
        found["social and asks nothing"] = ""
        if not any(c.concepts & _TOLD for c in reading.clauses):
            found["social and tells nothing"] = ""
            if any(c.concepts & {"THATREF", "YOU"} for c in reading.requests):
                found["social and of this talk"] = ""
        if any(not c.social and i == 0 for i, c in enumerate(reading.clauses)):
            found["social after a statement"] = ""
    return found


def _of_request(clause: Clause, thread: Thread) -> dict[str, str]:
    """Describe the last clause that asks or tells something."""
    opening = [c for c in _FIRST if c in clause.first] or ["other"]
    found = {f"first {c}": clause.core[0] for c in opening}
    found.update(shape(clause))
    found.update({f"word {word}": word for word in clause.core})
    found[f"starts {' '.join(clause.core[:2])}"] = clause.core[0]
    found["asks" if clause.asks else "states"] = ""
    found[f"length {_bucket(len(clause.core))}"] = ""
    found.update(dict.fromkeys(_of_whom(clause), clause.core[0]))
    remark = "REMARK" in clause.first and not clause.asks
    signs = {
        "number": "#" in clause.words,
        "names": clause.names,
        "why do i": "WHY" in clause.concepts and "SUBJECT" in clause.concepts and _near(clause),
        "whole CONTINUE": _whole(clause, "CONTINUE"),
        f"{thread.state} whole CONTINUE": _whole(clause, "CONTINUE"),
        "remark": remark,
        "remark, tells nothing": remark and not clause.concepts & _TOLD,
    }
    signs.update({f"whole {c}": _whole(clause, c) for c in ("PLAY", "CHAT", "STATE", "FEEL")})
    found.update({sign: "" for sign, there in signs.items() if there})
    return found


def _of_whom(clause: Clause) -> list[str]:
    """Tell whether a clause is about the owner, about Nola, or about the rest of the world."""
    questions = clause.first & {"WHQ", "YESNO", "WHY"}
    everyday = bool(clause.concepts & _EVERYDAY)
    if "SELF" in clause.concepts:
        if not questions or "#" in clause.words:
            return []
        kind = "yes or no" if "YESNO" in clause.first else "open"
        return [f"asks of oneself, {kind}"] + [f"asks of oneself, nothing everyday, {kind}"] * (not everyday)
    found = ["not of oneself"] + ["asks, not of oneself"] * bool(questions)
    if "YOU" in clause.concepts and not everyday:
        found.append("of Nola, asked" if clause.asks or clause.first & _ASKING else "of Nola, told")
    return found


def _near(clause: Clause) -> bool:
    whys = [t.end for t in clause.tags if t.concept == "WHY"]
    return any(0 <= t.start - end <= 3 for t in clause.tags if t.concept == "SELF" for end in whys)  # noqa: PLR2004


def _whole(clause: Clause, concept: str) -> bool:
    """Tell whether a concept spans the clause's core, give or take one word."""
    size = len(clause.core)
    return any(t.concept == concept and t.end - t.start >= max(1, size - (size > 3)) for t in clause.tags)  # noqa: PLR2004


def _bucket(size: int) -> str:
    return next(
        name
        for limit, name in ((1, "1"), (2, "2"), (4, "3-4"), (8, "5-8"), (14, "9-14"), (10**9, "15+"))
        if size <= limit
    )


def _of_thread(reading: Reading, thread: Thread) -> dict[str, str]:
    """Set the message in its conversation."""
    state = thread.state
    found = {state: ""} | ({"deep thread": ""} if thread.deep else {})
    if not reading.requests:
        return found | {f"{state} only social": ""}
    last = reading.requests[-1]
    found.update({f"{state} {c}": "" for c in _BY_THREAD if c in last.concepts})
    found.update({f"{state} first {c}": "" for c in _FIRST if c in last.first})
    found[f"{state} length {_bucket(len(last.core))}"] = ""
    found[f"{state} {'asks' if last.asks else 'states'}"] = ""
    way = opening(last)
    found[f"{state} opens {way}"] = ""
    found[f"{state} fresh {_fresh(last, thread, reading.spoken)}"] = ""
    found[f"{state} {way} fresh {_fresh(last, thread, reading.spoken)}"] = ""
    known = bool(thread.words & stems(last.core))
    new = not known and len(last.core) >= _WHOLE_QUESTION and "SELF" not in last.concepts
    signs = {
        "names years": last.years > 0,
        "and": any(t.concept == "AND" and t.start == 0 for t in last.tags),
        "same words": known,
        "new matter": new,
        "new thing": new and (last.names or bool(last.concepts & {"FACT", "MACHINE", "DAILY"})),
    }
    found.update({f"{state} {sign}": "" for sign, there in signs.items() if there})
    return found | _of_rules(reading, thread)


def _fresh(clause: Clause, thread: Thread, spoken: frozenset[str]) -> str:
    """Say how many words of weight a request brings into its conversation."""
    count = fresh_words(clause, thread.words, small_words(spoken))
    return str(count) if count < _MANY else "many"


def _of_rules(reading: Reading, thread: Thread) -> dict[str, str]:
    """Count the rules that speak for a deep look, and see whom they are about."""
    strong = [hit for hit in reading.hits if hit.rule not in _WEAK]
    if not strong:
        return {}
    names = ["any rule", f"{thread.state} any rule", f"rules {_bucket(len(strong))}"]
    if not any("SELF" in c.concepts for c in reading.requests):
        names += ["rule, not of oneself", f"{thread.state} rule, not of oneself"]
        names += [f"rule after {'own' if thread.own else 'other'}"] * bool(thread.last)
    return dict.fromkeys(names, strong[0].words)
