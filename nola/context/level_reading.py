"""What a message says, clause by clause: its greetings set apart, its request, and the rules that it meets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.context.level_words import Lexicon, Tag, clip, languages, normal_words, tag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Clause", "Hit", "Reading", "read"]

_SPLIT = re.compile(r"[.!;…\n\r|•]+|(?<=\?)|\s[-–—]+\s|—")
_QUOTED = re.compile(r"\"[^\"\n]{2,}\"|“[^”\n]{2,}”|„[^“”\n]{2,}[“”]|«[^»\n]{2,}»|(?<![\w])['‘][^'’\n]{2,}['’](?!\w)")
_SOCIAL = frozenset(("GREET", "BYE", "THANKS", "ACK", "ASSENT", "DENY", "LAUGH", "PRAISE", "WISH"))
_ASIDE = _SOCIAL | {"FILLER"}
_CHEERS = _ASIDE | {"VOCATIVE", "SLANG"}
_DEEP = frozenset(
    (
        "WHY",
        "ABOUT",
        "PATTERN",
        "ANALYSE",
        "CHANGE",
        "LIFE",
        "TOPIC",
        "BIG",
        "SINCE",
        "PAST",
        "HABIT",
        "MAKES",
        "MORE",
        "DECIDE",
        "EVAL",
    )
)
_CAUSES = frozenset(("WHY", "MAKES", "CLOSED"))
_QUESTIONS = frozenset(("WHQ", "YESNO", "WHY", "HOWTO", "CLOSED", "MAKES", "EXPLAIN", "FACT"))
_PUTS_ON = frozenset("spiel spiele reproduce joue jouer mets toca toque".split())
_COLON = re.compile(r"(?<=:)(?!\d)")
_REACH = {"FALSE": 0, "DECLINE": 4}
_NAME = re.compile(r"(?<=[a-z,] )(?!Nola\b)[A-Z][a-z]+")
_YEAR = re.compile(r"(?<![\d:.])(?:19|20)\d\d(?![\d:]|\.\d)")
_MOST_CLAUSES = 60


@dataclass(frozen=True, slots=True)
class Clause:
    """A run of words between stops.

    Attributes:
        words: Its normal words.
        tags: Concepts in it, those inside a false friend or a declined phrase left out.
        core: The words that remain when greetings, thanks and fillers at both ends are set aside.
        first: Concepts that the core begins with.
        asks: It ends in a question mark.
        concepts: All concepts in it.
        names: A capital stands inside it, as names have.
        dictates: It orders to write, say or remind, and a colon ends it.
        years: How many years are named in figures.
    """

    words: tuple[str, ...]
    tags: tuple[Tag, ...]
    core: tuple[str, ...]
    first: frozenset[str]
    asks: bool
    concepts: frozenset[str]
    names: bool
    dictates: bool
    years: int

    @property
    def social(self) -> bool:
        """Nothing but greetings, thanks and the like."""
        return not self.core

    def place(self, concept: str) -> int:
        """Return where a concept first stands, or -1."""
        return min((t.start for t in self.tags if t.concept == concept), default=-1)


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that a clause meets, and the words by which it does."""

    rule: str
    words: str


