"""What the owner says in English of her tastes, her people, animals and things, and of what has ended."""

from __future__ import annotations

from nola.memory.learn_patterns import CAP, Rule, fact, rule

__all__ = ["ENDED", "OTHERS"]

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
        r"i(?:'m| am) <adv>(?:a (?:big |huge |great )?fan of|into|fond of|crazy about|passionate about|keen on"
        r"|addicted to) (?P<v>.+)",
        fact("likes", "liked", mode="append"),
    ),
    rule(
        "dislike",
        r"i ?<adv>(?:hate|dislike|detest|loathe|despise|can't stand|cannot stand|can't bear|(?:don't|do not"
        r"|never) (?:really |particularly |much )?(?:like|enjoy)|(?:am|'m) not (?:really )?(?:a (?:big |huge "
        r")?fan of|into|fond of|keen on)) (?:to (?!be |have |think |say |see |hear |ask ))?(?P<v>.+)",
        fact("dislikes", "liked", mode="append"),
    ),
    rule("prefer", r"i <adv>prefer (?P<v>.+)", fact("preferences", "preferred", mode="append")),
    rule(
        "hobby", r"<my> (?:main |favou?rite )?(?:hobby|hobbies)<is> (?P<v>.+)", fact("hobbies", "liked", mode="append")
    ),
    rule(
        "hobby",
        r"i <adv>play (?P<v>(?:the )?(?:piano|guitar|violin|cello|flute|drums|bass|trumpet|saxophone|clarinet"
        r"|harp|ukulele|accordion|organ|football|soccer|tennis|basketball|volleyball|rugby|golf"
        r"|chess|badminton|squash|padel|handball|hockey|cricket|baseball|table tennis|poker|go|shogi|bridge"
        r"|viola|oboe|banjo|mandolin)\b.*)",
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
            rf"<have> (?:an?|one|another|this) (?:[\w-]+ ){{0,3}}?{macro}(?:, | )(?:(?:who|which|that) (?:is"
            rf"|'s) |who's |whose name is )?(?:called|named) (?!after\b)(?P<v>.+)",
            fact(f"{path}.name", "name"),
            another=True,
        ),
        rule(
            f"{group}-name",
            rf"<have> (?:an?|one|another) {macro},? (?P<v>{CAP})",
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
        r"<my> <rel>(?:<n>)? (?:now |currently |still |also |just |recently |has )*(?:(?:lives?|resides?|is "
        r"living|is based) in|moved to) (?P<v>.+)",
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
        r"<my> <pet>(?:<n>)?(?: is|'s) (?P<v>an? (?!bit\b|lot\b|good\b|little\b|menace|mess|pain|very\b|real\b"
        r"|big\b|nightmare|handful)[\w -]+)",
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
        "siblings", r"<have> <count> (?:[\w-]+ )?(?P<kin>[\w-]+)", fact("{who}.count", "count", "count"), another=True
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
        r"(?:i <no> ?work (?:at|for|with)|i(?:'ve| have)? <adv>(?:quit|left|resigned from)(?: my (?:job"
        r"|position|role) (?:at|with))?|i(?:'ve| have)? (?:quit|left) (?:at )?|i (?:was|got) (?:laid off|fired"
        r"|let go) (?:from|by)"
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
        r"<i> (?:no longer|(?:don't|do not)(?=.* any ?(?:more|longer)$)) (?:have|own) (?:an?|any|my|our|the) "
        r"(?P<v>(?P<who>[\w-]+))(?: any ?(?:more|longer))?",
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
ENDED: tuple[Rule, ...] = _ENDINGS
"""What is no longer so; tried before all others."""
OTHERS: tuple[Rule, ...] = (*_TASTE, *_HOUSEHOLD, *_FAMILY, *_REST)
"""In the order in which they are tried."""
