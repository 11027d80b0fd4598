"""A fact goes to the key that the owner already has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.memory.learn_paths import Spot, find, find_in_list, item_for, leaves, same

if TYPE_CHECKING:
    from nola.types import Json


@pytest.mark.parametrize(
    ("known", "path", "keys"),
    [
        ({}, "home.city", "home.city"),
        ({"city": "Braga"}, "home.city", "city"),
        ({"profile": {"livesIn": "Braga"}}, "home.city", "profile.livesIn"),
        ({"family": {"sister": {"city": "Lyon"}}}, "home.city", "home.city"),
        ({"contact": {"e-mail": "x"}}, "email", "contact.e-mail"),
        ({"favorites": {"color": "red"}}, "favourites.colour", "favorites.color"),
        ({"tastes": {"favourite_colour": "red"}}, "favourites.colour", "tastes.favourite_colour"),
        ({"mom": {"name": "Ana"}}, "family.mother.name", "mom.name"),
        ({"animals": {}}, "pets.dog.name", "animals.dog.name"),
        ({"pets": {"dog": "Rex"}}, "pets.dog.name", "pets.dog"),
        ({"pets": [{"species": "dog", "name": "Rex"}]}, "pets.dog.age", "pets.0.age"),
        ({"health": {"doctor": "Dr. A"}}, "doctor", "health.doctor"),
        ({"dentist": {"name": "Dr. A"}}, "dentist", "dentist.name"),
    ],
)
def test_where_a_fact_belongs(known: dict[str, Json], path: str, keys: str) -> None:
    """Synonyms, wrappers and lists are seen through; another person's key is not the owner's."""
    spot = find(known, path)
    assert spot is not None
    assert ".".join(spot.keys) == keys


def test_no_place_where_something_stands_in_the_way() -> None:
    """A plain value on the way, or two of a kind, leave no place."""
    assert find({"home": {"city": {"old": 1}}}, "home.city") is None
    assert find({"pets": 3}, "pets.dog.name") is None
    assert find({"dog": {"name": "A"}, "pets": {"dog": {"name": "B"}}}, "pets.dog.age") is None


def test_one_more_of_a_kind_leaves_the_first_alone() -> None:
    """A second cat gets a place of its own."""
    spot = find({"pets": {"cat": {"name": "Tom"}}}, "pets.cat.name", name="Miso", another=True)
    assert spot == Spot(("pets", "cat_2", "name"))


def test_a_mixed_list_takes_one_more_of_its_kind() -> None:
    """A list of relatives takes a relative, a list of animals does not."""
    family: Json = [{"relation": "mother", "name": "Eva"}]
    assert find({"family": family}, "family.sister.name") == Spot(("family",), family, present=True)
    assert find({"pets": [{"species": "dog", "name": "Rex"}]}, "family.wife.name") == Spot(("family", "wife", "name"))


def test_items_of_a_list_are_found_and_shaped() -> None:
    """An item is found whatever its case, and a new one takes the form of the others."""
    spot = Spot(("pets",), [{"species": "dog", "name": "Rex"}], present=True)
    assert item_for(spot, "pets.cat.name", "Miso") == {"name": "Miso", "species": "cat"}
    assert item_for(spot, "home.city", "Porto") is None
    assert find_in_list(Spot(("likes",), ["Tea"], present=True), "tea") == Spot(("likes", "0"), "Tea", present=True)


def test_sameness_is_that_of_people() -> None:
    """Case, accents and a country after a city make no difference; other values do."""
    assert same("Porto, Portugal", "porto")
    assert same(34, "34")
    assert not same("Porto", "Portland")
    assert not same(None, "x")


def test_leaves_are_listed_with_their_paths() -> None:
    """Every plain value is listed once."""
    assert list(leaves({"a": {"b": 1}, "c": "x"})) == [
        Spot(("a", "b"), 1, present=True),
        Spot(("c",), "x", present=True),
    ]
