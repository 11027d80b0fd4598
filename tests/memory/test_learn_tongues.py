"""The common statements are recognised in four more languages."""

from __future__ import annotations

import pytest

from nola.memory.learn import recognise


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("me llamo Mara", "user.name", "Mara"),
        ("mi perro se llama Rex", "user.pets.dog.name", "Rex"),
        ("ich heiße Mara", "user.name", "Mara"),
        ("mein Hund heißt Rex", "user.pets.dog.name", "Rex"),
        ("ich wohne in Porto", "user.home.city", "Porto"),
        ("je m'appelle Mara", "user.name", "Mara"),
        ("mon chien s'appelle Rex", "user.pets.dog.name", "Rex"),
        ("j'habite à Porto", "user.home.city", "Porto"),
        ("chamo-me Mara", "user.name", "Mara"),
        ("meu nome é Mara", "user.name", "Mara"),
        ("meu cachorro se chama Rex", "user.pets.dog.name", "Rex"),
        ("moro em Porto", "user.home.city", "Porto"),
    ],
)
def test_common_forms(text: str, path: str, value: str) -> None:
    """Name, dog and town are recognised in Spanish, German, French and Portuguese."""
    assert [(p.path, p.value) for p in recognise(text, known={})] == [(path, value)]


@pytest.mark.parametrize(
    "text", ["no vivo en Madrid", "ich wohne nicht in Berlin", "je n'habite pas à Paris", "não moro em Lisboa"]
)
def test_negations_write_nothing(text: str) -> None:
    """A negated statement proposes nothing."""
    assert recognise(text, known={}) == ()
