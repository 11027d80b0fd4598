"""The measure of a persona, and what the trunk promises on three of them without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.errors import UsageError
from nola.evaluation.personas import Answer, Asked, Persona, PersonaReport, evaluate, install, load
from nola.flow import ContextReport, Factors, LevelChoice, ModelRef, Selected, Stimulus, Token, TurnResult, Usage
from nola.testing import ManualClock, make_agent
from nola.types import ConversationId, Level, MessageId, Tokens, Weight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.context.select import Vectoriser
    from nola.flow import Event
    from nola.llm.vectors import CachedEmbedder

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "personas"
QUESTIONS = {
    "now": "2026-11-20T09:00:00+01:00",
    "known": [
        {"q": "what is my dog's name", "needs": ["user.pets.dog.name"], "answer": ["Figa"]},
        {"q": "where do I live", "needs": ["user.city", "user.street"], "answer": ["Porto"]},
    ],
    "changed": [{"q": "what is my phone", "needs": ["user.phone"], "new": ["111"], "old": ["222"]}],
    "unknown": [{"q": "what is my shoe size"}],
    "general": [{"q": "what is the capital of Peru"}],
}


@pytest.fixture
def persona(tmp_path: Path) -> Persona:
    """A small persona."""
    folder = tmp_path / "ana"
    (folder / "state" / "modules").mkdir(parents=True)
    (folder / "state" / "user.json").write_text('{"data": {"city": "Porto"}}', encoding="utf-8")
    (folder / "state" / "modules" / "boat.json").write_text('{"data": {"name": "Burja"}}', encoding="utf-8")
    (folder / "questions.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    return load(folder)


def report(*facts: tuple[str, str], unknown: tuple[str, ...] = ()) -> ContextReport:
    """A report with these facts, each a path and a text."""
    chosen = tuple(Selected(p, t, Tokens(5), Weight(1.0), Factors(1, 1, 1, 1), "user.json") for p, t in facts)
    return ContextReport(LevelChoice(Level.CONVERSATION, ""), Tokens(50), Tokens(5), chosen, (), unknown)


class Says:
    """An answerer that gives one report and one reply, or none, to every message, and keeps what it was asked."""

    def __init__(
        self, told: ContextReport, reply: str | None = "", *, quoted: str = "", provider: str = "scripted"
    ) -> None:
        self.asked: list[Stimulus] = []
        self.turns = 0
        self._told = told
        self._reply = reply
        self._quoted = quoted
        self._provider = provider

    def turn(self, stimulus: Stimulus) -> Iterator[Event]:
        """Say the reply."""
        self.asked.append(stimulus)
        self.turns += 1
        if self._reply is not None:
            yield Token(self._reply)
            yield TurnResult(
                ConversationId("c"),
                MessageId("m"),
                self._reply,
                self._quoted,
                self._told,
                ModelRef(self._provider, "x"),
                Usage(),
                Tokens(5),
            )

    def context(self, stimulus: Stimulus) -> ContextReport:
        """Give the report."""
        self.asked.append(stimulus)
        return self._told

    def close(self) -> None:
        """Hold nothing."""


def answer_of(persona: Persona, kind: str, assistant: Says, which: int = 0) -> Answer:
    """The answer to one question of a kind."""
    return evaluate(persona, assistant, kinds=[kind]).answers[which]


# --- reading ----------------------------------------------------------------------------------------------------------
def test_a_persona_is_read(persona: Persona) -> None:
    """Name, time and questions by kind; what is new counts as accepted, what is old as outdated."""
    assert persona.name == "ana"
    assert persona.now.isoformat() == "2026-11-20T08:00:00+00:00"
    assert [q.kind for q in persona.questions] == ["known", "known", "unknown", "changed", "general"]
    assert persona.questions[0] == Asked("known", "what is my dog's name", ("user.pets.dog.name",), ("Figa",), ())
    assert persona.questions[3] == Asked("changed", "what is my phone", ("user.phone",), ("111",), ("222",))


@pytest.mark.parametrize("content", [None, "{", "[1]", '{"known": [{"answer": ["x"]}]}', '{"known": 3}'])
def test_a_folder_that_is_no_persona_is_refused(tmp_path: Path, content: str | None) -> None:
    """A missing or wrong question file is told with its folder."""
    if content is not None:
        (tmp_path / "questions.json").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="is no persona") as caught:
        load(tmp_path)
    assert "state/user.json and questions.json" in caught.value.fix


def test_a_persona_is_installed(persona: Persona, tmp_path: Path) -> None:
    """Its modules are copied, folders and all."""
    install(persona, tmp_path / "home" / "state")
    assert (tmp_path / "home" / "state" / "user.json").read_text(encoding="utf-8") == '{"data": {"city": "Porto"}}'
    assert (tmp_path / "home" / "state" / "modules" / "boat.json").exists()


# --- what an answer is ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("which", "facts", "injected"),
    [
        (0, [("user.pets.dog.name", "Your dog is called so.")], True),  # the path
        (0, [("user.pets", "Animals.")], True),  # a path around it
        (0, [('user.pets."dog".name', "Your dog.")], True),  # quoted
        (0, [("user.notes.0", "FIGA is my dog.")], True),  # the text
        (0, [("user.pets.dog.nameplate", "Brass.")], False),
        (0, [], False),
        (1, [("user.city", "Your city."), ("user.street", "Your street.")], True),
        (1, [("user.city", "Your city.")], False),  # one of two
    ],
)
def test_needed_facts_are_injected(
    persona: Persona,
    which: int,
    facts: list[tuple[str, str]],
    injected: bool,  # noqa: FBT001 -- a table
) -> None:
    """All needed paths are in the context, or a fact holds an accepted text."""
    assert answer_of(persona, "known", Says(report(*facts)), which).injected is injected


@pytest.mark.parametrize(
    ("reply", "quoted", "provider", "told"),
    [
        ("It's figa.", "", "scripted", "by_model right"),
        ("No idea. From your notes: Figa", "From your notes: Figa", "scripted", "by_quote right"),
        ("From your notes: Figa", "", "none", "by_quote right"),
        ("Noted: Figa", "", "code", "by_quote right"),
        ("It's Rex.", "", "scripted", ""),
        ("I’m sorry, I cannot provide that.", "", "scripted", "refused"),
        ("I don't know, maybe Figa", "", "scripted", "by_model refused right"),
    ],
)
def test_who_said_the_right_thing(persona: Persona, reply: str, quoted: str, provider: str, told: str) -> None:
    """The model's own words, or what code added or said; and whether it was refused in words."""
    answer = answer_of(persona, "known", Says(report(), reply, quoted=quoted, provider=provider))
    flags = ("by_model", "by_quote", "refused", "unknown", "outdated", "right")
    assert [flag for flag in flags if getattr(answer, flag)] == told.split()
    assert answer.reply == reply


