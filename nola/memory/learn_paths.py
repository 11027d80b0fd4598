"""Find the path where a fact belongs: the one that the owner's file already has for it, else the documented one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.memory.learn_words import PETS, PLURALS, RELATIONS, ROLES, canonical
from nola.text import fold, humanise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nola.types import Json

__all__ = ["Spot", "find", "find_in_list", "item_for", "same"]

_ABOUT = frozenset(
    "personal profile basics basic me about about_me general identity who info details contact contacts "
    "personal_info bio person user".split()
)
_DOMAINS: dict[str, frozenset[str]] = {
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
_ROLES_IN = frozenset("health medical people services work home contacts".split())
_KIND_KEYS = ("relation", "relationship", "species", "kind", "type", "role", "animal")
_DEPTH = 8
_ENTITY_STEPS = 3
_ROLE_KEYS = frozenset(canonical(noun) for noun in ROLES)

_SYNONYMS: dict[str, tuple[str, ...]] = {
    "name": ("name", "full_name", "my_name", "preferred_name", "first_name", "given_name", "forename"),
    "last_name": ("last_name", "surname", "surnames", "family_name"),
    "nickname": (
        "nickname",
        "nick",
        "goes_by",
        "preferred_name",
        "called",
        "call_me",
        "known_as",
        "short_name",
        "alias",
    ),
    "age": ("age", "years_old", "my_age"),
    "birthday": (
        "birthday",
        "birth_date",
        "date_of_birth",
        "dob",
        "born",
        "born.date",
        "born.on",
        "bday",
        "birth.date",
        "born_on",
    ),
    "birth_year": ("birth_year", "year_of_birth", "born.year", "born_in"),
    "birthplace": ("birthplace", "place_of_birth", "born.place", "born.in", "birth.place", "birth_city"),
    "hometown": ("hometown", "home_town", "from", "origin", "grew_up_in", "comes_from"),
    "nationality": ("nationality", "citizenship"),
    "languages": ("languages", "languages_spoken", "speaks", "spoken_languages"),
    "home.city": (
        "home.city",
        "city",
        "town",
        "address.city",
        "residence.city",
        "location.city",
        "home.town",
        "address.town",
        "living.city",
        "current_city",
        "home_city",
        "city_of_residence",
        "lives_in",
        "living_in",
        "where_i_live",
        "residence",
        "location",
        "home.location",
        "based_in",
        "home",
        "lives",
        "residences",
        "addresses",
        "house.city",
        "apartment.city",
        "flat.city",
        "house.town",
        "place_of_residence",
    ),
    "home.country": (
        "home.country",
        "country",
        "address.country",
        "residence.country",
        "location.country",
        "country_of_residence",
    ),
    "home.address": (
        "home.address",
        "address",
        "home_address",
        "street",
        "home.street",
        "apartment.street",
        "address.street",
        "street_address",
        "house.address",
        "flat.address",
        "residence.address",
    ),
    "work.employer": (
        "work.employer",
        "employer",
        "company",
        "work.company",
        "job.company",
        "job.employer",
        "workplace",
        "works_at",
        "work_at",
        "work.place",
        "career.employer",
        "work.organisation",
        "work.at",
        "work.works_at",
        "current_employer",
        "firm",
        "work.firm",
    ),
    "work.job": (
        "work.job",
        "job",
        "occupation",
        "profession",
        "job_title",
        "work.title",
        "work.role",
        "work.position",
        "job.title",
        "work.occupation",
        "work.profession",
        "job.role",
        "position",
        "works_as",
        "career",
        "work.job_title",
        "job.position",
        "work.as",
        "work",
    ),
    "work.office": (
        "work.office",
        "office",
        "work.address",
        "office.address",
        "work.location",
        "office_address",
        "job.office",
        "work.office_address",
        "office.location",
        "workplace.address",
    ),
    "work.field": ("work.field", "field", "industry", "work.industry", "sector"),
    "work.status": ("work.status", "employment_status", "employment"),
    "work.boss": ("work.boss", "boss", "job.boss", "work.manager", "manager", "job.manager"),
    "studies.subject": (
        "studies.subject",
        "studies",
        "subject",
        "major",
        "education.subject",
        "degree",
        "field_of_study",
        "education.major",
    ),
    "studies.school": (
        "studies.school",
        "school",
        "university",
        "college",
        "education.school",
        "education.university",
        "studies.university",
    ),
    "phone": (
        "phone",
        "mobile",
        "phone_number",
        "telephone",
        "cell",
        "cellphone",
        "mobile_number",
        "cell_phone",
        "contact.mobile",
        "tel",
        "number",
        "mobile_phone",
    ),
    "email": ("email", "e_mail", "mail", "email_address", "contact.mail"),
    "health.allergies": (
        "health.allergies",
        "allergies",
        "allergic_to",
        "allergy",
        "health.allergic_to",
        "food_allergies",
        "allergens",
    ),
    "health.intolerances": ("health.intolerances", "intolerances", "intolerance", "intolerant_to"),
    "health.conditions": (
        "health.conditions",
        "conditions",
        "illnesses",
        "diagnoses",
        "medical_conditions",
        "chronic_conditions",
    ),
    "health.medications": (
        "health.medications",
        "medications",
        "medication",
        "medicines",
        "meds",
        "drugs",
        "prescriptions",
    ),
    "health.avoids": ("health.avoids", "avoids", "does_not_eat", "doesnt_eat", "never_eats", "not_eaten"),
    "health.diet": ("health.diet", "diet", "dietary_preference", "diet.type", "eating", "food.diet", "dietary", "eats"),
    "health.blood_type": ("health.blood_type", "blood_type", "blood_group", "blood"),
    "likes": ("likes", "loves", "enjoys", "things_i_like", "favourite_things", "tastes.likes", "preferences.likes"),
    "dislikes": (
        "dislikes",
        "hates",
        "dislikes_list",
        "cannot_stand",
        "can_t_stand",
        "cannot_bear",
        "does_not_like",
        "things_i_hate",
    ),
    "hobbies": ("hobbies", "hobby", "interests", "pastimes"),
    "preferences": ("preferences", "prefers"),
    "marital_status": ("marital_status", "relationship_status", "civil_status", "family.marital_status"),
    "notes": ("notes", "note", "remember", "misc"),
    "car": ("car.model", "car", "vehicle.model", "vehicle", "car.make", "cars", "vehicle.car"),
    "spouse": ("spouse", "wife", "husband", "partner"),
}
_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "name": ("name", "called", "first_name", "full_name"),
    "city": ("city", "lives_in", "lives", "town", "home", "location", "residence", "where"),
    "job": ("job", "occupation", "profession", "work", "works_as"),
    "employer": ("employer", "works_at", "company", "workplace"),
    "birthday": ("birthday", "bday", "birth_date", "date_of_birth", "dob", "born"),
    "phone": ("phone", "mobile", "number", "phone_number"),
    "email": ("email", "e_mail", "mail"),
    "allergies": ("allergies", "allergic_to", "allergy"),
    "breed": ("breed", "race"),
    "likes": ("likes", "loves"),
    "dislikes": ("dislikes", "hates"),
}


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the owner's data: its steps, and what stands there now."""

    keys: tuple[str, ...]
    value: Json = None
    present: bool = False


