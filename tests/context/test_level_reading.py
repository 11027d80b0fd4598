"""Tests of how a message is read clause by clause."""

from __future__ import annotations

import pytest

from nola.context.level_model import lexicon
from nola.context.level_reading import read


def rules(text: str) -> set[str]:
    """Return the names of the rules that a message meets."""
    return {hit.rule for hit in read(text, lexicon()).hits}


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("thanks! oh and what is 5 miles in km", ("what", "is", "#", "miles", "in", "km")),
        ("Hey Nola, how full is my disk?", ("how", "full", "is", "my", "disk")),
        ("ok danke dir", None),
        ("this", ("this",)),
    ],
)
def test_greetings_are_set_aside(text: str, core: tuple[str, ...] | None) -> None:
    """What remains of a message is its request, or nothing."""
    requests = read(text, lexicon()).requests
    assert (requests[-1].core if requests else None) == core


def test_rules_name_their_words() -> None:
    """A rule that is met quotes the words by which it is."""
    hits = {hit.rule: hit.words for hit in read("Why do I always come late?", lexicon()).hits}
    assert hits["cause of a habit"] == "why do ... i ... always"


@pytest.mark.parametrize(
    "text",
    [
        "the pattern on my curtains",
        "clear my browser history",
        "don't analyse my week",
        "Remind me to reflect on my year",
        'Translate "why do I always lose" please',
        "write down: why do I always say yes",
    ],
)
def test_false_friends_and_dictation_meet_no_rule(text: str) -> None:
    """Words inside a false friend, a quotation, an order to write or a refusal do not count."""
    assert rules(text) == set()


def test_a_rule_may_span_clauses() -> None:
    """What is said in one clause and asked in the next is seen together."""
    reading = read("I keep putting it off. What is behind that?", lexicon())
    assert "cause of a habit" in reading.across


def test_a_whole_quotation_is_read() -> None:
    """A message that is nothing but a quotation is read as if it were not."""
    assert read('"why do I always come late"', lexicon()).hits


def test_clauses_know_questions_names_and_places() -> None:
    """A clause knows that it asks, that it names somebody, and where a concept stands."""
    clause = read("Why does Martin bother me?", lexicon()).clauses[0]
    assert clause.asks
    assert clause.names
    assert clause.place("WHY") == 0
    assert clause.place("PLAY") == -1


def test_nothing_to_read() -> None:
    """A text without words has no clauses."""
    assert read("?!", lexicon()).clauses == ()


@pytest.mark.parametrize(
    ("text", "played"),
    [
        ("tell me a joke", True),
        ("sing me a song", True),
        ("which choir do I sing in", False),
        ("why do dogs bark", False),
        ("spiel leise Musik", False),
        ("spiel mit mir", True),
    ],
)
def test_play_needs_its_request(text: str, played: bool) -> None:  # noqa: FBT001 - a table of expectations
    """A word of play counts where play is asked for, not in a question about the owner or a cause."""
    assert any("PLAY" in clause.concepts for clause in read(text, lexicon()).clauses) is played


@pytest.mark.parametrize(
    ("text", "social"), [("smashing", True), ("class, ta duck", True), ("who is in my class", False), ("class?", False)]
)
def test_slang_counts_when_nothing_else_is_said(text: str, social: bool) -> None:  # noqa: FBT001 - a table
    """A word with another meaning takes note only by itself, and a pet name only beside a greeting."""
    assert read(text, lexicon()).clauses[-1].social is social


def test_years_are_counted() -> None:
    """Years in figures are counted; times of day are none."""
    assert read("10k times 2019 to 2024", lexicon()).clauses[0].years == 2
    assert read("at 20:15 in room 30", lexicon()).clauses[0].years == 0
