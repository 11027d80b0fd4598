"""The nouns and closed word classes by which statements are recognised, in five languages."""

from __future__ import annotations

import re

from nola.text import fold

__all__ = [
    "ADJECTIVES",
    "CAR_MAKES",
    "CONDITIONS",
    "COUNTRIES",
    "DEMONYMS",
    "DIETS",
    "FUNCTION_WORDS",
    "ITEMS",
    "JOBS",
    "MONTHS",
    "NOT_JOBS",
    "NOT_PLACES",
    "NUMBERS",
    "PETS",
    "PLURALS",
    "RELATIONS",
    "ROLES",
    "THINGS",
    "WORKPLACES",
    "canonical",
    "joined",
    "lookup",
]


def _table(text: str) -> dict[str, str]:
    """Read lines `canonical: word word two_words` into a table from each folded word to its canonical one."""
    table: dict[str, str] = {}
    for line in text.strip().splitlines():
        key, _, rest = line.strip().partition(":")
        for word in (key, *rest.split()):
            table[fold(word.replace("_", " "))] = key
    return table


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(word.replace("_", " ")) for word in text.split())


RELATIONS = _table("""
mother: mum mom mama mummy mommy madre mamá mutter mère maman mãe
father: dad papa daddy padre papá vater père pai
sister: sis hermana schwester soeur sœur irmã
brother: bro hermano bruder frère irmão
wife: frau mujer esposa ehefrau femme épouse mulher
husband: hubby marido esposo ehemann mari époux
spouse:
partner: pareja partnerin compagnon compagne companheiro companheira parceiro parceira
girlfriend: novia freundin copine namorada
boyfriend: novio copain namorado
fiance: fiancé
fiancee: fiancée
son: hijo sohn fils filho
daughter: hija tochter fille filha
child: kid
baby: bebé bebê bébé
grandmother: grandma granny nan abuela oma großmutter grand-mère avó
grandfather: grandpa grandad abuelo opa großvater grand-père avô
grandson: nieto enkel petit-fils neto
granddaughter: nieta enkelin petite-fille neta
aunt: auntie tía tante tia
uncle: tío onkel oncle tio
cousin: primo prima cousine
nephew: sobrino neffe neveu sobrinho
niece: sobrina nichte nièce sobrinha
mother-in-law: mother_in_law mum_in_law suegra schwiegermutter belle-mère sogra
father-in-law: father_in_law suegro schwiegervater beau-père sogro
sister-in-law: sister_in_law cuñada schwägerin belle-sœur cunhada
brother-in-law: brother_in_law cuñado schwager beau-frère cunhado
stepmother: stepmum stepmom
stepfather: stepdad
stepson:
stepdaughter:
stepsister:
stepbrother:
goddaughter:
godson:
godmother:
godfather:
parents: eltern pais padres
grandparents: großeltern avós abuelos
in-laws: in_laws
twin: twin_sister twin_brother
""")

PETS = _table("""
dog: puppy doggo pup perro perra hund hündin chien chienne cachorro cachorra cão cadela
cat: kitten kitty gato gata katze kater chat chatte
parrot: budgie loro papagei perroquet papagaio
bird: canary pájaro vogel oiseau pássaro
rabbit: bunny conejo kaninchen lapin coelho
hamster: hámster
guinea_pig: guinea_pig meerschweinchen
horse: pony mare caballo pferd cheval cavalo
fish: goldfish pez fisch poisson peixe
turtle: tortuga schildkröte tortue tartaruga
tortoise:
snake:
lizard: gecko iguana
ferret:
rat:
hedgehog:
goat:
chicken: hen
bearded_dragon: bearded_dragon
""")

PLURALS = _table("""
children: kids hijos kinder enfants filhos niños
sisters: hermanas schwestern soeurs irmãs
brothers: hermanos brüder frères irmãos
siblings: geschwister
sons:
daughters: hijas töchter filles filhas
grandchildren: grandkids nietos enkelkinder petits-enfants netos
dogs: perros hunde chiens cachorros cães
cats: gatos katzen chats
rabbits: bunnies
parrots:
horses:
birds:
chickens: hens
pets:
twins:
""")

