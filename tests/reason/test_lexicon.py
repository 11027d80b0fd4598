"""The table of entities and attributes by which a question and a fact can contradict each other."""

from __future__ import annotations

import pytest

from nola.reason.lexicon import Lexicon, lexicon


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("my sister's dog", {"sister", "dog"}),
        ("Mum and dad", {"mother", "father"}),
        ("my mother-in-law", {"mother-in-law"}),
        ("the kids", {"child"}),
        ("nothing here", set()),
    ],
)
def test_a_text_names_things_and_people(text: str, groups: set[str]) -> None:
    """Every form of a word leads to its group; an in-law is nobody else."""
    assert lexicon().entities(text) == groups


def test_a_text_names_attributes() -> None:
    """What can be asked about a thing has groups too."""
    assert lexicon().attributes("phone number") == {"phone"}
    assert "birthday" in lexicon().attributes("when was she born")
    assert lexicon().attributes("zebra") == set()


def test_people_and_animals_are_living_and_some_things_are_plain() -> None:
    """Living beings can hold attributes of others; a plain thing is seldom meant by another word."""
    found = frozenset({"sister", "dog", "car", "mother-in-law"})
    assert lexicon().living(found) == {"sister", "dog", "mother-in-law"}
    assert lexicon().things(found) == {"car", "dog"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"wife"}, {"spouse"}, True),
        ({"spouse"}, {"wife"}, True),
        ({"sister"}, {"sister", "car"}, True),
        ({"dog"}, {"cat"}, False),
        ({"mother"}, {"mother-in-law"}, False),
        (set(), {"cat"}, False),
        ({"dog"}, set(), False),
    ],
)
def test_two_groups_can_mean_the_same(one: set[str], other: set[str], same: bool) -> None:  # noqa: FBT001 -- a table
    """The same group, or two that the table calls compatible, in either order."""
    assert lexicon().compatible(one, other) is same


def test_some_attributes_tell_others() -> None:
    """A birthday tells the age; only a fact about just that tells a height."""
    table = lexicon()
    assert table.told_by({"birthday"}) >= {"birthday", "age"}
    assert table.told_by(()) == set()
    assert table.specific({"height", "name"}) == {"height"}


def test_a_lexicon_is_made_of_its_groups() -> None:
    """Words are stemmed, and one word can be in two groups."""
    table = Lexicon(
        {
            "entities": {"boat": ["boat", "yachts"], "sport": ["yachts"]},
            "attributes": {},
            "living": [],
            "things": ["boat"],
            "specific": [],
            "compatible": [],
            "provides": {},
        }
    )
    assert table.entities("a yacht") == {"boat", "sport"}
    assert table.things({"boat", "sport"}) == {"boat"}


def test_the_shipped_table_is_consistent() -> None:
    """What is called living, plain or specific is a group of the table."""
    table = lexicon()
    entities = {group for groups in table._entities.values() for group in groups}
    attributes = {group for groups in table._attributes.values() for group in groups}
    assert table._things <= entities
    assert table._living <= entities
    assert table._specific <= attributes
    assert set(table._provides) <= attributes
