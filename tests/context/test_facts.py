"""Leaves become facts: said in sentences, long notes split, and older values told apart from newer ones."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.context.facts import facts_of
from tests.context.making import NOW, facts, leaves, one

if TYPE_CHECKING:
    from nola.types import Json

USER: dict[str, Json] = {
    "name": "Mara Vesel",
    "favourite_colour": "teal",
    "likes": ["sailing", "chess", "figs"],
    "phone": "+386 51 555 208",
    "height_cm": 172,
    "rentEuro": 1150,
    "has_car": True,
    "cannot_stand": "tripe soup",
    "goes_by": "Mimi",
    "bio": "Grew up by the sea.",
    "husband": {"name": "Tilen", "job": "violin maker", "allergic_to": "walnuts"},
    "family": [
        {"name": "Zdenka", "relation": "mother", "lives_in": "Ormož", "phone": "+386 31 555 476"},
        {"name": "Bojan", "relation": "brother"},
    ],
    "children": [{"name": "Ela", "loves": "dinosaurs"}],
    "pets": {"dog": {"name": "Figa", "breed": "Istrian hound"}, "cats": ["Miu", "Mau"]},
    "routine": "up at six, a swim before work and coffee after",
}
MODULES: dict[str, Json] = {
    "user": USER,
    "boat": {"boatName": "Burja", "engine": {"mechanic": "Drago", "hours": 320}, "berth": "every winter in Izola"},
    "health": {"allergies": ["penicillin", "birch pollen"]},
    "work": {"employer": "Globex"},
    "Nola": {"name": "Nola"},
    "machineID": {"cpu_cores": 4},
}
SAID = {
    "user.name": "Your name is Mara Vesel.",
    "user.favourite_colour": "Your favourite colour is teal.",
    "user.likes": "You like sailing, chess and figs.",
    "user.phone": "Your phone is +386 51 555 208.",
    "user.height_cm": "Your height is 172 cm.",
    "user.rentEuro": "Your rent is 1150 euro.",
    "user.has_car": "Your has car: yes.",
    "user.cannot_stand": "You cannot stand tripe soup.",
    "user.goes_by": "You go by Mimi.",
    "user.bio": "About you: Grew up by the sea.",
    "user.husband.name": "Your husband's name is Tilen.",
    "user.husband.job": "Your husband Tilen's job is violin maker.",
    "user.husband.allergic_to": "Your husband Tilen is allergic to walnuts.",
    "user.family.0.name": "Your mother's name is Zdenka.",
    "user.family.0.lives_in": "Your mother Zdenka lives in Ormož.",
    "user.family.0.phone": "Your mother Zdenka's phone is +386 31 555 476.",
    "user.family.1.name": "Your brother's name is Bojan.",
    "user.children.0.name": "Your child's name is Ela.",
    "user.children.0.loves": "Your child Ela loves dinosaurs.",
    "user.pets.dog.name": "Your dog's name is Figa.",
    "user.pets.dog.breed": "Your dog Figa's breed is Istrian hound.",
    "user.pets.cats": "Your cats are Miu and Mau.",
    "user.routine": "Your routine: up at six, a swim before work and coffee after.",
    "boat.boatName": "Your boat name is Burja.",
    "boat.engine.mechanic": "Your engine mechanic is Drago.",
    "boat.engine.hours": "Your engine hours are 320.",
    "boat.berth": "Your boat berth: every winter in Izola.",
    "health.allergies": "You are allergic to penicillin and birch pollen.",
    "work.employer": "Your work employer is Globex.",
    "Nola.name": "Your assistant's name is Nola.",
    "machineID.cpu_cores": "Your computer's cpu cores are 4.",
}


@pytest.mark.parametrize("path", SAID)
def test_a_leaf_is_said_with_its_value_word_for_word(path: str) -> None:
    """Each kind of leaf has its sentence, and nothing of it is former."""
    fact = one(facts(**MODULES), path)
    assert fact.text == SAID[path]
    assert fact.value.removesuffix(".") in fact.text
    assert not fact.former


def test_a_fact_keeps_what_search_and_judgement_need() -> None:
    """Topic, holder, attribute and value are told apart, and the place of the leaf is kept."""
    candidates = leaves("user", USER)
    told = one(facts_of(candidates), "user.family.0.phone")
    assert candidates[told.index].path == "user.family.0.phone"
    assert (told.topic, told.holder, told.attribute) == ("mother Zdenka phone", "mother Zdenka", "phone")
    assert told.value == "+386 31 555 476"


@pytest.mark.parametrize(
    ("note", "clauses"),
    [
        (
            "Sang with the choir Carmina until 2023, now with the women's group Kresnice.",
            [
                ("About your notes: Sang with the choir Carmina until 2023.", True),
                ("About your notes: now with the women's group Kresnice.", False),
            ],
        ),
        (
            "Until autumn 2024 we drove a green Fabia, then the Zoe replaced it.",
            [
                ("About your notes: Until autumn 2024 we drove a green Fabia.", True),
                ("About your notes: then the Zoe replaced it.", False),
            ],
        ),
        (
            "The spare key hangs behind the blue door. The bins go out on Tuesday evening; the gas man comes in May.",
            [
                ("About your notes: The spare key hangs behind the blue door.", False),
                ("About your notes: The bins go out on Tuesday evening.", False),
                ("About your notes: the gas man comes in May.", False),
            ],
        ),
        ("Figa is deaf; be loud.", [("About your notes: Figa is deaf; be loud.", False)]),
        ("Renting the flat until 2031.", [("About your notes: Renting the flat until 2031.", False)]),
    ],
)
def test_a_long_note_is_split_into_clauses(note: str, clauses: list[tuple[str, bool]]) -> None:
    """Each clause is a fact; one about a time that has ended is former, one about the future is not."""
    assert [(f.text, f.former) for f in facts(user={"notes": [note]})] == clauses


def test_a_whole_value_about_an_ended_time_is_former() -> None:
    """A remark that something was so until a past year is not told as if it were so."""
    told = one(facts(user={"choir_note": "it was on Mondays until 2022"}), "user.choir_note")
    assert (told.text, told.former) == ("Your choir note: it was on Mondays until 2022.", True)


@pytest.mark.parametrize(
    ("data", "old", "said", "new", "says"),
    [
        (
            {"phone": "111", "phone_old": "222"},
            "user.phone_old",
            "Formerly: your phone was 222.",
            "user.phone",
            "Your phone is 111.",
        ),
        (
            {"employer": "Globex", "previous_employer": "Acme"},
            "user.previous_employer",
            "Formerly: your employer was Acme.",
            "user.employer",
            "Your employer is Globex.",
        ),
        (
            {"addresses": [{"city": "Maribor", "from": 2009, "to": 2018}, {"city": "Ljubljana", "from": 2018}]},
            "user.addresses.0.city",
            "Formerly: your address city was Maribor (2009 to 2018).",
            "user.addresses.1.city",
            "Your address city is Ljubljana (since 2018).",
        ),
        (
            {"glasses": [{"measured": "2026-01-19", "power": "-2.00"}, {"measured": "2022-03-04", "power": "-1.25"}]},
            "user.glasses.1.power",
            "Formerly: your glasses power was -1.25 (2022-03-04).",
            "user.glasses.0.power",
            "Your glasses power is -2.00 (2026-01-19).",
        ),
        (
            {"salary_2026": "3400 EUR", "salary_2024": "3100 EUR"},
            "user.salary_2024",
            "Formerly: your salary was 3100 EUR (2024).",
            "user.salary_2026",
            "Your salary is 3400 EUR (2026).",
        ),
    ],
)
def test_a_replaced_value_points_to_the_newer_one(data: Json, old: str, said: str, new: str, says: str) -> None:
    """Marked keys, dated list entries and keys with years tell which value is the older."""
    told = facts(user=data)
    before, after = one(told, old), one(told, new)
    assert (before.text, before.former, before.newer) == (said, True, new)
    assert (after.text, after.former, after.newer) == (says, False, "")


@pytest.mark.parametrize(("older", "newer"), [("user", "health"), ("health", "user")])
def test_of_two_files_the_one_updated_later_counts(older: str, newer: str) -> None:
    """The same attribute in two files is settled by their last update, whichever file that is."""
    long_ago = leaves(older, {"optician": "Dr. Medved"}, updated=NOW - timedelta(days=900))
    now = leaves(newer, {"optician": "Dr. Zupan"})
    for candidates in (long_ago + now, now + long_ago):
        told = facts_of(candidates)
        assert one(told, f"{older}.optician").newer == f"{newer}.optician"
        assert not one(told, f"{newer}.optician").former


def test_what_says_the_same_or_is_of_the_same_day_replaces_nothing() -> None:
    """Equal values in two files, and different ones of the same day, both stand."""
    old = leaves("user", {"optician": "Dr. Zupan"}, updated=NOW - timedelta(days=900))
    same_value = facts_of(old + leaves("health", {"optician": "Dr. Zupan"}))
    same_day = facts_of(leaves("user", {"optician": "A"}) + leaves("health", {"optician": "B"}))
    assert not any(fact.former for fact in same_value + same_day)


def test_records_of_different_things_replace_nothing() -> None:
    """Names in a list of people, and records that bear a date among much else, are no history."""
    told = facts(
        user={
            "friends": [{"name": "Ana", "met": "2001"}, {"name": "Ben", "met": "2020"}],
            "trips": [
                {"to_where": "Rab", "year": 2022, "with": "Ana", "boat": "Elan", "crew": "4"},
                {"to_where": "Vis", "year": 2024, "with": "Ben", "boat": "Burja", "crew": "5"},
            ],
        }
    )
    assert [fact.path for fact in told if fact.former] == []


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=12),
        st.none() | st.booleans() | st.integers() | st.text(max_size=60) | st.lists(st.text(max_size=8), max_size=4),
        max_size=6,
    )
)
@pytest.mark.row("E14")
def test_any_state_can_be_said(data: dict[str, Json]) -> None:
    """Odd keys and values make facts, never an error, and the value is in the sentence."""
    candidates = leaves("user", {"odd": data})
    told = facts_of(candidates)
    assert {fact.index for fact in told} == set(range(len(candidates)))
    assert all(fact.value.removesuffix(".") in fact.text for fact in told)


def test_nothing_known_gives_no_facts() -> None:
    """An empty state is no error."""
    assert facts_of([]) == []
