"""Each kind's own fields, and the rules by which it lives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from nola.errors import UsageError
from nola.memory.axes import Kind, State
from nola.memory.kinds import (
    COUNTED,
    Slot,
    SlotType,
    checked_start,
    details_of,
    evicted,
    is_expired,
    moved,
    next_index,
    unmet,
)

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.row("B03")
@pytest.mark.row("B17")
@pytest.mark.row("B29")
@pytest.mark.row("B34")
@pytest.mark.parametrize(
    ("kind", "defaults"),
    [
        (Kind.SENSORY, {"modality": "text", "raw_data": ""}),
        (Kind.WORKING, {"task": "", "slot": "context", "relevance": 0.5}),
        (Kind.EPISODIC, {"source_label": "", "compressed": False}),
        (Kind.SEMANTIC, {}),
        (Kind.PROCEDURAL, {"name": "", "steps": [], "prerequisites": []}),
        (Kind.PROSPECTIVE, {"trigger": "", "action": "", "state": "pending", "priority": 1.0}),
        (Kind.SUMMARY, {"original_count": 0}),
    ],
)
def test_each_kind_has_its_fields(kind: Kind, defaults: dict[str, object]) -> None:
    """What nobody gives has a default, save what the store counts."""
    assert details_of(kind, {}) == defaults


@pytest.mark.row("B29")
def test_steps_keep_their_order_and_their_duplicates() -> None:
    """Fifty steps come back as they were given."""
    steps = [f"step {number % 7}" for number in range(50)]
    assert details_of(Kind.PROCEDURAL, {"steps": steps})["steps"] == steps


@pytest.mark.row("B17")
def test_an_explicit_index_is_accepted() -> None:
    """It stays what was given, and the next one follows the greatest."""
    assert details_of(Kind.EPISODIC, {"temporal_index": 41})["temporal_index"] == 41
    assert COUNTED[Kind.EPISODIC] == "temporal_index"
    assert (next_index(None), next_index(41), next_index(41, 99)) == (0, 42, 99)


@pytest.mark.row("B03")
def test_the_order_of_observations_only_rises() -> None:
    """A place that is given has to come after the last one."""
    assert (next_index(None, 0, rising=True), next_index(7, 8, rising=True), next_index(7, rising=True)) == (0, 8, 8)
    for given in (0, 7):
        with pytest.raises(UsageError, match=f"observation_order {given} does not come after 7, the last one: leave"):
            next_index(7, given, rising=True)


@pytest.mark.row("B34")
def test_a_new_intention_is_pending() -> None:
    """It can be moved on once it is stored; other kinds have no such rule."""
    checked_start(Kind.PROSPECTIVE, {"state": "pending"})
    checked_start(Kind.SEMANTIC, {})
    for state in ("triggered", "resolved"):
        with pytest.raises(UsageError, match=f"a new intention is pending, not {state}: store it, then move it on"):
            checked_start(Kind.PROSPECTIVE, {"state": state})


@pytest.mark.row("B11")
def test_slots_have_six_types() -> None:
    """The six are accepted, `nonsense` is not."""
    assert [details_of(Kind.WORKING, {"slot": slot})["slot"] for slot in SlotType] == [
        "question",
        "retrieved_fact",
        "reasoning_step",
        "context",
        "plan",
        "evaluation",
    ]
    with pytest.raises(UsageError, match=r"slot is one of question.*not 'nonsense'"):
        details_of(Kind.WORKING, {"slot": "nonsense"})


@pytest.mark.parametrize(
    ("kind", "given", "sentence"),
    [
        (Kind.SEMANTIC, {"steps": []}, "steps is a field of procedural memories, not of semantic ones"),
        (Kind.EPISODIC, {"temporal_index": -1}, "temporal_index takes a whole number from 0"),
        (Kind.EPISODIC, {"compressed": "yes"}, "compressed takes true or false"),
        (Kind.WORKING, {"relevance": 1.5}, "relevance takes 0 to 1"),
        (Kind.PROSPECTIVE, {"priority": float("nan")}, "priority takes 0 to 100"),
        (Kind.PROSPECTIVE, {"state": "done"}, "state is one of pending, triggered, resolved"),
        (Kind.PROCEDURAL, {"steps": "first"}, "steps takes a list of texts"),
        (Kind.SENSORY, {"raw_data": 7}, "raw_data takes an object"),
    ],
)
def test_wrong_fields_are_refused(kind: Kind, given: dict[str, object], sentence: str) -> None:
    """Each with the field's name."""
    with pytest.raises(UsageError, match=sentence):
        details_of(kind, given)


@pytest.mark.row("B03")
def test_raw_data_is_text_or_an_object() -> None:
    """A snapshot of numbers is kept as numbers (B07)."""
    found = details_of(Kind.SENSORY, {"modality": "metric", "raw_data": {"cpu": 0.4}})
    assert found == {"modality": "metric", "raw_data": {"cpu": 0.4}}


@pytest.mark.row("B08")
def test_the_least_relevant_slot_goes() -> None:
    """At the twenty-first push the minimum leaves, the oldest of equals first."""
    slots = [Slot(f"s{number}", 0.5 + number / 100, float(number)) for number in range(20)]
    assert evicted(slots[:19], slots[19], 20) == []
    assert evicted(slots, Slot("new", 0.9, 99.0), 20) == ["s0"]
    equal = [Slot(f"s{number}", 0.5, float(number)) for number in (3, 1, 2)]
    assert evicted(equal, Slot("new", 0.5, 9.0), 3) == ["s1"]


@pytest.mark.row("B08")
def test_a_newcomer_below_the_minimum_is_refused() -> None:
    """It is itself what goes; one that equals the minimum comes in (E-21)."""
    slots = [Slot("a", 0.4, 1.0), Slot("b", 0.6, 2.0)]
    assert evicted(slots, Slot("new", 0.39, 3.0), 2) == ["new"]
    assert evicted(slots, Slot("new", 0.4, 3.0), 2) == ["a"]
    assert evicted(slots, Slot("new", 0.9, 3.0), 1) == ["a", "b"]


@pytest.mark.row("B34")
def test_intentions_move_one_way() -> None:
    """Pending to triggered to resolved, and pending to resolved; nothing else."""
    legal = {
        (State.PENDING, State.TRIGGERED),
        (State.TRIGGERED, State.RESOLVED),
        (State.PENDING, State.RESOLVED),
    }
    for state in State:
        for to in State:
            if (state, to) in legal:
                assert moved(state, to) is to
            else:
                with pytest.raises(UsageError, match=f"an intention that is {state.value} can become"):
                    moved(state, to)


@pytest.mark.row("B02")
def test_an_observation_is_there_until_its_last_moment() -> None:
    """At 299.9 s it is there, at 300.0 s it is not; what has no end stays."""
    expires = NOW + timedelta(seconds=300)
    assert not is_expired(expires, NOW + timedelta(seconds=299.9))
    assert is_expired(expires, NOW + timedelta(seconds=300))
    assert not is_expired(None, NOW)


@pytest.mark.row("B32")
def test_missing_prerequisites_are_named() -> None:
    """Those that nobody knows yet, in their order; capitals and spaces don't count."""
    assert unmet(["Variables", "loops", "closures"], {"variables", " Closures "}) == ["loops"]
    assert unmet([], set()) == []
