"""Split a message into clauses that assert something, leaving out what is asked, quoted, supposed or performed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from nola.memory.learn_cues import (
    ALSO_HAS,
    AM_FIRST,
    APPOSITION,
    BACK,
    BARE_HEDGE,
    DROP,
    EMBED,
    FINITE,
    GREETING,
    HAVE,
    HAVE_FIRST,
    ICH_FIRST,
    LABEL,
    LEAD,
    MY_LABEL,
    OK_TAG,
    ONCE,
    REMEMBER,
    ROLE,
    SPLIT,
    SUBJECT_I,
    TAG,
    TELEGRAM,
    TEXT,
    THAT_THING,
    THIRD_VERB,
    UNSTICK,
    VERB_FIRST,
    VOID,
)
from nola.memory.learn_words import MONTHS
from nola.text import fold

__all__ = ["MAX_TEXT", "Clause", "Reading", "Sentence", "read"]

MAX_TEXT = 8_000
"""Longer messages are documents that were pasted, not statements; nothing is read from them."""
_MAX_CLAUSES = 200
_FIRST_MASK = 0xE000
_MASKS = 1_000


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch that asserts one thing; quotations are masked by one private character each."""

    text: str
    greeted: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's asserting clauses.

    Attributes:
        clauses: What it asserts, in order.
        explicit: The owner asked to remember it.
        body: Its words without the request to remember, quotations masked.
        whole: No clause was left out.
    """

    clauses: tuple[Clause, ...]
    explicit: bool
    body: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as read: its sentences, the quotations that were masked, and whether it is all in lower case."""

    sentences: tuple[Sentence, ...] = ()
    quotations: tuple[str, ...] = ()
    casual: bool = False

    def words(self, text: str, *, marks: bool = True) -> str:
        """Put quotations back into a text, with or without their quotation marks."""

        def put(found: re.Match[str]) -> str:
            quoted = self.quotations[ord(found.group()) - _FIRST_MASK]
            return quoted if marks else quoted.strip("\"'`\u201c\u201d\u00ab\u00bb\u201e\u2018\u2019 ")

        return _MASKED.sub(put, text)


_MASKED = re.compile(f"[{chr(_FIRST_MASK)}-{chr(_FIRST_MASK + _MASKS - 1)}]")
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|^[ \t]*>.*$|\"[^\"]*(?:\"|$)|\u201c[^\u201d]*(?:\u201d|$)|\u00ab[^\u00bb]*(?:\u00bb|$)"
    r"|\u201e[^\u201c\u201d\"]*(?:[\u201c\u201d\"]|$)|(?<!\w)'(?=[^\s'])(?:[^'\n]|'(?=\w))*'(?!\w)|\([^()\n]*\)",
    re.MULTILINE | re.DOTALL,
)
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ue000-\uf8ff\u200b-\u200f\ufeff]")
_END = re.compile(r"(?:[.!?\u2026\uff1f]+(?=[\s\"')\]]|$)|[;\n]+)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|dra|mr|mrs|ms|st|prof|sr|sra|jr|vs|no|nr|ste|e\.g|i\.e|apt|ave|mt|ft)|\b[A-Z])$", re.IGNORECASE
)


def read(text: str) -> Reading:
    """Read a message.

    Args:
        text: The message as it was written; any characters, any length.

    Returns:
        Its asserting sentences. Nothing is read from a message over `MAX_TEXT`, from one that takes itself back
        ("just kidding", "don't remember this"), nor from what follows a request to play a role or to work on a text.
    """
    if len(text) > MAX_TEXT:
        return Reading()
    masked, quotations = _mask(text.replace("\u2019", "'").replace("\u02bc", "'"))
    if VOID.search(masked):
        return Reading()
    kept: list[Sentence] = []
    count = 0
    frame = ""
    greeted = False
    for words, ending, first in _sentences(masked):
        frame = "" if first and frame == "label" else frame
        if BACK.search(words):
            kept.clear()
            frame = "text" if TEXT.match(words) else frame
            continue
        if ROLE.match(words):
            break
        if TEXT.match(words) and not REMEMBER.match(words):
            frame = "text"
        elif frame and not (frame == "text" and UNSTICK.match(words)):
            continue
        else:
            frame = "label" if _labelled(words) else ""
        if not frame:
            greeted = greeted or bool(GREETING.match(words))
            sentence = _sentence(words, question="?" in ending or "\uff1f" in ending, greeted=greeted)
            count += len(sentence.clauses)
            kept.append(sentence)
        if count > _MAX_CLAUSES:
            break
    letters = re.sub(r"(?:^|(?<=[.!?]\s))\w|\bI\b", "", masked)
    return Reading(tuple(kept), quotations, casual=not any(c.isupper() for c in letters))


def _mask(text: str) -> tuple[str, tuple[str, ...]]:
    quotations: list[str] = []

    def hide(found: re.Match[str]) -> str:
        if found.group().startswith("(") or len(quotations) >= _MASKS:
            return " "
        quotations.append(found.group())
        return chr(_FIRST_MASK + len(quotations) - 1)

    plain = _ODD.sub(" ", text.replace("\r", "\n"))
    return _QUOTED.sub(hide, plain), tuple(quotations)