@pytest.mark.parametrize(
    ("reply", "outdated", "right"),
    [("It's 222.", True, False), ("It's 111, once 222.", False, True), ("?", False, False)],
)
def test_an_older_value_is_outdated_where_the_newer_is_missing(
    persona: Persona,
    reply: str,
    outdated: bool,  # noqa: FBT001 -- a table
    right: bool,  # noqa: FBT001
) -> None:
    """The old phone number alone is outdated; beside the new one it is not."""
    answer = answer_of(persona, "changed", Says(report(), reply))
    assert (answer.outdated, answer.right) == (outdated, right)


def test_admitting_is_right_only_where_nothing_is_known(persona: Persona) -> None:
    """Said unknown: right for an unknown question, wrong for a known and for a general one."""
    admits, answers = Says(report(unknown=("it",)), "I don't know: Figa"), Says(report(), "Figa")
    kinds = ("known", "unknown", "general")
    assert [answer_of(persona, kind, admits).right for kind in kinds] == [False, True, False]
    assert [answer_of(persona, kind, answers).right for kind in kinds] == [True, False, True]
    assert answer_of(persona, "unknown", admits).refused


# --- the run ----------------------------------------------------------------------------------------------------------
def test_each_question_is_asked_in_a_conversation_of_its_own(persona: Persona) -> None:
    """At the persona's time, with the named model, learning nothing; progress is told."""
    assistant, told = Says(report(), "Figa"), list[tuple[int, int]]()
    found = evaluate(persona, assistant, model="m", progress=lambda done, of: told.append((done, of)))
    assert [s.text for s in assistant.asked] == [q.text for q in persona.questions]
    assert all((s.at, s.model, s.conversation, s.learn) == (persona.now, "m", None, False) for s in assistant.asked)
    assert told == [(n, 5) for n in range(1, 6)]
    assert (found.name, len(found.answers)) == ("ana", 5)


