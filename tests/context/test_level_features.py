"""Tests of the features by which a level is learned."""

from __future__ import annotations

from nola.context.level_features import features, thread_of
from nola.context.level_model import lexicon
from nola.context.level_reading import read
from nola.flow import Exchange
from nola.types import Level


def names(text: str, *history: Exchange) -> set[str]:
    """Return the names of a message's features after these turns."""
    readings = [read(e.user, lexicon()) for e in history]
    return set(features(read(text, lexicon()), thread_of(history, readings, 4)))


def test_a_question_about_oneself_is_told_from_one_about_the_world() -> None:
    """The owner, Nola and the rest of the world are kept apart."""
    assert "asks of oneself, nothing everyday, open" in names("what am I afraid of")
    assert "asks, not of oneself" in names("why is the sky blue")
    assert "of Nola, asked" in names("are you lonely")


def test_the_thread_is_summed_up() -> None:
    """A thread knows its last level, whether it is deep, whether it was play, and what it was about."""
    deep = Exchange("Should I sell the boat?", Level.DEEP, "What would you miss?")
    thread = thread_of([deep], [read(deep.user, lexicon())], 4)
    assert (thread.state, thread.deep, thread.asked, thread.own) == ("after3", True, True, True)
    joke = Exchange("tell me a riddle", Level.QUICK, "What has keys?")
    assert thread_of([joke], [read(joke.user, lexicon())], 4).state == "game"
    thanks = Exchange("thanks", Level.QUICK, "Sure.")
    assert thread_of([deep, thanks], [read(e.user, lexicon()) for e in (deep, thanks)], 4).state == "pause3"
    assert thread_of([deep], [], 0).state == "start"


def test_features_carry_the_thread() -> None:
    """The same words count differently after a deep turn."""
    deep = Exchange("Why do I sleep badly?", Level.DEEP, "Late meetings.")
    assert "after3 whole CONTINUE" in names("go on", deep)
    assert "start whole CONTINUE" in names("go on")
    assert "after3 same words" in names("which meetings were these", deep)
    assert "after3 only social" in names("thanks", deep)


def test_politeness_is_weighed_against_the_rest() -> None:
    """Thanks with a statement ask nothing; thanks with a question do."""
    assert "social and asks nothing" in names("Thank you, that gives me courage")
    assert "social and asks nothing" not in names("Thank you, and when does the shop close?")
