"""One turn, from message to reply: context comes from the state, and code answers what it knows better."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nola.app import open_assistant
from nola.documents import context_document
from nola.errors import InputError, PathError, UsageError
from nola.flow import ContextReport, LevelChoice, ModelRef, Receipt, Stimulus, Token, TurnResult
from nola.testing import ManualClock, ScriptedModel, echo, make_agent
from nola.types import Level, Role, StimuliType

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.agent import Agent
    from nola.flow import Event
    from nola.testing import Reply
    from nola.types import ConversationId

ASKED = "What is my dog's name?"
FACT = "Your dog's name is Biscuit."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose state knows the dog's name, the owner's and the city."""
    agent = make_agent(tmp_path / "home")
    for path, value in (("user.pets.dog.name", "Biscuit"), ("user.name", "Mara"), ("user.city", "Porto")):
        agent.set_state(path, value, who="owner")
    agent.close()
    return tmp_path / "home"


def events(agent: Agent, text: str, **asked: object) -> list[Event]:
    """Every event of one turn."""
    return list(agent.turn(Stimulus(text, ManualClock().now(), **asked)))  # type: ignore[arg-type]


def result(agent: Agent, text: str, **asked: object) -> TurnResult:
    """What one turn ended with."""
    last = events(agent, text, **asked)[-1]
    assert isinstance(last, TurnResult)
    return last


def scripted(home: Path, *replies: Reply) -> tuple[Agent, ScriptedModel]:
    """An agent over a home, and the model that it has."""
    model = ScriptedModel(*replies)
    return make_agent(home, model=model), model


# --- the way of a message ---------------------------------------------------------------------------------------------
@pytest.mark.row("E40")
def test_the_steps_come_in_order(home: Path) -> None:
    """Level, then context, then the reply piece by piece, and the result last; the timings name every step."""
    agent, _ = scripted(home, ["It is a fine day for a walk along the river, ", "I think."])
    seen = events(agent, "Tell me something nice about the river")
    assert [type(event) for event in seen] == [LevelChoice, ContextReport, Token, Token, TurnResult]
    assert isinstance(seen[-1], TurnResult)
    assert list(seen[-1].timings_ms) == ["level", "choose", "learn", "context", "model"]
    assert seen[-1].reply == "It is a fine day for a walk along the river, I think."
    assert seen[0] == seen[-1].report.choice


@pytest.mark.row("E10")
def test_context_goes_into_the_system_role_and_the_message_is_unchanged(home: Path) -> None:
    """The model gets facts as system messages, and the owner's words last, letter for letter."""
    agent, model = scripted(home, "Biscuit.")
    text = "  What is my dog's name,\n please? \u201cJust\u201d the name.  "
    result(agent, text)
    (prompt,) = model.prompts
    assert (prompt[-1].role, prompt[-1].content) == (Role.USER, text)
    assert {message.role for message in prompt[:-1]} == {Role.SYSTEM}
    assert any(FACT in message.content for message in prompt[:-1])
    assert "Biscuit" not in prompt[-1].content


@pytest.mark.row("E11")
def test_a_fact_that_only_the_state_knows_reaches_the_reply(home: Path) -> None:
    """A model that only repeats its context answers with what the owner once set."""
    agent, _ = scripted(home, echo)
    assert FACT in result(agent, ASKED).reply


@pytest.mark.row("E02")
def test_the_same_input_state_and_time_give_the_same_context(home: Path) -> None:
    """Context is a pure function: byte-identical again, in another agent, and without any model."""
    agent, model = scripted(home, "Biscuit.")
    told = [json.dumps(context_document(result(agent, ASKED).report)) for _ in range(2)]
    other, other_model = scripted(home, "Biscuit.")
    told.append(json.dumps(context_document(result(other, ASKED).report)))
    told.append(json.dumps(context_document(other.context(Stimulus(ASKED, ManualClock().now())))))
    assert len(set(told)) == 1
    assert {*model.prompts} == {*other_model.prompts}


