"""The measurement as a whole on two invented conversations: every way, baselines in order, resuming."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.errors import ModelError, NolaError
from nola.evaluation.conversations import load_conversations
from nola.evaluation.finders import Kept, LastTurns
from nola.evaluation.measures import MEASURES, Asked, summary
from nola.evaluation.recall import Result, Way, evaluate, ways_of
from nola.learned import Memory
from nola.llm.hashing import HashingEmbedder
from nola.settings import Settings

if TYPE_CHECKING:
    from nola.evaluation.conversations import Conversation

TALKS = load_conversations(Path(__file__).resolve().parent.parent / "fixtures" / "conversations" / "two.json")
SETTINGS = Settings()


def ways(kept: Kept | None, *, profile: str = "nola", ablation: bool = False) -> tuple[Way, ...]:
    """What is measured with this embedder."""

    def opened(path: Path, with_profile: str, settings: Settings) -> Memory:
        return Memory.open(path, profile=with_profile, settings=settings, embedder=kept)

    return ways_of(opened, kept, SETTINGS, profile=profile, ablation=ablation)


def mean(result: Result, measure: str) -> float:
    """One figure of a way."""
    return summary(result.by_conversation).figures[measure].mean


@pytest.mark.row("C41")
def test_baselines_stand_beside_the_memory() -> None:
    """In the same run: plain search and vectors find more than the last turns, and the memory is not behind them."""
    kept = Kept(HashingEmbedder())
    told: list[tuple[str, int, int]] = []
    found = evaluate(TALKS, ways(kept), embedder=kept, settings=SETTINGS, progress=lambda *step: told.append(step))
    assert [one.name for one in found] == ["FTS5, any word", "vectors alone", "the last turns", "Nola, profile nola"]
    plain, vectors, last, nola = (mean(one, "MRR") for one in found)
    assert nola >= plain > last
    assert vectors > last
    assert mean(found[3], "R@10") >= mean(found[0], "R@10")
    # The newest of six questions' evidence: ranks 9, 5 (of two, 7 is the other), 3, 6 among ten turns; 4, 5 among five.
    assert last == pytest.approx((1 / 9 + 1 / 5 + 1 / 3 + 1 / 6 + 1 / 4 + 1 / 5) / 6)
    assert mean(found[2], "R@5") == pytest.approx((0 + 1 / 2 + 1 + 0 + 1 + 1) / 6)
    assert {len(one.by_conversation[0]) for one in found} == {4}
    assert told[-1] == ("questions", 24, 24)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


@pytest.mark.row("X07", "P11")
def test_every_strategy_and_profile_is_measured_when_asked_for() -> None:
    """Relevance alone, six strategies and the other five profiles, from the same store; without an embedder too."""
    found = {one.name: one for one in evaluate(TALKS, ways(None, ablation=True), embedder=None, settings=SETTINGS)}
    assert list(found) == [
        "FTS5, any word", "the last turns", "Nola, profile nola", "strategy none", "strategy heat", "strategy actr",
        "strategy chain", "strategy ebbinghaus", "strategy retention", "strategy hea", "profile ada",
        "profile amplihack", "profile neuromemory", "profile blah", "profile hea",
    ]  # fmt: skip
    nola, actr = found["Nola, profile nola"], found["strategy actr"]
    assert [[one.values for one in some] for some in nola.by_conversation] == [
        [one.values for one in some] for some in actr.by_conversation
    ]
    assert mean(nola, "R@10") >= mean(found["strategy none"], "R@10") - 0.005
    assert mean(found["profile neuromemory"], "MRR") < mean(nola, "MRR")


def test_another_profile_may_be_the_one_that_is_measured() -> None:
    """It is named, and the others are the rest."""
    names = [one.name for one in ways(None, profile="blah", ablation=True)]
    assert "Nola, profile blah" in names
    assert "profile nola" in names
    assert "profile blah" not in names


class Interrupted(Exception):  # noqa: N818 -- it stands for Ctrl-C
    """A run that was broken off."""


def breaks(talk: Conversation, folder: Path) -> LastTurns:
    """Break off at the second conversation."""
    del folder
    if talk is TALKS[1]:
        raise Interrupted
    return LastTurns(talk)


def never(talk: Conversation, folder: Path) -> LastTurns:
    """Say that what was measured already is measured again."""
    raise AssertionError(f"{talk.name} is measured again in {folder}")


@pytest.mark.row("P16")
def test_a_run_that_broke_off_is_resumed(tmp_path: Path) -> None:
    """A file for each conversation, written after each way; what stands in it is not measured again."""
    folder = tmp_path / "new" / "results"
    with pytest.raises(Interrupted):
        evaluate(TALKS, [Way("a", breaks)], embedder=None, settings=SETTINGS, folder=folder)
    assert [file.name for file in folder.iterdir()] == ["01-harbour-1.json"]
    kept = json.loads((folder / "01-harbour-1.json").read_text(encoding="utf-8"))
    assert list(kept["ways"]) == ["a"]
    assert [len(one) for one in kept["ways"]["a"]] == [3] * 4

    def rest(talk: Conversation, folder: Path) -> LastTurns:
        return never(talk, folder) if talk is TALKS[0] else LastTurns(talk)

    (found,) = evaluate(TALKS, [Way("a", rest)], embedder=None, settings=SETTINGS, folder=folder, resume=True)
    (whole,) = evaluate(TALKS, [Way("a", lambda talk, _: LastTurns(talk))], embedder=None, settings=SETTINGS)
    assert [[one.values for one in some] for some in found.by_conversation] == [
        [one.values for one in some] for some in whole.by_conversation
    ]
    again, other = evaluate(
        TALKS,
        [Way("a", never), Way("b", lambda talk, _: LastTurns(talk))],
        embedder=None,
        settings=SETTINGS,
        folder=folder,
        resume=True,
    )
    assert again == found
    assert other.name == "b"
    assert sorted(file.name for file in folder.iterdir()) == ["01-harbour-1.json", "02-garden.json"]


@pytest.mark.parametrize("what", ["settings", "conversation", "embedder", "damaged", "not asked"])
def test_results_of_something_else_are_not_taken(tmp_path: Path, what: str) -> None:
    """Other settings, another conversation or embedder, a damaged file: all is measured; also without --resume."""
    talk, settings, kept = TALKS[1], SETTINGS, None
    evaluate([talk], [Way("a", lambda one, _: LastTurns(one))], embedder=None, settings=settings, folder=tmp_path)
    if what == "settings":
        settings = replace(settings, recall=replace(settings.recall, beta=0.3))
    elif what == "conversation":
        talk = replace(talk, turns=talk.turns[:-1])
    elif what == "embedder":
        kept = Kept(HashingEmbedder())
    elif what == "damaged":
        (tmp_path / "01-garden.json").write_text('{"key": [', encoding="utf-8")
    with pytest.raises(AssertionError, match="measured again"):
        evaluate(
            [talk],
            [Way("a", never)],
            embedder=kept,
            settings=settings,
            folder=tmp_path,
            resume=what != "not asked",
        )


def test_other_settings_of_the_house_do_not_matter(tmp_path: Path) -> None:
    """What decides nothing about recall is no part of what results depend on."""
    evaluate(TALKS, [Way("a", lambda one, _: LastTurns(one))], embedder=None, settings=SETTINGS, folder=tmp_path)
    other = replace(SETTINGS, chat=replace(SETTINGS.chat, deep_turns=2))
    (found,) = evaluate(TALKS, [Way("a", never)], embedder=None, settings=other, folder=tmp_path, resume=True)
    assert all(isinstance(one, Asked) and len(one.values) == len(MEASURES) for one in found.by_conversation[0])


def test_an_embedder_that_breaks_on_the_way_ends_it() -> None:
    """Figures by words alone under its name would be wrong."""
    kept = Kept(HashingEmbedder())
    kept.trouble = ModelError("the model is gone")
    with pytest.raises(NolaError, match="gone"):
        evaluate(TALKS, [Way("a", lambda one, _: LastTurns(one))], embedder=kept, settings=SETTINGS)
