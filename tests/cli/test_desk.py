"""Tests of what commands find at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.cli.desk import Desk
from nola.clock import ShiftedClock, SystemClock
from tests.cli.fakes import FakeAssistant

if TYPE_CHECKING:
    from pathlib import Path


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