@pytest.mark.row("E42")
def test_another_model_gets_the_same_context(home: Path) -> None:
    """Memory does not depend on the model: its name and its answers change nothing in the context."""
    reports, prompts = [], []
    for model in (ScriptedModel("Biscuit.", name="one"), ScriptedModel("No idea at all.", name="two", window=8192)):
        reports.append(context_document(result(make_agent(home, model=model), ASKED, learn=False).report))
        prompts.append(model.prompts)
    assert reports[0] == reports[1]
    assert prompts[0] == prompts[1]


@pytest.mark.row("E24")
def test_the_caller_may_choose_the_level(home: Path) -> None:
    """A level or a stimuli type that is given wins over the text."""
    agent, _ = scripted(home, "Hello.")
    assert result(agent, "hi", level=Level.DEEP).report.choice.level is Level.DEEP
    assert result(agent, "hi", stimuli_type=StimuliType.ANALYTICAL).report.choice.level is Level.DEEP
    assert result(agent, ASKED, stimuli_type=StimuliType.REALTIME).report.choice.level is Level.QUICK


@pytest.mark.row("E26")
def test_the_level_follows_the_conversation(home: Path) -> None:
    """One conversation goes from a greeting into a deep thread, on in it, and out of it again."""
    agent, _ = scripted(home, "I see.")
    script = [
        ("Hi!", 1),
        ("Work is stressful", 2),
        ("Why do I always feel so tired on Mondays?", 3),
        ("go on", 3),
        ("thanks", 1),
        ("Tell me a joke", 1),
    ]
    conversation: ConversationId | None = None
    levels = []
    for text, _ in script:
        said = result(agent, text, conversation=conversation)
        conversation = said.conversation
        levels.append((text, int(said.report.choice.level)))
    assert levels == script


@pytest.mark.row("E21")
@pytest.mark.row("E22")
@pytest.mark.row("E23")
@pytest.mark.parametrize(("level", "budget"), [(1, 10), (2, 50), (3, 200)])
def test_the_budget_is_hard(home: Path, level: int, budget: int) -> None:
    """At each level the facts take no more tokens than its budget."""
    agent, _ = scripted(home, "Yes.")
    for n in range(30):
        agent.set_state(f"user.notes.n{n}", f"a note about dogs, number {n}", who="owner")
    report = result(agent, ASKED, level=Level(level)).report
    assert report.budget == budget
    assert 0 < report.tokens <= budget
    assert report.tokens == sum(fact.tokens for fact in report.selected)
    assert report.left_out


def test_a_small_window_shrinks_the_budget(home: Path) -> None:
    """A model with a small window gets a quarter of it at most."""
    agent = make_agent(home, model=ScriptedModel("Yes.", window=400))
    assert result(agent, ASKED, level=Level.DEEP).report.budget == 100


# --- what code says ---------------------------------------------------------------------------------------------------
def test_what_is_unknown_is_said_by_code(home: Path) -> None:
    """A question about the owner that nothing answers is not given to the model."""
    agent, model = scripted(home, "It is the 4th of May.")
    said = result(agent, "What is my sister's birthday?")
    assert said.report.unknown == ("your sister's birthday",)
    assert said.reply.startswith("I don't know your sister's birthday")
    assert said.model == ModelRef("code", "nola")
    assert model.prompts == []


def test_a_general_question_is_never_refused(home: Path) -> None:
    """What is not about the owner goes to the model, whatever the notes hold."""
    agent, model = scripted(home, "It is Lisbon.")
    said = result(agent, "What is the capital of Portugal?")
    assert (said.reply, said.report.unknown, len(model.prompts)) == ("It is Lisbon.", (), 1)


