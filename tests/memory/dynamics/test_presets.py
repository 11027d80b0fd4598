"""Four presets, told apart by what they do."""

from __future__ import annotations

import pytest

from nola.errors import UsageError
from nola.memory.axes import Kind
from nola.memory.dynamics.base import DAY, Pool, Row
from nola.memory.dynamics.model import STRATEGIES, Dynamics
from nola.memory.dynamics.presets import PRESETS, preset_of
from nola.settings import MemorySettings, Settings
from tests.memory.dynamics.samples import NOW, aged, first

MODELS = {name: Dynamics(Settings(), preset=name) for name in PRESETS}


def half_life(preset: str, strategy: str, kind: Kind = Kind.SEMANTIC) -> float:
    """Return the half-life of a day-old memory."""
    return MODELS[preset].strategies[strategy].half_life_s(Row(aged(1), kind))


@pytest.mark.row("C32")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_chatbot_forgets_slower_than_a_task_agent(strategy: str) -> None:
    """Its half-life is longer under every strategy, and it replays the most of the first three."""
    assert half_life("chatbot", strategy) > half_life("task", strategy)
    assert PRESETS["chatbot"].replay > max(PRESETS["task"].replay, PRESETS["assistant"].replay)
    assert PRESETS["chatbot"].focus == "relationship"


@pytest.mark.row("C33")
@pytest.mark.parametrize("strategy", ["heat", "actr", "chain", "ebbinghaus", "hea"])
def test_a_task_agent_keeps_its_procedures(strategy: str) -> None:
    """It forgets fastest of all, procedures slowest of its kinds, and tends its memory most rarely."""
    assert half_life("task", strategy) == min(half_life(name, strategy) for name in PRESETS)
    others = [half_life("task", strategy, kind) for kind in Kind if kind is not Kind.PROCEDURAL]
    assert half_life("task", strategy, Kind.PROCEDURAL) > max(others)
    assert PRESETS["task"].every_s == max(preset.every_s for preset in PRESETS.values())


@pytest.mark.row("C34")
def test_an_assistant_is_tended_daily_at_the_documents_pace() -> None:
    """Maintenance comes every 24 hours, and the constants are those of the documents."""
    assistant = PRESETS["assistant"]
    assert (assistant.every_s, assistant.pace, assistant.focus) == (DAY, 1.0, "balanced")
    assert assistant.rates().tolist() == [1.0] * len(Kind)


@pytest.mark.row("C35")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_researcher_forgets_slowest_and_deletes_nothing(strategy: str) -> None:
    """The longest half-life of the four, weekly maintenance, no deletion."""
    assert all(
        half_life("researcher", strategy) > half_life(name, strategy) for name in PRESETS if name != "researcher"
    )
    researcher = PRESETS["researcher"]
    assert researcher.every_s == 7 * DAY
    assert not researcher.deletes
    assert all(preset.deletes for name, preset in PRESETS.items() if name != "researcher")


@pytest.mark.row("C36")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_memory_is_strong_in_another_way_under_each_preset(strategy: str) -> None:
    """Four presets give four strengths."""
    pool = Pool.of([Row(aged(3), Kind.EPISODIC)])
    strengths = {first(model.strategies[strategy].strength(pool, NOW)) for model in MODELS.values()}
    assert len(strengths) == 4


def test_the_owners_own_pace_comes_on_top() -> None:
    """Half the pace is twice the half-life."""
    slow = Dynamics(Settings(memory=MemorySettings(pace=0.5)))
    assert slow.heat.half_life_s(Row(aged(0))) == 2 * half_life("assistant", "heat")


def test_an_unknown_preset_is_told_with_the_nearest() -> None:
    """The sentence names those that there are."""
    with pytest.raises(UsageError, match="did you mean chatbot"):
        preset_of("chatbott")
