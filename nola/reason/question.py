"""Reads a message as a question: what kind of answer it wants, about whom, and whether it asks for a stored fact."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from nola.context.phrases import meant_words, plainly
from nola.reason.lexicon import lexicon
from nola.text import STOP_WORDS, content_words, fold, stem, words

__all__ = ["Expects", "Question", "read_question", "value_kinds"]


class Expects(StrEnum):
    """The kind of answer that a question wants."""

    PERSON = "person"
    NAME = "name"
    PLACE = "place"
    DATE = "date"
    TIME = "time"
    AGE = "age"
    NUMBER = "number"
    MONEY = "money"
    PHONE = "phone"
    EMAIL = "email"
    COLOUR = "colour"
    YES_NO = "yes/no"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class Question:
    """A message read as a question.

    Attributes:
        text: The message, trimmed.
        content: Its words without stop words.
        expects: The kind of answer.
        entities: Groups of things and people it names.
        living: Those of them that are people or animals.
        attributes: Groups of attributes it asks for.
        residue: Its content words without names, possessors and living beings: what is asked of them.
        noun: The noun behind `which`, `what` or `how many`, stemmed, or an empty string.
        meant: Stems of the plain words that its everyday phrases stand for.
        names: Capitalised words that look like names, and known names, folded.
        possessors: Words in the possessive (`Anna's`), folded.
        years: Years it names.
        moment: A relative time such as `last summer`, or an empty string.
        holidays: Feasts it names.
        past: It is about the past.
        former: It asks for a former value (`previous`, `used to`).
        owner: It is about the owner or somebody she knows.
        lookup: It asks for a stored fact, rather than for advice, a procedure or general knowledge.
    """

    text: str
    content: tuple[str, ...]
    expects: Expects
    entities: frozenset[str]
    living: frozenset[str]
    attributes: frozenset[str]
    residue: tuple[str, ...]
    noun: str
    meant: frozenset[str]
    names: tuple[str, ...]
    possessors: tuple[str, ...]
    years: frozenset[str]
    moment: str
    holidays: frozenset[str]
    past: bool
    former: bool
    owner: bool
    lookup: bool


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_CURRENCY = (
    r"[€$£¥₵]|\b(?:eur|euros?|usd|dollars?|cad|gbp|pounds?|naira|cedis?|pesos?|zł|pln|yen|chf|francs?|kr|sek|nok|dkk"
    r"|rupees?|inr|reais|lei|forint|won|shillings?|rand)\b"
)
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "date",
            r"\b(?:19|20)\d\d-\d\d|\b\d{1,2}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?"
            + _MONTH
            + r"\b|\b"
            + _MONTH
            + r"\.?\s+\d",
        ),
        ("date", r"\b(?:19|20)\d\d\b|\b\d{1,2}(?:st|nd|rd|th)\b"),
        ("date", r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|weekend|\bevery\b|\b" + _MONTH + r"\b"),
        ("date", r"\b(?:spring|summer|autumn|winter|morning|evening|night|daily|weekly|monthly)s?\b"),
        ("time", r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?(?:am|pm|h)\b|\bo'clock\b|\bnoon\b|\bmidnight\b"),
        ("number", r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|once|twice)\b"),
        ("money", _CURRENCY),
        ("email", r"@\w"),
        ("yes/no", r"^(?:yes|no)$"),
        (
            "colour",
            (
                r"\b(?:red|green|blue|black|white|gr[ea]y|yellow|orange|brown|purple|pink|silver|gold|beige|turquoise"
                r"|cream|navy|terracotta|violet)\b"
            ),
        ),
    )
)
_PHONE = re.compile(r"\+?\d[\d \-/()]{6,}\d")
_ISO_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_NOT_COUNTS = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?\b|\d{1,2}[:.]\d\d\b")
_PROPER = re.compile(r"\b[A-ZÀ-Þ][\w'’.-]+")

_EXPECTS: tuple[tuple[Expects, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (Expects.PHONE, r"\b(?:phone|telephone|mobile|cell) number\b|'s number\b|\bring\b.*\bnumber"),
        (Expects.EMAIL, r"\be-?mail"),
        (Expects.AGE, r"\bhow old\b|\bwhat age\b"),
        (
            Expects.MONEY,
            (
                r"\bhow (?:much|many)\b.*\b(?:pay|cost|earn|owe|owes|charge|rent|spend|price|make|salary|save)\b"
                r"|\bcosts?\b|\bprice\b|\bsalary\b|\bhow (?:much|high) (?:is|are|was|were)\b"
                r"|\bwhat (?:do|does|did) \w+(?: \w+)? (?:pay|earn|make|charge|get paid|spend)\b"
            ),
        ),
        (Expects.NUMBER, r"\bhow (?:many|much|tall|long|far|heavy|big|high|often|strong|fast|large|wide|deep)\b"),
        (Expects.TIME, r"\b(?:what time|at what hour)\b"),
        (
            Expects.DATE,
            (
                r"\bwhen\b|\b(?:what|which) (?:date|day|year|month|weekday|evening|morning|night|days|evenings)\b"
                r"|\bbirthday\b|\bdeadline\b|\bsince\b"
            ),
        ),
        (Expects.COLOUR, r"\bcolou?r\b"),
        (Expects.PERSON, r"\bwho\b|\bwhom\b|\bwhose\b|\bwho's\b"),
        (Expects.NAME, r"\b(?:name|called|surname|named)\b"),
        (
            Expects.PLACE,
            (
                r"\bwhere\b|\bwhere's\b|\b(?:which|what) (?:city|town|country|place|street|village|hall|hotel|school"
                r"|marina|market|river)\b"
            ),
        ),
        (Expects.YES_NO, r"^\W*(?:do|does|did|am|is|are|was|were|have|has|can|may|will)\b"),
    )
)
_MOMENT = re.compile(
    r"\b(?:last|previous|next|this|first|second|third|that) (?:summer|winter|spring|autumn|fall|year|month|week|weekend"
    r"|night|time|christmas|easter|holiday|term|semester|birthday|visit|new year)\b|\bwhen (?:i|we) (?:was|were)\b"
    r"|\bas a (?:child|kid|boy|girl|teenager|student)\b|\bin (?:primary|secondary|high) school\b|\byesterday\b"
    r"|\btomorrow\b|\btonight\b|\btoday\b|\bbefore\b|\bago\b",
)
_HOLIDAYS = frozenset({"christmas", "easter", "halloween", "ramadan", "eid", "diwali", "hanukkah", "thanksgiving"})
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PAST = re.compile(r"\b(?:did|was|were|had)\b")
_FORMER = re.compile(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|old(?= (?:job|phone|address|number|employer|email|flat|car))|before"
    r"|back then|in the past|earlier|once|originally|ex)\b"
)
_POSSESSIVE = re.compile(
    r"(?<![\w-])([\w-]+)'s\b(?! (?:the|a|an|my|our|in|on|at|it)\b)|(?<![\w-])([\w-]+s)'(?= )", re.IGNORECASE
)
_NOT_OWNERS = frozenset("what who where when how that it there here let one tonight today which why".split())
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*$"
    r"|[\"\u201c\u00ab][^\"\u201d\u00bb]*\s[^\"\u201d\u00bb]*\s[^\"\u201d\u00bb]*[\"\u201d\u00bb]"
    r"|\b(?:says?|said|writes?|wrote)(?: that)?: [^.?!]*[.?!]",
    re.DOTALL | re.MULTILINE,
)
_MOST_READ = 4_000  # a question is found in the first lines, or it is none
_NEVER_NAMES = frozenset(
    "nola hi hello hey thanks please good remind tell give show morning evening afternoon night".split()
)
_CAPITALISED = re.compile(r"\b[A-ZÀ-Þ][\w’'-]*")
_CALENDAR = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december i""".split()
)
_OWNER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|us|our|ours)\b")
_LEAD = re.compile(
    r"^(?:\W|hey|hi|hello|nola|please|so|and|oh|ok|okay|well|thanks|quick question|sorry|um|again|now|just|"
    r"(?:can|could|would|will) you (?:please )?(?:tell|remind|show|give) me|do you (?:know|remember|recall)"
    r"|i (?:forgot|forget|can't remember|wonder)|"
    r"remind me(?: again)?(?: of)?|tell me|give me|let me know|by the way)\b\W*"
)
_ADVICE = re.compile(
    r"^(?:how (?:do|can|should|could|would|might|to)\b(?!.*\b(?:know|met|meet)\b)|how (?:does|did) (?:a|an|the|one)\b"
    r"|(?:what|where|which \w+|who|when) (?:should|shall|could|would|can|might)\b"
    r"|(?:should|shall|can|could|may|would|might) (?:i|we|you)\b|why\b|what if\b|(?:if|suppose|imagine|assuming)\b"
    r"|what (?:do|did|have) you (?:know|remember|learn\w*|got)\b"
    r"|(?:everything |something |all )?about (?:me|myself|us)\b|myself\b"
    r"|what(?:'s| is| are| would be) (?:a|an|some|the best|the difference|the meaning|the capital|a good)\b"
    r"|what does .* mean\b|is it\b|are there\b|is there (?:a|any) (?:way|difference)\b"
    r"|(?:write|make|explain|describe|suggest|recommend|help|convert|translate|calculate|compare|summari[sz]e|draft"
    r"|list|sing|play|pretend|imagine|invent|create|define|plan|design|compose|rewrite|spell|count)\b"
    r"|(?:a|an|some|three|two|five|ten|\d+) )"
)
_GENERIC = re.compile(
    r"\bhow \w+(?: \w+)? (?:should|can|must|would|could|might) (?:i|we|you|one)\b"
    r"|\b(?:do|does|can|should) (?:i|you|one|we) \w+ (?:a|an) (?!month|week|day|year|hour)"
    r"|\bwhat (?:helps|works best)\b|\bin general\b|\bin the world\b|\bon average\b|\bin simple (?:words|terms)\b"
)
_NOUN = re.compile(
    r"\b(?:which|what|how many|what kind of|what sort of|what type of) "
    r"(?!is\b|are\b|was\b|were\b|do\b|does\b|did\b|has\b|have\b|will\b|am\b|shall\b|should\b|can\b|could\b|must\b)"
    r"((?:[a-z-]+ ){0,1}[a-z-]+)"
)
_FAMILY = re.compile(
    r"(?<!\ba )(?<!\ban )(?<!\bthe )(?<!\byour )(?<!\bevery )\b(?:mum|mom|mummy|mama|dad|daddy|papa|grandma|granny"
    r"|nana|grandpa|granddad|auntie|aunt|uncle|cousin)(?:'s)?\b(?! of the nation)"
)
_PERSONAL = frozenset(
    {"deadline", "phone", "email", "address", "job", "city", "birthday", "surname", "salary", "wedding", "died"}
)
_STATES = re.compile(
    r"^(?:my|our|the|i|we)\b.*\b(?:is|are|was|were|am|has|have|had|likes?|loves?|hates?|lives?|works?|moved|started"
    r"|got|bought|called|named)\b"
)
_ASKS = re.compile(
    r"^(?:what|who|whom|whose|when|where|which|how|do|does|did|am|is|are|was|were|have|has|had|on|at|in|by|for|from"
    r"|to|with|until|about|since|along|what's|who's|when's|where's|how's|my|our|the)\b|^[\w ]{3,40} of (?:my|our)\b"
)


