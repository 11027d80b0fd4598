"""A fact becomes changes only when it says something new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.flow import Proposal
from nola.memory.learn_changes import Saying, corrected, noted, proposed
from nola.memory.learn_patterns import Rule, fact

if TYPE_CHECKING:
    from nola.types import Json

RULE = Rule("test", "", ())


def _changes(known: dict[str, Json], path: str, value: Json, mode: str = "set") -> list[tuple[str, Json, bool, bool]]:
    made = proposed(Saying(known, RULE, "words"), fact(path, "free", mode=mode), path, value)
    return [(p.path, p.value, p.append, p.remove) for p in made or []]


def test_a_new_value_is_set_and_a_known_one_is_not() -> None:
    """Only a difference is proposed, and a shorter form of a name is none."""
    assert _changes({}, "age", 34) == [("user.age", 34, False, False)]
    assert _changes({"age": 34}, "age", 34) == []
    assert _changes({"name": "Mara Vesel"}, "name", "Mara") == []


def test_items_are_appended_and_leave_the_opposite_list() -> None:
    """What is liked now is no longer disliked."""
    assert _changes({"dislikes": ["tea"]}, "likes", ["tea"], "append") == [
        ("user.likes", "tea", True, False),
        ("user.dislikes.0", None, False, True),
    ]


def test_only_what_stands_there_is_removed() -> None:
    """A removal asks for the known value."""
    assert _changes({"city": "Porto"}, "home.city", "Porto", "remove") == [("user.city", None, False, True)]
    assert _changes({"city": "Braga"}, "home.city", "Porto", "remove") == []
    assert _changes({"pets": {"dog": {"name": "Rex"}}}, "pets.dog", "dog", "drop") == [
        ("user.pets.dog", None, False, True)
    ]


def test_the_first_name_told_is_the_name() -> None:
    """A nickname is the name while none is known."""
    assert _changes({}, "nickname", "Mara") == [("user.name", "Mara", False, False)]
    assert _changes({"name": "Margarida"}, "nickname", "Mara") == [("user.nickname", "Mara", False, False)]


def test_a_country_alone_is_no_city() -> None:
    """`I live in Portugal` fills the country unless a city is known."""
    assert _changes({}, "home.city", "Portugal")[0][0] == "user.home.country"
    assert _changes({"city": "Berlin"}, "home.city", "Portugal")[0][0] == "user.city"


def test_a_note_is_kept_once() -> None:
    """The same words are not noted twice."""
    assert noted({}, "the key", RULE) == [Proposal("user.notes", "the key", "test", "the key", append=True)]
    assert noted({"notes": ["The key"]}, "the key", RULE) == []


def test_a_correction_needs_exactly_one_old_value() -> None:
    """`it's Rex, not Biscuit` changes the one value that is Biscuit."""
    assert [p.path for p in corrected({"dog": "Biscuit"}, "Biscuit", "Rex", RULE, "w")] == ["user.dog"]
    assert corrected({"dog": "Biscuit", "cat": "Biscuit"}, "Biscuit", "Rex", RULE, "w") == []