ROLES = _table("""
doctor: gp family_doctor médico médica arzt ärztin hausarzt hausärztin médecin docteur
dentist: dentista zahnarzt zahnärztin dentiste
vet: veterinarian veterinario veterinaria tierarzt tierärztin vétérinaire veterinário veterinária
therapist: psychologist psychiatrist counsellor counselor
hairdresser: barber peluquero peluquera friseur friseurin coiffeur coiffeuse cabeleireiro cabeleireira
lawyer: solicitor attorney
accountant: tax_advisor
landlord: casero vermieter propriétaire senhorio
landlady:
neighbour: neighbor next-door_neighbour
boss: jefe jefa chef chefin patron chefe
manager: line_manager
supervisor:
mentor:
teacher: piano_teacher
tutor:
coach:
trainer: personal_trainer
mechanic:
plumber:
electrician:
gardener:
cleaner:
babysitter:
nanny:
optician: optometrist
physiotherapist: physio
cardiologist:
dermatologist:
gynaecologist: gynecologist
paediatrician: pediatrician
orthodontist:
surgeon:
midwife:
roommate: room_mate
flatmate:
housemate:
best_friend: mejor_amigo mejor_amiga bester_freund beste_freundin meilleur_ami meilleure_amie melhor_amigo
best_friend: melhor_amiga
emergency_contact: emergency_contact
assistant:
agent:
""")

ITEMS = _table("""
car: coche auto voiture carro
bike: bicycle bicicleta fahrrad vélo
motorbike: motorcycle scooter
van: truck
boat:
phone: mobile_phone smartphone móvil handy telemóvel celular
laptop: notebook
computer: pc desktop
tablet:
camera:
watch: smartwatch
printer:
guitar:
piano:
""")

THINGS = _table("""
colour: color cor farbe couleur lieblingsfarbe
food: comida essen lieblingsessen
dish: plato gericht plat prato lieblingsgericht
book: libro buch livre livro lieblingsbuch
film: movie película lieblingsfilm filme
song: canción lied chanson canção lieblingslied música
band: banda lieblingsband
drink: bebida getränk boisson lieblingsgetränk
sport: deporte desporto esporte lieblingssport
animal: tier lieblingstier
author: autor lieblingsautor auteur
team: equipo mannschaft équipe time equipa
season: estación jahreszeit saison estação
""")

MONTHS = _words("""january february march april may june july august september october november december jan feb mar
apr jun jul aug sep sept oct nov dec enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
diciembre januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre
octobre novembre décembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro""")

NUMBERS = {
    word: value
    for words, value in (
        ("a an one un una uno eine einen ein une um uma", 1),
        ("two dos zwei deux dois duas", 2),
        ("three tres drei trois três", 3),
        ("four cuatro vier quatre quatro", 4),
        ("five cinco fünf cinq", 5),
        ("six seis sechs", 6),
        ("seven siete sieben sept sete", 7),
        ("eight ocho acht huit oito", 8),
        ("nine nueve neun neuf nove", 9),
        ("ten diez zehn dix dez", 10),
    )
    for word in words.split()
}

DIETS = _words("""vegetarian vegan pescatarian pescetarian flexitarian keto kosher halal gluten-free gluten_free
dairy-free dairy_free vegetariano vegetariana vegano vegana vegetarier vegetarierin veganer veganerin vegetarisch
végétarien végétarienne végane vegane pescetariano pescetariana""")

CONDITIONS = _words("""diabetes asthma epilepsy hypertension migraine migraines arthritis eczema psoriasis celiac
coeliac anaemia anemia adhd autism depression anxiety insomnia hypothyroidism hyperthyroidism endometriosis ibs gerd
osteoporosis high_blood_pressure low_blood_pressure coeliac_disease celiac_disease type_1_diabetes type_2_diabetes
hay_fever tinnitus sleep_apnea sleep_apnoea parkinson's crohn's lupus fibromyalgia glaucoma hemophilia scoliosis
bipolar_disorder a_pacemaker""")

CAR_MAKES = _words("""alfa audi bmw byd chevrolet chevy chrysler citroën citroen cupra dacia dodge fiat ford honda
hyundai infiniti jaguar jeep kia lancia lexus mazda mercedes mg mini mitsubishi nissan opel peugeot polestar porsche
renault rover saab seat skoda škoda smart subaru suzuki tesla toyota vauxhall volkswagen volvo vw golf corolla civic
prius clio""")

