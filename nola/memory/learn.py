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
| I'm allergic to, intolerant, vegetarian, I don't eat, I have asthma, I take | `health.allergies[]|intolerances[]|diet|avoids[]|conditions[]|medications[]` |
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

from nola.flow import Proposal
from nola.memory.learn_clauses import Clause, Reading, Sentence, read
from nola.memory.learn_paths import Spot, find, find_in_list, item_for, same
from nola.memory.learn_patterns import ENGLISH, Fact, Rule
from nola.memory.learn_tongues import TONGUES
from nola.memory.learn_values import is_secret, note, unhurried, value_of
from nola.memory.learn_words import COUNTRIES, ITEMS, PETS, PLURALS, RELATIONS, ROLES, canonical, joined, lookup
from nola.text import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.types import Json

__all__ = ["recognise"]

_RULES = (*ENGLISH, *TONGUES)
_DEVICES = frozenset({"phone", "laptop", "computer", "tablet", "camera", "watch", "printer"})
_PASSING = re.compile(
    r"\b(?:order|booking|flight|room|ticket|tracking|case|seat|gate|table|invoice|confirmation|reference|meeting"
    r"|appointment|exam|interview|train|bus|parking|queue|next|last)\b"
)
_SENSITIVE = re.compile(r"\b(?:passport|licen[cs]e|id card|id number|insurance number|policy number)\b")
_PRONOUN = re.compile(
    r"(?:(?P<of>his|her|its|their)|(?P<is>he|she|it|they)(?P<be>'s|'re| are)?)\b ?(?P<rest>.*)",
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
    r"(?P<who>(?:my|our) [\w' -]{2,40}?)(?: has| was| just| been)* changed (?:from .+ )?to (?P<v>.+)", re.IGNORECASE
)
_ASIDE = re.compile(
    r"(?:,| and| but) (?!or |not |no |at least|almost|nearly|said|says|once ).*", re.IGNORECASE | re.DOTALL
)
_GAPPED = re.compile(r"(?P<who>my [a-z-]+(?: [a-z-]+)?) (?P<v>(?-i:[A-Z\u00c0-\u00de])\w+)")
_CORRECTION = re.compile(
    r"(?:it's|it is|that's|(?:his|her|its) name(?:'s| is)|he's|she's) (?:actually |called |really "
    r")*(?P<v>[^,]{2,40}?),? (?:and )?not (?P<old>[^,]{2,40})",
    re.IGNORECASE,
)
_NO_OWNER = re.compile(r"(?:you|you're|your|u|nola|yourself|never|always|don't|do not|not to)\b", re.IGNORECASE)


def recognise(text: str, *, known: Mapping[str, Json]) -> tuple[Proposal, ...]:
    """Recognise the owner's statements about herself in a message.

    Each clause stands for itself. What is asked, quoted, supposed, planned, past, said by or about others, played or
    part of a text to work on proposes nothing, and neither do passwords, PINs and card numbers: when in doubt, no write.

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
            found.extend(_note(self._known, note(words)))
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
        if changed := _NOT_BUT.fullmatch(words):
            return f"{changed['who'].removesuffix(' ')} is{changed['verb'] or ''} {changed['v']}"
        if changed := _CHANGED_TO.fullmatch(words):
            return f"{changed['who']} is {changed['v']}"
        if self._heard and (gapped := _GAPPED.fullmatch(words)):
            return f"{gapped['who']} is called {gapped['v']}"
        pronoun = _PRONOUN.fullmatch(words) if self._topic else None
        if not pronoun:
            return words
        topic = self._topic
        if topic.endswith((" is called", " is")):
            return f"{topic} " + re.sub(
                r"^(?:called |named |name(?:'s| is) |is (?:called |named )?)", "", pronoun["rest"]
            )
        if pronoun["of"]:
            return f"{topic}'s {pronoun['rest']}"
        return f"{topic} {'is ' if pronoun['be'] else ''}{pronoun['rest']}"

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
        made: list[Proposal] = []
        told: dict[str, bool] = {}
        for part in rule.facts:
            value = self._value(part, groups.get(part.group, ""))
            path = _fill(part.path, slots)
            if value is None or path is None:
                told.setdefault(part.group, False)
                continue
            told[part.group] = True
            outcome = self._propose(rule, part, path, value, groups, self._reading.words(clause.text))
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

    def _propose(
        self, rule: Rule, part: Fact, path: str, value: Json, groups: dict[str, str], evidence: str
    ) -> list[Proposal] | None:
        """Turn one understood fact into proposals; None when this rule must not speak of it."""
        called = str(value) if path.endswith(".name") else groups.get("n", "")
        path = (
            "name"
            if path == "nickname" and not _present(self._known, "nickname") and not _present(self._known, "name")
            else path
        )
        if path == "home.city" and fold(str(value)) in COUNTRIES and not _present(self._known, path):
            path = "home.country"
        spot = find(self._known, path, name=called, another=rule.another)
        if part.mode == "drop":
            return _drop(self._known, path, rule, evidence)
        if spot is None or (rule.need == "known" and not spot.present):
            return None if rule.need else []
        if part.mode == "remove":
            return _removals(spot, value, rule, evidence)
        if part.group == "n" and spot.present and not _unchanged("name", spot.value, value):
            return []
        if path.endswith(".count") and value == 1 and _present(self._known, path.removesuffix("count") + "name"):
            return []
        if part.mode == "append":
            return self._appended(spot, path, value, rule, evidence)
        return _set(spot, path, value, rule, evidence, known=self._known)

    def _appended(self, spot: Spot, path: str, value: Json, rule: Rule, evidence: str) -> list[Proposal]:
        made: list[Proposal] = []
        for item in value if isinstance(value, list) else [value]:
            made.extend(_append(spot, item, rule, evidence))
            opposite = {"likes": "dislikes", "dislikes": "likes"}.get(path)
            other = find(self._known, opposite) if opposite else None
            if other and (stands := find_in_list(other, str(item))):
                made.append(_proposal(stands, None, rule, evidence, remove=True))
        return made

    def _correction(self, sentence: Sentence) -> list[Proposal]:
        """Recognise `it's Rex, not Biscuit` when exactly one known value is Biscuit."""
        match = _CORRECTION.fullmatch(sentence.body)
        if not match or not sentence.clauses:
            return []
        new, old = (value_of("person", self._reading.words(match[g], marks=False), casual=False) for g in ("v", "old"))
        spots = [spot for spot in _leaves(self._known) if isinstance(old, str) and same(spot.value, old)]
        if new is None or len(spots) != 1:
            return []
        return [Proposal("user." + ".".join(spots[0].keys), new, "correction", self._reading.words(sentence.body))]


def _who(match: re.Match[str]) -> str:
    """Return whom a clause spoke of, with the clause's own determiner: `my sister`, `meine Mutter`."""
    groups = match.groupdict()
    noun = groups.get("rel") or groups.get("pet") or groups.get("who")
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
    if "who" in groups:
        places = (("family.", RELATIONS), ("pets.", PETS), ("", ITEMS))
        slots["who"] = next((place + noun for place, table in places if (noun := lookup(groups["who"], table))), "")
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


