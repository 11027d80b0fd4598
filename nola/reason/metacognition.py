"""Knows what is known: which facts answer a question about the owner, and what nothing answers."""

from __future__ import annotations

import heapq
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.reason.answerable import judge
from nola.reason.evidence import Evidence, Vocabulary
from nola.reason.question import read_question
from nola.text import STOP_WORDS, fold, stem, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.context.facts import Fact
    from nola.context.select import Ranking, Vectoriser
    from nola.reason.question import Question
    from nola.settings import UnknownSettings

__all__ = ["Assessment", "Metacognition", "best_facts", "gather", "holds", "is_refusal", "judged_rows", "what_is_asked"]

_MOST_QUOTED = 3
_NEAR_BEST = 0.5
_LEAST_WORDS = 4
_ENOUGH = 0.6
_TO_THE_POINT = 0.75
_TO_NOLA = re.compile(r"\b(?:you|your|yours|yourself|nola)\b")
_TO_MACHINE = re.compile(
    r"\b(?:computer|machine|laptop|pc|server|disks?|hard drive|ssd|storage|free space|ram|memory|cpu|cores?|processor"
    r"|threads|operating system|os|linux|windows|macos|host ?name|time ?zone|locale|python|ollama|models?"
    r"|architecture)\b"
)
_CAUTION = re.compile(r"\b(?:allerg\w*|intoleran\w*|cannot eat|can't eat|must not|avoids?|medication interactions?)\b")
_OWN_FACTS = 24
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_THOUSANDS = re.compile(r"(?<=\d)[,.](?=\d{3}\b)")
_MONTHS = "january february march april may june july august september october november december".split()
_REFUSAL = re.compile(
    r"^\W*(?:i(?:'m| am) (?:sorry|afraid|unable|not able|not sure)|sorry\b|as an ai|as a (?:language|virtual|personal)"
    r"|i (?:do not|don't|cannot|can't|can not)\b|unfortunately|there is no (?:note|information|mention)|no information"
    r"|it (?:is|seems) (?:not clear|unclear)|i apologi[sz]e|the notes? (?:do|does) not)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:hey|hi|hello|nola|please|so|and|oh|ok|okay|well|thanks|sorry|um|again|now|just|by the way)\b\W*"
    r"|(?:can|could|would|will) you (?:please )?(?:tell|remind) me\b\W*|do you (?:know|remember|recall)\b\W*"
    r"|(?:remind|tell) me(?: again)?(?: of| about)?\b\W*|i (?:forgot|forget|can't remember|wonder)\b\W*)+",
    re.IGNORECASE,
)
_NOUN_PHRASE = (
    r"(?P<rest>(?:(?:my|our|the|his|her|their) |[\w'-]+'s )"
    r"(?!.*\b(?:called|named|doing|going|living|made|to|in|at|for|with|on)$)[\w' -]+)"
)
_WHAT_IS = re.compile(rf"^(?:what|who)(?:'s| is| are| was| were) {_NOUN_PHRASE}$", re.IGNORECASE)
_WHEN_IS = re.compile(
    rf"^(?P<wh>when|where|how old|how tall|how big)(?:'s)? ?(?P<be>is|are|was|were)? {_NOUN_PHRASE}$", re.IGNORECASE
)
_SHORT = 6
_SWAPS = {
    "my": "your", "mine": "yours", "i": "you", "i'm": "you're", "i've": "you've", "me": "you", "am": "are",
    "our": "your", "we": "you", "us": "you", "myself": "yourself",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is known about a message's question.

    Attributes:
        question: The message, read as a question.
        best: Rows of the facts that answer it best, best first; empty when it is no look-up.
        unknown: What it asks about the owner that nothing known answers.
        confidence: Probability that something known answers it.
        chances: For each judged row, the probability that this fact answers it; empty when it is no look-up.
        cautions: Rows of facts about health that speak of the very thing the message speaks of.
    """

    question: Question
    best: tuple[int, ...]
    unknown: tuple[str, ...]
    confidence: float
    chances: tuple[tuple[int, float], ...] = ()
    cautions: tuple[int, ...] = ()


class Metacognition:
    """Judges what is known; keeps the words of all facts for as long as they do not change.

    Args:
        settings: Threshold and number of facts that are judged.
    """

    def __init__(self, settings: UnknownSettings) -> None:
        self._settings = settings
        self._known: tuple[Sequence[Fact], Vocabulary] | None = None

    def assess(self, text: str, ranking: Ranking, vectoriser: Vectoriser | None = None) -> Assessment:
        """Judge the best-ranked facts against a message.

        Args:
            text: What the owner typed.
            ranking: All facts with their relevance.
            vectoriser: The embedder that ranked them, or None.
        """
        known = self._vocabulary(ranking)
        question = read_question(text, known.names, known.topics, known.people)
        order = judged_rows(question, ranking, self._settings.judged)
        evidence = gather(question, ranking, order, vectoriser)
        found = judge(question, ranking.facts, evidence, known)
        asks = question.owner and question.lookup
        whole_group = _asks_for_group(question, known)
        if asks and self._settings.enabled and not whole_group and found.answerable < self._settings.threshold:
            if told := _told_freely(question, ranking, order, found.covering):
                return Assessment(question, told, (), found.answerable, found.probabilities)
            return Assessment(question, (), (what_is_asked(text),), found.answerable, found.probabilities)
        sure = question.owner and found.answerable >= self._settings.sure
        best = best_facts(ranking.facts, found.probabilities, former=question.former) if asks or sure else ()
        chances = found.probabilities if asks or sure else ()
        return Assessment(question, best, (), found.answerable, chances, _cautions(question, ranking.facts))

    def sharpen(self, scores: Sequence[float], assessment: Assessment) -> Sequence[float]:
        """Let what answers a look-up rise: a share of relevance is the cube root of the chance that a fact answers.

        Args:
            scores: Relevance of every fact in [0, 1].
            assessment: The judged facts; without any the scores stay as they are.
        """
        if not assessment.chances:
            return scores
        share = self._settings.answer_share
        sharp = [(1 - share) * score for score in scores]
        for row, chance in assessment.chances:
            sharp[row] += share * chance ** (1 / 3)
        return sharp

    def _vocabulary(self, ranking: Ranking) -> Vocabulary:
        noted = ranking.noted or ranking.facts
        if self._known is None or self._known[0] is not noted:
            self._known = (noted, Vocabulary.of(noted))
        vocabulary = self._known[1]
        memories = ranking.facts[len(noted) :]
        return vocabulary.joined(Vocabulary.of(memories)) if memories else vocabulary


def _asks_for_group(question: Question, known: Vocabulary) -> bool:
    """`What pets do I have` asks for all members of a group that is known, whatever each is called."""
    plural = {stem(w) for w in words(question.text) if w.endswith("s") or w in {"family", "children"}}
    return bool(plural & known.groups) and not question.names and not question.possessors


def _told_freely(
    question: Question, ranking: Ranking, rows: Sequence[int], covering: frozenset[int]
) -> tuple[int, ...]:
    """Return memories in free words that a model can answer from, though the judge can't read them.

    They stand high, and speak of all that is asked or were said by the very person who is named.
    """
    told = []
    for row in rows:
        memory = ranking.facts[row].memory
        if memory is None or ranking.facts[row].attribute or ranking.scores[row] < _TO_THE_POINT:
            continue
        if row in covering or (question.names and memory.parts.get("speaker", 0.0) > 0):
            told.append(row)
    return tuple(told[:_MOST_QUOTED])


def _cautions(question: Question, facts: Sequence[Fact]) -> tuple[int, ...]:
    """An allergy to peanuts is told to whoever asks about peanut butter, even if the model forgets."""
    asked = {stem(w) for w in question.content}
    return tuple(
        row
        for row, fact in enumerate(facts)
        if _CAUTION.search(fact.topic) and asked & {stem(w) for w in words(fact.value) if w not in STOP_WORDS}
    )[:_MOST_QUOTED]


def judged_rows(question: Question, ranking: Ranking, most: int) -> list[int]:
    """Choose the best-ranked facts to be judged; what Nola knows of herself and of the machine only for who asks so."""
    scores, facts, low = ranking.scores, ranking.facts, question.text.lower()
    left = tuple(
        module for module, asked in (("Nola.", _TO_NOLA), ("machineID.", _TO_MACHINE)) if not asked.search(low)
    )
    if not left:
        return heapq.nlargest(most, range(len(scores)), key=scores.__getitem__)
    rows = heapq.nlargest(most + _OWN_FACTS, range(len(scores)), key=scores.__getitem__)
    return [r for r in rows if not facts[r].path.startswith(left)][:most]


def gather(question: Question, ranking: Ranking, rows: Sequence[int], vectoriser: Vectoriser | None) -> list[Evidence]:
    """Collect how search sees some facts, and how near what each tells is to what is asked.

    Args:
        question: The question as read.
        ranking: All facts with their relevance.
        rows: The facts to be judged, best first.
        vectoriser: The embedder, or None.
    """
    cosine = ranking.cosine
    if vectoriser is None or cosine is None or not question.residue:
        return [Evidence(r, ranking.scores[r], cosine[r] if cosine else None) for r in rows]
    told = [ranking.facts[r].attribute for r in rows]
    vectors = vectoriser.embed([" ".join(question.residue), *told])
    near = (vectors[1:] @ vectors[0]).tolist()
    return [Evidence(r, ranking.scores[r], cosine[r], near[i] if told[i] else None) for i, r in enumerate(rows)]


def best_facts(
    facts: Sequence[Fact], probabilities: Sequence[tuple[int, float]], *, former: bool = False
) -> tuple[int, ...]:
    """Choose the facts that may be quoted: the likeliest answer and those near it, each sentence once.

    Args:
        facts: All facts.
        probabilities: Judged rows with the chance that they answer, best first.
        former: The question asks for former values; else a value that a newer one replaced is not quoted.
    """
    wanted = [(row, chance) for row, chance in probabilities if former or not facts[row].former] or list(probabilities)
    chosen: list[int] = []
    for row, chance in wanted:
        if len(chosen) == _MOST_QUOTED or chance < _NEAR_BEST * wanted[0][1]:
            break
        if all(facts[row].text != facts[other].text for other in chosen):
            chosen.append(row)
    return tuple(chosen)


def holds(reply: str, value: str) -> bool:
    """Tell whether a reply holds a fact's value: word for word, as a date said otherwise, or most of a long text."""
    said, wanted = (_THOUSANDS.sub("", fold(text)) for text in (reply, value.strip(" .")))
    if wanted in {"yes", "no"}:
        return bool(re.search(rf"\b{wanted}\b", said))
    if wanted and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", said):
        return True
    if date := _ISO.search(value):
        month = _MONTHS[int(date[2]) - 1] if 1 <= int(date[2]) <= len(_MONTHS) else ""
        return bool(month) and month[:3] in said and re.search(rf"\b{int(date[3])}(?:st|nd|rd|th)?\b", said) is not None
    roots = [stem(w) for w in words(wanted) if w not in STOP_WORDS or w in _MONTHS]
    spoken = {stem(w) for w in words(said)}
    numbers = [r for r in roots if any(c.isdigit() for c in r)]
    if not roots or any(n not in spoken for n in numbers):
        return False
    if len(roots) < _LEAST_WORDS:
        return all(r in spoken for r in roots)
    return sum(r in spoken for r in roots) >= _ENOUGH * len(roots)


def is_refusal(start: str) -> bool:
    """Tell whether a reply begins like that of a model that will not say what it was given."""
    return bool(_REFUSAL.match(start))


def what_is_asked(text: str) -> str:
    """Name what a question asks for, said to the owner.

    `what's my dog's name?` gives `your dog's name`, `when is my sister's birthday` gives `when your sister's birthday
    is`; where no such form is certain, the question itself, ending in a question mark.
    """
    bare = _LEAD.sub("", text.strip().replace("\u2019", "'")).strip().rstrip("?!. ")
    if found := _WHAT_IS.match(bare):
        return _to_owner(found["rest"])
    if (found := _WHEN_IS.match(bare)) and len(found["rest"].split()) <= _SHORT:
        return f"{found['wh'].lower()} {_to_owner(found['rest'])} {_to_owner(found['be'] or 'is')}"
    if bare[:3].lower() in {"my ", "our"}:
        return _to_owner(bare)
    return f"{bare}?"


def _to_owner(words_: str) -> str:
    return " ".join(_SWAPS.get(word.lower(), word) for word in words_.split())
