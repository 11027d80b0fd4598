"""The reply: by code where code knows better, else by the model, and a known fact is never hidden."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from nola.context.prompt import Persona
from nola.errors import ModelError
from nola.flow import (
    ContextReport,
    Exchange,
    Factors,
    LevelChoice,
    ModelRef,
    Notice,
    Receipt,
    Selected,
    Token,
    Usage,
)
from nola.llm.base import TooLongError
from nola.llm.calibration import Calibration
from nola.llm.choose import NoModel
from nola.reason.metacognition import Assessment
from nola.reason.question import read_question
from nola.reason.reply import Speech, Spoken, speak
from nola.settings import Settings
from nola.testing import ScriptedModel
from nola.types import ChangeId, Level, Role, Tokens, Weight
from tests.context.making import NOW, ranked

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from nola.flow import Message
    from nola.llm.base import ChatModel, ChatOptions, Chunk

DOG = "Your dog's name is Figa."
QUOTE = f"From your notes: {DOG}"
USER: dict[str, Any] = {"pets": {"dog": {"name": "Figa", "breed": "mixed"}}, "rent_euro": 1150}
REFUSAL = "I'm sorry, but I can't share personal information about you or about anybody else, ever."


@pytest.fixture
def calibration(tmp_path: Path) -> Calibration:
    """Token counts that nobody has corrected yet."""
    return Calibration(tmp_path / "tokens.json")


def speech(
    text: str = "what is my dog's name",
    chances: tuple[tuple[int, float], ...] = ((0, 0.9), (1, 0.6)),
    best: tuple[int, ...] = (0,),
    **given: Any,
) -> Speech:
    """What there is to say when the name of the dog is known; rows 0, 1 and 2 are name, breed and rent."""
    ranking = ranked(text, {"user": USER})
    fact = ranking.facts[0]
    chosen = Selected(fact.path, fact.text, Tokens(6), Weight(1.0), Factors(1, 1, 1, 1), "user.json")
    report = ContextReport(
        LevelChoice(Level.CONVERSATION, ""), Tokens(50), Tokens(6), (chosen,), (), given.get("unknown", ())
    )
    assessment = Assessment(read_question(text), best, given.get("unknown", ()), 0.9, chances)
    return Speech(report, ranking, assessment, given.get("receipts", ()), given.get("history", ()), text)


def said(
    about: Speech, model: ChatModel, calibration: Calibration, settings: Settings | None = None
) -> tuple[Spoken, list[Token | Notice]]:
    """Speak to the end."""
    events: list[Token | Notice] = []
    turn: Generator[Token | Notice, None, Spoken] = speak(
        about, model, Persona("Nola", "assistant", "brief"), calibration, settings or Settings(), NOW
    )
    while True:
        try:
            events.append(next(turn))
        except StopIteration as end:
            spoken: Spoken = end.value
            return spoken, events


def texts(events: list[Token | Notice]) -> list[str]:
    """The tokens' texts."""
    return [event.text for event in events if isinstance(event, Token)]


# --- by code ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("unknown", "reply"),
    [
        (
            ("your cat's name",),
            "I don't know your cat's name: I have nothing noted about it. Tell me and I will remember it.",
        ),
        (
            ("where do I park?",),
            (
                'I don\'t know the answer to "where do I park?": I have nothing noted about it. '
                "Tell me and I will remember it."
            ),
        ),
    ],
)
def test_what_is_unknown_is_said_by_code(calibration: Calibration, unknown: tuple[str, ...], reply: str) -> None:
    """The model is not asked, so it can't invent anything."""
    model = ScriptedModel("It is Tom.")
    spoken, events = said(speech(unknown=unknown, best=()), model, calibration)
    assert spoken == Spoken(reply, "", ModelRef("code", "nola"), Usage())
    assert events == [Token(reply, quoted=True)]
    assert model.prompts == []


RECEIPT = Receipt("user.pets.dog.name", None, "Figa", ChangeId("1"), "My dog is called Figa")


