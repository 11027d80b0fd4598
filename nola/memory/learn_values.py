"""Clean what a statement says into a value, or reject it when it is not the kind of thing its place holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nola.memory.learn_words import (
    ADJECTIVES,
    CAR_MAKES,
    CONDITIONS,
    COUNTRIES,
    DEMONYMS,
    DIETS,
    FUNCTION_WORDS,
    JOBS,
    MONTHS,
    NOT_JOBS,
    NOT_PLACES,
    NUMBERS,
    WORKPLACES,
)
from nola.text import fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.types import Json

__all__ = ["MAX_VALUE", "is_secret", "note", "several", "unhurried", "value_of"]

MAX_VALUE = 200

_CUT = re.compile(
    r"(?:\s+|,\s*)(?:because|since|so (?:that|i|please|can|could|don't)|but|although|though|which|who|where|when"
    r"|while|whose|whereas|after|before"
    r"|and (?:he|she|it|they|that|this|then|i|my|we|so|the|his|her)|(?:he|she|it|they|i|we|you)(?:'\w+)?(?=\s)|pero"
    r"|porque|aber|weil|mais|parce que|mas"
    r"|rather than|instead of|not|instead|if you|that's|thank(?:s| you))\b.*|\s+[-\u2013\u2014]+\s.*"
    r"|\s*[\u2013\u2014].*|\s+:?[:;]-?[)(DPp].*",
    re.I | re.S,
)
_COMMA = re.compile(r"\s*,.*", re.S)
_ASIDE = re.compile(
    r"\s*,?\s*\b(?:especially|mostly|mainly|such as|including|like|e\.g\.|for example|in particular)\b.*", re.I | re.S
)
_UNIT = (
    r"(?:days?|weeks?|weekends?|months?|years?|summer|winter|spring|autumn|fall|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)"
)
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_FILLER = re.compile(
    r"[\s,]+(?:(?:right )?now|these days|nowadays|currently|at the moment|at present|presently|for now|(?:last|this"
    r"|this past) "
    + _UNIT
    + r"|yesterday|today"
    r"|this (?:morning|afternoon)|recently|lately|(?:just )?(?:a|an|one|two|three|four|five|six|seven|eight|ten|\d+"
    r"|a few|a couple of|some|many) "
    + _UNIT
    + r" (?:ago|back|now)"
    r"|by the way|btw|please|thanks|thank you|too|also|as well|actually|again|lol|haha|ok|okay|finally|in \d{4}"
    r"|(?:back )?in "
    + _MONTH
    + r"(?: \d{4})?|on \w+day"
    r"|(?:for|because of|due to) (?:work|my job|my new job|a (?:new )?job|love|university|uni|school|family)"
    r"|(?:together )?with (?:my|our) [^,]+|since \S+(?: \d{4})?"
    r"|for (?:about |almost |over )?(?:\w+) (?:years|months)(?: now)?|already|just|permanently|for good|full[- "
    r"]time|part[- ]time|of course|indeed|for the record|from now on"
    r"|any ?more|any ?longer|though|you know|for short|alone|as you (?:may |might )?know|everyone|everybody|nola"
    r"|and you|since childhood"
    r"|ahora|por cierto|gracias|por favor|también|desde \w+(?: \w+)?|desde hace \w+ \w+|jetzt|übrigens|danke|bitte"
    r"|auch|seit \w+ \w+|maintenant|merci|aussi|depuis \w+ \w+"
    r"|agora|obrigad[oa]|também|desde \d{4}|hace (?:un|dos|tres|\d+) \w+)$",
    re.I,
)
_FUTURE = re.compile(
    r"\b(?:tomorrow|soon|next "
    + _UNIT
    +
        r"|some ?day|one day|in the future|in (?:a|two|three|four|\d+) (?:days?|weeks?|months?|years?)(?! now)"
        r"|mañana|morgen|demain|amanhã"
    r"|starting|the day after|later|la semana que viene|nächste\w*|prochaine?|próxim[oa])\b",
    re.I,
)
_DEGREE = re.compile(
    r"\s+(?:a lot|very much|so much|the most|too much|a bit|really|more than anything|most of all|above all|best"
    r"|mucho|sehr|beaucoup|muito|most)$",
    re.I,
)
_PREPOSITION = re.compile(
    r"\s+(?:on|in|at|from|with|near|for|by|as|during|of the|around|about|after|to)\s.*", re.I | re.S
)
_TRIM = " \t\n.,;:!?\u2026'*_-\u2013\u2014~"
_SYMBOLS = re.compile(r"[^\w.)\]\"'\u201d\u00bb\ue000-\uf8ff+#%\u20ac$\u00a3\u00b0]+$")

_PARTICLES = frozenset("de da do dos das del della di van von der den la le el bin ibn al du of the y e und st".split())
_DEICTIC = re.compile(
    r"\b(?:it|this|that|these|those|them|him|her|you|your|yours|me|myself|yourself|here|there|one|ones|both|neither"
    r"|none|everything|nothing|something|anything"
    r"|someone|everyone|option|version|choice|answer|answers|response|responses|reply|suggestion|suggestions|idea"
    r"|ideas|first|second|third|latter|former|draft|number|proposal"
    r"|so|as (?:a|an|the)|for (?:the|a)|such|my|our|his|their|us|hearing|saying|asking|bothering|think|say|know|see"
    r"|hear|ask|admit|bother|interrupt|believe|point out|tell"
    r"|cette|cet|ces|desta|deste|dies\w*|estas|estos|eso|esto|ese|esta|este|das hier|ça|cela|isso|isto|esse|essa"
    r"|dich|dir|te|tu|toi|você)\b",
    re.I,
)
_NOT_LIKED = re.compile(
    r"(?:what|how|when|where|why|who|which|if|whether|the way|all|any|some|most|many|each|every|no|not|to be|to "
    r"have|being|the fact|than|about|of|in|on|at|like|just)\b",
    re.I,
)
_DEFINITE = re.compile(
    r"the (?:[A-Z]|sea\b|beach|cold|rain|theatre|theater|mountains?|ocean|outdoors|snow|heat|sun|countryside|city"
    r"|forest|desert|winter|summer|autumn|spring|night|opera"
    r"|cinema|gym|smell|sound|taste|dark|wind|wild|woods|park|piano|violin|guitar|\d{2}s|eighties|nineties|colou?r \w)"
)
_SECRET = re.compile(
    r"\b(?:passwords?(?! manager)|passcode|passphrase|pass code|pin|pins|pin code|pincode|cvv2?|cvc|security "
    r"(?:code|answer|question)|(?:credit|debit|bank|visa|master) ?card"
    r"|card number|iban|account number|sort code|routing number|ssn|social security|social insurance number|tax "
    r"(?:id|number)|api[ -]?key|access (?:token|code|key)|secret key|private key|encryption key"
    r"|seed phrase|recovery (?:code|phrase|key)|2fa|otp|mfa|(?:alarm|door|gate|safe|entry|entrance|unlock|lock"
    r"|vault|garage|keypad|locker|padlock) (?:code|combination)|combination (?:is|of|to|for)"
    r"|bitlocker|login (?:is|code)|credentials|contraseña|clave|passwort|kennwort|geheimzahl|mot de passe|code "
    r"(?:secret|pin|de carte)|senha|palavra-passe|código pin"
    r"|tarjeta de crédito|kreditkarte\w*|carte bancaire|cartão de crédito)\b|\bpassword\b|\b(?:sk|pk|ghp|gho"
    r"|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{14,}|\b[A-Fa-f0-9]{32,}\b",
    re.I,
)
_DIGITS = re.compile(r"(?<![+\d])\d(?:[ -]?\d){12,18}(?!\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"\+?\(?\d[\d ()./-]{4,22}\d")
_ORDINAL = r"(?:\d{1,2}(?:st|nd|rd|th|\.|er|º|ª)?)"
_DATE = re.compile(
    r"(?:(?:the|el|le|am|den|o|dia|em|on|in|el día)\s+)*(?P<date>(?:"
    + _ORDINAL
    + r"\s*(?:of |de )?)?(?P<month>[^\W\d_]{3,10})\.?(?:\s+"
    + _ORDINAL
    +
        r"(?!\d))?(?:,?\s*(?:de |del |of )?\d{4})?|\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}(?:[./-](?:\d{4}"
        r"|\d{2}))?\.?)",
    re.I,
)
_STREET = re.compile(
    r"\b(?:street|st|road|rd|avenue|ave|lane|drive|square|close|court|place|way|boulevard|rua|calle|avenida|plaza"
    r"|rue|straße|strasse|platz|weg|travessa|largo|via)\b|\w+(?:straße|strasse|weg|gasse|platz)\b",
    re.I,
)
_AGENT = re.compile(
    r".*(?:er|or|ist|eer|ian|smith|wright|maker|man|woman|ologist|worker|keeper|driver|agent|officer|engineer|ant"
    r"|eur|euse|ière|adora?|eira?|ora|ista|erin|istin|ogin)$"
)
_ARTICLE = re.compile(r"^(?:a|an|the|un|una|uno|ein|eine|einen|une|um|uma)\s+", re.I)
_BREED = re.compile(
    r"(?:doodle|poodle|retriever|terrier|spaniel|shepherd|hound|collie|corgi|beagle|pug|bulldog|boxer|husky"
    r"|dachshund|tabby|siamese|persian|coon|ragdoll|bengal|sphynx|mix|mixed"
    r"|mutt|mongrel|cross|rescue|labrador|lab|whippet|setter|pointer|mastiff|rottweiler|doberman|chihuahua|tzu"
    r"|maltese|dalmatian|tortoiseshell|shorthair|longhair|stray"
    r"|samoyed|akita|pomeranian|schnauzer|newfoundland|puppy|kitten|parakeet|cockatoo|cockatiel|macaw)\b|^(?-i:[A-Z])",
    re.I,
)
_LIKED_ARTICLE = re.compile(r"^(?:(?:el|la|los|las|le|les|l'|du|de la|des|de|o|os|as)\s+|l')", re.I)


def is_secret(text: str) -> bool:
    """Tell whether a text holds a password, a PIN, a card number or another secret, which is never kept."""
    if _SECRET.search(text) or _IBAN.search(text):
        return True
    return any(_luhn([int(c) for c in found.group() if c.isdigit()]) for found in _DIGITS.finditer(text))


def note(text: str) -> str:
    """Return a free text as a note: spaces folded, the end's punctuation trimmed, at most `MAX_VALUE` characters."""
    plain = " ".join(text.split()).rstrip(" .,;:!?")
    if len(plain) <= MAX_VALUE:
        return plain
    return plain[:MAX_VALUE].rsplit(" ", 1)[0]


