"""Tests of nola.memory.reach: what edges do for the candidates of a question, each profile's own way."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nola.memory import edges
from nola.memory.axes import EdgeKind
from nola.settings import Settings
from tests.memory.engines import contents, memory_of
from tests.memory.making import rows

if TYPE_CHECKING:
    from pathlib import Path

    from nola.learned import Memory
    from nola.memory.recall import Recalled
    from nola.testing import ManualClock

DAY = 86_400
CHAIN = {"red apple pie": 0.2, "apple pie cream cake": 0.9, "cream cake candle party": 0.5}
"""Each is like the next, with a likeness above 0.3, and not like the one after that."""


def link(memory: Memory, clock: ManualClock, one: str, other: str, weight: float) -> None:
    """Link two memories as if they had been used together."""
    numbers = dict(rows(memory.engine.database, "SELECT id, seq FROM memory"))
    memory.engine.database.write(
        lambda connection: edges.put(
            connection, numbers[one], EdgeKind.ASSOCIATED, numbers[other], weight=weight, now=clock.now()
        )
    )


def ids_and_scores(found: list[Recalled]) -> list[tuple[str, float]]:
    """Return what was found and what it was ranked by."""
    return [(one.id, one.score) for one in found]


def activation(one: Recalled) -> float:
    """Return the activation that a strength in profile neuromemory stands for."""
    settings = Settings().actr
    return settings.threshold + settings.slope * math.log(one.strength / (1 - one.strength))


@pytest.mark.row("D21")
@pytest.mark.parametrize("profile", ["nola", "neuromemory"])
@pytest.mark.parametrize(("weight", "comes"), [(0.2, False), (0.3, True)])
def test_a_link_must_be_strong_enough(
    tmp_path: Path, clock: ManualClock, profile: str, weight: float, comes: bool  # noqa: FBT001
) -> None:  # fmt: skip
    """One of 0.2 brings nothing, one of 0.3 its other end, also a day later."""
    with memory_of(tmp_path / "memory.db", clock, profile=profile) as memory:
        python, ferry = memory.store("I write python"), memory.store("The ferry leaves at nine")
        link(memory, clock, python, ferry, weight)
        clock.advance(DAY)
        found = memory.recall("python", count=False)
        assert [one.id for one in found] == ([python, ferry] if comes else [python])
        assert ("link" in found[-1].parts) is comes
        low = replace(Settings(), links=replace(Settings().links, min_strength=0.1))
    with memory_of(tmp_path / "memory.db", clock, profile=profile, settings=low) as memory:
        assert len(memory.recall("python", count=False)) == 2


@pytest.mark.row("D16", "D20", "D21", "D22")
def test_blah_puts_what_is_linked_behind(tmp_path: Path, clock: ManualClock) -> None:
    """At the third joint retrieval the other end comes, last, once, and what was found keeps its score."""
    with memory_of(tmp_path / "memory.db", clock, profile="blah") as memory:
        python = memory.store("I write python every day")
        both = memory.store("A python was on the ferry")
        ferry = memory.store("The ferry leaves at nine")
        before = ids_and_scores(memory.recall("python", count=False))
        assert {id_ for id_, _ in before} == {python, both}
        for use in range(1, 4):
            memory.engine.count([python, both, ferry])
            clock.advance(1)
            found = memory.recall("python", count=False)
            assert [one.id for one in found].count(ferry) == (use == 3)
        assert [one.id for one in found][:2] == [id_ for id_, _ in before]
        assert all(one.score == pytest.approx(one.relevance * one.strength) for one in found)
        assert (found[2].id, found[2].score, found[2].why) == (ferry, 0.0, "used together with a match")
        assert found[2].parts == {"link": pytest.approx(0.3, abs=1e-6)}
        assert [one.id for one in memory.recall("python", count=False, limit=2)] == [id_ for id_, _ in before]
        assert len(memory.recall("python ferry", count=False)) == 3


@pytest.mark.row("C15", "D23")
@pytest.mark.parametrize("profile", ["nola", "neuromemory", "blah"])
def test_what_was_used_together_comes_without_the_word(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """With sixty memories between it does not come before, and does after three joint uses, below what has the word."""
    with memory_of(tmp_path / "memory.db", clock, profile=profile) as memory:
        python = memory.store("I write python every day")
        memory.store_many([{"content": f"My aunt grows rose number {n}"} for n in range(60)])
        ferry = memory.store("The ferry leaves at nine")
        assert [one.id for one in memory.recall("python", count=False, limit=100)] == [python]
        for _ in range(3):
            memory.recall("python ferry")
        assert [one.id for one in memory.recall("python", count=False)] == [python, ferry]


@pytest.mark.row("C27")
def test_links_can_be_switched_off(tmp_path: Path, clock: ManualClock) -> None:
    """Without Hebbian learning, links that are there neither lend, nor bring, nor spread."""
    off = replace(Settings(), memory=replace(Settings().memory, hebbian=False))
    for profile in ("nola", "neuromemory", "blah"):
        with memory_of(tmp_path / f"{profile}.db", clock, profile=profile) as memory:
            ids = memory.store_many([{"content": "I write python"}, {"content": "The ferry leaves at nine"}])
            for _ in range(3):
                memory.engine.count(ids)
            assert len(memory.recall("python", count=False)) == 2
        with memory_of(tmp_path / f"{profile}.db", clock, profile=profile, settings=off) as memory:
            (found,) = memory.recall("python", count=False)
            assert not {"link", "spread"} & found.parts.keys()


@pytest.mark.row("C06", "C09")
def test_activation_spreads_over_links(tmp_path: Path, clock: ManualClock) -> None:
    """In profile neuromemory a link of 0.4 to one other match adds 0.4 to the activation; without links nothing is."""
    with memory_of(tmp_path / "memory.db", clock, profile="neuromemory") as memory:
        rex, fido, ferry = (memory.store(text) for text in ("A dog called Rex", "A dog called Fido", "A ferry"))
        clock.advance(DAY)
        before = {one.id: one for one in memory.recall("dog", count=False)}
        assert before.keys() == {rex, fido}
        assert all("spread" not in one.parts for one in before.values())
        assert activation(before[rex]) == pytest.approx(-0.5 * math.log(DAY) + 0.5)
        link(memory, clock, rex, fido, 0.4)
        after = {one.id: one for one in memory.recall("dog", count=False)}
        assert after[rex].parts["spread"] == 0.4
        assert activation(after[rex]) - activation(before[rex]) == pytest.approx(0.4)
        link(memory, clock, rex, ferry, 0.5)
        brought = memory.recall("dog", count=False)[-1]
        assert (brought.id, brought.score, brought.parts["spread"]) == (ferry, 0.0, 0.5)
        assert activation(brought) == pytest.approx(-0.5 * math.log(DAY) + 0.5 + 0.5)
        assert activation(memory.recall("Rex", count=False)[0]) == pytest.approx(activation(before[rex]))


@pytest.mark.row("A35", "D14")
@pytest.mark.parametrize("profile", ["ada", "blah", "hea", "amplihack"])
def test_links_of_use_change_no_score_that_a_document_fixes(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """However often two were used together, their scores stay what the formula says."""
    with memory_of(tmp_path / "memory.db", clock, profile=profile) as memory:
        ids = memory.store_many([{"content": f"dog {n}", "importance": 0.5} for n in range(3)])
        before = ids_and_scores(memory.recall("dog", count=False))
        for one in ids:
            for other in ids:
                if one < other:
                    link(memory, clock, one, other, 0.9)
        assert ids_and_scores(memory.recall("dog", count=False)) == before


@pytest.mark.row("B27")
@pytest.mark.parametrize(("hops", "expected"), [(1, [0.9, 0.2]), (2, [0.9, 0.5, 0.2])])
def test_amplihack_follows_likeness(tmp_path: Path, clock: ManualClock, hops: int, expected: list[float]) -> None:
    """Of a chain in which each is like the next, the first is hit, and one or two more come, ordered by confidence."""
    settings = replace(Settings(), links=replace(Settings().links, hops=hops))
    with memory_of(tmp_path / "memory.db", clock, profile="amplihack", settings=settings) as memory:
        for text, confidence in CHAIN.items():
            memory.store(text, confidence=confidence)
        found = memory.recall("red", count=False)
        assert [CHAIN[one.content] for one in found] == expected
        assert [one.score for one in found] == pytest.approx(expected, abs=1e-3)
        reached = {CHAIN[one.content]: one for one in found}
        assert reached[0.9].parts == {"similar": pytest.approx(0.4)}
        assert reached[0.9].why == "like a match"
    with memory_of(tmp_path / "memory.db", clock, settings=settings) as memory:
        assert contents(memory.recall("red", count=False)) == ["red apple pie"]


@pytest.mark.row("B27")
def test_likeness_leads_nowhere_that_may_not_be_seen(tmp_path: Path, clock: ManualClock) -> None:
    """What a filter hides, or what was not stored then, neither comes nor leads on."""
    settings = replace(Settings(), links=replace(Settings().links, hops=2))
    with memory_of(tmp_path / "memory.db", clock, profile="amplihack", settings=settings) as memory:
        for n, text in enumerate(CHAIN):
            memory.store(text, tags=["odd"] if n == 1 else ["even"])
        assert contents(memory.recall("red", count=False, tags=["even"])) == ["red apple pie"]
        assert len(memory.recall("red", count=False)) == 3
        then = clock.now()
        clock.advance(DAY)
        memory.store("red apple jam")
        assert len(memory.recall("red", count=False)) == 4
        assert len(memory.recall("red", as_of=then)) == 3


@pytest.mark.row("P15")
def test_links_of_later_use_are_not_there_in_the_past(tmp_path: Path, clock: ManualClock) -> None:
    """As of a time before two were used together, neither brings the other."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        ids = memory.store_many([{"content": "I write python"}, {"content": "The ferry leaves at nine"}])
        then = clock.now()
        clock.advance(DAY)
        for _ in range(3):
            memory.engine.count(ids)
        assert len(memory.recall("python", count=False)) == 2
        assert contents(memory.recall("python", as_of=then)) == ["I write python"]
