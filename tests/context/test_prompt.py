"""What the model reads: a prefix that stays, the conversation, then facts and time beside the owner's own words."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.context.prompt import Persona, build_prompt
from nola.evaluation.personas import install, load
from nola.flow import ContextReport, Exchange, Factors, LevelChoice, Message, Prompt, Selected, Stimulus
from nola.llm.tokens import estimate
from nola.testing import ManualClock, ScriptedModel, make_agent
from nola.types import Level, Role, Tokens, Weight
from tests.context.making import NOW

PERSONAS = Path(__file__).resolve().parent.parent / "fixtures" / "personas"
NOLA = Persona("Nola", "personal assistant", "warm and brief")
TURNS = [Exchange(f"question {i}", Level.CONVERSATION, f"answer {i}") for i in range(4)]


def report(*texts: str, unknown: tuple[str, ...] = ()) -> ContextReport:
    """A report with some facts."""
    factors = Factors(1.0, 1.0, 1.0, 1.0)
    chosen = tuple(
        Selected(f"user.{i}", t, estimate(t), Weight(1.0), factors, "user.json") for i, t in enumerate(texts)
    )
    choice = LevelChoice(Level.CONVERSATION, "default")
    return ContextReport(choice, Tokens(50), Tokens(sum(map(estimate, texts))), chosen, (), unknown)


def built(
    text: str = "what is my dog's name",
    told: ContextReport | None = None,
    history: list[Exchange] | None = None,
    *,
    room: int = 2000,
    hours: float = 0,
) -> Prompt:
    """A prompt at nine o'clock, or some hours later."""
    return build_prompt(
        NOLA,
        told or report("Your dog's name is Figa."),
        history or [],
        text,
        now=NOW + timedelta(hours=hours),
        room=Tokens(room),
        count=estimate,
    )


@pytest.mark.row("E10")
def test_facts_stand_in_the_system_role_right_before_the_owners_words() -> None:
    """First the prefix, then the conversation, then notes and time, and the owner's text unchanged at the end."""
    prompt = built("  What's my dog's name?\n", report("Your dog's name is Figa.", "You like figs."), TURNS[:1])
    assert [m.role for m in prompt.messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.SYSTEM, Role.USER]
    assert prompt.messages[1:] == (
        Message(Role.USER, "question 0"),
        Message(Role.ASSISTANT, "answer 0"),
        Message(
            Role.SYSTEM,
            "Notes about your owner:\n- Your dog's name is Figa.\n- You like figs.\n"
            "It is Friday, 20 November 2026, 09:00.",
        ),
        Message(Role.USER, "  What's my dog's name?\n"),
    )
    assert prompt.trimmed == ()


def test_the_prefix_never_changes() -> None:
    """Another message, other facts, another time and a longer conversation leave the first message as it is."""
    first = built().messages[0]
    others = [built("hi"), built(hours=30), built(history=TURNS), built(told=report(unknown=("your shoe size",)))]
    assert all(prompt.messages[0] == first for prompt in others)
    assert first.content.startswith("You are Nola, a personal assistant. Your manner: warm and brief.\n")
    assert "Figa" not in first.content
    assert "2026" not in first.content


def test_what_is_not_known_is_said() -> None:
    """The model is told what there is no note about, and gets no heading without notes."""
    told = built(told=report(unknown=("your shoe size", "your plate"))).messages[-2].content
    assert told == "There is no note about: your shoe size; your plate.\nIt is Friday, 20 November 2026, 09:00."


def test_the_oldest_turns_are_dropped_first_and_it_is_said() -> None:
    """What does not fit falls away from the beginning of the conversation."""
    whole = built(history=TURNS)
    assert [m.content for m in whole.messages[1:-2:2]] == [f"question {i}" for i in range(4)]
    tight = built(history=TURNS, room=whole.tokens - 1)
    assert [m.content for m in tight.messages[1:-2:2]] == ["question 1", "question 2", "question 3"]
    assert tight.trimmed == ("1 earlier turn did not fit and were left out",)
    none = built(history=TURNS, room=built().tokens)
    assert len(none.messages) == 3
    assert none.trimmed == ("4 earlier turns did not fit and were left out",)


def test_a_long_turn_ends_the_conversation_that_is_kept() -> None:
    """No turn before one that was dropped is kept: the conversation has no hole."""
    history = [Exchange("short", Level.QUICK, "ok"), Exchange("long " * 400, Level.QUICK, "ok"), TURNS[0]]
    prompt = built(history=history, room=400)
    assert [m.content for m in prompt.messages[1:-2:2]] == ["question 0"]
    assert prompt.trimmed == ("2 earlier turns did not fit and were left out",)


def test_a_message_that_is_too_long_loses_its_middle_and_it_is_said() -> None:
    """Beginning and end of the owner's words stay, the conversation goes first, and a sentence tells it."""
    text = " ".join(f"word{i}" for i in range(2000))
    prompt = built(text, history=TURNS, room=400)
    asked = prompt.messages[-1].content
    assert prompt.tokens <= 400
    assert asked.startswith("word0 word1")
    assert " [...] " in asked
    assert asked.endswith("word1999")
    assert prompt.trimmed[0] == "your message is longer than the model's window: its middle was left out"
    assert prompt.messages[0] == built().messages[0]


@given(st.text(max_size=300), st.integers(0, 4), st.integers(300, 900))
def test_a_prompt_fits_its_room(text: str, turns: int, room: int) -> None:
    """Whatever is said, the estimate of the prompt is within the room, and is the sum of its messages."""
    prompt = built(text, history=TURNS[:turns], room=room)
    assert prompt.tokens == sum(estimate(m.content) + 6 for m in prompt.messages) <= room
    assert prompt.trimmed or prompt.messages[-1].content == text


def test_no_metadata_is_ever_in_a_prompt(tmp_path: Path) -> None:
    """Of a whole persona only sentences about data are sent, never a node's metadata or a raw `key: value` (E-46)."""
    install(load(PERSONAS / "mara"), tmp_path / "state")
    model = ScriptedModel("Right.")
    agent = make_agent(tmp_path, model=model, clock=ManualClock(NOW), settings={"unknown.enabled": "false"})
    for level in Level:
        for asked in load(PERSONAS / "mara").questions[:40]:
            list(agent.turn(Stimulus(asked.text, NOW, level=level, learn=False)))
    agent.close()
    notes = [m.content for prompt in model.prompts for m in prompt if m.role is Role.SYSTEM]
    assert len(model.prompts) == 120
    assert any("Your home rent is 1150 euro." in note for note in notes)
    for raw in (
        "metadata",
        "last_updated",
        "context_level",
        "needs_sync",
        "stale_threshold",
        "source_file",
        "2026-06-21T",
    ):
        assert not [note for note in notes if raw in note]
    assert not [note for note in notes if re.search(r"^- [a-z\"][\w.\"]*: ", note, re.MULTILINE)]
    assert len({prompt[0] for prompt in model.prompts}) == 1
