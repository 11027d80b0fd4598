"""Clean the words of a value: fillers, asides, enumerations; and tell secrets, which are never kept."""

from __future__ import annotations

import re

__all__ = [
    "COMMA",
    "DEICTIC",
    "FUTURE",
    "MARKS",
    "MAX_VALUE",
    "PREPOSITION",
    "brief",
    "is_secret",
    "note",
    "several",
    "trim",
    "unhurried",
]

MAX_VALUE = 200

_CUT = re.compile(
    r"(?:\s+|,\s*)(?:because|since|so (?:that|i|please|can|could|don't)|but|although|though|which|who|where|when"
    r"|while|whose|whereas|after|before"
    r"|and (?:he|she|it|they|that|this|then|i|my|we|so|the|his|her)|(?:he|she|it|they|i|we|you)(?:'\w+)?(?=\s)|pero"
    r"|porque|aber|weil|mais|parce que|mas"
    r"|rather than|instead of|not|instead|if you|that's|thank(?:s| you))\b.*|\s+[-\u2013\u2014]+\s.*"
    r"|\s*[\u2013\u2014].*|\s+:?[:;]-?[)(DPp].*",
    re.IGNORECASE | re.DOTALL,
)
COMMA = re.compile(r"\s*,.*", re.DOTALL)
_UNIT = (
    r"(?:days?|weeks?|weekends?|months?|years?|summer|winter|spring|autumn|fall|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)"
)
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_FILLER = re.compile(
    r"[\s,]+(?:(?:right )?now|these days|nowadays|currently|at the moment|at present|presently|for now|(?:last|this"
    r"|this past) " + _UNIT + r"|yesterday|today"
    r"|this (?:morning|afternoon)|recently|lately|(?:just )?(?:a|an|one|two|three|four|five|six|seven|eight|ten|\d+"
    r"|a few|a couple of|some|many) " + _UNIT + r" (?:ago|back|now)"
    r"|by the way|btw|please|thanks|thank you|too|also|as well|actually|again|lol|haha|ok|okay|finally|in \d{4}"
    r"|(?:back )?in " + _MONTH + r"(?: \d{4})?|on \w+day"
    r"|(?:for|because of|due to) (?:work|my job|my new job|a (?:new )?job|love|university|uni|school|family)"
    r"|(?:together )?with (?:my|our) [^,]+|since \S+(?: \d{4})?"
    r"|for (?:about |almost |over )?(?:\w+) (?:years|months)(?: now)?|already|just|permanently|at home|in total"
    r"|for good|full[- "
    r"]time|part[- ]time|of course|indeed|for the record|from now on"
    r"|any ?more|any ?longer|though|you know|for short|alone|as you (?:may |might )?know|everyone|everybody|nola"
    r"|and you|since childhood"
    r"|ahora|por cierto|gracias|por favor|también|desde \w+(?: \w+)?|desde hace \w+ \w+|jetzt|übrigens|danke|bitte"
    r"|auch|seit \w+ \w+|maintenant|merci|aussi|depuis \w+ \w+"
    r"|agora|obrigad[oa]|também|desde \d{4}|hace (?:un|dos|tres|\d+) \w+)$",
    re.IGNORECASE,
)
MARKS = " \t\n.,;:!?\u2026'*_-\u2013\u2014~"
_SYMBOLS = re.compile(r"[^\w.)\]\"'\u201d\u00bb\ue000-\uf8ff+#%\u20ac$\u00a3\u00b0]+$")

FUTURE = re.compile(
    r"\b(?:tomorrow|soon|next "
    + _UNIT
    + r"|some ?day|one day|in the future|in (?:a|two|three|four|\d+) (?:days?|weeks?|months?|years?)(?! now)"
    r"|mañana|morgen|demain|amanhã"
    r"|starting|the day after|later|la semana que viene|nächste\w*|prochaine?|próxim[oa])\b",
    re.IGNORECASE,
)
PREPOSITION = re.compile(
    r"\s+(?:on|in|at|from|with|near|for|by|as|during|of the|around|about|after|to)\s.*", re.IGNORECASE | re.DOTALL
)
DEICTIC = re.compile(
    r"\b(?:it|this|that|these|those|them|him|her|you|your|yours|me|myself|yourself|here|there|one|ones|both|neither"
    r"|none|everything|nothing|something|anything"
    r"|someone|everyone|option|version|choice|answer|answers|response|responses|reply|suggestion|suggestions|idea"
    r"|ideas|first|second|third|latter|former|draft|number|proposal"
    r"|so|as (?:a|an|the)|for (?:the|a)|such|my|our|his|their|us|hearing|saying|asking|bothering|think|say|know|see"
    r"|hear|ask|admit|bother|interrupt|believe|point out|tell"
    r"|cette|cet|ces|desta|deste|dies\w*|estas|estos|eso|esto|ese|esta|este|das hier|ça|cela|isso|isto|esse|essa"
    r"|dich|dir|te|tu|toi|você)\b",
    re.IGNORECASE,
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
    r"|tarjeta de crédito|kreditkarte\w*|carte bancaire|cartão de crédito)\b|\b(?:sk|pk|ghp|gho"
    r"|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{14,}|\b[A-Fa-f0-9]{32,}\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![+\d])\d(?:[ -]?\d){12,18}(?!\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")


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


def unhurried(words: str) -> str:
    """Take the fillers off a clause's end: `I'm retired at the moment`; `any more` stays, for it changes the sense."""
    before = ""
    while words != before and not re.search(r"any ?(?:more|longer)$", words, re.IGNORECASE):
        before = words
        words = _FILLER.sub("", words)
    return words


def brief(words: str, most: int) -> bool:
    """Tell whether a text has at least one word and at most `most`."""
    return 1 <= len(words.split()) <= most


def several(words: str) -> list[str]:
    """Split an enumeration into its items; fixed pairs such as `mac and cheese` stay whole."""
    if re.search(
        r"(?:mac|fish|gin|rock|salt|bread|ham|peanut butter|bed|arts|drum|black|peace|r|b|d|rhythm|tex|bacon|surf) "
        r"(?:and|&|'n'|n) \w+",
        words,
        re.IGNORECASE,
    ):
        return [words]
    parts = re.split(r"\s*,\s*(?:and |y |und |et |e |or )?|\s+(?:and|y|und|et|e|&|or|as well as|sowie)\s+", words)
    return [part for part in parts if part]


def trim(words: str) -> str:
    """Cut a value where the next thought begins, and take fillers, marks and emoji off its end."""
    words = _CUT.sub(
        "",
        " "
        + re.sub(
            r",\s+(?:so|always|obviously|of course|no doubt|hands down|by far|definitely|clearly|as|for sure)\b.*",
            "",
            words,
        ),
    ).strip(MARKS)
    before = ""
    while words != before:
        before = words
        words = _SYMBOLS.sub("", _FILLER.sub("", words)).strip(MARKS)
    return words


def _luhn(digits: list[int]) -> bool:
    return sum(d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(digits))) % 10 == 0
