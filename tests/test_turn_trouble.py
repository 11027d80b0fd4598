"""A turn in which something breaks still ends with what is known, marked for what it is."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from nola.errors import ModelError
from nola.flow import LevelChoice, Notice, Stimulus, Token, TurnResult
from nola.llm.base import TooLongError
from nola.testing import ManualClock, ScriptedModel, make_agent

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from nola.agent import Agent
    from nola.flow import Event

ASKED = "What is my dog's name?"
FACT = "Your dog's name is Biscuit."
OPEN = "Tell me a long story about the sea"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose state knows the dog's name."""
    agent = make_agent(tmp_path / "home")
    agent.set_state("user.pets.dog.name", "Biscuit", who="owner")
    agent.close()
    return tmp_path / "home"


def turn(agent: Agent, text: str, **asked: object) -> Generator[Event, None, None]:
    """One turn, not begun yet."""
    return agent.turn(Stimulus(text, ManualClock().now(), **asked))  # type: ignore[arg-type, return-value]


def result(agent: Agent, text: str, **asked: object) -> TurnResult:
    """What one turn ended with."""
    last = list(turn(agent, text, **asked))[-1]
    assert isinstance(last, TurnResult)
    return last


# --- the model --------------------------------------------------------------------------------------------------------
def test_a_reply_that_breaks_off_is_kept_and_marked(home: Path) -> None:
    """What came before the model failed is told, stored and marked incomplete, with the reason."""
    model = ScriptedModel(["Once upon ", "a time", ModelError("the model stopped", fix="ask again")])
    agent = make_agent(home, model=model)
    seen = list(turn(agent, OPEN))
    assert [event.text for event in seen if isinstance(event, Token)] == ["Once upon ", "a time"]
    assert [event.text for event in seen if isinstance(event, Notice)] == [
        "the model stopped (ask again)",
        "the reply above is incomplete",
    ]
    said = seen[-1]
    assert isinstance(said, TurnResult)
    assert (said.reply, said.complete) == ("Once upon a time", False)
    (stored,) = agent.conversation(said.conversation)
    assert (stored.reply, stored.complete) == ("Once upon a time", False)


def test_the_first_words_of_a_broken_reply_are_kept_too(home: Path) -> None:
    """Words that were held back, in case they begin a refusal, are told when the model fails right after them."""
    agent = make_agent(home, model=ScriptedModel(["Your dog ", "is ", ModelError("the model stopped")]))
    said = result(agent, ASKED)
    assert said.reply.startswith("Your dog is ")
    assert not said.complete
    assert "the reply above is incomplete" in said.notices


def test_a_broken_refusal_is_not_kept(home: Path) -> None:
    """A refusal that breaks off is still a refusal, and the facts are told instead."""
    agent = make_agent(home, model=ScriptedModel(["I'm sorry, ", ModelError("the model stopped")]))
    said = result(agent, ASKED)
    assert said.reply == f"From your notes: {FACT}"
    assert not said.complete


def test_a_model_that_fails_at_once_leaves_the_facts(home: Path) -> None:
    """Without a word of the model, a look-up is answered from the notes and an open question with the reason alone."""
    agent = make_agent(home, model=ScriptedModel(ModelError("the model is gone")))
    known, open_ = result(agent, ASKED), result(agent, OPEN)
    assert (known.reply, known.notices) == (f"From your notes: {FACT}", ("the model is gone",))
    assert (open_.reply, open_.notices) == ("", ("the model is gone",))
    assert not known.complete
    assert not open_.complete


def test_a_prompt_that_is_too_long_is_trimmed_once(home: Path) -> None:
    """A model that finds the prompt too long is asked once more with less, and the owner is told."""
    model = ScriptedModel(TooLongError("too long"), "Well.", window=1200)
    said = result(make_agent(home, model=model), "the sea and its many stories, " * 60)
    first, second = (sum(len(m.content) for m in prompt) for prompt in model.prompts)
    assert second < first
    assert said.reply == "Well."
    assert said.complete
    assert "the prompt was longer than the model's window and was trimmed harder" in said.notices


def test_a_prompt_is_not_trimmed_twice(home: Path) -> None:
    """A model that still finds it too long is not asked a third time; the facts are told."""
    model = ScriptedModel(TooLongError("too long"))
    said = result(make_agent(home, model=model), ASKED)
    assert len(model.prompts) == 2
    assert said.reply == f"From your notes: {FACT}"
    assert not said.complete


