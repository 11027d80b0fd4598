"""The common statements about oneself in Spanish, German, French and Portuguese."""

from __future__ import annotations

from nola.memory.learn_patterns import Fact, Rule, fact, rule

__all__ = ["TONGUES"]

_NAMED = fact("name", "name")
_CITY = fact("home.city", "place")
_COUNTRY = fact("home.country", "country")
_EMPLOYER = fact("work.employer", "org")
_GONE_CITY = fact("home.city", "place", mode="remove")
_BORN = (fact("birthday", "date"), fact("birth_year", "year"), fact("birthplace", "place"))
_KIN = fact("family.{rel}.name", "name")
_KIN_CITY = fact("family.{rel}.city", "place")
_PET = fact("pets.{pet}.name", "name")
_TONGUE = fact("languages", "tongues", mode="append")
_LIKE = fact("likes", "liked", mode="append")
_DISLIKE = fact("dislikes", "liked", mode="append")
_ALLERGY = fact("health.allergies", "listed", mode="append")
_CHILDREN = fact("family.children.count", "count", "count")
_FAVOURITE = fact("favourites.{thing}", "taste")


def _both(name: str, pattern: str, people: Fact, pets: Fact, *, another: bool = False) -> tuple[Rule, Rule]:
    """Build a rule for people and the same one for animals; `<X>` stands for their nouns."""
    return (
        rule(f"family-{name}", pattern.replace("<X>", "<rel>"), people, another=another),
        rule(f"pets-{name}", pattern.replace("<X>", "<pet>"), pets, another=another),
    )


