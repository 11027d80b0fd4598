"""A leaf becomes a short sentence to the owner, with its value word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.context.sentence import Label, label_of, render_value, sentence, topic

if TYPE_CHECKING:
    from nola.types import Json

OWN = Label("", "", "", named=False)


@pytest.mark.parametrize(
    ("module", "keys", "beside", "label"),
    [
        ("user", ["name"], {}, Label("", "name", "", named=False)),
        ("user", ["pets", "dog", "name"], {}, Label("dog", "name", "", named=False)),
        ("user", ["pets", "dog", "breed"], {("pets", "dog"): {"name": "Figa"}}, Label("dog Figa", "breed", "", True)),  # noqa: FBT003 -- named
        (
            "user",
            ["family", "0", "phone"],
            {("family", "0"): {"name": "Zdenka", "relation": "mother"}},
            Label("mother Zdenka", "phone", "", named=True),
        ),
        ("user", ["children", "0", "name"], {("children", "0"): {"name": "Ela"}}, Label("child", "name", "", True)),  # noqa: FBT003
        ("boat", ["engine", "mechanic"], {}, Label("engine", "mechanic", "boat", named=False)),
        ("Nola", ["name"], {}, Label("assistant", "name", "", named=True)),
        ("machineID", ["cpu", "cores"], {}, Label("computer cpu", "cores", "", named=False)),
        ("user", ["notes", "0"], {}, Label("notes", "note", "", named=False)),
        ("user", ["favouriteColour"], {}, Label("", "favourite colour", "", named=False)),
    ],
)
def test_a_leaf_is_called_by_its_path_and_by_the_names_beside_it(
    module: str, keys: list[str], beside: dict[tuple[str, ...], dict[str, Json]], label: Label
) -> None:
    """The holder is a person, animal or thing; a list item bears its relation and name."""
    assert label_of(module, keys, beside) == label


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (False, "no"),
        (172, "172"),
        (9.4, "9.4"),
        (" Porto ", "Porto"),
        ([], ""),
        (["penicillin"], "penicillin"),
        (["Miu", "Mau"], "Miu and Mau"),
        (["a", 2, True], "a, 2 and yes"),
    ],
)
def test_a_value_stands_as_the_owner_wrote_it(value: Json, text: str) -> None:
    """Lists and truth values are said in words, all else is unchanged."""
    assert render_value(value) == text


@pytest.mark.parametrize(
    ("label", "value", "said"),
    [
        (Label("dog", "name", "", named=False), "Figa", "Your dog's name is Figa."),
        (Label("dog Figa", "afraid of", "", named=True), "thunder", "Your dog Figa is afraid of thunder."),
        (Label("", "likes", "", named=False), "chess and figs", "You like chess and figs."),
        (Label("", "allergies", "health", named=False), "penicillin", "You are allergic to penicillin."),
        (Label("", "height cm", "", named=False), "172", "Your height is 172 cm."),
        (Label("", "height cm", "", named=False), "tall", "Your height cm is tall."),
        (Label("", "smoker", "", named=False), "no", "Your smoker: no."),
        (Label("friend Oskar", "note", "", named=True), "has our key", "About your friend Oskar: has our key."),
        (Label("", "bio", "", named=False), "Grew up by the sea.", "About you: Grew up by the sea."),
        (Label("", "berth", "boat", named=False), "every winter in Izola", "Your boat berth: every winter in Izola."),
        (Label("", "tyres", "", named=False), "worn", "Your tyres are worn."),
        (Label("", "address", "", named=False), "Quay 4", "Your address is Quay 4."),
        (Label("hip operation", "what", "health", named=False), "left", "Your hip operation is left."),
        (Label("", "boat name", "boat", named=False), "Burja", "Your boat name is Burja."),
        (Label("", "motto", "", named=False), "Never again!", "Your motto is Never again!"),
    ],
)
def test_a_leaf_is_said_to_the_owner(label: Label, value: str, said: str) -> None:
    """Attributes that are verbs, units, notes and clauses each have their form."""
    assert sentence(label, value) == said


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1).map(str.strip).filter(bool),
    st.sampled_from(["name", "likes", "note", "height cm", "what", "allergic to", "tyres"]),
    st.sampled_from(["", "dog", "sister Ana"]),
)
def test_the_value_stands_word_for_word(value: str, attribute: str, holder: str) -> None:
    """Whatever the owner wrote stands in the sentence unchanged, but for a last full stop."""
    assert value.removesuffix(".") in sentence(Label(holder, attribute, "", named=bool(holder)), value)


def test_the_topic_says_what_a_leaf_is_about() -> None:
    """Module, holder and attribute are what search reads beside the value."""
    assert topic(Label("engine", "mechanic", "boat", named=False)) == "boat engine mechanic"
    assert topic(Label("", "name", "", named=False)) == "name"