def find(known: Mapping[str, Json], path: str, *, name: str = "", another: bool = False) -> Spot | None:
    """Find where a fact belongs.

    Args:
        known: The owner's data as plain nested JSON.
        path: Its documented path below the owner, for example `home.city` or `pets.dog.name`.
        name: The person's or animal's own name when the statement says it; picks the right one of several.
        another: The statement introduces one more ("I have a cat called"), so that a known namesake is left alone.

    Returns:
        The path already in use for it, else the documented one; None when there is no unambiguous or free place.
    """
    steps = tuple(path.split("."))
    if steps[0] in {"family", "pets"} and len(steps) == 3:
        return _find_entity(known, steps, name, another=another)
    if steps[0] == "favourites":
        return _find_favourite(known, steps)
    group = _SYNONYMS.get(path, (path, steps[-1]))
    around = _ABOUT | _DOMAINS.get(steps[0], _ROLES_IN if steps[0] in _ROLE_KEYS else frozenset())
    nodes = list(_walk(known))
    for wanted in group:
        for norm, keys, value in nodes:
            if _matches(norm, tuple(wanted.split(".")), around) and not isinstance(value, dict):
                return Spot(keys, value, present=True)
    for norm, keys, value in nodes:
        key = _attribute(value, "name")[0] if isinstance(value, dict) and len(steps) == 1 else ""
        if isinstance(value, dict) and key in value and _matches(norm, steps, around):
            return Spot((*keys, key), value[key], present=True)
    return _free_spot(known, steps)


