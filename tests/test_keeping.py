"""A turn sees the state and the conversations in its own shape."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
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
from nola.keeping import KeptConversations, KeptMemory, KeptState, problem_sentence
from nola.llm.tokens import estimate
from nola.memory.database import Database
from nola.memory.engine import Engine
from nola.memory.store import ConversationStore
from nola.settings import Settings, StateSettings
from nola.state.store import StateStore
from nola.testing import ManualClock
from nola.types import ChangeId, Channel, ConversationId, Level, MessageId, Tokens, Weight

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

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


# --- the memory -------------------------------------------------------------------------------------------------------
@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A learned memory of words alone."""
    made = Engine(Database(tmp_path / "memory.db", clock=ManualClock()), Settings(), count_tokens=estimate)
    yield made
    made.close()


def minds(kept: KeptMemory, text: str, *, former: bool = False) -> list[str]:
    """What a message brings to mind."""
    found = kept.brought_to_mind(text, now=ManualClock().now(), owner="Mara", former=former)
    return [one.content for one in found]


def test_what_comes_to_mind_tells_all_that_a_turn_needs(engine: Engine) -> None:
    """A memory keeps its speaker, time, level, trust and scores on the way."""
    at = ManualClock().now()
    id_ = engine.store(
        "I sold the boat", {"speaker": "Ana", "at": at, "level": 3, "source": "a letter", "pinned": True}
    )
    (found,) = KeptMemory(lambda: engine).brought_to_mind("who sold the boat?", now=at, owner="", former=False)
    assert (found.id, found.content, found.speaker, found.at) == (id_, "I sold the boat", "Ana", at)
    assert (found.level, found.source, found.trust, found.pinned) == (Level.DEEP, "a letter", "owner", True)
    assert (found.relevance, found.innate, found.cosine) == (1.0, False, 0.0)
    assert 0 < found.strength <= 1
    assert sum(found.parts.values()) == pytest.approx(1.0)


def test_the_innate_come_always_and_the_past_when_it_is_asked_for(engine: Engine) -> None:
    """What was true once comes only to who asks for it; what is innate comes last, whatever is asked."""
    at = ManualClock().now()
    engine.store("I lived in Bled", {"valid_until": at - timedelta(days=9), "at": at - timedelta(days=99)})
    engine.store("Never guess a phone number", {"memory_class": "innate"})
    kept = KeptMemory(lambda: engine)
    assert minds(kept, "where did I live in Bled?") == ["Never guess a phone number"]
    assert minds(kept, "where did I live in Bled?", former=True) == ["I lived in Bled", "Never guess a phone number"]
    assert minds(kept, "") == ["Never guess a phone number"]


@pytest.mark.row("A18")
def test_use_is_counted_and_looking_is_not(engine: Engine) -> None:
    """One access for each memory that was used, under the message's id; the same message counts no second time."""
    kept = KeptMemory(lambda: engine)
    id_ = engine.store("I sold the boat", {})
    found = kept.brought_to_mind("who sold the boat?", now=ManualClock().now(), owner="", former=False)
    assert engine.get(id_).statistics.access_count == 0
    for request in ("m1", "m1", "m2"):
        kept.used(found, request)
    assert engine.get(id_).statistics.access_count == 2
    assert [one.id for one in kept.recall("boat", limit=5, budget=100)] == [id_]
    assert engine.get(id_).statistics.access_count == 3


@pytest.mark.row("E07")
def test_the_level_of_a_message_weighs_where_hea_ranks(tmp_path: Path) -> None:
    """At level 3 the memory of level 3 comes first, at level 1 that of level 1; under nola levels count for nothing."""
    strengths = {}
    for profile in ("hea", "nola"):
        engine = Engine(
            Database(tmp_path / "memory.db", clock=ManualClock()), Settings(), profile=profile, count_tokens=estimate
        )
        if profile == "hea":
            engine.store_many([{"content": f"the boat {level}", "level": level} for level in (1, 3)])
        for level in Level:
            found = KeptMemory(lambda: engine).brought_to_mind(  # noqa: B023 -- called at once
                "boat", now=ManualClock().now(), owner="", former=False, level=level
            )
            strengths[profile, level] = {int(one.level): round(one.strength, 9) for one in found}
        engine.close()
    assert strengths["hea", Level.QUICK] == {1: 1.0, 3: 0.04}
    assert strengths["hea", Level.DEEP] == {1: 0.1, 3: 0.4}
    assert strengths["nola", Level.QUICK] == strengths["nola", Level.DEEP]


class SlowVectors:
    """An embedder of one theme that counts its texts."""

    model_id = "one/1"
    dimensions = 8

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same unit vector for each text."""
        self.texts += texts
        return np.full((len(texts), 8), 8**-0.5, np.float32)


def test_vectors_of_what_another_process_stored_are_made_after_the_turn(tmp_path: Path, engine: Engine) -> None:
    """A turn waits for none of them: looking embeds no memory, and after the reply they are made in the background."""
    engine.store("I sold the boat", {})
    vectors = SlowVectors()
    other = Engine(
        Database(tmp_path / "memory.db", clock=ManualClock()), Settings(), embedder=vectors, count_tokens=estimate
    )
    kept = KeptMemory(lambda: other)
    found = kept.brought_to_mind("who sold the boat?", now=ManualClock().now(), owner="", former=False)
    assert "I sold the boat" not in vectors.texts
    kept.used(found, "m1")
    assert other.wait_indexed(10)
    assert vectors.texts.count("I sold the boat") == 1
    kept.close()


@pytest.mark.row("E59")
def test_the_memory_is_given_out_and_taken_in_as_a_whole(tmp_path: Path, engine: Engine) -> None:
    """What is taken in is found by its meaning too, once its vector is made; a dry run takes nothing in."""
    id_ = engine.store("I sold the boat", {})
    lines = KeptMemory(lambda: engine).export_lines()
    vectors = SlowVectors()
    other = Engine(
        Database(tmp_path / "other.db", clock=ManualClock()), Settings(), embedder=vectors, count_tokens=estimate
    )
    kept = KeptMemory(lambda: other)
    assert kept.import_lines(lines, dry_run=True).memories == 1
    assert kept.export_lines() != lines
    assert kept.import_lines(lines).memories == 1
    assert kept.import_lines(lines, skip_known=True).known == 1
    assert kept.export_lines() == lines
    assert other.get(id_).content == "I sold the boat"
    assert other.wait_indexed(10)
    assert vectors.texts == ["I sold the boat"]
    kept.close()


def test_a_memory_nobody_asked_for_is_not_made() -> None:
    """Closing it, or using nothing, makes none."""

    def make() -> Engine:
        raise AssertionError("nobody asked for it")

    kept = KeptMemory(make)
    kept.used((), "m1")
    kept.close()
    with pytest.raises(AssertionError, match="nobody asked"):
        kept.recall("boat", limit=1, budget=None)