def _proposal(
    spot: Spot, value: Json, rule: Rule, evidence: str, *, remove: bool = False, append: bool = False
) -> Proposal:
    return Proposal("user." + ".".join(spot.keys), value, rule.name, evidence, remove=remove, append=append)


def _set(spot: Spot, path: str, value: Json, rule: Rule, evidence: str, *, known: Mapping[str, Json]) -> list[Proposal]:
    if _unchanged(path, spot.value, value):
        return []
    if path == "nickname" and not spot.present and same(_value(known, "name"), value):
        return []
    if isinstance(spot.value, list) and not isinstance(value, list):
        item = item_for(spot, path, value)
        if item is None or any(_holds(old, value) for old in spot.value):
            return []
        return [_proposal(spot, item, rule, evidence, append=True)]
    return [_proposal(spot, value, rule, evidence)]


def _append(spot: Spot, item: Json, rule: Rule, evidence: str) -> list[Proposal]:
    if isinstance(spot.value, list):
        return [] if find_in_list(spot, str(item)) else [_proposal(spot, item, rule, evidence, append=True)]
    if spot.present and isinstance(spot.value, str):
        return [] if same(spot.value, item) else [_proposal(spot, [spot.value, item], rule, evidence)]
    return [] if spot.present and spot.value is not None else [_proposal(spot, item, rule, evidence, append=True)]


def _removals(spot: Spot, value: Json, rule: Rule, evidence: str) -> list[Proposal]:
    """Remove what is known to be so, and nothing else."""
    wanted = value if isinstance(value, list) else [value]
    spots = [find_in_list(spot, str(item)) if isinstance(spot.value, list) else spot for item in wanted]
    gone = [s for s, item in zip(spots, wanted, strict=True) if s and s.present and same(s.value, item)]
    return [_proposal(s, None, rule, evidence, remove=True) for s in gone]


def _drop(known: Mapping[str, Json], path: str, rule: Rule, evidence: str) -> list[Proposal]:
    spot = find(known, f"{path}.name" if "." in path and not path.startswith("devices") else path)
    if spot is None or not spot.present:
        return []
    nested = spot.keys[-1] in {"name", "model", "called"} and len(spot.keys) > 1
    return [_proposal(Spot(spot.keys[:-1] if nested else spot.keys), None, rule, evidence, remove=True)]


def _note(known: Mapping[str, Json], text: str) -> list[Proposal]:
    spot = find(known, "notes")
    return _append(spot, text, Rule("note", "", ()), text) if spot and text else []


def _unchanged(path: str, old: Json, new: Json) -> bool:
    if same(old, new):
        return True
    named = path in {"name", "family.spouse.name"} or path.endswith(".name")
    return named and isinstance(old, str) and isinstance(new, str) and fold(old).startswith(fold(new) + " ")


def _holds(old: Json, value: Json) -> bool:
    return any(same(v, value) for v in old.values()) if isinstance(old, dict) else same(old, value)


def _value(known: Mapping[str, Json], path: str) -> Json:
    spot = find(known, path)
    return spot.value if spot else None


def _present(known: Mapping[str, Json], path: str) -> bool:
    spot = find(known, path)
    return bool(spot and spot.present)


def _leaves(node: Json | Mapping[str, Json], keys: tuple[str, ...] = ()) -> list[Spot]:
    if isinstance(node, (str, int, float)):
        return [Spot(keys, node, present=True)]
    items = (
        list(node.items())
        if isinstance(node, dict)
        else [(str(i), v) for i, v in enumerate(node or ())]
        if isinstance(node, list)
        else []
    )
    return [spot for key, value in items if "." not in key and len(keys) < 8 for spot in _leaves(value, (*keys, key))]
