"""Words become a value of the kind that a place holds, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.memory.learn_kinds import value_of

if TYPE_CHECKING:
    from nola.types import Json


@pytest.mark.parametrize(
    ("kind", "words", "value"),
    [
        ("age", "34", 34),
        ("age", "340", None),
        ("count", "two", 2),
        ("year", "1990", 1990),
        ("date", "the 3rd of May, please", "3rd of May"),
        ("date", "17/02/1990", "17/02/1990"),
        ("date", "tomorrow", None),
        ("phone", "+351 912 345 678 now", "+351 912 345 678"),
        ("phone", "12", None),
        ("email", "mara@example.com, ok", "mara@example.com"),
        ("job", "a nurse", "nurse"),
        ("job", "a data engineer", "data engineer"),
        ("job", "a morning person", None),
        ("job", "a beginner", None),
        ("diet", "vegetarian", "vegetarian"),
        ("demonym", "Portuguese", "Portuguese"),
        ("demonym", "tired", None),
        ("liked", "black coffee a lot", ["black coffee"]),
        ("liked", "hiking, chess and tea", ["hiking", "chess", "tea"]),
        ("liked", "mac and cheese", ["mac and cheese"]),
        ("liked", "this answer", None),
        ("liked", "the second option", None),
        ("liked", "the sea", ["the sea"]),
        ("avoided", "breakfast late", None),
        ("played", "the cello", ["cello"]),
        ("preferred", "tea to coffee", ["tea to coffee"]),
        ("preferred", "the shorter one", None),
        ("tongues", "Spanish and a little Dutch", ["Spanish", "Dutch"]),
        ("tongues", "too fast", None),
        ("condition", "asthma", ["asthma"]),
        ("condition", "a cold", None),
        ("model", "a Skoda Fabia", "Skoda Fabia"),
        ("model", "broken", None),
        ("breed", "a labrador", "labrador"),
        ("breed", "a menace", None),
        ("measure", "70 kg", "70 kg"),
        ("taste", "green", "green"),
        ("taste", "the one on the left", None),
        ("free", "tomorrow", None),
    ],
)
def test_kinds(kind: str, words: str, value: Json) -> None:
    """Each kind takes what belongs to it and rejects what does not."""
    assert value_of(kind, words, casual=False) == value


def test_an_overlong_value_is_none() -> None:
    """A value of more than 200 characters is rejected."""
    assert value_of("free", "x" * 201, casual=False) is None