def _sentences(text: str) -> list[tuple[str, str, bool]]:
    """Split into (words, ending, whether it opens a line)."""
    found: list[tuple[str, str, bool]] = []
    start = 0
    opens = True
    for end in (*_END.finditer(text), None):
        stop = end.start() if end else len(text)
        mark = end.group() if end else ""
        if end and mark == "." and _runs_on(text, start, end):
            continue
        words = re.sub(r"\s+", " ", text[start:stop]).strip(" \t,-*\u2022")
        if words:
            question = "?" if words.startswith("\u00bf") else mark
            found.append((words.lstrip("\u00bf\u00a1"), question, opens))
        opens = "\n" in mark or (opens and not words)
        start = end.end() if end else stop
    return found


def _runs_on(text: str, start: int, end: re.Match[str]) -> bool:
    before = text[max(start, end.start() - 12) : end.start()]
    if _ABBREVIATION.search(before):
        return end.end() < len(text)
    following = re.match(r"\s+([^\W\d_]+)", text[end.end() : end.end() + 30])
    return bool(before[-1:].isdigit() and following and fold(following.group(1)) in MONTHS)


def _labelled(words: str) -> bool:
    """Tell whether a sentence opens with a label such as a speaker's name, so that what follows is not the owner's."""
    label = LABEL.match(words)
    return bool(
        label
        and not re.match(r"(?:i|i've|i'm|we|we've)\b", words, re.IGNORECASE)
        and not LEAD.match(words)
        and not REMEMBER.match(_strip_leads(words))
        and not MY_LABEL.match(words)
    )


def _strip_leads(words: str) -> str:
    while lead := LEAD.match(words):
        words = words[lead.end() :]
    return words


def _sentence(words: str, *, question: bool, greeted: bool) -> Sentence:
    words = APPOSITION.sub(r"\1 ", MY_LABEL.sub(r"\1 is ", words))
    if question and (tag := OK_TAG.search(words)):
        words, question = words[: tag.start()], False
    body = _with_dropped_subject(_strip_leads(words))
    asked = _request(body)
    if asked is not None:
        rest, polite = asked
        if not rest or (question and not polite):
            return Sentence((), explicit=False, body="", whole=False)
        clauses, whole = _clauses(rest, question=False, greeted=greeted)
        return Sentence(clauses, explicit=True, body=rest, whole=whole)
    clauses, whole = _clauses(body, question=question, greeted=greeted)
    return Sentence(clauses, explicit=False, body=body, whole=whole)


def _request(body: str) -> tuple[str, bool] | None:
    """Return what is asked to be remembered and whether it was asked as a favour; None when nothing is."""
    found = REMEMBER.match(body)
    if not found:
        return None
    rest = (found["rest"] or found["rest2"] or "").strip()
    join = (found["join"] or found["join2"] or "").strip()
    polite = bool(found["ask"])
    bare = not join
    if re.match(r"(?:to|when|what|how|where|who|why|if|me|you|your|this|it|them|not to|us)\b", rest, re.IGNORECASE):
        return "", polite
    if join == "that" and THAT_THING.match(rest):
        return "", polite
    if bare and not (
        FINITE.search(rest) and re.match(r"(?:I|I'm|I've|(?i:i|i'm|i've|my|our|we|the|there)|[A-Z]\w+)\b", rest)
    ):
        return "", polite
    return _strip_leads(rest), polite


def _clauses(body: str, *, question: bool, greeted: bool) -> tuple[tuple[Clause, ...], bool]:
    cuts = [0, *(m.end() for m in SPLIT.finditer(body)), len(body)]
    ends = [*(m.start() for m in SPLIT.finditer(body)), len(body)]
    pieces = [body[start:end].strip(" ,") for (start, _), end in zip(pairwise(cuts), ends, strict=True)]
    if question and TAG.fullmatch(pieces.pop()):
        return (), False
    pieces = [part for piece in pieces for part in _having(piece)]
    kept: list[Clause] = []
    subject = ""
    whole = not question
    for piece in pieces:
        words = _strip_leads(_with_subject(piece, subject))
        if kept and BARE_HEDGE.fullmatch(words):
            kept.pop()
            whole = False
            continue
        if EMBED.match(words):
            return tuple(kept), False
        subject = "I" if SUBJECT_I.match(words) else "she"
        if DROP.search(words) and not ONCE.match(words):
            whole = False
            continue
        kept.append(Clause(words, greeted=greeted))
    return tuple(kept), whole


def _with_dropped_subject(body: str) -> str:
    """Give a telegram's opening its subject: `just moved to Porto`, `got a new dog`, `allergic to nuts`."""
    if opening := TELEGRAM.match(body):
        return f"{'I am' if opening['state'] else 'I'} {body}"
    return body


def _having(piece: str) -> list[str]:
    """Split what someone has into one clause each: `we have two dogs and a parrot`."""
    owner = HAVE.match(piece)
    if not owner:
        return [piece]
    first, *others = ALSO_HAS.split(piece)
    return [first, *(f"{owner.group()} {other}" for other in others)]


def _with_subject(piece: str, subject: str) -> str:
    """Give a clause its left-out subject: `work at Acme` after `I live in Porto and`."""
    if not subject or not (VERB_FIRST.match(piece + " ") or piece.startswith("who ")):
        return piece
    if AM_FIRST.match(piece):
        return f"{'I am' if subject == 'I' else 'she is'} {piece}"
    if THIRD_VERB.match(piece):
        return "she " + piece.removeprefix("who ")
    if HAVE_FIRST.match(piece):
        return f"I have {piece}"
    if ICH_FIRST.match(piece):
        return f"ich {piece}"
    return f"I {piece}" if subject == "I" else piece
