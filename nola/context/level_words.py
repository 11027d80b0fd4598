"""Words of a message as the choice of its level sees them: cleaned, spelled out, and tagged with concepts."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["LANGUAGES", "Lexicon", "Tag", "clip", "compile_lexicon", "languages", "normal_words", "tag"]

LANGUAGES = ("en", "es", "de", "fr", "pt")
_NOTHING = 0.3
_HEAD, _TAIL = 4_000, 1_000
_WORD = re.compile(r"#|[^\W_]+(?:'[^\W_]+)*")
_STRETCHED = re.compile(r"(.)\1{2,}")
_LAUGH = re.compile(
    r"(?:a*(?:ha){2,}h?|(?:he){2,}h?|(?:hi){2,}|(?:ja){2,}j?|(?:je){2,}|k{3,}|(?:rs){2,}|l+o+l+s?|lm+f?ao+)"
)
_FRENCH = re.compile(r"\b(j|l|d|c|n|s|m|t|qu|jusqu|lorsqu|puisqu|quelqu|aujourd)'(?=[a-z])")
_SPANISH_MARKS = re.compile(r"[¿¡ñ]")
_GERMAN_MARKS = re.compile(r"[äöüß]")
_PORTUGUESE_MARKS = re.compile(r"[ãõ]")
_FRENCH_MARKS = re.compile(r"[èêœûîë]|\bà\b|ç|ù")
_MARKS = (("es", _SPANISH_MARKS), ("de", _GERMAN_MARKS), ("pt", _PORTUGUESE_MARKS), ("fr", _FRENCH_MARKS))
_SOCIAL = frozenset(("GREET", "BYE", "THANKS", "ACK", "ASSENT", "DENY", "LAUGH", "PRAISE", "WISH"))
_ANYWHERE = _SOCIAL | {"SLANG", "VOCATIVE"}
_GERMAN = frozenset(
    "und der die das den dem ist wie ich mein meine nicht mit von zu es bin hab wir auf auch noch mal sich".split()
)
_SHARED = frozenset("a an as de do e en es i in is la le me mi n na no o on os pa q se so te tu un y".split())
_IS_BEFORE = frozenset(
    "what that it how where when who here there she he let why everything something thing one this name".split()
)
_SHORT = {
    "u": "you", "ur": "your", "r": "are", "wat": "what", "wot": "what", "wut": "what", "wht": "what", "wats": "what is",
    "whats": "what is", "wots": "what is", "hows": "how is", "wheres": "where is", "whens": "when is", "whos": "who is",
    "thats": "that is", "its": "it is", "im": "i am", "ive": "i have", "dont": "do not", "doesnt": "does not",
    "didnt": "did not", "cant": "can not", "cannot": "can not", "wont": "will not", "isnt": "is not",
    "arent": "are not", "wasnt": "was not", "couldnt": "could not", "shouldnt": "should not", "youre": "you are",
    "wouldnt": "would not", "havent": "have not", "hasnt": "has not", "aint": "is not", "theres": "there is",
    "gonna": "going to", "wanna": "want to", "gotta": "got to", "gimme": "give me", "lemme": "let me",
    "dunno": "do not know", "idk": "i do not know", "kinda": "kind of", "sorta": "sort of", "cuz": "because",
    "coz": "because", "cos": "because", "pls": "please", "plz": "please", "plse": "please", "tmrw": "tomorrow",
    "tmr": "tomorrow", "tmw": "tomorrow", "tomo": "tomorrow", "2moro": "tomorrow", "tonite": "tonight",
    "nite": "night", "rn": "right now", "b4": "before", "yr": "year", "yrs": "years", "wk": "week", "wks": "weeks",
    "msg": "message", "txt": "text", "ppl": "people", "nd": "and", "shud": "should", "cud": "could", "wud": "would",
    "hv": "have", "hw": "how", "bout": "about", "abt": "about", "luv": "love", "gf": "girlfriend", "bf": "boyfriend",
    "smth": "something", "tho": "though", "thru": "through", "rly": "really", "rlly": "really", "srsly": "seriously",
    "appt": "appointment", "bday": "birthday", "wknd": "weekend", "cal": "calendar", "fav": "favourite",
    "favorite": "favourite", "lmk": "let me know", "gn": "good night", "gm": "good morning", "ystrday": "yesterday",
    "lets": "let us", "ima": "i am going to", "imma": "i am going to", "betta": "better", "2day": "today",
    "mins": "minutes", "hrs": "hours", "eachother": "each other", "alot": "a lot", "yall": "you",
    "nothin": "nothing", "somethin": "something", "tues": "tuesday", "thurs": "thursday", "weds": "wednesday",
    "shouldve": "should have", "everytime": "every time", "acc": "actually", "gr8": "great", "l8r": "later",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tag:
    """A concept found in a run of words, from `start` up to but not with `end`."""

    concept: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases by their first word, prefixes, and every single word that stands in a phrase.

    Attributes:
        phrases: First word -> (all words, language, concept).
        prefixes: (beginning of a word, language, concept).
        vocabulary: Words that are known; others are tried in other spellings.
        function_words: Language -> the small words that give it away.
    """

    phrases: Mapping[str, Sequence[tuple[tuple[str, ...], str, str]]]
    prefixes: Sequence[tuple[str, str, str]]
    vocabulary: frozenset[str]
    function_words: Mapping[str, frozenset[str]]


