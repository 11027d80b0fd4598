"""Statements of the owner are recognised, and nothing else is."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.flow import Proposal
from nola.memory.learn import recognise

ITEMS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "statements" / "own.json").read_text(encoding="utf-8")
)


def _told(proposal: Proposal) -> dict[str, Any]:
    told: dict[str, Any] = {"path": proposal.path, "value": proposal.value}
    return told | ({"append": True} if proposal.append else {}) | ({"remove": True} if proposal.remove else {})


def _paths(text: str, known: dict[str, Any] | None = None) -> list[str]:
    return [proposal.path for proposal in recognise(text, known=known or {})]


def test_the_labelled_set_is_large_and_mostly_silent() -> None:
    """The set holds at least 220 messages, and at least 110 of them must not write."""
    assert len(ITEMS) >= 220
    assert sum(not item["expect"] for item in ITEMS) >= 110


def test_precision_and_recall_on_the_labelled_set() -> None:
    """Of what is proposed at least 97 % is right, and at least 92 % of what is told is proposed."""
    right = proposed = wanted = 0
    misses = []
    for item in ITEMS:
        told = [_told(p) for p in recognise(item["text"], known=item.get("known", {}))]
        hits = [one for one in told if one in item["expect"]]
        right, proposed, wanted = right + len(hits), proposed + len(told), wanted + len(item["expect"])
        if len(hits) != len(told) or len(hits) != len(item["expect"]):
            misses.append(f"{item['text']!r}: wanted {item['expect']}, got {told}")
    report = "\n".join(misses)
    assert right / proposed >= 0.97, report
    assert right / wanted >= 0.92, report


def test_a_proposal_names_its_rule_and_the_words() -> None:
    """A proposal carries the rule that made it and the clause that says so."""
    (proposal,) = recognise("Hi! My dog is called Biscuit, what does he eat?", known={})
    assert proposal == Proposal("user.pets.dog.name", "Biscuit", "pets-name", "My dog is called Biscuit")


def test_a_known_key_is_replaced_rather_than_twinned() -> None:
    """A value goes to the key that the owner's file already has for it."""
    assert _paths("I moved to Porto", {"residence": {"town": "Braga"}}) == ["user.home.city"]
    assert _paths("I moved to Porto", {"residence": {"city": "Braga"}}) == ["user.residence.city"]
    assert _paths("My number is 912 000 111", {"contact": {"mobile": "91"}}) == ["user.contact.mobile"]
    assert _paths("My wife is called Ana", {"people": {}, "wife": {"name": "Eva"}}) == ["user.wife.name"]


def test_the_same_value_is_not_proposed_again() -> None:
    """What is known already proposes nothing, whatever its case."""
    assert _paths("I live in porto", {"city": "Porto"}) == []
    assert _paths("I'm allergic to Peanuts", {"health": {"allergies": ["peanuts"]}}) == []


def test_the_later_of_two_statements_stands() -> None:
    """Of two statements on one path in a message the later one counts."""
    proposals = recognise("I live in Lyon. Sorry, I live in Porto.", known={})
    assert [(p.path, p.value) for p in proposals] == [("user.home.city", "Porto")]


def test_several_items_join_a_value_that_is_no_list_yet() -> None:
    """Two new items and an old plain value become one list."""
    (proposal,) = recognise("I hate olives and liver", known={"dislikes": "raisins"})
    assert proposal.value == ["raisins", "olives", "liver"]
    assert not proposal.append


def test_a_free_text_to_remember_is_kept_in_the_owners_words() -> None:
    """What no rule knows becomes a note when the owner asks to remember it."""
    (proposal,) = recognise("Remember: the spare key is under the pot.", known={"notes": ["old"]})
    assert (proposal.path, proposal.value, proposal.append) == ("user.notes", "the spare key is under the pot", True)
    assert recognise("The spare key is under the pot.", known={}) == ()


@pytest.mark.parametrize(
    "text",
    [
        "remember that my wifi password is hunter2",
        "remember: my PIN is 4821",
        "remember my card is 4111 1111 1111 1111",
        "remember that the key is sk-abcdEFGH1234567890xyz",
    ],
)
def test_secrets_are_never_proposed(text: str) -> None:
    """Passwords, PINs, card numbers and keys are not kept, even when asked."""
    assert recognise(text, known={}) == ()


def test_a_value_is_at_most_200_characters() -> None:
    """A long note is cut at a word, and a long value is none."""
    (proposal,) = recognise("remember that " + "the attic is full of boxes " * 20, known={})
    assert len(str(proposal.value)) <= 200
    assert recognise("my favourite colour is " + "x" * 201, known={}) == ()


def test_odd_shapes_of_the_known_data_do_no_harm() -> None:
    """A list, a number or a null where an object is expected leads to no proposal that can't be written."""
    assert _paths("my dog is called Rex", {"pets": ["a dog"]}) == []
    assert _paths("I live in Porto", {"home": None}) == ["user.home"]
    assert _paths("I live in Porto", {"home": [1, 2]}) in ([], ["user.home"])
    assert _paths("my favourite colour is green", {"favourites": 3}) == []


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=300))
def test_arbitrary_text_never_raises(text: str) -> None:
    """Any text is read without an error."""
    assert isinstance(recognise(text, known={"name": "Mara", "pets": {"dog": {"name": "Rex"}}}), tuple)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "remember that my dog sister isn't is called Rex Anna I 'm live in Porto work at Acme , . ? ! \" ' and but "
            "if not \x00 🎉 like hate call me : - 34 allergic to nuts mi perro se llama ich heiße je m'appelle".split(
                " "
            )
        ),
        max_size=40,
    )
)
def test_jumbled_statements_never_raise(words: list[str]) -> None:
    """Fragments of statements in any order are read without an error, and every value is short."""
    for proposal in recognise(" ".join(words), known={"likes": ["nuts"], "pets": {"dog": "Rex"}}):
        assert proposal.path.startswith("user.")
        assert len(json.dumps(proposal.value, ensure_ascii=False)) <= 250


@pytest.mark.parametrize(
    "text",
    [
        "I live in Porto. " * 6_000,
        "my dog is called " * 6_000,
        "\x00" * 100_000,
        "🎉" * 100_000,
        '"' * 100_000,
        "(" * 7_999,
        "my my my " * 880,
        "I like " + "a, " * 2_600,
        "remember that " * 560,
        "1" * 7_999,
        "a-b" * 2_600,
    ],
)
def test_a_long_text_takes_less_than_a_second(text: str) -> None:
    """A hundred kilobytes, or the longest text that is read, is done within a second."""
    started = time.perf_counter()
    recognise(text, known={})
    assert time.perf_counter() - started < 1