_ASKING = re.compile(
    r"\?|\b(?:please|pls|plz|what|who|whom|whose|when|where|which|how|tell me|remind|give me|show me|know|remember"
    r"|forgot|forget|wonder)\b"
)
_NOUN_FIRST = re.compile(r"^(?:on|at|in|by|for|from|to|with|until|about|since|along|my|our|the)\b")
_FINITE = re.compile(
    r"\b(?:is|isn't|are|aren't|was|wasn't|were|weren't|am|has|hasn't|have|had|do|don't|does|doesn't|did|didn't|can"
    r"|can't|could|will|won't|would|should|shall|may|might|must|said|says|got|gets|went|goes|came|comes|ate|left|leaves?"
    r"|hurts?|lives?|loves?|likes?|hates?|wants?|needs?|works?|means?|thinks?|knows?|broke|died|ends?|starts?|[a-z]{3,}(?<!e)ed)\b"
)


def value_kinds(value: str) -> frozenset[str]:
    """Tell what kinds of answer a value could be: `date`, `time`, `number`, `money`, `phone`, `email`, `proper` ..."""
    kinds = {kind for kind, pattern in _KINDS if pattern.search(value)}
    if _PHONE.search(value) and not _ISO_DATE.search(value):
        kinds.add("phone")
    elif re.search(r"\d", _NOT_COUNTS.sub("", value)):
        kinds.add("number")
    if _PROPER.search(value):
        kinds.add("proper")
    return frozenset(kinds)


