"""Tests of the choice of context level."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from nola.context.level import choose_level, is_greeting, parse_level, parse_stimuli_type
from nola.errors import UsageError
from nola.flow import Exchange
from nola.types import Level, Profile, StimuliType

# The content of golden_vectors.json, key 004.level_literal_vs_intended: text, appendix_b, intended.
GOLDEN = [
    ("hi", 1, 1),
    ("Hi!", 2, 1),
    ("  HELLO ", 1, 1),
    ("Thanks.", 2, 1),
    ("ok!", 2, 1),
    ("hi there", 2, 1),
    ("Work is stressful", 2, 2),
    ("Tell me a joke", 2, 1),
    ("analyze my week", 3, 3),
    ("why do I procrastinate?", 3, 3),
    ("this", 2, 2),
    ("my prehistory class", 3, 2),
    ("reflective jacket price", 3, 2),
    ("", 2, 2),
]

DEEP_THREAD = (Exchange("Why do I sleep so badly?", Level.DEEP, "Mostly after late meetings."),)


@pytest.mark.row("E61")
@pytest.mark.parametrize(("text", "literal", "intended"), GOLDEN)
def test_golden_vectors_hold_in_both_columns(text: str, literal: int, intended: int) -> None:
    """Profile hea gives the document's literal column, profile nola the intended one."""
    assert choose_level(text, (), profile=Profile.HEA).level == literal
    assert choose_level(text, ()).level == intended


@pytest.mark.row("E03")
@pytest.mark.parametrize(
    ("text", "level"), [("Hello!", 1), ("What is the time in Rome?", 2), ("Reflect on my year", 3)]
)
def test_three_exemplars(text: str, level: int) -> None:
    """A greeting is level 1, a look-up level 2, reflection level 3."""
    assert choose_level(text, ()).level == level


@pytest.mark.row("E24")
def test_the_caller_decides_first() -> None:
    """An explicit level wins over the stimuli type, and the stimuli type over the text."""
    assert choose_level("hi", (), level=Level.DEEP, stimuli_type=StimuliType.REALTIME).level is Level.DEEP
    assert choose_level("hi", (), stimuli_type=StimuliType.ANALYTICAL).level is Level.DEEP
    assert choose_level("hi", (), stimuli_type=StimuliType.CONVERSATIONAL).level is Level.CONVERSATION
    assert choose_level("why do I procrastinate?", (), stimuli_type=StimuliType.REALTIME).level is Level.QUICK
    assert choose_level("hi", (), level=Level.DEEP).why == "asked for level 3"


@pytest.mark.row("E24")
def test_levels_and_types_are_read_or_refused_in_one_sentence() -> None:
    """What a caller gives is read, and an unknown value is named."""
    assert [parse_level(v) for v in (1, "2", " 3 ")] == [1, 2, 3]
    assert parse_stimuli_type(" Analytical ") is StimuliType.ANALYTICAL
    with pytest.raises(UsageError, match=r"^unknown level '4': choose 1, 2 or 3$"):
        parse_level("4")
    with pytest.raises(UsageError, match=r"^unknown level True: choose 1, 2 or 3$"):
        parse_level(value=True)
    with pytest.raises(
        UsageError, match=r"^unknown stimuli type 'deep': choose analytical, conversational or realtime$"
    ):
        parse_stimuli_type("deep")
    with pytest.raises(UsageError, match=r"\.\.\.: choose"):
        parse_stimuli_type("x" * 500)


@pytest.mark.row("E26")
def test_the_level_follows_the_flow_of_a_conversation() -> None:
    """A conversation rises from a greeting to a cause and falls again to a joke."""
    script = [
        ("Hi!", 1),
        ("Work is stressful", 2),
        ("Why do I always let it get to me?", 3),
        ("go on", 3),
        ("and before that?", 3),
        ("ok, thanks", 1),
        ("What time is my first meeting tomorrow?", 2),
        ("Tell me a joke", 1),
    ]
    history: list[Exchange] = []
    for text, level in script:
        choice = choose_level(text, history)
        assert choice.level == level, f"{text}: {choice}"
        history.append(Exchange(text, choice.level, "Well."))


@pytest.mark.row("E25")
@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("thanks! oh and what is 5 miles in km", 2),
        ("hey, can you look at how my sleep changed since spring", 3),
        ("don't analyse it, just answer: how far did I run today", 2),
        ("the pattern on my curtains is faded", 2),
        ("clear my browser history", 2),
        ("Remind me on Sunday to reflect on my week", 2),
        ('Translate "why do I always fail" into German', 2),
        ("explain how a heat pump works", 2),
        ("why did the chicken cross the road", 1),
    ],
)
def test_traps(text: str, level: int) -> None:
    """The request decides, negation is respected, and words that only look deep trigger nothing."""
    assert choose_level(text, ()).level == level


@pytest.mark.row("E25")
@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("go on", 3),
        ("And at weekends?", 3),
        ("thanks, that helps", 1),
        ("What is the capital of Peru?", 2),
        ("set an alarm for six", 2),
        ("tell me a joke", 1),
        ("?", 3),
    ],
)
def test_after_a_deep_thread(text: str, level: int) -> None:
    """A follow-up stays deep, a bare thanks closes the thread, a plain look-up or a joke leaves it."""
    assert choose_level(text, DEEP_THREAD).level == level


@pytest.mark.row("E25")
@pytest.mark.parametrize(
    "text",
    [
        "which choir do I sing in",
        "what's my nickname",
        "what makes Milena sneeze",
        "who wakes me up crowing",
        "Why do cats purr?",
        "Spiel bitte etwas Musik",
        "where do I keep the spare key",
        "which meal do I love most",
        "who am I married to",
        "when did I become a widow",
    ],
)
def test_a_lookup_is_neither_play_nor_depth(text: str) -> None:
    """A question for one fact stays a look-up, whatever words of play or depth it holds."""
    assert choose_level(text, ()).level is Level.CONVERSATION


