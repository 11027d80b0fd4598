"""The cues that tell what a stretch of a message is: lead-in, request, frame, question, report, doubt."""

from __future__ import annotations

import re

__all__ = [
    "ALSO_HAS",
    "AM_FIRST",
    "APPOSITION",
    "BACK",
    "BARE_HEDGE",
    "DROP",
    "EMBED",
    "FINITE",
    "GREETING",
    "HAVE",
    "HAVE_FIRST",
    "ICH_FIRST",
    "LABEL",
    "LEAD",
    "MY_LABEL",
    "OK_TAG",
    "ONCE",
    "REMEMBER",
    "ROLE",
    "SPLIT",
    "SUBJECT_I",
    "TAG",
    "TELEGRAM",
    "TEXT",
    "THAT_THING",
    "THIRD_VERB",
    "UNSTICK",
    "VERB_FIRST",
    "VOID",
]

VOID = re.compile(
    r"\b(?:just kidding|only kidding|i'm kidding|(?:just|only|i'm) joking|jk|off the record|none of (?:this|that) "
    r"is true"
    r"|(?:don't|do not|please don't|never) (?:remember|save|store|learn|write|note|record|keep|memori[sz]e)"
    r" (?:this|that|it|any|anything|my|me|what|the|i)\b|that was a (?:joke|lie|test)|this is (?:just |only )?a "
    r"(?:joke|test)"
    r"|not true|es broma|era broma|nur spaß|je plaisante|brincadeira)\b",
    re.IGNORECASE,
)
_POLITE = (
    r"(?:(?:please|now|ok|okay|hey|hi|so|then|and|nola|kindly|just)[,!]? )*(?:(?:can|could|would|will) (?:you|u) "
    r"|i(?: want|'d like| would like| need) you to |help me (?:to )?|(?:let's|let us) |i(?: want| need|'d like) to "
    r")*(?:please )?"
)
ROLE = re.compile(
    _POLITE
    + r"(?:pretend|imagine|suppose|assume|role-?play|act (?:as|like|out)|play (?:a|the|as|pretend|make-?believe|twenty)"
    r"|simulate|be my|answer as|respond as|speak as|say (?:that )?(?:i|my|we|you)\b|from now on,? you|you(?: are|'re) "
    r"(?:now |going to be )?(?:a|an|the|my|called|named)\b(?! (?:great|star|genius|help|lifesaver|legend|angel|gem"
    r"|good|big|best"
    r"|real|true|bit|lot))|your name is|what if|in (?:this|the|a|our|my) (?:story|game|scenario|role-?play|scene"
    r"|novel|play|dream"
    r"|book|film|movie|exercise|example)|for (?:this|the) (?:story|game|role-?play|exercise|scenario|example)"
    r"|consider (?:the|a|this)"
    r"|hypothetically|in a hypothetical|in an alternate|once upon a time|stell dir vor|imagina|finge|tu so als"
    r"|angenommen"
    r"|imagine|fais comme si|supón|supongamos|supon|suponha|faz de conta|act[úu]a como|du bist|eres|tu es|voc[êe] é)\b",
    re.IGNORECASE,
)
TEXT = re.compile(
    _POLITE
    + r"(?:translate|rephrase|paraphrase|rewrite|reword|proof-?read|correct|fix|edit|summari[sz]e|write|compose|draft"
    r"|generate|complete|continue|finish|repeat|spell|pronounce|parse|analy[sz]e|classify|tokeni[sz]e|convert"
    r"|transcribe|type"
    r"|check (?:this|the|my) (?:sentence|grammar|text|spelling)|improve|shorten|format|encode|decode|print|echo"
    r"|read (?:this|the)"
    r"|explain (?:this|the|why|what)|what does|create|make (?:me )?(?:a|an|up)|give me (?:a|an)|tell me (?:a|the) "
    r"(?:story|joke|poem)"
    r"|sing|recite|traduce|traduz|traduza|traduis|traduisez|übersetze?|escribe|escreve|écris|schreibe?|say)\b(?! down)",
    re.IGNORECASE,
)
BACK = re.compile(
    r"\b(?:(?:translate|rephrase|rewrite|proof-?read|correct|fix|summari[sz]e|paraphrase|spell-?check|improve"
    r"|classify) "
    r"(?:this|that|it|these|the (?:above|sentence|text|grammar)|my (?:sentence|grammar|text))"
    r"|(?:say|write|put) (?:this|that|it) in [a-z]+|(?:is|was) (?:this|that|the) (?:sentence|phrase)? ?(?:correct"
    r"|grammatical|right)"
    r"|what does (?:this|that) mean|(?:said|says|wrote|sang|asked|told|writes|tweeted) (?:he|she|they|my|the|me)\b"
    r"|quote from|line from|lyrics?|from (?:a|the) (?:song|film|movie|book|novel|poem)|traduce esto|übersetze? das"
    r"|traduis (?:ça|cela)"
    r"|traduz isto|example sentence|in this sentence)\b",
    re.IGNORECASE,
)
UNSTICK = re.compile(
    r"(?:by the way|btw|also|anyway|oh|unrelated|separately|on another note|p\.?s\.?|remember|fyi)\b", re.IGNORECASE
)

