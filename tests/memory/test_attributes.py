"""Tests of reading what a statement is about."""

from __future__ import annotations

import pytest

from nola.memory.attributes import read_statement


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("I live in Bergen.", "residence"),
        ("We moved to Oslo.", "residence"),
        ("She drives a Volvo", "vehicle"),
        ("I'm a nurse", "work"),
        ("How do I get to work?", "commute"),
        ("My alarm is set for six", "rising"),
        ("Anna got engaged", "partner"),
    ],
)
def test_attributes(text: str, attribute: str) -> None:
    """Words and phrases tell which attribute a statement touches."""
    assert attribute in read_statement(text).attributes


def test_moving_a_thing_is_not_moving_house() -> None:
    """What is moved is not where somebody lives."""
    assert "residence" not in read_statement("I moved the sofa.").attributes


@pytest.mark.parametrize(
    ("text", "own", "relations", "names"),
    [
        ("I live in Bergen.", True, set(), {"bergen"}),
        ("My sister lives there.", False, {"sister"}, set()),
        ("My sisters came.", False, {"sister"}, set()),
        ("Sofia cuts my hair.", True, set(), {"sofia"}),
        ("Carla's car is red.", False, set(), {"carla"}),
        ("Since May Ben is away.", False, set(), {"ben"}),
        ("Choir practice is on Monday.", False, set(), set()),
        ("", False, set(), set()),
    ],
)
def test_whom_it_is_about(text: str, own: bool, relations: set[str], names: set[str]) -> None:  # noqa: FBT001 -- a table
    """The speaker herself, relatives and names are told apart; a relative of hers is not she."""
    statement = read_statement(text)
    assert (statement.own, set(statement.relations), set(statement.names)) == (own, relations, names)


def test_words_that_mean_something() -> None:
    """Stop words are no words of a statement; numbers, change and the present are told apart."""
    statement = read_statement("My sister Anna now has 3 guitars in Rome.")
    assert statement.words == {"sister", "anna", "3", "guitar", "rome"}
    assert statement.attribute_words == {"guitar"}
    assert statement.numbers == {"3"}
    assert statement.changes
    assert statement.now
    assert not read_statement("I play the guitar.").changes
    assert not read_statement("I play the guitar.").now


@pytest.mark.parametrize(
    ("text", "subject", "is_other"),
    [
        ("I live in Berlin.", "i", False),
        ("Since March I've been running.", "i", False),
        ("My boss drives a Jaguar now.", "boss", True),
        ("My little brother's favourite band is Muse.", "brother", True),
        ("My parents' new address is long.", "parent", True),
        ("Hanna's desk is on the first floor.", "hanna", True),
        ("Dr. Nyberg is my cardiologist.", "nyberg", True),
        ("The director's parking space is free.", "director", True),
        ("The landlord raised the rent.", "landlord", False),
        ("The office wifi password is swan.", "offic", False),
        ("Bread now costs 3 euros.", "bread", False),
        ("bread now costs 3 euros", "bread", False),
        ("", "", False),
    ],
)
def test_whom_it_speaks_of_first(text: str, subject: str, *, is_other: bool) -> None:
    """The speaker, a thing, or somebody else."""
    statement = read_statement(text)
    assert (statement.subject, statement.is_other) == (subject, is_other)


def test_who_is_asked_for() -> None:
    """Then names and relatives are answers."""
    assert read_statement("Who is my doctor?").is_who
    assert read_statement("Whose boat is it?").is_who
    assert not read_statement("Where is my doctor?").is_who


@pytest.mark.parametrize("text", ["", "\x00", "🎉 🎉", "x" * 100_000, "My", "?!. . .", "名前 が"])
def test_any_text_can_be_read(text: str) -> None:
    """Texts without words, and very long ones, are read too."""
    assert len(read_statement(text).words) <= 2