def read_question(
    text: str,
    known_names: frozenset[str] = frozenset(),
    known_topics: frozenset[str] = frozenset(),
    people: frozenset[str] = frozenset(),
) -> Question:
    """Read a message as a question.

    Args:
        text: What the owner typed.
        known_names: Folded words that name people, animals or things in what Nola knows.
        known_topics: Stems of the words that say what Nola's facts are about.
        people: Folded names of people, animals and things, also when they are typed in lower case.
    """
    trimmed = text.strip()[:_MOST_READ].replace("’", "'")
    low = _own_words(trimmed).lower()
    table = lexicon()
    plain, meant = plainly(trimmed), meant_words(trimmed)
    entities = table.entities(plain)
    content = tuple(content_words(plain))
    names = tuple(dict.fromkeys([*_names(trimmed), *(w for w in words(trimmed) if w in people)]))
    possessors = tuple(fold(m[1] or m[2]) for m in _POSSESSIVE.finditer(low) if fold(m[1] or m[2]) not in _NOT_OWNERS)
    bare = _without_lead(low)
    attributes = table.attributes(f"{plain} {meant}")
    about_owner = (
        bool(_OWNER.search(_without_lead(low, keep_owner=True)))
        or bool(_FAMILY.search(low))
        or any(w in known_names for w in words(trimmed) if w not in STOP_WORDS)
        or any(p in names for p in possessors)
        or (len(names) == 1 and not _PAST.search(low) and bool(attributes & _PERSONAL) and _is_subject(names[0], low))
        or _about_known_thing(low, known_topics)
    )
    moment = _MOMENT.search(low)
    return Question(
        text=trimmed,
        content=content,
        expects=next((kind for kind, pattern in _EXPECTS if pattern.search(low)), Expects.THING),
        entities=entities,
        living=table.living(entities),
        attributes=attributes,
        residue=tuple(
            w for w in content if w not in names and w not in possessors and not table.living(table.entities(w))
        ),
        noun=_asked_noun(low),
        meant=frozenset(stem(w) for w in meant.split()),
        names=names,
        possessors=possessors,
        years=frozenset(_YEAR.findall(trimmed)),
        moment=moment.group() if moment else "",
        holidays=frozenset(_HOLIDAYS & set(words(trimmed))),
        past=bool(_PAST.search(low)),
        former=bool(_FORMER.search(low)),
        owner=about_owner,
        lookup=_is_lookup(bare, _own_words(trimmed)),
    )


