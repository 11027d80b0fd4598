"""The keys by which owners may already keep a fact in their own file, and where such keys stand."""

from __future__ import annotations

import re

__all__ = ["ABOUT", "ATTRIBUTES", "DOMAINS", "KIND_KEYS", "ROLES_IN", "SYNONYMS"]

ABOUT = frozenset(
    "personal profile basics basic me about about_me general identity who info details contact contacts "
    "personal_info bio person user".split()
)
DOMAINS: dict[str, frozenset[str]] = {
    "family": frozenset(
        "family relatives people siblings parents relationships household people_i_know loved_ones".split()
    ),
    "pets": frozenset("pets animals household family".split()),
    "likes": frozenset("tastes preferences food".split()),
    "dislikes": frozenset("tastes preferences food".split()),
    "preferences": frozenset("tastes".split()),
    "favourites": frozenset("tastes preferences food likes favourites favorites".split()),
    "health": frozenset("health medical food health_summary diet".split()),
    "work": frozenset("work job career employment".split()),
    "home": frozenset("home housing".split()),
    "studies": frozenset("studies education".split()),
    "car": frozenset("vehicles transport possessions".split()),
    "devices": frozenset("devices possessions".split()),
    "hobbies": frozenset("tastes free_time leisure".split()),
}
ROLES_IN = frozenset("health medical people services work home contacts".split())
KIND_KEYS = ("relation", "relationship", "species", "kind", "type", "role", "animal")

_SYNONYMS = """
name: name full_name my_name preferred_name first_name given_name forename
last_name: last_name surname surnames family_name
nickname: nickname nick goes_by preferred_name called call_me known_as short_name alias
age: age years_old my_age
birthday: birthday birth_date date_of_birth dob born born.date born.on bday birth.date born_on
birth_year: birth_year year_of_birth born.year born_in
birthplace: birthplace place_of_birth born.place born.in birth.place birth_city
hometown: hometown home_town from origin grew_up_in comes_from
nationality: nationality citizenship
languages: languages languages_spoken speaks spoken_languages
home.city: home.city city town address.city residence.city location.city home.town address.town living.city
    current_city home_city city_of_residence lives_in living_in where_i_live residence location
    home.location based_in home lives residences addresses house.city apartment.city flat.city
    house.town place_of_residence
home.country: home.country country address.country residence.country location.country country_of_residence
home.address: home.address address home_address street home.street apartment.street address.street street_address
    house.address flat.address residence.address
work.employer: work.employer employer company work.company job.company job.employer workplace works_at work_at
    work.place career.employer work.organisation work.at work.works_at current_employer firm work.firm
work.job: work.job job occupation profession job_title work.title work.role work.position job.title
    work.occupation work.profession job.role position works_as career work.job_title job.position
    work.as work
work.office: work.office office work.address office.address work.location office_address job.office
    work.office_address office.location workplace.address
work.field: work.field field industry work.industry sector
work.status: work.status employment_status employment
work.boss: work.boss boss job.boss work.manager manager job.manager
studies.subject: studies.subject studies subject major education.subject degree field_of_study education.major
studies.school: studies.school school university college education.school education.university studies.university
phone: phone mobile phone_number telephone cell cellphone mobile_number cell_phone contact.mobile tel
    number mobile_phone
email: email e_mail mail email_address contact.mail
health.allergies: health.allergies allergies allergic_to allergy health.allergic_to food_allergies allergens
health.intolerances: health.intolerances intolerances intolerance intolerant_to
health.conditions: health.conditions conditions illnesses diagnoses medical_conditions chronic_conditions
health.medications: health.medications medications medication medicines meds drugs prescriptions
health.avoids: health.avoids avoids does_not_eat doesnt_eat never_eats not_eaten
health.diet: health.diet diet dietary_preference diet.type eating food.diet dietary eats
health.blood_type: health.blood_type blood_type blood_group blood
likes: likes loves enjoys things_i_like favourite_things tastes.likes preferences.likes
dislikes: dislikes hates dislikes_list cannot_stand can_t_stand cannot_bear does_not_like things_i_hate
hobbies: hobbies hobby interests pastimes
preferences: preferences prefers
marital_status: marital_status relationship_status civil_status family.marital_status
notes: notes note remember misc
car: car.model car vehicle.model vehicle car.make cars vehicle.car
spouse: spouse wife husband partner
"""
_ATTRIBUTES = """
name: name called first_name full_name
city: city lives_in lives town home location residence where
job: job occupation profession work works_as
employer: employer works_at company workplace
birthday: birthday bday birth_date date_of_birth dob born
phone: phone mobile number phone_number
email: email e_mail mail
allergies: allergies allergic_to allergy
breed: breed race
likes: likes loves
dislikes: dislikes hates
"""
_ENTRY = re.compile(r"^([\w.]+): ((?:.+\n|    .+\n)*?)(?=[\w.]+: |\Z)", re.MULTILINE)

SYNONYMS: dict[str, tuple[str, ...]] = {entry[1]: tuple(entry[2].split()) for entry in _ENTRY.finditer(_SYNONYMS)}
"""For each documented path the keys that mean the same, the likeliest first."""
ATTRIBUTES: dict[str, tuple[str, ...]] = {entry[1]: tuple(entry[2].split()) for entry in _ENTRY.finditer(_ATTRIBUTES)}
"""The same for the attributes of a person or an animal."""
