"""The shape of a request: what it opens with, how much it leaves out, and what it brings into its conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.context.level_reading import Clause

__all__ = ["fresh_words", "opening", "shape", "stems"]

_OPENINGS = (
    ("DECIDE", "weighs"),
    ("WHY", "why"),
    ("KIND", "what kind"),
    ("HOWTO", "how to"),
    ("CLOSED", "closed"),
    ("AMI", "am i"),
    ("PLAY", "play"),
    ("ORG", "order"),
    ("CMD", "order"),
    ("YESNO", "yes or no"),
    ("MAKES", "what makes"),
)
_CROSSED = tuple(
    """SELF SUBJECT POSS HABIT MORE PAST SINCE CHANGE PATTERN ANALYSE DECIDE BIG LIFE TOPIC EVAL MAKES CONTINUE THATREF
    DAILY MACHINE TIME FEEL STATE SPAN TILLNOW SERIES DUE KIND AMI ROLE CAUSED PLAY PLAYWORD NEG EXPLAIN YOU""".split()
)
_PAIRED = (
    ("AMI", "ROLE"),
    ("KIND", "ROLE"),
    ("KIND", "AMI"),
    ("EVAL", "ROLE"),
    ("SPAN", "CHANGE"),
    ("SPAN", "HABIT"),
    ("SPAN", "SUBJECT"),
    ("SPAN", "TOPIC"),
    ("SPAN", "MORE"),
    ("SERIES", "TILLNOW"),
    ("SERIES", "SINCE"),
    ("SERIES", "SPAN"),
    ("SERIES", "SELF"),
    ("TOPIC", "TILLNOW"),
    ("DUE", "BIG"),
    ("DUE", "DECIDE"),
    ("DUE", "TIME"),
    ("CAUSED", "THATREF"),
    ("PLAY", "SELF"),
    ("PLAY", "DAILY"),
    ("PLAYWORD", "SELF"),
    ("STATE", "SELF"),
)
_GRAMMAR = frozenset(
    """THATREF AND CONTINUE CAUSED WHQ YESNO WHY SELF YOU FILLER NEG MORE CLOSED KIND AMI OBJECT POSS ACK ASSENT DENY
    HOWTO DECIDE THANKS LAUGH GREET""".split()
)
_VERBS = frozenset(
    """is are am was were do does did have has had can could will would should shall might may must s about if when on
    in at for with the my our your it that this those these they them he she exactly else more much many long often
    happened happens makes made keeps other""".split()
)
_NO_GERUND = frozenset("morning evening nothing something anything everything during king bring string spring".split())
_LONG_WORD, _FEW = 4, 3


def stems(words: Sequence[str]) -> frozenset[str]:
    """Cut the longer words to stems, by which one word is known again in another form."""
    return frozenset(w.strip(".,?!'\"")[:5] for w in words if len(w) >= _LONG_WORD)


def opening(clause: Clause) -> str:
    """Name what a request opens with."""
    first = clause.first
    if clause.core[:1] == ("what",) and clause.core[1:] and clause.core[1] not in _VERBS and not first & {"KIND"}:
        return "what thing"
    return next((name for concept, name in _OPENINGS if concept in first), "open" if "WHQ" in first else "other")


def fresh_words(clause: Clause, known: frozenset[str], small: frozenset[str]) -> int:
    """Count the words of weight that a request brings into its conversation.

    Args:
        clause: The request.
        known: Stems of what was said before.
        small: Words that carry no weight.
    """
    light = {i for t in clause.tags if t.concept in _GRAMMAR for i in range(t.start, t.end)}
    words = [w for i, w in enumerate(clause.words) if i not in light and w not in small and w != "#" and len(w) > 1]
    return sum(w[:5] not in known for w in words)


def shape(clause: Clause) -> dict[str, str]:
    """Return the names of the signs that a request's shape gives, each with the words it comes from."""
    way = opening(clause)
    word = clause.core[0]
    found = {f"opens {way}": word}
    found.update({f"{way} & {c}": word for c in _CROSSED if c in clause.concepts})
    found.update({f"{a} with {b}": "" for a, b in _PAIRED if a in clause.concepts and b in clause.concepts})
    if clause.years:
        found[f"years {min(clause.years, 2)}"] = ""
        found.update({f"years & {c}": "" for c in ("SELF", "SERIES", "TILLNOW", "MORE") if c in clause.concepts})
    gerund = word.endswith("ing") and word not in _NO_GERUND and len(word) > _LONG_WORD
    if gerund:
        found["gerund asks" if clause.asks else "gerund states"] = word
    if clause.asks and not clause.first and len(clause.core) <= _FEW:
        found["bare question"] = word
    return found
