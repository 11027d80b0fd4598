"""She knows what is known: which facts answer, what is unknown, and whether a reply holds a value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.context.facts import Fact
from nola.reason.answerable import Judgement
from nola.reason.metacognition import (
    Assessment,
    Metacognition,
    best_facts,
    gather,
    holds,
    is_refusal,
    judged_rows,
    what_is_asked,
)
from nola.reason.question import read_question
from nola.settings import UnknownSettings
from tests.context.making import ranked, remembered
from tests.reason.test_evidence import USER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nola.context.select import Ranking
    from nola.types import Json

STATE: dict[str, Json] = {"user": USER, "Nola": {"likes": "tea"}, "machineID": {"cpu_cores": 4, "disk_free": "12 GB"}}


def assessed(text: str, **settings: float) -> tuple[Assessment, Ranking]:
    """What is known about a message of the literal owner, by words alone."""
    ranking = ranked(text, STATE)
    return Metacognition(UnknownSettings(**settings)).assess(text, ranking), ranking  # type: ignore[arg-type]


# --- what is known ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("What is my dog's name?", "Your dog's name is Figa."),
        ("when is my husband's birthday", "Your husband Tilen's birthday is 2 November 1980."),
        ("how tall am I", "Your height is 172 cm."),
        ("how many cpu cores does my computer have", "Your computer's cpu cores are 4."),
    ],
)
def test_what_answers_a_question_is_known(text: str, best: str) -> None:
    """The fact that answers comes first among those that may be quoted, and nothing is unknown."""
    found, ranking = assessed(text)
    assert found.unknown == ()
    assert ranking.facts[found.best[0]].text == best
    assert found.confidence >= UnknownSettings().threshold
    assert found.chances[0][0] == found.best[0]


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("What is my cat's name?", "your cat's name"),
        ("when is my sister's birthday", "when your sister's birthday is"),
        ("what is my email", "your email"),
        ("how much did I pay for my car", "how much did I pay for my car?"),
    ],
)
def test_what_nothing_answers_is_unknown(text: str, unknown: str) -> None:
    """A question about the owner that no fact answers is named, and nothing is quoted."""
    found, _ = assessed(text)
    assert found.unknown == (unknown,)
    assert found.best == ()
    assert found.confidence < UnknownSettings().threshold


@pytest.mark.parametrize(
    ("text", "told", "unknown"),
    [
        ("how much is my mortgage?", "The bank raised the mortgage to 950 euros in June", False),
        ("how much is my mortgage?", "The bank painted its door in June", True),
        ("what is my email", "I wrote to Ana by the river", True),
        ("What is my cat's name?", "My cat's name is Miso", False),
    ],
)
def test_a_memory_may_answer(text: str, told: str, unknown: bool) -> None:  # noqa: FBT001 -- a table
    """One in free words that speaks of the very thing is left to the model, and may be quoted; another is not."""
    ranking = ranked(text, STATE, memories=[remembered(told)])
    found = Metacognition(UnknownSettings()).assess(text, ranking)
    assert bool(found.unknown) is unknown
    assert [ranking.facts[row].memory for row in found.best] == ([] if unknown else [remembered(told)])


@pytest.mark.parametrize(("speaker", "unknown"), [("Ana", False), ("", True)])
def test_what_the_named_person_said_is_left_to_the_model(speaker: str, unknown: bool) -> None:  # noqa: FBT001 -- a table
    """Recall tells who said it; a sentence about the same thing by nobody in particular does not answer for Ana."""
    text = "what did Ana take away from our pottery class?"
    said = remembered(
        "The pottery class has taught me patience", speaker=speaker, parts={"speaker": 0.2} if speaker else {}
    )
    found = Metacognition(UnknownSettings()).assess(text, ranked(text, STATE, memories=[said]))
    assert bool(found.unknown) is unknown


def test_the_words_of_memories_are_not_kept() -> None:
    """The vocabulary of the state is made once; memories come and go with the message."""
    judge, asked = Metacognition(UnknownSettings()), "what is my cat's name"
    remembering = ranked(asked, STATE, memories=[remembered("My cat's name is Miso")])
    assert judge.assess(asked, remembering).unknown == ()
    alone = {name: getattr(remembering, name)[:-1] for name in ("facts", "rows", "scores")}
    assert judge.assess(asked, replace(remembering, **alone)).unknown == ("your cat's name",)


@pytest.mark.parametrize("text", ["Who painted the Mona Lisa?", "how do I boil an egg", "hello!", "I love my sister"])
def test_what_is_no_look_up_is_never_unknown(text: str) -> None:
    """General questions, advice and statements are the model's to answer."""
    found, _ = assessed(text)
    assert found.unknown == ()


