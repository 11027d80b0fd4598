"""Nouns of five languages lead to one key."""

from __future__ import annotations

from nola.memory.learn_words import PETS, RELATIONS, canonical, joined, lookup


def test_nouns_have_one_key() -> None:
    """Synonyms, other languages and accents lead to the English key."""
    assert [lookup(noun, RELATIONS) for noun in ("sister", "Hermana", "Schwester", "sœur", "irmã")] == ["sister"] * 5
    assert lookup("perro", PETS) == "dog"
    assert lookup("sofa", PETS) is None


def test_an_unknown_noun_is_its_own_key() -> None:
    """A free noun becomes a step of a path."""
    assert canonical("shoe size") == "shoe_size"
    assert canonical("Farbe") == "colour"


def test_compound_nouns_are_joined() -> None:
    """A noun of two words is one word to the rules."""
    assert joined("my guinea pig is called Bo") == "my guinea-pig is called Bo"
    assert joined("I like guinea pigs") == "I like guinea pigs"