def test_without_speaking_only_contexts_are_looked_at(persona: Persona) -> None:
    """No turn is taken; what is injected and unknown is known all the same."""
    assistant = Says(report(("user.phone", "Your phone is 111."), unknown=("x",)))
    found = evaluate(persona, assistant, speak=False)
    assert assistant.turns == 0
    assert [a.injected for a in found.of("changed")] == [True]
    assert all(a.unknown and a.refused and not a.reply for a in found.answers)


def test_a_turn_without_a_result_is_looked_at(persona: Persona) -> None:
    """A turn that ended early counts by its context."""
    answer = answer_of(persona, "known", Says(report(("user.pets.dog.name", "x")), None))
    assert (answer.injected, answer.reply, answer.right) == (True, "", False)


def test_a_report_gives_shares(persona: Persona) -> None:
    """The share of a kind for which something holds; 0 of none."""
    found = evaluate(persona, Says(report(("user.pets.dog.name", "x")), "Figa"))
    assert found.share("known") == 0.5
    assert found.share("known", "injected") == 0.5
    assert found.share("unknown") == 0.0
    assert PersonaReport("none", ()).share("known") == 0.0


# --- the trunk's promise ----------------------------------------------------------------------------------------------
def measured(name: str, home: Path, vectoriser: Vectoriser | None = None) -> dict[str, int]:
    """What the contexts of a persona's questions hold: 40 known, 10 changed, 20 unknown and 12 general ones."""
    persona = load(FOLDER / name)
    install(persona, home / "state")
    settings = {"embed.turn_budget": "60"}
    agent = make_agent(home, clock=ManualClock(persona.now), vectoriser=vectoriser, settings=settings)
    found = evaluate(persona, agent, speak=False)
    agent.close()
    figures = {
        "injected": sum(a.injected for a in found.of("known")),
        "changed injected": sum(a.injected for a in found.of("changed")),
        "unknown": sum(a.unknown for a in found.of("unknown")),
        "refused": sum(a.unknown for a in (*found.of("known"), *found.of("changed"))),
        "general refused": sum(a.unknown for a in found.of("general")),
    }
    print(name, figures)  # noqa: T201 -- the figures are what the test is for
    assert [len(found.of(kind)) for kind in ("known", "changed", "unknown", "general")] == [40, 10, 20, 12]
    return figures


@pytest.mark.parametrize("name", ["mara", "nils", "helen"])
def test_words_alone_find_most_of_what_is_known(name: str, tmp_path: Path) -> None:
    """Without an embedder: at least 30 of 40 facts injected, 17 of 20 unknown admitted, few refused."""
    figures = measured(name, tmp_path)
    assert figures["injected"] >= 30, figures
    assert figures["changed injected"] >= 9, figures
    assert figures["unknown"] >= 17, figures
    assert figures["refused"] <= 4, figures
    assert figures["general refused"] <= 1, figures


@pytest.mark.models
@pytest.mark.parametrize("name", ["mara", "nils", "helen"])
def test_words_and_meaning_find_what_is_known(name: str, tmp_path: Path, minilm: CachedEmbedder) -> None:
    """With the embedder: at least 36 of 40 facts injected, 17 of 20 unknown admitted, at most 3 refused."""
    figures = measured(name, tmp_path, minilm)
    assert figures["injected"] >= 36, figures
    assert figures["changed injected"] >= 9, figures
    assert figures["unknown"] >= 17, figures
    assert figures["refused"] <= 3, figures
    assert figures["general refused"] <= 1, figures