def test_a_statement_is_written_with_a_receipt_and_can_be_undone(home: Path) -> None:
    """What the owner says about herself is written by code, told, used at once, and taken back by its receipt."""
    agent, model = scripted(home, "You told me: Miso.")
    seen = events(agent, "My cat is called Miso")
    (receipt,) = [event for event in seen if isinstance(event, Receipt)]
    assert (receipt.path, receipt.old, receipt.new) == ("user.pets.cat.name", None, "Miso")
    assert isinstance(seen[-1], TurnResult)
    assert seen[-1].receipts == (receipt,)
    assert seen[-1].reply == "Noted: Your cat's name is Miso."
    assert model.prompts == []
    assert result(agent, "What is my cat's name?").report.selected[0].text == "Your cat's name is Miso."
    agent.undo(receipt.undo, who="owner")
    with pytest.raises(PathError):
        agent.get_state("user.pets.cat.name")


def test_a_correction_tells_the_old_value(home: Path) -> None:
    """A newer value replaces the older one, and the receipt has both."""
    agent, _ = scripted(home)
    (receipt,) = result(agent, "I moved to Faro").receipts
    assert (receipt.path, receipt.old, receipt.new) == ("user.city", "Porto", "Faro")
    agent.undo(receipt.undo, who="owner")
    assert agent.get_state("user.city") == "Porto"


@pytest.mark.parametrize("way", ["stimulus", "setting"])
def test_nothing_is_learned_when_that_is_asked(home: Path, way: str) -> None:
    """With `learn=False`, or the policy off, a statement changes no file and gets no receipt."""
    settings = {"learn.policy": "off"} if way == "setting" else {}
    agent = make_agent(home, model=ScriptedModel("How nice."), settings=settings)
    result(agent, "hi")
    before = {path: path.read_bytes() for path in (home / "state").rglob("*.json*")}
    said = result(agent, "My cat is called Miso", learn=way == "setting")
    assert (said.receipts, said.reply) == ((), "How nice.")
    assert {path: path.read_bytes() for path in (home / "state").rglob("*.json*")} == before


@pytest.mark.parametrize("with_model", [True, False])
def test_without_a_model_the_facts_are_told(home: Path, *, with_model: bool) -> None:
    """`--model none` makes the context, says that no model answers, and quotes what is known."""
    agent = make_agent(home, model=ScriptedModel("never said") if with_model else None)
    said = result(agent, ASKED, model="none")
    assert said.reply == f"No model is answering (see: nola model list). From your notes: {FACT}"
    assert said.model == ModelRef("none", "none")
    assert said.complete


def test_without_a_model_statements_are_still_learned(home: Path) -> None:
    """Learning needs no model."""
    said = result(make_agent(home), "My cat is called Miso")
    assert [receipt.new for receipt in said.receipts] == ["Miso"]
    assert said.reply == "Noted: Your cat's name is Miso."


def test_a_refusal_is_replaced_by_the_facts(home: Path) -> None:
    """A model that will not say what it was told is not heard; the facts are quoted instead."""
    agent, _ = scripted(home, ["I'm sorry, but I don't have ", "access to personal information."])
    seen = events(agent, ASKED)
    tokens = [event for event in seen if isinstance(event, Token)]
    assert tokens == [Token(f"From your notes: {FACT}", quoted=True)]
    assert isinstance(seen[-1], TurnResult)
    assert (seen[-1].reply, seen[-1].quoted) == (tokens[0].text, tokens[0].text)


def test_facts_are_added_when_the_reply_holds_none(home: Path) -> None:
    """A look-up whose reply misses the value ends with the fact, marked as added by code."""
    agent, _ = scripted(home, "It is a lovely name for such a lovely animal, everybody says so.")
    seen = events(agent, ASKED)
    assert [event.quoted for event in seen if isinstance(event, Token)] == [False, True]
    assert isinstance(seen[-1], TurnResult)
    assert seen[-1].quoted == f"From your notes: {FACT}"
    assert seen[-1].reply.endswith(f"everybody says so.\n\nFrom your notes: {FACT}")


@pytest.mark.parametrize(
    ("reply", "settings"),
    [("Your dog is called biscuit!", {}), ("A lovely name.", {"chat.quote_facts": "no"})],
    ids=["the value is there", "it is switched off"],
)
def test_nothing_is_added_when_it_need_not_be(home: Path, reply: str, settings: dict[str, str]) -> None:
    """A reply that holds the value, or the setting, leaves the reply to the model."""
    said = result(make_agent(home, model=ScriptedModel(reply), settings=settings), ASKED)
    assert (said.reply, said.quoted) == (reply, "")


