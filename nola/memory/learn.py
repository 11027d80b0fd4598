"""Recognise what the owner says about herself and propose where it belongs; nothing is written here.

| statement | path below `user` |
|---|---|
| my name is, me llamo, ich heiße | `name`, `last_name` |
| call me, I go by | `nickname`; `name` while no name is known |
| I'm 34, my birthday is, I was born on / in | `age`, `birthday`, `birth_year`, `birthplace` |
| I'm from, I'm Portuguese, I speak | `hometown`, `nationality`, `languages[]` |
| I live in, I moved to, my address is | `home.city`, `home.country`, `home.address` |
| my phone number is, my email is | `phone`, `email`, `work.email` |
| I work at / as / in, I'm a nurse, my office is in, my boss is | `work.employer|job|field|status|office|boss` |
| I study | `studies.subject`, `studies.school` |
| my sister ... | `family.sister.name|city|job|employer|birthday|age|phone|email|diet|allergies[]|likes[]|dislikes[]` |
| I have two kids, Leo and Mia | `family.children.count`, `family.children.names` |
| my dog ... | `pets.dog.name|age|birthday|breed|vet|afraid_of|allergies[]|likes[]|dislikes[]|count` |
| my dentist is | `dentist`, and so for other roles |
| I'm allergic to, intolerant to, vegetarian | `health.allergies[]`, `health.intolerances[]`, `health.diet` |
| I don't eat, I have asthma, I take 50 mg ... | `health.avoids[]`, `health.conditions[]`, `health.medications[]` |
| I like, I hate, I prefer, I play | `likes[]`, `dislikes[]`, `preferences[]`, `hobbies[]` |
| my favourite colour is | `favourites.colour` |
| my car is, my phone is a | `car`, `devices.phone` |
| my shoe size is, remember that my locker is 42 | `shoe_size`, `locker` |
| remember that ... | `notes[]`, in the owner's words, when nothing above fits |

A path that the owner's file already uses for the same thing wins over the one of the table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nola.memory.learn_changes import Saying, corrected, noted, proposed
from nola.memory.learn_clauses import Clause, Reading, Sentence, read
from nola.memory.learn_kinds import value_of
from nola.memory.learn_others import ENDED, OTHERS
from nola.memory.learn_patterns import Fact, Rule
from nola.memory.learn_self import SELF
from nola.memory.learn_tongues import TONGUES
from nola.memory.learn_values import is_secret, note, unhurried
from nola.memory.learn_words import ITEMS, PETS, PLURALS, RELATIONS, ROLES, canonical, joined, lookup
from nola.text import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.flow import Proposal
    from nola.types import Json

__all__ = ["recognise"]

_RULES = (*ENDED, *SELF, *OTHERS, *TONGUES)
_NOTE = Rule("note", "", ())
_FIX = Rule("correction", "", ())
_DEVICES = frozenset({"phone", "laptop", "computer", "tablet", "camera", "watch", "printer"})
_PASSING = re.compile(
    r"\b(?:order|booking|flight|room|ticket|tracking|case|seat|gate|table|invoice|confirmation|reference|meeting"
    r"|appointment|exam|interview|train|bus|parking|queue|next|last)\b"
)
_SENSITIVE = re.compile(r"\b(?:passport|licen[cs]e(?! plate)|id card|id number|insurance number|policy number)\b")
_PRONOUN = re.compile(
    r"(?:(?P<of>his|her|its|their)|(?P<is>he|she|it|they|elle|il|ela|ele|er|sie)(?P<be>'s|'re| are)?)\b ?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NOT_BUT = re.compile(
    r"(?P<who>(?:my|our) .+?) ?(?:is not|isn't|'s not)(?P<verb> called| named)? .+?,? but (?P<v>.+)", re.IGNORECASE
)
_NOT = re.compile(
    r"(?P<who>(?:my|our) [\w -]{2,40}?)(?P<name>'s name)?"
    r"(?:(?: is not| isn't|'s not| is no longer| used to be)(?P<verb> called| named)? .+|(?: has| was| just)* changed)",
    re.IGNORECASE,
)
_CHANGED_TO = re.compile(
    r"(?P<who>(?:my|our) [\w' -]{2,40}?)(?: has| was| just| been)* changed(?P<verb>) (?:from .+ )?to (?P<v>.+)",
    re.IGNORECASE,
)
_I_CHANGED = re.compile(
    r"(?:i|we)(?:'ve| have| just)* changed (?P<who>(?:my|our) [\w' -]{2,40}?)(?P<verb>) (?:from .+ )?to "
    r"(?P<v>.+)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:(?:,| but) (?!or |not |no |only |just |at least|almost|nearly|said|says|once )| and (?!not |now )).*",
    re.IGNORECASE | re.DOTALL,
)
_GAPPED = re.compile(r"(?P<who>my [a-z-]+(?: [a-z-]+)?) (?P<v>(?-i:[A-Z\u00c0-\u00de])\w+)")
_CORRECTION = re.compile(
    r"(?:it's|it is|that's|(?:his|her|its) name(?:'s| is)|he's|she's) (?:actually |called |really "
    r")*(?P<v>[^,]{2,40}?),? (?:and )?not (?P<old>[^,]{2,40})",
    re.IGNORECASE,
)
_NAMING = re.compile(r"^(?:called |named |name(?:'s| is) |is (?:called |named )?)", re.IGNORECASE)
_NO_OWNER = re.compile(r"(?:you|you're|your|u|nola|yourself|never|always|don't|do not|not to)\b", re.IGNORECASE)


def recognise(text: str, *, known: Mapping[str, Json]) -> tuple[Proposal, ...]:
    """Recognise the owner's statements about herself in a message.

    Each clause stands for itself. What is asked, quoted, supposed, planned, past, said by or about others, played or
    part of a text to work on proposes nothing, and neither do passwords, PINs and card numbers: in doubt, no write.

    Args:
        text: The message as it came in; only its first-hand statements count.
        known: The data of `user.json` as plain nested JSON without wrappers.

    Returns:
        What should change, in the order of the message; nothing for what is known already. The later of two
        statements on one path stands.
    """
    reading = read(text)
    listener = _Listener(reading, known)
    proposals: list[Proposal] = []
    for sentence in reading.sentences:
        for proposal in listener.hear(sentence):
            clash = [p for p in proposals if p.path == proposal.path and not (p.append or proposal.append)]
            proposals = [p for p in proposals if p not in clash and p != proposal]
            proposals.append(proposal)
    return tuple(proposals)


class _Listener:
    """Hears a message's sentences in order and remembers who was spoken of last."""

    def __init__(self, reading: Reading, known: Mapping[str, Json]) -> None:
        self._reading = reading
        self._known = known
        self._topic = ""
        self._heard = False

    def hear(self, sentence: Sentence) -> list[Proposal]:
        """Return what a sentence proposes."""
        words = self._reading.words(sentence.body)
        if is_secret(words):
            return []
        if correction := self._correction(sentence):
            return correction
        found: list[Proposal] = []
        told = sentence.whole
        for clause in sentence.clauses:
            heard = self._clause(clause, sentence)
            told = told and heard is not None
            found.extend(heard or ())
        if sentence.explicit and not told and not _NO_OWNER.match(words):
            found.extend(noted(self._known, note(words), _NOTE))
        return found

    def _clause(self, clause: Clause, sentence: Sentence) -> list[Proposal] | None:
        """Return what a clause proposes; None when no rule knows it."""
        words = joined(self._resolve(clause.text))
        self._topic, self._heard = "", False
        if negated := _NOT.fullmatch(words):
            self._topic = negated["who"] + (" is called" if negated["verb"] or negated["name"] else " is")
        for form in dict.fromkeys((words, unhurried(words), _ASIDE.sub("", words))):
            for rule in _RULES:
                match = rule.match(form)
                proposals = (
                    self._apply(rule, match, clause, explicit=sentence.explicit)
                    if match and self._wanted(rule, clause, sentence)
                    else None
                )
                if match and proposals is not None:
                    self._topic, self._heard = self._topic or _who(match), True
                    return proposals
        return None

    def _resolve(self, words: str) -> str:
        """Say whom a pronoun means when the clause before spoke of someone; mend `not A but B`."""
        if changed := _NOT_BUT.fullmatch(words) or _CHANGED_TO.fullmatch(words) or _I_CHANGED.fullmatch(words):
            return f"{changed['who'].rstrip()} is{changed['verb'] or ''} {changed['v']}"
        if self._heard and (gapped := _GAPPED.fullmatch(words)):
            return f"{gapped['who']} is called {gapped['v']}"
        pronoun = _PRONOUN.fullmatch(words) if self._topic else None
        return _replaced(self._topic, pronoun) if pronoun else words

    def _wanted(self, rule: Rule, clause: Clause, sentence: Sentence) -> bool:
        if rule.need == "explicit":
            return sentence.explicit
        return clause.greeted if rule.need == "greeted" else True

    def _apply(self, rule: Rule, match: re.Match[str], clause: Clause, *, explicit: bool) -> list[Proposal] | None:
        groups = {key: value for key, value in match.groupdict().items() if value}
        if (
            "noun" in groups
            and not explicit
            and (_PASSING.search(fold(groups["noun"])) or _SENSITIVE.search(fold(groups["noun"])))
        ):
            return None
        slots = _slots(groups)
        if slots is None:
            return None
        saying = Saying(self._known, rule, self._reading.words(clause.text), groups.get("n", ""))
        made: list[Proposal] = []
        told: dict[str, bool] = {}
        for part in rule.facts:
            value = self._value(part, groups.get(part.group, ""))
            path = _fill(part.path, slots)
            if value is None or path is None:
                told.setdefault(part.group, False)
                continue
            told[part.group] = True
            outcome = proposed(saying, part, path, value)
            if outcome is None:
                return None
            made.extend(outcome)
        main = told.get("v", any(told.values())) if "v" in groups else any(told.values())
        return made if main and (made or rule.facts[0].mode in {"set", "append"}) else None

    def _value(self, part: Fact, words: str) -> Json:
        """Read a group's value; what the owner put in quotation marks is a title or a name, taken as it stands."""
        said = self._reading.words(words, marks=False)
        if (
            len(words.strip(" .,!")) == 1
            and len(said) > 1
            and part.kind in {"name", "person", "taste", "proper", "org"}
        ):
            return said[:60].strip(" .,!") or None
        return value_of(part.kind, said, casual=self._reading.casual) if said else None

    def _correction(self, sentence: Sentence) -> list[Proposal]:
        """Recognise `it's Rex, not Biscuit` when exactly one known value is Biscuit."""
        match = _CORRECTION.fullmatch(sentence.body)
        if not match or not sentence.clauses:
            return []
        new, old = (value_of("person", self._reading.words(match[g], marks=False), casual=False) for g in ("v", "old"))
        return corrected(self._known, old, new, _FIX, self._reading.words(sentence.body))


