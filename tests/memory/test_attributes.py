"""Tests of reading what a statement is about."""

from __future__ import annotations

import pytest

from nola.memory.attributes import read_statement, sentences


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
    """Stop words, names, relatives, numbers and words of change are no words of a statement; places are known."""
    statement = read_statement("My sister Anna now has 3 guitars in Rome.")
    assert statement.words == {"guitar"}
    assert statement.attribute_words == {"guitar"}
    assert statement.places == {"rome"}
    assert statement.changes
    assert not read_statement("I play the guitar.").changes
    assert read_statement("Who is my doctor?").who


def test_sentences() -> None:
    """Each sentence is read by itself, without the questions."""
    texts = ["I moved to Oslo!", "I drive a Volvo."]
    assert sentences(f"{texts[0]} And you? {texts[1]}") == tuple(read_statement(text) for text in texts)
    assert len(sentences("I ran. " * 50)) == 6
    assert sentences("Where do you live?") == ()


@pytest.mark.parametrize("text", ["", "\x00", "🎉 🎉", "x" * 100_000, "My", "?!. . .", "名前 が"])
def test_any_text_can_be_read(text: str) -> None:
    """Texts without words, and very long ones, are read too."""
    assert len(read_statement(text).words) <= 2
    assert len(sentences(text)) <= 6