def value_of(kind: str, words: str, *, casual: bool) -> Json:
    """Turn the words of a statement into a value.

    Args:
        kind: What the place holds, for example `name`, `place`, `date`, `liked`.
        words: The words after the verb, quotation marks already taken off.
        casual: The message is written without capitals, so that they say nothing.

    Returns:
        The value; None when the words are not of that kind.
    """
    reader = _KINDS[kind]
    if len(words) > 2 * MAX_VALUE:
        return None
    value = reader(words.strip(), casual)
    if isinstance(value, str) and (not value or len(value) > MAX_VALUE):
        return None
    return value


def unhurried(words: str) -> str:
    """Take the fillers off a clause's end: `I'm unemployed at the moment`; `any more` stays, for it changes the sense."""
    before = ""
    while words != before and not re.search(r"any ?(?:more|longer)$", words, re.I):
        before = words
        words = _FILLER.sub("", words)
    return words


def several(words: str) -> list[str]:
    """Split an enumeration into its items; fixed pairs such as `mac and cheese` stay whole."""
    if re.search(
        r"(?:mac|fish|gin|rock|salt|bread|ham|peanut butter|bed|arts|drum|black|peace|r|b|d|rhythm|tex|bacon|surf) "
        r"(?:and|&|'n'|n) \w+",
        words,
        re.I,
    ):
        return [words]
    parts = re.split(r"\s*,\s*(?:and |y |und |et |e |or )?|\s+(?:and|y|und|et|e|&|or|as well as|sowie)\s+", words)
    return [part for part in parts if part]


