"""Taking questions apart: words, weights, people, dates; and any text at all."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.memory.query import Query, parse

NOW = datetime(2024, 3, 13, tzinfo=UTC)


def asked(text: str, speakers: tuple[str, ...] = ("Ana", "Ben")) -> Query:
    """A question on a day in March."""
    return parse(text, speakers=speakers, now=NOW, generic_weight=0.5)


def test_a_question_is_taken_apart() -> None:
    """Stop words go, generic words and names weigh half; people and dates are found, and `I` stands for a name."""
    query = asked("What kind of races did Ana run in June 2023?")
    assert query.terms == {"kind": 0.5, "race": 1.0, "ana": 0.5, "run": 1.0, "june": 1.0, "2023": 1.0}
    assert query.people == ("Ana",)
    assert [date.kind.value for date in query.dates] == ["month"]
    assert query.embed_text == "What kind of races did I run in June 2023?"


def test_stop_words_stay_when_there_is_nothing_else() -> None:
    """A question of stop words alone still looks for something."""
    assert list(asked("what is it?").terms) == ["what", "i", "it"]


@pytest.mark.parametrize(
    "text", ["When did Ana go?", "How long has it rained?", "In what year was that?", "Which day?"]
)
def test_a_time_is_asked_for(text: str) -> None:
    """Questions of when and how long want a time."""
    assert asked(text).wants_time


@pytest.mark.parametrize("text", ["What did Ana say when it rained?", "Where?", "Who timed the race?"])
def test_no_time_is_asked_for(text: str) -> None:
    """A `when` inside a question is none that it asks."""
    assert not asked(text).wants_time


@pytest.mark.row("P02")
@pytest.mark.parametrize(
    "text", ["", " ", "?", "'", '"', "-", "(", ":", "NOT", "AND", "C++", "\0", "a\0b", "🙂", "*" * 99]
)
def test_hostile_questions(text: str) -> None:
    """Operators, quotes, NUL and emoji are text like any other."""
    query = asked(text)
    assert len(query.terms) <= 64
    assert "\0" not in query.embed_text


@pytest.mark.row("P02")
def test_ten_thousand_random_strings() -> None:
    """Ten thousand strings of anything at all raise nothing."""
    draw = random.Random(1)  # noqa: S311 -- the same strings each time
    alphabet = "ab cdé\0'\"()*:-^?!🙂\u202e\ud800中文NOT AND\n\t" + "".join(map(chr, range(0x300, 0x320)))
    for _ in range(10_000):
        query = asked("".join(draw.choices(alphabet, k=draw.randint(0, 60))))
        assert all(0 < weight <= 1 for weight in query.terms.values())


@given(st.text(), st.lists(st.text()))
def test_any_text_and_any_speakers(text: str, speakers: list[str]) -> None:
    """Names may be any text too; only speakers are found."""
    assert set(asked(text, tuple(speakers)).people) <= set(speakers)


@pytest.mark.bench
def test_a_hundred_kilobytes_are_read_quickly() -> None:
    """Of a very long text only the beginning is looked at."""
    for text in ("word " * 20_000, "é" * 100_000, "last " * 20_000, "John " * 20_000, "1" * 100_000):
        began = time.perf_counter()
        query = asked(text)
        assert time.perf_counter() - began < 0.1
        assert len(query.text) <= 4_000
