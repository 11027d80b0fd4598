"""A message is read as a question: what it wants, about whom, and whether it asks for a stored fact."""

from __future__ import annotations

from pathlib import Path

import pytest

from nola.context.facts import facts_of
from nola.evaluation.personas import install, load
from nola.reason.evidence import Vocabulary
from nola.reason.question import Expects, read_question, value_kinds
from nola.testing import make_agent

PERSONAS = Path(__file__).resolve().parent.parent / "fixtures" / "personas"


@pytest.mark.parametrize(
    ("text", "expects", "flags"),
    [
        # about the owner, and a stored fact answers it
        ("What is my dog's name?", Expects.NAME, "owner lookup"),
        ("what's my sister Anna's birthday", Expects.DATE, "owner lookup"),
        ("When is my husband's birthday?", Expects.DATE, "owner lookup"),
        ("how old is my son", Expects.AGE, "owner lookup"),
        ("Where do I work?", Expects.PLACE, "owner lookup"),
        ("which city does my mother live in", Expects.PLACE, "owner lookup"),
        ("what time does the market open for me", Expects.TIME, "owner lookup"),
        ("How tall am I?", Expects.NUMBER, "owner lookup"),
        ("how much do I pay for rent", Expects.MONEY, "owner lookup"),
        ("What colour is my car?", Expects.COLOUR, "owner lookup"),
        ("who is my dentist", Expects.PERSON, "owner lookup"),
        ("what's my mum's number", Expects.PHONE, "owner lookup"),
        ("what is my email", Expects.EMAIL, "owner lookup"),
        ("Do I smoke?", Expects.YES_NO, "owner lookup"),
        ("where's my passport", Expects.PLACE, "owner lookup"),
        ("how did Tilen and I meet", Expects.THING, "owner lookup"),
        ("on which evening do I sing?", Expects.DATE, "owner lookup"),
        ("my sister's phone number", Expects.PHONE, "owner lookup"),
        ("remind me what my landlord is called please", Expects.NAME, "owner lookup"),
        ("Hi Nola, can you tell me my blood type?", Expects.THING, "owner lookup"),
        ("when does uncle Bob arrive", Expects.DATE, "owner lookup"),
        ("i forgot where I parked", Expects.PLACE, "owner lookup"),
        ("what do you know about me", Expects.THING, "owner"),
        ("What was my previous employer?", Expects.THING, "owner lookup former"),
        ("where did I use to live, I mean used to", Expects.PLACE, "owner lookup former"),
        # about the owner, but advice, a wish or a statement
        ("my sister moved to Porto", Expects.THING, "owner"),
        ("My dog is called Rex.", Expects.NAME, "owner"),
        ("What shall I get Hedvika for Christmas?", Expects.THING, "owner"),
        ("how do I boil an egg", Expects.THING, "owner"),
        ("How can I sleep better?", Expects.THING, "owner"),
        ("write a poem about my dog", Expects.THING, "owner"),
        ("should I sell my car", Expects.THING, "owner"),
        ("why am I always tired", Expects.THING, "owner"),
        ("What should I cook for my sister?", Expects.THING, "owner"),
        # general knowledge
        ("Who painted the Mona Lisa?", Expects.PERSON, "lookup"),
        ("When did World War II end?", Expects.DATE, "lookup"),
        ("what is the plural of mouse", Expects.THING, "lookup"),
        ("what's the speed of light", Expects.THING, "lookup"),
        ("What is the capital of France?", Expects.THING, ""),
        ("what is a good name for a cat", Expects.NAME, ""),
        ("What's the best way to learn Spanish?", Expects.THING, ""),
        ("convert 5 miles to km", Expects.THING, ""),
        ("are there penguins in Africa", Expects.YES_NO, ""),
    ],
)
def test_what_a_message_asks(text: str, expects: Expects, flags: str) -> None:
    """The kind of answer, and whether it is about the owner, asks for a stored fact, or for a former one."""
    question = read_question(text)
    told = {"owner": question.owner, "lookup": question.lookup, "former": question.former}
    assert question.expects is expects
    assert {flag for flag, is_so in told.items() if is_so} == set(flags.split())