_SPANISH = (
    rule("es-name", r"(?:yo )?(?:me llamo|mi nombre(?: completo)? es) (?P<v>.+)", _NAMED),
    rule(
        "es-nickname",
        r"(?:puedes llamarme|puedes decirme|ll[áa]mame|dime) (?P<v>(?-i:[A-ZÁÉÍÓÚÑ]).+)",
        fact("nickname", "name"),
    ),
    rule(
        "es-home",
        r"(?:yo )?(?:(?:ahora )?(?:vivo|vivimos|resido|estoy viviendo)(?: ahora| actualmente)? en|(?:me he|nos "
        r"hemos) mudado a|me mud[ée] a|nos mudamos a|me acabo de mudar a) (?P<v>.+)",
        _CITY,
        _COUNTRY,
    ),
    rule("es-gone-home", r"ya no (?:vivo|vivimos) en (?P<v>.+)", _GONE_CITY),
    rule("es-gone-work", r"ya no trabajo (?:en|para) (?P<v>.+)", fact("work.employer", "org", mode="remove")),
    rule(
        "es-work",
        r"(?:yo )?(?:(?:ahora )?trabajo(?: ahora)?|he empezado a trabajar|empec[ée] a trabajar|empec[ée]) (?:en"
        r"|para) (?P<v>.+)",
        _EMPLOYER,
    ),
    rule("es-job", r"(?:yo )?(?:trabajo (?:de|como)) (?P<v>.+)", fact("work.job", "trade")),
    rule("es-job", r"(?:yo )?soy (?P<v>.+)", fact("work.job", "job")),
    rule("es-diet", r"(?:yo )?soy (?P<v>\w+)", fact("health.diet", "diet")),
    rule("es-origin", r"(?:yo )?soy (?P<v>\w+)", fact("nationality", "demonym")),
    rule("es-origin", r"(?:yo )?soy de (?P<v>.+)", fact("hometown", "place")),
    rule("es-age", r"(?:yo )?(?:tengo|he cumplido|acabo de cumplir) (?P<v>\d{1,3}) años(?: ya)?", fact("age", "age")),
    rule("es-birthday", r"mi cumpleaños es (?P<v>.+)", fact("birthday", "date")),
    rule("es-born", r"(?:yo )?nac[íi] (?:en|el) (?P<v>.+)", *_BORN),
    *_both("es", r"(?:mi|nuestr[oa]) <X> (?:se llama|es) (?P<v>(?-i:[A-ZÁÉÍÓÚÑ\ue000-\uf8ff]).*)", _KIN, _PET),
    *_both("es", r"(?:mi|nuestr[oa]) <X> se llama (?P<v>.+)", _KIN, _PET),
    *_both("es", r"(?:tengo|tenemos) una? <X> (?:(?:que )?se llama|llamad[oa]) (?P<v>.+)", _KIN, _PET, another=True),
    rule(
        "es-kin-city",
        r"mi <rel>(?: (?P<n>(?-i:[A-ZÁÉÍÓÚÑ])\w+))? vive en (?P<v>.+)",
        _KIN_CITY,
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "es-children",
        r"(?:tengo|tenemos) (?P<count>un|una|dos|tres|cuatro|cinco|\d) (?P<many>hij[oa]s|niños|perros|gatos"
        r"|herman[oa]s)",
        fact("{many}.count", "count", "count"),
    ),
    rule("es-allergy", r"(?:yo )?(?:soy al[ée]rgic[oa]|tengo alergia) a (?P<v>.+)", _ALLERGY),
    rule("es-dislike", r"(?:a mí )?(?:no me gustan?|odio|detesto) (?P<v>.+)", _DISLIKE),
    rule("es-like", r"(?:a mí )?(?:me gustan?|me encantan?|adoro)(?: mucho)? (?P<v>.+)", _LIKE),
    rule("es-favourite", r"mi (?P<thing>\w+) (?:favorit[oa]|preferid[oa]) es (?P<v>.+)", _FAVOURITE),
    rule("es-languages", r"(?:yo )?hablo (?P<v>.+)", _TONGUE),
    rule("es-email", r"mi (?:correo|email|e-mail)(?: electr[óo]nico)? es (?P<v>.+)", fact("email", "email")),
    rule(
        "es-phone",
        r"mi (?:n[úu]mero|tel[ée]fono|m[óo]vil|n[úu]mero de tel[ée]fono|celular)(?: nuevo)? es (?:el )?(?P<v>.+)",
        fact("phone", "phone"),
    ),
    rule("es-role", r"mi <role> (?:se llama|es) (?:el |la )?(?P<v>.+)", fact("{role}", "person")),
    rule("es-kin-age", r"mi <rel> tiene (?P<v>\d{1,3}) años", fact("family.{rel}.age", "age")),
    rule("es-item", r"mi <item> es (?P<v>.+)", fact("{item}", "model")),
)
_GERMAN = (
    rule("de-name", r"(?:ich heiße|ich heisse|mein (?:voller )?name ist) (?P<v>.+)", _NAMED),
    rule(
        "de-nickname",
        r"(?:du kannst mich (?P<w>.+) nennen|nenn(?:e)? mich (?:bitte )?(?P<v>.+))",
        fact("nickname", "name"),
        fact("nickname", "name", "w"),
    ),
    rule(
        "de-home",
        r"(?:ich (?:wohne|lebe)|wir (?:wohnen|leben))(?: jetzt| nun| inzwischen| momentan| aktuell| seit \w+(?: "
        r"\w+)?)* in (?P<v>.+)",
        _CITY,
        _COUNTRY,
    ),
    rule("de-home", r"(?:ich bin|wir sind)(?: \w+){0,3} nach (?P<v>.+?) (?:um)?gezogen", _CITY),
    rule("de-home", r"ich in (?P<v>.+) (?:wohne|lebe)", _CITY),
    rule("de-gone-home", r"(?:ich (?:wohne|lebe)|wir wohnen) nicht mehr in (?P<v>.+)", _GONE_CITY),
    rule("de-gone-work", r"ich arbeite nicht mehr (?:bei|für) (?P<v>.+)", fact("work.employer", "org", mode="remove")),
    rule("de-work", r"(?:ich arbeite|ich habe)(?: jetzt| seit \w+)* (?:bei|für) (?P<v>.+?)(?: angefangen)?", _EMPLOYER),
    rule("de-job", r"ich arbeite(?: jetzt)? als (?P<v>.+)", fact("work.job", "trade")),
    rule("de-age", r"ich bin(?: jetzt)? (?P<v>\d{1,3})(?: jahre alt)?", fact("age", "age")),
    rule("de-born", r"ich (?:bin|wurde) (?:am|in) (?P<v>.+?) geboren", *_BORN),
    rule("de-diet", r"ich (?:bin|esse|lebe)(?: jetzt)? (?P<v>\w+)", fact("health.diet", "diet")),
    rule("de-job", r"ich bin (?:eine? )?(?P<v>[\w-]+)(?: von beruf)?", fact("work.job", "job")),
    rule("de-origin", r"ich bin (?P<v>\w+)", fact("nationality", "demonym")),
    rule("de-origin", r"ich (?:komme|stamme|bin) (?:ursprünglich )?aus (?P<v>.+)", fact("hometown", "place")),
    rule(
        "de-birthday",
        r"(?:mein geburtstag ist|ich habe|mein geburtstag ist immer)(?: am)? (?P<v>.+?)(?: geburtstag)?",
        fact("birthday", "date"),
    ),
    *_both("de", r"(?:mein|meine|unser|unsere) <X> (?:heißt|heisst) (?P<v>.+)", _KIN, _PET),
    *_both("de", r"(?:mein|meine|unser|unsere) <X> (?P<v>.+) (?:heißt|heisst)", _KIN, _PET),
    *_both(
        "de",
        r"(?:ich habe|wir haben) eine?n? <X>,? (?:namens|(?:der|die|das|er|sie|es) (?:heißt|heisst)|die|der) "
        r"(?P<v>.+?)(?: heißt)?",
        _KIN,
        _PET,
        another=True,
    ),
    rule(
        "de-kin-city",
        r"meine? <rel>(?: (?P<n>(?-i:[A-ZÄÖÜ])\w+))? (?:wohnt|lebt) in (?P<v>.+)",
        _KIN_CITY,
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "de-children",
        r"(?:ich habe|wir haben) (?P<count>zwei|drei|vier|fünf|\d) (?P<many>kinder|hunde|katzen|brüder|schwestern"
        r"|söhne|töchter)",
        fact("{many}.count", "count", "count"),
    ),
    rule(
        "de-allergy",
        r"ich bin (?:sehr |stark )?allergisch (?:gegen|auf) (?P<v>.+)|ich habe eine (?P<w>\w+)allergie",
        _ALLERGY,
        fact("health.allergies", "listed", "w", "append"),
    ),
    rule(
        "de-dislike",
        r"ich (?:mag (?:kein|keine|keinen) (?P<v>.+)|hasse (?P<w>.+)|mag (?P<x>.+) (?:überhaupt |gar )?nicht)",
        _DISLIKE,
        fact("dislikes", "liked", "w", "append"),
        fact("dislikes", "liked", "x", "append"),
    ),
    rule("de-like", r"ich (?:mag|liebe)(?: sehr)? (?!.* nicht$)(?P<v>.+?)(?: sehr)?", _LIKE),
    rule("de-favourite", r"meine? (?P<thing>lieblings\w+) ist (?P<v>.+)", _FAVOURITE),
    rule("de-languages", r"ich spreche(?: fließend)? (?P<v>.+)", _TONGUE),
    rule("de-email", r"meine (?:e-?mail|mail|e-?mail-?adresse) (?:ist|lautet) (?P<v>.+)", fact("email", "email")),
    rule(
        "de-phone",
        r"meine (?:neue )?(?:telefonnummer|handynummer|nummer) (?:ist|lautet) (?P<v>.+)",
        fact("phone", "phone"),
    ),
    rule("de-role", r"(?:mein|meine) <role> (?:heißt|heisst|ist) (?P<v>.+)", fact("{role}", "person")),
    rule("de-role", r"(?:mein|meine) <role> (?P<v>.+) (?:heißt|heisst|ist)", fact("{role}", "person")),
    rule(
        "de-kin-age",
        r"(?:mein|meine) <rel> (?:ist|wird) (?P<v>\d{1,3})(?: jahre alt)?",
        fact("family.{rel}.age", "age"),
    ),
    rule("de-item", r"(?:mein|meine) <item> ist (?P<v>.+)", fact("{item}", "model")),
)
_FRENCH = (
    rule("fr-name", r"(?:je m'appelle|mon (?:nom|prénom)(?: complet)? est|mon nom c'est) (?P<v>.+)", _NAMED),
    rule(
        "fr-nickname",
        r"(?:appelle-moi|appelez-moi|tu peux m'appeler|vous pouvez m'appeler) (?P<v>.+)",
        fact("nickname", "name"),
    ),
    rule(
        "fr-home",
        r"(?:j'habite|je vis|nous habitons|on habite|nous vivons)(?: maintenant| actuellement)? (?:à|a|en|au) "
        r"(?P<v>.+)",
        _CITY,
        _COUNTRY,
    ),
    rule(
        "fr-home",
        r"(?:j'ai (?:récemment |bien )?(?:déménagé|emménagé)|nous avons déménagé|on a déménagé|je viens de "
        r"déménager|je me suis installée?) (?:à|a) (?P<v>.+)",
        _CITY,
        _COUNTRY,
    ),
    rule("fr-gone-home", r"(?:je n'habite plus|je ne vis plus) (?:à|a|en) (?P<v>.+)", _GONE_CITY),
    rule(
        "fr-gone-work", r"je ne travaille plus (?:chez|pour|à) (?P<v>.+)", fact("work.employer", "org", mode="remove")
    ),
    rule("fr-work", r"(?:je travaille(?: maintenant)?|j'ai commencé) (?:chez|pour) (?P<v>.+)", _EMPLOYER),
    rule("fr-job", r"(?:je travaille comme|je suis) (?P<v>.+)", fact("work.job", "job")),
    rule("fr-diet", r"je suis (?P<v>\w+)", fact("health.diet", "diet")),
    rule("fr-origin", r"je suis (?P<v>\w+)", fact("nationality", "demonym")),
    rule("fr-origin", r"(?:je viens|je suis originaire) de (?P<v>.+)", fact("hometown", "place")),
    rule("fr-age", r"j'ai (?P<v>\d{1,3}) ans(?: maintenant)?", fact("age", "age")),
    rule("fr-birthday", r"mon anniversaire(?:,)? (?:c'est|est|tombe) (?P<v>.+)", fact("birthday", "date")),
    rule("fr-born", r"je suis née? (?:le|à|en) (?P<v>.+)", *_BORN),
    *_both("fr", r"(?:mon|ma|notre) <X> s'appelle (?P<v>.+)", _KIN, _PET),
    *_both(
        "fr",
        r"(?:j'ai|nous avons|on a) une? <X> (?:qui s'appelle|nommée?|appelée?) (?P<v>.+)",
        _KIN,
        _PET,
        another=True,
    ),
    rule(
        "fr-kin-city",
        r"(?:mon|ma) <rel>(?: (?P<n>(?-i:[A-ZÀ-Þ])[\w-]+))? (?:habite|vit) (?:à|a|en) (?P<v>.+)",
        _KIN_CITY,
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "fr-children",
        r"(?:j'ai|nous avons) (?P<count>deux|trois|quatre|cinq|\d) (?P<many>enfants|filles|chiens|chats|frères"
        r"|soeurs|sœurs)",
        fact("{many}.count", "count", "count"),
    ),
    rule("fr-allergy", r"je suis (?:très )?allergique (?:aux|à la|à l'|au|à) ?(?P<v>.+)", _ALLERGY),
    rule("fr-dislike", r"(?:je n'aime pas|je déteste|j'ai horreur de)(?: du tout)? (?P<v>.+)", _DISLIKE),
    rule("fr-like", r"(?:j'aime|j'adore)(?: beaucoup| bien)? (?P<v>.+)", _LIKE),
    rule("fr-favourite", r"(?:mon|ma) (?P<thing>\w+) (?:préférée?|favorite?) (?:est|c'est) (?P<v>.+)", _FAVOURITE),
    rule("fr-languages", r"je parle(?: couramment)? (?P<v>.+)", _TONGUE),
    rule(
        "fr-email",
        r"mon (?:e-?mail|adresse (?:e-?mail|mail)|courriel|mail|adresse courriel) est (?P<v>.+)",
        fact("email", "email"),
    ),
    rule(
        "fr-phone",
        r"mon (?:nouveau )?(?:numéro(?: de téléphone| de portable)?|téléphone|portable) est (?:le )?(?P<v>.+)",
        fact("phone", "phone"),
    ),
    rule("fr-role", r"(?:mon|ma) <role> (?:s'appelle|est|c'est) (?:le |la )?(?P<v>.+)", fact("{role}", "person")),
    rule("fr-kin-age", r"(?:mon|ma) <rel> a (?P<v>\d{1,3}) ans", fact("family.{rel}.age", "age")),
    rule("fr-item", r"(?:mon|ma) <item> est (?P<v>.+)", fact("{item}", "model")),
)
_PORTUGUESE = (
    rule(
        "pt-name",
        r"(?:eu )?(?:(?:me )?chamo-me|me chamo|o meu nome(?: completo)? é|meu nome(?: completo)? é) (?P<v>.+)",
        _NAMED,
    ),
    rule(
        "pt-nickname",
        r"(?:podes |pode )?(?:chama-me|me chame(?: de)?|me chama(?: de)?|chame-me|tratar-me por|trata-me por|me "
        r"chamar de) (?P<v>.+)",
        fact("nickname", "name"),
    ),
    rule(
        "pt-home",
        r"(?:eu )?(?:moro|vivo|moramos|vivemos|resido)(?: agora| atualmente)? (?:em|no|na) (?P<v>.+)",
        _CITY,
        _COUNTRY,
    ),
    rule(
        "pt-home",
        r"(?:eu )?(?:mudei-me|me mudei|mudei|acabei de me mudar|mudámo-nos|nos mudamos) (?:para|pra|pro) (?:o |a "
        r")?(?P<v>.+)",
        _CITY,
        _COUNTRY,
    ),
    rule(
        "pt-gone-home",
        r"(?:eu )?já não (?:moro|vivo) (?:em|no|na) (?P<v>.+)|(?:eu )?não (?:moro|vivo) mais (?:em|no|na) (?P<w>.+)",
        _GONE_CITY,
        fact("home.city", "place", "w", "remove"),
    ),
    rule(
        "pt-gone-work",
        r"(?:eu )?(?:já não trabalho|não trabalho mais) (?:em|na|no|para a|para o) (?P<v>.+)",
        fact("work.employer", "org", mode="remove"),
    ),
    rule(
        "pt-work",
        r"(?:eu )?(?:trabalho(?: agora)?|comecei a trabalhar|comecei) (?:na|no|em|para a|para o) (?P<v>.+)",
        _EMPLOYER,
    ),
    rule("pt-job", r"(?:eu )?(?:trabalho como|sou) (?P<v>.+)", fact("work.job", "job")),
    rule("pt-diet", r"(?:eu )?sou (?P<v>\w+)", fact("health.diet", "diet")),
    rule("pt-origin", r"(?:eu )?sou (?P<v>\w+)", fact("nationality", "demonym")),
    rule("pt-origin", r"(?:eu )?(?:sou|venho) d[eoa] (?P<v>.+)", fact("hometown", "place")),
    rule("pt-age", r"(?:eu )?(?:tenho|fiz) (?P<v>\d{1,3}) anos", fact("age", "age")),
    rule(
        "pt-birthday",
        r"(?:o )?meu aniversário é (?P<v>.+)|(?:eu )?faço anos (?:a|em|no dia) (?P<w>.+)",
        fact("birthday", "date"),
        fact("birthday", "date", "w"),
    ),
    rule("pt-born", r"(?:eu )?nasci (?:em|no|a|no dia) (?P<v>.+)", *_BORN),
    *_both("pt", r"(?:o |a )?(?:meu|minha|nosso|nossa) <X> (?:se chama|chama-se) (?P<v>.+)", _KIN, _PET),
    *_both(
        "pt",
        r"(?:eu )?(?:tenho|temos) uma? <X> (?:(?:que )?se chama|chamad[oa]|que chama-se) (?P<v>.+)",
        _KIN,
        _PET,
        another=True,
    ),
    rule(
        "pt-kin-city",
        r"(?:o |a )?(?:meu|minha) <rel>(?: (?P<n>(?-i:[A-ZÀ-Þ])\w+))? (?:mora|vive) (?:em|no|na) (?P<v>.+)",
        _KIN_CITY,
        fact("family.{rel}.name", "name", "n"),
    ),
    rule(
        "pt-children",
        r"(?:eu )?(?:tenho|temos) (?P<count>dois|duas|três|quatro|cinco|\d) (?P<many>filh[oa]s|cães|cachorros|gatos"
        r"|irmãos|irmãs|netos)",
        fact("{many}.count", "count", "count"),
    ),
    rule("pt-allergy", r"(?:eu )?(?:sou al[ée]rgic[oa]|tenho alergia) (?:a|ao|à|aos|às) (?P<v>.+)", _ALLERGY),
    rule("pt-dislike", r"(?:eu )?(?:não gosto d(?:e|o|a|os|as)|odeio|detesto) (?P<v>.+)", _DISLIKE),
    rule("pt-like", r"(?:eu )?(?:gosto(?: muito)? d(?:e|o|a|os|as)|adoro|amo) (?P<v>.+)", _LIKE),
    rule(
        "pt-favourite",
        r"(?:o |a )?(?:meu|minha) (?P<thing>\w+) (?:favorit[oa]|preferid[oa]|predilet[oa]) é (?P<v>.+)",
        _FAVOURITE,
    ),
    rule("pt-languages", r"(?:eu )?falo (?P<v>.+)", _TONGUE),
    rule("pt-email", r"(?:o )?meu (?:e-?mail|correio eletrónico) é (?P<v>.+)", fact("email", "email")),
    rule(
        "pt-phone",
        r"(?:o )?meu (?:número(?: de telefone| de telemóvel)?|telefone|telemóvel|celular)(?: novo)? é (?:o )?(?P<v>.+)",
        fact("phone", "phone"),
    ),
    rule(
        "pt-role",
        r"(?:o |a )?(?:meu|minha) <role> (?:se chama|chama-se|é) (?:o |a )?(?P<v>.+)",
        fact("{role}", "person"),
    ),
    rule("pt-kin-age", r"(?:o |a )?(?:meu|minha) <rel> tem (?P<v>\d{1,3}) anos", fact("family.{rel}.age", "age")),
    rule("pt-item", r"(?:o |a )?(?:meu|minha) <item> é (?P<v>.+)", fact("{item}", "model")),
)
TONGUES: tuple[Rule, ...] = (*_SPANISH, *_GERMAN, *_FRENCH, *_PORTUGUESE)
"""The rules of the other languages, in the order in which they are tried."""