@pytest.mark.parametrize(
    ("receipt", "reply"),
    [
        (RECEIPT, f"Noted: {DOG}"),
        (Receipt("user.hat", "red", None, ChangeId("2"), "forget my hat"), "Noted: user.hat is forgotten."),
        (Receipt("user.hat", None, "red", ChangeId("3"), "my hat is red"), "Noted: user.hat is saved."),
    ],
)
def test_a_statement_is_confirmed_by_code(calibration: Calibration, receipt: Receipt, reply: str) -> None:
    """What was written is said as the fact that it became."""
    model = ScriptedModel("Nice!")
    spoken, _ = said(speech("My dog is called Figa", receipts=(receipt,)), model, calibration)
    assert spoken.text == reply
    assert model.prompts == []


@pytest.mark.parametrize(
    "text", ["My dog is called Figa. What else do you know?", "my dog is Figa, suggest a toy", "word " * 61]
)
def test_a_statement_that_also_asks_goes_to_the_model(calibration: Calibration, text: str) -> None:
    """Code confirms only what is nothing but a statement."""
    spoken, _ = said(speech(text, best=(), receipts=(RECEIPT,)), ScriptedModel("Well."), calibration)
    assert spoken.text == "Well."


def test_without_a_model_the_facts_are_quoted(calibration: Calibration) -> None:
    """Best facts where there are any, else what was selected."""
    for best in ((0,), ()):
        spoken, _ = said(speech(best=best), NoModel("none is there", "get one"), calibration)
        assert spoken.text == f"No model is answering (see: nola model list). {QUOTE}"
        assert spoken.model.provider == "none"


# --- by the model -----------------------------------------------------------------------------------------------------
def test_the_models_words_are_passed_on(calibration: Calibration) -> None:
    """The pieces come as they are once it is clear that it is no refusal, and nothing is added."""
    pieces = ["Your dog's name ", "is Figa, and she is a very good dog indeed", ", I think."]
    spoken, events = said(speech(), ScriptedModel(pieces), calibration)
    assert spoken.text == "".join(pieces)
    assert (spoken.quoted, spoken.complete, spoken.notices) == ("", True, ())
    assert texts(events) == [pieces[0] + pieces[1], pieces[2]]
    assert spoken.usage.reply_tokens == 3


def test_nothing_is_held_back_where_nothing_is_known(calibration: Calibration) -> None:
    """Without a best fact each piece is passed on at once, a refusal too, and nothing is quoted."""
    spoken, events = said(
        speech("tell me a joke", best=(), chances=()), ScriptedModel(["I can't", " do that"]), calibration
    )
    assert texts(events) == ["I can't", " do that"]
    assert spoken.quoted == ""


@pytest.mark.parametrize(
    "reply", [REFUSAL, "I'm sorry.", ["I can", "not say ", "that, it is private and I never would"]]
)
def test_a_refusal_is_replaced_by_the_fact(calibration: Calibration, reply: str | list[str]) -> None:
    """When the fact is known, a model that will not say it is not heard."""
    spoken, events = said(speech(), ScriptedModel(reply), calibration)
    assert spoken.text == spoken.quoted == QUOTE
    assert events == [Token(QUOTE, quoted=True)]


def test_a_reply_that_hides_the_fact_gets_it_appended(calibration: Calibration) -> None:
    """What the model left out, code adds, word for word and marked."""
    spoken, events = said(speech(), ScriptedModel("You have a lovely dog."), calibration)
    assert spoken.text == f"You have a lovely dog.\n\n{QUOTE}"
    assert spoken.quoted == QUOTE
    assert events[-1] == Token(f"\n\n{QUOTE}", quoted=True)


@pytest.mark.parametrize(
    ("reply", "chances", "quoted"),
    [
        ("She is mixed.", ((0, 0.9), (1, 0.8)), ""),  # as likely as the best: one of them is enough
        ("She is mixed.", ((0, 0.9), (1, 0.5)), f"{QUOTE} Your dog Figa's breed is mixed."),
        ("It's FIGA!", ((0, 0.9), (1, 0.5)), ""),
    ],
)
def test_one_of_the_likely_facts_is_enough(
    calibration: Calibration, reply: str, chances: tuple[tuple[int, float], ...], quoted: str
) -> None:
    """Facts that are less likely than the best are quoted with it, but do not stand for it."""
    spoken, _ = said(speech(chances=chances, best=(0, 1)), ScriptedModel(reply), calibration)
    assert spoken.quoted == quoted


