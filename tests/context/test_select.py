"""Ranking keeps facts and index while the state stands, greets by name, and works without an embedder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.context.memories import Memories
from nola.context.select import Selector
from nola.evaluation.personas import install, load
from nola.flow import Stimulus
from nola.settings import RelevanceSettings
from nola.testing import make_agent
from nola.types import Level
from tests.context.making import NOW, leaves, ranked, remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nola.context.select import Ranking
    from nola.flow import LeftOut, Selected
    from nola.types import Json

PERSONAS = Path(__file__).resolve().parent.parent / "fixtures" / "personas"
OWNER: Json = {"city": "Porto", "name": "Mara Vesel", "pets": {"dog": {"name": "Figa", "breed": "mixed"}}}
USER = {"user": OWNER}


class Themes:
    """An embedder of two themes, animals and the rest; it may run out of time after some texts, and counts calls."""

    def __init__(self, in_time: int = 1000) -> None:
        self.in_time = in_time
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One theme for each text."""
        self.texts += len(texts)
        animal = [any(w in t.lower() for w in ("dog", "figa", "beast")) for t in texts]
        return np.array([[1.0, 0.0] if a else [0.0, 1.0] for a in animal], np.float32).reshape(-1, 2)

    def embed_within(self, texts: Sequence[str], budget_s: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The vectors of the first texts; the rest is too late."""
        assert budget_s == 1.0
        there = np.arange(len(texts)) < self.in_time
        return self.embed(texts) * there[:, None].astype(np.float32), there


def best(ranking: Ranking, how_many: int = 1) -> list[str]:
    """Texts of the most relevant facts."""
    order = sorted(range(len(ranking.scores)), key=lambda row: -ranking.scores[row])
    return [ranking.facts[row].text for row in order[:how_many]]


def test_facts_are_ranked_by_words_alone() -> None:
    """Without an embedder the words find the fact, and there are no cosines."""
    ranking = ranked("what is the name of my dog", USER)
    assert best(ranking) == ["Your dog's name is Figa."]
    assert ranking.cosine is None
    assert ranking.without_vectors == 0
    assert [ranking.candidates[row].path for row in ranking.rows] == [fact.path for fact in ranking.facts]


def test_facts_are_ranked_by_meaning_too() -> None:
    """An embedder finds what no word names."""
    ranking = ranked("what about the beast", USER, vectoriser=Themes())
    assert best(ranking, 2) == ["Your dog's name is Figa.", "Your dog Figa's breed is mixed."]
    assert ranking.cosine == [0.0, 0.0, 1.0, 1.0]


def test_facts_and_index_are_kept_while_the_state_stands() -> None:
    """One revision is prepared once, also its vectors; a new revision is prepared anew."""
    selector, embedder = Selector(RelevanceSettings(), turn_budget_s=1.0), Themes()
    candidates = leaves("user", OWNER)
    first = selector.rank("dog", candidates, revision="a", vectoriser=embedder)
    after_first = embedder.texts
    again = selector.rank("city", candidates, revision="a", vectoriser=embedder)
    assert again.facts is first.facts
    assert embedder.texts == after_first + 1  # the question alone
    changed = leaves("user", {"city": "Split"})
    assert best(selector.rank("city", changed, revision="b", vectoriser=embedder)) == ["Your city is Split."]


def test_an_embedder_that_arrives_later_is_used() -> None:
    """Words alone at first; the same revision gets its vectors when they can be had."""
    selector, candidates = Selector(RelevanceSettings(), turn_budget_s=1.0), leaves("user", OWNER)
    assert selector.rank("beast", candidates, revision=1, vectoriser=None).cosine is None
    assert selector.rank("beast", candidates, revision=1, vectoriser=Themes()).cosine is not None


def test_vectors_that_were_too_late_come_with_the_next_message() -> None:
    """The first call tells how many facts have no vector; the next one asks for them again."""
    selector, embedder = Selector(RelevanceSettings(), turn_budget_s=1.0), Themes(in_time=1)
    candidates = leaves("user", OWNER)
    first = selector.rank("dog", candidates, revision=1, vectoriser=embedder)
    assert first.without_vectors == len(first.facts) - 1
    embedder.in_time = 1000
    assert selector.rank("dog", candidates, revision=1, vectoriser=embedder).without_vectors == 0


@pytest.mark.parametrize(
    ("text", "greet"), [("hi there!", True), ("thanks", True), ("what is it", False), ("...", False)]
)
def test_a_greeting_puts_the_owners_name_first(text: str, greet: bool) -> None:  # noqa: FBT001 -- a table
    """When a message asks for nothing, her name leads and what is hers follows."""
    selector = Selector(RelevanceSettings(), turn_budget_s=1.0)
    ranking = selector.rank(text, leaves("user", OWNER), revision=1, vectoriser=None, greet=greet)
    assert best(ranking, 2) == ["Your name is Mara Vesel.", "Your city is Porto."]


def test_a_quick_question_is_still_answered() -> None:
    """What is asked for goes before the name."""
    selector = Selector(RelevanceSettings(bm25_floor=0.5), turn_budget_s=1.0)
    ranking = selector.rank("dog breed?", leaves("user", OWNER), revision=1, vectoriser=None, greet=True)
    assert best(ranking) == ["Your dog Figa's breed is mixed."]


def test_former_facts_fall_behind_unless_asked_for() -> None:
    """An older value keeps 0.6 of its relevance, and all of it when the past is asked for."""
    phones: dict[str, Json] = {"user": {"phone_old": "222", "phone": "111"}}
    now, past = ranked("what is my phone number", phones), ranked("what was my old phone", phones, former=True)
    assert best(now) == ["Your phone is 111."]
    assert best(past) == ["Formerly: your phone was 222."]
    whole = ranked("what is my phone number", phones, former=True)
    assert now.scores[0] == pytest.approx(0.6 * whole.scores[0])
    assert now.scores[1] == whole.scores[1]


def test_who_answers_is_no_fact() -> None:
    """Nola's name, role and manner stand in every prompt's prefix and are not told again."""
    ranking = ranked(
        "what is your name", {"Nola": {"name": "Nola", "role": "assistant", "manner": "dry", "likes": "tea"}}
    )
    assert [fact.path for fact in ranking.facts] == ["Nola.likes"]


def test_memories_rank_behind_the_facts_of_the_state() -> None:
    """They are the last candidates and facts, on the same scale; the facts of the state stay one object."""
    found = ranked(
        "what is my dog called", USER, memories=[remembered("My dog is called Figa"), remembered("It rains")]
    )
    assert [fact.memory is not None for fact in found.facts] == [False] * (len(found.facts) - 2) + [True, True]
    assert len(found.noted) == len(found.facts) - 2
    assert [found.candidates[row].value for row in found.rows[-2:]] == ["My dog is called Figa", "It rains"]
    assert found.scores[-2] > 0.5
    assert found.scores[-1] <= found.scores[-2]


def test_strong_memories_rank_as_recall_says() -> None:
    """Where nothing was asked, their score is their relevance."""
    selector = Selector(RelevanceSettings(), turn_budget_s=1.0)
    strong = Memories(NOW, [remembered("a", score=0.97), remembered("b", score=0.6)], salient=True)
    found = selector.rank("hello", leaves("user", OWNER), revision=1, vectoriser=None, memories=strong)
    assert list(found.scores[-2:]) == [0.97, 0.6]


def test_nothing_known_ranks_nothing() -> None:
    """An empty state is no error, with an embedder or without."""
    assert ranked("what is my name", {}).scores == []
    assert ranked("what is my name", {}, vectoriser=Themes()).scores == []


def test_a_pulled_value_appears_once_at_its_highest_place(tmp_path: Path) -> None:
    """What travelled from a module up to Nola.json counts once, with the weight of the top."""
    install(load(PERSONAS / "helen"), tmp_path / "state")
    agent = make_agent(tmp_path)
    report = agent.context(Stimulus("what is my name", NOW, level=Level.DEEP))
    agent.close()
    told: list[Selected | LeftOut] = [*report.selected, *report.left_out]
    places = {fact.path: fact.factors.hierarchy for fact in told}
    paths = [fact.path for fact in told]
    assert paths.count("user.identity.full_name") == paths.count("work.employer") == 1
    assert (places["user.identity.full_name"], places["work.employer"], places["health.dentist"]) == (1.0, 0.7, 0.4)
    assert not [path for path in paths if path.startswith("identity.")]