def _luhn(digits: list[int]) -> bool:
    doubled = [d if i % 2 == 0 else (2 * d - 9 if 2 * d > 9 else 2 * d) for i, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _trim(words: str) -> str:
    words = _CUT.sub("", " " + re.sub(r",\s+so\b.*", "", words)).strip(_TRIM)
    before = ""
    while words != before:
        before = words
        words = _SYMBOLS.sub("", _FILLER.sub("", words)).strip(_TRIM)
    return words


def _name(words: str, casual: bool) -> str | None:  # noqa: FBT001  # every kind is read alike
    words = _PREPOSITION.sub("", _COMMA.sub("", _trim(words)))
    tokens = words.split()
    run = _capitals(tokens)
    if run:
        tokens = tokens[:run] if run < len(tokens) and fold(tokens[run]) in FUNCTION_WORDS | {"and"} else tokens
    if not 1 <= len(tokens) <= 5 or not all(re.fullmatch(r"[\w.'\u00b7-]+", t) and not t[0].isdigit() for t in tokens):
        return None
    plain = [fold(t).strip(".'") for t in tokens]
    if plain[0] in FUNCTION_WORDS and not (
        tokens[0][0].isupper() and len(tokens) == 1 and plain[0] in {"will", "may", "das", "do"}
    ):
        return None
    if not run and (not casual and len(tokens) > 1):
        return None
    if not run and any(p in FUNCTION_WORDS or p in ADJECTIVES for p in plain):
        return None
    return None if plain[0] in ADJECTIVES and (len(tokens) > 1 or casual or not run) else " ".join(tokens).strip(_TRIM)


def _capitals(tokens: list[str]) -> int:
    """Count the leading tokens that are capitalised, particles between them included."""
    count = 0
    for position, token in enumerate(tokens):
        if token[:1].isupper():
            count = position + 1
        elif token.lower() not in _PARTICLES:
            break
    return count


def _person(words: str, casual: bool) -> str | None:  # noqa: FBT001
    """Read a person told by a bare `is`: a capital or a title is what tells a name from a state."""
    title = re.match(r"(?:dr|dra|mr|mrs|ms|prof|sr|sra|don|doña|frau|herr|mme|m)\b\.?\s", words, re.I)
    value = _name(words, casual)
    return value if value and (title or value[0].isupper()) and fold(value) not in ADJECTIVES else None


def _place(words: str, casual: bool) -> str | None:  # noqa: FBT001
    if _FUTURE.search(words):
        return None
    words = _trim(re.sub(r"^(?:the )?(?:city|town|village) of ", "", words))
    words = re.sub(r"\s+(?:on|at|with|near|for|by|as|around|from|alone|in|after|every)\s.*", "", words)
    tokens = words.replace(",", " ,").split()
    plain = [fold(t) for t in tokens]
    if not 1 <= len(tokens) <= 7 or plain[0] in NOT_PLACES or any(t in {"i", "you"} for t in plain):
        return None
    if tokens[0][0].isupper() or fold(words) in COUNTRIES or words in {"the Hague", "the Bronx"}:
        head = _capitals([t for t in _COMMA.sub("", words).split()])
        return " ".join(_COMMA.sub("", words).split()[: head or None]).strip(_TRIM) or None
    if (
        len(tokens) > 3
        or plain[0] in FUNCTION_WORDS - {"el", "la", "los", "las", "le", "são"}
        or plain[0] in ADJECTIVES - {"new", "white", "black"}
    ):
        return None
    if len(tokens) > 1 and plain[1] in FUNCTION_WORDS - _PARTICLES:
        return None
    return None if plain[-1] in NOT_PLACES or not words[0].isalpha() else _COMMA.sub("", words)


def _country(words: str, casual: bool) -> str | None:  # noqa: ARG001, FBT001
    """Read the country after a city: `Porto, Portugal`."""
    parts = _trim(words).split(",")
    last = parts[-1].strip(_TRIM)
    return last if len(parts) > 1 and fold(last) in COUNTRIES else None


def _org(words: str, casual: bool) -> str | None:  # noqa: FBT001
    if _FUTURE.search(words):
        return None
    words = _COMMA.sub("", _trim(words))
    words = re.sub(r"\s+(?:as|on|from|every|during|in|until|with)\s.*", "", words, flags=re.I)
    first = fold(words.split(" ")[0]) if words else ""
    if not words or len(words.split()) > 7 or _DEICTIC.search(words):
        return None
    blocked =
        r"(?:home|night|nights|weekends?|the (?:weekend|moment|office|minute|same|time|top|bottom|end|beginning)"
        r"|least|times|work|noon|midday|midnight|full|all|peace|\d)"
    if re.match(blocked + r"\b", words, re.I) or first in MONTHS or first.endswith("day"):
        return None
    article = re.match(r"(?:the|una?|ein\w*|une?|uma?|an?)\s+(?P<noun>.+)", words, re.I)
    if article:
        return words if article["noun"][0].isupper() or fold(words.split()[-1]).removesuffix("s") in WORKPLACES else None
    if words[0].isupper():
        return words
    return words if casual and len(words.split()) <= 3 and first not in FUNCTION_WORDS | ADJECTIVES else None


def _date(words: str, casual: bool) -> str | None:  # noqa: ARG001, FBT001
    found = _DATE.match(_trim(words))
    if not found or (found["month"] and fold(found["month"]) not in MONTHS):
        return None
    return found["date"].strip(" ,")


def _phone(words: str, casual: bool) -> str | None:  # noqa: ARG001, FBT001
    found = _PHONE.match(_trim(words).lstrip("#"))
    return found.group().strip() if found and 6 <= sum(c.isdigit() for c in found.group()) <= 15 else None


def _email(words: str, casual: bool) -> str | None:  # noqa: ARG001, FBT001
    found = _EMAIL.match(words.lstrip("<"))
    return found.group() if found else None


def _age(words: str, casual: bool) -> int | None:  # noqa: ARG001, FBT001
    found = re.match(r"(\d{1,3})\b", words)
    return int(found[1]) if found and 1 <= int(found[1]) <= 120 else None


def _year(words: str, casual: bool) -> int | None:  # noqa: ARG001, FBT001
    found = re.match(r"((?:19|20)\d\d)\b", words)
    return int(found[1]) if found else None


def _count(words: str, casual: bool) -> int | None:  # noqa: ARG001, FBT001
    word = fold(words.strip())
    return int(word) if word.isdigit() and len(word) < 3 else NUMBERS.get(word)


def _member(table: frozenset[str]) -> Callable[[str, bool], str | None]:
    def read(words: str, casual: bool) -> str | None:  # noqa: ARG001, FBT001
        value = _COMMA.sub("", _trim(_ARTICLE.sub("", words, count=1)))
        return value if fold(value) in table else None

    return read


def _job(words: str, casual: bool) -> str | None:  # noqa: FBT001
    """Read a trade: a word of the table, or one that ends as words for doers do and is no other kind of doer."""
    value = _free(_ARTICLE.sub("", words, count=1), casual)
    if not value:
        return None
    value = _COMMA.sub("", re.sub(r"\s+(?:at|in|for|with|on|from|en|em|no|na|bei|im|à|chez|dans|au)\s.*", "", value))
    head = fold(re.sub(r"\s+of\s.*", "", value))
    last = head.split(" ")[-1]
    if last in NOT_JOBS or head in NOT_JOBS or last in DEMONYMS or len(value.split()) > 5:
        return None
    return value if last in JOBS or (_AGENT.match(last) and len(last) > 4 and not value[0].isupper()) else None


def _trade(words: str, casual: bool) -> str | None:  # noqa: FBT001
    """Read what follows `I work as`: any short noun phrase."""
    value = _free(_ARTICLE.sub("", words, count=1), casual)
    value = re.sub(r"\s+(?:at|in|for|with|from|en|em|no|na|bei|im|à|chez|dans|au)\s.*", "", value) if value else None
    plain = fold(value).split() if value else []
    return value if 1 <= len(plain) <= 5 and plain[0] not in FUNCTION_WORDS | ADJECTIVES and "as" not in plain else None


def _free(words: str, casual: bool) -> str | None:  # noqa: ARG001, FBT001
    """Read a noun phrase of any kind that does not tell a passing state."""
    if _FUTURE.search(words):
        return None
    value = _trim(words)
    tokens = fold(value).split()
    if not 1 <= len(tokens) <= 12 or tokens[0] in FUNCTION_WORDS - {
        "a",
        "an",
        "the",
        "el",
        "la",
        "le",
        "das",
        "der",
        "die",
        "o",
    }:
        return None
    return (
        None
        if len(tokens) == 1
        and tokens[0]
        in ADJECTIVES
        - {
            "red",
            "blue",
            "green",
            "yellow",
            "black",
            "white",
            "brown",
            "grey",
            "gray",
            "pink",
            "purple",
            "orange",
            "cat",
            "fish",
        }
        else value
    )


def _model(words: str, casual: bool) -> str | None:  # noqa: FBT001
    """Read a make: `a Skoda Fabia`, `Pixel 9`, never `broken`."""
    value = _free(_ARTICLE.sub("", words, count=1), casual)
    value = _PREPOSITION.sub("", _COMMA.sub("", value)) if value else None
    if not value or fold(value) in ADJECTIVES | FUNCTION_WORDS:
        return None
    return value if any(c.isupper() or c.isdigit() for c in value) or CAR_MAKES.intersection(fold(value).split()) else None


def _liked(words: str, casual: bool) -> list[Json] | None:  # noqa: ARG001, FBT001
    """Read what is liked in general; a thing at hand ("this answer", "option B", "the blue one") is none."""
    if _FUTURE.search(words):
        return None
    if _DEICTIC.search(_trim(words)):
        return None
    plain = _trim(_DEGREE.sub("", _trim(_ASIDE.sub("", words))))
    plain = _DEGREE.sub("", plain)
    if not plain or _NOT_LIKED.match(plain) or fold(plain) in ADJECTIVES:
        return None
    if plain.startswith("the ") and not _DEFINITE.match(plain):
        return None
    items = [_LIKED_ARTICLE.sub("", item, count=1) for item in several(plain)]
    return list(items) if all(len(item.split()) <= 8 and item[0].isalnum() for item in items) else None


def _listed(words: str, casual: bool) -> list[Json] | None:  # noqa: ARG001, FBT001
    plain = _ASIDE.sub("", _trim(words))
    items = [_LIKED_ARTICLE.sub("", item, count=1) for item in several(plain)]
    fine = items and all(
        len(i.split()) <= 5 and fold(i.split()[0]) not in FUNCTION_WORDS - {"a", "an"} and not _DEICTIC.search(i)
        for i in items
    )
    return list(items) if fine else None


def _tongues(words: str, casual: bool) -> list[Json] | None:  # noqa: ARG001, FBT001
    plain = re.sub(
        r"\b(?:fluent(?:ly)?|a (?:little|bit of)|some|native|both|basic|good)\s+|\s+(?:fluently|well|at home"
        r"|natively)\b.*",
        "",
        _trim(words),
        flags=re.I,
    )
    items = several(plain)
    return list(items) if items and all(fold(item) in DEMONYMS for item in items) else None


def _conditions(words: str, casual: bool) -> list[Json] | None:  # noqa: ARG001, FBT001
    items = several(_trim(words))
    return list(items) if items and all(fold(item) in CONDITIONS for item in items) else None


def _names(words: str, casual: bool) -> list[Json] | None:  # noqa: FBT001
    names = [_name(item, casual) for item in several(_trim(words))]
    return [name for name in names if name] if len(names) > 1 and all(names) else None


def _address(words: str, casual: bool) -> str | None:  # noqa: ARG001, FBT001
    value = _trim(re.sub(r"^(?:in|at|on|on the)\s+", "", words))
    return (
        value
        if value and (_STREET.search(value) or any(c.isdigit() for c in value)) and not _DEICTIC.search(value)
        else None
    )


def _where(words: str, casual: bool) -> str | None:  # noqa: FBT001
    """Read where something stands: an address or a place by name."""
    return _address(words, casual) or _place(re.sub(r"^(?:in|at|on)\s+", "", words), casual)


def _measure(words: str, casual: bool) -> str | None:  # noqa: ARG001, FBT001
    value = _trim(words)
    return value if re.match(r"\d", value) and len(value.split()) <= 6 else None


def _token(words: str, casual: bool) -> str | None:  # noqa: FBT001
    """Read the value of an attribute with a telling head noun: short, and no state."""
    value = _COMMA.sub("", _free(words, casual) or "")
    return value if value and len(value.split()) <= 6 and fold(value.split()[0]) not in ADJECTIVES else None


def _taste(words: str, casual: bool) -> str | None:  # noqa: FBT001
    """Read a favourite: a noun phrase that points at nothing at hand."""
    value = _free(_LIKED_ARTICLE.sub("", words, count=1), casual)
    return None if not value or _DEICTIC.search(value) else value


def _proper(words: str, casual: bool) -> str | None:  # noqa: FBT001
    """Read a short value that opens with a capital or holds a digit, as identifiers and proper names do."""
    value = _token(_ARTICLE.sub("", words, count=1), casual)
    telling = value and (
        value[0].isupper() or any(c.isdigit() for c in value.split()[0]) or any(c in value for c in "_/@")
    )
    return (
        value
        if value and (telling or (casual and len(value.split()) <= 2 and not value.endswith(("ing", "ed"))))
        else None
    )


def _preferred(words: str, casual: bool) -> list[Json] | None:  # noqa: ARG001, FBT001
    plain = _trim(words)
    at_hand =
        r"(?:the (?!\w+ to\b)|not\b)|.*\b(?:this|that|these|those|it|one|ones|option|version|your|you|former|latter"
        r"|first|second|say|both|neither)\b"
    return None if not plain or _FUTURE.search(words) or re.match(at_hand, plain, re.I) else [plain]


def _played(words: str, casual: bool) -> list[Json] | None:  # noqa: FBT001
    return _liked(_PREPOSITION.sub("", re.sub(r"^the ", "", words)), casual)


def _breed(words: str, casual: bool) -> str | None:  # noqa: FBT001
    value = _free(_ARTICLE.sub("", words, count=1), casual)
    value = _COMMA.sub("", value) if value else None
    return value if value and len(value.split()) <= 4 and _BREED.search(value) else None


_KINDS: dict[str, Callable[[str, bool], Json]] = {
    "address": _address,
    "age": _age,
    "breed": _breed,
    "condition": _conditions,
    "count": _count,
    "country": _country,
    "date": _date,
    "demonym": _member(DEMONYMS),
    "diet": _member(DIETS),
    "email": _email,
    "free": _free,
    "job": _job,
    "liked": _liked,
    "listed": _listed,
    "measure": _measure,
    "model": _model,
    "name": _name,
    "names": _names,
    "org": _org,
    "person": _person,
    "phone": _phone,
    "place": _place,
    "played": _played,
    "preferred": _preferred,
    "proper": _proper,
    "taste": _taste,
    "token": _token,
    "tongues": _tongues,
    "trade": _trade,
    "where": _where,
    "year": _year,
}