def test_nothing_is_unknown_when_it_is_switched_off() -> None:
    """The setting `unknown.enabled` leaves every question to the model."""
    found, _ = assessed("What is my cat's name?", enabled=False)
    assert found.unknown == ()
    assert found.chances


def test_the_threshold_decides() -> None:
    """With a threshold of 0 everything counts as known, with 1 nothing does."""
    assert assessed("What is my cat's name?", threshold=0.0)[0].unknown == ()
    assert assessed("What is my dog's name?", threshold=1.0)[0].unknown == ("your dog's name",)


def test_nothing_known_makes_every_question_unknown() -> None:
    """An empty state is no error."""
    ranking = ranked("what is my name", {})
    assert Metacognition(UnknownSettings()).assess("what is my name", ranking).unknown == ("your name",)


def test_words_of_all_facts_are_kept_while_they_stand() -> None:
    """The vocabulary is made once for the same facts, and anew for others."""
    mind = Metacognition(UnknownSettings())
    first = ranked("x", STATE)
    mind.assess("what is my name", first)
    kept = mind._known
    mind.assess("how tall am I", first)
    assert mind._known is kept
    mind.assess("how tall am I", ranked("x", {"user": {"name": "Ana"}}))
    assert mind._known is not kept


# --- sharpening -------------------------------------------------------------------------------------------------------
def test_what_answers_rises() -> None:
    """Four tenths of a judged fact's relevance are the cube root of its chance; others lose that share."""
    mind = Metacognition(UnknownSettings(answer_share=0.4))
    question = read_question("x")
    assert mind.sharpen([0.5, 0.5, 1.0], Assessment(question, (), (), 0.9)) == [0.5, 0.5, 1.0]
    sharp = mind.sharpen([0.5, 0.5, 1.0], Assessment(question, (), (), 0.9, ((0, 0.729), (1, 0.0))))
    assert list(sharp) == pytest.approx([0.6 * 0.5 + 0.4 * 0.9, 0.3, 0.6])


# --- which facts are judged -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("what do I like", {"user"}),
        ("what do you like", {"user", "Nola"}),
        ("how much disk is free", {"user", "machineID"}),
        ("Nola, how many cores does this machine have", {"user", "Nola", "machineID"}),
    ],
)
def test_what_she_knows_of_herself_answers_only_who_asks_for_it(text: str, modules: set[str]) -> None:
    """Facts of Nola and of the machine are left aside unless the message speaks to her or of it."""
    ranking = ranked(text, STATE)
    rows = judged_rows(read_question(text), ranking, 40)
    assert {ranking.facts[row].path.split(".")[0] for row in rows} == modules
    assert [ranking.scores[row] for row in rows] == sorted((ranking.scores[row] for row in rows), reverse=True)


def test_only_the_best_ranked_are_judged() -> None:
    """As many as the setting says."""
    assert len(judged_rows(read_question("how tall am I"), ranked("how tall am I", STATE), 3)) == 3


