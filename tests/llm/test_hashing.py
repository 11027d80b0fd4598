"""Tests of the embedder that needs no model."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from nola.llm.hashing import HashingEmbedder

FACTS = """My dog is called Biscuit.
I work as a nurse at the hospital in Porto.
My sister Anna lives in Lyon with two cats.
The quarterly tax report is due on Friday.
I am allergic to peanuts.
The wifi password is on the fridge.
We met Tom at the climbing gym.
My car needs new brakes before winter.
I prefer tea over coffee in the morning.
The flight to Berlin leaves at seven.
Grandma's recipe for apple pie needs cinnamon.
I finished reading a book about volcanoes.
The plumber comes on Tuesday afternoon.
My favourite colour is green.
The garden needs watering twice a week.
I ran ten kilometres yesterday.
Our landlord raised the rent again.
The printer in the office is broken.
I am learning Portuguese with an app.
My dentist moved to another street.
The children start school in September.
I sold my old guitar last week.
The meeting with the bank was short.
My phone battery dies quickly.
We painted the bedroom blue.
The neighbours have a new baby.
I take the train to work.
My passport expires in March.
The concert tickets were expensive.
I keep the spare keys in the drawer.
The oven timer does not ring.""".splitlines()


@pytest.mark.row("P18")
@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("What is my dog's name, what is it called?", 0),
        ("Which allergies do I have?", 4),
        ("When is the tax report due?", 3),
        ("Where are the spare keys kept?", 29),
        ("Does my passport expire soon?", 27),
        ("Who did we meet when climbing?", 6),
    ],
)
def test_the_right_fact_is_the_nearest(question: str, fact: int) -> None:
    """Among 31 facts the one that shares the question's words is the nearest."""
    embedder = HashingEmbedder()
    facts, (asked,) = embedder.embed(FACTS), embedder.embed([question])
    assert len(FACTS) == 31
    assert int(np.argmax(facts @ asked)) == fact


@pytest.mark.row("D37")
def test_vectors_have_their_form() -> None:
    """Vectors are float32, of unit length and in the order of the texts, whatever the texts are."""
    texts = ["My dog", "", "x" * 100_000, "the of and", "🎉🎉", "名前", "\ud800", "\x00", "My dog"]
    vectors = HashingEmbedder().embed(texts)
    assert vectors.shape == (9, 256)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(vectors[0], vectors[8])
    assert HashingEmbedder().embed([]).shape == (0, 256)


def test_forms_of_a_word_are_near_and_strangers_are_not() -> None:
    """A stem joins the forms of a word, parts join a word and its misspelling, and what shares nothing is apart."""
    dog, dogs, climbing, climbign, tax = HashingEmbedder().embed(["dog", "Dogs!", "climbing", "climbign", "tax"])
    assert dog @ dogs > 0.8
    assert climbing @ climbign > 0.1
    assert abs(float(dog @ tax)) < 0.2


def test_vectors_are_the_same_in_every_process() -> None:
    """The features do not depend on Python's own hashing, which differs between processes."""
    code = "from nola.llm.hashing import HashingEmbedder as H; print(H().embed(['My dog']).tobytes().hex())"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == HashingEmbedder().embed(["My dog"]).tobytes().hex()
