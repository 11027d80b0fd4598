"""A turn sees the state and the conversations in its own shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from nola.flow import (
    ContextReport,
    Factors,
    LeftOut,
    LevelChoice,
    ModelRef,
    Problem,
    Proposal,
    Receipt,
    Stimulus,
    TurnResult,
    Usage,
)
from nola.keeping import KeptConversations, KeptState, problem_sentence
from nola.memory.store import ConversationStore
from nola.settings import StateSettings
from nola.state.store import StateStore
from nola.testing import ManualClock
from nola.types import ChangeId, Channel, ConversationId, Level, MessageId, Tokens, Weight

BORN = Path(__file__).resolve().parents[1] / "state"


@pytest.fixture
def store(tmp_path: Path) -> StateStore:
    """A state that was just born."""
    made = StateStore(tmp_path / "state", clock=ManualClock(), settings=StateSettings(), born=BORN)
    made.bootstrap()
    return made


def proposal(path: str, value: str | None, **marks: bool) -> Proposal:
    """A proposal of one rule."""
    return Proposal(path, value, "rule", "the words", **marks)


def test_a_proposal_is_set_added_or_removed(store: StateStore) -> None:
    """What a proposal says is done by Nola, through the channel that it came in by; the change tells old and new."""
    kept = KeptState(store)
    first = kept.write(proposal("user.city", "Faro"), "terminal")
    assert (first.old, first.new, first.who, first.via) == (None, "Faro", "nola", "terminal")
    second = kept.write(proposal("user.city", "Porto"), "terminal")
    assert (second.old, second.new) == ("Faro", "Porto")
    kept.write(proposal("user.likes", "tea", append=True), "terminal")
    kept.write(proposal("user.likes", "rain", append=True), "terminal")
    assert kept.get("user") == {"city": "Porto", "likes": ["tea", "rain"]}
    gone = kept.write(proposal("user.city", None, remove=True), "terminal")
    assert (gone.old, gone.new, gone.new_present) == ("Porto", None, False)


def test_a_change_tells_values_without_the_wrappers_of_nodes(store: StateStore) -> None:
    """Who is told what was written sees plain values, not metadata."""
    store.set("user.pets", {"metadata": {"context_level": 3}, "data": {"dog": "Biscuit"}}, who="owner")
    gone = KeptState(store).write(proposal("user.pets", None, remove=True), "terminal")
    assert gone.old == {"dog": "Biscuit"}


def test_the_revision_changes_with_the_candidates(store: StateStore) -> None:
    """Candidates and revision stay while nothing changes, and both change with a write."""
    kept = KeptState(store)
    before, leaves = kept.revision(), kept.candidates()
    assert (kept.revision(), kept.candidates()) == (before, leaves)
    store.set("user.city", "Porto", who="owner")
    assert kept.revision() != before
    assert [c.value for c in kept.candidates() if c.path == "user.city"] == ["Porto"]


def test_a_broken_module_is_one_sentence(store: StateStore, tmp_path: Path) -> None:
    """A file that can't be read is told with its line and column."""
    assert list(KeptState(store).problems()) == []
    (tmp_path / "state" / "user.json").write_text('{\n  "data": [}\n', encoding="utf-8")
    (said,) = KeptState(store).problems()
    assert said.startswith("user.json, line 2, column ")


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (Problem("user.json", 2, 5, "a comma is missing"), "user.json, line 2, column 5: a comma is missing"),
        (Problem("user.json", 0, 0, "it can't be opened"), "user.json: it can't be opened"),
    ],
)
def test_a_problem_is_said_with_its_place(problem: Problem, says: str) -> None:
    """Line and column are said when they are known."""
    assert problem_sentence(problem) == says


@pytest.mark.row("E34")
def test_a_turn_is_stored_and_read_back(tmp_path: Path) -> None:
    """A finished turn comes back as an exchange and as a message, with at most forty of its left-out facts."""
    clock = ManualClock()
    conversations = ConversationStore(tmp_path / "memory.db", clock=clock)
    kept = KeptConversations(conversations)
    left = LeftOut("user.a", "over the budget", Tokens(3), Weight(0.1), Factors(1, 1, 1, 1))
    report = ContextReport(LevelChoice(Level.DEEP, "why"), Tokens(200), Tokens(0), (), [left] * 50)
    result = TurnResult(
        ConversationId(""),
        MessageId(""),
        reply="Because.",
        quoted="",
        report=report,
        model=ModelRef("scripted", "m"),
        usage=Usage(9, 2),
        context_tokens=Tokens(0),
        receipts=(Receipt("user.city", None, "Porto", ChangeId("c"), "I moved"),),
    )
    conversation, message = kept.keep(Stimulus("Why?", clock.now(), Channel.TERMINAL), result)
    (exchange,) = kept.exchanges(conversation, 5)
    assert (exchange.user, exchange.level, exchange.assistant) == ("Why?", Level.DEEP, "Because.")
    (stored,) = conversations.messages(conversation)
    assert (stored.id, stored.model, stored.complete) == (message, "scripted:m", True)
    assert isinstance(stored.report, dict)
    told = stored.report["left_out"]
    assert isinstance(told, list)
    assert len(told) == 40
    conversations.close()