def _own_words(text: str) -> str:
    """Leave out what is quoted, code, and forwarded lines: they speak of somebody else's dog."""
    return _QUOTED.sub(" ", text).strip() or text


def _is_subject(name: str, low: str) -> bool:
    """A person is asked about (`where does Paula live`), not a place in passing (`in Japan`)."""
    return bool(re.search(rf"\b(?:do|does|is|has|of|for) (?:the )?{re.escape(name)}\b", fold(low)))


def _asked_noun(low: str) -> str:
    found = _NOUN.search(low)
    if not found:
        return ""
    noun = content_words(found[1])
    return stem(noun[0]) if noun else ""


def _is_lookup(bare: str, trimmed: str) -> bool:
    low = trimmed.lower()
    if _NOUN_FIRST.match(bare) and _FINITE.search(bare) and not _ASKING.search(low):
        return False  # it tells something: `my sister moved out`; `my sister's phone number` asks
    clauses = [_LEAD.sub("", c.strip()) for c in re.split(r"[,.;!]\s+|\s+-\s+", bare) if c.strip()]
    if not clauses or any(_ADVICE.match(c) or _GENERIC.search(c) for c in clauses):
        return False
    return (
        bool(_ASKS.match(clauses[0])) or bool(_ASKS.match(clauses[-1])) or trimmed.endswith("?") or "please" in trimmed
    )


def _about_known_thing(low: str, known_topics: frozenset[str]) -> bool:
    if not re.search(r"\bthe\b|'s\b", low) or not known_topics:
        return False
    content = [stem(w) for w in content_words(low)]
    return bool(content) and 2 * sum(w in known_topics for w in content) >= len(content)


def _without_lead(low: str, *, keep_owner: bool = False) -> str:
    previous = None
    while previous != low:
        previous = low
        low = _LEAD.sub("", low, count=1)
    return low if low or not keep_owner else previous


def _names(text: str) -> list[str]:
    found = []
    for match in _CAPITALISED.finditer(text):
        word = fold(re.sub(r"['’]s?$", "", match.group()))
        plain = word.split("'")[0]
        if plain in _NEVER_NAMES or plain in STOP_WORDS or plain in _CALENDAR or plain in _HOLIDAYS:
            continue
        found.append(word)
    return found
