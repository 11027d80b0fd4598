"""A message is split into the clauses that assert something."""

from __future__ import annotations

import pytest

from nola.memory.learn_clauses import MAX_TEXT, read


def _clauses(text: str) -> list[str]:
    return [clause.text for sentence in read(text).sentences for clause in sentence.clauses]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Well, I live in Porto", ["I live in Porto"]),
        ("I live in Porto and work at Acme", ["I live in Porto", "I work at Acme"]),
        ("I moved to Porto, what's the weather like?", ["I moved to Porto"]),
        ("My dentist is Dr. Ruiz. I'm 34.", ["My dentist is Dr. Ruiz", "I'm 34"]),
        ("Mein Geburtstag ist am 3. Mai", ["Mein Geburtstag ist am 3. Mai"]),
        ("we have two dogs and a parrot", ["we have two dogs", "we have a parrot"]),
        ("I'm 34 and from Porto", ["I'm 34", "I am from Porto"]),
        ("I live in Porto, right?", []),
        ("if I lived there, I'd surf and I live well", []),
        ("he said I live in Porto", []),
        ("Bob: I live in Porto. I work at Acme.", []),
        ("Translate: I live in Porto. I have a dog.", []),
        ("Pretend. I live in Porto.", []),
        ("I live in Porto. How do I say that in French?", []),
        ("I live in Porto. Just kidding!", []),
    ],
)
def test_only_what_is_asserted_is_kept(text: str, clauses: list[str]) -> None:
    """Questions, conditions, reports, labels, texts to work on and jokes leave no clause."""
    assert _clauses(text) == clauses


def test_quotations_are_masked_and_can_be_put_back() -> None:
    """A quotation is one character to the rules, and its words come back with or without their marks."""
    reading = read('my dog is called "Rex the Great"')
    (clause,) = (clause for sentence in reading.sentences for clause in sentence.clauses)
    assert "Rex" not in clause.text
    assert reading.words(clause.text) == 'my dog is called "Rex the Great"'
    assert reading.words(clause.text, marks=False) == "my dog is called Rex the Great"


def test_a_request_to_remember_is_taken_off_and_noted() -> None:
    """The words after a request to remember are the sentence's body."""
    (sentence,) = read("Please remember that the boiler is old").sentences
    assert (sentence.explicit, sentence.body) == (True, "the boiler is old")
    assert not read("Remember to buy milk").sentences[0].explicit


def test_a_greeting_is_remembered_for_the_introduction() -> None:
    """The sentence after a greeting may introduce the owner."""
    assert [c.greeted for s in read("Hi! I'm Mara.").sentences for c in s.clauses][-1]
    assert not read("I'm Mara.").sentences[0].clauses[0].greeted


def test_a_message_without_capitals_is_casual() -> None:
    """Capitals at the start of a sentence and the pronoun I do not count."""
    assert read("My dog is called rex and I like him").casual
    assert not read("my dog is called Rex").casual


def test_a_pasted_document_is_not_read() -> None:
    """Nothing is read from a message that is longer than the limit."""
    assert read("I live in Porto. " * (MAX_TEXT // 16)).sentences == ()