# --- what is kept -----------------------------------------------------------------------------------------------------
@pytest.mark.row("E34")
def test_a_turn_is_stored_and_a_conversation_goes_on(home: Path) -> None:
    """The next turn of a conversation gets the earlier one as messages between prefix and facts."""
    agent, model = scripted(home, "It rains a lot there.", "Since autumn.")
    first = result(agent, "Tell me about the weather in Bergen")
    second = result(agent, "and since when?", conversation=first.conversation)
    assert second.conversation == first.conversation
    assert [(m.role, m.content) for m in model.prompts[1][1:3]] == [
        (Role.USER, "Tell me about the weather in Bergen"),
        (Role.ASSISTANT, "It rains a lot there."),
    ]
    stored = agent.conversation(first.conversation)
    assert [(m.user, m.reply) for m in stored] == [
        ("Tell me about the weather in Bergen", "It rains a lot there."),
        ("and since when?", "Since autumn."),
    ]
    assert result(agent, "hello").conversation != first.conversation


def test_the_prefix_of_the_prompt_does_not_change(home: Path) -> None:
    """The first message is the same in every turn, so that a model's prefix cache keeps it."""
    agent, model = scripted(home, "Yes.")
    for text in (ASKED, "hi", "What is 2 + 2?"):
        result(agent, text)
    assert len({prompt[0] for prompt in model.prompts}) == 1
    assert model.prompts[0][0].content.startswith("You are Nola, ")


def test_the_models_own_count_is_learned(home: Path) -> None:
    """What the model counted is told, and kept for the next estimate."""
    agent, _ = scripted(home, "It is Lisbon.")
    said = result(agent, "What is the capital of Portugal?")
    assert said.usage.prompt_tokens is not None
    assert said.usage.prompt_tokens > 20
    assert json.loads((home / "cache" / "tokens.json").read_bytes()) == {"scripted:scripted": 1.0}


# --- what can't be used -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the message is empty"),
        (" \n\t ", "the message is empty"),
        ("GIF89a\0\0\0", "the message is binary, not text"),
        ("caf\udce9", "the message is binary, not text"),
        ("x" * 2001, "the message has 2,001 bytes, more than 2,000"),
        ("é" * 1001, "the message has 2,002 bytes, more than 2,000"),
    ],
)
def test_a_message_that_can_not_be_used_is_refused(home: Path, text: str, says: str) -> None:
    """An empty, binary or huge message is refused in one sentence; nothing is asked, stored or written."""
    model = ScriptedModel()
    agent = make_agent(home, model=model, settings={"chat.max_bytes": "2000"})
    asked: list[Callable[[], object]] = [lambda: events(agent, text)]
    if text.strip():  # of an empty one the context may be looked at (A15)
        asked.append(lambda: agent.context(Stimulus(text, ManualClock().now())))
    for ask in asked:
        with pytest.raises(InputError) as caught:
            ask()
        assert str(caught.value) == says
        assert caught.value.fix
    assert (model.prompts, list(agent.conversations())) == ([], [])


def test_the_longest_message_is_answered(home: Path) -> None:
    """A message of exactly the longest length is no error."""
    agent = make_agent(home, model=ScriptedModel("Long."), settings={"chat.max_bytes": "2000"})
    assert result(agent, "why " * 500).reply == "Long."


def test_a_wrong_models_name_writes_nothing(home: Path) -> None:
    """A model that does not exist is said before anything is learned from the message."""

    def no_model(name: str | None) -> ScriptedModel:
        raise UsageError(f"no model is called {name!r}")

    agent = open_assistant(make_agent(home).config, choose=no_model, clock=ManualClock())
    with pytest.raises(UsageError, match="no model is called 'nosuch'"):
        events(agent, "My cat is called Miso", model="nosuch")
    assert agent.get_state("user.pets") == {"dog": {"name": "Biscuit"}}
    assert list(agent.changes("user.pets.cat")) == []