DEMONYMS = _words("""american argentinian argentine australian austrian belgian brazilian british bulgarian canadian
chilean chinese colombian croatian cuban czech danish dutch egyptian english estonian ethiopian filipino finnish
french german ghanaian greek hungarian icelandic indian indonesian iranian iraqi irish israeli italian japanese kenyan
korean latvian lebanese lithuanian malaysian mexican moroccan nigerian norwegian pakistani peruvian polish portuguese
romanian russian scottish serbian slovak slovenian south_african spanish swedish swiss syrian thai tunisian turkish
ukrainian vietnamese welsh bengali hindi urdu arabic hebrew persian farsi mandarin cantonese catalan basque galician
swahili tamil punjabi esperanto latin español española inglés francés alemán portugués italiano italiana englisch
deutsch französisch spanisch italienisch portugiesisch deutscher deutsche anglais allemand espagnol portugais italien
français française inglês francês alemão espanhol português portuguesa brasileiro brasileira mexicano mexicana
sign_language""")

COUNTRIES = _words("""argentina australia austria belgium brazil bulgaria canada chile china colombia croatia cuba
denmark egypt england estonia finland france germany ghana greece hungary iceland india indonesia iran ireland israel
italy japan kenya latvia lithuania malaysia mexico morocco netherlands norway pakistan peru philippines poland
portugal romania russia scotland serbia slovakia slovenia spain sweden switzerland thailand tunisia turkey uk ukraine
usa us uruguay venezuela vietnam wales brasil españa deutschland österreich schweiz frankreich spanien italien suisse
allemagne espagne italie méxico alemania francia alemanha frança espanha itália new_zealand south_africa south_korea
united_kingdom united_states czech_republic the_netherlands the_uk the_us the_usa the_philippines""")

JOBS = _words("""nurse chef cook pilot clerk vet judge midwife nanny coach surgeon barista paramedic mechanic
architect accountant consultant assistant analyst pharmacist scientist dentist artist student lawyer plumber carpenter
guard cop model mathematician physician technician musician electrician librarian politician priest nun monk rabbi
imam diplomat postman fireman fisherman policeman policewoman salesman saleswoman housewife intern apprentice tailor
florist baker butcher waiter waitress actress host hostess stewardess receptionist cashier attorney sergeant soldier
captain sailor academic freelancer ceo cto cfo developer blacksmith locksmith translator poet novelist dj founder
entrepreneur enfermera enfermero médica médico profesora profesor maestra maestro abogada abogado ingeniera ingeniero
cocinera cocinero estudiante periodista arquitecta arquitecto camarera camarero programadora programador
krankenschwester krankenpfleger pfleger lehrer lehrerin arzt ärztin anwalt anwältin ingenieur ingenieurin koch köchin
verkäufer verkäuferin studentin programmierer programmiererin infirmière infirmier professeur médecin avocat avocate
ingénieur ingénieure cuisinier cuisinière étudiante étudiant enseignante enseignant boulanger boulangère comptable
développeur enfermeira enfermeiro professora advogada advogado engenheira engenheiro cozinheira cozinheiro estudante
jornalista""")

WORKPLACES = _words("""bank hospital clinic school university college company startup start-up firm agency studio
restaurant cafe coffee_shop bar hotel shop store supermarket bakery pharmacy library museum factory farm lab
laboratory office kindergarten nursery garage warehouse bookstore bookshop salon gym theatre theater church council
ministry charity ngo newspaper magazine publisher brewery winery vineyard zoo airport station consultancy practice
co-op cooperative police army navy government embassy court department institute foundation plant mill mine port
shipyard dealership market workshop boutique kitchen hospice orchestra empresa tienda escuela colegio banco clinica
universidad restaurante firma schule klinik krankenhaus praxis universitat entreprise ecole banque hopital usine
escola loja clinica fabrica""")

NOT_JOBS = _words("""beginner lover loner believer smoker drinker sleeper learner stranger mother father brother
sister winner loser sinner newcomer member customer user owner reader liar riser gamer thinker listener speaker cancer
survivor visitor minor senior junior pessimist optimist perfectionist feminist minimalist tourist realist pedestrian
vegetarian monster computer number fighter hater eater starter keeper teenager foreigner outsider other another player
human man woman german roman batman superman caveman gentleman layman atheist cyclist motorist nudist activist
buddhist marxist fatalist masochist immigrant giant infant elephant participant descendant ancestor debtor commuter
renter homeowner runner swimmer hiker camper climber skier surfer dreamer overthinker underachiever overachiever
helper boomer zoomer toddler youngster elder hugger doer giver taker texter spender saver shopper watcher complainer
whiner crier talker pushover figure matter character singleton chatterbox grandmother grandfather daughter quitter
traitor sucker racist idealist christian communist socialist capitalist libertarian donor partner caregiver-to-be
leader cheater walker follower holder bachelor widower widow stickler procrastinator early_riser bit_older master
disaster bother extremist egoist narcissist purist veggie over under better bigger rather ever never humanitarian
centenarian guardian hoarder daydreamer worrier people-pleaser homebody introvert extrovert first-timer late_sleeper
heavy_sleeper light_sleeper native_speaker supporter registrar subscriber passenger prisoner citizen sceptic skeptic
hunter-gatherer fast_learner visual_learner slow_learner quick_learner slow_reader fast_reader amateur tester""")

