"""Proper names are told from states and things at hand."""

from __future__ import annotations

import pytest

from nola.memory.learn_names import address, country, name, names, organisation, person, place, where


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("Mara Vesel, nice to meet you", "Mara Vesel"),
        ("Biscuit because he is sweet", "Biscuit"),
        ("Maria da Silva", "Maria da Silva"),
        ("rex", "rex"),
        ("hard to pronounce", None),
        ("the best", None),
        ("not Bob", None),
        ("42", None),
    ],
)
def test_names(words: str, value: str | None) -> None:
    """A name ends where the next thought begins, and a state is no name."""
    assert name(words, casual=False) == value


def test_a_person_after_a_bare_is_needs_a_capital() -> None:
    """`is Dr. Ruiz` names someone, `is great` does not."""
    assert person("Dr. Ruiz", casual=False) == "Dr. Ruiz"
    assert person("great", casual=False) is None
    assert person("ruiz", casual=True) is None


def test_names_are_enumerated() -> None:
    """Two names or more are a list, one is none."""
    assert names("Leo, Mia and Tom", casual=False) == ["Leo", "Mia", "Tom"]
    assert names("Leo", casual=False) is None


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("Porto last week", "Porto"),
        ("New York with my sister", "New York"),
        ("são paulo", "são paulo"),
        ("the Netherlands", "the Netherlands"),
        ("the sofa", None),
        ("Linux", None),
        ("Porto next month", None),
        ("fear", None),
    ],
)
def test_places(words: str, value: str | None) -> None:
    """A place is a proper name, now."""
    assert place(words) == value


def test_the_country_after_a_city() -> None:
    """Only a known country after a comma counts."""
    assert country("Porto, Portugal") == "Portugal"
    assert country("Porto, lovely") is None


@pytest.mark.parametrize(
    ("words", "value"),
    [("Acme as a nurse", "Acme"), ("a bank", "a bank"), ("home", None), ("night", None), ("a snail's pace", None)],
)
def test_organisations(words: str, value: str | None) -> None:
    """An employer is a proper name or a kind of workplace."""
    assert organisation(words, casual=False) == value


def test_addresses_hold_a_street_or_a_number() -> None:
    """A vague place is no address, and an office may stand in a town."""
    assert address("at 12 Rua das Flores") == "12 Rua das Flores"
    assert address("wrong") is None
    assert where("in Gdynia") == "Gdynia"