class _Letters:
    """An embedder whose vectors count two letters."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[t.count("a"), t.count("o")] for t in texts], np.float32).reshape(-1, 2)

    def embed_within(self, texts: Sequence[str], budget_s: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        assert budget_s > 0
        return self.embed(texts), np.ones(len(texts), np.bool_)


def test_evidence_tells_how_near_the_attribute_is() -> None:
    """With an embedder, what is asked is held against what each fact tells; without one, it is not."""
    modules: dict[str, Json] = {"user": {"colour": "teal", "salary": "12"}}
    question = read_question("what is my salary")
    plain = gather(question, ranked("salary", modules), [1, 0], None)
    assert [(e.row, e.cosine, e.attribute) for e in plain] == [(1, None, None), (0, None, None)]
    near = gather(question, ranked("salary", modules, vectoriser=_Letters()), [1, 0], _Letters())
    assert [(e.row, e.attribute) for e in near] == [(1, 4.0), (0, 0.0)]
    assert all(e.cosine is not None for e in near)


# --- what may be quoted -----------------------------------------------------------------------------------------------
def fact(text: str, *, former: bool = False) -> Fact:
    """A fact with a sentence."""
    return Fact(0, "user.x", text, "", "", "", text, former=former)


@pytest.mark.parametrize(
    ("chances", "former", "best"),
    [
        (((0, 0.9), (1, 0.5), (2, 0.4)), False, (0, 1)),  # near the best: at least half of its chance
        (((0, 0.9), (3, 0.9), (1, 0.8)), False, (0, 1)),  # each sentence once
        (((4, 0.9), (1, 0.8)), False, (1,)),  # a former value only when it is asked for
        (((4, 0.9), (1, 0.8)), True, (4, 1)),
        (((4, 0.9),), False, (4,)),  # or when there is nothing else
        (((0, 0.9), (1, 0.9), (2, 0.9), (5, 0.9)), False, (0, 1, 2)),  # three at most
        ((), False, ()),
    ],
)
def test_which_facts_may_be_quoted(
    chances: tuple[tuple[int, float], ...],
    former: bool,  # noqa: FBT001 -- a table
    best: tuple[int, ...],
) -> None:
    """The likeliest answer and those near it."""
    facts = [fact("a"), fact("b"), fact("c"), fact("a"), fact("old", former=True), fact("d")]
    assert best_facts(facts, Judgement(0.9, chances).probabilities, former=former) == best


# --- words ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reply", "value", "held"),
    [
        ("Your dog is Figa.", "Figa", True),
        ("Your dog is Figaro.", "Figa", False),
        ("She lives in Ormoz", "Ormož", True),
        ("It's Dr Golob", "Dr. Golob", True),
        # numbers
        ("You pay 1150 euro.", "1150", True),
        ("You pay 11500 euro.", "1150", False),
        ("Call +386 51 555 208", "+386 51 555 208", True),
        ("Call +386 51 555 209", "+386 51 555 208", False),
        # dates
        ("It is on 2 May 1984.", "1984-05-02", True),
        ("May 2nd it is", "1984-05-02", True),
        ("1984-05-02", "1984-05-02", True),
        ("It is in May.", "1984-05-02", False),
        ("3 May", "1984-05-02", False),
        ("It is the 2nd of a month", "1984-13-02", False),
        # yes and no
        ("Yes, you do.", "yes", True),
        ("Yesterday", "yes", False),
        ("I know", "no", False),
        # lists
        ("You like figs, chess and sailing", "sailing, chess and figs", True),
        ("You like chess and sailing.", "sailing, chess and figs", False),
        # long texts: most of the words, and all numbers
        ("The neighbour on the third floor, Oskar, has a key", "neighbour on the third floor, has our spare key", True),
        ("The neighbour", "neighbour on the third floor, has our spare key", False),
        ("He repairs violins and cellos for a living", "repairs violins and cellos", True),
        ("The blue tin on top of the wardrobe", "in the blue tin on top of the wardrobe, shelf 3", False),
        # nothing
        ("", "Figa", False),
        ("anything", "", False),
    ],
)
def test_a_reply_holds_a_value(reply: str, value: str, held: bool) -> None:  # noqa: FBT001 -- a table
    """Word for word, as a date said otherwise, or most of a long text with all of its numbers."""
    assert holds(reply, value) is held


@pytest.mark.parametrize(
    ("start", "refuses"),
    [
        ("I'm sorry, but I can't share that", True),
        ("Sorry, no idea", True),
        ("As an AI language model", True),
        ("I don't have access to personal information", True),
        ("Unfortunately, there is nothing", True),
        ("There is no note about it", True),
        ("The notes do not say", True),
        ("It seems unclear", True),
        ('**"I cannot tell', True),
        ("Your dog is Figa.", False),
        ("I think it's Figa", False),
        ("No, you don't smoke.", False),
        ("I can tell you: Figa", False),
        ("", False),
    ],
)
def test_a_refusal_is_told_by_its_beginning(start: str, refuses: bool) -> None:  # noqa: FBT001 -- a table
    """What begins like a model that will not say what it was given."""
    assert is_refusal(start) is refuses


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("what's my dog's name?", "your dog's name"),
        ("Hey Nola, what is our landlord's phone number?", "your landlord's phone number"),
        ("who is my dentist?", "your dentist"),
        ("who is the mechanic of our boat?", "the mechanic of your boat"),
        ("what are Tilen's hobbies?", "Tilen's hobbies"),
        ("when is my sister's birthday", "when your sister's birthday is"),
        ("how old is my son", "how old your son is"),
        ("where's my passport?", "where your passport is"),
        ("my sister's phone number", "your sister's phone number"),
        ("remind me of my plate", "your plate"),
        ("i forgot my wifi password", "your wifi password"),
        ("what is my dog called", "what is my dog called?"),
        ("what do I pay for rent?", "what do I pay for rent?"),
        ("can you tell me what my blood type is", "what my blood type is?"),
    ],
)
def test_what_is_asked_is_said_to_the_owner(text: str, asked: str) -> None:
    """A plain form where one is certain, else the question itself."""
    assert what_is_asked(text) == asked
