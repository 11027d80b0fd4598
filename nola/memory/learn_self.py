"""What the owner says of herself in English: name, home, work, health."""

from __future__ import annotations

from nola.memory.learn_patterns import CAP, Rule, fact, rule

__all__ = ["SELF"]

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
        r"(?:i'm|i am|im|my name's|this is) (?P<v>" + CAP + r")(?:,.*)?",
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
        r"(?:<am> (?:originally |actually |also )*from|i (?:originally )?(?:come|hail) from|i grew up in|my "
        r"home ?town<is>) (?P<v>.+)",
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
        r"(?:<am> (?:fluent|bilingual) in|my (?:native|first|mother) (?:language|tongue)s?<is>|<am> a native "
        r"speaker of) (?P<v>.+)",
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
        r"(?:<am> (?P<v>\d[\d.,]*\s?(?:cm|(?:m|metres?|meters?|feet|foot|ft|')(?: ?\d+(?: ?(?:cm|inches"
        r"|in))?)?(?= tall)))(?: tall)?|my height is (?P<w>\d.+))",
        fact("height", "measure"),
        fact("height", "measure", "w"),
    ),
    rule("weight", r"(?:i weigh|my weight is) (?P<v>\d.+)", fact("health.weight", "measure")),
    rule("marital", r"<am> <adv>engaged to (?P<v>.+)", fact("family.fiance.name", "person")),
)
_HOME = (
    rule(
        "home",
        r"(?:<i> <adv>(?:live|reside)|(?:<am>|we are|we're) <adv>(?:living|based|settled)|<i>(?:'ve| have) "
        r"(?:been living|lived(?=.* (?:for|since)\b))|<my> (?:home|house|flat|apartment) is) in (?P<v>.+)",
        fact("home.city", "place"),
        fact("home.country", "country"),
    ),
    rule(
        "home",
        r"(?:<i>(?:'ve| have)?) <adv>(?:moved|relocated)(?: house| home| back| over| down| up| out| here)?(?: "
        r"from [^,]+?)? to (?P<v>(?!.*\bfor (?:an?|one|two|three|four|five|six|\d+|a few|several|some) (?:days?"
        r"|weeks?|months?|years?)\b(?! now)).+)",
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
        r"(?:<i> <adv>live|<am> <adv>living) (?:at|on) (?P<v>.+)|<my> (?:new |home |current |postal |street "
        r")*address<is> (?:now )?(?P<w>.+)",
        fact("home.address", "address"),
        fact("home.address", "address", "w"),
    ),
    rule("address", r"<i>(?:'ve| have)? <adv>moved to (?P<v>\d+,? .+|.+ \d+)", fact("home.address", "address")),
    rule("country", r"<my> country(?: of residence)?<is> (?P<v>.+)", fact("home.country", "place")),
    rule(
        "phone",
        r"<my> (?:new |current |own )*(?:(?:(?:tele)?phone|mobile|cell|cell ?phone|mobile phone)(?: number)?"
        r"|number)<is> (?:now )?(?P<v>\+?[\d(].+)",
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
        r"(?:i <adv>work|<am> <adv>(?:working|employed)|i(?:'ve| have) (?:been working|worked(?=.* (?:for"
        r"|since)\b))) (?:at|for|by) (?P<v>.+)",
        fact("work.employer", "org"),
    ),
    rule(
        "work",
        r"i(?:'ve| have)? <adv>(?:started|begun|began)(?: working| work| a new job| my new job| a job| a new "
        r"position)* (?:at|for|with) (?P<v>(?-i:[A-Z\ue000-\uf8ff]|an? \w+).*)",
        fact("work.employer", "org"),
    ),
    rule(
        "work",
        r"i(?:'ve| have)? <adv>(?:got|gotten|landed|took|accepted|found|have) (?:a|the|my) (?:new )?(?:job"
        r"|position|role)(?: as (?P<w>.+?))?(?: (?:at|with) (?P<v>.+))?",
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
        r"i <adv>work in (?P<v>(?:marketing|finance|it|sales|education|healthcare|tech|insurance|construction"
        r"|advertising|publishing|hospitality|retail|logistics|hr|law|journalism|banking"
        r"|real estate|research|software|consulting|agriculture|tourism|media|fashion|film|music|medicine"
        r"|engineering|public relations|human resources|social work)\b.*)",
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
        r"(?:i <adv>study|<am> <adv>studying|i <adv>major in|<am> <adv>majoring in|<am> a student of) "
        r"(?P<v>(?!for\b|hard\b|with\b|a lot\b|every|in\b|at\b|the \b|on\b)\w+(?: \w+){0,2})",
        fact("studies.subject", "token"),
    ),
)
_HEALTH = (
    rule(
        "allergy",
        r"(?:<am> <adv>(?:very |severely |highly |deathly |badly |slightly )?allergic to|i have (?:an?|a \w+) "
        r"allergy to|i've got an allergy to) (?P<v>.+)",
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
        r"(?:<am> <adv>(?:(?:an? )(?:strict |lifelong )?|strictly )?|i <adv>eat |my diet is |<am> on an? |i "
        r"<adv>(?:became"
        r"|went|turned) (?:an? )?|i've (?:become|gone|turned|been) (?:an? )?|i have been (?:an? )?|i follow "
        r"an? )(?P<v>[\w-]+(?: free)?)(?: diet)?(?: now| these days)?",
        fact("health.diet", "diet"),
    ),
    rule(
        "avoids",
        r"i (?:don't|do not|never|can't|cannot|no longer) <adv>(?:eat|drink) (?P<v>.+)",
        fact("health.avoids", "avoided", mode="append"),
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
        r"i <adv>take (?P<v>(?:\d+ ?(?:mg|mcg|micrograms|milligrams|g|ml) (?:of )?[\w-]+|[\w-]+ (?:\d+ ?(?:mg"
        r"|mcg))).*)",
        fact("health.medications", "listed", mode="append"),
    ),
    rule(
        "blood-type",
        r"(?:my blood (?:type|group)<is>|i have blood type) (?P<v>(?:a|b|ab|o)\b ?(?:positive|negative|\+|-|rh.*)?)",
        fact("health.blood_type", "free"),
    ),
)
SELF: tuple[Rule, ...] = (*_SELF, *_HOME, *_WORK, *_HEALTH)
"""In the order in which they are tried."""
