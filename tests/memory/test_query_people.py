"""Whom a question names, and the question in the first person."""

from __future__ import annotations

import pytest

from nola.memory.query_people import first_person, people_in

SPEAKERS = ("Caroline", "Melanie", "Robert Miller", "Will", "John", "Jolene")


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("When did Caroline move?", ("Caroline",)),
        ("what is caroline's job", ("Caroline",)),
        ("Did Mel and Caro meet?", ("Melanie", "Caroline")),
        ("What does Bob drive?", ("Robert Miller",)),
        ("What does Miller drive?", ("Robert Miller",)),
        ("Where is Robert Miller?", ("Robert Miller",)),
        ("Where will she go?", ()),
        ("Where does Will go?", ("Will",)),
        ("Did melodies play?", ()),
        ("a book by John Grisham", ()),
        ("Did Jo call?", ()),
        ("Who is Caroline Herschel?", ()),
        ("what is the time", ()),
    ],
)
def test_who_is_named(text: str, people: tuple[str, ...]) -> None:
    """Whole words, nicknames that fit one person alone, and surnames; others of the same first name are others."""
    assert people_in(text, SPEAKERS)[0] == people


def test_the_owner_is_who_says_i() -> None:
    """`I` and `my` name the owner when it is known who that is."""
    assert people_in("Where did I park my car?", SPEAKERS, "Ana")[0] == ("Ana",)
    assert people_in("Where did I park my car?", SPEAKERS)[0] == ()
    assert people_in("Where is the car?", SPEAKERS, "Ana")[0] == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("When did Caroline go to the museum?", "When did I go to the museum?"),
        ("What is Caroline's job?", "What is my job?"),
        ("Is Caroline happy with her car?", "am I happy with my car?"),
        ("How long has Caro had her friends?", "How long have I had my friends?"),
        ("What do Melanie and Caroline share?", "What do we share?"),
        ("What is the time?", "What is the time?"),
    ],
)
def test_a_question_in_the_first_person(text: str, said: str) -> None:
    """Names become `I` and `my`, and so do pronouns after one."""
    assert first_person(text, people_in(text, SPEAKERS)[1]) == said