_TIME_LEAD = (
    r"(?:(?:last|this past) (?:week|weekend|month|year|summer|winter|spring|autumn|fall|night|\w+day)|yesterday"
    r"|recently|today"
    r"|this (?:morning|week|weekend|month|year)|in (?:\d{4}|[a-z]+ \d{4}|january|february|march|april|may|june|july"
    r"|august|september"
    r"|october|november|december)|(?:a|two|three|four|five|six|\d+|a few|a couple of) (?:days?|weeks?|months?"
    r"|years?) ago|on \w+day)"
    r"(?=,? (?:i|we)(?:'ve| have)? (?:just |finally |also )?(?:moved|relocated|started|quit|left|got|adopted|joined"
    r"|turned|became"
    r"|bought))"
)
LEAD = re.compile(
    r"(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon|day)|well|so|oh|ah|ok|okay|yes|yeah|yep|sure|right"
    r"|nope|(?:no|nein|non|não)(?=[,.!:])|and|but|also|plus|then"
    r"|(?:and )?another thing|actually|btw|by the way|fyi|just so (?:that )?you know|so (?:that )?you know|for the "
    r"record|for your information"
    r"|please|anyway|in fact|to be clear|to clarify|(?:small |quick )?correction|sorry|(?:quick |small |life "
    r")?update|(?:good|great|big|bad)? ?news"
    r"|guess what|from now on|as of (?:now|today)|these days|nowadays|currently|at the moment|right now|now|finally"
    r"|thanks|thank you|nola"
    r"|you know(?: what)?|as you know|as i said|like i said|listen|look|honestly|to be honest|tbh|personally|(?:i"
    r"|we) should(?: also| probably)? (?:mention|add|say|tell you)"
    r"|i(?:'d like| wanted| want| have|'ve got)? to (?:tell|let) you(?: know)?|i want you to know|let me (?:tell "
    r"you|introduce myself)"
    r"|(?:you|nola)(?:,)? should know|(?:i )?just wanted to say|i'm telling you|it's worth (?:knowing|noting"
    r"|mentioning)|(?:i )?(?:should|must|have to) (?:probably )?(?:tell you|say|mention)|for now|i mean|p\.?s\.?"
    r"|fun fact|(?:a (?:bit|little) )?about me|a (?:fact|bit) about me|important|nice to meet you"
    r"|unrelated|separately|on another note|(?:some|my) background|for context|context|basically|in case you "
    r"(?:wondered|need it|didn't know)|luckily"
    r"|unfortunately|sadly|happily|because|since|as|that said|wait|hmm+|um+|er+|haha|lol|wow|yay|in general"
    r"|generally|in real life|of course|no wait"
    r"|hola|buenas|buenos días|bueno|pues|oye|por cierto|además|en realidad|a partir de ahora|ahora|también|sí|y"
    r"|pero|gracias"
    r"|hallo|guten (?:tag|morgen|abend)|übrigens|also|ja|und|aber|eigentlich|ab jetzt|ab sofort|jetzt|danke|moin|servus"
    r"|bonjour|salut|bonsoir|au fait|alors|oui|et|mais|en fait|désormais|à partir de maintenant|maintenant|merci"
    r"|olá|oi|bom dia|boa tarde|boa noite|aliás|a propósito|por sinal|agora|também|sim|e|mas|na verdade|a partir "
    r"de agora|obrigad[oa]"
    r"|" + _TIME_LEAD + r")(?:[,:!.\u2026\s-]+that\s+|[,:!.\u2026\s-]+)(?=\S)",
    re.IGNORECASE,
)
GREETING = re.compile(
    r"(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon|day)|let me introduce myself)\b", re.IGNORECASE
)
_KEEP = (
    r"(?:remember|note|keep in mind|bear in mind|make a note|take (?:a )?note|write down|note down|jot down|write "
    r"(?:this|it|that) down"
    r"|save|store|memori[sz]e|add (?:this )?to your (?:memory|notes)|don't (?:you )?forget|do not forget|never "
    r"forget|make sure (?:you|to) remember)"
)
REMEMBER = re.compile(
    r"(?P<ask>(?:can|could|would|will) you (?:please )?)?(?:please |always |also |just |and )*"
    r"(?:i (?:want|need|would like)(?:'d like)? you to |you (?:should|must|need to|have to) )?(?:please )?"
    + _KEEP
    + r"(?: (?:this|it|of this|the following|for me|for later|please|this fact|to "
    r"self))*(?P<join>\s*[:\u2013\u2014,-]+\s*(?:that\s+)?|\s+(?:of the fact )?that\s+|\s+)"
    r"(?P<rest>.+)|(?P<join2>(?:nota|anota|apunta|recuerda|acu[ée]rdate(?: de)?|ten en cuenta|no olvides"
    r"|merk(?:e)? dir|vergiss nicht|denk(?:e)? daran"
    r"|notiere?(?: dir)?|souviens-toi|rappelle-toi|n'oublie pas|retiens|note|lembra(?:-te)?(?: de)?"
    r"|lembre(?:-se)?(?: de)?|anota aí|anote"
    r"|n[ãa]o (?:te )?esque[çc]as?(?: de)?)(?:\s*:\s*|,? (?:que|dass|qu')\s*))(?P<rest2>.+)",
    re.IGNORECASE | re.DOTALL,
)
THAT_THING = re.compile(
    r"(?:time|day|night|week|summer|song|movie|film|book|guy|girl|man|woman|thing|one|place|story|trip|party|show"
    r"|scene|game|restaurant"
    r"|joke|feeling|moment|email|conversation|episode|kid|house|old|old \w+|thing)\b",
    re.IGNORECASE,
)
FINITE = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|'s|'m|'re|'ve|lives?|works?|likes?|loves?|hates?|needs?|wants?|goes"
    r"|takes?|called|'d)\b|'(?:s|m|re|ve)\b",
    re.IGNORECASE,
)
_START = (
    r"(?:(?:now|currently|nowadays|today|these days|ahora|agora|jetzt|maintenant)(?= (?:i|my|we|it|it's|he's|she's"
    r"|i'm|i've|vivo|moro|wohne|je|ich|trabajo)\b)|i|i'm|im|i've|i'd|i'll|my|our|we|we're|we've|you|you're|he|he's"
    r"|she|she's|it|it's|they|they're|his|her|its|this|that|that's|there|what|what's|how|how's"
    r"|when|where|where's|who's|why|which|can|could|would|should|do|does|did|is|are|please|call|remember|don't|not"
    r"|maybe|perhaps|if|unless|though|nice"
    r"|mi|mis|me|yo|soy|vivo|trabajo|tengo|hablo|odio|qué|ich|mein|meine|wir|unser|unsere|er|sie|was|wie|kannst|je"
    r"|j'\w+|mon|ma|mes|nous|notre|il|elle|quel|quelle"
    r"|eu|meu|minha|moro|trabalho|tenho|chamo|chamo-me|sou|falo|gosto|ele|ela|qual|quais|[a-z]+ is my)\b"
)
_VERB = (
    r"(?:(?:now |also |currently |just |really )?(?:live|work|have|like|love|hate|speak|moved|drive|play|study"
    r"|enjoy|prefer|started|don't like|can't stand|was born|am)"
    r"|wohne|arbeite|lebe|heiße|bin|habe|mag|spreche|wohnt|lebt|arbeitet|heißt|vive|trabaja|trabalha|mora|habite"
    r"|vit|tiene|tem|se llama|se chama|s'appelle|lives|works|has|speaks|likes|loves|hates|is (?:a|an|called"
    r"|named|allergic"
    r"|vegetarian|vegan|\d+))\s+(?=\S)"
    r"|(?:allergic to|vegetarian|vegan|married|lactose|based in|from [A-Z])|(?:an?|two|three) (?:[\w-]+ "
    r"){1,3}(?:called|named)\b"
)
_JOINER = r"(?:and|but|so|plus|because|while|whereas|though|although|y|pero|und|aber|et|mais|e|mas|also)"
SPLIT = re.compile(
    rf"(?:\s*,\s*(?:{_JOINER}\s+)?|\s+{_JOINER}\s+|\s+[-\u2013\u2014]+\s+|\s*[\u2013\u2014]\s*"
    rf"|\s*:[)(D]?\s+)(?={_START}|{_VERB})|,?\s+(?=who (?:is|lives|works|has|loves|likes)\b)",
    re.IGNORECASE,
)
SUBJECT_I = re.compile(r"(?:i|we)\b|i'm|im\b", re.IGNORECASE)
VERB_FIRST = re.compile(_VERB, re.IGNORECASE)
THIRD_VERB = re.compile(
    r"(?:wohnt|lebt|arbeitet|heißt|vive|trabaja|trabalha|mora|habite|vit|tiene|tem|se llama|se chama|s'appelle"
    r"|who|lives"
    r"|works|has|speaks|likes|loves|hates|is)\b",
    re.IGNORECASE,
)
HAVE_FIRST = re.compile(r"(?:an?|two|three)\b", re.IGNORECASE)
HAVE = re.compile(r"(?:i|we)(?:'ve| have)?(?: got| have)?(?= (?:an?|one|two|three|four|five|\d) )", re.IGNORECASE)
ALSO_HAS = re.compile(
    r"(?:,| and|, and) (?=(?:an?|one|two|three|four|five|\d) [\w-]+(?: (?:called|named) .+)?(?:$|,| and (?:an?|one"
    r"|two|three|four|five|\d) ))",
    re.IGNORECASE,
)
TELEGRAM = re.compile(
    r"(?:(?:just|finally|recently) (?:moved to|started at|turned|got (?:a|promoted)|adopted|joined|quit)|moved to "
    r".* (?:yesterday|today|last \w+|\w+ ago)$"
    r"|got an? (?:new )?(?:dog|cat|puppy|kitten|job)|adopted an? |(?P<state>allergic to|vegetarian since|based in"
    r"|married to|retired since))\b",
    re.IGNORECASE,
)
ICH_FIRST = re.compile(r"(?:wohne|arbeite|lebe|heiße|bin|habe|mag|spreche)\b", re.IGNORECASE)
AM_FIRST = re.compile(r"(?:allergic|vegetarian|vegan|married|lactose|based in|from)\b", re.IGNORECASE)
_SAY = (
    r"(?:said|says|told|tells|thinks|thought|believes?|claims?|claimed|wrote|writes|asked|asks|heard|dream(?:t|ed"
    r"|s)?|wish(?:es|ed)?|hopes?|hoped|lied|lies"
    r"|pretend(?:s|ed)?|imagine[sd]?|suppose[sd]?|guess(?:es)?|wonder(?:s|ed)?|doubts?|answered|replied|shouted"
    r"|sings|suggested|mentioned|forgot|assume[sd]?"
    r"|insists?|insisted|swears?|reckons?|dice|dijo|sagte?|sagt|dit|disse|diz|meint|croit|cree|acha)"
)
EMBED = re.compile(
    r"(?:if|unless|whether|suppose|supposing|imagine|pretend|what|what's|how|how's|when|whenever|where|who|whose"
    r"|why|which|can|could|would|should|shall|do|does|did|is|are|am|was"
    r"|were|have you|has|will|may|might|maybe|perhaps|probably|possibly|apparently|supposedly|allegedly"
    r"|hypothetically|say|let's|assuming|assume|in case|for example"
    r"|e\.g\.|for instance|once|as if|like if|isn't|aren't|don't you|didn't|wouldn't|si|ojalá|quizás?|tal vez"
    r"|cuando|qué|cómo|wenn|falls|vielleicht|wahrscheinlich"
    r"|wie|was|wo|warum|als|in|for|according to|as|per|under|on|by|from|to|at|peut-être|quand|comment|pourquoi|où"
    r"|se|talvez|quando|como|onde|oxalá)\b"
    r"|i(?: don't| do not|'m not|'d| would| just| often| sometimes| once| always)* (?:think|guess|believe|suppose"
    r"|hope|wonder|doubt|"
    + _SAY[3:]
    + r"\b|i(?:'m| am) (?:not sure|thinking|considering|wondering|told|afraid|hoping|guessing)\b"
    r"|(?!i\b|i'm\b)(?:[^\s,]+ ){1,4}?" + _SAY + r"\b",
    re.IGNORECASE,
)
TAG = re.compile(
    r"(?:[a-z]+n't|am|is|are|was|were|do|does|did|have|has|would|could|right|correct|true|no|not|yes|or not)(?: "
    r"(?:i|it|he|she|they|we|you|that|not))?",
    re.IGNORECASE,
)
BARE_HEDGE = re.compile(
    r"(?:or so|at least)?\s*(?:i|he|she|they|you|we|[a-z]+)? ?(?:think|guess|suppose|believe|hope|wish|said|says"
    r"|say|claims?|claimed|told me|reckon|imagine|heard"
    r"|maybe|perhaps|probably|possibly|not really|not)(?: so)?",
    re.IGNORECASE,
)
DROP = re.compile(
    r"\bif\b(?! you (?:must|want|like|prefer|wonder|wondered|need|care|don't mind)| that helps| it matters| it "
    r"helps)|\bunless\b|\bused to\b|\bwhen (?:i|we) (?:was|were)\b"
    r"|\bin (?:the|this|my|a|that) (?:story|novel|game|dream|dreams|movie|film|scenario|scene|example|role-?play"
    r"|rpg|sentence|script|essay|exercise|simulation)\b"
    r"|\b(?:hypothetically|supposedly|allegedly|apparently|probably|maybe|perhaps|possibly|almost|nearly|kind of"
    r"|sort of|pretend|temporarily|as a joke|but only|only in|i think|i guess)\b"
    r"|\b(?:he|she|they) (?:said|says|claims|claimed|thinks)\b|\buntil\b|\bor so\b|\b(?:for|over) (?:the (?:weekend"
    r"|holidays?|summer|night)|a (?:few|couple))\b",
    re.IGNORECASE,
)
ONCE = re.compile(r"(?:my|our) [\w' -]{2,40} used to be\b", re.IGNORECASE)
OK_TAG = re.compile(
    r",?\s+(?:ok|okay|please|alright|got it|understood|will you|would you|yeah|deal|vale|d'accord|tá)$", re.IGNORECASE
)
LABEL = re.compile(r"([^,;:?!]{1,40}):\s+\S")
APPOSITION = re.compile(
    r"((?:\b[Mm]y|\b[Oo]ur) [\w-]+(?: [\w-]+)?, [A-Z\u00c0-\u00de]\w+), (?=is|lives|works|has|loves|hates|likes"
    r"|turned)"
)
MY_LABEL = re.compile(r"((?:my|our) [^,;:?!]{2,30}):\s+(?=\S)", re.IGNORECASE)
