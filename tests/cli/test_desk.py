"""Tests of what commands find at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli.desk import Desk
from nola.clock import ShiftedClock, SystemClock
from tests.cli.fakes import FakeAssistant

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_everything_is_made_once_and_when_asked_for(tmp_path: Path) -> None:
    """Settings, clock and assistant; closing closes what was made."""
    made: list[FakeAssistant] = []

    def make(config: object) -> FakeAssistant:
        made.append(FakeAssistant(config))  # type: ignore[arg-type]
        return made[-1]

    desk = Desk({"NOLA_HOME": str(tmp_path)}, assistant=make)
    desk.close()
    assert made == []
    assert desk.assistant is desk.assistant
    assert desk.config is desk.config
    desk.close()
    assert [assistant.closed for assistant in made] == [1]
    assert desk.another(desk.config) is made[1]


def test_the_clock_starts_where_it_is_told(tmp_path: Path) -> None:
    """NOLA_NOW, else the machine's."""
    home = {"NOLA_HOME": str(tmp_path)}
    told = Desk({**home, "NOLA_NOW": "2026-11-20T09:00:00+00:00"})
    assert isinstance(told.clock, ShiftedClock)
    assert told.clock.now().year == 2026
    assert type(Desk(home).clock) is SystemClock
    assert told.logs == tmp_path / "logs"


def test_the_memory_is_opened_once_and_knows_its_owner(tmp_path: Path) -> None:
    """It lies in the home, with the owner's name from user.json and an embedder that is here."""
    desk = Desk({"NOLA_HOME": str(tmp_path)}, assistant=FakeAssistant)
    desk.assistant.state["user.name"] = "Mara"  # type: ignore[attr-defined]  # the fake has it
    memory = desk.memory
    assert desk.memory is memory
    assert (memory.engine.owner, memory.engine.database.path) == ("Mara", tmp_path / "memory.db")
    assert memory.engine.keeper.embedder is not None
    assert memory.engine.keeper.embedder.model_id == "hashing/256/1"
    desk.close()


def test_a_name_that_is_none_is_no_owner(tmp_path: Path) -> None:
    """Nothing stands there, or it is no text."""
    for state in ({}, {"user.name": 3}):
        desk = Desk({"NOLA_HOME": str(tmp_path), "NOLA_EMBED_PROVIDER": "none"}, assistant=FakeAssistant)
        desk.assistant.state.update(state)  # type: ignore[attr-defined]
        assert desk.memory.engine.owner == ""
        assert desk.memory.engine.keeper.embedder is None
        desk.close()


def test_vectors_that_are_owed_are_made_before_the_end(tmp_path: Path) -> None:
    """Of a command that remembered something; one that only looks starts nothing."""
    desk = Desk({"NOLA_HOME": str(tmp_path)}, assistant=FakeAssistant)
    desk.memory.store("My dog is called Biscuit")
    desk.remembered()
    desk.close()
    again = Desk({"NOLA_HOME": str(tmp_path)}, assistant=FakeAssistant)
    assert again.memory.engine.memories.missing("hashing/256/1") == 0
    again.close()


def test_a_slow_embedder_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After about a second the rest is left to the next command."""
    waited: list[float | None] = []
    desk = Desk({"NOLA_HOME": str(tmp_path)}, assistant=FakeAssistant)
    monkeypatch.setattr(desk.memory, "wait_indexed", waited.append)
    desk.close()
    desk.remembered()
    desk.close()
    assert waited == [1.0]