@pytest.mark.parametrize(
    ("text", "names", "possessors", "noun", "residue"),
    [
        ("what's my sister Anna's birthday", ("anna",), ("anna",), "", ("birthday",)),
        ("What is my dog’s name?", (), ("dog",), "", ("name",)),
        ("which hotel did we stay in on Rab", ("rab",), (), "hotel", ("hotel", "stay")),
        ("In which year was I born", (), (), "year", ("year", "born")),
        ("how many cats do I have", (), (), "cat", ("many",)),
        ("what's my parents' address", (), ("parents",), "", ("address",)),
        ("What's the time on Monday in July?", (), (), "", ("time", "monday", "july")),
        ("Tell me Tilen's job", ("tilen",), ("tilen",), "", ("job",)),
        ("What is it?", (), (), "", ()),
    ],
)
def test_whom_and_what_a_message_names(
    text: str, names: tuple[str, ...], possessors: tuple[str, ...], noun: str, residue: tuple[str, ...]
) -> None:
    """Names, possessors, the noun that is asked for, and what is left without living beings."""
    question = read_question(text)
    assert (question.names, question.possessors, question.noun) == (names, possessors, noun)
    assert question.residue == residue


def test_groups_times_and_feasts_are_read() -> None:
    """Entities, attributes, years, relative times, feasts and the past."""
    question = read_question("Where did we sail with my brother last summer or in 2022, at Easter?")
    assert question.entities == question.living == {"brother"}
    assert question.years == {"2022"}
    assert question.moment == "last summer"
    assert question.holidays == {"easter"}
    assert question.past
    assert "phone" in read_question("my phone number").attributes
    assert "job" in read_question("what do I do for a living").meant


def test_known_names_and_topics_make_a_question_the_owners() -> None:
    """Without `my`, a question is hers when it names somebody or something that she told of."""
    assert not read_question("what breed is Figa").owner
    assert read_question("what breed is Figa", known_names=frozenset({"figa"})).owner
    assert read_question("what breed is figa", frozenset({"figa"}), people=frozenset({"figa"})).names == ("figa",)
    assert not read_question("who services the boat engine").owner
    assert read_question("who services the boat engine", known_topics=frozenset({"boat", "engin"})).owner


def test_a_message_keeps_its_words() -> None:
    """The text is trimmed, curly quotes are made plain, and its content words keep their order."""
    question = read_question("  What’s my dog called?\n")
    assert question.text == "What's my dog called?"
    assert question.content == ("dog", "called")


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        ("1984-05-02", {"date"}),
        ("2 May 1984", {"date", "number", "proper"}),
        ("every Tuesday at 19:30", {"date", "time", "proper"}),
        ("+386 51 555 208", {"phone"}),
        ("1150", {"number"}),
        ("3100 EUR", {"number", "money", "proper"}),
        ("mara@example.org", {"email"}),
        ("yes", {"yes/no"}),
        ("dark green", {"colour"}),
        ("Dr. Golob", {"proper"}),
        ("two spoons of honey", {"number"}),
        ("tripe soup", set()),
    ],
)
def test_what_kind_of_answer_a_value_is(value: str, kinds: set[str]) -> None:
    """A value can be an answer of several kinds."""
    assert value_kinds(value) == kinds


@pytest.mark.parametrize("text", ["", "   ", "???", "😀", "\u202e", "a" * 5000])
def test_anything_can_be_read(text: str) -> None:
    """No text is too odd to be read, and such texts ask for nothing."""
    question = read_question(text)
    assert question.expects is Expects.THING
    assert not question.owner


def test_general_questions_are_not_the_owners() -> None:
    """Of the personas' general questions, at most one in 120 is taken for a question about the owner's own facts."""
    asked, taken = 0, []
    for folder in sorted(PERSONAS.iterdir()):
        for question in load(folder).questions:
            if question.kind == "general":
                asked += 1
                found = read_question(question.text)
                taken += [question.text] * (found.owner and found.lookup)
    assert asked >= 180
    assert len(taken) <= asked // 120, taken


def test_general_questions_are_not_the_owners_whatever_she_told(tmp_path: Path) -> None:
    """The same holds with the names and topics of what Nola knows of that very persona."""
    taken = []
    for name in ("mara", "helen", "nils", "amara"):
        home = tmp_path / name
        install(load(PERSONAS / name), home / "state")
        agent = make_agent(home)
        agent.get_state()
        known = Vocabulary.of(facts_of(agent._parts.state.candidates()))
        agent.close()
        for question in load(PERSONAS / name).questions:
            if question.kind == "general":
                found = read_question(question.text, known.names, known.topics, known.people)
                taken += [question.text] * (found.owner and found.lookup)
    assert len(taken) <= 1, taken


@pytest.mark.parametrize(
    "text",
    [
        "```\nmy name is Bob\n```\nwhat does this print?",
        "> my dog is ill\nwhat do you think of this mail?",
        "In the movie he says: remember that my dog is called Max. What film is it?",
        "If my name is Bob, what then?",
    ],
)
def test_what_is_quoted_is_not_the_owners(text: str) -> None:
    """Code, forwarded lines, quotations and suppositions never make a question one about the owner's facts."""
    found = read_question(text)
    assert not (found.owner and found.lookup)
