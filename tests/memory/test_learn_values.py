"""Values are cleaned, and secrets are told."""

from __future__ import annotations

import pytest

from nola.memory.learn_values import brief, is_secret, note, several, trim, unhurried


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("Porto now", "Porto"),
        ("Porto last week, by the way!", "Porto"),
        ("Porto 🎉🎉", "Porto"),
        ("Acme since 2019", "Acme"),
        ("green because it calms me", "green"),
        ("Rex - he is old", "Rex"),
    ],
)
def test_fillers_are_trimmed(words: str, value: str) -> None:
    """Fillers, marks, emoji and the next thought come off the end."""
    assert trim(words) == value


def test_any_more_stays_on_a_clause() -> None:
    """`any more` changes the sense, other fillers do not."""
    assert unhurried("I'm retired at the moment") == "I'm retired"
    assert unhurried("I don't have a dog any more") == "I don't have a dog any more"


def test_enumerations_are_split() -> None:
    """Commas and `and` part items, fixed pairs stay whole."""
    assert several("nuts, milk and eggs") == ["nuts", "milk", "eggs"]
    assert several("fish and chips") == ["fish and chips"]


def test_notes_are_folded_and_cut() -> None:
    """A note has single spaces, no final dot and at most 200 characters."""
    assert note("the  key\nis here.") == "the key is here"
    assert len(note("word " * 100)) <= 200


def test_brief_counts_words() -> None:
    """A text is brief between one word and the limit."""
    assert brief("a b", 2)
    assert not brief("a b c", 2)
    assert not brief("", 2)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password is x", True),
        ("my PIN is 1234", True),
        ("4111 1111 1111 1111", True),
        ("4111 1111 1111 1112", False),
        ("DE89 3704 0044 0532 0130 00", True),
        ("ghp_abcdefghijklmnop1234", True),
        ("la contraseña es perro", True),
        ("my phone is +351 912 345 678", False),
        ("my password manager is Bitwarden", False),
        ("I like spinning", False),
    ],
)
def test_secrets(text: str, secret: bool) -> None:  # noqa: FBT001  # the expected answer
    """Passwords, PINs, card and account numbers and keys are secrets."""
    assert is_secret(text) is secret
