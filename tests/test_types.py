"""The shared names: enums say what files and options say."""

from __future__ import annotations

import pytest

from nola.types import Channel, Level, Place, Profile, Role, Severity, StimuliType


def test_a_level_is_its_number() -> None:
    """Levels order and compare as the numbers 1 to 3."""
    assert [int(level) for level in Level] == [1, 2, 3]
    assert Level.QUICK < Level.CONVERSATION < Level.DEEP
    assert Level(3) is Level.DEEP


@pytest.mark.parametrize("number", [0, 4, -1])
def test_no_other_level_exists(number: int) -> None:
    """A number beside 1 to 3 is no level."""
    with pytest.raises(ValueError, match="not a valid Level"):
        Level(number)


def test_the_places_stand_in_the_order_of_the_hierarchy() -> None:
    """The three depths of the state have one name each."""
    assert [str(place) for place in Place] == ["global", "aggregator", "module"]


@pytest.mark.row("E24")
def test_stimuli_types_are_the_documented_words() -> None:
    """A caller may say analytical, conversational or realtime."""
    assert {str(kind) for kind in StimuliType} == {"analytical", "conversational", "realtime"}


def test_text_enums_are_written_as_their_values() -> None:
    """Every text enum formats as the word that stands in files and on the wire."""
    for member in (*Profile, *Channel, *Role, *Severity):
        assert f"{member}" == member.value == member.value.lower()
