"""The rules by which a clause tells a fact: English patterns, and where each fact belongs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

__all__ = ["ENGLISH", "Fact", "Rule", "fact", "rule"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A place that a rule fills.

    Attributes:
        path: Documented path below the owner; `{rel}`, `{pet}`, `{role}`, `{item}`, `{many}`, `{thing}` and `{noun}`
            are filled from the groups of the same names, `{who}` from whichever of them matched.
        kind: What the place holds, see `learn_values`.
        group: The group of the pattern that says it.
        mode: `set`, `append`, `remove` (only what is known to stand there) or `drop` (the whole person, animal or thing).
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
_CAP = (
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
    "<n>": rf",? (?P<n>{_CAP}),?",
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


_HEADS = (
    r"(?:size|plate|plates|username|user name|handle|anniversary|bank|gym|school|university|college|insurer"
    r"|insurance|provider|team|star sign|zodiac sign|pronouns|postcode|zip code"
    r"|zip|time ?zone|employee number|membership number|library card|club|church|carrier|timezone|landline)"
)
_THING = (
    r"(?P<thing>(?!(?:one|thing|part|bit|option|answer|version|line|section|sentence|paragraph|suggestion"
    r"|word)s?\b)[\w'-]+(?: [\w'-]+){0,2}?)"
)
_FAVOURITE = r"(?:all[- ]time |absolute |very )*(?:favou?rite|fave?)(?: kind of| type of| sort of)?"

_SELF = (
    rule(
        "name",
        r"<my> (?:full |first |real |given |own |actual |legal )?name<is> (?:now |actually |really )?(?P<v>.+)",
        fact("name", "name"),
    ),
    rule("last-name", r"<my> (?:last|family|sur) ?name<is> (?:now )?(?P<v>.+)", fact("last_name", "name")),
    rule(
        "nickname",
        r"(?:you (?:can|may|should|could) |just |please |always |feel free to )*call me (?P<v>.+)",
        fact("nickname", "name"),
    ),
    rule(
        "nickname",
        r"(?:(?:all )?my friends|everyone|everybody|people|most people|my family|friends)(?: all| always| usually| "
        r"just)? (?:calls?) me (?P<v>.+)",
        fact("nickname", "name"),
    ),
    rule(
        "nickname",
        r"(?:i (?:usually |mostly )?go by|my nickname<is>|i'd rather be called|i(?:'d)? (?:prefer|like|want) to be "
        r"called|i prefer being called|i am known as|i'm known as) (?P<v>.+)",
        fact("nickname", "name"),
    ),
    rule(
        "introduction",
        r"(?:i'm|i am|im|my name's|this is) (?P<v>" + _CAP + r")(?:,.*)?",
        fact("name", "person"),
        need="greeted",
    ),
    rule(
        "age",
        r"<am> (?:now |already |currently |only )*(?P<v>\d{1,3})(?: years? old| years? young| y\.?/?o\.?| yrs old| "
        r"years of age)?(?: now| today| already)?(?:,.*)?",
        fact("age", "age"),
    ),
    rule("age", r"i(?:'ve| have)? (?:just |recently )?turned (?P<v>\d{1,3})(?: years old)?", fact("age", "age")),
    rule("age", r"my age is (?P<v>\d{1,3})", fact("age", "age")),
    rule(
        "birthday",
        r"<my> (?:birthday|bday|birth ?date|date of birth|dob)<is> (?:always |actually )?(?P<v>.+)",
        fact("birthday", "date"),
    ),
    rule("birthday", r"(?P<v>.+?) is my (?:birthday|bday)", fact("birthday", "date")),
    rule(
        "born",
        r"i was born (?:on|in) (?P<v>.*\d\w*) in (?P<p>\D+)",
        fact("birthday", "date"),
        fact("birth_year", "year"),
        fact("birthplace", "place", "p"),
    ),
    rule(
        "born",
        r"i was born (?:in (?P<p>(?!\d)[^\d]+?) )?(?:on|in) (?P<v>.*\d.*)",
        fact("birthday", "date"),
        fact("birth_year", "year"),
        fact("birthplace", "place", "p"),
    ),
    rule("born", r"i was born(?: and raised| and grew up)? in (?P<v>\D+)", fact("birthplace", "place")),
    rule(
        "hometown",
        r"(?:<am> (?:originally |actually |also )*from|i (?:originally )?(?:come|hail) from|i grew up in|my home ?town<is>) (?P<v>.+)",
        fact("hometown", "place"),
    ),
    rule(
        "nationality",
        r"(?:<am> (?:originally |actually |half )*|my nationality is )(?P<v>.+)",
        fact("nationality", "demonym"),
    ),
    rule(
        "languages",
        r"i (?:can |also |both |fluently |only |natively )*speak (?P<v>.+)",
        fact("languages", "tongues", mode="append"),
    ),
    rule(
        "languages",
        r"(?:<am> (?:fluent|bilingual) in|my (?:native|first|mother) (?:language|tongue)s?<is>|<am> a native speaker of) (?P<v>.+)",
        fact("languages", "tongues", mode="append"),
    ),
    rule("marital", r"<am> <adv>(?:happily )?married to (?P<v>.+)", fact("family.spouse.name", "person")),
    rule(
        "marital",
        r"<am> <adv>(?:happily |recently |newly )?(?P<v>married|single|divorced|widowed|engaged|separated)(?: now)?",
        fact("marital_status", "token"),
    ),
    rule(
        "height",
        r"(?:<am> (?P<v>\d[\d.,]*\s?(?:cm|(?:m|metres?|meters?|feet|foot|ft|')(?: ?\d+(?: ?(?:cm|inches|in))?)?(?= tall)))(?: tall)?|my height is (?P<w>\d.+))",
        fact("height", "measure"),
        fact("height", "measure", "w"),
    ),
    rule("weight", r"(?:i weigh|my weight is) (?P<v>\d.+)", fact("health.weight", "measure")),
    rule("marital", r"<am> <adv>engaged to (?P<v>.+)", fact("family.fiance.name", "person")),
)
_HOME = (
    rule(
        "home",
        r"(?:<i> <adv>(?:live|reside)|(?:<am>|we are|we're) <adv>(?:living|based|settled)|<i>(?:'ve| have) (?:been living|lived(?=.* (?:for|since)\b))|<my> (?:home|house|flat|apartment) is) in (?P<v>.+)",
        fact("home.city", "place"),
        fact("home.country", "country"),
    ),
    rule(
        "home",
        r"(?:<i>(?:'ve| have)?) <adv>(?:moved|relocated)(?: house| home| back| over| down| up| out| here)?(?: from [^,]+?)? to (?P<v>(?!.*\bfor (?:an?|one|two|three|four|five|six|\d+|a few|several|some) (?:days?|weeks?|months?|years?)\b(?! now)).+)",
        fact("home.city", "place"),
        fact("home.country", "country"),
    ),
    rule(
        "home",
        r"(?:<my> (?:home )?(?:city|town)(?: of residence)?|my place of residence|home)<is> (?:now )?(?P<v>.+)",
        fact("home.city", "place"),
    ),
    rule("home", r"(?P<v>.+?) is (?:now )?(?:my|our) (?:new )?(?:home|home city)(?: now)?", fact("home.city", "place")),
    rule(
        "address",
        r"(?:<i> <adv>live|<am> <adv>living) (?:at|on) (?P<v>.+)|<my> (?:new |home |current |postal |street )*address<is> (?:now )?(?P<w>.+)",
        fact("home.address", "address"),
        fact("home.address", "address", "w"),
    ),
    rule("address", r"<i>(?:'ve| have)? <adv>moved to (?P<v>\d+,? .+|.+ \d+)", fact("home.address", "address")),
    rule("country", r"<my> country(?: of residence)?<is> (?P<v>.+)", fact("home.country", "place")),
    rule(
        "phone",
        r"<my> (?:new |current |own )*(?:(?:(?:tele)?phone|mobile|cell|cell ?phone|mobile phone)(?: number)?|number)<is> (?:now )?(?P<v>\+?[\d(].+)",
        fact("phone", "phone"),
    ),
    rule("phone", r"(?:you can )?(?:reach|text|call|ring) me (?:on|at) (?P<v>\+?[\d(].+)", fact("phone", "phone")),
    rule(
        "email",
        r"<my> (?:new |current |own |personal |private )*e-?mail(?: address)?<is> (?:now )?(?P<v>.+)",
        fact("email", "email"),
    ),
    rule("work-email", r"<my> work e-?mail(?: address)?<is> (?:now )?(?P<v>.+)", fact("work.email", "email")),
)
_WORK = (
    rule(
        "job",
        r"<am> an? (?P<v>(?:[\w-]+ )?student) at (?P<w>.+)",
        fact("work.job", "job"),
        fact("studies.school", "org", "w"),
    ),
    rule(
        "work",
        r"(?:i <adv>work|<am> <adv>(?:working|employed)) as (?P<v>.+?) (?:at|for|with) (?P<w>.+)",
        fact("work.job", "trade"),
        fact("work.employer", "org", "w"),
    ),
    rule(
        "work",
        r"(?:i <adv>work|<am> <adv>(?:working|employed)) (?:at|for|with) (?P<w>.+?) as (?P<v>.+)",
        fact("work.job", "trade"),
        fact("work.employer", "org", "w"),
    ),
    rule("work", r"(?:i <adv>work|<am> <adv>(?:working|employed)) as (?P<v>.+)", fact("work.job", "trade")),
    rule(
        "work",
        r"(?:i <adv>work|<am> <adv>(?:working|employed)|i(?:'ve| have) (?:been working|worked(?=.* (?:for|since)\b))) (?:at|for|by) (?P<v>.+)",
        fact("work.employer", "org"),
    ),
    rule(
        "work",
        r"i(?:'ve| have)? <adv>(?:started|begun|began)(?: working| work| a new job| my new job| a job| a new position)* (?:at|for|with) (?P<v>(?-i:[A-Z\ue000-\uf8ff]|an? \w+).*)",
        fact("work.employer", "org"),
    ),
    rule(
        "work",
        r"i(?:'ve| have)? <adv>(?:got|gotten|landed|took|accepted|found|have) (?:a|the|my) (?:new )?(?:job|position|role)(?: as (?P<w>.+?))?(?: (?:at|with) (?P<v>.+))?",
        fact("work.employer", "org"),
        fact("work.job", "trade", "w"),
    ),
    rule(
        "work",
        r"i(?:'ve| have)? <adv>(?:joined|been hired by|was hired by|got hired by) (?P<v>(?-i:[A-Z\ue000-\uf8ff]).*)",
        fact("work.employer", "org"),
    ),
    rule(
        "work",
        r"<my> (?:new |current )?(?:employer|company|firm|workplace)(?:'s name)?<is>(?: called| named| now)* (?P<v>.+)",
        fact("work.employer", "org"),
    ),
    rule(
        "job",
        r"<my> (?:new |current |day )?(?:job|profession|occupation|trade|job title)<is> (?:now )?(?P<v>(?!in\b).+)",
        fact("work.job", "job"),
    ),
    rule(
        "job",
        r"(?:<am>|i(?:'ve| have) been(?=.* (?:for|since)\b)) (?P<v>an? .+?)(?: (?:at|for|with) (?P<w>(?-i:[A-Z]).*))?",
        fact("work.job", "job"),
        fact("work.employer", "org", "w"),
    ),
    rule("job", r"<am> <adv>(?P<v>an? .+?)(?: by (?:trade|profession|training))", fact("work.job", "trade")),
    rule("job", r"i(?:'ve| have)? <adv>(?:got|been|was) promoted to (?P<v>.+)", fact("work.job", "trade")),
    rule("job", r"i(?:'ve| have)? <adv>became (?P<v>an? .+)", fact("work.job", "job")),
    rule(
        "work-field",
        r"i <adv>work in (?P<v>(?:marketing|finance|it|sales|education|healthcare|tech|insurance|construction|advertising|publishing|hospitality|retail|logistics|hr|law|journalism|banking"
        r"|real estate|research|software|consulting|agriculture|tourism|media|fashion|film|music|medicine|engineering|public relations|human resources|social work)\b.*)",
        fact("work.field", "free"),
    ),
    rule(
        "work-status",
        r"<am> <adv>(?P<v>retired|unemployed|self-employed|on parental leave|on maternity leave)(?: now)?",
        fact("work.status", "free"),
    ),
    rule(
        "office",
        r"<my> (?:new )?(?:office|workplace|desk)<is> (?:now )?(?:(?:located )?(?:in|at|on)) (?P<v>.+)",
        fact("work.office", "where"),
    ),
    rule(
        "boss",
        r"<my> (?:new |current )?(?:boss|line manager|manager)(?:'s name)?<is>(?: called| named)? (?P<v>.+)",
        fact("work.boss", "person"),
    ),
    rule(
        "studies",
        r"(?:i <adv>study|<am> <adv>studying|i major in|<am> majoring in) (?P<v>.+?) at (?P<w>.+)",
        fact("studies.subject", "token"),
        fact("studies.school", "org", "w"),
    ),
    rule(
        "studies",
        r"(?:(?:<am> <adv>studying|i <adv>study) at|i <adv>go to) (?P<v>(?:the )?(?-i:[A-Z]).+)",
        fact("studies.school", "org"),
    ),
    rule(
        "studies",
        r"(?:i <adv>study|<am> <adv>studying|i <adv>major in|<am> <adv>majoring in|<am> a student of) (?P<v>(?!for\b|hard\b|with\b|a lot\b|every|in\b|at\b|the \b|on\b)\w+(?: \w+){0,2})",
        fact("studies.subject", "token"),
    ),
)
_HEALTH = (
    rule(
        "allergy",
        r"(?:<am> <adv>(?:very |severely |highly |deathly |badly |slightly )?allergic to|i have (?:an?|a \w+) allergy to|i've got an allergy to) (?P<v>.+)",
        fact("health.allergies", "listed", mode="append"),
    ),
    rule(
        "allergy",
        r"i(?: have|'ve got) (?:an? )?(?:severe |bad )?(?P<v>[\w ]{3,25}?) allerg(?:y|ies)",
        fact("health.allergies", "listed", mode="append"),
    ),
    rule("allergy", r"<my> allergies are (?P<v>.+)", fact("health.allergies", "listed", mode="append")),
    rule(
        "intolerance",
        r"<am> <adv>(?:(?P<v>[\w-]+)[ -]intolerant|intolerant (?:to|of) (?P<w>.+))",
        fact("health.intolerances", "listed", mode="append"),
        fact("health.intolerances", "listed", "w", "append"),
    ),
    rule(
        "diet",
        r"(?:<am> <adv>(?:(?:an? )(?:strict |lifelong )?|strictly )?|i <adv>eat |my diet is |i <adv>(?:became|went|turned) (?:an? )?|i've (?:become|gone|turned|been) (?:an? )?|i have been (?:an? )?|i follow an? )(?P<v>[\w-]+)(?: diet)?(?: now| these days)?",
        fact("health.diet", "diet"),
    ),
    rule(
        "avoids",
        r"i (?:don't|do not|never|can't|cannot|no longer) <adv>(?:eat|drink) (?P<v>.+)",
        fact("health.avoids", "liked", mode="append"),
    ),
    rule(
        "condition",
        r"i (?:also |do )?(?:have|'ve got|suffer from|was diagnosed with|have been diagnosed with)(?: got)? (?P<v>.+)",
        fact("health.conditions", "condition", mode="append"),
    ),
    rule(
        "condition",
        r"i've (?:got|been diagnosed with) (?P<v>.+)",
        fact("health.conditions", "condition", mode="append"),
    ),
    rule(
        "condition",
        r"<am> <adv>(?:a )?(?P<v>diabetic|asthmatic|epileptic|coeliac|celiac|colou?r[- ]?blind|dyslexic|left-handed)",
        fact("health.conditions", "free", mode="append"),
    ),
    rule(
        "medication",
        r"i <adv>take (?P<v>(?:\d+ ?(?:mg|mcg|micrograms|milligrams|g|ml) (?:of )?[\w-]+|[\w-]+ (?:\d+ ?(?:mg|mcg))).*)",
        fact("health.medications", "listed", mode="append"),
    ),
    rule(
        "blood-type",
        r"(?:my blood (?:type|group)<is>|i have blood type) (?P<v>(?:a|b|ab|o)\b ?(?:positive|negative|\+|-|rh.*)?)",
        fact("health.blood_type", "free"),
    ),
)
_TASTE = (
    rule(
        "least-favourite",
        r"<my> least favou?rite " + _THING + r"<is> (?P<v>.+)",
        fact("least_favourites.{thing}", "taste"),
    ),
    rule(
        "favourite",
        r"<my> "
        + _FAVOURITE
        + " "
        + _THING
        + r"(?: (?:of all time|ever))?(?: is| are|'s)(?: now| still| definitely| always| by far)* (?P<v>.+)",
        fact("favourites.{thing}", "taste"),
    ),
    rule(
        "favourite",
        r"(?P<v>.+?) (?:is|are)(?: definitely| still| now| by far)* <my> " + _FAVOURITE + " " + _THING,
        fact("favourites.{thing}", "taste"),
    ),
    rule(
        "like",
        r"i <adv>(?:like|love|enjoy|adore) (?:to (?!be |have |think |say |see |hear |ask ))?(?P<v>.+)",
        fact("likes", "liked", mode="append"),
    ),
    rule(
        "like",
        r"i(?:'m| am) <adv>(?:a (?:big |huge |great )?fan of|into|fond of|crazy about|passionate about|keen on|addicted to) (?P<v>.+)",
        fact("likes", "liked", mode="append"),
    ),
    rule(
        "dislike",
        r"i ?<adv>(?:hate|dislike|detest|loathe|despise|can't stand|cannot stand|can't bear|(?:don't|do not|never) (?:really |particularly |much )?(?:like|enjoy)|(?:am|'m) not (?:really )?(?:a (?:big |huge )?fan of|into|fond of|keen on)) (?:to (?!be |have |think |say |see |hear |ask ))?(?P<v>.+)",
        fact("dislikes", "liked", mode="append"),
    ),
    rule("prefer", r"i <adv>prefer (?P<v>.+)", fact("preferences", "preferred", mode="append")),
    rule(
        "hobby", r"<my> (?:main |favou?rite )?(?:hobby|hobbies)<is> (?P<v>.+)", fact("hobbies", "liked", mode="append")
    ),
    rule(
        "hobby",
        r"i <adv>play (?P<v>(?:the )?(?:piano|guitar|violin|cello|flute|drums|bass|trumpet|saxophone|clarinet|harp|ukulele|accordion|organ|football|soccer|tennis|basketball|volleyball|rugby|golf"
        r"|chess|badminton|squash|padel|handball|hockey|cricket|baseball|table tennis|poker|go|shogi|bridge|viola|oboe|banjo|mandolin)\b.*)",
        fact("hobbies", "played", mode="append"),
    ),
)
_HOUSEHOLD = tuple(
    built
    for group, macro, path in (("family", "<rel>", "family.{rel}"), ("pets", "<pet>", "pets.{pet}"))
    for built in (
        rule(
            f"{group}-name",
            rf"<my> {macro}(?:'?s)? name(?: is|'s)(?: now| actually)* (?P<v>.+)",
            fact(f"{path}.name", "name"),
        ),
        rule(f"{group}-name", rf"(?:the )?name of <my> {macro} is (?P<v>.+)", fact(f"{path}.name", "name")),
        rule(
            f"{group}-name",
            rf"<my> {macro}(?: is|'s)(?: now| actually)* (?:called|named) (?!after\b)(?P<v>.+)",
            fact(f"{path}.name", "name"),
        ),
        rule(
            f"{group}-name",
            rf"<i>(?:'ve| have)? (?:named|called|decided to call) <my> {macro} (?!after\b)(?P<v>.+)",
            fact(f"{path}.name", "name"),
        ),
        rule(
            f"{group}-birthday",
            rf"<my> {macro}(?:<n>)?'s? (?:birthday|bday)<is> (?P<v>.+)",
            fact(f"{path}.birthday", "date"),
            fact(f"{path}.name", "name", "n"),
        ),
        rule(
            f"{group}-age",
            rf"<my> {macro}(?:<n>)?(?: is| has|'s)? <adv>turned (?P<v>\d{{1,3}})(?: years old)?",
            fact(f"{path}.age", "age"),
            fact(f"{path}.name", "name", "n"),
        ),
        rule(
            f"{group}-age",
            rf"<my> {macro}(?:<n>)?(?: is|'s)(?: now| already)? (?P<v>\d{{1,3}})(?: years? old)?(?: now)?",
            fact(f"{path}.age", "age"),
            fact(f"{path}.name", "name", "n"),
        ),
        rule(
            f"{group}-age",
            rf"<my> {macro}(?:<n>)?(?: is|'s)(?: now| already)? (?P<v>\w+ (?:years?|months?|weeks) old)",
            fact(f"{path}.age", "free"),
            fact(f"{path}.name", "name", "n"),
        ),
        rule(
            f"{group}-allergy",
            rf"<my> {macro}(?:<n>)?(?: is|'s) (?:very |severely )?allergic to (?P<v>.+)",
            fact(f"{path}.allergies", "listed", mode="append"),
            fact(f"{path}.name", "name", "n"),
        ),
        rule(
            f"{group}-likes",
            rf"<my> {macro}(?:<n>)? <adv>(?:likes|loves|adores|enjoys) (?P<v>.+)",
            fact(f"{path}.likes", "liked", mode="append"),
            fact(f"{path}.name", "name", "n"),
        ),
        rule(
            f"{group}-dislikes",
            rf"<my> {macro}(?:<n>)? <adv>(?:hates|dislikes|detests|can't stand|doesn't like|does not like) (?P<v>.+)",
            fact(f"{path}.dislikes", "liked", mode="append"),
            fact(f"{path}.name", "name", "n"),
        ),
        rule(
            f"{group}-name",
            rf"<have> (?:an?|one|another|this) (?:[\w-]+ ){{0,3}}?{macro}(?:, | )(?:(?:who|which|that) (?:is|'s) |who's |whose name is )?(?:called|named) (?!after\b)(?P<v>.+)",
            fact(f"{path}.name", "name"),
            another=True,
        ),
        rule(
            f"{group}-name",
            rf"<have> (?:an?|one|another) {macro},? (?P<v>{_CAP})",
            fact(f"{path}.name", "person"),
            another=True,
        ),
        rule(f"{group}-name", rf"<my> {macro}(?: is|'s)(?: now)? (?P<v>.+)", fact(f"{path}.name", "person")),
        rule(
            f"{group}-name",
            rf"(?P<v>.+?) is (?:also |actually )?<my> {macro}(?:'?s name)?(?:(?:,| and) .*)?",
            fact(f"{path}.name", "person"),
        ),
    )
)
_FAMILY = (
    rule(
        "family-city",
        r"<my> <rel>(?:<n>)? (?:now |currently |still |also |just |recently |has )*(?:(?:lives?|resides?|is living|is based) in|moved to) (?P<v>.+)",
        fact("family.{rel}.city", "place"),
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "family-employer",
        r"<my> <rel>(?:<n>)? (?:now |currently )?works (?:at|for) (?P<v>.+)",
        fact("family.{rel}.employer", "org"),
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "family-job",
        r"<my> <rel>(?:<n>)? (?:now |currently )?works as (?P<v>.+)",
        fact("family.{rel}.job", "trade"),
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "family-job",
        r"<my> <rel>(?:<n>)?(?: is|'s)(?: now| also)? (?P<v>an? .+)",
        fact("family.{rel}.job", "job"),
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "family-diet",
        r"<my> <rel>(?:<n>)?(?: is|'s)(?: now| also)?(?: an?)? (?P<v>[\w-]+)",
        fact("family.{rel}.diet", "diet"),
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "family-phone",
        r"<my> <rel>(?:<n>)?'s? (?:new )?(?:phone |mobile |cell )?(?:phone|number)<is> (?P<v>.+)",
        fact("family.{rel}.phone", "phone"),
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "family-email",
        r"<my> <rel>(?:<n>)?'s? (?:new )?e-?mail(?: address)?<is> (?P<v>.+)",
        fact("family.{rel}.email", "email"),
    ),
    rule(
        "pets-breed",
        r"<my> <pet>(?:<n>)?(?: is|'s) (?P<v>an? (?!bit\b|lot\b|good\b|little\b|menace|mess|pain|very\b|real\b|big\b|nightmare|handful)[\w -]+)",
        fact("pets.{pet}.breed", "breed"),
        fact("pets.{pet}.name", "name", "n"),
    ),
    rule("pets-vet", r"<my> <pet>(?:<n>)?'s? vet<is>(?: called)? (?P<v>.+)", fact("pets.{pet}.vet", "person")),
    rule(
        "pets-fear",
        r"<my> <pet>(?:<n>)?(?: is|'s) (?:afraid|scared|terrified) of (?P<v>.+)",
        fact("pets.{pet}.afraid_of", "taste"),
        fact("pets.{pet}.name", "name", "n"),
    ),
    rule(
        "children",
        r"<have> <count> (?:[\w-]+ )?<many>(?:(?:, |: | called | named |,? whose names are )(?P<v>.+))?",
        fact("{many}.count", "count", "count"),
        fact("{many}.names", "names"),
    ),
    rule(
        "children",
        r"<am> (?:a |the )(?:proud )?(?:mother|father|mum|mom|dad|parent) of <count>",
        fact("family.children.count", "count", "count"),
    ),
    rule("children", r"<my> <many>(?:'s?)?(?: names)? are(?: called| named)? (?P<v>.+)", fact("{many}.names", "names")),
    rule(
        "siblings", r"<have> <count> (?:[\w-]+ )?(?P<who>[\w-]+)", fact("{who}.count", "count", "count"), another=True
    ),
    rule("role", r"<my> <role>(?: is|'s)(?: now)? (?:called|named) (?P<v>.+)", fact("{role}", "name")),
    rule("role", r"<my> <role>(?:'?s name)?(?: is|'s)(?: now)? (?P<v>.+)", fact("{role}", "person")),
    rule("role", r"(?P<v>.+?) is (?:now )?<my> <role>(?:(?:,| and) .*)?", fact("{role}", "person")),
    rule("item", r"<my> <item>(?: is|'s)(?: now)? (?P<v>.+)", fact("{item}", "model")),
    rule("item", r"i <adv>drive (?P<v>an? .+)", fact("car", "model")),
)
_REST = (
    rule(
        "attribute",
        r"<my> (?P<noun>(?:[\w'-]+ ){0,2}?" + _HEADS + r")(?: is| are)(?: now| actually)* (?P<v>.+)",
        fact("{noun}", "proper"),
    ),
    rule(
        "attribute",
        r"<my> (?P<noun>[\w'-]+(?: [\w'-]+){0,2})(?: is| are)(?: now| actually)*(?: called)? (?P<v>.+)",
        fact("{noun}", "token"),
        need="known",
    ),
    rule(
        "attribute",
        r"<my> (?P<noun>[\w-]+(?: [\w-]+){0,2})(?: is| are)(?: now| actually)*(?: called)? (?P<v>.+)",
        fact("{noun}", "proper"),
        need="explicit",
    ),
)
_ENDINGS = (
    rule(
        "gone-home",
        r"(?:<i> <no> ?live in|<i>(?:'ve| have)? (?:moved (?:away from|out of)|left)) (?P<v>.+)",
        fact("home.city", "place", mode="remove"),
    ),
    rule(
        "gone-work",
        r"(?:i <no> ?work (?:at|for|with)|i(?:'ve| have)? <adv>(?:quit|left|resigned from)(?: my (?:job|position|role) (?:at|with))?|i(?:'ve| have)? (?:quit|left) (?:at )?|i (?:was|got) (?:laid off|fired|let go) (?:from|by)"
        r"|i(?:'ve| have)? (?:quit|stopped) working (?:at|for)) (?P<v>.+)",
        fact("work.employer", "org", mode="remove"),
        fact("home.city", "place", mode="remove"),
    ),
    rule(
        "gone-job",
        r"(?:<am> (?:no longer|not)|i <no> ?work as) (?P<v>an? .+)",
        fact("work.job", "trade", mode="remove"),
    ),
    rule(
        "gone",
        r"<i> (?:no longer|(?:don't|do not)(?=.* any ?(?:more|longer)$)) (?:have|own) (?:an?|any|my|our|the) (?P<v>(?P<who>[\w-]+))(?: any ?(?:more|longer))?",
        fact("{who}", "free", mode="drop"),
    ),
    rule(
        "gone-diet",
        r"<am> (?:no longer|not) (?:an? )?(?P<v>[\w-]+)(?: any ?more| any ?longer)?",
        fact("health.diet", "diet", mode="remove"),
    ),
    rule(
        "gone-allergy",
        r"<am> (?:no longer|not) allergic to (?P<v>.+)",
        fact("health.allergies", "listed", mode="remove"),
    ),
    rule(
        "gone-like",
        r"i (?:no longer|stopped) (?:like|love|enjoy|liking|enjoying) (?P<v>.+)",
        fact("likes", "liked", mode="remove"),
    ),
)
ENGLISH: tuple[Rule, ...] = (*_ENDINGS, *_SELF, *_HOME, *_WORK, *_HEALTH, *_TASTE, *_HOUSEHOLD, *_FAMILY, *_REST)
"""The English rules, in the order in which they are tried."""
