"""The values that travel through a turn can't be changed on the way."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from nola import flow
from nola.flow import Stimulus, Token
from nola.types import Channel

VALUES = [getattr(flow, name) for name in flow.__all__ if name != "Event"]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.__name__)
def test_every_value_is_frozen_and_has_slots(value: type) -> None:
    """Each value is a frozen dataclass with slots, and says in its docstring what it is."""
    assert dataclasses.is_dataclass(value)
    assert value.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(value)
    assert value.__doc__


def test_a_value_does_not_change() -> None:
    """Setting an attribute of a value fails."""
    token = Token("hello")
    with pytest.raises(dataclasses.FrozenInstanceError):
        token.text = "bye"  # type: ignore[misc]


def test_a_plain_stimulus_comes_from_a_library_and_may_teach() -> None:
    """Only text and time are needed; everything else has its plain default."""
    stimulus = Stimulus("hi", datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    assert stimulus.channel is Channel.LIBRARY
    assert stimulus.learn
    assert (stimulus.conversation, stimulus.level, stimulus.stimuli_type, stimulus.model) == (None, None, None, None)


@pytest.mark.row("E40")
def test_the_values_stand_in_travel_order() -> None:
    """The file reads in the order in which a message travels."""
    order = [name for name in vars(flow) if name in flow.__all__]
    steps = ["Stimulus", "LevelChoice", "Candidate", "Factors", "ContextReport", "Prompt", "TurnResult"]
    assert sorted(steps, key=order.index) == steps