def find_in_list(spot: Spot, item: str) -> Spot | None:
    """Return the place of an item in the list at a spot; None when it is not in it."""
    if isinstance(spot.value, list):
        for index, value in enumerate(spot.value):
            if same(value, item):
                return Spot((*spot.keys, str(index)), value, present=True)
    return None


def item_for(spot: Spot, path: str, value: Json) -> Json:
    """Shape a value as one more item of the list at a spot, as its other items are.

    Args:
        spot: A place that holds a list.
        path: The documented path of the fact, whose last step names the attribute.
        value: What the statement says.

    Returns:
        The value itself for a list of plain values, an object for a list of objects; None when it has no such shape.
    """
    items = spot.value if isinstance(spot.value, list) else []
    if not any(isinstance(item, dict) for item in items):
        return value
    steps = path.split(".")
    keys = {key for item in items if isinstance(item, dict) for key in item}
    attribute = next((key for key in _ATTRIBUTES.get(steps[-1], (steps[-1],)) if key in keys), None)
    if attribute is None:
        return None
    made: dict[str, Json] = {attribute: value}
    kind = _kind_key(items)
    if kind and len(steps) == _ENTITY_STEPS:
        made[kind] = steps[1].replace("_", " ")
    return made


def same(old: Json, new: Json) -> bool:
    """Tell whether two values say the same; `Porto, Portugal` already says `Porto`, `Mara Vesel` says `Mara`."""
    if isinstance(old, bool) or isinstance(new, bool) or old is None:
        return old is new
    if isinstance(old, (list, dict)) or isinstance(new, (list, dict)):
        return old == new
    left, right = _plain(old), _plain(new)
    return left == right or left.startswith(right + ",")


def _plain(value: float | str | None) -> str:
    return " ".join(fold(str(value)).rstrip(".").split())


def _norm(key: str) -> str:
    return fold(humanise(key)).replace("'", " ").replace(" ", "_")


def _walk(
    node: Json, norm: tuple[str, ...] = (), keys: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Json]]:
    """Yield (normalised steps, real steps, value) of every node; a list's object goes by its relation or species."""
    if keys:
        yield norm, keys, node
    if len(keys) >= _DEPTH:
        return
    if isinstance(node, dict):
        for key, value in node.items():
            if key and "." not in key:
                yield from _walk(value, (*norm, _norm(key)), (*keys, key))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            if isinstance(item, dict):
                kind = next((item[k] for k in _KIND_KEYS if isinstance(item.get(k), str)), None)
                step = _norm(str(kind)) if kind else str(index)
                yield from _walk(item, (*norm, step), (*keys, str(index)))


def _matches(norm: tuple[str, ...], wanted: tuple[str, ...], around: frozenset[str]) -> bool:
    lead = norm[: len(norm) - len(wanted)]
    return norm[len(lead) :] == wanted and all(step in around for step in lead)


def _free_spot(known: Mapping[str, Json], steps: tuple[str, ...]) -> Spot | None:
    """Return the documented place unless something other than an object stands in its way."""
    node: Json = dict(known)
    for depth, step in enumerate(steps):
        if not isinstance(node, dict):
            return None
        if step not in node:
            return Spot(steps)
        node = node[step]
        if depth == len(steps) - 1:
            return None if isinstance(node, dict) else Spot(steps, node, present=True)
    return None