@dataclass(frozen=True, slots=True)
class Reading:
    """All clauses of a message, and the rules that they meet."""

    clauses: tuple[Clause, ...]
    spoken: frozenset[str]
    hits: tuple[Hit, ...] = ()
    across: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All words in order."""
        return tuple(w for c in self.clauses for w in c.words)

    @property
    def requests(self) -> tuple[Clause, ...]:
        """The clauses that are more than a greeting."""
        return tuple(c for c in self.clauses if not c.social)


def read(text: str, lexicon: Lexicon, earlier: Sequence[str] = ()) -> Reading:
    """Read a message.

    Args:
        text: The message, any text at all.
        lexicon: The compiled lexicon.
        earlier: Normal words of the conversation so far, to tell the language by.
    """
    short = _unquoted(clip(text))
    pieces = [piece for piece in _SPLIT.split(short) if piece.strip()][:_MOST_CLAUSES]
    worded = [(normal_words(part, lexicon), part) for piece in pieces for part in _COLON.split(piece)]
    everything = [w for words, _ in worded for w in words]
    spoken = languages(short, everything, lexicon, earlier)
    clauses = _joined([_clause(words, piece, spoken, lexicon) for words, piece in worded if words])
    hits = tuple(dict.fromkeys(hit for clause in clauses for hit in _hits(clause)))
    return Reading(clauses, spoken, hits, _across(clauses, hits))


def _unquoted(text: str) -> str:
    """Put one word in place of what is quoted, unless the whole message is a quotation."""
    bare = _QUOTED.sub(" quotation ", text)
    return bare if bare.replace("quotation", "").strip(" .,!?") else text


def _joined(clauses: list[Clause]) -> tuple[Clause, ...]:
    """Leave out what follows an order with a colon: it is dictated, not asked."""
    kept: list[Clause] = []
    for clause in clauses:
        if kept and kept[-1].dictates:
            continue
        kept.append(clause)
    return tuple(kept)


def _clause(words: list[str], piece: str, spoken: frozenset[str], lexicon: Lexicon) -> Clause:
    tags = tag(words, spoken, lexicon)
    shut = {i for t in tags if t.concept in _REACH for i in range(t.start, t.end + _REACH[t.concept])}
    tags = [t for t in tags if t.concept not in _DEEP or not shut.intersection(range(t.start, t.end))]
    asks = piece.rstrip().endswith("?")
    start, end = _core(words, tags, asks=asks)
    tags = _played(words, tags, start)
    first = frozenset(t.concept for t in tags if t.start == start and t.end <= end)
    concepts = {t.concept for t in tags}
    other = {t.start for t in tags if t.concept in ("POSS", "OBJECT")}
    if any(t.concept == "SELF" and t.start not in other for t in tags):
        concepts.add("SUBJECT")
    return Clause(
        tuple(words),
        tuple(tags),
        tuple(words[start:end]),
        first,
        asks=asks,
        concepts=frozenset(concepts),
        dictates="ORG" in first and piece.rstrip().endswith(":"),
        names="de" not in spoken and bool(_NAME.search(piece)),
        years=len(_YEAR.findall(piece)),
    )


def _played(words: list[str], tags: list[Tag], start: int) -> list[Tag]:
    """Take words of play for play only where play is asked for.

    A question about the owner or a cause is no play because it holds such a word, and of the weaker words only those
    are play that begin the request or stand in an order.
    """
    first = {t.concept for t in tags if t.start == start}
    mine = any(t.concept == "SELF" and t.start > start for t in tags)
    asked = "PLAY" in first or not first & _QUESTIONS or not (mine or first & _CAUSES)
    music = any(t.concept == "MUSIC" for t in tags) and words[start : start + 1] and words[start] in _PUTS_ON
    weak = "CMD" in first and "ORG" not in first
    kept = []
    for t in tags:
        concept = t.concept
        if concept == "PLAYWORD" and (weak or t.start == start):
            concept = "PLAY"
        if concept == "PLAY" and (music or not asked):
            concept = "PLAYWORD"
        kept.append(t if concept == t.concept else Tag(concept, t.start, t.end))
    return kept


def _core(words: list[str], tags: list[Tag], *, asks: bool) -> tuple[int, int]:
    """Set social words and fillers aside from both ends; fillers alone are no greeting.

    Slang that also means something else counts only when nothing else is said, and pet names only beside a greeting.
    """
    asides = [t for t in tags if t.concept in _ASIDE]
    start, end = 0, len(words)
    while ahead := max((t.end for t in asides if t.start == start), default=0):
        if ahead <= start:
            break
        start = ahead
    while end > start and (back := min((t.start for t in asides if t.end == end), default=-1)) >= start:
        end = back
    social = any(t.concept in _SOCIAL for t in tags)
    cheers = {i for t in tags if t.concept in _CHEERS for i in range(t.start, t.end)}
    if (social or (not asks and any(t.concept == "SLANG" for t in tags))) and cheers.issuperset(range(start, end)):
        return start, start
    if start >= end and not social:
        return 0, len(words)
    return min(start, end), end


_PAIRS: Mapping[str, tuple[str, ...]] = {
    "cause of one's own": ("WHY", "SUBJECT"),
    "cause in one's things": ("WHY", "POSS"),
    "cause of a habit": ("WHY", "SELF", "HABIT"),
    "cause in one's life": ("WHY", "LIFE"),
    "cause in one's days": ("WHY", "TOPIC", "SELF"),
    "what makes one": ("MAKES", "SELF"),
    "comparison with then": ("MORE", "PAST"),
    "comparison over time": ("MORE", "SINCE"),
    "comparison of oneself": ("MORE", "SUBJECT", "YESNO"),
    "change over time": ("CHANGE", "SINCE"),
    "change since then": ("CHANGE", "PAST"),
    "change of oneself": ("CHANGE", "SELF"),
    "change of one's days": ("CHANGE", "TOPIC"),
    "one's days over time": ("TOPIC", "SINCE", "SELF"),
    "one's days then": ("TOPIC", "PAST", "SELF"),
    "pattern of one's own": ("PATTERN", "SELF"),
    "pattern in one's days": ("PATTERN", "TOPIC"),
    "pattern looked for": ("PATTERN", "ANALYSE"),
    "looking into oneself": ("ANALYSE", "SELF"),
    "looking into one's days": ("ANALYSE", "TOPIC"),
    "looking over time": ("ANALYSE", "SINCE"),
    "looking back": ("ANALYSE", "PAST"),
    "looking at one's life": ("ANALYSE", "LIFE"),
    "big decision": ("DECIDE", "BIG"),
    "decision about life": ("DECIDE", "LIFE"),
    "decision of one's own": ("DECIDE", "SUBJECT"),
    "telling of one's own": ("ABOUT", "SELF"),
    "telling of one's days": ("ABOUT", "TOPIC"),
    "judging oneself": ("EVAL", "SELF"),
    "judging one's days": ("EVAL", "TOPIC"),
    "judging over time": ("EVAL", "SINCE"),
    "judging one's life": ("EVAL", "BIG"),
    "life asked about": ("WHQ", "SELF", "LIFE"),
    "big thing asked about": ("WHQ", "SUBJECT", "BIG"),
    "big thing weighed": ("YESNO", "SUBJECT", "BIG"),
    "one's days, open": ("POSS", "TOPIC", "WHQ"),
    "one's days, yes or no": ("POSS", "TOPIC", "YESNO"),
    "big thing in life": ("BIG", "LIFE"),
    "question of life": ("LIFE", "SUBJECT"),
    "life over time": ("LIFE", "SINCE"),
    "life then": ("LIFE", "PAST"),
    "habit in one's days": ("HABIT", "TOPIC", "SUBJECT"),
    "habit asked about": ("HABIT", "SUBJECT", "WHQ"),
    "more in one's days": ("MORE", "TOPIC", "SUBJECT"),
}


def _hits(clause: Clause) -> list[Hit]:
    """Name the rules that a clause meets; inside an order to write or remind, none."""
    if "ORG" in clause.first:
        return []
    return [Hit(rule, _evidence(clause, wants)) for rule, wants in _PAIRS.items() if clause.concepts.issuperset(wants)]


def _across(clauses: Sequence[Clause], hits: Sequence[Hit]) -> tuple[str, ...]:
    """Name the rules that only the message as a whole meets."""
    open_ = [c for c in clauses if not c.social and "ORG" not in c.first]
    together = frozenset(c for clause in open_ for c in clause.concepts)
    known = {hit.rule for hit in hits}
    return tuple(rule for rule, wants in _PAIRS.items() if rule not in known and together.issuperset(wants))


def _evidence(clause: Clause, concepts: tuple[str, ...]) -> str:
    """Quote the words from the first to the last concept, shortened in the middle."""
    spans = [
        min((t.start, t.end) for t in clause.tags if t.concept == wanted)
        for wanted in ("SELF" if c == "SUBJECT" else c for c in concepts)
    ]
    parts = [" ".join(clause.words[start:end]) for start, end in sorted(set(spans))]
    return " ... ".join(parts)