FUNCTION_WORDS = _words("""a an the this that these those it its he she they them him her his hers their theirs i me
my mine you your yours we us our ours who whom whose what which when where why how not no never none nothing something
anything everything someone anyone everyone nobody is am are was were be been being do does did have has had will
would shall should can could may might must of to in on at by for with from about into over under after before between
and or but so if then than as because until while very too quite rather really just only also even still already yet
ever again here there now soon later today tomorrow tonight yesterday all both some any more most less least same such
own one ones other another both neither either each every whatever whenever wherever however whoever maybe perhaps
probably que no como cuando donde el la los las un una de del muy más lo le les des du est sont pas très ce cette das
der die den dem ein eine nicht sehr ist sind o os as um uma do da não muito é são""")

ADJECTIVES = _words("""important hard difficult easy long short weird strange common rare spelled misspelled
pronounced irrelevant secret private unknown wrong right correct unusual funny boring nice beautiful missing sick ill
hungry thirsty tired sad happy angry old young new big small fat thin dead alive lost late early crazy lazy stupid
silly dumb smart clever great good bad better worse best worst fine ok okay cute sweet lovely adorable amazing awesome
terrible horrible awful broken slow fast ready busy free open closed full empty hot cold warm dirty clean noisy loud
quiet afraid scared worried upset mad pregnant asleep awake alone away back home out off down up barking sleeping
running ringing dying growing coming going working crying moving visiting waiting getting being making doing eating
feeling looking trying having taking changing annoying driving old-fashioned sceptical skeptical cynical biased naive
paranoid picky spoiled stubborn impossible possible available unavailable offline online public pending blank optional
mandatory valid invalid expensive cheap red blue green yellow black white brown grey gray pink purple orange names
anything whatever anytime asap collect dramatic forgetful ridiculous outdated default required taken stolen different
similar famous""")

NOT_PLACES = _words("""fear peace hope pain denial poverty hell heaven paradise town harmony sin luxury comfort exile
silence misery limbo chaos isolation dorms bed pieces shock trouble love reality squalor linux windows mac macos
ubuntu debian python rust java javascript vim emacs android ios firefox chrome git github slack teams excel monday
tuesday wednesday thursday friday saturday sunday marketing engineering product sales finance hr management plan step
chapter level page part section version option number question room desk row column line seat bed sleep vegan keto
tears therapy retirement solar postgres postgresql mysql kubernetes docker aws azure spotify netflix obsidian notion
vscode trash bin folder archive spam inbox drafts downloads strike cash tea decaf""")


_TABLES = (RELATIONS, PETS, ROLES, ITEMS, THINGS, PLURALS)
_COMPOUND = re.compile(
    r"\b(?:my|our|an?|mi|mon|ma|une?|uma?|mein|meine|eine?n?|meu|minha) (?:new |old )?("
    + "|".join(sorted({word.replace(" ", "[ -]") for table in _TABLES for word in table if " " in word}))
    + r")\b",
    re.IGNORECASE,
)


def _hyphenate(found: re.Match[str]) -> str:
    return found.group()[: found.start(1) - found.start()] + found[1].replace(" ", "-")


def joined(text: str) -> str:
    """Hyphenate the nouns of two words, so that each noun is one word: `my guinea-pig`."""
    return _COMPOUND.sub(_hyphenate, text)


def lookup(noun: str, table: dict[str, str]) -> str | None:
    """Return the key of a noun in a table, `sister` for `hermana`; None when it is not there."""
    plain = fold(noun).replace("_", " ")
    for form in (plain, plain.replace("-", " "), plain.removesuffix("s")):
        if form in table:
            return table[form].replace("-", "_").replace(" ", "_")
    return None


def canonical(noun: str) -> str:
    """Return the key under which a noun is kept, for example `sister` for `hermana`; itself when unknown."""
    plain = fold(noun).replace("_", " ")
    for table in _TABLES:
        if plain in table:
            return table[plain].replace("-", "_").replace(" ", "_")
    return plain.replace("-", "_").replace(" ", "_")