def _replaced(topic: str, pronoun: re.Match[str]) -> str:
    """Put the topic where a pronoun stands: `his name is Rex` becomes `my dog's name is Rex`."""
    if topic.endswith((" is called", " is")):
        return f"{topic} {_NAMING.sub('', pronoun['rest'], count=1)}"
    if pronoun["of"]:
        return f"{topic}'s {pronoun['rest']}"
    return f"{topic} {'is ' if pronoun['be'] else ''}{pronoun['rest']}"


def _who(match: re.Match[str]) -> str:
    """Return whom a clause spoke of, with the clause's own determiner: `my sister`, `meine Mutter`."""
    groups = match.groupdict()
    noun = groups.get("rel") or groups.get("pet") or groups.get("kin")
    own = re.match(r"(?:[oa] )?((?:my|mi|mein|meine|mon|ma|meu|minha)\b)", match.string, re.IGNORECASE)
    return f"{own[1] if own else 'my'} {noun}" if noun else ""


def _slots(groups: dict[str, str]) -> dict[str, str] | None:
    """Return the steps that a statement's nouns stand for; None when one is not of the kind that its rule speaks of."""
    slots: dict[str, str] = {}
    for group, table in _NOUNS.items():
        if group in groups:
            lead, _, head = re.sub(r"^(ex|half|step|great)-", r"\1 ", groups[group], flags=re.IGNORECASE).rpartition(
                " "
            )
            known = lookup(head, table)
            if known is None:
                return None
            slots[group] = f"{_step(lead)}_{known}" if fold(lead) in _KIN_LEADS else known
    if "who" in groups or "kin" in groups:
        places = (("family.", RELATIONS), ("pets.", PETS), *((("", ITEMS),) if "who" in groups else ()))
        said = groups.get("who") or groups["kin"]
        slots["who"] = next((place + noun for place, table in places if (noun := lookup(said, table))), "")
    if "many" in slots:
        own = slots["many"] == "pets" or lookup(slots["many"], PETS)
        slots["many"] = f"{'pets' if own else 'family'}.{slots['many']}"
    if slots.get("item") in _DEVICES:
        slots["item"] = f"devices.{slots['item']}"
    return slots | {group: _step(groups[group]) for group in ("thing", "noun") if group in groups}


def _fill(path: str, slots: dict[str, str]) -> str | None:
    """Fill a path's slots; None when one is empty or no step of a path."""
    needed = re.findall(r"\{(\w+)\}", path)
    return path.format(**slots) if all(re.fullmatch(r"[\w.-]+", slots.get(key, "")) for key in needed) else None


def _step(noun: str) -> str:
    """Return a free noun's step in a path: `shoe_size` for `shoe size`, `colour` for `Farbe` and `color`."""
    return canonical(fold(noun).replace("'s", "").replace("'", ""))


_NOUNS = {"rel": RELATIONS, "pet": PETS, "role": ROLES, "item": ITEMS, "many": PLURALS}
_KIN_LEADS = frozenset(
    "older younger elder eldest oldest youngest big little middle twin half step great ex late other second first "
    "old".split()
)