def _find_favourite(known: Mapping[str, Json], steps: tuple[str, ...]) -> Spot | None:
    thing = canonical(steps[1].replace("_", " "))
    for norm, keys, value in _walk(known):
        joined = (
            "_".join(norm)
            .replace("favorite", "favourite")
            .replace("color", "colour")
            .replace("favourites", "favourite")
        )
        lead, _, last = joined.rpartition("favourite_")
        if "favourite_" in joined and not isinstance(value, dict) and canonical(last.replace("_", " ")) == thing:
            rest = lead.strip("_")
            if not rest or rest in _ABOUT | _DOMAINS["favourites"]:
                return Spot(keys, value, present=True)
    container = next(
        (key for key in known if _norm(key) in {"favorites", "favourite", "favorite"} and isinstance(known[key], dict)),
        "favourites",
    )
    return _free_spot(known, (container, *steps[1:]))


def _find_entity(known: Mapping[str, Json], steps: tuple[str, ...], name: str, *, another: bool) -> Spot | None:
    group, noun, attribute = steps
    found = [(keys, value) for norm, keys, value in _walk(known) if _is_entity(norm, noun, _ABOUT | _DOMAINS[group])]
    named = [
        (keys, value)
        for keys, value in found
        if name and isinstance(value, dict) and same(_attribute(value, "name")[1], name)
    ]
    chosen = named or found
    if not chosen:
        return _in_lists(known, steps, name) or _free_spot(known, _spell(known, steps))
    if len(chosen) > 1:
        return None
    keys, value = chosen[0]
    if not isinstance(value, dict):
        if attribute == "name" and not (another and isinstance(value, str) and not same(value, name)):
            return Spot(keys, value, present=True)
        return _free_spot(known, (group, f"{noun}_2", attribute)) if another else None
    own = _attribute(value, "name")[1]
    if name and not named and isinstance(own, str) and not _shorter(own, name):
        if another:
            return _free_spot(known, (group, f"{noun}_2", attribute))
        if attribute != "name":
            return None
    key, old = _attribute(value, attribute)
    if isinstance(old, dict):
        return None
    return Spot((*keys, key), old, present=key in value)


def _shorter(own: str, name: str) -> bool:
    return fold(own).split()[:1] == fold(name).split()[:1]


def _spell(known: Mapping[str, Json], steps: tuple[str, ...]) -> tuple[str, ...]:
    """Take the container that the owner uses when it has another name (`animals` for `pets`) or none at all."""
    aliases = {"pets": ("pets", "animals"), "family": ("family", "relatives")}[steps[0]]
    for key in known:
        if _norm(key) in aliases and isinstance(known[key], dict):
            return (key, *steps[1:])
    return steps


def _kind_key(items: list[Json]) -> str | None:
    return next((key for item in items if isinstance(item, dict) for key in _KIND_KEYS if key in item), None)


def _attribute(node: dict[str, Json], attribute: str) -> tuple[str, Json]:
    for wanted in _ATTRIBUTES.get(attribute, (attribute,)):
        for key, value in node.items():
            if _norm(key) == wanted and "." not in key:
                return key, value
    return attribute, None


def _is_entity(norm: tuple[str, ...], noun: str, around: frozenset[str]) -> bool:
    if not norm or not all(step in around for step in norm[:-1]):
        return False
    step = norm[-1].replace("_", " ")
    if noun == "spouse" and step in {"wife", "husband", "partner"}:
        return True
    table = step in RELATIONS or step in PETS or step.replace(" ", "-") in RELATIONS
    return (canonical(step) if table else step.replace(" ", "_")) == noun


def _in_lists(known: Mapping[str, Json], steps: tuple[str, ...], name: str) -> Spot | None:
    """Look for the one called `name` in a list such as `daughters` or `pets`; a new one is a new item of that list."""
    group, noun, attribute = steps
    around = _ABOUT | _DOMAINS[group]
    plurals = {"children", "siblings", "pets", "animals", f"{noun}s"}
    for norm, keys, value in _walk(known):
        last = canonical(norm[-1].replace("_", " ")) if norm[-1].replace("_", " ") in PLURALS else norm[-1]
        if not isinstance(value, list) or last not in plurals or not all(step in around for step in norm[:-1]):
            continue
        for index, item in enumerate(value):
            if isinstance(item, dict) and name and same(_attribute(item, "name")[1], name):
                key, old = _attribute(item, attribute)
                return Spot((*keys, str(index), key), old, present=key in item)
        if attribute == "name" and (last == f"{noun}s" or (last in {"pets", "animals"} and _kind_key(value))):
            return Spot(keys, value, present=True)
    return None
