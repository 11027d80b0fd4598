"""What the trunk promises of three personas holds when half of what is known are memories instead of state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.context.facts import facts_of
from nola.evaluation.personas import evaluate, install, load
from nola.testing import ManualClock, make_agent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.agent import Agent
    from nola.flow import ContextReport, Event, Stimulus
    from nola.llm.vectors import CachedEmbedder

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "personas"
FIRST_PERSON = (
    ("Formerly: your ", "Formerly: my "), ("Your ", "My "), ("You are ", "I am "), ("You were ", "I was "),
    ("You ", "I "), ("About your ", "About my "), ("About you", "About me"),
)  # fmt: skip


class Sourced:
    """An assistant whose injected memories go by the path of the leaf that they were made of."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def turn(self, stimulus: Stimulus) -> Iterator[Event]:
        """Answer a message."""
        return self._agent.turn(stimulus)

    def context(self, stimulus: Stimulus) -> ContextReport:
        """Choose the context for a message."""
        report = self._agent.context(stimulus)
        return replace(
            report, selected=tuple(replace(s, path=s.memory.source) if s.memory else s for s in report.selected)
        )

    def close(self) -> None:
        """Close the agent."""
        self._agent.close()


def said_by_the_owner(text: str) -> str:
    """Put a sentence to the owner into her own mouth."""
    for start, own in FIRST_PERSON:
        if text.startswith(start):
            return own + text.removeprefix(start)
    return text


def remember_half(agent: Agent, half: int) -> tuple[int, int]:
    """Store what every second place of the state holds as memories, and take it out there; return how many of how many.

    A place keeps its leaves together: the name of a friend and where she lives are told in one go.
    """
    agent.get_state()
    born = ("Nola.", "identity.", "machineID.")
    leaves = [leaf for leaf in agent._parts.state.candidates() if not leaf.path.startswith(born)]
    places = list(dict.fromkeys((leaf.path.split(".")[0], leaf.keys[:-1]) for leaf in leaves))
    chosen = set(places[half::2])
    moved = {n for n, leaf in enumerate(leaves) if (leaf.path.split(".")[0], leaf.keys[:-1]) in chosen}
    told = [fact for fact in facts_of(leaves) if fact.index in moved]
    for number in sorted(moved, reverse=True):
        agent.unset_state(leaves[number].path, who="owner")
    agent.memory.store_many([{"content": said_by_the_owner(f.text), "source": f.path} for f in told])
    assert agent.memory.wait_indexed(60)
    return len(moved), len(leaves)


@pytest.mark.models
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("name", ["mara", "nils", "helen"])
def test_half_of_what_is_known_may_be_memories(name: str, half: int, tmp_path: Path, minilm: CachedEmbedder) -> None:
    """At least 38 of 40 needed facts injected, whichever half is remembered; as much admitted and refused as before."""
    persona = load(FOLDER / name)
    install(persona, tmp_path / "state")
    agent = make_agent(
        tmp_path,
        clock=ManualClock(persona.now),
        vectoriser=minilm,
        embedder=minilm,
        settings={"embed.turn_budget": "60"},
    )
    moved, known = remember_half(agent, half)
    found = evaluate(persona, Sourced(agent), speak=False)
    agent.close()
    figures = {
        "moved": moved,
        "of": known,
        "injected": sum(a.injected for a in found.of("known")),
        "changed injected": sum(a.injected for a in found.of("changed")),
        "unknown": sum(a.unknown for a in found.of("unknown")),
        "refused": sum(a.unknown for a in (*found.of("known"), *found.of("changed"))),
        "general refused": sum(a.unknown for a in found.of("general")),
    }
    print(name, half, figures)  # noqa: T201 -- the figures are what the test is for
    assert 0.3 <= moved / known <= 0.7, figures
    assert figures["injected"] >= 38, figures
    assert figures["changed injected"] >= 9, figures
    assert figures["unknown"] >= 17, figures
    assert figures["refused"] <= 3, figures
    assert figures["general refused"] <= 1, figures