@pytest.mark.row("E25")
@pytest.mark.parametrize(
    "text",
    [
        "how do I come across",
        "am I a good father",
        "what sort of teacher have I become",
        "at the piano two years now and no better, or am I",
        "drinking more?",
        "10k times 2019 to now",
        "they want my answer on the Oslo job by Friday and I'm going in circles",
    ],
)
def test_depth_without_its_words(text: str) -> None:
    """Judging oneself, a long stretch, a row of figures and a choice that is due are deep without saying so."""
    assert choose_level(text, ()).level is Level.DEEP


@pytest.mark.row("E25")
@pytest.mark.parametrize(
    ("text", "level"),
    [("why Fridays?", 3), ("was it always so", 3), ("who wrote The Leopard", 2), ("when does the pool open", 2)],
)
def test_a_bare_follow_up_stays_and_a_new_matter_leaves(text: str, level: int) -> None:
    """What leaves out its matter follows up; what names a new one is looked up."""
    assert choose_level(text, DEEP_THREAD).level == level


@pytest.mark.row("E25")
@pytest.mark.parametrize(
    ("text", "level"), [("is it a walrus", 1), ("does it have fur?", 1), ("what's the weather tomorrow", 2)]
)
def test_guesses_belong_to_the_game(text: str, level: int) -> None:
    """A guess inside a game is play, also some turns on; another request leaves the game."""
    game = [Exchange("let's play twenty questions", Level.QUICK, "Ready."), Exchange("is it big", Level.QUICK, "No.")]
    assert choose_level(text, game).level == level


@pytest.mark.row("E26")
def test_a_deep_thread_is_forgotten_after_some_turns() -> None:
    """Only the last turns count, and none when there shall be none."""
    later = DEEP_THREAD + (Exchange("What time is it?", Level.CONVERSATION, "Ten."),) * 4
    assert choose_level("?", DEEP_THREAD).level is Level.DEEP
    assert choose_level("?", later).level is Level.CONVERSATION
    assert choose_level("?", DEEP_THREAD, deep_turns=0).level is Level.CONVERSATION


@pytest.mark.row("E25")
@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("¡Hola!", 1),
        ("¿Qué hora es?", 2),
        ("¿Por qué siempre llego tarde?", 3),
        ("Guten Morgen!", 1),
        ("Wie wird das Wetter morgen?", 2),
        ("Warum schlafe ich so schlecht?", 3),
        ("Bonjour Nola", 1),
        ("Il est quelle heure ?", 2),
        ("Pourquoi est-ce que je remets toujours tout à demain ?", 3),
        ("Bom dia!", 1),
        ("Que horas são?", 2),
        ("Por que eu durmo tão mal?", 3),
    ],
)
def test_other_languages(text: str, level: int) -> None:
    """The common forms of Spanish, German, French and Portuguese are understood."""
    assert choose_level(text, ()).level == level


@pytest.mark.row("E25")
def test_the_reason_names_words_of_the_message() -> None:
    """A reader sees which words spoke for the level."""
    assert "always" in choose_level("why do I always put things off?", ()).why
    assert choose_level("Thanks.", ()).why == 'needs nothing of the owner: "thanks"'
    assert choose_level("ok", DEEP_THREAD).why == 'closes the thread: "ok"'
    assert choose_level("explain it", (), profile=Profile.HEA).why == 'Appendix B: "explain"'


@pytest.mark.row("E25")
@pytest.mark.parametrize(
    ("text", "level"),
    [("\0\0", 2), ("👍", 1), ("!!!", 1), (" \n\t ", 2), ("?", 2)],
)
def test_messages_without_words(text: str, level: int) -> None:
    """Signs without words are an acknowledgement, nothing at all is a conversation."""
    assert choose_level(text, ()).level == level


@pytest.mark.row("E25")
@pytest.mark.parametrize("unit", ["why do i ", "a", "\0", "😀", "'", '"a', " - ", "«", "word ", "\n", "ha", "#", "é"])
def test_any_text_gives_a_level_quickly(unit: str) -> None:
    """A megabyte of anything is answered, as message and as history; a quadratic pattern would never end."""
    text = unit * (1_000_000 // len(unit))
    choice = choose_level(text, [Exchange(text, Level.DEEP, text)])
    assert choice.level in Level
    assert len(choice.why) < 400


@pytest.mark.row("E25")
def test_yes_to_an_offer_of_depth_is_deep() -> None:
    """Agreeing to what Nola asked in a deep turn goes on with it."""
    offered = [Exchange("Why am I always tired?", Level.DEEP, "Shall we look at your evenings?")]
    assert choose_level("yes please", offered).level is Level.DEEP
    assert choose_level("no thanks", offered).level is Level.QUICK


def test_weights_are_readable_and_sorted() -> None:
    """The learned weights are a JSON file that a person can read, one feature a line."""
    text = resources.files("nola.context").joinpath("level_weights.json").read_text("utf-8")
    features = json.loads(text)["features"]
    assert list(features) == sorted(features)
    assert len(text.splitlines()) > len(features)


@pytest.mark.parametrize(
    ("text", "greeting"),
    [
        ("Hello!", True),
        ("good morning, Nola", True),
        ("thanks :)", True),
        ("???", True),
        ("hi, where are my keys?", False),
    ],
)
def test_a_greeting_asks_and_tells_nothing(text: str, greeting: bool) -> None:  # noqa: FBT001 -- a table
    """Greetings and thanks alone are; with a question they are not."""
    assert is_greeting(text) is greeting