def clip(text: str) -> str:
    """Keep the beginning and the end of a very long text, so that any length is read quickly."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def compile_lexicon(tables: Iterable[Mapping[str, Mapping[str, str]]]) -> Lexicon:
    """Build the lexicon from its readable tables: concept -> language (`xx` is any) -> phrases split by `;`."""
    phrases: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
    prefixes: list[tuple[str, str, str]] = []
    functions: dict[str, frozenset[str]] = {}
    for table in tables:
        for concept, by_language in table.items():
            for language, entries in by_language.items():
                split = [
                    " ".join("#" if w.isdigit() else w for w in _plain_words(entry)) + "*" * entry.strip().endswith("*")
                    for entry in entries.split(";")
                ]
                if concept == "LANG":
                    functions[language] = frozenset(split)
                    continue
                prefixes += [(entry[:-1], language, concept) for entry in split if entry.endswith("*")]
                for entry in dict.fromkeys(entry for entry in split if entry and not entry.endswith("*")):
                    parts = tuple(entry.split())
                    phrases.setdefault(parts[0], []).append((parts, language, concept))
    known = {word for entries in phrases.values() for parts, _, _ in entries for word in parts}
    return Lexicon(phrases, prefixes, frozenset(known), functions)


def _plain_words(text: str) -> list[str]:
    """Fold a text and spell its contractions out."""
    folded = _FRENCH.sub(r"\1 ", fold(text.replace("‘", "'")))
    found = _WORD.findall(folded)
    german = not _GERMAN.isdisjoint(found)
    out: list[str] = []
    for raw in found:
        base, mark, rest = raw.partition("'")
        if mark:
            out.extend(_spelled(base, rest))
        else:
            out.extend([raw] if german and raw == "im" else _SHORT.get(raw, raw).split())
    return out


def _spelled(base: str, rest: str) -> list[str]:
    ends = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}
    if rest == "t" and base.endswith("n"):
        stem = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}.get(base[:-1], base[:-1])
        return [stem, "not"]
    if rest == "s":
        known = _SHORT.get(base, base)
        if known == "let":
            return ["let", "us"]
        return [known, "is"] if known in _IS_BEFORE else [known]
    if rest in ends:
        return [base, ends[rest]]
    return [base, rest] if rest else [base]


def normal_words(text: str, lexicon: Lexicon) -> list[str]:
    """Split a text into folded words in the spelling that the lexicon knows; numbers become `#`."""
    return [_known(word, lexicon.vocabulary) for word in _plain_words(text)]


def _known(word: str, vocabulary: frozenset[str]) -> str:
    if word.isdigit():
        return "#"
    if word in vocabulary:
        return word
    if _LAUGH.fullmatch(word):
        return "haha"
    short = _STRETCHED.sub(r"\1", word)
    tries = [short, _STRETCHED.sub(r"\1\1", word), _SHORT.get(short, short)]
    if word.endswith("in"):
        tries.append(word + "g")
    return next((t for t in tries if t in vocabulary), word)


def languages(text: str, words: Sequence[str], lexicon: Lexicon, earlier: Sequence[str] = ()) -> frozenset[str]:
    """Tell which languages a message may be in; all of them when nothing gives it away.

    Args:
        text: The message as it was written, for its special letters.
        words: Its normal words.
        lexicon: The small words of each language.
        earlier: Normal words of the conversation so far, a weaker sign.
    """
    lowered = unicodedata.normalize("NFC", text.lower())
    scores = dict.fromkeys(LANGUAGES, 0.0)
    scores["en"] = 0.3
    for language, mark in _MARKS:
        scores[language] += 2.0 * bool(mark.search(lowered))
    for language, small in lexicon.function_words.items():
        scores[language] += sum(0.3 if w in _SHARED else 1.0 for w in words if w in small)
        scores[language] += 0.05 * min(sum(w in small for w in earlier), 12)
    for word in words:
        for language in {spoken for parts, spoken, _ in lexicon.phrases.get(word, ()) if len(parts) == 1}:
            scores[language] = scores.get(language, 0.0) + 0.25
    scores.pop("xx", None)
    best = max(scores.values())
    if best <= _NOTHING:
        return frozenset(("xx", *LANGUAGES))
    chosen = {language for language, score in scores.items() if score >= best - 0.01}
    if chosen & {"es", "pt"}:
        chosen |= {language for language in ("es", "pt") if scores[language] >= best - 1.01}
    return frozenset(("xx", *chosen))


def tag(words: Sequence[str], spoken: frozenset[str], lexicon: Lexicon) -> list[Tag]:
    """Find every concept in a run of words; of one concept the longest run at each place."""
    found: list[Tag] = []
    for at, word in enumerate(words):
        longest: dict[str, int] = {}
        for parts, language, concept in lexicon.phrases.get(word, ()):
            fits = language in spoken or (language == "en" and concept in _ANYWHERE)
            if fits and tuple(words[at : at + len(parts)]) == parts:
                longest[concept] = max(longest.get(concept, 0), len(parts))
        found += [Tag(concept, at, at + size) for concept, size in longest.items()]
        found += [
            Tag(concept, at, at + 1)
            for start, language, concept in lexicon.prefixes
            if language in spoken and word.startswith(start) and concept not in longest
        ]
    return found
