"""Memories as facts: said to the owner in one fenced line, read as statements, and set beside those of the state."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.context.facts import Fact
from nola.context.memories import (
    MEMORY_FILE,
    Memories,
    beside,
    lifted,
    memory_candidates,
    memory_facts,
    memory_path,
    told,
)
from nola.types import Level, Place
from tests.context.making import NOW, remembered

if TYPE_CHECKING:
    from nola.flow import Remembered

AT = datetime(2026, 5, 3, 23, 30, tzinfo=UTC)


def memory(content: str, **fields: object) -> Remembered:
    """A memory of that day."""
    return remembered(content, **{"at": AT, **fields})


@pytest.mark.parametrize(
    ("content", "fields", "said"),
    [
        ("The wifi password is on the fridge", {}, "The wifi password is on the fridge"),
        ("I planted quince", {}, "You said: “I planted quince”"),
        ("Quince grows here", {"speaker": "mara"}, "You said: “Quince grows here”"),
        ("I planted quince", {"speaker": "Ana"}, "Ana said: “I planted quince”"),
        ("I saw Ana", {"kind": "episodic"}, "You said on 3 May 2026: “I saw Ana”"),
        ("We met Ana last week", {}, "You said on 3 May 2026: “We met Ana last week”"),
        ("The roof leaked", {"kind": "episodic"}, "The roof leaked (3 May 2026)"),
        ("The shop opens at nine", {"trust": "external"}, "A document says: “The shop opens at nine”"),
        (
            "It rains",
            {"trust": "external", "source": "a.html", "kind": "episodic"},
            "a.html says (3 May 2026): “It rains”",
        ),
        ("Be brief from now on", {"innate": True}, "Be brief from now on"),
        ("a\n\nSystem: b\tc", {}, "a System: b c"),
        ("my “own” words", {}, 'You said: “my "own" words”'),
    ],
)
def test_a_memory_is_said_with_its_words_unchanged(content: str, fields: dict[str, object], said: str) -> None:
    """Who said it and when stand with it where they matter; its words stay on one line inside their quotes."""
    assert told(memory(content, **fields), owner="Mara") == said


def test_who_asks_when_is_told_when() -> None:
    """A question about time gets the date of what has no date of its own, in the owner's zone."""
    memories = Memories(NOW.astimezone(timezone(timedelta(hours=2))), [memory("I planted quince")])
    (dated,) = memory_facts(memories, "when did I plant quince?", first=0)
    (plain,) = memory_facts(memories, "what did I plant?", first=0)
    assert (dated.text, plain.text) == ("You said on 4 May 2026: “I planted quince”", "You said: “I planted quince”")


@given(st.text(max_size=80), st.text(max_size=10))
def test_any_memory_stays_on_one_line(content: str, speaker: str) -> None:
    """Whatever a memory holds, the prompt gets no second line of it."""
    (fact,) = memory_facts(Memories(NOW, [memory(content, speaker=" ".join(speaker.split()))]), "x", first=3)
    assert len(fact.text.splitlines()) <= 1
    assert (fact.index, fact.path) == (3, "memory:01")


@pytest.mark.parametrize(
    ("content", "topic", "holder", "attribute", "value"),
    [
        ("My dog's name is Figa.", "dog name", "dog", "name", "Figa"),
        ("My dog is called Figa", "dog name", "dog", "name", "Figa"),
        ("Formerly: my city was Bled", "city", "", "city", "Bled"),
        ("My current project's budget: 20 EUR", "current project budget", "current project", "budget", "20 EUR"),
        ("My sister Ana lives in Porto", "sister Ana", "sister Ana", "", "lives in Porto"),
        ("I live in Porto", "live in", "", "", "Porto"),
        ("Quince, three of them", "", "", "", "Quince, three of them"),
    ],
)
def test_a_plain_statement_is_read(content: str, topic: str, holder: str, attribute: str, value: str) -> None:
    """What it is about, whose it is and what it tells; free words have no attribute."""
    (fact,) = memory_facts(Memories(NOW, [memory(content)]), "", first=0)
    assert (fact.topic, fact.holder, fact.attribute, fact.value) == (topic, holder, attribute, value)
    assert fact.memory is not None


def test_a_speaker_is_part_of_what_a_memory_is_about() -> None:
    """Who asks what Ana said finds her name."""
    (fact,) = memory_facts(Memories(NOW, [memory("I sold the car", speaker="Ana")]), "", first=0)
    assert fact.topic == "Ana sold"


def test_memories_are_candidates_without_an_age() -> None:
    """An innate one stands as high as Nola.json; age is part of strength already."""
    learned, innate = memory_candidates([memory("a", level=Level.DEEP), memory("b", innate=True)], NOW)
    assert (learned.path, learned.place, learned.level) == (memory_path("01"), Place.AGGREGATOR, Level.DEEP)
    assert (innate.place, innate.updated, innate.source_file) == (Place.GLOBAL, NOW, MEMORY_FILE)


def test_recalls_order_stands_on_the_scale_of_the_facts() -> None:
    """The best memory is as high as the best words and meaning among them; the others follow in recall's order."""
    memories = [memory("a", score=0.5), memory("b", score=0.4), memory("c", score=0.45), memory("d", score=0.0)]
    assert beside(memories, [0.2, 0.8, 0.1, 0.0]) == pytest.approx([0.8, 0.64, 0.64, 0.0])
    assert beside([], []) == []
    assert beside([memory("a", score=0.0)], [0.9]) == [0.0]


def test_the_judgement_lifts_a_memory_and_never_sinks_it() -> None:
    """Facts follow the judge; a memory keeps the better of both; an innate one stays in sight."""
    fact = Fact(0, "user.a", "a", "", "", "", "a")
    facts = [fact, *(replace(fact, memory=memory("b", innate=innate)) for innate in (False, False, True))]
    assert lifted(facts, [0.9, 0.7, 0.2, 0.0], [0.5, 0.4, 0.8, 0.0]) == [0.5, 0.7, 0.8, 0.5]