def test_a_message_longer_than_the_window_is_trimmed_and_said(home: Path) -> None:
    """Beginning and end of a message that does not fit are kept, and the owner is told once."""
    model = ScriptedModel("I have read it.", window=1000)
    said = result(make_agent(home, model=model), f"First words. {'blah ' * 3000} Last words.")
    asked = model.prompts[0][-1].content
    assert asked.startswith("First words. ")
    assert asked.endswith(" Last words.")
    assert " [...] " in asked
    assert said.notices == ("your message is longer than the model's window: its middle was left out",)


def test_old_turns_make_room(home: Path) -> None:
    """Earlier turns that do not fit are left out, the oldest first, and the owner is told."""
    model = ScriptedModel("word " * 150, window=1400)
    agent = make_agent(home, model=model)
    said = result(agent, "Tell me story number 0")
    for n in range(1, 5):
        said = result(agent, f"Tell me story number {n}", conversation=said.conversation)
    asked = [message.content for message in model.prompts[-1] if message.content.startswith("Tell me story")]
    assert asked[-1] == "Tell me story number 4"
    assert "Tell me story number 0" not in asked
    assert any("did not fit and were left out" in notice for notice in said.notices)


def test_closing_the_turn_closes_the_models_reply(home: Path) -> None:
    """Who stops listening stops the model, and no later piece of it is asked for."""
    model = ScriptedModel(["The sea was calm that night, and the moon stood high above it.", " And then", " more"])
    with closing(turn(make_agent(home, model=model), OPEN)) as events:
        for event in events:
            if isinstance(event, Token):
                break
    assert model.closed == 1


def test_a_reply_that_was_heard_to_the_end_is_not_closed_early(home: Path) -> None:
    """A whole reply ends by itself."""
    model = ScriptedModel("Once upon a time.")
    result(make_agent(home, model=model), OPEN)
    assert model.closed == 0


def test_a_turn_that_is_only_begun_asks_no_model(home: Path) -> None:
    """Nothing is asked before the context was told."""
    model = ScriptedModel("Hello.")
    with closing(turn(make_agent(home, model=model), OPEN)) as events:
        assert isinstance(next(events), LevelChoice)
    assert model.prompts == []


def test_an_empty_reply_is_a_reply(home: Path) -> None:
    """A model that says nothing leaves an empty reply, or the facts of a look-up."""
    agent = make_agent(home, model=ScriptedModel([]))
    assert (result(agent, OPEN).reply, result(agent, OPEN).complete) == ("", True)
    assert result(agent, ASKED).reply == f"From your notes: {FACT}"


# --- the disk ---------------------------------------------------------------------------------------------------------
def test_a_broken_module_serves_its_last_good_value(home: Path) -> None:
    """After user.json was broken by hand its facts still answer, with a notice, and the file is left alone."""
    agent = make_agent(home, model=ScriptedModel("Biscuit."))
    result(agent, "hi")
    file = home / "state" / "user.json"
    broken = file.read_text(encoding="utf-8").replace('"data"', '"data', 1)
    file.write_text(broken, encoding="utf-8")
    said = result(agent, ASKED)
    assert FACT in [fact.text for fact in said.report.selected]
    assert any(notice.startswith("user.json, line ") for notice in said.notices)
    assert file.read_text(encoding="utf-8") == broken


def test_a_statement_about_a_broken_module_is_not_saved_and_said(home: Path) -> None:
    """What can't be written is told beside the reply, and no receipt claims otherwise."""
    agent = make_agent(home, model=ScriptedModel("How nice."))
    result(agent, "hi")
    (home / "state" / "user.json").write_text("{", encoding="utf-8")
    said = result(agent, "My cat is called Miso")
    assert said.receipts == ()
    assert any(notice.startswith("not saved: user.json, line 1, column ") for notice in said.notices)
    assert said.reply == "How nice."


def test_a_turn_that_can_not_be_stored_is_still_answered(home: Path) -> None:
    """A damaged database costs the history, not the reply, and the owner is told."""
    (home / "memory.db").write_bytes(b"this is no database, " * 500)
    said = result(make_agent(home, model=ScriptedModel("Biscuit.")), ASKED)
    assert said.reply == "Biscuit."
    assert any(notice.startswith("this turn was not stored: ") for notice in said.notices)
