"""The rules by which a clause tells a fact: English patterns, and where each fact belongs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

__all__ = ["CAP", "Fact", "Rule", "fact", "rule"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A place that a rule fills.

    Attributes:
        path: Documented path below the owner; `{rel}`, `{pet}`, `{role}`, `{item}`, `{many}`, `{thing}` and `{noun}`
            are filled from the groups of the same names, `{who}` from whichever of them matched.
        kind: What the place holds, see `learn_values`.
        group: The group of the pattern that says it.
        mode: `set`, `append`, `remove` (only what is known to stand there) or `drop` (the whole person or thing).
    """

    path: str
    kind: str
    group: str = "v"
    mode: str = "set"


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern for a whole clause and the facts it tells.

    Attributes:
        name: What the rule is called in a proposal.
        source: The pattern, matched against a whole clause.
        facts: What it tells; those whose value is not of their kind are left out.
        need: `explicit` or `greeted` clauses only, `known` paths only, or empty.
        another: The statement introduces one more of its kind.
    """

    name: str
    source: str
    facts: tuple[Fact, ...]
    need: str = ""
    another: bool = False

    def match(self, clause: str) -> re.Match[str] | None:
        """Match a whole clause, whatever its case; patterns are compiled when first used."""
        return _compiled(self.source).fullmatch(clause)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


_AGES = (
    r"(?:(?:older|younger|elder|eldest|oldest|youngest|big|little|middle|baby|twin|half|ex|step|great|late|other"
    r"|second|first|new|old|dear|beloved|lovely|own|current)[ -])?"
)
CAP = (
    r"(?-i:[A-Z\u00c0-\u00de\u0100-\u017f][\w'.-]*(?: (?:de|da|do|van|von) [A-Z\u00c0-\u00de]\w+| "
    r"[A-Z\u00c0-\u00de][\w-]+)?)"
)
_MACROS = {
    "<my>": "(?:my|our)",
    "<i>": "(?:i|we)",
    "<am>": "(?:i am|i'm|im)",
    "<adv>": r"(?:(?:really|also|just|now|actually|currently|recently|finally|absolutely|always|still|both|do|totally"
    r"|definitely|truly|generally|usually|personally|simply"
    r"|particularly|especially|certainly|already|officially|kinda|only|happily|all|never not|mostly|permanently) )*",
    "<is>": "(?: is|'s| are|: )",
    "<rel>": rf"(?P<rel>{_AGES}[\w-]+)",
    "<pet>": r"(?:(?:new|old|little|beloved|pet|other|sweet|dear|big|small|lovely|own) )?(?P<pet>[\w-]+)",
    "<role>": r"(?:(?:new|old|current|family|local|own) )?(?P<role>[\w-]+)",
    "<item>": r"(?:(?:new|current|own|main|work) )?(?P<item>[\w-]+)",
    "<many>": r"(?P<many>[\w-]+)",
    "<n>": rf",? (?P<n>{CAP}),?",
    "<count>": r"(?P<count>an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})",
    "<have>": r"(?:i|we)(?:'ve| have)?(?: also| just| now| recently| actually)*(?: got| have| own| adopted| "
    r"bought)?(?<=got|ave|'ve|own|ted|ght)",
    "<no>": r"(?:no longer|(?:don't|do not) (?=.* any ?(?:more|longer)))",
}
_MACRO = re.compile(r"(?<!\?P)<(?:" + "|".join(macro.strip("<>") for macro in _MACROS) + ")>")


def fact(path: str, kind: str, group: str = "v", mode: str = "set") -> Fact:
    """Describe a place that a rule fills; see `Fact`."""
    return Fact(path, kind, group, mode)


def rule(name: str, pattern: str, *facts: Fact, need: str = "", another: bool = False) -> Rule:
    """Build a rule; `<my>`, `<rel>` and the other macros stand for their patterns, case never matters."""
    spelled = _MACRO.sub(lambda found: _MACROS[found.group()], pattern)
    return Rule(name, spelled, facts, need, another)