def test_nothing_is_quoted_when_that_is_switched_off(calibration: Calibration) -> None:
    """The setting `chat.quote_facts` leaves the model alone."""
    settings = Settings()
    settings = replace(settings, chat=replace(settings.chat, quote_facts=False))
    spoken, _ = said(speech(), ScriptedModel("You have a lovely dog."), calibration, settings)
    assert (spoken.text, spoken.quoted) == ("You have a lovely dog.", "")


# --- trouble ----------------------------------------------------------------------------------------------------------
def test_a_prompt_that_was_too_long_is_trimmed_harder_once(calibration: Calibration) -> None:
    """The second try has less room, so that old turns fall away, and a sentence says so."""
    history = [Exchange("word " * 60, Level.QUICK, "word " * 60) for _ in range(12)]
    model = ScriptedModel(TooLongError("too long"), "Figa.", window=2048)
    spoken, _ = said(speech(history=history), model, calibration)
    assert spoken.text == "Figa."
    assert len(model.prompts) == 2
    assert len(model.prompts[1]) < len(model.prompts[0])
    assert spoken.notices[0].endswith("were left out")
    assert "the prompt was longer than the model's window and was trimmed harder" in spoken.notices
    assert spoken.complete


def test_a_prompt_that_stays_too_long_is_told(calibration: Calibration) -> None:
    """There is no third try; what is known is said all the same."""
    model = ScriptedModel(TooLongError("too long"))
    spoken, _ = said(speech(), model, calibration)
    assert len(model.prompts) == 2
    assert not spoken.complete
    assert spoken.text == QUOTE
    assert spoken.notices[-1].startswith("too long (shorten the message")


def test_a_model_that_breaks_off_keeps_what_it_said(calibration: Calibration) -> None:
    """The pieces that came stay, sentences say what happened, and nothing is added to half a reply."""
    model = ScriptedModel(
        ["Your dog is a good one and has a name that I ", "know, ", ModelError("it died", fix="restart")]
    )
    spoken, events = said(speech(), model, calibration)
    assert spoken.text == "Your dog is a good one and has a name that I know, "
    assert (spoken.quoted, spoken.complete) == ("", False)
    assert spoken.notices == ("it died (restart)", "the reply above is incomplete")
    assert [event.text for event in events if isinstance(event, Notice)] == list(spoken.notices)


@pytest.mark.parametrize(("piece", "text"), [("Your dog is", "Your dog is"), ("I'm sorry", QUOTE), ("", QUOTE)])
def test_held_back_words_are_not_lost(calibration: Calibration, piece: str, text: str) -> None:
    """What was held back when the model broke off is said, unless it is the beginning of a refusal."""
    spoken, _ = said(speech(), ScriptedModel([piece, ModelError("it died")]), calibration)
    assert spoken.text == text


# --- the prompt -------------------------------------------------------------------------------------------------------
def test_turns_that_code_answered_are_not_shown_to_the_model(calibration: Calibration) -> None:
    """What code said is no example of how the model shall speak."""
    history = [Exchange("my hat?", Level.QUICK, "I don't know", by_code=True), Exchange("hi", Level.QUICK, "hello")]
    model = ScriptedModel("Figa.")
    said(speech(history=history), model, calibration)
    assert [m.content for m in model.prompts[0] if m.role is not Role.SYSTEM] == [
        "hi",
        "hello",
        "what is my dog's name",
    ]


def test_the_models_own_count_corrects_the_estimate(calibration: Calibration) -> None:
    """After a reply, the calibration has seen what the model counted."""

    class Wordy(ScriptedModel):
        """Counts twice as many tokens in the prompt as are estimated."""

        def chat(self, messages: Sequence[Message], *, options: ChatOptions) -> Iterator[Chunk]:
            for chunk in super().chat(messages, options=options):
                usage = chunk.usage and replace(chunk.usage, prompt_tokens=2 * (chunk.usage.prompt_tokens or 0))
                yield replace(chunk, usage=usage)

    model = Wordy("Figa.")
    said(speech(), model, calibration)
    assert calibration.ratio(model.ref) > 1.0


def test_the_settings_of_sampling_reach_the_model(calibration: Calibration) -> None:
    """Length, temperature and seed of a reply are the settings'."""
    model, settings = ScriptedModel("Figa."), Settings()
    said(speech(), model, calibration, settings)
    (options,) = model.options
    assert (options.reply_tokens, options.temperature) == (settings.llm.reply_tokens, settings.llm.temperature)
    assert options.seed == settings.llm.seed
